"""The outcome of a constraint: its limit, the value that it limits, and its cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, isnan, nan
from typing import Any, NamedTuple

from ordcut._core.numerics.exact import as_fraction
from ordcut._core.numerics.threads import cached_property
from ordcut._core.views import view

#: The bounds that promise a limit for new rows, in words.
BOUNDS = {
    "binomial": "by the exact binomial bound",
    "Kuiper": "by Kuiper's bound over all intervals of scores",
    "fixed sequence": "by exact binomial tests in a fixed order",
}


def as_written(value: float) -> float | str:
    """Return a number as JSON can hold it: an infinite number as text.

    Examples
    --------
    >>> as_written(0.5), as_written(float("inf"))
    (0.5, 'inf')
    """
    return value if isfinite(value) else str(value)


class Promise(NamedTuple):
    """What is promised for new rows of the same kind, with which confidence, by which bound.

    Examples
    --------
    >>> str(Promise(0.04656, 0.95, "binomial"))
    '0.04656 promised for new rows with 95 % confidence, by the exact binomial bound'
    """

    promised: float | tuple[float, float]
    confidence: float
    bound: str

    def __str__(self) -> str:
        ends = self.promised if isinstance(self.promised, tuple) else (self.promised,)
        numbers = " to ".join(f"{end:.4g}" for end in ends)
        confidence = percent(self.confidence)
        words = BOUNDS.get(self.bound, f"by {self.bound}")
        return f"{numbers} promised for new rows with {confidence} confidence, {words}"


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
    promise : Promise, optional
        For a constraint with a confidence, what is ``promised`` for new rows, the ``confidence``
        and the ``bound``.
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
    promise: Promise | None = None

    @property
    def promised(self) -> float | tuple[float, float] | None:
        """The limit that is promised for new rows, or both; None without a confidence."""
        return None if self.promise is None else self.promise.promised

    @property
    def confidence(self) -> float | None:
        """The probability, over the rows at hand, with which the limit holds on new rows."""
        return None if self.promise is None else self.promise.confidence

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
        promise = "" if self.promise is None else f", {self.promise}"
        paid = "cost unknown" if isnan(cost) else paid
        return f"{self.limit}: reached {reached}{promise}, {paid}"

    def _repr_html_(self) -> str:
        limit, _, outcome = repr(self).rpartition(": reached ")
        return view("Constraint", ["limit", "outcome"], [(limit, f"reached {outcome}")])

    def __getstate__(self) -> dict[str, Any]:
        state = {"constraint": self.constraint, "reached": self.reached, "promise": self.promise}
        return {**state, "cost": self.cost}

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
        promise = {} if self.promise is None else self.promise._asdict()
        if isinstance(self.promised, tuple):
            promise["promised"] = list(self.promised)
        return {"constraint": self.limit, "reached": reached, **promise, **cost}

    @property
    def known_cost(self) -> float:
        """The cost; NaN where it cannot be computed."""
        try:
            return self.cost
        except ValueError:
            return nan


def joint_confidence(outcomes: Iterable[ConstraintOutcome]) -> float | None:
    """Return the probability with which all promises hold at once, at least; None without any.

    The risks add up, whatever the dependence between the promises.

    Examples
    --------
    >>> promises = [Promise(0.04, 0.95, "binomial"), Promise(0.9, 0.99, "binomial")]
    >>> joint_confidence([ConstraintOutcome("", 0.0, float, promise) for promise in promises])
    0.94
    """
    confidences = [each.confidence for each in outcomes if each.confidence is not None]
    risk = sum((1 - as_fraction(confidence) for confidence in confidences), Fraction(0))
    return float(max(1 - risk, Fraction(0))) if confidences else None


def percent(confidence: float) -> str:
    """Return a confidence in percent.

    Examples
    --------
    >>> percent(0.95), percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{float(100 * as_fraction(confidence)):.6g} %"


def _if_known(value: float) -> float | str | None:
    return None if isnan(value) else as_written(value)
