"""The classes and decisions that constraints name, and what each constraint has reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from ordcut.decisions import ReviewObjective, RowCosts
from ordcut.exact import LARGEST_SUM, UNIT_ROUNDOFF, as_fraction
from ordcut.limits.constraints import (
    Allowed,
    Between,
    Constraint,
    Count,
    Digits,
    Fixed,
    Gap,
    Over,
    Precision,
    Recall,
    Share,
    Under,
)
from ordcut.objectives import Objective
from ordcut.typing import Array, Bools, Floats

#: Rows and columns of a (decision, class) table.
Block: TypeAlias = tuple[slice, slice]

#: Distances that differ by so little are equal.
ROUNDINGS = 4 * UNIT_ROUNDOFF


@dataclass(frozen=True)
class Scheme:
    """The names of classes and decisions, by position, and how they belong together.

    Attributes
    ----------
    classes, decisions : list
        Lowest first.
    is_review : bool
        Whether every second decision hands rows over for review.
    has_truth : bool
        Whether rows have a true class, and not only costs.
    unit : Fraction
        What a weight of 1 of the rows stands for.
    """

    classes: list[Any]
    decisions: list[Any]
    is_review: bool
    has_truth: bool
    unit: Fraction = Fraction(1)

    @classmethod
    def of(cls, objective: Objective, classes: Array, unit: Fraction = Fraction(1)) -> Scheme:
        """Return the names that belong to an objective over classes."""
        names = classes.tolist()
        return cls(
            names,
            names if objective.decisions is None else objective.decisions.tolist(),
            isinstance(objective, ReviewObjective),
            not isinstance(objective, RowCosts),
            unit,
        )

    @property
    def counted(self) -> Bools:
        """Which columns of a (decision, class) table add up to the weight of the rows."""
        every = np.ones(len(self.classes), np.bool_)
        if not self.has_truth:
            every[:-1] = False
        return every

    def decision(self, constraint: Constraint) -> int:
        """Return the position of the decision that a constraint names."""
        return self._index(constraint, self.decisions, "decision", constraint.decision)  # type: ignore[attr-defined]

    def true_class(self, constraint: Constraint) -> int:
        """Return the position of the class that a constraint names, or whose decision it names."""
        if not self.has_truth:
            raise ValueError(
                f"constraint {str(constraint)!r} needs rows with a true class, and rows with costs "
                "of their own have none. Use a limit on shares, counts or thresholds."
            )
        name = constraint.cls if isinstance(constraint, Under) else constraint.decision  # type: ignore[attr-defined]
        return self._index(constraint, self.classes, "class", name)

    def first_decision_of(self, constraint: Under) -> int:
        """Return the lowest decision that is not lower than a class."""
        position = self.true_class(constraint)
        if self.is_review:
            return max(0, 2 * position - 1)
        return self._index(constraint, self.decisions, "decision", constraint.cls)

    def last_decision_of(self, constraint: Under) -> int:
        """Return the highest decision that is not higher than a class."""
        position = self.true_class(constraint)
        if self.is_review:
            return min(len(self.decisions) - 1, 2 * position + 1)
        return self._index(constraint, self.decisions, "decision", constraint.cls)

    def threshold(self, constraint: Fixed | Between) -> int:
        """Return the position of the threshold that a constraint names."""
        n_thresholds = len(self.decisions) - 1
        if constraint.threshold_index >= n_thresholds:
            raise ValueError(
                f"constraint {str(constraint)!r} must name a threshold from 0 to "
                f"{n_thresholds - 1}, got {constraint.threshold_index}."
            )
        return int(constraint.threshold_index)

    def parts_of(self, constraint: Constraint) -> tuple[Block, Block]:
        """Return the blocks of a (decision, class) table whose sums a constraint compares.

        The first one is a part of the second.

        Examples
        --------
        >>> scheme = Scheme([0, 1], [0, 1], is_review=False, has_truth=True)
        >>> part, whole = scheme.parts_of(Recall(1, at_least=0.5))
        >>> table = np.array([[3, 1], [2, 4]])
        >>> table[part].sum(), table[whole].sum()
        (np.int64(4), np.int64(5))
        """
        every = slice(None)
        if isinstance(constraint, Over):
            true = slice(self.true_class(constraint) + 1)
            return (slice(self.last_decision_of(constraint) + 1, None), true), (every, true)
        if isinstance(constraint, Under):
            true = slice(self.true_class(constraint), None)
            return (slice(self.first_decision_of(constraint)), true), (every, true)
        decided = _only(self.decision(constraint))
        if isinstance(constraint, Share | Count):
            counted = every if self.has_truth else slice(-1, None)
            return (decided, counted), (every, counted)
        true = _only(self.true_class(constraint))
        whole = (every, true) if isinstance(constraint, Recall) else (decided, every)
        return (decided, true), whole

    def check(self, constraints: tuple[Constraint, ...]) -> None:
        """Raise an error if a constraint names what there is not."""
        for one in constraints:
            if isinstance(one, Recall | Precision):
                self.true_class(one)
            if isinstance(one, Recall | Precision | Share | Count):
                self.decision(one)
            elif isinstance(one, Under):
                self.first_decision_of(one)
            elif isinstance(one, Fixed | Between):
                self.threshold(one)

    @cached_property
    def _by_text(self) -> dict[str, dict[str, int]]:
        """The position of each name, by its text."""
        return self._positions(str)

    @cached_property
    def _by_number(self) -> dict[str, dict[float | str, int]]:
        """The position of each name, by its value if it is a number: of equal ones the first."""
        return self._positions(_as_number)

    def _positions(self, read: Callable[[Any], Any]) -> dict[str, dict[Any, int]]:
        def of(names: list[Any]) -> dict[Any, int]:
            return {read(names[i]): i for i in reversed(range(len(names)))}

        classes = of(self.classes)
        is_same = self.decisions is self.classes
        return {"class": classes, "decision": classes if is_same else of(self.decisions)}

    def _index(self, constraint: Constraint, names: list[Any], what: str, name: Any) -> int:
        position = self._by_text[what].get(str(name))
        if position is None:
            position = self._by_number[what].get(_as_number(name))
        if position is None:
            raise ValueError(
                f"constraint {str(constraint)!r} must name a {what}, one of "
                f"{', '.join(str(one) for one in names)}; got {name!r}."
            )
        return position


def _only(position: int) -> slice:
    return slice(position, position + 1)


def _as_number(value: Any) -> float | str:
    """Return a number, or text that is one, as that number; anything else as text."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)


@dataclass(frozen=True)
class Outcome:
    """What thresholds come to: the exact weight of each decision and class, and the thresholds."""

    table: Array
    thresholds: Floats

    def parts(self, constraint: Constraint, scheme: Scheme) -> tuple[Any, Any]:
        """Return the two weights whose ratio a constraint limits."""
        part, whole = scheme.parts_of(constraint)
        some = self._weights[part].sum()
        some = int(some) if self.is_whole else some
        if isinstance(constraint, Count):
            return some * scheme.unit, 1
        all_of_them = self._weights[whole].sum()
        return some, int(all_of_them) if self.is_whole else all_of_them

    @cached_property
    def is_whole(self) -> bool:
        """Whether all weights are whole numbers whose sums fit into int64."""
        if self.table.dtype == np.int64:
            return True
        is_int = set(map(type, self.table.flat)) <= {int}
        return is_int and sum(self.table.flat) < LARGEST_SUM

    @cached_property
    def _weights(self) -> Array:
        return self.table.astype(np.int64, copy=False) if self.is_whole else self.table

    def ratio(self, constraint: Constraint, scheme: Scheme) -> Fraction | None:
        """Return that ratio; None for a share of nothing."""
        part, whole = self.parts(constraint, scheme)
        return Fraction(part) / Fraction(whole) if whole else None

    def reached(self, constraint: Constraint, scheme: Scheme) -> Any:
        """Return what a constraint has reached: a number, or the thresholds that it is about.

        A share of nothing is NaN.
        """
        if isinstance(constraint, Fixed | Between):
            return float(self.thresholds[scheme.threshold(constraint)])
        if isinstance(constraint, Allowed | Digits):
            return tuple(self.thresholds.tolist())
        if isinstance(constraint, Gap):
            return float(self._gaps().min(initial=np.inf))
        ratio = self.ratio(constraint, scheme)
        return np.nan if ratio is None else float(ratio)

    def holds(self, constraint: Constraint, scheme: Scheme) -> bool:
        """Return whether a constraint holds."""
        at = self.thresholds
        if isinstance(constraint, Fixed):
            return bool(at[scheme.threshold(constraint)] == constraint.value)
        if isinstance(constraint, Between):
            return bool(constraint.low <= at[scheme.threshold(constraint)] <= constraint.high)
        if isinstance(constraint, Allowed):
            return bool(np.isin(at, constraint.values).all())
        if isinstance(constraint, Digits):
            return all(is_round(value, constraint.n) for value in at.tolist())
        if isinstance(constraint, Gap):
            at_least = constraint.at_least
            return bool(are_apart(self.thresholds[:-1], self.thresholds[1:], at_least).all())
        part, whole = self.parts(constraint, scheme)
        least = getattr(constraint, "at_least", None)
        most = getattr(constraint, "at_most", None)
        is_enough = least is None or part >= as_fraction(least) * whole
        return bool(is_enough and (most is None or part <= as_fraction(most) * whole))

    def _gaps(self) -> Floats:
        """Return the distances of neighbouring thresholds that are both finite."""
        with np.errstate(invalid="ignore"):
            gaps = np.diff(self.thresholds)
        return gaps[np.isfinite(self.thresholds[1:]) & np.isfinite(self.thresholds[:-1])]


def are_apart(lower: Floats, upper: Floats, gap: float) -> Bools:
    """Return whether thresholds are some distance apart, where both are finite.

    Decimals such as 0.3 and 0.1 are 0.2 apart, although their floats are less than that by a
    rounding.

    Examples
    --------
    >>> are_apart(np.array([0.1, 0.1]), np.array([0.3, np.inf]), 0.2)
    array([ True,  True])
    """
    with np.errstate(invalid="ignore"):
        rounding = ROUNDINGS * np.maximum(np.maximum(np.abs(lower), np.abs(upper)), gap)
        is_far = upper - lower >= gap - rounding
    return np.asarray(is_far | ~(np.isfinite(lower) & np.isfinite(upper)))


def is_round(value: float, n_digits: int) -> bool:
    """Return whether a number has no more than so many digits after the point; infinite ones do.

    Examples
    --------
    >>> is_round(0.3, 1), is_round(0.25, 1), is_round(1200.0, -2)
    (True, False, True)
    """
    return bool(np.isinf(value)) or round(value, n_digits) == value
