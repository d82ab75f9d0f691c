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

#: Networks by name, made for a number of classes. The paper has the last two; the first is half
#: as deep, for those who have no GPU.
NETWORKS: dict[str, Callable[[int], nn.Module]] = {
    "resnet10": lambda n_classes: ResNet((1, 1, 1, 1), n_classes),
    "resnet18": resnet18,
    "resnet34": resnet34,
}

#: Losses by name, made for a number of classes: immediate-threshold (IT) and all-threshold (AT)
#: ones with free or ordered biases, the absolute deviation, and the likelihood of OLR.
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
