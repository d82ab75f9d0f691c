"""Series of pandas with different indexes are an error or a warning, never silent."""

import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest

import ordcut

N = 60
RNG = np.random.default_rng(0)
LABELS = pd.Series(RNG.integers(0, 3, N))
SCORES = LABELS + RNG.normal(scale=0.5, size=N)
WEIGHTS = pd.Series(RNG.integers(1, 4, N))
ORDER = RNG.permutation(N)
RESULT = ordcut.optimal_thresholds(SCORES, LABELS)

PANEL = ordcut.Panel(pd.DataFrame({"a": LABELS, "b": LABELS}))

#: Entry points that take two series of pandas, and the second of which is changed.
ENTRY_POINTS = {
    "labels of optimal_thresholds": lambda change: ordcut.optimal_thresholds(
        SCORES, change(LABELS)
    ),
    "weights of optimal_thresholds": lambda change: ordcut.optimal_thresholds(
        SCORES, LABELS, sample_weight=change(WEIGHTS)
    ),
    "weights beside an array": lambda change: ordcut.optimal_thresholds(
        SCORES, LABELS.to_numpy(), sample_weight=change(WEIGHTS)
    ),
    "labels in a frame": lambda change: ordcut.optimal_thresholds(
        SCORES, change(LABELS).to_frame()
    ),
    "predictions of evaluate": lambda change: ordcut.evaluate(LABELS, change(LABELS)),
    "weights of evaluate": lambda change: ordcut.evaluate(
        LABELS, LABELS, sample_weight=change(WEIGHTS)
    ),
    "costs of optimal_thresholds": lambda change: ordcut.optimal_thresholds(
        SCORES, costs=pd.DataFrame({name: change(LABELS) for name in "ab"})
    ),
    "weights beside costs": lambda change: ordcut.optimal_thresholds(
        SCORES.to_numpy(), costs=LABELS.to_frame("a").assign(b=1), sample_weight=change(WEIGHTS)
    ),
    "scores of a panel": lambda change: ordcut.optimal_thresholds(change(SCORES), PANEL),
    "weights beside a panel": lambda change: ordcut.optimal_thresholds(
        SCORES.to_numpy(), PANEL, sample_weight=change(WEIGHTS)
    ),
    "scores of judge beside a panel": lambda change: ordcut.judge(RESULT, change(SCORES), PANEL),
    "a judge of a panel": lambda change: PANEL.agreement_with(change(LABELS)),
    "labels of judge": lambda change: ordcut.judge(RESULT, SCORES, change(LABELS)),
}


@pytest.mark.parametrize("name", list(ENTRY_POINTS))
def test_the_same_index_in_another_order_is_an_error(name):
    with pytest.raises(ValueError, match="must have the same index in the same order"):
        ENTRY_POINTS[name](lambda series: series.iloc[ORDER])


@pytest.mark.parametrize("name", list(ENTRY_POINTS))
def test_an_index_with_other_labels_is_a_warning(name):
    with pytest.warns(ordcut.DifferentIndexWarning, match="have different indexes") as caught:
        ENTRY_POINTS[name](lambda series: series.set_axis(np.arange(100, 100 + N)))
    assert len(caught) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda series: series,
        lambda series: series.copy(),
        lambda series: series.set_axis(list(range(N))),
        lambda series: series.iloc[ORDER].sort_index(),
        lambda series: series.to_numpy(),
        lambda series: series.tolist(),
    ],
    ids=["itself", "a copy", "integers", "sorted again", "array", "list"],
)
@pytest.mark.parametrize("name", ["labels of optimal_thresholds", "labels of judge"])
def test_equal_indexes_and_no_index_say_nothing(name, change):
    result = ENTRY_POINTS[name](change)
    assert result.thresholds.tolist() == RESULT.thresholds.tolist()


def test_the_remedies_work():
    shuffled = LABELS.iloc[ORDER]
    aligned = ordcut.optimal_thresholds(SCORES, shuffled.loc[SCORES.index])
    assert aligned == RESULT
    by_position = ordcut.optimal_thresholds(SCORES.iloc[ORDER].to_numpy(), shuffled)
    assert by_position.thresholds.tolist() == RESULT.thresholds.tolist()


@pytest.mark.parametrize(
    "index",
    [
        pd.MultiIndex.from_arrays([np.arange(N) % 2, np.arange(N)]),
        pd.Index([*range(N - 1), "last"]),
        pd.date_range("2026-01-01", periods=N),
        pd.CategoricalIndex(np.arange(N).astype(str)),
    ],
    ids=["levels", "mixed types", "dates", "categories"],
)
def test_any_kind_of_index_can_be_compared(index):
    scores, labels = SCORES.set_axis(index), LABELS.set_axis(index)
    assert ordcut.optimal_thresholds(scores, labels) == RESULT
    with pytest.raises(ValueError, match="same index labels in different orders"):
        ordcut.optimal_thresholds(scores, labels.iloc[ORDER])
    with pytest.warns(ordcut.DifferentIndexWarning):
        ordcut.optimal_thresholds(scores, LABELS)


def test_different_lengths_are_said_before_indexes():
    with pytest.raises(ValueError, match="must have the same length"):
        ordcut.optimal_thresholds(SCORES, LABELS.iloc[1:])


def test_the_warning_points_at_the_line_of_the_user():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ordcut.optimal_thresholds(SCORES, LABELS.set_axis(np.arange(1, N + 1)))
    assert [warning.filename for warning in caught] == [__file__]


def test_pandas_is_not_imported_for_the_check():
    code = (
        "import sys, ordcut; ordcut.optimal_thresholds([1, 2], [0, 1]); "
        "assert 'pandas' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_repeated_names_are_named():
    names = ["w", "x", "y", "z"]
    ratings = pd.DataFrame({"a": [0, 1, 2, 1], "b": [0, 1, 1, 2]}, index=names)
    scores = pd.Series([1.0, 2.0, 3.0, 4.0], index=["w", "x", "y", "y"])
    with pytest.warns(ordcut.DifferentIndexWarning, match="different indexes: scores repeat 'y'"):
        ordcut.optimal_thresholds(scores, ordcut.Panel(ratings))
    with pytest.raises(ValueError, match="names each item once, got y more than once"):
        ordcut.Panel(ratings.set_axis(scores.index))
