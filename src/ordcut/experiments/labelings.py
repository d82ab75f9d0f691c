"""The labelings that the paper compares, as classes for scores."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from ordcut.arrays import Array
from ordcut.metrics import evaluate
from ordcut.objectives import resolve_objective
from ordcut.thresholds import Thresholds
from ordcut.torch import CumulativeLinkLoss

#: Every labeling; which of them there are depends on what the loss learned.
LABELINGS = ("fixed", "biases", "likelihood", "optimal")


def classes_by_labeling(scores: Array, found: Thresholds, loss: nn.Module) -> dict[str, Array]:
    """Return the class of each score by every labeling that the loss allows.

    ``fixed`` rounds the score; ``biases`` counts the learned biases at or below it; ``likelihood``
    takes the class of least expected cost; ``optimal`` is by the thresholds found.
    """
    n_classes = len(found.classes)
    labelings = {"fixed": _count_at_or_below(np.arange(n_classes - 1) + 0.5, scores)}
    biases = getattr(loss, "biases", None)
    if biases is not None:
        with torch.inference_mode():
            labelings["biases"] = _count_at_or_below(biases().cpu().numpy(), scores)
    if isinstance(loss, CumulativeLinkLoss):
        device = next(loss.parameters()).device
        with torch.inference_mode():
            chances = loss.probabilities(torch.from_numpy(scores).to(device)).cpu().numpy()
        # A kappa is no expected cost; the cost that it is made of stands in for it.
        cost = resolve_objective(found.objective, n_classes).cost
        labelings["likelihood"] = np.argmin(chances @ cost.T, axis=1)
    return {**labelings, "optimal": found.predict(scores)}


def errors_by_labeling(
    scores: Array, labels: Array, found: Thresholds, loss: nn.Module
) -> dict[str, float | None]:
    """Return the mean loss, or the kappa, of every labeling; None for those there are not."""
    by_name = classes_by_labeling(scores, found, loss)
    return {
        name: evaluate(labels, by_name[name], found.objective, classes=found.classes)
        if name in by_name
        else None
        for name in LABELINGS
    }


def _count_at_or_below(thresholds: Array, scores: Array) -> Array:
    """Return how many thresholds are at or below each score; free biases can be in any order."""
    return np.asarray(np.searchsorted(np.sort(thresholds), scores, side="right"))
