"""Panels as labels: what they read, and the thresholds that they lead to."""

from fractions import Fraction
from itertools import combinations_with_replacement
from math import nan

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordcut
from tests.panels.panel_rows import panels
from tests.tables import COSTS

WIDE = [[1, 1, 2], [2, None, 2], [3, 3, None], [None, None, None], [2, 3, 3]]
SCORES = [0.1, 0.5, 0.7, 0.0, 0.8]


@pytest.mark.parametrize(
    "table",
    [
        WIDE,
        np.array(WIDE, dtype=float),
        np.array(WIDE, dtype=object),
        pd.DataFrame(WIDE),
        pd.DataFrame(WIDE).astype("Int64"),
        pl.DataFrame(WIDE, schema=["a", "b", "c"], orient="row"),
        pa.table({name: [row[i] for row in WIDE] for i, name in enumerate("abc")}),
    ],
    ids=["lists", "floats", "objects", "pandas", "Int64", "polars", "arrow"],
)
def test_a_table_of_any_kind_with_gaps_is_the_same_panel(table):
    panel = ordcut.Panel(table)
    assert panel.classes.tolist() == [1, 2, 3]
    assert panel.classes.dtype.kind == "i"
    assert panel.n_ratings.tolist() == [3, 2, 2, 0, 3]
    np.testing.assert_array_equal(panel.mean_ratings, [4 / 3, 2, 3, nan, 8 / 3])
    assert "5 items (1 of them without a rating), 3 raters, 10 ratings" in repr(panel)


def test_ratings_of_text_take_their_order_from_classes_or_from_a_categorical():
    table = [["good", "bad"], [None, "bad"], ["good", "good"]]
    stated = ordcut.Panel(table, classes=["bad", "fair", "good"])
    assert stated.as_labels().soft.tolist() == [[1, 0, 1], [2, 0, 0], [0, 0, 2]]
    dtype = pd.CategoricalDtype(["good", "bad"], ordered=True)
    assert ordcut.Panel(pd.DataFrame(table, dtype=dtype)).classes.tolist() == ["good", "bad"]
    with pytest.raises(ValueError, match="no stated order: 'bad', 'good'"):
        ordcut.Panel(table)
    with pytest.raises(ValueError, match="the same ordered categories in all columns"):
        ordcut.Panel(
            pd.DataFrame(
                {
                    "a": pd.Categorical(["x", "y"], ["x", "y"], ordered=True),
                    "b": pd.Categorical(["x", "y"], ["y", "x"], ordered=True),
                }
            )
        )


@pytest.mark.parametrize("kind", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_a_long_table_is_the_panel_of_the_wide_table(kind):
    rows = [(f"i{i}", f"r{j}", c) for i, row in enumerate(WIDE) for j, c in enumerate(row)]
    rows = [rows[i] for i in np.random.default_rng(0).permutation(len(rows))]
    frame = kind(dict(zip(["item", "rater", "stars"], zip(*rows, strict=True), strict=True)))
    panel = ordcut.Panel.from_long(frame, item="item", rater="rater", rating="stars")
    order = [int(name[1:]) for name in panel.items]
    wide = ordcut.Panel(WIDE).take(order)
    assert panel.n_ratings.tolist() == wide.n_ratings.tolist()
    np.testing.assert_array_equal(panel.mean_ratings, wide.mean_ratings)
    assert panel.agreement().value == wide.agreement().value


def long_table(names):
    rows = [
        (name, f"r{j}", c) for name, row in zip(names, WIDE, strict=True) for j, c in enumerate(row)
    ]
    return pd.DataFrame(rows, columns=["item", "rater", "stars"])


@pytest.mark.parametrize("names", [list("edcba"), [4, 3, 2, 1, 0], [0, 1, 2, 3, 4]])
def test_scores_with_an_index_are_matched_to_the_items_by_name(names):
    scores = pd.Series(SCORES, index=names)
    table = long_table(names).sample(frac=1, random_state=1)
    long = ordcut.Panel.from_long(table, item="item", rater="rater", rating="stars")
    wide = ordcut.Panel(pd.DataFrame(WIDE, index=names).loc[long.items])
    expected = ordcut.optimal_thresholds(SCORES, ordcut.Panel(WIDE), smoothing=0)
    for panel in (long, wide):
        assert panel.items.tolist() == long.items.tolist() != names
        with pytest.raises(ValueError, match=r"for example with scores\.loc\[panel.items\], or"):
            ordcut.optimal_thresholds(scores, panel, smoothing=0)
        with pytest.raises(ValueError, match=r"for example with labels\.loc\[panel.items\], or"):
            panel.agreement_with(scores.round() + 1)
        result = ordcut.optimal_thresholds(scores.loc[panel.items], panel, smoothing=0)
        assert result.thresholds.tolist() == expected.thresholds.tolist()
        part = panel.take([3, 1])
        with pytest.raises(ValueError, match="the same index in the same order"):
            ordcut.optimal_thresholds(scores.loc[part.items[::-1]], part)
        with pytest.warns(ordcut.DifferentIndexWarning, match=r"right, pass scores.to_numpy\(\)"):
            ordcut.optimal_thresholds(scores.rename(lambda name: f"other {name}"), panel)


def test_items_without_names_are_matched_by_position():
    expected = ordcut.optimal_thresholds(SCORES, ordcut.Panel(WIDE))
    scores = pd.Series(SCORES, index=list("abcde"))
    for panel in (ordcut.Panel(WIDE), ordcut.Panel(pl.DataFrame(WIDE, orient="row"))):
        assert ordcut.optimal_thresholds(scores, panel) == expected


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="'x' has rated 'a' 2 times"):
        ordcut.Panel.from_long(
            {"i": ["a", "a", "b"], "r": ["x", "x", "x"], "c": [1, 2, 1]},
            item="i",
            rater="r",
            rating="c",
        )
    with pytest.raises(ValueError, match="must name columns of"):
        ordcut.Panel.from_long({"i": []}, item="i", rater="who", rating="c")
    with pytest.raises(ValueError, match="item must not be missing, got None at position 1"):
        ordcut.Panel.from_long(
            {"i": ["a", None], "r": [1, 2], "c": [1, 2]}, item="i", rater="r", rating="c"
        )
    with pytest.raises(ValueError, match=r"a row for each item.*Panel.from_long"):
        ordcut.Panel([1, 2, 3])
    with pytest.raises(ValueError, match="at least one rating"):
        ordcut.Panel([[None, None]])
    with pytest.raises(ValueError, match="raters must be one of"):
        ordcut.Panel(WIDE, raters="known")
    with pytest.raises(ValueError, match="per must be one of"):
        ordcut.Panel(WIDE, per="rater")
    with pytest.raises(ValueError, match="all rows of the same length"):
        ordcut.Panel([[1, 2], [1]])
    with pytest.raises(TypeError, match="a Panel has several ratings of each item"):
        np.asarray(ordcut.Panel(WIDE))
    with pytest.raises(ValueError, match="got 5 scores and 2 labels"):
        ordcut.optimal_thresholds(SCORES, ordcut.Panel(WIDE[:2]))


def test_a_table_that_may_be_ratings_or_soft_labels_is_refused_with_both_remedies():
    ratings = [[1, 1, 2], [2, 1, 2], [2, 2, 2]]
    for table in (ratings, pd.DataFrame(ratings, columns=["ann1", "ann2", "ann3"])):
        with pytest.raises(ValueError, match=r"Panel\(labels\).*sample_weight=labels.sum"):
            ordcut.optimal_thresholds([1, 2, 3], table)
    as_ratings = ordcut.optimal_thresholds([1, 2, 3], ordcut.Panel(ratings))
    assert as_ratings.classes.tolist() == [1, 2]
    weights = np.array(ratings)
    totals = weights.sum(axis=1)
    as_weights = ordcut.optimal_thresholds(
        [1, 2, 3], weights / totals[:, None], sample_weight=totals
    )
    assert as_weights.classes.tolist() == [0, 1, 2]
    with pytest.raises(TypeError, match="For the ratings of several raters"):
        ordcut.optimal_thresholds([1, 2], [["a", "b"], ["b", "b"]])


@given(panels(), st.sampled_from(COSTS), st.booleans())
def test_thresholds_of_a_panel_cost_least_in_fractions(rows, name, by_item):
    panel = ordcut.Panel(rows, per="item" if by_item else "rating")
    scores = np.arange(len(rows))
    result = ordcut.optimal_thresholds(scores, panel, objective=name, smoothing=0)
    cost = ordcut.resolve_objective(name, 3).cost.astype(int)

    def paid(cuts):
        total = weight = Fraction(0)
        for i, row in enumerate(rows):
            given = [rating for rating in row if rating is not None]
            share = Fraction(1, len(given)) if by_item else Fraction(1)
            predicted = sum(cut <= i for cut in cuts)
            total += sum(share * int(cost[predicted, rating]) for rating in given)
            weight += share * len(given)
        return total / weight

    cuts = min(combinations_with_replacement(range(len(rows) + 1), 2), key=paid)
    assert np.searchsorted(scores, result.thresholds).tolist() == list(cuts)
    assert result.value == pytest.approx(float(paid(cuts)), abs=1e-12)


@given(panels())
def test_soft_labels_in_fractions_give_the_thresholds_of_the_panel(rows):
    panel = ordcut.Panel(rows)
    labels = panel.as_labels()
    scores = np.arange(len(rows)) / 7
    shares = labels.soft * labels.unit
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    for smoothing in (0, 0.5, 1):
        ours = ordcut.optimal_thresholds(scores, panel, smoothing=smoothing)
        soft = ordcut.optimal_thresholds(scores, shares, smoothing=smoothing)
        assert ours.value == pytest.approx(soft.value)
        assert (smoothing > 0) or (ours.thresholds.tolist() == soft.thresholds.tolist())


def test_items_are_the_sample_size_of_smoothing_and_intervals():
    rng = np.random.default_rng(0)
    quality = rng.normal(size=120)
    scores = quality + rng.normal(size=120)
    table = np.clip(np.rint(quality[:, None] + rng.normal(size=(120, 4)) + 2), 0, 4)
    table[rng.random((120, 4)) < 0.3] = nan
    panel = ordcut.Panel(table)
    rated = panel.n_ratings > 0
    result = ordcut.optimal_thresholds(scores, panel, objective="quadratic_kappa", smoothing="auto")
    labels = panel.as_labels()
    shares = (labels.soft * labels.unit)[rated]
    soft = ordcut.optimal_thresholds(
        scores[rated], shares, objective="quadratic_kappa", smoothing="auto"
    )
    assert labels.unit == 1 / 12
    assert result.proof.smoothing == pytest.approx(soft.proof.smoothing)
    assert result.bootstrap(n=10, random_state=0).n_rows == rated.sum()
    np.testing.assert_allclose(
        result.bootstrap(n=20, random_state=0).thresholds,
        soft.bootstrap(n=20, random_state=0).thresholds,
    )


def test_panels_are_accepted_wherever_labels_are():
    panel, rated = ordcut.Panel(WIDE), [0, 1, 2, 4]
    result = ordcut.optimal_thresholds(SCORES, panel)
    assert result.thresholds.tolist() == [0.3, 0.6]
    assert ordcut.ScoreTable(SCORES, panel).solve().thresholds.tolist() == [0.3, 0.6]
    assert ordcut.ScoreTable(SCORES, panel).totals.tolist() == pytest.approx([2 / 3, 5 / 3, 5 / 3])
    assert ordcut.judge(result, SCORES, panel).value == result.value
    labels = result.predict(SCORES)
    assert ordcut.evaluate(panel, labels) == pytest.approx(result.value)
    assert panel.agreement_with(labels, "absolute").value == pytest.approx(result.value)
    kept = ordcut.optimal_thresholds([SCORES[i] for i in rated], panel.take(rated))
    assert kept.thresholds.tolist() == result.thresholds.tolist()
    count = ordcut.optimal_thresholds(SCORES, panel, constraints=["count 3 <= 1"])
    assert count.constraints[0].reached == pytest.approx(1.0)
    matrix = ordcut.optimal_thresholds(
        SCORES, ordcut.Panel([[0, 1]] * 5), objective=np.ones((3, 3))
    )
    assert matrix.classes.tolist() == [0, 1, 2]
    assert "<title>" in ordcut.report.page(SCORES, panel, thresholds=result)


def test_estimators_say_that_they_need_one_label_for_each_row():
    from sklearn.linear_model import LinearRegression

    model = ordcut.estimators.OrdinalThresholdClassifierCV(LinearRegression())
    with pytest.raises(TypeError, match="a Panel has several ratings of each item"):
        model.fit(np.array(SCORES)[:, None], ordcut.Panel(WIDE))


@pytest.mark.parametrize("engine", ["pandas", "nullable pandas", "polars", "lazy polars", "arrow"])
@pytest.mark.parametrize("kind", [int, float, str])
def test_tables_of_every_library_lead_to_the_panel_of_lists(engine, kind):
    rows = [[1, 1, 2], [2, None, 2], [3, 3, None], [2, 3, 3], [None, None, None]]
    columns = {
        name: [None if row[j] is None else kind(row[j]) for row in rows]
        for j, name in enumerate("abc")
    }
    table = {
        "pandas": pd.DataFrame,
        "nullable pandas": lambda c: pd.DataFrame(c).convert_dtypes(),
        "polars": pl.DataFrame,
        "lazy polars": pl.LazyFrame,
        "arrow": pa.table,
    }[engine](columns)
    classes = [kind(k) for k in (1, 2, 3)]
    panel = ordcut.Panel(table, classes=classes)
    assert panel.counts.tolist() == ordcut.Panel(rows, classes=[1, 2, 3]).counts.tolist()
    assert panel.classes.tolist() == classes
    assert panel.rater_names.tolist() == ["a", "b", "c"]


def test_items_without_a_rating_are_left_out_and_counted():
    panel = ordcut.Panel([[1, 2], [None, None], [2, 2], [None, None]])
    result = ordcut.optimal_thresholds([0.1, 0.9, 0.5, 0.2], panel)
    assert panel.n_unrated == result.dropped == 2
    rest = ordcut.optimal_thresholds([0.1, 0.5], panel.take([0, 2]))
    assert result.thresholds.tolist() == rest.thresholds.tolist()


def test_ratings_that_are_no_classes_are_named():
    with pytest.raises(ValueError, match=r"ratings must be among the classes 1, 2, got 3\."):
        ordcut.Panel([[1, 2], [None, 3]], classes=[1, 2])


def test_parts_of_a_panel_hold_the_ratings_of_their_items():
    rng = np.random.default_rng(0)
    table = rng.integers(1, 5, (40, 3)).astype(float)
    table[rng.random(table.shape) < 0.4] = np.nan
    panel = ordcut.Panel(table, classes=[1, 2, 3, 4])
    for chosen in (np.arange(40) % 3 == 0, np.array([5, 5, 0, 39])):
        assert panel.take(chosen).counts.tolist() == panel.counts[chosen].tolist()


def test_thresholds_of_a_panel_are_smoothed_unless_asked_otherwise():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=60)
    ratings = np.clip(np.rint(scores[:, None] + rng.normal(size=(60, 3))), -1, 1)
    panel = ordcut.Panel(ratings)
    result, auto, plain = (
        ordcut.optimal_thresholds(scores, panel, **options)
        for options in ({}, {"smoothing": "auto"}, {"smoothing": 0})
    )
    assert result == auto
    assert result.proof.smoothing == 4000 / 4060
    assert plain.proof.smoothing is None
    curves = [
        ordcut.learning_curve(scores, panel, n_splits=3, **options)
        for options in ({}, {"smoothing": "auto"})
    ]
    np.testing.assert_array_equal(curves[0].values, curves[1].values)
