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

from ordcut.torch.tensors import TensorRows


def find_cuts(rows: TensorRows, cost: Tensor, is_convex: bool) -> Tensor:
    """Return the lowest optimal cuts, (K - 1,): how many sorted rows have class k or lower.

    O(n K) time. Memory is O(n) for a convex cost, and 8 bytes for each row and class otherwise.
    """
    steps = cost[1:] - cost[:-1]
    return _independent(rows, steps) if is_convex else _ordered(rows, steps)


def _gains(rows: TensorRows, step: Tensor) -> Tensor:
    """Return what each of the n + 1 cuts gains over having all rows above it."""
    gains = step.new_zeros(len(rows.scores) + 1)
    torch.cumsum(rows.changes(step), 0, out=gains[1:])
    return gains


def _only_at_cuts(rows: TensorRows, gains: Tensor) -> Tensor:
    is_float = gains.is_floating_point()
    lowest = -torch.inf if is_float else torch.iinfo(gains.dtype).min
    return torch.where(rows.is_cut, gains, lowest)


def _independent(rows: TensorRows, steps: Tensor) -> Tensor:
    # Of equal gains, argmax takes the first.
    cuts = torch.stack([_only_at_cuts(rows, _gains(rows, step)).argmax() for step in steps])
    # In exact arithmetic this changes nothing; after rounding it keeps the lower of two cuts.
    return torch.cummin(cuts.flip(0), 0).values.flip(0)


def _ordered(rows: TensorRows, steps: Tensor) -> Tensor:
    best: list[Tensor] = []
    for step in steps:
        gains = _gains(rows, step)
        if best:
            gains += best[-1]
        best.append(torch.cummax(_only_at_cuts(rows, gains), 0).values)
    place = torch.full((1,), len(rows.scores), device=rows.scores.device)
    cuts = []
    for running in reversed(best):
        # The first place at which the running maximum is what it is at the cut above.
        place = torch.searchsorted(running, running.index_select(0, place))
        cuts.append(place)
    return torch.cat(cuts[::-1])
