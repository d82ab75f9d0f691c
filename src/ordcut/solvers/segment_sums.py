"""The best cuts for a score that adds up over decisions, such as macro-F1: exact.

Branch and bound leaves the few cuts that float64 cannot rule out. They are compared in whole
numbers and fractions: by a dynamic programme over pairs of cuts, or, for the smallest term and
then the next smallest, by raising one level after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ordcut.data import SortedRows
from ordcut.pruning import SegmentBounds, rounding_of
from ordcut.segment_terms import SegmentTerms
from ordcut.solvers.levels import raise_levels
from ordcut.solvers.near_ties import ExactWeights
from ordcut.solvers.windows import SegmentWindow, Windows, sums_at
from ordcut.typing import Array, Ints


def segment_cuts(rows: SortedRows, terms: SegmentTerms, n_rows: int, between: ExactWeights) -> Ints:
    """Return the best cuts of rows, of which ``between`` returns exact weights.

    Of several optima, it is that with the lowest highest cut, then the lowest next cut, and so on.
    """
    positions: Ints = np.append(0, np.flatnonzero(rows.ends) + 1)
    below = _below(rows, positions)
    candidates = [np.arange(len(positions))] * (terms.n_classes - 1)
    near = _search(rows, terms, n_rows, below, candidates).near_best()
    assert near is not None
    return positions[_best_of(terms, near, below, positions, between)]


def best_segments(
    rows: SortedRows, terms: SegmentTerms, windows: Windows, between: ExactWeights
) -> Ints | None:
    """Return the candidate of each threshold for the best score within windows, or None."""
    if terms.joined == "smallest":
        raise ValueError(
            'constraints cannot be used with objective "min_recall": the thresholds that raise the '
            'smallest recall leave no choice. Use constraints such as "recall 2 >= 0.6" with '
            'another objective, such as "macro_f1".'
        )
    if not all(windows.ranges):
        return None
    candidates = [
        own.start + np.flatnonzero(is_open)
        for own, is_open in zip(windows.ranges, windows.is_open, strict=True)
    ]
    below = _below(rows, windows.cuts)
    search = _search(rows, terms, len(rows.codes), below, candidates, windows.segments)
    near = search.near_best()
    if near is None:
        return None
    at = [own[units] for own, units in zip(candidates, near, strict=True)]
    return _best_of(terms, at, below, windows.cuts, between, windows.segments)


def _below(rows: SortedRows, cuts: Ints) -> Array:
    """Return the weight of each class below each cut, (K, m)."""
    dtype = np.dtype(np.int64 if rows.is_whole else np.float64)
    codes, _, weights, stride = rows.for_kernels(dtype)
    below = np.zeros((rows.n_classes, len(cuts)), dtype)
    for step, sums in zip(np.eye(rows.n_classes, dtype=dtype), below, strict=True):
        sums_at(codes, weights, stride, step, cuts, sums)
    return below


def _search(
    rows: SortedRows,
    terms: SegmentTerms,
    n_rows: int,
    below: Array,
    candidates: Sequence[Ints],
    windows: Sequence[SegmentWindow] | None = None,
) -> SegmentBounds:
    weighed = terms.weighed(below)
    error = rounding_of(weighed, terms, rows.is_whole, n_rows)
    return SegmentBounds(terms, weighed, error, candidates, candidates, windows)


def _best_of(
    terms: SegmentTerms,
    at: Sequence[Ints],
    below: Array,
    cuts: Ints,
    between: ExactWeights,
    windows: Sequence[SegmentWindow] | None = None,
) -> Ints:
    """Return the position of each cut, of those given for each, with the highest exact score."""
    inner = np.unique(np.concatenate(at))
    known = np.concatenate([[0], inner, [len(cuts) - 1]])
    if below.dtype == np.int64 or not terms.is_exact:
        weights = below[:, known].T
    else:
        weights = np.cumsum(between(cuts[known])[:-1], axis=0)
    weights = terms.whole(weights) if terms.is_exact else terms.weighed(weights.T).T
    if terms.joined == "smallest":
        return inner[raise_levels([np.searchsorted(inner, own) for own in at], weights)]
    totals = weights[-1]
    score = terms.exact_term if terms.is_exact else terms.float_term
    best: list[Any] = [None]
    starts, choices = np.zeros(1, np.int64), []
    for d in range(len(below)):
        ends = np.searchsorted(inner, at[d]) + 1 if d < len(at) else np.array([len(known) - 1])
        after, choice = [], []
        for end in ends.tolist():
            top, first = None, -1
            for index, (start, before) in enumerate(zip(starts.tolist(), best, strict=True)):
                is_reached = d == 0 or before is not None
                if not is_reached or not _is_allowed(d, known[start], known[end], windows):
                    continue
                term = score(d, weights[end] - weights[start], totals)
                joined = term if d == 0 else terms.join(before, term)
                if top is None or joined > top:
                    top, first = joined, index
            after.append(top)
            choice.append(first)
        starts, best = ends, after
        choices.append((ends, choice))
    path, index = [], 0
    for (_, choice), own in zip(choices[:0:-1], reversed(at), strict=True):
        index = choice[index]
        path.append(own[index])
    return np.array(path[::-1], np.int64)


def _is_allowed(d: int, start: int, end: int, windows: Sequence[SegmentWindow] | None) -> bool:
    """Return whether the segment of a decision may be between two positions."""
    if windows is None:
        return start <= end
    window = windows[d]
    index = end - window.ends.start
    is_low = window.low is None or window.low[index] <= start
    is_high = start <= (end if window.high is None else window.high[index])
    is_level = window.level is None or window.level[start] + window.rise <= window.level[end]
    return bool(is_low and is_high and is_level)
