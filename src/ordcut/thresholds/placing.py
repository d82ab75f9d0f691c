"""Put thresholds between scores: line P5 of Algorithm 1, made safe in floating point."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ordcut.thresholds.result import Thresholds
from ordcut.typing import Array, Floats, Ints

if TYPE_CHECKING:
    from ordcut.thresholds.origin import Origin


def scores_around(scores: Array, cuts: Ints) -> tuple[Array, Array]:
    """Return the sorted scores on both sides of each cut, infinite at the ends.

    Examples
    --------
    >>> scores_around(np.array([0.1, 0.4, 0.9]), np.array([0, 2]))
    (array([-inf,  0.4]), array([0.1, 0.9]))
    """
    n = len(scores)
    lower = np.where(cuts > 0, scores[np.maximum(cuts, 1) - 1], -np.inf)
    upper = np.where(cuts < n, scores[np.minimum(cuts, n - 1)], np.inf)
    return lower.astype(scores.dtype), upper.astype(scores.dtype)


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
    with np.errstate(invalid="ignore"):
        middle = lower / 2 + upper / 2
        is_between = (middle > lower) & (middle <= upper)
    thresholds = np.where(is_between, middle, upper).astype(np.float64)
    thresholds[np.isneginf(lower)] = -np.inf
    return thresholds + 0.0  # turns -0.0 into 0.0


def result_between(
    around: tuple[Array, Array],
    value: float | Callable[[Floats], float],
    *,
    classes: Array,
    objective: str,
    method: str,
    certificate: str,
    thresholds: Floats | None = None,
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
        ranges=np.stack(around, axis=1).astype(np.float64) + 0.0,
        origin=origin,
    )
