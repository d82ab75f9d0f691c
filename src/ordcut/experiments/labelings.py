"""The error of each labeling that the paper compares."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ordcut.arrays import Array
from ordcut.metrics import evaluate
from ordcut.thresholds import Thresholds
from ordcut.torch import (
    CumulativeLinkLoss,
    bias_thresholds,
    fixed_thresholds,
    likelihood_labels,
    threshold_labels,
)

#: Every labeling; which of them there are depends on what the loss learned.
LABELINGS = ("fixed", "biases", "likelihood", "optimal")


def errors_by_labeling(
    scores: Array, labels: Array, found: Thresholds, loss: nn.Module
) -> dict[str, float | None]:
    """Return the mean loss, or the kappa, of every labeling; None for those there are not.

    ``fixed`` rounds the score; ``biases`` counts the learned biases at or below it; ``likelihood``
    takes the class of least expected cost; ``optimal`` is by the thresholds found.

    Examples
    --------
    >>> import numpy as np
    >>> from ordcut import optimal_thresholds
    >>> scores, labels = np.array([0.1, 0.4, 0.6, 1.2], np.float32), np.array([0, 0, 0, 2])
    >>> found = optimal_thresholds(scores, labels, classes=range(3))
    >>> errors_by_labeling(scores, labels, found, CumulativeLinkLoss(3))
    {'fixed': 0.5, 'biases': 0.75, 'likelihood': 0.75, 'optimal': 0.0}
    """
    by_name = _labels(torch.from_numpy(scores), found, loss)
    return {
        name: evaluate(labels, by_name[name].cpu().numpy(), found.objective, classes=found.classes)
        if name in by_name
        else None
        for name in LABELINGS
    }


def _labels(scores: Tensor, found: Thresholds, loss: nn.Module) -> dict[str, Tensor]:
    labels = {
        "fixed": threshold_labels(scores, fixed_thresholds(len(found.classes))),
        "optimal": threshold_labels(scores, found),
    }
    biases = getattr(loss, "biases", None)
    if biases is not None:
        labels["biases"] = threshold_labels(scores, bias_thresholds(biases))
    if isinstance(loss, CumulativeLinkLoss):
        on_device = scores.to(next(loss.parameters()).device)
        labels["likelihood"] = likelihood_labels(on_device, loss.biases, found.objective)
    return labels
