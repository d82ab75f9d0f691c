"""Objectives of one's own: the weights of a kappa, or a score that adds up over decisions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from ordcut._core.typing import ArrayLike, Floats

CostFunction: TypeAlias = Callable[[int, int], float]

#: Returns the terms of segments, from the weight (..., K) of each class in them, the weight (K,) of
#: each class in all rows, and the index of the decision.
SegmentFunction: TypeAlias = Callable[[Floats, Floats, int], Any]

#: Returns bounds of the terms, from the largest and the smallest weight of each class.
SegmentBound: TypeAlias = Callable[[Floats, Floats, Floats, int], Any]


class Kappa:
    """A weighted kappa with disagreement weights of your own, to be passed as ``objective``.

    Parameters
    ----------
    weights : str, array-like of shape (K, K) or callable
        ``weights[k, l]`` says how bad it is to predict class ``k`` when the truth is ``l``:
        not negative, and 0 where they agree. A name of a cost, or a callable ``(k, l) -> weight``
        over the positions 0..K-1, will do as well.

    Examples
    --------
    >>> import ordcut
    >>> forgiving = ordcut.Kappa(lambda k, l: max(0, abs(k - l) - 1) + (k != l))
    >>> result = ordcut.optimal_thresholds([0.1, 0.4, 0.5, 0.9], [0, 0, 1, 2], objective=forgiving)
    >>> result.value
    1.0
    """

    def __init__(self, weights: ArrayLike | CostFunction | str) -> None:
        self.weights = weights

    def __repr__(self) -> str:
        return f"Kappa({self.weights!r})"


class SegmentObjective:
    """A score of your own that adds up over decisions, to be passed as ``objective``.

    Parameters
    ----------
    function : callable
        Returns the terms of segments as an array, higher is better. It gets the weight of each
        class in the segments, an array of shape (..., K); the weight of each class in all rows, of
        shape (K,); and the position of the decision, 0 to K - 1. The score is the sum of the terms.
    bound : callable, optional
        Returns an upper bound of the terms. It gets the largest and the smallest weight of each
        class that the segments can have, and then the same as ``function``. Without it, every
        pair of thresholds is tried, which works for few different scores only.

    Examples
    --------
    A segment is worth its right rows, minus the square root of its wrong rows:

    >>> import ordcut
    >>> def worth(weights, totals, decision):
    ...     right = weights[..., decision]
    ...     return right - (weights.sum(axis=-1) - right) ** 0.5
    >>> worth_most = ordcut.SegmentObjective(worth)
    >>> result = ordcut.optimal_thresholds([1, 2, 3, 4], [0, 1, 0, 1], objective=worth_most)
    >>> result.thresholds, result.value
    (array([1.5]), 2.0)
    """

    def __init__(self, function: SegmentFunction, bound: SegmentBound | None = None) -> None:
        if not callable(function):
            raise TypeError(f"function must be a function, got {type(function).__name__}.")
        if bound is not None and not callable(bound):
            raise TypeError(f"bound must be a function or None, got {type(bound).__name__}.")
        self.function = function
        self.bound = bound

    def __repr__(self) -> str:
        return f"SegmentObjective({getattr(self.function, '__name__', self.function)!s})"
