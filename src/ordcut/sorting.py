"""Sort rows by score and merge those that no threshold can tell apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordcut.arrays import Array, Codes, Floats, Ints
from ordcut.sources.arrays import ArraySource


@dataclass(frozen=True)
class SortedRows:
    """Rows in the order of (score, class), with one row for each such pair where pairs repeat."""

    scores: Array
    offsets: Ints
    codes: Codes
    weights: Floats | None


def sort_rows(source: ArraySource) -> SortedRows:
    """Sort a source's rows: Algorithm 1, lines P2 and P3.

    Merging equal pairs of score and class before any cost is added makes a weight of ``w`` the
    same as ``w`` repeats, to the last bit, and the order of the rows irrelevant.

    Examples
    --------
    >>> rows = sort_rows(ArraySource([0.5, 0.1, 0.5, 0.5], [1, 0, 1, 0]))
    >>> rows.scores, rows.offsets, rows.codes, rows.weights
    (array([0.1, 0.5]), array([0, 1, 3]), array([0, 0, 1], dtype=uint16), array([1., 1., 2.]))
    """
    if source.soft is not None:
        return _sort_soft_rows(source.scores, source.soft, source.weights)
    assert source.codes is not None
    order = np.argsort(source.scores)
    scores = source.scores[order]
    codes = source.codes[order].astype(np.uint16)
    weights = None if source.weights is None else source.weights[order]
    starts = _starts(scores)
    n = len(scores)
    if len(starts) == n:
        return SortedRows(scores, np.arange(n + 1), codes, weights)
    group = np.repeat(np.arange(len(starts)), np.diff(starts, append=n))
    pairs, weights = _merge(group << 16 | codes, weights)
    merged_codes = (pairs & 0xFFFF).astype(np.uint16)
    offsets = np.searchsorted(pairs >> 16, np.arange(len(starts) + 1))
    return SortedRows(scores[starts], offsets, merged_codes, weights)


def _starts(sorted_scores: Array) -> Ints:
    """Return where each distinct score begins."""
    return np.flatnonzero(np.concatenate(([True], sorted_scores[1:] != sorted_scores[:-1])))


def _merge(pairs: Ints, weights: Floats | None) -> tuple[Ints, Floats | None]:
    """Sort pairs of score and class, and add up the weights of equal ones."""
    if weights is None:
        pairs, counts = np.unique(pairs, return_counts=True)
        return pairs, None if (counts == 1).all() else counts.astype(np.float64)
    # Equal pairs go by weight, so that a sum of fractions does not depend on the rows' order.
    order = np.lexsort((weights, pairs))
    pairs, weights = pairs[order], weights[order]
    starts = _starts(pairs)
    return pairs[starts], np.add.reduceat(weights, starts)


def _sort_soft_rows(scores: Array, soft: Floats, weights: Floats | None) -> SortedRows:
    if weights is not None:
        soft = soft * weights[:, None]
    order = np.argsort(scores)
    starts = _starts(scores[order])
    if len(starts) < len(scores):  # equal scores go by their labels, for the same reason
        order = np.lexsort((*soft.T, scores))
        soft = np.add.reduceat(soft[order], starts, axis=0)
    else:
        soft = soft[order]
    row, code = np.nonzero(soft)
    offsets = np.searchsorted(row, np.arange(len(starts) + 1))
    return SortedRows(scores[order][starts], offsets, code.astype(np.uint16), soft[row, code])
