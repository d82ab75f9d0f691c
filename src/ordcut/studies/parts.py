"""Rows in parts, of which each is left out in turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ordcut._core.data import Rows
from ordcut._core.typing import Ints

#: The number of parts.
N_PARTS = 5

#: The most rows that repeats may stand for, which random draws without replacement allow.
MOST_ROWS = 10**9 - 1


def parts_of(rows: Rows, rng: np.random.Generator) -> Iterator[tuple[Rows, Rows]]:
    """Yield the rows to find thresholds on and the rows left out, for each part at random.

    A weight that counts rows is divided among the parts, as repeated rows would be. The order of
    the rows does not matter.

    Examples
    --------
    >>> rows = Rows.read(range(10), [0, 1] * 5)
    >>> parts = parts_of(rows, np.random.default_rng(0))
    >>> [(kept.n_rows, left_out.n_rows) for kept, left_out in parts]
    [(8, 2), (8, 2), (8, 2), (8, 2), (8, 2)]
    """
    if rows.soft is None and rows.has_repeats:
        ordered = rows.sorted().merged
        scores = ordered.scores.astype(rows.dtype, copy=False)
        counts = ordered.weights
        counts = np.ones(len(scores), np.int64) if counts is None else counts.astype(np.int64)
        merged = replace(
            rows, scores=scores, codes=ordered.codes, weights=None, weight_type="repeats"
        )
        total, left = int(counts.sum()), counts
        if total > MOST_ROWS:
            raise ValueError(
                f"sample_weight must add up to at most {MOST_ROWS} rows, got {total}. Pass a part "
                "of the rows, drawn at random."
            )
        for k in range(N_PARTS):
            size = total * (k + 1) // N_PARTS - total * k // N_PARTS
            drawn = rng.multivariate_hypergeometric(left, size, method="marginals")
            left = left - drawn
            yield _counted(merged, counts - drawn), _counted(merged, drawn)
        return
    labels = [rows.codes] if rows.soft is None else [*rows.soft.T]
    keys = [key for key in (*labels, rows.weights, rows.scores) if key is not None]
    order = np.lexsort(keys)
    part = np.empty(len(order), np.int64)
    part[order] = rng.permutation(len(order)) % N_PARTS
    for k in range(N_PARTS):
        yield rows.take(np.flatnonzero(part != k)), rows.take(np.flatnonzero(part == k))


def _counted(rows: Rows, counts: Ints) -> Rows:
    """Return rows with the given counts, without rows of count 0."""
    kept = np.flatnonzero(counts)
    taken = rows.take(kept)
    return replace(taken, weights=None if (counts <= 1).all() else counts[kept])
