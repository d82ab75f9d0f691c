"""The best start of a segment for each of its ends, where limits rule out starts.

All functions take the value of each start, and whether it is open. Starts and ends are both ranges
of candidates in ascending order; a segment does not start after its end: end ``e`` is the candidate
of start ``e + offset``. Of several starts with the least value, the first is the best; -1 stands
for none.
"""

from __future__ import annotations

from ordcut._core.numerics.jit import inlined, kernel
from ordcut._core.typing import Array, Bools, Ints, Numbers


@inlined
def last_start(e: int, high: Ints, offset: int, n_starts: int) -> int:
    """Return the last start that an end allows; an empty ``high`` allows all up to the end."""
    last = min(e + offset, n_starts - 1)
    return min(last, high[e]) if len(high) > 0 else last


@kernel("start", steps=3)
def add_curve(
    values: Numbers, start: Ints, curve: Numbers, is_open: Bools, total: Numbers, is_next: Bools
) -> None:
    """Fill ``total`` with the value at the start plus the curve, for ends that are open."""
    for e in range(len(start)):
        if start[e] >= 0 and is_open[e]:
            total[e] = curve[e] + values[start[e]]
            is_next[e] = True


@kernel("start", steps=6)
def best_in_window(
    values: Array,
    is_open: Bools,
    low: Ints,
    high: Ints,
    offset: int,
    queue: Ints,
    start: Ints,
) -> None:
    """Find the first open start of least value in a window whose ends never move back.

    ``queue`` holds the starts that can still be the best of a window, with rising values. Fills
    ``start``. O(m) time.
    """
    first = 0
    last = 0
    arriving = 0
    for e in range(len(start)):
        upto = last_start(e, high, offset, len(values))
        while arriving <= upto:
            if is_open[arriving]:
                while last > first and values[queue[last - 1]] > values[arriving]:
                    last -= 1
                queue[last] = arriving
                last += 1
            arriving += 1
        while first < last and queue[first] < low[e]:
            first += 1
        start[e] = queue[first] if first < last else -1


@kernel("order", steps=5)
def rank_levels(
    levels: Array, order: Ints, first_start: int, first_end: int, rank: Ints, top: Ints
) -> None:
    """Fill in the rank of each start by level, and how many of the ranks each end allows.

    ``levels`` ascend, and ``order`` holds the candidates that have them, of which starts and ends
    are a range each. An end allows the starts whose level is not above its own.
    """
    n_starts = 0
    i = 0
    while i < len(order):
        stop = i
        while stop < len(order) and levels[stop] == levels[i]:
            start = order[stop] - first_start
            if 0 <= start < len(rank):
                rank[start] = n_starts
                n_starts += 1
            stop += 1
        for j in range(i, stop):
            end = order[j] - first_end
            if 0 <= end < len(top):
                top[end] = n_starts
        i = stop


@kernel("start", steps=40)
def best_of_lowest_levels(
    values: Array,
    is_open: Bools,
    high: Ints,
    offset: int,
    rank: Ints,
    top: Ints,
    least: Array,
    best: Ints,
    start: Ints,
) -> None:
    """Find the first open start of least value up to ``high[e]`` among the lowest levels.

    ``rank[s]`` is the position of start ``s`` in the order of levels, of which an end ``e`` allows
    the first ``top[e]``. ``best`` is a Fenwick tree over the ranks: entry ``i`` is the best start
    of the ranks from ``i - (i & -i)`` to ``i - 1``, -1 if there is none, and ``least`` its value.
    Fills ``start``. O(m log m) time.
    """
    arriving = 0
    for e in range(len(start)):
        upto = last_start(e, high, offset, len(values))
        while arriving <= upto:
            if is_open[arriving]:
                value = values[arriving]
                node = rank[arriving] + 1
                # Starts arrive in ascending order, so the first of equal values stays; entries
                # further up cover this one, and are no worse.
                while node < len(best) and (best[node] < 0 or value < least[node]):
                    best[node] = arriving
                    least[node] = value
                    node += node & -node
            arriving += 1
        chosen = -1
        node = top[e]
        while node > 0:
            other = best[node]
            if other >= 0 and (
                chosen < 0
                or least[node] < values[chosen]
                or (least[node] == values[chosen] and other < chosen)
            ):
                chosen = other
            node -= node & -node
        start[e] = chosen


@kernel("start", steps=60)
def best_by_level(
    values: Array,
    is_open: Bools,
    low: Ints,
    high: Ints,
    offset: int,
    rank: Ints,
    top: Ints,
    tree: Ints,
    start: Ints,
) -> None:
    """Find the first open start of least value in a window, among starts of the lowest levels.

    ``rank[s]`` is the position of start ``s`` in the order of levels, of which an end ``e`` allows
    the first ``top[e]``. ``tree`` is a segment tree over the ranks, of the best starts that are in
    the window, whose ends never move back. Fills ``start``. O(m log m) time.
    """
    size = len(tree) // 2
    arriving = 0
    leaving = 0
    for e in range(len(start)):
        upto = last_start(e, high, offset, len(values))
        while arriving <= upto:
            if is_open[arriving] and arriving >= low[e]:
                node = size + rank[arriving]
                tree[node] = arriving
                node //= 2
                while node > 0:
                    best = tree[node]
                    # Starts arrive in ascending order, so the first of equal values stays.
                    if best >= 0 and values[best] <= values[arriving]:
                        break
                    tree[node] = arriving
                    node //= 2
            arriving += 1
        while leaving < min(low[e], len(values)):
            node = size + rank[leaving]
            if tree[node] == leaving:
                tree[node] = -1
                node //= 2
                while node > 0 and tree[node] == leaving:
                    left = tree[2 * node]
                    right = tree[2 * node + 1]
                    if left < 0:
                        tree[node] = right
                    elif right < 0 or values[left] < values[right]:
                        tree[node] = left
                    elif values[right] < values[left]:
                        tree[node] = right
                    else:
                        tree[node] = min(left, right)
                    node //= 2
            leaving += 1
        best = -1
        stop = size + top[e]
        while stop > 1:
            if stop % 2 == 1:
                other = tree[stop - 1]
                if other >= 0 and (
                    best < 0
                    or values[other] < values[best]
                    or (values[other] == values[best] and other < best)
                ):
                    best = other
            stop //= 2
        if top[e] == size and tree[1] >= 0:
            best = tree[1]
        start[e] = best
