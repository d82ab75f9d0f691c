import re

import numpy as np
import polars as pl
import pytest

import ordcut
from ordcut.report import page, page_from_frame
from tests.ordinal_rows import ratings


@pytest.mark.parametrize(("n", "weighted"), [(100_000, False), (3000, True)])
def test_the_size_of_a_page_is_bounded(n, weighted):
    scores, labels = ratings(n, 100)
    weights = np.random.default_rng(0).random(n) if weighted else None
    assert len(page(scores, labels, classes=range(100), sample_weight=weights).encode()) < 600_000


def test_a_page_is_written_as_it_is_returned(tmp_path):
    path = tmp_path / "page.html"
    scores, labels = ratings(50, 3)
    result = ordcut.optimal_thresholds(*ratings(70, 3, seed=1), objective="squared")
    options = {"thresholds": result, "score_name": "risk", "class_weight": "balanced"}
    text = page(scores, labels, path=path, **options)
    assert path.read_text(encoding="utf-8") == text == page(scores, labels, **options)


@pytest.mark.parametrize("n_jobs", [1, 2, -1])
def test_the_number_of_threads_does_not_change_a_page(n_jobs):
    scores, labels = ratings(30_000)
    assert page(scores, labels, n_jobs=n_jobs) == page(scores, labels)


def test_the_page_of_a_frame_is_that_of_its_columns():
    scores, labels = ratings(300, 3)
    weights = np.random.default_rng(0).integers(1, 4, 300)
    names = np.array(["poor", "fair", "good"])
    frame = pl.DataFrame({"risk": scores, "grade": names[labels], "times": weights})
    options = {"classes": names, "objective": "quadratic_kappa", "class_weight": "balanced"}
    from_frame = page_from_frame(frame, score="risk", label="grade", weight="times", **options)
    from_arrays = page(
        scores,
        names[labels],
        sample_weight=weights,
        score_name="risk",
        label_name="grade",
        **options,
    )
    assert from_frame == from_arrays


def test_a_frame_takes_the_classes_of_given_thresholds_and_can_drop_nulls():
    result = ordcut.optimal_thresholds([1.0, 2.0, 3.0], ["c", "b", "a"], classes=["c", "b", "a"])
    frame = pl.DataFrame({"s": [1.0, None, 2.5], "y": ["c", "b", "a"]})
    text = page_from_frame(frame, score="s", label="y", thresholds=result, nulls="drop")
    assert '"classes":["c","b","a"]' in text
    assert '"rows":2,' in text
    with pytest.raises(ValueError, match="null"):
        page_from_frame(frame, score="s", label="y", thresholds=result)


def test_a_title_is_escaped_and_cannot_reach_into_the_template():
    text = page(*ratings(50, 3), title="{{script}}</title><b>")
    assert "<title>{{script}}&lt;/title&gt;&lt;b&gt;</title>" in text


def test_too_many_classes_are_refused_before_anything_is_written(tmp_path):
    with pytest.raises(ValueError, match="at most 100 classes, got 101"):
        page([1.0, 2.0], [0, 1], classes=range(101), path=tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []


def test_thresholds_for_other_classes_are_refused():
    result = ordcut.optimal_thresholds([1.0, 2.0], [0, 1])
    message = r"thresholds must have the classes of the labels, 1, 2; got 0, 1"
    with pytest.raises(ValueError, match=message):
        page([1.0, 2.0], [1, 2], thresholds=result, classes=[1, 2])


@pytest.mark.parametrize("n_jobs", ["x", 0, -3, 1.5])
def test_a_bad_number_of_threads_is_refused_before_the_data_are_read(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be a number of threads"):
        page(None, None, n_jobs=n_jobs)


def test_the_bootstrap_must_be_of_the_thresholds_of_the_page():
    scores, labels = ratings()
    result = ordcut.optimal_thresholds(scores, labels)
    bootstrap = result.bootstrap(n=20)
    other = ordcut.optimal_thresholds(scores, labels, objective="zero_one")
    with pytest.raises(ValueError, match="bootstrap must belong to the thresholds of the page"):
        page(scores, labels, thresholds=other, bootstrap=bootstrap)
    given = page(scores, labels, thresholds=result, bootstrap=bootstrap)
    assert given == page(scores, labels, bootstrap=bootstrap)


def test_the_page_of_a_frame_has_the_intervals_of_arrays():
    scores, labels = ratings()
    bootstrap = ordcut.optimal_thresholds(scores, labels).bootstrap(n=20)
    names = {"score_name": "s", "label_name": "y"}
    of_arrays = page(scores, labels, bootstrap=bootstrap, **names)
    frame = pl.DataFrame({"s": scores, "y": labels})
    of_frame = page_from_frame(frame, score="s", label="y", bootstrap=bootstrap)
    pattern = r'"intervals":(\{.*?\})'
    assert re.search(pattern, of_frame).group(1) == re.search(pattern, of_arrays).group(1)
