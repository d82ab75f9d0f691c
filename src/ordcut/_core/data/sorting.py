"""Sort rows by score: Algorithm 1, lines P2 and P3."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from typing import Any, ClassVar, TypeAlias

import numpy as np

from ordcut._core.data.confusion import ONE_OF
from ordcut._core.data.radix import (
    FEW_SCORES,
    SCORES_WORTH_COMPILING,
    sort_by_digits,
    sort_positions,
    sort_with_classes,
)
from ordcut._core.data.scores import check_finite
from ordcut._core.data.soft import weighted_labels
from ordcut._core.numerics.exact import EXACT, exact_totals
from ordcut._core.numerics.jit import kernel
from ordcut._core.numerics.limbs import AS_GIVEN, Limbs
from ordcut._core.numerics.threads import cached_property, run_all, split
from ordcut._core.typing import Array, Bools, Codes, Floats, Ints, Numbers

#: Rows in ascending order of their scores, as kernels take them: (codes, ends, weights, stride).
#:
#: - ``codes``, uint16 of shape (n,): the position of each row's class, 0 to K - 1.
#: - ``ends``, bool of shape (n,): whether a row is the last of its score. A cut ``p``, which puts
#:   rows ``[:p]`` below a threshold, is allowed where ``p == 0`` or ``ends[p - 1]``.
#: - ``weights``, int64 or float64: row ``i`` has weight ``weights[i * stride]``.
#: - ``stride``, int: 1 if ``weights`` has shape (n,); 0 if it has shape (1,), a 1 for all rows.
#:
#: Kernels need no scores: only their order matters.
KernelRows: TypeAlias = tuple[Codes, Bools, Numbers, int]

#: Fewer rows than this are sorted by comparison.
FEWEST_FOR_DIGITS = 256

#: From this many rows on, sharing the rows among threads makes counting faster.
FEWEST_TO_SHARE = 500_000

#: Positions of fewer rows than this fit in 31 bits.
MOST_ROWS_TO_SORT = 1 << 31


@dataclass(frozen=True)
class SortedRows:
    """Rows in the order of their scores: the store that has every cut.

    ``ends`` marks the last row of each distinct score; ``weights`` is None where each row counts 1.
    A cut ``p`` puts the rows ``[:p]`` below a threshold. ``limbs`` says how fractional weights are
    added up without rounding. ``weight`` is the total of all rows; ``whole_kernel_rows`` are the
    arguments of kernels, if all weights are whole numbers, else None.
    The methods of a store are described in ``ordcut._core.solvers.store``.
    """

    scores: Array
    codes: Codes
    ends: Bools
    weights: Numbers | None
    n_classes: int
    limbs: Limbs = field(default=AS_GIVEN, kw_only=True)

    weight: float = field(init=False, repr=False)
    is_whole: bool = field(init=False, repr=False)
    whole_kernel_rows: KernelRows | None = field(init=False, repr=False)
    cost_weight: float = field(init=False, repr=False)

    is_exact: ClassVar[bool] = True
    has_every_cut: ClassVar[bool] = True
    searched_by: ClassVar[str | None] = None

    def __post_init__(self) -> None:
        weight, is_whole = float(len(self.codes)), True
        if self.weights is not None:
            weight, is_whole = float(self.weights.sum()), self.weights.dtype == np.int64
        whole = self.for_kernels(np.dtype(np.int64)) if is_whole else None
        self.__dict__.update(
            weight=weight, is_whole=is_whole, whole_kernel_rows=whole, cost_weight=weight
        )

    @cached_property
    def totals(self) -> Floats:
        """The weight of each class."""
        if self.is_whole:
            return self.exact_totals.astype(np.float64)
        return np.asarray(self.between(np.empty(0, np.int64))[0])

    @cached_property
    def exact_totals(self) -> Array:
        """The weight of each class without rounding."""
        return np.asarray(self.exact_between(np.empty(0, np.int64))[0])

    def between(self, cuts: Ints, n_threads: int = 1) -> Floats:
        """Return the weight of each class between any number of ascending cuts.

        For K - 1 cuts that is the (predicted, true) table. Weights are added up in the order of the
        scores, so that the order in which the rows came is irrelevant.
        """
        return self._sums_between(cuts, n_threads).astype(np.float64)

    def exact_between(self, cuts: Ints, *, inside: bool = False, n_threads: int = 1) -> Array:
        """Return the exact weight of each class between cuts, as int64 or as fractions.

        With ``inside``, only rows from the first to the last cut are added up, in multiples of any
        unit.
        """
        if self.is_whole:
            return self._sums_between(cuts, n_threads)
        assert self.weights is not None
        if self.limbs.n_limbs:
            segments = np.concatenate([[0], cuts, [len(self.codes)]])
            sums = np.zeros((len(cuts) + 1, self.n_classes, self.limbs.n_limbs), np.int64)
            if inside:
                segments[[0, -1]] = segments[[1, -2]]
            segment_limbs(self.codes, self.weights, segments, *self.limbs.factors, sums)
            return self.limbs.multiples(sums) if inside else np.asarray(self.limbs.exact(sums))
        rows = slice(cuts[0], cuts[-1]) if inside else slice(len(self.codes))
        segment = np.searchsorted(cuts, np.arange(len(self.codes))[rows], side="right")
        keys: Ints = segment * self.n_classes + self.codes[rows]
        totals = exact_totals(keys, (len(cuts) + 1) * self.n_classes, self.weights[rows])
        return totals.reshape(-1, self.n_classes)

    def _sums_between(self, cuts: Ints, n_threads: int = 1) -> Numbers:
        dtype = np.dtype(np.int64 if self.is_whole else np.float64)
        totals = np.zeros((len(cuts) + 1, self.n_classes), dtype)
        codes, _, weights, stride = self.for_kernels(dtype)
        segments = np.empty(len(cuts) + 2, np.int64)
        segments[0], segments[1:-1], segments[-1] = 0, cuts, len(codes)
        if n_threads == 1 or len(codes) < FEWEST_TO_SHARE or not self.is_whole:
            segment_totals(codes, weights, stride, segments, totals)
            return totals
        parts: list[Numbers] = []

        def count(piece: tuple[int, int]) -> None:
            part = np.zeros_like(totals)
            segment_totals(codes, weights, stride, segments.clip(*piece), part)
            parts.append(part)

        run_all(count, split(len(codes), n_threads), n_threads)
        return np.sum(parts, axis=0, out=totals)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.codes)

    def rows_for(self, cost: object, limits: object = ()) -> SortedRows:
        """Return the rows themselves, which have every cut."""
        del cost, limits
        return self

    def exact_weights(self, rows: SortedRows, cuts: Ints, *, inside: bool = False) -> Array:
        """Return the exact weight of each class between cuts of the rows themselves."""
        del rows
        return self.exact_between(cuts, inside=inside)

    def all_rows(self) -> SortedRows:
        """Return the rows themselves, which are all rows."""
        return self

    def on_grid(self, grid: object) -> SortedRows:
        """Return the rows themselves, which serve thresholds of any value."""
        del grid
        return self

    def confusion(self, thresholds: Floats) -> Floats:
        """Return the weight of each class between ascending thresholds."""
        return self.between(np.searchsorted(self.scores, thresholds, side="left"))

    def coarse(self) -> SortedRows:
        """Return the rows themselves, for quick steps towards the best cuts."""
        return self

    def cuts_by_shares(self) -> Ints:
        """Return cuts that predict each class about as often as it occurs.

        Examples
        --------
        >>> sort_rows(np.arange(5.0), np.array([1, 0, 0, 1, 2]), None, None, 3).cuts_by_shares()
        array([2, 4])
        """
        totals = self.exact_totals if self.is_whole else self.totals
        cuts = below = totals.cumsum()[:-1]
        if self.weights is not None:
            # Up to the row that has the last of the weight, as if rows were repeated.
            upto = np.searchsorted(np.cumsum(self.weights), below) + 1
            cuts = np.where(below > 0, np.minimum(upto, len(self.codes)), 0)
        for k, cut in enumerate(cuts.tolist()):
            if cut > 0 and not self.ends[cut - 1]:  # up to the end of its score
                cuts[k] = cut + int(np.argmax(self.ends[cut - 1 :]))
        return cuts

    def for_kernels(self, dtype: np.dtype[Any]) -> KernelRows:
        """Return the arguments of kernels, ``KernelRows``, with weights of the given dtype."""
        if self.weights is None:
            return self.codes, self.ends, ONE_OF[dtype], 0
        return self.codes, self.ends, self.weights.astype(dtype, copy=False), 1

    @cached_property
    def merged(self) -> SortedRows:
        """The rows with equal pairs of score and class merged, in the order of classes.

        Sums of fractions then do not depend on the order of the rows, and a weight of ``w`` equals
        ``w`` repeated rows, to the last bit. Sums of whole numbers are exact in any case.
        """
        if self.ends.all():
            return self
        score_number: Ints = np.cumsum(self.ends) - self.ends
        pairs = score_number << 16 | self.codes
        if (pairs[1:] > pairs[:-1]).all():
            return self
        pairs, weights = _merge(pairs, self.weights)
        last = np.append(pairs[1:] >> 16 != pairs[:-1] >> 16, True)
        scores = self.scores[self.ends][pairs >> 16]
        codes = (pairs & 0xFFFF).astype(np.uint16)
        return SortedRows(scores, codes, last, weights, self.n_classes)


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


def known_scores_around(scores: Array, cuts: Ints) -> tuple[Array, Array]:
    """Return the scores on both sides of each cut; an error if any is unknown."""
    lower, upper = around = scores_around(scores, cuts)
    if not (lower < upper).all():  # NaN: a score among rows that were left out
        raise RuntimeError(
            "a threshold came out next to rows that were left out, which must not happen. "
            'Use method="nested" or "dp", and please report this with your data.'
        )
    return around


def place_known(
    scores: Array, cuts: Ints, *, has_lumps: bool
) -> tuple[tuple[Array, Array], Floats]:
    """Return the known scores on both sides of each cut, and a threshold between them.

    Rows with lumps of other rows do not know all scores.
    """
    around = (known_scores_around if has_lumps else scores_around)(scores, cuts)
    return around, place_between(*around)


def place_cuts(scores: Array, cuts: Ints) -> Floats:
    """Return a threshold for each cut of sorted scores, computed in the dtype of the scores.

    It is above the score before the cut and at or below the score after it. Where the midpoint of
    two neighbouring floats rounds to the lower of them, it is the upper score itself.

    Examples
    --------
    >>> place_cuts(np.array([0.1, 0.4, 0.9]), np.array([0, 2, 3]))
    array([-inf, 0.65,  inf])
    """
    return place_between(*scores_around(scores, cuts))


def place_between(lower: Array, upper: Array) -> Floats:
    """Return a threshold above each lower score, or at -inf, and at or below the upper score."""
    middle = lower / 2 + upper / 2  # never rounds to above the upper score
    thresholds: Floats = np.where(middle > lower, middle, upper).astype(np.float64, copy=False)
    thresholds[lower == -np.inf] = -np.inf
    thresholds += 0.0  # turns -0.0 into 0.0
    return thresholds


def sort_rows(
    scores: Array,
    codes: Array | None,
    soft: Floats | None,
    weights: Numbers | None,
    n_classes: int,
    limbs: Limbs = AS_GIVEN,
) -> SortedRows:
    """Sort rows by their scores, which must be finite; they have a code each, or soft labels.

    ``limbs`` says how fractional weights, or soft labels, are added up without rounding.

    Examples
    --------
    >>> rows = sort_rows(
    ...     np.array([0.5, 0.1, 0.5, 0.5]), np.array([1, 0, 1, 0]), None, None, n_classes=2)
    >>> rows.scores, rows.ends
    (array([0.1, 0.5, 0.5, 0.5]), array([ True, False, False,  True]))
    >>> rows.merged.codes, rows.merged.weights
    (array([0, 0, 1], dtype=uint16), array([1, 1, 2]))
    """
    if soft is not None:
        rows = _sort_soft_rows(scores, soft, weights, limbs)
    else:
        assert codes is not None
        rows = _sort_coded_rows(scores, codes, weights, n_classes, limbs)
    low, high = rows.scores[0], rows.scores[-1]  # where sorting puts NaN
    if not -np.inf < low <= high < np.inf:
        check_finite(scores)
    return rows


def _sort_coded_rows(
    scores: Array, codes: Array, weights: Numbers | None, n_classes: int, limbs: Limbs
) -> SortedRows:
    """Sort rows that have a code each."""
    n, may_use_digits = len(scores), weights is None and scores.dtype != np.float64
    if may_use_digits and SCORES_WORTH_COMPILING > n > FEW_SCORES:
        may_use_digits = sort_with_classes.is_compiled_after(n // 20)
    if may_use_digits and FEW_SCORES < n < MOST_ROWS_TO_SORT:
        ordered, codes, ends = sort_by_digits(scores.astype(np.float32, copy=False), codes)
        ordered = ordered.astype(scores.dtype, copy=False)
        return SortedRows(ordered, codes, ends, None, n_classes)
    order, scores, ends = sorted_order(scores)
    weights = None if weights is None else weights[order]
    codes = codes[order].astype(np.uint16)
    return SortedRows(scores, codes, ends, weights, n_classes, limbs=limbs)


def sorted_order(scores: Array) -> tuple[Ints, Array, Bools]:
    """Return the order that sorts finite scores, the scores in that order, and which ends each.

    Examples
    --------
    >>> sorted_order(np.array([0.5, -2.0, 0.5]))
    (array([1, 0, 2]), array([-2. ,  0.5,  0.5]), array([ True, False,  True]))
    """
    if FEWEST_FOR_DIGITS <= len(scores) < MOST_ROWS_TO_SORT and scores.dtype != np.float16:
        result = sort_positions(scores)
        if result is not None:
            return result
    order = np.argsort(scores)
    return order, scores[order], _ends(scores[order])


def insert_lumps(
    rows: SortedRows, positions: Ints, totals: Numbers, scores: Array | None = None
) -> SortedRows:
    """Insert lumps: rows between which there is no cut, known only by their weight per class.

    Lump ``i``, with weights ``totals[i]`` or their sums ``totals[i].sum(axis=1)``, comes before the
    row at ``positions[i]``; lumps at the same position keep their order. Without ``scores``, the
    lumps get scores of NaN.

    Examples
    --------
    >>> rows = sort_rows(np.array([0.5, 0.1]), np.array([1, 0]), None, None, n_classes=2)
    >>> lumped = insert_lumps(rows, np.array([1]), np.array([[3, 4]]))
    >>> lumped.scores, lumped.codes, lumped.weights
    (array([0.1, nan, nan, 0.5]), array([0, 0, 1, 1], dtype=uint16), array([1, 3, 4, 1]))
    """
    totals = totals if totals.ndim == 3 else totals[:, :, None]
    lump, code, term = np.nonzero(totals)
    position = positions[lump]
    weights = np.ones(len(rows.codes), np.int64) if rows.weights is None else rows.weights
    weights = weights.astype(np.result_type(weights, totals), copy=False)  # whole only if all are
    new_scores = np.full(len(lump), np.nan) if scores is None else scores[lump]
    # There are few lumps between many rows, so whole stretches of rows are copied.
    starts = (
        np.flatnonzero(np.append(True, position[1:] != position[:-1])).tolist() if len(lump) else []
    )
    new_bounds = pairwise([*starts, len(lump)])
    old_bounds = pairwise([0, *position[starts].tolist(), len(rows.codes)])
    stretches = list(zip_longest(old_bounds, new_bounds, fillvalue=(0, 0)))

    def joined(old: Array, new: Array) -> Array:
        new = new.astype(old.dtype)
        return np.concatenate(
            [part for (a, b), (c, d) in stretches for part in (old[a:b], new[c:d])]
        )

    return SortedRows(
        joined(rows.scores, new_scores),
        joined(rows.codes, code),
        joined(rows.ends, _ends(lump)),
        joined(weights, totals[lump, code, term]),
        rows.n_classes,
        limbs=rows.limbs,
    )


def _ends(sorted_values: Array) -> Bools:
    """Return which row is the last of its value."""
    if len(sorted_values) == 0:
        return np.zeros(0, np.bool_)
    ends = np.empty(len(sorted_values), np.bool_)
    np.not_equal(sorted_values[1:], sorted_values[:-1], out=ends[:-1])
    ends[-1] = True
    return ends


def _merge(pairs: Ints, weights: Numbers | None) -> tuple[Ints, Numbers | None]:
    """Sort pairs of score and class, and add up the weights of equal pairs."""
    if weights is None:
        pairs, counts = np.unique(pairs, return_counts=True)
        return pairs, counts.astype(np.int64)
    if weights.dtype == np.int64:
        order = np.argsort(pairs, kind="stable")  # quick where pairs are nearly in order
    else:  # by weight, too, so that a sum of fractions does not depend on the rows' order
        order = np.lexsort((weights, pairs))
    pairs, weights = pairs[order], weights[order]
    starts = np.flatnonzero(np.append(True, pairs[1:] != pairs[:-1]))
    return pairs[starts], np.add.reduceat(weights, starts)


def _sort_soft_rows(
    scores: Array, soft: Floats, weights: Numbers | None, limbs: Limbs
) -> SortedRows:
    """Turn each row into a row for each class that has weight in it."""
    if weights is not None:
        rows, soft = weighted_labels(soft, weights)
        scores = scores[rows]
    order, ordered_scores, _ = sorted_order(scores)
    soft = soft[order]
    if soft.sum() < EXACT and (soft == np.rint(soft)).all():
        soft = soft.astype(np.int64)
    row, code = np.nonzero(soft)
    ordered = ordered_scores[row]
    codes, n_classes = code.astype(np.uint16), soft.shape[1]
    return SortedRows(ordered, codes, _ends(ordered), soft[row, code], n_classes, limbs=limbs)


@kernel("codes", steps=4)
def segment_limbs(
    codes: Codes, weights: Floats, segments: Ints, first: float, step: float, sums: Ints
) -> None:
    """Add up the limbs of the weights of each class between neighbouring cuts.

    Adds the rows ``segments[k] <= i < segments[k + 1]`` to ``sums[k]`` by class and limb; ``first``
    and ``step`` are ``Limbs.factors``. O(n) time.
    """
    for k in range(len(segments) - 1):
        total = sums[k]
        for i in range(segments[k], segments[k + 1]):
            code = codes[i]
            rest = weights[i] * first
            limb = 0
            while rest > 0.0:
                whole = np.int64(rest)
                total[code, limb] += whole
                rest = (rest - np.float64(whole)) * step
                limb += 1


@kernel("codes", steps=2)
def segment_totals(
    codes: Codes, weights: Numbers, stride: int, segments: Ints, totals: Numbers
) -> None:
    """Add up the weight of each class between neighbouring cuts.

    Adds the rows ``segments[k] <= i < segments[k + 1]`` to ``totals[k]`` by class. ``codes``,
    ``weights`` and ``stride`` come from ``KernelRows``. O(n) time.
    """
    n_classes = totals.shape[1]
    # Consecutive rows of a class go to different sums, so that no addition waits for the last.
    sums = np.zeros((4, n_classes), totals.dtype)
    for k in range(len(segments) - 1):
        segment_codes = codes[segments[k] : segments[k + 1]]
        total = totals[k]
        if stride == 0:
            n = len(segment_codes)
            for i in range(0, n - 3, 4):
                sums[0, segment_codes[i]] += 1
                sums[1, segment_codes[i + 1]] += 1
                sums[2, segment_codes[i + 2]] += 1
                sums[3, segment_codes[i + 3]] += 1
            for i in range(n - n % 4, n):
                sums[0, segment_codes[i]] += 1
            for code in range(n_classes):
                total[code] = sums[0, code] + sums[1, code] + sums[2, code] + sums[3, code]
            sums[:] = 0
        else:  # sums of fractions are added up in the order of the rows
            segment_weights = weights[segments[k] : segments[k + 1]]
            for i in range(len(segment_codes)):
                total[segment_codes[i]] += segment_weights[i]
