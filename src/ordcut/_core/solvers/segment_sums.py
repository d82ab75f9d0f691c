"""The best cuts for a score that adds up over decisions, such as macro-F1: exact.

Branch and bound leaves the few cuts that float64 cannot rule out. They are compared in whole
numbers and fractions: by a dynamic programme over pairs of cuts, or, for the smallest term and
then the next smallest, by raising one level after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordcut._core.data import SortedRows
from ordcut._core.numerics.jit import kernel
from ordcut._core.numerics.limbs import AS_GIVEN, Limbs
from ordcut._core.objectives import NOTHING_JOINED, Ranges, SegmentTerms
from ordcut._core.pruning import SegmentBounds, UnitBounds
from ordcut._core.solvers.levels import raise_levels
from ordcut._core.solvers.near_ties import ExactWeights
from ordcut._core.solvers.recalls import recall_candidates
from ordcut._core.solvers.windows import Windows
from ordcut._core.typing import Array, Codes, Floats, Ints, Numbers

#: Of more cuts than this, weights are added up only where the search looks.
MOST_CUTS = 1 << 14

#: Weights are added up before every row whose index is a multiple of this number.
STEP = 64


def segment_cuts(rows: SortedRows, terms: SegmentTerms, n_rows: int, between: ExactWeights) -> Ints:
    """Return the best cuts of rows, of which ``between`` returns exact weights.

    Of several optima, it is that with the lowest highest cut, then the lowest next cut, and so on.
    """
    cuts: Ints = np.append(0, np.flatnonzero(rows.ends) + 1)
    sums = Sums.of(rows, n_rows)
    candidates = recall_candidates(rows) if terms.is_of_recalls else None
    bounds: SegmentBounds
    if len(cuts) > MOST_CUTS:
        weight = cuts if rows.weights is None else np.append(0, np.cumsum(rows.weights))[cuts]
        if candidates is None:
            bounds = CutBounds(terms, sums, cuts, weight)
        else:
            bounds = CandidateBounds(terms, sums, cuts, weight, candidates)
    else:
        if candidates is None:
            candidates = [np.arange(len(cuts))] * (terms.n_classes - 1)
        bounds = UnitBounds(terms, sums.below(cuts), sums.n_added, candidates, candidates)
    near = bounds.near_best()
    assert near is not None
    return cuts[_best(sums, terms, between, cuts, near)]


def best_segments(
    rows: SortedRows, terms: SegmentTerms, windows: Windows, n_rows: int, between: ExactWeights
) -> Ints | None:
    """Return the candidate of each threshold for the best score within windows, or None."""
    if terms.rule.joined == "smallest" and any(
        limit is not None for own in windows.segments for limit in (own.low, own.high, own.level)
    ):
        raise ValueError(
            'constraints with objective "min_recall" must be about single thresholds: about the '
            "lowest or the highest decision, or the values of thresholds. Its search raises one "
            "recall after the other, and keeps no limits on other decisions or on distances. Use "
            'another objective, such as "macro_f1".'
        )
    if not all(windows.ranges):
        return None
    candidates = [
        own.start + np.flatnonzero(is_open)
        for own, is_open in zip(windows.ranges, windows.is_open, strict=True)
    ]
    sums = Sums.of(rows, n_rows)
    below = sums.below(windows.cuts)
    bounds = UnitBounds(terms, below, sums.n_added, candidates, candidates, windows.segments)
    near = bounds.near_best()
    return None if near is None else _best(sums, terms, between, windows.cuts, near)


@dataclass(frozen=True)
class Sums:
    """The weight of each class below any row of sorted rows.

    Whole numbers and limbs are added up without rounding, other floats in the order of the rows.

    Attributes
    ----------
    codes : ndarray of shape (n,)
        The class of each row.
    columns : list of ndarray
        The weights of the rows, or each of their limbs, and the weight 1 of all rows.
    stride : int
        As in ``KernelRows``.
    before : list of ndarray of shape (n_steps, K)
        For each column, the weight of each class before each row whose index is a multiple of
        ``STEP``.
    limbs : Limbs
        How weights were split.
    n_added : int
        The number of rows that were added up with rounding, at most.
    """

    codes: Codes
    columns: list[Numbers]
    stride: int
    before: list[Numbers]
    limbs: Limbs
    n_added: int

    @classmethod
    def of(cls, rows: SortedRows, n_rows: int) -> Sums:
        """Add up the weights of rows, which stand for ``n_rows`` rows."""
        limbs = AS_GIVEN if rows.is_whole else rows.limbs
        dtype = np.dtype(np.int64 if rows.is_whole else np.float64)
        codes, _, weights, stride = rows.for_kernels(dtype)
        columns = [weights]
        if limbs.n_limbs:
            columns = list(np.ascontiguousarray(np.moveaxis(limbs.split(weights), -1, 0)))
        before = []
        for column in columns:
            sums = np.zeros((len(codes) // STEP + 1, rows.n_classes), column.dtype)
            add_steps(codes, column, stride, STEP, sums)
            before.append(sums)
        return cls(codes, columns, stride, before, limbs, 1 if limbs.n_limbs else n_rows)

    def below(self, cuts: Ints) -> Numbers:
        """Return the weight of each class below each cut, (m, K), rounded at most once per limb."""
        below = self._limbs_below(cuts)
        return self.limbs.rounded(below) if self.limbs.n_limbs else below[..., 0]

    def exact_below(self, cuts: Ints, between: ExactWeights) -> Array:
        """Return the weight of each class below each cut without rounding, in multiples of a unit.

        ``between`` adds up floats exactly that have no limbs.
        """
        if self.limbs.n_limbs:
            return self.limbs.multiples(self._limbs_below(cuts))
        if self.before[0].dtype == np.int64:
            return self._limbs_below(cuts)[..., 0]
        return np.asarray(np.cumsum(between(cuts)[:-1], axis=0))

    def _limbs_below(self, cuts: Ints) -> Numbers:
        below = []
        for column, before in zip(self.columns, self.before, strict=True):
            sums = before[cuts // STEP]
            add_rest(self.codes, column, self.stride, STEP, cuts, sums)
            below.append(sums)
        return below[0][..., None] if len(below) == 1 else np.stack(below, axis=-1)


class CutBounds(SegmentBounds):
    """The search among all cuts of sorted rows; weights are added up only where it looks.

    Parameters
    ----------
    terms : SegmentTerms
        What is optimised.
    sums : Sums
        The weights below the rows.
    cuts : ndarray of shape (m,)
        The cuts in ascending order: first 0, and last the number of rows.
    weight : ndarray of shape (m,)
        The weight of the rows below each cut.
    n_units : sequence of int, optional
        The number of units of each threshold; by default, each cut is a unit.
    """

    def __init__(
        self,
        terms: SegmentTerms,
        sums: Sums,
        cuts: Ints,
        weight: Numbers,
        n_units: Sequence[int] | None = None,
    ) -> None:
        n_units = n_units or [len(cuts)] * (terms.n_classes - 1)
        super().__init__(terms, n_units, sums.below(cuts[-1:]), sums.n_added)
        self.sums, self.cuts, self.weight = sums, cuts, weight

    def low(self, units: Ints) -> Ints:
        """Return the index of the cut of each unit."""
        last = len(self.cuts) - 1
        inner = (units - 1).clip(0) % (last + 1)
        return np.where(units == self.offsets[-1] - 1, last, inner)

    high = low

    def inner(self, first: Ints, last: Ints, shares: Floats) -> Ints:
        """Return the units from which on given shares of the weight of ranges are exceeded."""
        at = self.low(first)
        low, high = self.weight[at], self.weight[self.low(last)]
        inner: Ints = first - at + np.searchsorted(self.weight, low + shares * (high - low))
        return inner

    def weights_at(self, ranges: Ranges) -> tuple[Floats, Ranges]:
        """Return the weights at both ends of each range, and the ranges with their indices."""
        indices = np.concatenate([ranges.low, ranges.high, [len(self.cuts) - 1]])
        low = np.arange(len(ranges.low))
        below = self.weighed(self.sums.below(self.cuts[indices]))
        return below, ranges._replace(low=low, high=low + len(low))


class CandidateBounds(CutBounds):
    """The search among some of all cuts of sorted rows, others for each threshold.

    Parameters
    ----------
    terms, sums, cuts, weight
        As of ``CutBounds``.
    candidates : sequence of ndarray, of length K - 1
        The indices of the cuts of each threshold, in ascending order.
    """

    def __init__(
        self,
        terms: SegmentTerms,
        sums: Sums,
        cuts: Ints,
        weight: Numbers,
        candidates: Sequence[Ints],
    ) -> None:
        super().__init__(terms, sums, cuts, weight, [len(indices) for indices in candidates])
        last = len(cuts) - 1
        self._indices: Ints = np.concatenate([[0], *candidates, [last]])
        self._keys: Ints = self._indices + len(cuts) * np.repeat(
            np.arange(len(candidates) + 2), np.diff(self.offsets)
        )

    def low(self, units: Ints) -> Ints:
        """Return the index of the cut of each unit."""
        return self._indices[units]

    high = low

    def inner(self, first: Ints, last: Ints, shares: Floats) -> Ints:
        """Return the units from which on given shares of the weight of ranges are exceeded."""
        at = self.low(first)
        low, high = self.weight[at], self.weight[self.low(last)]
        index = np.searchsorted(self.weight, low + shares * (high - low))
        inner: Ints = np.searchsorted(self._keys, self._keys[first] - at + index)
        return inner


def _best(sums: Sums, terms: SegmentTerms, between: ExactWeights, cuts: Ints, near: Ranges) -> Ints:
    """Return the indices of the best cuts, of those that can be best."""
    if len(near.low) == terms.n_classes + 1:
        inner: Ints = near.low[1:-1]
        return inner
    known, at = np.unique(near.low, return_inverse=True)
    is_exact = terms.sums == "exact"
    below = sums.exact_below(cuts[known], between) if is_exact else sums.below(cuts[known])
    weights = terms.prepared(below)
    if terms.rule.joined == "smallest":
        return known[raise_levels([at[near.at(k)] for k in range(1, terms.n_classes)], weights)]
    return near.low[_best_path(terms, near, weights[at])]


def _best_path(terms: SegmentTerms, near: Ranges, weights: Array) -> list[int]:
    """Return the lowest best cuts by a dynamic programme over pairs of neighbouring cuts.

    ``weights`` holds what is below each of the near positions. Results are indices among these.
    """
    best: dict[int, Any] = {0: NOTHING_JOINED[terms.rule.joined]}
    before: dict[int, int] = {}
    for d in range(terms.n_classes):
        starts, ends = (range(len(near.low))[near.at(border)] for border in (d, d + 1))
        for end in ends:
            scores = [
                (terms.join(best[start], term), -start)
                for start in starts
                if start in best and near.allow(start, end)
                for term in [terms.term(d, weights[end] - weights[start], weights[-1])]
            ]
            if scores:
                best[end], start = max(scores)
                before[end] = -start
    path = [before[len(near.low) - 1]]
    while path[-1] in before:
        path.append(before[path[-1]])
    return path[-2::-1]


@kernel("codes", steps=2)
def add_steps(codes: Codes, weights: Numbers, stride: int, step: int, before: Numbers) -> None:
    """Fill in the weight of each class before every row whose index is a multiple of ``step``.

    ``codes``, ``weights`` and ``stride`` come from ``KernelRows``. O(n) time.
    """
    sums = np.zeros(before.shape[1], before.dtype)
    for c in range(len(before)):
        before[c] = sums
        for i in range(c * step, min((c + 1) * step, len(codes))):
            sums[codes[i]] += weights[i * stride]


@kernel("cuts", steps=100)
def add_rest(
    codes: Codes, weights: Numbers, stride: int, step: int, cuts: Ints, below: Numbers
) -> None:
    """Add the weights from the last multiple of ``step`` to each cut, by class (m, K).

    ``codes``, ``weights`` and ``stride`` come from ``KernelRows``.
    """
    for c in range(len(cuts)):
        for i in range(cuts[c] // step * step, cuts[c]):
            below[c, codes[i]] += weights[i * stride]
