"""Train a network that returns one score per picture, and compute scores with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn

from ordcut.experiments.pictures import Batches
from ordcut.torch import (
    AbsoluteLoss,
    AllThresholdLoss,
    CumulativeLinkLoss,
    ImmediateThresholdLoss,
    ResNet,
    resnet18,
    resnet34,
)
from ordcut.typing import Array

#: Adam as in the earlier study (Yamasaki 2023), to which the paper refers; the paper itself states
#: neither number. Everything else is Adam's default.
LEARNING_RATE = 10**-2.5
EPSILON = 1e-6

#: Functions that make each network for a number of classes.
NETWORKS: dict[str, Callable[[int], nn.Module]] = {
    "resnet10": lambda n_classes: ResNet((1, 1, 1, 1), n_classes),
    "resnet18": resnet18,
    "resnet34": resnet34,
}

#: Ordered biases as in the paper: the first one is 0, and the network has a bias to make up for it.
_ORDERED: Literal["ordered_from_zero"] = "ordered_from_zero"

#: Functions that make each loss for a number of classes.
LOSSES: dict[str, Callable[[int], nn.Module]] = {
    "olr": partial(CumulativeLinkLoss, biases=_ORDERED),
    "absolute": lambda _: AbsoluteLoss(),
    "hinge-it-free": partial(ImmediateThresholdLoss, surrogate="hinge", biases="free"),
    "hinge-it-ordered": partial(ImmediateThresholdLoss, surrogate="hinge", biases=_ORDERED),
    "hinge-at-ordered": partial(AllThresholdLoss, surrogate="hinge", biases=_ORDERED),
    "logistic-it-free": partial(ImmediateThresholdLoss, surrogate="logistic", biases="free"),
    "logistic-it-ordered": partial(ImmediateThresholdLoss, surrogate="logistic", biases=_ORDERED),
    "logistic-at-ordered": partial(AllThresholdLoss, surrogate="logistic", biases=_ORDERED),
}


@dataclass(frozen=True)
class Scores:
    """The scores of some pictures, with their classes."""

    scores: Array
    labels: Array


class Learner:
    """A network, its loss and their optimiser, on a device; the seed determines how they start.

    Examples
    --------
    >>> from ordcut.experiments.synthetic import draw_faces
    >>> faces = draw_faces(8, n_classes=3, size=16, seed=0)
    >>> batches = Batches(faces, side=15, seed=0, batch_size=4, workers=0)
    >>> learner = Learner("resnet10", "olr", n_classes=3, seed=0, device="cpu")
    >>> loss, seen = learner.train(batches, epoch=1, advance=lambda _: None)
    >>> seen.scores.shape, learner.score(batches, lambda _: None).scores.shape
    ((8,), (8,))
    """

    def __init__(self, network: str, loss: str, n_classes: int, seed: int, device: str) -> None:
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.network = NETWORKS[network](n_classes).to(device)
            self.loss = LOSSES[loss](n_classes).to(device)
        self.device = torch.device(device)
        parameters = [*self.network.parameters(), *self.loss.parameters()]
        self.optimiser = torch.optim.Adam(parameters, lr=LEARNING_RATE, eps=EPSILON)

    def wait(self) -> None:
        """Wait until the device has finished its work."""
        if self.device.type != "cpu":
            getattr(torch, self.device.type).synchronize()

    def train(
        self, batches: Batches, epoch: int, advance: Callable[[int], object]
    ) -> tuple[float, Scores]:
        """Train for an epoch; return the mean loss, and the scores computed on the way."""
        self.network.train()
        losses, outputs, targets = [], [], []
        for images, labels in batches.shuffled(epoch):
            scores = self.network(self._ready(images))
            loss = self.loss(scores, labels.to(self.device))
            self.optimiser.zero_grad(set_to_none=True)
            loss.backward()
            self.optimiser.step()
            losses.append(loss.detach() * len(labels))
            outputs.append(scores.detach())
            targets.append(labels)
            advance(1)
        seen = _joined(outputs, targets)
        return float(torch.stack(losses).sum()) / len(seen.labels), seen

    def score(self, batches: Batches, advance: Callable[[int], object]) -> Scores:
        """Return the scores of the centre crops of all pictures."""
        self.network.eval()
        outputs, targets = [], []
        with torch.inference_mode():
            for images, labels in batches.centred():
                outputs.append(self.network(self._ready(images)))
                targets.append(labels)
                advance(1)
        return _joined(outputs, targets)

    def _ready(self, images: Tensor) -> Tensor:
        """Return bytes as floats from 0 to 1 on the device."""
        return images.to(self.device).float().div_(255)

    def state(self) -> dict[str, Any]:
        """Return everything that training needs to continue."""
        return {
            "network": self.network.state_dict(),
            "loss": self.loss.state_dict(),
            "optimiser": self.optimiser.state_dict(),
        }

    def load(self, state: dict[str, Any]) -> None:
        """Restore a state; one without an optimiser is enough to compute scores."""
        self.network.load_state_dict(state["network"])
        self.loss.load_state_dict(state["loss"])
        if "optimiser" in state:
            self.optimiser.load_state_dict(state["optimiser"])


def _joined(outputs: list[Tensor], targets: list[Tensor]) -> Scores:
    scores = torch.cat(outputs).float().cpu().numpy()
    if not np.isfinite(scores).all():
        raise ValueError(
            f"Scores must be finite; {int((~np.isfinite(scores)).sum())} of {len(scores)} are not: "
            "training has diverged. Try another --seed or --loss."
        )
    return Scores(scores, torch.cat(targets).numpy())
