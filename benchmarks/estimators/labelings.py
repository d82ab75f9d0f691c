"""Thresholds by a labeling for scores that are given, as an estimator finds them in ``fit``."""

import numpy as np

from ordcut._core.data import Rows
from ordcut._core.objectives.named import resolve_objective
from ordcut._core.smoothing import Smoothing
from ordcut._core.thresholds import Thresholds
from ordcut.estimators import ProportionalOddsModel
from ordcut.studies.labelings import LabelingProblem, find_labeling


def find_thresholds(
    scores: np.ndarray,
    y: np.ndarray,
    n_classes: int,
    objective: str,
    labeling: str,
    *,
    model: ProportionalOddsModel | None = None,
    rounding: np.ndarray | None = None,
    smoothing: Smoothing = 0.0,
) -> Thresholds:
    """Return the thresholds of a labeling for labels 0..K-1; fits a model where one is needed."""
    if labeling == "likelihood" and model is None:
        model = ProportionalOddsModel.fit(scores, y, np.ones(len(y)), n_classes)
    problem = LabelingProblem(
        Rows.read(scores, y, classes=np.arange(n_classes)),
        resolve_objective(objective, n_classes),
        np.ones(n_classes),
        smoothing,
        model,
        rounding=rounding,
    )
    return find_labeling(problem, labeling)
