"""Metrics of predicted ages: the objective, MAE, RMSE and CS@5 of every labeling."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import torch
from torch import nn

from experiments.training import LabelledScores
from experiments.typing import Array
from ordcut import Thresholds, evaluate
from ordcut.torch import every_labeling

#: Metrics of ages besides the objective, with their names in papers.
MEASURES = {"mae": "MAE", "rmse": "RMSE", "cs5": "CS@5"}

#: The largest error, in years, of a prediction that counts for CS@5.
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
    part: str, data: LabelledScores, thresholds: Thresholds, loss: nn.Module
) -> list[dict[str, Any]]:
    """Return one row per labeling, with the value of the objective and all metrics.

    ``optimal`` uses the thresholds, ``biases`` counts the learned biases at or below a score,
    ``likelihood`` takes the class of least expected cost, and ``rounding`` rounds the score.
    Labelings that the loss does not have are left out.

    Examples
    --------
    >>> from ordcut import optimal_thresholds
    >>> from ordcut.torch import CumulativeLinkLoss
    >>> data = LabelledScores(np.array([0.1, 0.4, 0.6, 1.2], np.float32), np.array([0, 0, 0, 2]))
    >>> thresholds = optimal_thresholds(data.scores, data.labels, classes=range(3))
    >>> rows = judge_labelings("test", data, thresholds, CumulativeLinkLoss(3))
    >>> {row["labeling"]: row["value"] for row in rows}
    {'optimal': 0.0, 'biases': 0.75, 'likelihood': 0.75, 'rounding': 0.5}
    """
    device = next((values.device for values in loss.parameters()), None)
    objective, classes = thresholds.objective, thresholds.classes
    scores = torch.from_numpy(data.scores).to(device)
    labelings = every_labeling(scores, thresholds, loss, objective)
    predicted = {name: labels.cpu().numpy() for name, labels in labelings.items()}
    return [
        {
            "part": part,
            "labeling": name,
            "n": len(data.labels),
            "value": evaluate(data.labels, labels, objective, classes=classes),
            **measure_ages(data.labels, labels, len(classes)),
        }
        for name, labels in predicted.items()
    ]
