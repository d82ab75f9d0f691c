"""The labelings of a score, and the metrics of each: task losses, MAE, RMSE and CS@5."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from math import sqrt
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from experiments.settings import LABELINGS
from experiments.training import LabelledScores
from experiments.typing import Array
from ordcut import ReversedScoresWarning, ScoreTable, Thresholds, evaluate, resolve_objective
from ordcut.torch import (
    AllThresholdLoss,
    CumulativeLinkLoss,
    every_labeling,
    threshold_labels,
)

#: Metrics of ages besides the task loss, with their names in papers.
MEASURES = {"mae": "MAE", "rmse": "RMSE", "cs5": "CS@5"}

#: The largest error, in years, of a prediction that counts for CS@5.
TOLERANCE = 5

Row = dict[str, Any]


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


def optimal_for(
    data: LabelledScores, n_classes: int, tasks: Iterable[str]
) -> dict[str, Thresholds]:
    """Return the optimal thresholds of scores for each task loss; the scores are sorted once."""
    with warnings.catch_warnings():
        # The scores of a network that has hardly been trained may fall as classes rise.
        warnings.simplefilter("ignore", ReversedScoresWarning)
        table = ScoreTable(data.scores, data.labels, classes=np.arange(n_classes))
        return {task: table.solve(task) for task in tasks}


def labels_of(
    scores: Tensor, thresholds: Thresholds, loss: nn.Module | None, task: str
) -> dict[str, Tensor]:
    """Return the labels of each labeling that a loss has, for a task loss.

    ``optimal`` uses the thresholds, ``biases`` counts the learned biases at or below a score,
    ``mode`` takes the class below the first bias above the score, which differs if free biases have
    crossed, ``likelihood`` takes the class of least expected cost, and ``rounding`` rounds the
    score. The all-threshold loss with logistic margins has the likelihood of CORAL: its sigmoids
    are the probabilities to exceed each class.

    Examples
    --------
    >>> from ordcut import Thresholds
    >>> thresholds = Thresholds.from_values([0.5, 1.5], classes=range(3))
    >>> loss = AllThresholdLoss(3)
    >>> labels = labels_of(torch.tensor([0.9]), thresholds, loss, "absolute")
    >>> {name: label.item() for name, label in labels.items()}
    {'optimal': 1, 'biases': 1, 'likelihood': 1, 'rounding': 1}
    """
    labels = every_labeling(scores, thresholds, loss, task)
    biases: Any = getattr(loss, "biases", None)
    if biases is not None and not biases.ordered:
        labels["mode"] = threshold_labels(scores, biases().detach().cummax(0).values)
    if isinstance(loss, AllThresholdLoss) and loss.surrogate == "logistic":
        model = CumulativeLinkLoss(len(thresholds.classes), biases=loss.biases)
        labels["likelihood"] = every_labeling(scores, thresholds, model, task)["likelihood"]
    return {name: labels[name] for name in LABELINGS if name in labels}


def judge_labelings(
    part: str, data: LabelledScores, optima: Mapping[str, Thresholds], loss: nn.Module | None
) -> list[Row]:
    """Return one row per task loss and labeling, with its value and the metrics of ages.

    ``optima`` holds the optimal thresholds by the name of the task loss.

    Examples
    --------
    >>> data = LabelledScores(np.array([0.1, 0.4, 0.6, 1.2], np.float32), np.array([0, 0, 0, 2]))
    >>> optima = optimal_for(data, 3, ["absolute", "zero_one"])
    >>> for row in judge_labelings("test", data, optima, None):
    ...     print(row["task"], row["labeling"], row["value"])
    absolute optimal 0.0
    absolute rounding 0.5
    zero_one optimal 0.0
    zero_one rounding 0.5
    """
    device = next((values.device for values in loss.parameters()), None) if loss else None
    scores = torch.from_numpy(data.scores).to(device)
    rows = []
    for task, thresholds in optima.items():
        classes = thresholds.classes
        for name, labels in labels_of(scores, thresholds, loss, task).items():
            predicted = labels.cpu().numpy()
            value = evaluate(data.labels, predicted, task, classes=classes)
            metrics = measure_ages(data.labels, predicted, len(classes))
            row = {"part": part, "task": task, "labeling": name, "n": len(predicted)}
            rows.append({**row, "value": value, **metrics})
    return rows


def is_better(value: float, other: float, task: str) -> bool:
    """Return whether a value is better than another: lower for a loss, higher for a kappa.

    Examples
    --------
    >>> is_better(0.1, 0.2, "absolute"), is_better(0.1, 0.2, "quadratic_kappa")
    (True, False)
    """
    return value > other if resolve_objective(task, 3).is_maximised else value < other


def best_epochs(rows: Iterable[Row]) -> list[Row]:
    """Return the rows of the best epoch by validation of each task loss and labeling.

    Every labeling is reported at its own best epoch for a task loss, as in the earlier study; at an
    epoch that is chosen for another one, it looks worse than it is. Of equal epochs, the first one
    is chosen. ``rows`` are those of ``judge_labelings`` with the epoch, in order.

    Examples
    --------
    >>> row = {"part": "validation", "task": "absolute"}
    >>> values = {"optimal": [3, 2], "biases": [4, 5]}
    >>> best = best_epochs(
    ...     {**row, "labeling": name, "epoch": epoch, "value": values[name][epoch - 1]}
    ...     for epoch in (1, 2) for name in values
    ... )
    >>> [(row["labeling"], row["epoch"], row["value"]) for row in best]
    [('optimal', 2, 2), ('biases', 1, 4)]
    """
    by_epoch = {(row["part"], row["task"], row["labeling"], row["epoch"]): row for row in rows}
    best: dict[tuple[str, str], Row] = {}
    for (part, *key, _), row in by_epoch.items():
        task, labeling = key
        if part == "validation" and (
            (task, labeling) not in best
            or is_better(row["value"], best[task, labeling]["value"], task)
        ):
            best[task, labeling] = row
    parts = dict.fromkeys(part for part, *_ in by_epoch)
    return [by_epoch[part, *key, row["epoch"]] for part in parts for key, row in best.items()]
