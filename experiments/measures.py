"""Metrics of predicted ages: the objective of every labeling, MAE, RMSE and CS@5."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import torch
from torch import nn

from experiments.training import Scores
from experiments.typing import Array
from ordcut import Thresholds, evaluate
from ordcut.torch import every_labeling

#: Measures of ages besides the objective, by the names that papers print.
MEASURES = {"mae": "MAE", "rmse": "RMSE", "cs5": "CS@5"}

#: The error, in years, up to which a prediction counts for CS@5.
TOLERANCE = 5


def measure_ages(labels: Array, predicted: Array, n_classes: int) -> dict[str, float]:
    """Return the mean absolute error, the root mean squared error, and CS@5.

    CS@5, the cumulative score, is the share of predictions that are off by five years at most.

    Examples
    --------
    >>> measure_ages(np.array([10, 10, 10, 10]), np.array([10, 7, 15, 16]), n_classes=20)
    {'mae': 3.5, 'rmse': 4.183300132670378, 'cs5': 0.75}
    """
    ages = np.arange(n_classes)
    is_far = (np.abs(ages[:, None] - ages) > TOLERANCE).astype(np.float64)
    return {
        "mae": evaluate(labels, predicted, "absolute", classes=ages),
        "rmse": sqrt(evaluate(labels, predicted, "squared", classes=ages)),
        "cs5": 1.0 - evaluate(labels, predicted, is_far, classes=ages),
    }


def judge_labelings(
    part: str, scored: Scores, thresholds: Thresholds, loss: nn.Module
) -> list[dict[str, Any]]:
    """Return one row per labeling: the value of the objective and all metrics.

    ``optimal`` is by the thresholds, ``biases`` counts the learned biases at or below a score,
    ``likelihood`` takes the class of least expected cost, and ``rounding`` rounds the score. A
    labeling that the loss does not have is left out.

    Examples
    --------
    >>> from ordcut import optimal_thresholds
    >>> from ordcut.torch import CumulativeLinkLoss
    >>> scored = Scores(np.array([0.1, 0.4, 0.6, 1.2], np.float32), np.array([0, 0, 0, 2]))
    >>> found = optimal_thresholds(scored.scores, scored.labels, classes=range(3))
    >>> rows = judge_labelings("test", scored, found, CumulativeLinkLoss(3))
    >>> {row["labeling"]: row["value"] for row in rows}
    {'optimal': 0.0, 'biases': 0.75, 'likelihood': 0.75, 'rounding': 0.5}
    """
    device = next((values.device for values in loss.parameters()), None)
    objective, classes = thresholds.objective, thresholds.classes
    scores = torch.from_numpy(scored.scores).to(device)
    labels_by_name = every_labeling(scores, thresholds, loss, objective)
    predicted = {name: labels.cpu().numpy() for name, labels in labels_by_name.items()}
    return [
        {
            "part": part,
            "labeling": name,
            "n": len(scored.labels),
            "value": evaluate(scored.labels, labels, objective, classes=classes),
            **measure_ages(scored.labels, labels, len(classes)),
        }
        for name, labels in predicted.items()
    ]
