"""The best cuts for a score that adds up over decisions, such as macro-F1: exact.

Branch and bound leaves the few cuts that float64 cannot rule out. They are compared in whole
numbers and fractions: by a dynamic programme over pairs of cuts, or, for the smallest term and
then the next smallest, by raising one level after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ordcut._core.data import SortedRows
from ordcut._core.objectives.terms import NOTHING_JOINED, Ranges, SegmentTerms
from ordcut._core.pruning import SegmentBounds, can_hold_cuts
from ordcut._core.solvers.levels import raise_levels
from ordcut._core.solvers.near_ties import ExactWeights
from ordcut._core.solvers.windows import SegmentWindow, Windows, sums_at
from ordcut._core.typing import Array, Ints

#: Of more cuts than the first number, only those are compared that lie in blocks that can hold the
#: best cuts; then, the least number of cuts in a block on average, and the most blocks.
MOST_CUTS, LEAST_CUTS_IN_BLOCK, MOST_BLOCKS = 1 << 14, 32, 1 << 12


def segment_cuts(rows: SortedRows, terms: SegmentTerms, n_rows: int, between: ExactWeights) -> Ints:
    """Return the best cuts of rows, of which ``between`` returns exact weights.

    Of several optima, it is that with the lowest highest cut, then the lowest next cut, and so on.
    """
    cuts: Ints = np.append(0, np.flatnonzero(rows.ends) + 1)
    if len(cuts) > MOST_CUTS and terms.has_bounds:
        cuts = cuts[_near_best_blocks(rows, terms, n_rows, cuts)]
    candidates = [np.arange(len(cuts))] * (terms.n_classes - 1)
    best = _best(rows, terms, n_rows, between, cuts, candidates)
    assert best is not None
    return cuts[best]


def best_segments(
    rows: SortedRows, terms: SegmentTerms, windows: Windows, between: ExactWeights
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
    n_rows = len(rows.codes)
    return _best(rows, terms, n_rows, between, windows.cuts, candidates, windows.segments)


def _near_best_blocks(rows: SortedRows, terms: SegmentTerms, n_rows: int, cuts: Ints) -> Ints:
    """Return the indices of cuts in blocks of rows that can hold the best cuts, and of the ends.

    A score of many rows, or with a row of much weight, is a block of its own.
    """
    n_blocks = min(MOST_BLOCKS, len(cuts) // LEAST_CUTS_IN_BLOCK)
    even = np.linspace(0, len(rows.codes), n_blocks + 1).astype(np.int64)
    if rows.weights is not None:
        heavy = np.flatnonzero(rows.weights > rows.weight / n_blocks)
        even = np.concatenate([even, heavy, heavy + 1])
    before, after = np.searchsorted(cuts, even, "right") - 1, np.searchsorted(cuts, even, "left")
    borders = np.unique(np.concatenate([before, after]))
    n_cuts = np.diff(borders)
    sums = rows.exact_between if rows.is_whole else rows.between
    is_near = can_hold_cuts(sums(cuts[borders[1:-1]]), terms, n_rows, is_single=n_cuts == 1)
    is_kept = np.repeat(is_near, n_cuts)
    return np.flatnonzero(np.append(True, is_kept) | np.append(is_kept, True))


def _best(
    rows: SortedRows,
    terms: SegmentTerms,
    n_rows: int,
    between: ExactWeights,
    cuts: Ints,
    candidates: Sequence[Ints],
    windows: Sequence[SegmentWindow] | None = None,
) -> Ints | None:
    """Return the index of each cut, of the candidates, for the best score, or None."""
    below = _below(rows, cuts)
    near = SegmentBounds(terms, below, n_rows, candidates, candidates, windows).near_best()
    if near is None or len(near.low) == terms.n_classes + 1:
        return None if near is None else near.low[1:-1]
    known, at = np.unique(near.low, return_inverse=True)
    if below.dtype == np.int64 or not terms.is_exact:
        weights = terms.prepared(below[:, known].T)
    else:
        weights = terms.prepared(np.cumsum(between(cuts[known])[:-1], axis=0))
    if terms.rule.joined == "smallest":
        return known[raise_levels([at[near.at(k)] for k in range(1, terms.n_classes)], weights)]
    return near.low[_best_path(terms, near, weights[at])]


def _below(rows: SortedRows, cuts: Ints) -> Array:
    """Return the weight of each class below each cut, (K, m)."""
    if rows.is_whole:
        return np.asarray(rows.exact_between(cuts).cumsum(axis=0)[:-1].T)
    # Fractions are added up one after the other, so that sums do not depend on the other cuts.
    codes, _, weights, stride = rows.for_kernels(np.dtype(np.float64))
    below = np.zeros((rows.n_classes, len(cuts)))
    for step, sums in zip(np.eye(rows.n_classes), below, strict=True):
        sums_at(codes, weights, stride, step, cuts, sums)
    return below


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
