"""MAE, RMSE and CS@5 against their definitions, and the mean and spread of several runs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.measures import measure_ages
from experiments.summary import describe_results, describe_summary, summarise

AGES = st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), min_size=1, max_size=30)


@given(AGES)
def test_measures_are_those_of_their_definitions(pairs):
    labels, predicted = np.array(pairs).T
    metrics = measure_ages(labels, predicted, n_classes=20)
    off = [abs(a - b) for a, b in pairs]
    assert metrics["mae"] == pytest.approx(sum(off) / len(off))
    assert metrics["rmse"] == pytest.approx((sum(x * x for x in off) / len(off)) ** 0.5)
    assert metrics["cs5"] == pytest.approx(sum(x <= 5 for x in off) / len(off))


def results(value, part="test"):
    row = {"part": part, "labeling": "optimal", "n": 10, "value": value, "mae": value}
    return [{**row, "rmse": 2 * value, "cs5": value / 10}]


@given(st.lists(st.floats(0, 10), min_size=2, max_size=6))
def test_a_summary_has_the_mean_and_the_standard_deviation_of_the_runs(values):
    rows = summarise({str(i): results(value) for i, value in enumerate(values)})
    assert [row["measure"] for row in rows] == ["value", "mae", "rmse", "cs5"]
    assert rows[1]["runs"] == len(values)
    assert rows[1]["mean"] == pytest.approx(np.mean(values))
    assert rows[1]["spread"] == pytest.approx(np.std(values, ddof=1), abs=1e-12)


def test_one_run_has_no_spread():
    (row, *_) = summarise({"seed-0": results(3.0)})
    assert (row["mean"], row["spread"]) == (3.0, None)


def test_a_summary_says_how_many_runs_and_shows_mean_and_spread():
    text = describe_summary(summarise({"a": results(3.0), "b": results(5.0)}), "squared")
    assert "over 2 runs" in text
    assert text.splitlines()[1].split() == ["part", "labeling", "squared", "MAE", "RMSE", "CS@5"]
    assert "4.0000 ± 1.4142" in text
    assert "40.0 ± 14.1 %" in text


def test_results_without_a_test_part_say_that_they_are_optimistic():
    assert "--test-share" in describe_results(results(3.0, "validation"), "absolute")
    assert "--test-share" not in describe_results(results(3.0), "absolute")
