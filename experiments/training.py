"""Train a network that returns one score per picture, and compute the scores of pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn

from experiments.optimisers import SCHEDULES, Precision, make_optimiser
from experiments.pictures import Batches
from experiments.pretrained import load_pretrained
from experiments.processes import Process
from experiments.resnet import ResNet, resnet18, resnet34
from experiments.settings import Settings
from experiments.typing import Array
from ordcut.torch import (
    AbsoluteLoss,
    AllThresholdLoss,
    CumulativeLinkLoss,
    ImmediateThresholdLoss,
)

#: The mean and the standard deviation of each colour that torchvision's parameters were learned
#: for. Without pretrained parameters pictures are not normalised, as in the paper.
IMAGENET_MEAN, IMAGENET_DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)

#: Functions that return a network for a number of classes, by name.
NETWORKS: dict[str, Callable[[int], nn.Module]] = {
    "resnet10": lambda n_classes: ResNet((1, 1, 1, 1), n_classes),
    "resnet18": resnet18,
    "resnet34": resnet34,
}

#: Ordered biases as in the paper: the first one stays at 0, and the network has a bias instead.
_ORDERED: Literal["ordered_from_zero"] = "ordered_from_zero"

#: Functions that return a loss for a number of classes, by name.
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
class LabelledScores:
    """The scores of pictures, and their classes."""

    scores: Array
    labels: Array


class TrainingStep(nn.Module):
    """A network and its loss as one module, whose gradients several processes can exchange."""

    def __init__(self, network: nn.Module, loss: nn.Module, precision: Precision) -> None:
        super().__init__()
        self.network, self.loss, self.precision = network, loss, precision

    def forward(self, images: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        """Return the scores and the mean loss of a batch."""
        with self.precision.context():
            scores = self.network(images)
        return scores, self.loss(scores, labels)


class Learner:
    """A network, its loss and their optimiser, on a device; the seed determines the initial state.

    Examples
    --------
    >>> from experiments.synthetic import draw_faces
    >>> faces = draw_faces(8, n_classes=3, size=16, seed=0)
    >>> batches = Batches(faces, side=15, seed=0, batch_size=4, workers=0)
    >>> learner = Learner(Settings("synthetic", network="resnet10"), n_classes=3)
    >>> loss, outputs = learner.train(batches, epoch=1, advance=lambda _: None)
    >>> outputs.scores.shape, learner.score(batches, lambda _: None).scores.shape
    ((8,), (8,))
    """

    def __init__(self, settings: Settings, n_classes: int, process: Process | None = None) -> None:
        s = self.settings = settings
        self.process = process or Process(torch.device(s.device))
        self.device = self.process.device
        with torch.random.fork_rng():
            torch.manual_seed(s.seed)
            self.network = NETWORKS[s.network](n_classes).to(self.device)
            self.loss = LOSSES[s.loss](n_classes).to(self.device)
        self.precision = Precision(self.device, s.amp)
        self.optimiser = make_optimiser([self.network, self.loss], s.lr, s.weight_decay)
        self.schedule = SCHEDULES[s.schedule](self.optimiser, s.epochs)
        self._step = self.process.connected(TrainingStep(self.network, self.loss, self.precision))

    @property
    def lr(self) -> float:
        """The learning rate of the next epoch."""
        return float(self.optimiser.param_groups[0]["lr"])

    def load_pretrained(self) -> list[str]:
        """Load the pretrained parameters, if the settings name a file; return notes."""
        file = self.settings.pretrained
        return [] if file is None else load_pretrained(self.network, Path(file))

    def wait(self) -> None:
        """Wait until the device has finished its work."""
        if self.device.type != "cpu":
            getattr(torch, self.device.type).synchronize()

    def train(
        self, batches: Batches, epoch: int, advance: Callable[[int], object]
    ) -> tuple[float, LabelledScores]:
        """Train for an epoch; return the mean loss, and the outputs of the network as scores."""
        self.network.train()
        scaler, n_processes = self.precision.scaler, self.process.share.count
        losses, outputs = [], []
        for (images, labels), size in zip(batches.shuffled(epoch), batches.sizes, strict=True):
            scores, loss = self._step(self._as_input(images), self._moved(labels))
            losses.append(loss.detach() * len(labels))
            if n_processes > 1:  # gradients are averaged over processes with unequal shares
                loss = loss * (len(labels) * n_processes / size)
            self.optimiser.zero_grad(set_to_none=True)
            scaler.scale(loss).backward()
            scaler.step(self.optimiser)
            scaler.update()
            outputs.append((scores.detach(), labels))
            advance(1)
        self.schedule.step()
        self.process.copy_buffers(self.network)
        total = self.process.total(torch.stack(losses).sum())
        return float(total) / sum(batches.sizes), self._gather(outputs)

    def score(self, batches: Batches, advance: Callable[[int], object]) -> LabelledScores:
        """Return the scores of the centre crops of all pictures."""
        self.network.eval()
        outputs = []
        with torch.inference_mode():
            for images, labels in batches.centred():
                with self.precision.context():
                    scores = self.network(self._as_input(images))
                outputs.append((scores, labels))
                advance(1)
            return self._gather(outputs)

    def _gather(self, outputs: list[tuple[Tensor, Tensor]]) -> LabelledScores:
        """Return the scores and labels of the batches of all processes; scores must be finite."""
        scores, labels = (
            self.process.gathered(torch.cat(parts)).numpy() for parts in zip(*outputs, strict=True)
        )
        n_infinite = int((~np.isfinite(scores)).sum())
        if n_infinite:
            raise ValueError(
                f"Scores must be finite; {n_infinite} of {len(scores)} are not: training has "
                "diverged. Try a lower --lr, another --seed or another --loss."
            )
        return LabelledScores(scores, labels)

    def _as_input(self, images: Tensor) -> Tensor:
        """Return bytes as floats from 0 to 1 on the device, normalised for pretrained networks."""
        floats = self._moved(images).float().div_(255)
        if self.settings.pretrained is None:
            return floats
        mean, deviation = (
            torch.tensor(values, device=self.device).view(3, 1, 1)
            for values in (IMAGENET_MEAN, IMAGENET_DEVIATION)
        )
        return floats.sub_(mean).div_(deviation)

    def _moved(self, values: Tensor) -> Tensor:
        """Return values on the device; pinned memory is copied while the GPU computes."""
        return values.to(self.device, non_blocking=self.process.is_on_gpu)

    def state(self) -> dict[str, Any]:
        """Return the state that training can continue from."""
        return {
            "network": self.network.state_dict(),
            "loss": self.loss.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "schedule": self.schedule.state_dict(),
            "scaler": self.precision.scaler.state_dict(),
        }

    def load(self, state: dict[str, Any]) -> None:
        """Restore a state; a state without an optimiser is enough to compute scores."""
        self.network.load_state_dict(state["network"])
        self.loss.load_state_dict(state["loss"])
        if "optimiser" in state:
            self.optimiser.load_state_dict(state["optimiser"])
        if "schedule" in state:
            self.schedule.load_state_dict(state["schedule"])
            self.precision.scaler.load_state_dict(state["scaler"])
