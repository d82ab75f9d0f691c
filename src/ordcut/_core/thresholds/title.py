"""What thresholds are for, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ordcut._core.objectives import Objective, is_maximised, title_of

if TYPE_CHECKING:
    from ordcut._core.thresholds.result import Thresholds


def title_of_thresholds(thresholds: Thresholds, objective: Objective | None = None) -> str:
    """Return what thresholds are for, in words; an objective that is their own may be passed.

    Examples
    --------
    >>> import ordcut
    >>> scores, labels = [1, 2, 3, 4], [0, 1, 0, 1]
    >>> title_of_thresholds(ordcut.optimal_thresholds(scores, labels, objective="kappa"))
    "Thresholds for the highest Cohen's kappa"
    >>> title_of_thresholds(ordcut.optimal_thresholds(scores, labels, smoothing=0.5))
    'Smoothed thresholds for the lowest mean absolute error'
    """
    title = title_of(thresholds.objective)
    if thresholds.proof.verified == "given":
        return f"Given thresholds, judged by {title}"
    own = None if objective is None or objective.name != thresholds.objective else objective
    best = "highest" if is_maximised(own or thresholds.objective) else "lowest"
    smoothed = "Thresholds" if thresholds.proof.smoothing is None else "Smoothed thresholds"
    limits = " within constraints" if thresholds.constraints else ""
    return f"{smoothed} for the {best} {title}{limits}"
