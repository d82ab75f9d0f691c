"""MAE, RMSE and CS@5 against their definitions, and the mean and spread of several runs."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import sem, ttest_rel

import ordcut
from experiments.measures import labels_of, measure_ages
from experiments.summary import describe_results, describe_summary, summarise
from ordcut.torch import AllThresholdLoss, ImmediateThresholdLoss

AGES = st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), min_size=1, max_size=30)


@given(AGES)
def test_measures_are_those_of_their_definitions(pairs):
    labels, predicted = np.array(pairs).T
    metrics = measure_ages(labels, predicted, n_classes=20)
    off = [abs(a - b) for a, b in pairs]
    assert metrics["mae"] == pytest.approx(sum(off) / len(off))
    assert metrics["rmse"] == pytest.approx((sum(x * x for x in off) / len(off)) ** 0.5)
    assert metrics["cs5"] == pytest.approx(sum(x <= 5 for x in off) / len(off))


def results(values, part="test"):
    """The results of a run, with one value per labeling."""
    return [
        {"part": part, "task": "squared", "labeling": name, "epoch": 7, "n": 10, "value": value}
        | {"mae": value, "rmse": 2 * value, "cs5": value / 10}
        for name, value in values.items()
    ]


@given(st.lists(st.tuples(st.floats(0, 10), st.floats(0, 10)), min_size=2, max_size=6))
def test_a_summary_has_mean_standard_error_and_the_paired_test_of_scipy(pairs):
    runs = [{"optimal": best, "biases": other} for best, other in pairs]
    rows = summarise({str(i): results(run) for i, run in enumerate(runs)})
    assert [row["measure"] for row in rows] == 2 * ["value", "mae", "rmse", "cs5"]
    optimal, biases = np.array(pairs).T
    assert rows[4]["runs"] == len(pairs)
    assert rows[4]["mean"] == pytest.approx(biases.mean())
    assert rows[4]["spread"] == pytest.approx(biases.std(ddof=1), abs=1e-12)
    assert rows[4]["standard_error"] == pytest.approx(sem(biases), abs=1e-12)
    assert rows[4]["worse_by"] == pytest.approx((biases - optimal).mean(), abs=1e-12)
    assert rows[0]["p"] is rows[0]["worse_by"] is None
    if np.ptp(biases - optimal) > 1e-6:
        assert rows[4]["p"] == pytest.approx(ttest_rel(biases, optimal).pvalue)


def test_one_run_has_no_spread():
    row = summarise({"seed-0": results({"optimal": 3.0, "biases": 4.0})})[4]
    assert (row["mean"], row["spread"], row["worse_by"], row["p"]) == (4.0, None, 1.0, None)


def test_a_summary_says_how_many_runs_and_shows_mean_and_standard_error():
    runs = [{"optimal": 3.0, "biases": 4.0}, {"optimal": 5.0, "biases": 7.0}]
    text = describe_summary(summarise({str(i): results(run) for i, run in enumerate(runs)}))
    assert "over 2 runs" in text
    assert "4.0000 ± 1.0000\n" in text
    assert "5.5000 ± 1.5000 [0.2]" in text


def test_results_without_a_test_part_say_that_they_are_optimistic():
    assert "--test-share" in describe_results(results({"optimal": 3.0}, "validation"))
    assert "--test-share" not in describe_results(results({"optimal": 3.0}))


def test_free_biases_that_crossed_have_another_mode_than_count():
    loss = ImmediateThresholdLoss(4, biases="free")
    with torch.no_grad():
        loss.biases.free.copy_(torch.tensor([2.0, 0.0, 1.0]))
    thresholds = ordcut.Thresholds.from_values([0, 1, 2], classes=range(4))
    scores = torch.tensor([-1.0, 0.5, 1.5, 2.5])
    labels = labels_of(scores, thresholds, loss, "absolute")
    biases = [2.0, 0.0, 1.0, np.inf]
    assert labels["mode"].tolist() == [
        next(k for k, bias in enumerate(biases) if score < bias) for score in scores.tolist()
    ]
    assert labels["biases"].tolist() == [0, 1, 2, 3]
    assert labels["mode"].tolist() == [0, 0, 0, 3]


def test_the_likelihood_of_coral_has_the_least_expected_cost_under_its_sigmoids():
    loss = AllThresholdLoss(4, surrogate="logistic")
    thresholds = ordcut.Thresholds.from_values([0, 1, 2], classes=range(4))
    scores = torch.linspace(-3, 5, 41)
    above = torch.sigmoid(scores[:, None] - torch.tensor([0.0, 1.0, 2.0])).numpy()
    edges = np.hstack([np.ones((41, 1)), above, np.zeros((41, 1))])
    probabilities = edges[:, :-1] - edges[:, 1:]
    for task in ("absolute", "squared", "zero_one"):
        cost = ordcut.resolve_objective(task, 4).cost
        expected = probabilities @ cost.T
        labels = labels_of(scores, thresholds, loss, task)["likelihood"].numpy()
        assert expected[np.arange(41), labels] == pytest.approx(expected.min(axis=1), abs=1e-6)
