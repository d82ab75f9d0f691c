"""The outcome of a constraint: its limit, the value that it limits, and its cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite, isnan, nan
from typing import Any

from ordcut.threads import cached_property


def as_written(value: float) -> float | str:
    """Return a number as JSON can hold it: an infinite number as text.

    Examples
    --------
    >>> as_written(0.5), as_written(float("inf"))
    (0.5, 'inf')
    """
    return value if isfinite(value) else str(value)


@dataclass(eq=False, repr=False)
class ConstraintOutcome:
    """A constraint, the value that it limits, and the cost of keeping it.

    Attributes
    ----------
    constraint : Constraint or str
        The constraint; its text where the result was read from JSON.
    reached : float or tuple of float
        The share or number that it limits, or the thresholds that it is about.
    price : callable
        Returns the cost, which can take as long as the search for the thresholds.
    cost : float
        How much better the value would be without it, all others kept. Computed when first read.
    binds : bool
        Whether it costs anything.

    Examples
    --------
    >>> import ordcut
    >>> result = ordcut.optimal_thresholds(
    ...     [1, 2, 3, 4], [0, 1, 1, 1], constraints=["share 1 <= 0.5"])
    >>> result.constraints
    (share 1 <= 0.5: reached 0.5, costs 0.25,)
    """

    constraint: Any
    reached: Any
    price: Callable[[], float]

    @property
    def limit(self) -> str:
        """The limit as text, as ``constraints=`` takes it."""
        return str(self.constraint)

    @cached_property
    def cost(self) -> float:
        """How much better the value would be without the constraint."""
        return float(self.price())

    @property
    def binds(self) -> bool:
        """Whether the value would be better without the constraint."""
        return self.cost > 0

    def __repr__(self) -> str:
        reached = f"{self.reached:.6g}" if isinstance(self.reached, float) else str(self.reached)
        cost = self.known_cost
        paid = f"costs {cost:.6g}" if cost > 0 else "does not bind"
        return f"{self.limit}: reached {reached}, {'cost unknown' if isnan(cost) else paid}"

    def __getstate__(self) -> dict[str, Any]:
        return {"constraint": self.constraint, "reached": self.reached, "cost": self.cost}

    def to_dict(self, *, with_cost: bool = True) -> dict[str, Any]:
        """Return the outcome as plain values, for JSON.

        What is reached is None for a share of nothing. So is the cost where it cannot be computed
        because that would take more rows out of an engine than ``max_rows``.

        Examples
        --------
        >>> ConstraintOutcome("digits 1", (float("-inf"), 0.5), lambda: 0.25).to_dict()
        {'constraint': 'digits 1', 'reached': ['-inf', 0.5], 'cost': 0.25}
        """
        is_tuple = isinstance(self.reached, tuple)
        reached = [*map(as_written, self.reached)] if is_tuple else _if_known(self.reached)
        cost = {"cost": _if_known(self.known_cost)} if with_cost else {}
        return {"constraint": self.limit, "reached": reached, **cost}

    @property
    def known_cost(self) -> float:
        """The cost; NaN where it cannot be computed."""
        try:
            return self.cost
        except ValueError:
            return nan


def _if_known(value: float) -> float | str | None:
    return None if isnan(value) else as_written(value)
