"""The optimiser, its schedule, mixed precision and what the network sees."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from experiments import optimisers, settings
from experiments.datasets import load_faces
from experiments.pictures import Batches
from experiments.tests.tiny import TINY
from experiments.training import Learner


def train(learner, epoch=1, n=16):
    pictures = load_faces(TINY).training.take(np.arange(n))
    batches = Batches(pictures, TINY.crop, 0, 8, 0)
    return learner.train(batches, epoch, lambda _: None), batches


def learning_rates(schedule, epochs):
    """The learning rate of each epoch, for a parameter that never changes."""
    parameter = torch.nn.Parameter(torch.zeros(1))
    parameter.grad = torch.zeros(1)
    optimiser = torch.optim.SGD([parameter], lr=1.0)
    steps = optimisers.SCHEDULES[schedule](optimiser, epochs)
    rates = []
    for _ in range(epochs):
        rates.append(optimiser.param_groups[0]["lr"])
        optimiser.step()
        steps.step()
    return rates


def test_every_named_schedule_exists():
    assert tuple(optimisers.SCHEDULES) == settings.SCHEDULES


def test_a_learning_rate_without_a_schedule_stays():
    assert learning_rates("none", 5) == [1.0] * 5


def test_a_cosine_falls_from_the_learning_rate_towards_zero():
    expected = [(1 + math.cos(math.pi * epoch / 4)) / 2 for epoch in range(4)]
    assert learning_rates("cosine", 4) == pytest.approx(expected)


def test_steps_divide_the_learning_rate_by_ten_after_each_third():
    assert learning_rates("step", 6) == pytest.approx([1, 1, 0.1, 0.1, 0.01, 0.01])


def test_the_defaults_are_adam_as_in_the_earlier_study():
    learner = Learner(TINY, 4)
    (group,) = learner.optimiser.param_groups
    assert type(learner.optimiser) is torch.optim.Adam
    assert (group["lr"], group["eps"], group["weight_decay"]) == (10**-2.5, 1e-6, 0)
    assert group["betas"] == (0.9, 0.999)


def test_weight_decay_leaves_biases_and_normalisations_alone():
    learner = Learner(replace(TINY, weight_decay=0.1), 4)
    decayed = {
        id(values)
        for group in learner.optimiser.param_groups
        for values in group["params"]
        if group["weight_decay"] == 0.1
    }
    for name, values in learner.network.named_parameters():
        is_weight = name == "fc.weight" or ("conv" in name or "downsample.0" in name)
        assert (id(values) in decayed) == is_weight
    assert not decayed & {id(values) for values in learner.loss.parameters()}
    n_parameters = sum(len(group["params"]) for group in learner.optimiser.param_groups)
    assert n_parameters == len([*learner.network.parameters(), *learner.loss.parameters()])


def test_mixed_precision_computes_in_bfloat16_and_keeps_scores_and_weights_in_float32():
    seen = []
    learner = Learner(replace(TINY, amp=True), 4)
    learner.network.layer1.register_forward_hook(lambda *given: seen.append(given[2].dtype))
    (_, scored), batches = train(learner, n=8)
    learner.score(batches, lambda _: None)
    assert set(seen) == {torch.bfloat16}
    assert scored.scores.dtype == np.float32
    assert {values.dtype for values in learner.network.parameters()} == {torch.float32}


def test_pictures_are_normalised_for_pretrained_networks_only():
    images = torch.tensor([124, 116, 104], dtype=torch.uint8).view(1, 3, 1, 1)
    plain, pretrained = Learner(TINY, 4), Learner(replace(TINY, pretrained="some.pt"), 4)
    expected = [
        (124 / 255 - 0.485) / 0.229,
        (116 / 255 - 0.456) / 0.224,
        (104 / 255 - 0.406) / 0.225,
    ]
    assert plain._as_input(images).flatten().tolist() == pytest.approx(
        [124 / 255, 116 / 255, 104 / 255]
    )
    assert pretrained._as_input(images).flatten().tolist() == pytest.approx(expected, abs=1e-6)
