"""The forms that constraints are lowered to, and the limits of a problem sorted by form.

Everything behind the constraints knows only these forms: a ratio of weights, an interval for a
threshold, a distance between thresholds, and (in ``grid.py`` and ``sequence.py``) values that
thresholds are chosen from, and a precision that is promised for new rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import reduce
from math import ceil, floor
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from ordcut._core.errors import listed
from ordcut._core.limits.form import Form
from ordcut._core.limits.grid import Grid
from ordcut._core.limits.guarantee import Bound, Guarantee
from ordcut._core.numerics.exact import (
    LARGEST_SUM,
    UNIT_ROUNDOFF,
    as_exact,
    as_fraction,
    as_integers,
)
from ordcut._core.numerics.threads import cached_property
from ordcut._core.thresholds import Promise
from ordcut._core.typing import Array, Bools, Floats, Ints

if TYPE_CHECKING:
    from ordcut._core.data import ClassShares
    from ordcut._core.limits.constraints import Constraint
    from ordcut._core.limits.names import Names
    from ordcut._core.limits.sequence import PromisedPrecision

#: Why limits that mix classes promise nothing for a population with other shares of the classes.
NO_PROMISE = (
    "cannot have a confidence together with class_shares: it depends on the shares of several "
    "classes, and rows at hand tell how each class is decided, not how rows of the population are. "
    "Limit the recall of a class, or leave out the confidence."
)

#: Distances that differ by less than this share of the numbers are equal.
ROUNDINGS = 4 * UNIT_ROUNDOFF


@dataclass(frozen=True)
class Outcome:
    """The exact weight of each decision and class, and the thresholds that lead to it.

    ``unit`` is what a weight of 1 stands for in the weights that the user gave.
    """

    table: Array
    thresholds: Floats
    unit: Fraction = Fraction(1)

    @cached_property
    def is_whole(self) -> bool:
        """Whether all weights are whole numbers whose sums fit into int64."""
        if self.table.dtype == np.int64:
            return True
        is_int = set(map(type, self.table.flat)) <= {int}
        return is_int and sum(self.table.flat) < LARGEST_SUM

    @cached_property
    def totals(self) -> Array:
        """The exact weight of each class."""
        return np.asarray(self.table.sum(axis=0))

    def weights_of(self, *coefficients: Ints) -> list[Any]:
        """Return the sums of the weights times each array of coefficients, exactly."""
        cells = [np.nonzero(each) for each in coefficients]
        totals = [
            (self.table[at] * each[at]).sum() for each, at in zip(coefficients, cells, strict=True)
        ]
        return [int(total) for total in totals] if self.is_whole else totals


@dataclass(frozen=True, eq=False)
class Ratio(Form):
    """Limits on the ratio of two sums of weights, or on a single sum.

    Attributes
    ----------
    part : ndarray of shape (D, K)
        The coefficients of the limited sum over the table of decisions and classes.
    whole : ndarray of shape (D, K), optional
        The coefficients of the sum that it is a share of; None for a count, in the weights that
        the user gave.
    at_least, at_most : float or Fraction, optional
        The limits.
    confidence : float, optional
        The probability, over the rows at hand, with which the limits hold on new rows of the same
        kind; None for limits on the rows at hand.
    base : ndarray of shape (2, K), optional
        1 for each class whose rows are counted in the base rate, and for each of those that it is a
        share of, otherwise 0. The limits are multiples of it; None for limits on the ratio itself.
    shares : ClassShares, optional
        The shares of the classes in the population that the limits are about; None for the rows as
        they are.

    Examples
    --------
    >>> recall = Ratio(np.array([[0, 0], [0, 1]]), np.array([[0, 1], [0, 1]]), at_least=0.9)
    >>> recall.reached(Outcome(np.array([[3, 1], [2, 4]]), np.array([0.5])))
    0.8
    >>> recall.reach
    Reach(kind='threshold', index=0)
    """

    part: Array
    whole: Array | None
    at_least: float | Fraction | None = None
    at_most: float | Fraction | None = None
    confidence: float | None = None
    base: Ints | None = None
    shares: ClassShares | None = None

    kind: ClassVar[str] = "ratio"

    @cached_property
    def has_fixed_whole(self) -> bool:
        """Whether the whole is the same wherever thresholds are."""
        return self.whole is None or not (self.whole[1:] != self.whole[:-1]).any()

    @property
    def without_confidence(self) -> Ratio:
        """The limits as they were stated, to be judged on new rows."""
        return replace(self, confidence=None)

    @property
    def is_plain(self) -> bool:
        """Whether the limits do not depend on the weights of the classes."""
        return self.confidence is None and self.base is None and self.shares is None

    @property
    def counted(self) -> Array:
        """1 for each class whose rows the part is a share or a count of, (K,), otherwise 0."""
        return np.asarray(self.part.any(axis=0) * 1 if self.whole is None else self.whole[0])

    @cached_property
    def exact_limits(self) -> tuple[Fraction | None, Fraction | None]:
        """Both limits without rounding."""
        least, most = (
            limit if limit is None or isinstance(limit, Fraction) else as_fraction(limit)
            for limit in (self.at_least, self.at_most)
        )
        return least, most

    def __post_init__(self) -> None:
        self.reach  # noqa: B018 (raises an error if the ratio cannot be limited)
        if self.base is not None and self.whole is None:
            raise ValueError("needs a whole: only a share can be a multiple of a base rate.")
        if self.confidence is not None:
            self._check_guarantee()

    def _check_guarantee(self) -> None:
        if not self.has_fixed_whole or self.base is not None:
            raise ValueError(
                "cannot have a confidence: both numbers of its ratio change with the thresholds, "
                "so that no bound holds for all thresholds at once. Leave out the confidence, or "
                "limit a recall, a share, under or over instead."
            )
        steps = np.diff(self.part, axis=0)
        moves_one_way = self.reach.kind == "segment" or (steps >= 0).all() or (steps <= 0).all()
        is_share = (self.part >= 0).all() and (self.part <= np.minimum(self.counted, 1)).all()
        if not (is_share and moves_one_way):
            raise ValueError(
                "cannot have a confidence: only a share of rows that always rises, or always "
                "falls, as its threshold rises can have one."
            )

    @cached_property
    def reach(self) -> Reach:
        """Which thresholds the ratio moves with; an error if it ties thresholds too far apart."""
        both = self.part if self.whole is None else np.hstack([self.part, self.whole])
        moved = np.flatnonzero((both[1:] != both[:-1]).any(axis=1)).tolist()
        if len(moved) == 0:
            return Reach("nothing", 0)
        if len(moved) == 1:
            return Reach("threshold", moved[0])
        first, last = moved[0], moved[-1]
        if len(moved) == 2 and last == first + 1 and (both[first] == both[last + 1]).all():
            return Reach("segment", last)
        raise ValueError(
            "must be about one decision, or about a group that starts at the lowest or ends at the "
            f"highest decision; this depends on thresholds {listed(moved)} together. Only limits "
            "on the rows below one threshold, or between two neighbours, can be kept: not a group "
            "in the middle, and not a comparison of two decisions. Limit each decision by itself."
        )

    def on(self, totals: Array, unit: Fraction) -> Ratio:
        """Return the ratio with plain limits on rows with these exact weights of the classes.

        Shares of a population and a base rate become coefficients, and a guarantee becomes a limit
        on the share of these rows that promises it. Only here, limits depend on
        totals, which are in multiples of ``unit``.
        """
        if self.confidence is None:
            return self if self.is_plain else self._weighed(totals)
        if not self.part.any():
            return replace(self, confidence=None)
        guarantee = self.guarantee(totals, unit)
        n_rows, counts = guarantee.n_rows, guarantee.counts
        if self.whole is None or n_rows == 0:  # no rows have no share, but their number is 0
            return Ratio(self.part, None, *counts)
        least, most = (None if count is None else Fraction(count, n_rows) for count in counts)
        return Ratio(self.part, self.whole, least, most)

    def _weighed(self, totals: Array) -> Ratio:
        """Return the ratio as a limit on weights, with the shares and the base rate in them."""
        assert self.whole is not None
        factors = np.ones(len(totals), object)
        if self.shares is not None:
            factors = as_integers(self.shares.factors(as_exact(totals)))
        part, whole = self.part * factors, self.whole * factors
        if self.base is not None:
            own, every = (Fraction(sum((each * factors * totals).tolist())) for each in self.base)
            rate = own / every if every else own
            part, whole = part * rate.denominator, whole * rate.numerator
        return Ratio(part, whole, self.at_least, self.at_most)

    def in_population(self, shares: ClassShares) -> Ratio:
        """Return the limits for a population in which classes have given shares.

        What is a share of a single class does not change.
        """
        if self.whole is None:
            raise ValueError(
                "cannot be kept together with class_shares: a population has no number of rows. "
                "Limit a share instead."
            )
        columns = (self.whole.any(axis=0) | self.part.any(axis=0)).reshape(len(shares.shares), -1)
        if self.base is None and columns.any(axis=1).sum() <= 1:
            return self
        if self.confidence is not None:
            raise ValueError(NO_PROMISE)
        return replace(self, shares=shares)

    def guarantee(self, totals: Array, unit: Fraction) -> Guarantee:
        """Return the limits as limits on a share of new rows, for the weights of the classes."""
        assert self.confidence is not None
        n_rows = int((self.counted * totals).sum() * unit)
        scale = n_rows if self.whole is None else 1
        least, most = (None if limit is None else limit / scale for limit in self.exact_limits)
        bound: Bound = "Kuiper" if self.reach.kind == "segment" else "binomial"
        return Guarantee(n_rows, least, most, 1 - as_fraction(self.confidence), bound)

    def promise(self, outcome: Outcome) -> Promise | None:
        """Return the limit, or both limits, promised for new rows; None without a confidence."""
        if self.confidence is None:
            return None
        guarantee = self.guarantee(outcome.totals, outcome.unit)
        count = int(outcome.weights_of(self.part)[0] * outcome.unit)
        ends = guarantee.promised(count) if self.part.any() else (0.0, 0.0)
        least, most = (end * (guarantee.n_rows if self.whole is None else 1) for end in ends)
        promised: Any = (least, most) if self.at_most is not None else least
        promised = most if self.at_least is None else promised
        return Promise(promised, self.confidence, guarantee.bound)

    def demands(self, totals: Array, unit: Fraction) -> list[Demand]:
        """Return the limits as sums over the rows that the ratio moves with.

        These are the rows below its threshold or between its two thresholds. ``totals`` are the
        weights of the classes, in multiples of ``unit``. Every search is made of these sums.
        """
        plain = self.on(totals, unit)
        if plain.has_fixed_whole:
            least, most = plain._bounds((plain.counted * totals).sum(), unit)
            sums = [(plain.part, least)] if least else []
            sums = sums if most is None else [*sums, (-plain.part, -most)]
        else:
            assert plain.whole is not None
            part, whole = plain.part.astype(object), plain.whole.astype(object)
            sums = [
                (sign * (part * share.denominator - whole * share.numerator), 0)
                for sign, share in zip((1, -1), plain.exact_limits, strict=True)
                if share is not None
            ]
        k = self.reach.index  # rows leave decision k + 1 for decision k
        return [
            Demand(coefficients[k] - coefficients[k + 1], _rest(coefficients[k + 1], least, totals))
            for coefficients, least in sums
        ]

    def _bounds(self, whole: Any, unit: Fraction) -> tuple[Any, Any]:
        """Return the least and the largest weight of the part; None where there is no limit.

        Whole weights have whole bounds.
        """
        is_whole = whole == int(whole)

        def bound(limit: Fraction | None, rounded: Any) -> Any:
            if limit is None:
                return None
            if self.whole is None:
                weight: Any = limit / unit
            elif is_whole:
                weight = limit * int(whole)
            else:
                return float(limit) * float(whole)
            return rounded(weight) if is_whole else float(weight)

        low, high = self.exact_limits
        return bound(low, ceil), bound(high, floor)

    def sums(self, outcome: Outcome) -> tuple[Any, Any]:
        """Return the two sums whose ratio is limited; the second is 1 for a count."""
        if self.base is not None or self.shares is not None:
            return self._weighed(outcome.totals).sums(outcome)
        if self.whole is None:
            return outcome.weights_of(self.part)[0] * outcome.unit, 1
        part, whole = outcome.weights_of(self.part, self.whole)
        return part, whole

    def ratio(self, outcome: Outcome) -> Fraction | None:
        """Return the ratio; None for a share of nothing."""
        part, whole = self.sums(outcome)
        return Fraction(part) / Fraction(whole) if whole else None

    def reached(self, outcome: Outcome) -> float:
        """Return the ratio as a float; NaN for a share of nothing."""
        ratio = self.ratio(outcome)
        return np.nan if ratio is None else float(ratio)

    def holds(self, outcome: Outcome) -> bool:
        """Return whether the limits hold, as they do for a share of nothing.

        With a confidence, the rows must promise them; without rows there is no promise.
        """
        plain = self if self.is_plain else self.on(outcome.totals, outcome.unit)
        part, whole = plain.sums(outcome)
        least, most = plain.exact_limits
        is_enough = least is None or part >= least * whole
        return bool(is_enough and (most is None or part <= most * whole))


def _rest(coefficients: Array, at_least: int | float, totals: Array) -> Any:
    """Return a least sum, less the sum of all rows, whose coefficients are given by class.

    Whole numbers beyond ``LARGEST_SUM`` are clipped to it, so that they fit into int64.
    """
    at_start = (coefficients * totals).sum()
    if isinstance(at_least, float):
        return at_least - at_start
    rest = at_least - int(at_start)
    if isinstance(at_start, int):  # of numbers of any size
        return rest
    return max(-LARGEST_SUM, min(rest, LARGEST_SUM))


@dataclass(frozen=True)
class Reach:
    """The thresholds that a ratio depends on: none, a single threshold, or both ends of a segment.

    ``index`` is the index of the threshold, or of the decision whose segment it is.
    """

    kind: Literal["nothing", "threshold", "segment"]
    index: int


class Demand(NamedTuple):
    """A sum over rows, ``step`` of their class (K,) times their weight, and its least value."""

    step: Array
    at_least: Any

    def implies(self, other: Demand) -> bool:
        """Return whether all rows that meet this demand meet another one.

        They do if the other sum, less its least value, is a multiple of this one plus weights that
        are not negative.
        """
        low, high = Fraction(0), None
        own = [*self.step.tolist(), -self.at_least]
        for step, others in zip(own, [*other.step.tolist(), -other.at_least], strict=True):
            if step == 0 and others < 0:
                return False
            if step < 0:
                low = max(low, Fraction(others, step))
            if step > 0:
                most = Fraction(others, step)
                high = most if high is None else min(high, most)
        return high is None or low <= high


@dataclass(frozen=True)
class Interval(Form):
    """An interval for a threshold, ends included."""

    k: int
    low: float
    high: float

    kind: ClassVar[str] = "interval"

    def reached(self, outcome: Outcome) -> float:
        """Return the threshold."""
        return float(outcome.thresholds[self.k])

    def holds(self, outcome: Outcome) -> bool:
        """Return whether the threshold is in the interval."""
        return self.low <= self.reached(outcome) <= self.high


@dataclass(frozen=True)
class Distance(Form):
    """A least distance between neighbouring thresholds that are finite."""

    at_least: float

    kind: ClassVar[str] = "distance"

    def reached(self, outcome: Outcome) -> float:
        """Return the least distance between neighbouring thresholds that are finite."""
        at = outcome.thresholds
        with np.errstate(invalid="ignore"):
            gaps = np.diff(at)
        return float(gaps[np.isfinite(at[1:]) & np.isfinite(at[:-1])].min(initial=np.inf))

    def holds(self, outcome: Outcome) -> bool:
        """Return whether neighbouring thresholds are far enough apart."""
        return bool(self.keeps(outcome.thresholds[:-1], outcome.thresholds[1:]).all())

    def keeps(self, lower: Floats, upper: Floats) -> Bools:
        """Return whether pairs of thresholds are far enough apart, as infinite ones always are.

        Decimals such as 0.3 and 0.1 are 0.2 apart, although their floats are less than that by a
        rounding.

        Examples
        --------
        >>> Distance(0.2).keeps(np.array([0.1, 0.1]), np.array([0.3, np.inf]))
        array([ True,  True])
        """
        gap = self.at_least
        with np.errstate(invalid="ignore"):
            rounding = ROUNDINGS * np.maximum(np.maximum(np.abs(lower), np.abs(upper)), gap)
            is_far = upper - lower >= gap - rounding
        return np.asarray(is_far | ~(np.isfinite(lower) & np.isfinite(upper)))


@dataclass(frozen=True, eq=False)
class Limits:
    """Constraints and the forms they are lowered to, side by side.

    Attributes
    ----------
    n_thresholds : int
        The number of thresholds that are limited.
    constraints : tuple of Constraint
        What the user asked for.
    forms : tuple of Form
        The form of each constraint.
    names : Names, optional
        The names of classes and decisions.
    ratios, intervals, promised : list
        The forms of these kinds; the last are precisions that are promised for new rows.
    has_guarantees : bool
        Whether any limit has a confidence.
    are_plain : bool
        Whether no limit depends on the weights of the classes.
    grid : Grid, optional
        The values that thresholds must be chosen from, by all grids together.
    distance : Distance, optional
        The largest of the least distances.

    Examples
    --------
    >>> from ordcut._core.limits import Digits, Names, Under, lower_all
    >>> limits = lower_all([Under(1, at_most=0.1), Digits(1)], Names([0, 1], [0, 1]))
    >>> limits.grid, limits.ratios[0].at_most
    (Grid(values=None, n_digits=1), 0.1)
    """

    n_thresholds: int
    constraints: tuple[Constraint, ...] = ()
    forms: tuple[Form, ...] = ()
    names: Names | None = None
    ratios: list[Ratio] = field(init=False, repr=False)
    has_guarantees: bool = field(init=False, repr=False)
    are_plain: bool = field(init=False, repr=False)
    intervals: list[Interval] = field(init=False, repr=False)
    promised: list[PromisedPrecision] = field(init=False, repr=False)
    grid: Grid | None = field(init=False, repr=False)
    distance: Distance | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        by_kind: dict[str, list[Any]] = {}
        for form in self.forms:
            by_kind.setdefault(form.kind, []).append(form)
        kinds = ("ratio", "promised precision", "interval", "grid", "distance")
        ratios, promised, intervals, grids, distances = (by_kind.get(kind, []) for kind in kinds)
        self.__dict__.update(
            ratios=ratios,
            promised=promised,
            has_guarantees=bool(promised) or any(ratio.confidence is not None for ratio in ratios),
            are_plain=all(form.is_plain for form in self.forms),
            intervals=intervals,
            grid=reduce(Grid.intersection, grids) if grids else None,
            distance=max(distances, key=lambda form: float(form.at_least), default=None),
        )

    def listed_values(self, extent: Callable[[], tuple[float, float]], most: int) -> Floats | None:
        """Return the finite values that thresholds must be chosen from, if they are few.

        ``extent`` returns the lowest and the highest score. None also where thresholds must be
        apart: then it matters which of several values between the same scores is taken.

        Examples
        --------
        >>> from ordcut._core.limits import Digits, Names, lower_all
        >>> limits = lower_all([Digits(0)], Names([0, 1], [0, 1]))
        >>> limits.listed_values(lambda: (0.4, 2.2), most=10)
        array([-1.,  0.,  1.,  2.,  3.,  4.])
        """
        if self.grid is None or self.distance is not None:
            return None
        ends = (0.0, 0.0) if self.grid.n_digits is None else extent()
        values = self.grid.values_between(*ends, most)
        if values is None:
            return None
        finite = values[np.isfinite(values)]
        return finite if 0 < len(finite) <= most else None

    def hold(self, outcome: Outcome) -> bool:
        """Return whether all limits hold."""
        return all(form.holds(outcome) for form in self.forms)

    def in_population(self, shares: ClassShares) -> Limits:
        """Return the limits for a population in which classes have given shares."""
        forms = []
        for constraint, form in zip(self.constraints, self.forms, strict=True):
            try:
                forms.append(form.in_population(shares))
            except ValueError as error:
                raise ValueError(f"constraint {str(constraint)!r} {error}") from error
        return replace(self, forms=tuple(forms))

    def without(self, index: int) -> Limits:
        """Return the limits without that at an index."""
        return self.only([i for i in range(len(self.forms)) if i != index])

    def only(self, indices: Sequence[int]) -> Limits:
        """Return the limits at the given indices."""
        constraints = tuple(self.constraints[i] for i in indices)
        return replace(self, constraints=constraints, forms=tuple(self.forms[i] for i in indices))

    def check_rows(self, counts_rows: bool) -> None:
        """Raise an error for guarantees if weights do not count rows."""
        if not counts_rows:
            raise ValueError(
                "sample_weight must be whole numbers, which count rows, and weight_type not "
                '"importance", for constraints with a confidence: their promise for new rows is by '
                "the number of rows. Leave out the weights (soft labels and panels are weights, "
                "too), or the confidence."
            )

    def reached(self, outcome: Outcome) -> list[tuple[Any, Promise | None]]:
        """Return what each limit has reached, and what it promises for new rows, if anything."""
        return [(form.reached(outcome), form.promise(outcome)) for form in self.forms]

    def on(self, totals: Array, unit: Fraction) -> Limits:
        """Return the plain limits for rows with these exact weights of the classes."""
        return replace(self, forms=tuple(form.on(totals, unit) for form in self.forms))

    def without_confidence(self) -> Limits:
        """Return the limits as they were stated, to be judged on new rows."""
        return replace(self, forms=tuple(form.without_confidence for form in self.forms))

    def on_rows(self) -> Limits:
        """Return the limits on the rows of decisions, and not on the values of thresholds."""
        kinds = ("ratio", "promised precision")
        return self.only([i for i, form in enumerate(self.forms) if form.kind in kinds])

    def replaced(self, index: int, form: Form) -> Limits:
        """Return the limits with another form at an index."""
        return replace(self, forms=(*self.forms[:index], form, *self.forms[index + 1 :]))
