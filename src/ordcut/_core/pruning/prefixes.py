"""Slots that follow any distribution: a table over the leading bits of the scores.

The bits of a float are, but for the sign, an integer in the order of the floats. Its leading bits
are an index into a table of nodes, and every node that holds much of a sample is cut by the bits
that follow. A slot is then a range of integers, wide where scores are rare and narrow where they
are common: near 0, near 1, around a spike or far from everything else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ordcut._core.typing import Array, Keys

#: The first table has entries for this many leading bits of the range of the scores.
FIRST_BITS = 14

#: Nodes are cut by at most this many bits at a time, into at most this many slots in all: their
#: indices must fit into 16 bits.
MOST_BITS, MOST_SLOTS = 14, 1 << 16

#: Nodes with at least this many scores of the sample may be cut into up to 16 times as many slots
#: as their share, in case they are uneven inside.
MANY = 8

#: A further step, which all rows have to take, cuts nodes with more scores of the sample than this.
MOST_LEFT = (0, 20, 160)

#: An equal score of the sample counts at most this often: more than half of what may be left, so
#: that two common scores are told apart.
MOST_EQUAL = 12

LOW_BITS = np.uint64(0xFFFFFFFF)


class Prefixes(NamedTuple):
    """Slots by the leading bits of scores.

    Let ``u`` be the ordered integer of a score, clipped to the range ``window[:2]``, minus the
    lowest. Its first node is ``u >> window[2]``. Each of ``window[3]`` steps leads from node ``s``
    to ``(nodes[s] >> 32) + (u >> (nodes[s] & 63))``, modulo 2**32. The last node is the slot.

    Attributes
    ----------
    nodes : ndarray of uint64
        How each node is cut; empty only in ``NO_PREFIXES``.
    window : ndarray of uint64, shape (4,)
        The lowest and the highest integer, the bits below the first table, and the number of steps.
    widths : ndarray of uint64, shape (n_slots,)
        The number of bits by which the integers of a slot differ.
    """

    nodes: Keys
    window: Keys
    widths: Keys

    def locate(self, scores: Array) -> Keys:
        """Return the slot of each score."""
        first, last, shift, n_steps = self.window
        integers = np.clip(ordered_integers(scores), first, last) - first
        at: Keys = integers >> shift
        for _ in range(int(n_steps)):
            node = self.nodes[at]
            at = ((node >> np.uint64(32)) + (integers >> (node & np.uint64(63)))) & LOW_BITS
        return at


#: No table: slots are equal steps of the line.
NO_PREFIXES = Prefixes(*(np.zeros(n, np.uint64) for n in (0, 4, 0)))


def prefixes_like(sample: Array, n_slots: int) -> Prefixes:
    """Return slots of which about ``n_slots`` share the scores of a sorted sample evenly.

    Examples
    --------
    >>> sample = np.array([1e-9, 2e-9, 1.0, 1.5, 1e9, 2e9])
    >>> len(np.unique(prefixes_like(sample, 24).locate(sample)))
    6
    """
    is_kept = np.ones(len(sample), np.bool_)
    is_kept[MOST_EQUAL:] = sample[MOST_EQUAL:] != sample[:-MOST_EQUAL]
    integers = ordered_integers(sample[is_kept])
    last = integers[-1]
    shift = np.uint64(max(0, int(last - integers[0]).bit_length() - FIRST_BITS))
    first = integers[0] >> shift << shift  # so that powers of two begin a node
    u = integers - first
    at, n_nodes = (u >> shift).astype(np.int64), int(u[-1] >> shift) + 1
    widths = np.full(n_nodes, shift)
    steps: list[Keys] = []
    for most in MOST_LEFT:
        starts = np.flatnonzero(np.append(True, at[1:] != at[:-1]))
        here, n_here = at[starts], np.diff(np.append(starts, len(at)))
        if steps and (n_here[widths[here] > 0] <= most).all():
            break
        wanted = np.where(n_here > most, n_here * (n_slots / len(u)), 1.0)
        spare = np.log2((MOST_SLOTS - n_nodes) / 2 / wanted.sum())
        wanted[n_here >= MANY] *= 2.0 ** np.clip(spare, None, 4)
        n_bits = (np.frexp(wanted)[1] - 1).clip(0, MOST_BITS).astype(np.uint64)
        n_bits = np.minimum(n_bits, widths[here])
        n_parts = np.ones(n_nodes, np.int64)
        n_parts[here] = 1 << n_bits.astype(np.int64)
        targets = (np.cumsum(n_parts) - n_parts).astype(np.uint64)
        # A node that is cut adds its next bits; any other adds nothing, since integers have 63.
        before, width = u[starts] >> widths[here] << n_bits, widths[here] - n_bits
        node = targets << np.uint64(32) | np.uint64(63)
        cut = ((targets[here] - before) & LOW_BITS) << np.uint64(32) | width
        node[here] = np.where(n_bits > 0, cut, node[here])
        steps.append(node)
        widths[here] = width
        within = (u >> np.repeat(width, n_here)) - np.repeat(before, n_here)
        at = (np.repeat(targets[here], n_here) + within).astype(np.int64)
        widths, n_nodes = np.repeat(widths, n_parts), int(n_parts.sum())
    # Nodes of all steps are in one table; only nodes of the last step are counted from 0.
    offset = np.uint64(0)
    for node in steps[:-1]:
        offset += np.uint64(len(node))
        node += offset << np.uint64(32)
    window = np.array([first, last, shift, len(steps)], np.uint64)
    return Prefixes(np.concatenate(steps), window, widths)


def bits_of(scores: Array) -> Array:
    """Return the bits of float32 or float64 scores as unsigned integers."""
    return np.ascontiguousarray(scores).view(f"u{scores.itemsize}")


def ordered_integers(scores: Array) -> Keys:
    """Return integers below 2**63 in the order of float32 or float64 scores.

    They are the bits of the scores, without the last of 64.

    Examples
    --------
    >>> np.diff(ordered_integers(np.array([-1.0, -0.0, 0.0, 1.0]))) > 0
    array([ True, False,  True])
    """
    bits = bits_of(scores + scores.dtype.type(0))  # -0.0 becomes 0.0
    sign = bits.dtype.type(1 << (8 * scores.itemsize - 1))
    ordered = np.where(bits & sign, ~bits, bits | sign).astype(np.uint64)
    return ordered >> np.uint64(scores.itemsize >> 3)


def n_equal_pairs(ordered: Array) -> int:
    """Return how many pairs of ordered values are equal, each value with itself included."""
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    times = np.diff(np.append(starts, len(ordered)))
    return int(times @ times)
