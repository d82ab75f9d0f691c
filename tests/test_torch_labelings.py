"""Labelings over tensors, and the networks that give them scores."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import ordcut
from ordcut.torch import (
    Biases,
    bias_thresholds,
    class_probabilities,
    fixed_thresholds,
    likelihood_labels,
    resnet18,
    resnet34,
    threshold_labels,
)
from ordcut.torch.links import LINKS


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


def test_a_threshold_is_not_rounded_to_the_precision_of_scores():
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
    [lambda s: threshold_labels(s, fixed_thresholds(3)), lambda s: likelihood_labels(s, Biases(3))],
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


def test_fixed_thresholds_round_scores():
    scores = torch.tensor([-3.0, 0.4, 1.6, 2.4, 9.0])
    assert threshold_labels(scores, fixed_thresholds(4)).tolist() == [0, 0, 2, 2, 3]


#: The parameters of torchvision's networks of 18 and 34 layers, without their last layer.
N_BLOCKS = {resnet18: (2, 2, 2, 2), resnet34: (3, 4, 6, 3)}
WIDTHS = (64, 128, 256, 512)


def torchvision_shapes(blocks):
    norm = ("weight", "bias", "running_mean", "running_var", "num_batches_tracked")

    def normed(name, width):
        return {f"{name}.{part}": () if part == norm[-1] else (width,) for part in norm}

    shapes = {"conv1.weight": (64, 3, 7, 7), **normed("bn1", 64)}
    came = 64
    for stage, (n_blocks, width) in enumerate(zip(blocks, WIDTHS, strict=True), 1):
        for block in range(n_blocks):
            at = f"layer{stage}.{block}"
            shapes[f"{at}.conv1.weight"] = (width, came, 3, 3)
            shapes[f"{at}.conv2.weight"] = (width, width, 3, 3)
            shapes |= normed(f"{at}.bn1", width) | normed(f"{at}.bn2", width)
            if came != width:
                shapes[f"{at}.downsample.0.weight"] = (width, came, 1, 1)
                shapes |= normed(f"{at}.downsample.1", width)
            came = width
    return shapes


@pytest.mark.parametrize("make", N_BLOCKS)
def test_networks_have_the_parameters_of_torchvision(make):
    with torch.device("meta"):
        shapes = {name: tuple(values.shape) for name, values in make(10).state_dict().items()}
    last = {"fc.weight": (1, 512), "fc.bias": (1,)}
    assert shapes == torchvision_shapes(N_BLOCKS[make]) | last


def test_a_network_gives_one_score_an_image_around_the_middle_of_the_biases():
    network = resnet18(10)
    with torch.no_grad():
        network.fc.weight.zero_()
        network.fc.bias.zero_()
        scores = network(torch.rand(3, 3, 40, 40))
    assert scores.tolist() == [4.0] * 3
    assert Biases(10)().mean() == 4.0


def test_scores_are_float32_under_autocast():
    network = resnet18(55).eval()
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        assert network(torch.rand(2, 3, 40, 40)).dtype == torch.float32
    assert network.bfloat16()(torch.rand(2, 3, 40, 40).bfloat16()).dtype == torch.bfloat16
