"""Quick steps towards the highest kappa, in floating point: exact steps start where these end."""

from __future__ import annotations

import numpy as np

from ordcut._core.data import SortedRows
from ordcut._core.numerics.jit import kernel
from ordcut._core.objectives import ExactRatio
from ordcut._core.pruning import halving_order
from ordcut._core.solvers.nested import minimise_each
from ordcut._core.typing import Bools, Codes, Floats, Ints, Numbers

#: Steps end once the ratio falls by less than this share of itself: the next fall is about the
#: square of that.
SMALL_FALL = 1e-3

#: More steps than this do not occur, but rounding might go around in circles.
MOST_STEPS = 20


def approach_kappa(rows: SortedRows, exact: ExactRatio) -> Ints:
    """Return cuts near the highest kappa, by steps from cuts that predict classes as they occur."""
    cuts = rows.cuts_by_shares()
    given = rows.whole_kernel_rows or rows.for_kernels(np.dtype(np.float64))
    each = zip(exact.costs, exact.largest, strict=True)
    paid, by_chance = ((cost / most).astype(np.float64, copy=False) for cost, most in each)
    approach_least_ratio(*given, paid, by_chance, halving_order(len(cuts)), cuts)
    return cuts


@kernel("codes", steps=20)
def approach_least_ratio(
    codes: Codes,
    ends: Bools,
    weights: Numbers,
    stride: int,
    paid: Floats,
    by_chance: Floats,
    order: Ints,
    cuts: Ints,
) -> None:
    """Lower the ratio of two costs of cuts by Dinkelbach's steps, until it hardly falls.

    Replaces ``cuts`` by the cuts of the least ratio. Exact steps can start from any ratio, so sums
    may be rounded, and each curve is minimised as if costs were convex. ``order`` comes from
    ``halving_order``, and ``KernelRows`` describes the first four arguments.
    """
    n_cuts, n_classes = len(cuts), paid.shape[1]
    better = cuts.copy()
    lowest, highest = np.zeros(n_cuts, np.int64), np.full(n_cuts, len(codes))
    gain = np.empty((n_cuts, n_classes))
    least = np.inf
    for _ in range(MOST_STEPS):
        top = 0.0
        bottom = 0.0
        for k in range(n_cuts + 1):
            first = better[k - 1] if k > 0 else 0
            last = better[k] if k < n_cuts else len(codes)
            for i in range(first, last):
                top += weights[i * stride] * paid[k, codes[i]]
                bottom += weights[i * stride] * by_chance[k, codes[i]]
        ratio = top / bottom
        if not ratio < least:
            return
        cuts[:] = better
        if ratio > (1 - SMALL_FALL) * least:
            return
        least = ratio
        for k in range(n_cuts):
            for truth in range(n_classes):
                gain[k, truth] = paid[k, truth] - paid[k + 1, truth]
                gain[k, truth] -= ratio * (by_chance[k, truth] - by_chance[k + 1, truth])
        minimise_each(codes, ends, weights, stride, gain, order, lowest, highest, better)
