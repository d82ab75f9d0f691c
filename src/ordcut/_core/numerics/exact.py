"""The arithmetic policy: when sums are exact, and how a decision is made where they are not.

Costs and weights are rational numbers. A cost that is a plain fraction, such as 0.1 or 1/7, counts
as that fraction, and any other as the rational number that it is. Weights count as plain fractions
if these have a common unit, and otherwise as the rational numbers that they are. Scaled to whole
numbers, they are added up in int64 where all sums fit. Elsewhere, sums in float64 have a known
error bound, and cuts whose values are closer than that are compared in exact fractions.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import ClassVar, Literal

import numpy as np

from ordcut._core.numerics.limbs import AS_GIVEN, Limbs, add_limbs
from ordcut._core.numerics.threads import cached_property
from ordcut._core.typing import Array, Floats, Ints, Numbers

#: Whole numbers below this are exact in float64.
EXACT = 2.0**53

#: Sums of whole numbers below this, and their differences, are exact in int64.
LARGEST_SUM = 2**62

#: Costs whose sums over rows of this weight do not fit are divided by their common divisor.
ENOUGH_WEIGHT = 2.0**31

#: The largest denominator of a plain fraction, for costs and for weights. Weights are many: of a
#: million random weights, none should happen to be near a fraction.
COST_DENOMINATOR, WEIGHT_DENOMINATOR = 1_000_000, 10_000

#: Weights of more distinct values than this are not turned into plain fractions.
MOST_DISTINCT = 4096

#: The largest relative error of an operation in float64.
UNIT_ROUNDOFF = 2.0**-53


def as_fraction(value: float, largest: int = COST_DENOMINATOR) -> Fraction:
    """Return what a float means: the plain fraction next to it, or the number that it is.

    Multiples of powers of two have no rounding, so they are what they are.

    Examples
    --------
    >>> as_fraction(3 * 0.1), as_fraction(1 + 2.0**-52) == 1
    (Fraction(3, 10), False)
    """
    top, bottom = value.as_integer_ratio()
    if bottom <= largest:
        return Fraction(top, bottom)
    near_top, near_bottom = _nearest_fraction(top, bottom, largest)
    is_dyadic = near_bottom & (near_bottom - 1) == 0
    off = abs(near_top * bottom - top * near_bottom)
    # Within 8 roundings, of 2**-53 each.
    if is_dyadic or off << 50 > abs(top) * near_bottom:
        return Fraction(top, bottom)
    return Fraction(near_top, near_bottom)


def _nearest_fraction(top: int, bottom: int, largest: int) -> tuple[int, int]:
    """Return the nearest fraction with a denominator up to the largest, which ``bottom`` is above.

    Returns the result of ``Fraction.limit_denominator`` in a tenth of its time.
    """
    before, this = (0, 1), (1, 0)  # the last two convergents of the continued fraction
    n, d = top, bottom
    while True:
        whole = n // d
        after = before[0] + whole * this[0], before[1] + whole * this[1]
        if after[1] > largest:
            break
        before, this = this, after
        n, d = d, n - whole * d
    times = (largest - before[1]) // this[1]
    between = before[0] + times * this[0], before[1] + times * this[1]
    return this if 2 * d * between[1] <= bottom else between


def as_integers(values: Array) -> Array:
    """Return costs, or factors, as multiples of a common unit: whole numbers of any size.

    Examples
    --------
    >>> as_integers(np.array([0.1, 0.3, 2.0]))
    array([1, 3, 20], dtype=object)
    """
    if values.dtype == object:
        fractions = [Fraction(value) for value in values.ravel().tolist()]
    elif np.abs(values).max() < EXACT and (values == np.rint(values)).all():
        return values.astype(np.int64).astype(object)
    else:
        fractions = [as_fraction(value) for value in values.ravel().tolist()]
    scale = lcm(*(fraction.denominator for fraction in fractions))
    integers = np.empty(len(fractions), dtype=object)
    integers[:] = [int(fraction * scale) for fraction in fractions]
    return integers.reshape(values.shape)


def as_exact(values: Floats) -> Array:
    """Return floats as the whole numbers or fractions that they are.

    Examples
    --------
    >>> as_exact(np.array([2.0, 0.5])).tolist()
    [Fraction(2, 1), Fraction(1, 2)]
    """
    exact = np.empty(values.size, dtype=object)
    exact[:] = [Fraction(value) for value in values.ravel().tolist()]
    return exact.reshape(values.shape)


def distinct_values(weights: Floats) -> Floats | None:
    """Return the distinct weights; None if there are more than ``MOST_DISTINCT``."""
    if len(weights) > MOST_DISTINCT:
        sample = np.unique(weights[:: len(weights) // MOST_DISTINCT])
        if len(sample) > MOST_DISTINCT // 4:
            return None
    distinct = np.unique(weights)
    return distinct if len(distinct) <= MOST_DISTINCT else None


def weight_scale(distinct: Floats, total: float) -> int | None:
    """Return the least number that makes whole numbers of weights; None if it is too large.

    ``total`` is the sum of all weights, of which ``distinct`` are the different ones.

    Examples
    --------
    >>> weight_scale(np.array([0.4, 0.75, 1.0]), 10.0)
    20
    """
    scale = 1
    for value in distinct.tolist():
        scale = lcm(scale, as_fraction(value, WEIGHT_DENOMINATOR).denominator)
        # Weights are within 8 roundings of what they mean, and the products below round once more:
        # below this, they are off by less than 1/2.
        if scale >= EXACT / 32 or scale * total >= EXACT / 32:
            return None
    return scale


def summable_weights(weights: Floats) -> tuple[Numbers, Limbs]:
    """Return fractional weights in a form in which sums are exact, and how to add them up.

    They are int64 multiples of a common unit, if there is one, and otherwise floats, to be added
    up by their limbs.

    Examples
    --------
    >>> summable_weights(np.array([0.4, 0.7, 1.0]))[0]
    array([ 4,  7, 10])
    >>> summable_weights(np.array([0.5, 0.123456789]))[1]
    Limbs(first=58, step=58, n_limbs=1)
    """
    distinct = distinct_values(weights)
    if distinct is not None:
        scale = weight_scale(distinct, float(weights.sum()))
        if scale is not None:
            return np.rint(weights * scale).astype(np.int64), AS_GIVEN
    return weights, Limbs.of(weights)


def exact_totals(keys: Ints, n_keys: int, weights: Floats) -> Array:
    """Return the sum of the weights with each key as a fraction, without rounding.

    Examples
    --------
    >>> totals = exact_totals(np.array([0, 1, 1]), 2, np.array([0.1, 1.0, 2.0**-60]))
    >>> str(totals[0]), totals[1] > 1
    ('1/10', True)
    """
    distinct = distinct_values(weights)
    if distinct is None:
        return _dyadic_totals(keys, n_keys, weights)
    totals = np.empty(n_keys, dtype=object)
    totals[:] = [Fraction(0)] * n_keys
    index = np.searchsorted(distinct, weights)
    pairs, times = np.unique(keys * len(distinct) + index, return_counts=True)
    values = [as_fraction(value, WEIGHT_DENOMINATOR) for value in distinct.tolist()]
    for pair, count in zip(pairs.tolist(), times.tolist(), strict=True):
        key, value = divmod(pair, len(distinct))
        totals[key] += count * values[value]
    return totals


def exact_multiples(weights: Floats, limbs: Limbs = AS_GIVEN) -> tuple[Array, Fraction]:
    """Return weights as multiples of a unit, whole numbers of any size as objects, and the unit.

    Weights with limbs are the numbers that they are.

    Examples
    --------
    >>> exact_multiples(np.array([0.1, 0.25, 2.0]))
    (array([2, 5, 40], dtype=object), Fraction(1, 20))
    """
    distinct = distinct_values(weights) if limbs.n_limbs == 0 else None
    if distinct is not None:
        fractions = [as_fraction(value, WEIGHT_DENOMINATOR) for value in distinct.tolist()]
        scale = lcm(*(fraction.denominator for fraction in fractions))
        multiples = np.array([int(fraction * scale) for fraction in fractions], dtype=object)
        return multiples[np.searchsorted(distinct, weights)], Fraction(1, scale)
    mantissa, exponent = np.frexp(weights)
    whole = (mantissa * EXACT).astype(np.int64).astype(object)
    lowest = int(exponent.min())
    multiples = np.asarray(whole << (exponent - lowest).astype(object))
    return multiples, Fraction(2) ** (lowest - 53)


def _dyadic_totals(keys: Ints, n_keys: int, weights: Floats) -> Array:
    """Return the exact sum of the weights with each key, as the rational numbers that they are."""
    limbs = Limbs.of(weights)
    if limbs.n_limbs == 0:
        totals = np.full(n_keys, Fraction(0), dtype=object)
        np.add.at(totals, keys, as_exact(weights))
        return totals
    sums = np.zeros((n_keys, 1, limbs.n_limbs), np.int64)
    add_limbs(keys, np.zeros_like(keys), weights, *limbs.factors, sums)
    return np.asarray(limbs.exact(sums[:, 0]))


Convexity = Literal["convex", "up to scale", "no"]


def convexity_of(cost: Array) -> Convexity:
    """Return whether whole costs are convex in the prediction, or are so up to scale.

    Convex means that the gain of the next higher class, ``gain[k] = cost[k] - cost[k + 1]``, never
    rises in ``k``, for any truth: Theorem 2. Up to scale means that there are factors ``c[k] > 0``
    with which ``c[k] * gain[k]``, which has the same minima, never rises; the interval of possible
    ratios ``c[k + 1] / c[k]`` must then not be empty for any two neighbours.

    Examples
    --------
    >>> values = np.array([0, 1, 5, 7])  # classes at unequal distances
    >>> distance = np.abs(values[:, None] - values)
    >>> convexity_of(np.abs(np.arange(4)[:, None] - np.arange(4))), convexity_of(distance)
    ('convex', 'up to scale')
    >>> convexity_of(1 - np.eye(3, dtype=int))
    'no'
    """
    gain = cost[:-1] - cost[1:]
    if (gain[1:] <= gain[:-1]).all():
        return "convex"
    for this, after in zip(gain[:-1].tolist(), gain[1:].tolist(), strict=True):
        least, most = Fraction(0), None
        for here, there in zip(this, after, strict=True):
            if there == 0:
                if here < 0:
                    return "no"
            elif there > 0:
                ratio = Fraction(here, there)
                most = ratio if most is None else min(most, ratio)
            else:
                least = max(least, Fraction(here, there))
        if most is not None and (most <= 0 or most < least):
            return "no"
    return "up to scale"


def cost_of_errors(cost: Array) -> Array:
    """Return the cost of a wrong prediction for each truth, if all wrong predictions cost alike."""
    return np.append(cost[-1, :-1], cost[0, -1])


@dataclass(frozen=True)
class ExactCost:
    """A cost matrix in whole numbers, of any size, and whether it is convex.

    Attributes
    ----------
    integers : ndarray of shape (K, K)
        The costs in multiples of a unit: int64 where they fit, Python's integers elsewhere.
    most_weight : int
        Sums over rows of a total weight up to this are exact in int64.
    """

    integers: Array
    most_weight: int

    #: How costs are compared.
    sums: ClassVar[Literal["exact"]] = "exact"

    @cached_property
    def convexity(self) -> Convexity:
        """Which form of Theorem 2 applies."""
        return convexity_of(self.integers)

    @classmethod
    def of(cls, cost: Array, factors: Array | None = None) -> ExactCost:
        """Return costs times the factors of the true classes: floats, or exact numbers as objects.

        Examples
        --------
        >>> ExactCost.of(np.array([[0.0, 0.5], [0.3, 0.0]])).integers
        array([[0, 5],
               [3, 0]])
        """
        if cost.dtype not in (np.int64, object):
            if np.abs(cost).max() < EXACT and (cost == np.rint(cost)).all():
                cost = cost.astype(np.int64)
            else:
                cost = as_integers(cost)
        if factors is not None and (factors != 1).any():
            cost = cost.astype(object) * as_integers(factors)
        if cost.dtype.kind == "O":
            cost = _reduced(cost)
        if cost.dtype.kind == "O":
            return cls(cost, 0)
        largest = max(int(np.abs(cost).max()), 1)
        if largest * ENOUGH_WEIGHT >= LARGEST_SUM:
            common = int(np.gcd.reduce(cost, axis=None))
            cost, largest = cost // common, largest // common
        return cls(cost, (LARGEST_SUM - 1) // largest)

    @property
    def is_convex(self) -> bool:
        """Whether minima of the risk curves are sure to come out in order."""
        return self.convexity != "no"

    @cached_property
    def has_equal_errors(self) -> bool:
        """Whether all wrong predictions of a row cost the same, and the right prediction not more.

        Examples
        --------
        >>> weighted = np.array([[0, 5, 1], [2, 0, 1], [2, 5, 0]])
        >>> ExactCost.of(1.0 - np.eye(3)).has_equal_errors, ExactCost.of(weighted).has_equal_errors
        (True, True)
        >>> ExactCost.of(np.abs(np.arange(3)[:, None] - np.arange(3))).has_equal_errors
        False
        """
        n_decisions, n_classes = self.integers.shape
        if n_decisions != n_classes:
            return False
        wrong = cost_of_errors(self.integers)
        is_right = np.eye(n_classes, dtype=np.bool_)
        is_alike = np.asarray(self.integers == wrong) | is_right
        return bool(is_alike.all() and (np.diag(self.integers) <= wrong).all())

    @cached_property
    def kind(self) -> Literal["convex", "equal errors", "other"]:
        """The kind of cost by which a solver is chosen."""
        if self.convexity != "no":
            return "convex"
        return "equal errors" if self.has_equal_errors else "other"

    def exact_score(self, table: Array) -> Fraction:
        """Return minus the cost of a table of exact weights, in the unit of the costs."""
        return -Fraction((self.integers.astype(object) * table).sum())

    @cached_property
    def gain(self) -> Array:
        """The exact gain of the next higher class, ``cost[k] - cost[k + 1]``: (K - 1, K)."""
        exact = self.integers.astype(object)
        return np.asarray(exact[:-1] - exact[1:])

    @cached_property
    def float_gain(self) -> Floats:
        """The gain in float64, scaled so that the largest is about 1.

        An exact difference is rounded once; the difference of two rounded costs could be nothing
        but rounding.
        """
        return _scaled_floats(self.gain)

    @cached_property
    def float_cost(self) -> Floats:
        """The costs in float64, scaled so that the largest is about 1."""
        return _scaled_floats(self.integers)


def _scaled_floats(integers: Array) -> Floats:
    """Return whole numbers of any size over a power of 2, so that the largest is about 1."""
    flat = integers.ravel().tolist()
    unit = 1 << max(abs(value) for value in flat).bit_length()
    return np.array([value / unit for value in flat]).reshape(integers.shape)


def _reduced(cost: Array) -> Array:
    """Return the least whole multiples of exact numbers, in int64 where they fit."""
    whole = cost.ravel().tolist()
    scale = lcm(*(value.denominator for value in whole))
    if scale > 1 or not all(isinstance(value, int) for value in whole):
        whole = [int(value * scale) for value in whole]
    common = max(1, gcd(*whole))
    reduced = np.empty(len(whole), dtype=object)
    reduced[:] = [value // common for value in whole]
    if max(abs(value) for value in reduced.tolist()) < LARGEST_SUM:
        reduced = reduced.astype(np.int64)
    return reduced.reshape(cost.shape)


def in_common_unit(exact: Array) -> Array:
    """Return exact numbers as whole multiples of a common unit.

    Examples
    --------
    >>> in_common_unit(np.array([Fraction(1, 2), Fraction(1, 3)]))
    array([3, 2], dtype=object)
    """
    flat = exact.ravel().tolist()
    scale = lcm(*(value.denominator for value in flat))
    whole = np.empty(len(flat), dtype=object)
    whole[:] = [value.numerator * (scale // value.denominator) for value in flat]
    return whole.reshape(exact.shape)


def exact_curves(gain: Array, between: Array) -> Array:
    """Return every risk curve at ascending cuts, up to a common factor, in whole numbers.

    ``gain`` (K - 1, K) holds whole numbers, and ``between`` (n_cuts + 1, K) the exact weight of
    each class between the cuts. Whole numbers add up many times faster than fractions do.

    Examples
    --------
    >>> between = np.array([[Fraction(1, 2), 0], [0, Fraction(1, 3)], [1, 1]])
    >>> exact_curves(np.array([[-1, 2]], dtype=object), between)
    array([[-3, 1]], dtype=object)
    """
    below = np.cumsum(in_common_unit(between[:-1]), axis=0)
    curves = np.zeros((len(gain), len(below)), dtype=object)
    for curve, step in zip(curves, gain, strict=True):
        for truth in np.flatnonzero(step).tolist():  # for many objectives, most gains are 0
            curve += below[:, truth] * step[truth]
    return curves


def rounding_bound(scale: Floats | float, n_rows: Ints | int) -> Floats:
    """Return a bound on twice the error of a sum over rows, whose absolute terms add up to a scale.

    Terms are products of two factors that are off by a few roundings, and a factor may itself be a
    sum over rows.
    """
    return np.asarray(4 * UNIT_ROUNDOFF * (n_rows + 24) * np.asarray(scale) + n_rows * 2e-323)


def in_whole_numbers(cost: Floats, weight: float) -> Array:
    """Return costs scaled to int64 where sums over rows of a total weight fit, else as they are.

    Examples
    --------
    >>> in_whole_numbers(np.array([[0.0, 0.1], [0.3, 0.0]]), weight=10)
    array([[0, 1],
           [3, 0]])
    """
    exact = ExactCost.of(cost)
    return exact.integers if weight <= exact.most_weight else cost
