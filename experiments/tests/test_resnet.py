"""Residual networks: the parameters of torchvision, and one score per image."""

import pytest
import torch

from experiments.resnet import resnet18, resnet34
from ordcut.torch import AllThresholdLoss

#: The parameters of torchvision's networks of 18 and 34 layers, without their last layer.
N_BLOCKS = {resnet18: (2, 2, 2, 2), resnet34: (3, 4, 6, 3)}
WIDTHS = (64, 128, 256, 512)


def torchvision_shapes(blocks):
    norm = ("weight", "bias", "running_mean", "running_var", "num_batches_tracked")

    def normed(name, width):
        return {f"{name}.{part}": () if part == norm[-1] else (width,) for part in norm}

    shapes = {"conv1.weight": (64, 3, 7, 7), **normed("bn1", 64)}
    n_in = 64
    for stage, (n_blocks, width) in enumerate(zip(blocks, WIDTHS, strict=True), 1):
        for block in range(n_blocks):
            at = f"layer{stage}.{block}"
            shapes[f"{at}.conv1.weight"] = (width, n_in, 3, 3)
            shapes[f"{at}.conv2.weight"] = (width, width, 3, 3)
            shapes |= normed(f"{at}.bn1", width) | normed(f"{at}.bn2", width)
            if n_in != width:
                shapes[f"{at}.downsample.0.weight"] = (width, n_in, 1, 1)
                shapes |= normed(f"{at}.downsample.1", width)
            n_in = width
    return shapes


@pytest.mark.parametrize("make", N_BLOCKS)
def test_networks_have_the_parameters_of_torchvision(make):
    with torch.device("meta"):
        shapes = {name: tuple(values.shape) for name, values in make(10).state_dict().items()}
    last = {"fc.weight": (1, 512), "fc.bias": (1,)}
    assert shapes == torchvision_shapes(N_BLOCKS[make]) | last


def test_a_network_gives_one_score_per_image_around_the_middle_of_the_biases():
    network = resnet18(10)
    with torch.no_grad():
        network.fc.weight.zero_()
        network.fc.bias.zero_()
        scores = network(torch.rand(3, 3, 40, 40))
    assert scores.tolist() == [4.0] * 3
    assert AllThresholdLoss(10).biases().mean() == 4.0


def test_scores_are_float32_under_autocast():
    network = resnet18(55).eval()
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        assert network(torch.rand(2, 3, 40, 40)).dtype == torch.float32
    assert network.bfloat16()(torch.rand(2, 3, 40, 40).bfloat16()).dtype == torch.bfloat16
