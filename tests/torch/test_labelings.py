"""Labelings over tensors: the rules of arrays, computed on the device."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import ordcut
from ordcut import labelings
from ordcut.torch import (
    AbsoluteLoss,
    AllThresholdLoss,
    Biases,
    CumulativeLinkLoss,
    bias_thresholds,
    class_probabilities,
    every_labeling,
    likelihood_labels,
    rounding_thresholds,
    threshold_labels,
)
from ordcut.torch.links import LINKS

pytestmark = pytest.mark.usefixtures("one_torch_thread")


@given(
    st.lists(st.floats(-100, 100, width=16), min_size=1, max_size=20),
    st.lists(st.floats(-100, 100), min_size=1, max_size=5).map(sorted),
    st.sampled_from([torch.float16, torch.float32, torch.float64, torch.bfloat16]),
)
def test_labels_count_the_thresholds_at_or_below_a_score(scores, thresholds, kind):
    scores = torch.tensor(scores, dtype=kind)
    found = threshold_labels(scores, torch.tensor(thresholds, dtype=torch.float64))
    counted = [sum(t <= score for t in thresholds) for score in scores.tolist()]
    assert found.tolist() == counted


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


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("objective", ["absolute", "zero_one", "quadratic_kappa"])
def test_likelihood_takes_the_class_of_least_expected_cost(link, objective):
    biases, scores = Biases(4), torch.linspace(-3, 6, 50)
    cost = ordcut.resolve_objective(objective, 4).cost
    found = likelihood_labels(scores, biases, objective, link)
    shares = class_probabilities(scores, biases, link).detach().numpy()
    for row, label in zip(shares, found.tolist(), strict=True):
        expected = [sum(row[y] * cost[k, y] for y in range(4)) for k in range(4)]
        assert expected[label] == pytest.approx(min(expected), rel=1e-5)


def test_likelihood_is_not_cut_short_by_autocast():
    biases, scores = Biases(30), torch.linspace(-3, 30, 500)
    expected = likelihood_labels(scores, biases, "squared")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(likelihood_labels(scores, biases, "squared"), expected)


@pytest.mark.parametrize(
    "act",
    [
        lambda s: threshold_labels(s, rounding_thresholds(3)),
        lambda s: likelihood_labels(s, Biases(3)),
    ],
)
def test_scores_that_are_nan_get_no_class(act):
    with pytest.raises(ValueError, match="must not be NaN, got nan at position 1"):
        act(torch.tensor([0.0, torch.nan, torch.inf]))


def test_biases_out_of_order_label_as_their_count_does():
    biases = Biases(4, ordered=False)
    with torch.no_grad():
        biases.free.copy_(torch.tensor([1.0, 0.0, 2.0]))
    scores = torch.tensor([-1.0, 0.5, 1.5, 3.0])
    counts = (biases()[None, :] <= scores[:, None]).sum(1)
    assert torch.equal(threshold_labels(scores, bias_thresholds(biases)), counts)


def test_rounding_thresholds_round_scores():
    scores = torch.tensor([-3.0, 0.4, 1.6, 2.4, 9.0])
    assert threshold_labels(scores, rounding_thresholds(4)).tolist() == [0, 0, 2, 2, 3]


@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_thresholds_are_those_of_the_labelings_of_arrays(n_classes):
    biases = Biases(n_classes, ordered=False)
    with torch.no_grad():
        biases.free.copy_(torch.randn(n_classes - 1))
    rounding = labelings.rounding_thresholds(n_classes)
    assert rounding_thresholds(n_classes).tolist() == rounding.tolist()
    sorted_biases = labelings.bias_thresholds(biases().detach().numpy())
    assert bias_thresholds(biases).tolist() == sorted_biases.tolist()


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
    found = every_labeling(scores, torch.tensor([0.2, 0.6]), loss)
    assert list(found) == names
    assert set(names) <= set(labelings.LABELINGS)
    assert torch.equal(found["rounding"], scores.round().clamp(0, 2).long())


@pytest.mark.parametrize("n_classes", [1, 2.5])
def test_rounding_needs_two_classes(n_classes):
    with pytest.raises(ValueError, match="n_classes must be a whole number of at least 2"):
        rounding_thresholds(n_classes)
