"""Put thresholds between scores: line P5 of Algorithm 1, made safe in floating point."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut.thresholds.result import Thresholds
from ordcut.typing import Array, Floats, Ints

if TYPE_CHECKING:
    from ordcut.limits import ConstraintOutcome
    from ordcut.solvers import Solution
    from ordcut.thresholds.origin import Origin


def scores_around(scores: Array, cuts: Ints) -> tuple[Array, Array]:
    """Return the sorted scores on both sides of each cut, infinite at the ends.

    Examples
    --------
    >>> scores_around(np.array([0.1, 0.4, 0.9]), np.array([0, 2]))
    (array([-inf,  0.4]), array([0.1, 0.9]))
    """
    lower, upper = scores.take(cuts - 1, mode="clip"), scores.take(cuts, mode="clip")
    lower[cuts == 0] = -np.inf
    upper[cuts == len(scores)] = np.inf
    return lower, upper


def known_scores_around(found: Solution) -> tuple[Array, Array]:
    """Return the scores on both sides of the cuts of a solution; an error if one is unknown."""
    lower, upper = around = scores_around(found.rows.scores, found.cuts)
    if found.method == "pruned" and not (lower < upper).all():  # NaN: a score that is not known
        raise RuntimeError(
            "a threshold came out next to rows that were left out, which must not happen. "
            'Use method="nested" or "dp", and please report this with your data.'
        )
    return around


def place_cuts(scores: Array, cuts: Ints) -> Floats:
    """Return a threshold for each cut of sorted scores, computed in the dtype of the scores.

    It is above the score below the cut and not above the one after it. Where the midpoint of two
    neighbouring floats rounds to the lower one, it is the upper score itself.

    Examples
    --------
    >>> place_cuts(np.array([0.1, 0.4, 0.9]), np.array([0, 2, 3]))
    array([-inf, 0.65,  inf])
    """
    return place_between(*scores_around(scores, cuts))


def place_between(lower: Array, upper: Array) -> Floats:
    """Return a threshold above each lower score, or at -inf, and not above the upper one."""
    middle = lower / 2 + upper / 2  # never rounds to above the upper score
    thresholds: Floats = np.where(middle > lower, middle, upper).astype(np.float64, copy=False)
    thresholds[lower == -np.inf] = -np.inf
    thresholds += 0.0  # turns -0.0 into 0.0
    return thresholds


def result_of(found: Solution, value: float | Callable[[Floats], float], **more: Any) -> Thresholds:
    """Return the result of a solution; ``more`` is what ``result_between`` takes."""
    return result_between(known_scores_around(found), value, **more)


def result_between(
    around: tuple[Array, Array],
    value: float | Callable[[Floats], float],
    *,
    classes: Array,
    objective: str,
    method: str,
    certificate: str,
    thresholds: Floats | None = None,
    decisions: Array | None = None,
    constraints: tuple[ConstraintOutcome, ...] = (),
    origin: Origin | None = None,
) -> Thresholds:
    """Return the result of a search: every result is put together here.

    Parameters
    ----------
    around : tuple of ndarray of shape (K - 1,)
        The scores below and above each cut, infinite at the ends.
    value : float or callable
        What is reached on the data; or a function that returns it for the thresholds.
    classes, objective, method, certificate, origin
        As in ``Thresholds``.
    thresholds : ndarray of shape (K - 1,), optional
        Thresholds that were given; by default each goes halfway between its scores.
    decisions : ndarray of shape (D,), optional
        What is predicted, where that is not the classes.
    constraints : tuple of ConstraintOutcome
        What came of each constraint.

    Examples
    --------
    >>> around = np.array([0.4]), np.array([0.9])
    >>> result_between(
    ...     around, 0.0, classes=np.array([0, 1]), objective="absolute", method="dp",
    ...     certificate="").thresholds
    array([0.65])
    """
    if thresholds is None:
        thresholds = place_between(*around)
    return Thresholds(
        thresholds=thresholds,
        classes=classes,
        value=value(thresholds) if callable(value) else value,
        objective=objective,
        method=method,
        certificate=certificate,
        ranges=np.array(around, dtype=np.float64).T + 0.0,
        decisions=classes if decisions is None else decisions,
        constraints=constraints,
        review_share=None
        if decisions is None or origin is None
        else origin.review_share(thresholds),
        origin=origin,
    )
