"""The optimal cuts by prefix scans, on whatever device the rows are.

Moving the rows below a cut from class ``k + 1`` to class ``k`` gains a prefix sum. For a convex
cost each cut goes where its own gain is highest (Theorem 2). For any other, the best gain of the
cuts ``0..k`` with cut ``k`` at a place is the gain of cut ``k`` there plus the best of the cuts
before it at that place or below, a running maximum: K - 1 passes of two scans. Nothing in here
waits for the device.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ordcut.objectives import LARGEST_SUM
from ordcut.torch.tensors import TensorRows


def find_cuts(rows: TensorRows, cost: Tensor, is_convex: bool) -> Tensor:
    """Return the lowest optimal cuts, (K - 1,): how many sorted rows have class k or lower.

    O(n K) time. Memory is O(n) for a convex cost, and 8 bytes for each row and class otherwise.
    """
    steps = cost[1:] - cost[:-1]
    gains = Gains(rows, cost)
    return _independent(gains, steps) if is_convex else _ordered(gains, steps)


class Gains:
    """What each of the n + 1 cuts gains over having all rows above it, in memory used again.

    Fresh memory for each threshold would cost as much as the scans.
    """

    def __init__(self, rows: TensorRows, like: Tensor) -> None:
        self.rows, n = rows, len(rows.scores)
        self.n_cuts = n + 1
        self._changes, self._gains = like.new_empty(n), like.new_empty(n + 1)
        # A cut below all rows gains nothing, so that what falls below 0 is never the best.
        lowest = -torch.inf if like.is_floating_point() else -int(LARGEST_SUM)
        self._handicap = torch.where(rows.is_cut, like.new_zeros(()), lowest)

    def at(self, step: Tensor) -> Tensor:
        """Return the gains of moving rows of class ``l`` down for ``step[l]`` each."""
        self.rows.changes(step, out=self._changes)
        torch.cumsum(self._changes, 0, out=self._gains[1:])
        self._gains[0] = 0
        return self._gains.add_(self._handicap)


def _independent(gains: Gains, steps: Tensor) -> Tensor:
    # Of equal gains, argmax takes the first.
    cuts = torch.stack([gains.at(step).argmax() for step in steps])
    # In exact arithmetic this changes nothing; after rounding it keeps the lower of two cuts.
    return torch.cummin(cuts.flip(0), 0).values.flip(0)


def _ordered(gains: Gains, steps: Tensor) -> Tensor:
    best = steps.new_empty(len(steps), gains.n_cuts)
    where = best.new_empty(gains.n_cuts, dtype=torch.int64)
    for k, step in enumerate(steps):
        total = gains.at(step)
        if k > 0:
            total += best[k - 1]
        torch.cummax(total, 0, out=(best[k], where))
    place = where.new_full((1,), gains.n_cuts - 1)
    cuts = []
    for running in best.unbind()[::-1]:
        # The first place at which the running maximum is what it is at the cut above.
        place = torch.searchsorted(running, running.index_select(0, place))
        cuts.append(place)
    return torch.cat(cuts[::-1])
