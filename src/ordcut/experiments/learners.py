"""The networks and the eight ways to learn a one-dimensional transformation, by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from torch import nn

from ordcut.torch import (
    AbsoluteLoss,
    AllThresholdLoss,
    CumulativeLinkLoss,
    ImmediateThresholdLoss,
    ResNet,
    resnet18,
    resnet34,
)

#: Adam as in the authors' study; everything else is its default.
LEARNING_RATE = 10**-2.5
EPSILON = 1e-6

#: What makes each network for a number of classes.
NETWORKS: dict[str, Callable[[int], nn.Module]] = {
    "resnet10": lambda n_classes: ResNet((1, 1, 1, 1), n_classes),
    "resnet18": resnet18,
    "resnet34": resnet34,
}

#: What makes each loss for a number of classes.
LOSSES: dict[str, Callable[[int], nn.Module]] = {
    "olr": CumulativeLinkLoss,
    "absolute": lambda _: AbsoluteLoss(),
    "hinge-it-free": partial(ImmediateThresholdLoss, surrogate="hinge", biases="free"),
    "hinge-it-ordered": partial(ImmediateThresholdLoss, surrogate="hinge"),
    "hinge-at-ordered": partial(AllThresholdLoss, surrogate="hinge"),
    "logistic-it-free": partial(ImmediateThresholdLoss, surrogate="logistic", biases="free"),
    "logistic-it-ordered": partial(ImmediateThresholdLoss, surrogate="logistic"),
    "logistic-at-ordered": partial(AllThresholdLoss, surrogate="logistic"),
}
