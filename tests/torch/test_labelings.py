"""Labelings over tensors: the rules of arrays, computed on the device."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import ordcut
from ordcut.studies import labelings
from ordcut.torch import (
    AbsoluteLoss,
    AllThresholdLoss,
    CornLoss,
    CumulativeLinkLoss,
    ImmediateThresholdLoss,
    every_labeling,
    threshold_labels,
)
from ordcut.torch.links import LINKS
from tests.tables import OBJECTIVES


@given(
    st.lists(st.floats(-100, 100, width=16), min_size=1, max_size=20),
    st.lists(st.floats(-100, 100), min_size=1, max_size=5).map(sorted),
    st.sampled_from([torch.float16, torch.float32, torch.float64, torch.bfloat16]),
)
def test_labels_count_the_thresholds_at_or_below_a_score(scores, thresholds, kind):
    scores = torch.tensor(scores, dtype=kind)
    result = threshold_labels(scores, torch.tensor(thresholds, dtype=torch.float64))
    counted = [sum(t <= score for t in thresholds) for score in scores.tolist()]
    assert result.tolist() == counted


def test_labels_are_those_that_the_result_predicts():
    generator = torch.Generator().manual_seed(0)
    scores = torch.randn(200, generator=generator)
    labels = torch.randint(0, 4, (200,), generator=generator)
    result = ordcut.torch.optimal_thresholds(scores, labels, objective="zero_one")
    assert threshold_labels(scores, result).tolist() == result.codes(scores.numpy()).tolist()


def test_a_threshold_is_not_rounded_to_the_dtype_of_scores():
    # In float32 this threshold is 0.1 itself, and would let the score up.
    score = torch.tensor([0.1])
    just_above = torch.tensor([np.nextafter(np.float64(score.item()), 1)])
    assert threshold_labels(score, just_above).item() == 0


def assert_cheapest(labels, shares, objective):
    cost = ordcut.resolve_objective(objective, 4).cost
    for row, label in zip(shares.detach().numpy(), labels.tolist(), strict=True):
        expected = [sum(row[y] * cost[k, y] for y in range(4)) for k in range(4)]
        assert expected[label] == pytest.approx(min(expected), rel=1e-5)


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_likelihood_takes_the_class_of_least_expected_cost(link, objective):
    loss, scores = CumulativeLinkLoss(4, link), torch.linspace(-3, 6, 50)
    assert_cheapest(loss.labels(scores, objective), loss.probabilities(scores), objective)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_corn_takes_the_class_of_least_expected_cost(objective):
    loss, outputs = CornLoss(4), torch.randn(50, 3, generator=torch.Generator().manual_seed(0))
    assert_cheapest(loss.labels(outputs, objective), loss.probabilities(outputs), objective)


def test_likelihood_is_not_cut_short_by_autocast():
    loss, scores = CumulativeLinkLoss(30), torch.linspace(-3, 30, 500)
    expected = loss.labels(scores, "squared")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(loss.labels(scores, "squared"), expected)


@pytest.mark.parametrize("kind", [AbsoluteLoss, AllThresholdLoss, CumulativeLinkLoss, CornLoss])
def test_scores_that_are_nan_get_no_class(kind):
    scores = torch.tensor([0.0, torch.nan, torch.inf])
    given = torch.stack([scores, scores], dim=1) if kind is CornLoss else scores
    with pytest.raises(ValueError, match="must not be NaN, got nan at position 1"):
        kind(3).labels(given)


@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_thresholds_are_those_of_the_labelings_of_arrays(n_classes):
    rounding = labelings.rounding_thresholds(n_classes).tolist()
    for loss in (AbsoluteLoss(n_classes), CornLoss(n_classes)):
        assert loss.thresholds().tolist() == rounding
    for kind in (AllThresholdLoss, ImmediateThresholdLoss, CumulativeLinkLoss):
        loss = kind(n_classes, biases="free")
        with torch.no_grad():
            loss.biases.free.copy_(torch.randn(n_classes - 1))
        sorted_biases = labelings.bias_thresholds(loss.biases().detach().numpy())
        assert loss.thresholds().tolist() == sorted_biases.tolist()


@pytest.mark.parametrize(
    ("loss", "names"),
    [
        (None, ["optimal", "rounding"]),
        (AbsoluteLoss(), ["optimal", "rounding"]),
        (AllThresholdLoss(3), ["optimal", "biases", "rounding"]),
        (CumulativeLinkLoss(3), ["optimal", "biases", "likelihood", "rounding"]),
    ],
)
def test_a_loss_determines_which_labelings_there_are(loss, names):
    scores = torch.linspace(-2, 4, 20)
    labels = every_labeling(scores, torch.tensor([0.2, 0.6]), loss)
    assert list(labels) == names
    assert set(names) <= set(labelings.LABELINGS)
    assert torch.equal(labels["rounding"], scores.round().clamp(0, 2).long())
