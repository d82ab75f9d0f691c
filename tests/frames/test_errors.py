"""What cannot be used is refused in words: what must hold, what came instead, what to do."""

import re

import numpy as np
import pytest

import ordcut
from ordcut import frames

polars = pytest.importorskip("polars")

FRAME = polars.DataFrame({"s": [0.1, 0.4, 0.5, 0.9], "y": [0, 0, 1, 2], "t": list("aabc")})


def find(frame=FRAME, **options):
    return frames.optimal_thresholds(frame, **{"score": "s", "label": "y", **options})


def with_column(name, values):
    return FRAME.with_columns(polars.Series(name, values))


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        (FRAME, {"score": "scores"}, 'score must be one of "s", "y", "t", got \'scores\''),
        (FRAME, {"label": "z"}, 'label must be one of "s", "y", "t", got \'z\''),
        (FRAME, {"weight": "w"}, 'weight must be one of "s", "y", "t", got \'w\''),
        (FRAME, {"nulls": "ignore"}, 'nulls must be "raise" or "drop", got \'ignore\''),
        (FRAME, {"max_rows": 0}, "max_rows must be a whole number, at least 1, got 0"),
        (FRAME, {"classes": [0, 1]}, "labels must be among the classes 0, 1, got 2"),
        (FRAME.clear(), {}, "at least one row"),
        (with_column("s", [0.1, None, 0.5, np.inf]), {}, "finite numbers, got 1 rows"),
        (with_column("s", [0.1, None, np.nan, 0.5]), {}, "missing values, got 2 in 's'"),
        (with_column("y", [0, None, 1, 2]), {}, "missing values, got 1 in 'y'"),
        (with_column("w", [1.0, -1, 1, 1]), {"weight": "w"}, "not negative, got 1 rows"),
        (with_column("w", [1.0, np.inf, 1, 1]), {"weight": "w"}, "not negative, got 1 rows"),
        (with_column("w", [1.0, None, 1, 1]), {"weight": "w"}, "got 1 in 'w'"),
        (with_column("w", [0, 0, 0, 0]), {"weight": "w"}, "a weight above 0"),
        (with_column("y", [1, 1, 1, 1]), {}, "at least two classes"),
    ],
)
def test_wrong_data_are_refused(frame, options, message):
    with pytest.raises(ValueError, match=message):
        find(frame, **options)


def test_text_is_no_score():
    with pytest.raises(TypeError, match="score must name a column of numbers, got 't' of type"):
        find(score="t")


def test_an_array_is_no_frame():
    with pytest.raises(TypeError, match=r"For arrays, use ordcut\.optimal_thresholds"):
        find(np.zeros((3, 2)))


def test_text_without_a_stated_order_is_refused():
    with pytest.raises(ValueError, match="no stated order: 'a', 'b', 'c'"):
        find(label="t")


def test_too_many_rows_that_could_hold_a_threshold_are_refused():
    # Scores so close that no cell separates them.
    scores = 5e-324 * np.arange(400)
    frame = polars.DataFrame({"s": scores, "y": np.arange(400) % 3})
    with pytest.raises(
        ValueError, match=r"max_rows must be at least \d\d\d for these data, got 10"
    ):
        find(frame, max_rows=10)


def test_predictions_do_not_overwrite_a_column():
    result = ordcut.optimal_thresholds([1, 2], [0, 1])
    with pytest.raises(ValueError, match="name must name a new column, got 'y'"):
        frames.predict(FRAME, result, score="s", name="y")


def test_predictions_of_missing_scores_are_missing():
    result = ordcut.optimal_thresholds([1, 2, 3], ["a", "b", "c"], classes=["a", "b", "c"])
    frame = polars.DataFrame({"s": [0.0, None, np.nan, -np.inf, np.inf]}).lazy()
    labels = frames.predict(frame, result, score="s").collect()["label"].to_list()
    assert labels == ["a", None, None, "a", "c"]


def test_thresholds_at_infinity_predict_and_judge():
    result = ordcut.optimal_thresholds([1, 2, 3], [2, 2, 2], classes=[0, 1, 2, 3])
    assert result.thresholds.tolist() == [-np.inf, -np.inf, np.inf]
    frame = polars.DataFrame({"s": [1.0, 2.0, 9.0], "y": [2, 2, 1]})
    assert frames.predict(frame, result, score="s")["label"].to_list() == [2, 2, 2]
    judged = frames.evaluate(frame, result, score="s", label="y")
    assert judged.confusion.tolist() == [[0] * 4, [0, 0, 1, 0], [0, 0, 2, 0], [0] * 4]


def test_progress_is_written_to_standard_error(capsys):
    find(progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[1].strip() for line in lines] == ["pass 1", "pass 2"]


def test_max_rows_may_be_exactly_what_is_needed():
    scores, labels = 5e-324 * np.arange(400), np.arange(400) % 3
    frame = polars.DataFrame({"s": scores, "y": labels})
    with pytest.raises(ValueError, match="max_rows must be at least") as caught:
        find(frame, max_rows=10)
    needed = int(re.search(r"at least (\d+)", str(caught.value)).group(1))
    with pytest.raises(ValueError, match=f"max_rows must be at least {needed}"):
        find(frame, max_rows=needed - 1)
    result = find(frame, max_rows=needed)
    expected = ordcut.optimal_thresholds(scores, labels)
    assert result.thresholds.tolist() == expected.thresholds.tolist()


@pytest.mark.parametrize("constraints", [(), "recall 1 >= 0.9"])
def test_the_number_of_rows_that_an_error_names_is_enough(few_cells, constraints):
    rng = np.random.default_rng(0)
    for n_scores in (3, 40, 400):
        labels = rng.integers(0, 3, 4000)
        scores = np.round(labels + rng.normal(scale=2, size=4000), 3) * 5e-324
        scores = 5e-324 * rng.integers(0, n_scores, 4000) if n_scores > 3 else scores
        frame = polars.DataFrame({"s": scores, "y": labels})
        for max_rows in (1, 10, 100, 1000):
            try:
                find(frame, max_rows=max_rows, constraints=constraints)
            except ValueError as error:
                needed = int(re.search(r"at least (\d+)", str(error)).group(1))
                find(frame, max_rows=needed, constraints=constraints)
