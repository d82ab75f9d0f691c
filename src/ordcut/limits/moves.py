"""Where one threshold can be moved to, the others where they are, within limits on decisions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ordcut.data import SortedRows
from ordcut.limits.constraints import Allowed, Between, Constraint, Digits, Fixed, Gap
from ordcut.limits.region import region_of
from ordcut.limits.scheme import Scheme
from ordcut.solvers import Window
from ordcut.typing import Array, Bools, Ints


def cuts_kept(
    rows: SortedRows,
    constraints: Sequence[Constraint],
    scheme: Scheme,
    cuts: Ints,
    observed: SortedRows | None = None,
) -> list[Ints]:
    """Return for each threshold the cuts around its own that it can move to one by one.

    Limits on what is decided hold at all of them, on the observed rows if these are others. Limits
    on the values of thresholds, such as digits, are left to the caller.

    Parameters
    ----------
    rows : SortedRows
        The rows.
    constraints : sequence of Constraint
        What holds at the cuts given.
    scheme : Scheme
        The names of classes and decisions.
    cuts : ndarray of shape (D - 1,)
        Where the thresholds are.
    observed : SortedRows, optional
        The rows that constraints are about.

    Examples
    --------
    >>> from ordcut.data import Rows
    >>> from ordcut.limits import Share
    >>> rows = Rows.read([1, 2, 3, 4], [0, 1, 1, 1]).sorted()
    >>> scheme = Scheme([0, 1], [0, 1], is_review=False, has_truth=True)
    >>> cuts_kept(rows, [Share(1, at_most=0.5)], scheme, np.array([2]))
    [array([2, 3, 4])]
    """
    of_decisions = [
        one for one in constraints if not isinstance(one, Allowed | Between | Digits | Fixed | Gap)
    ]
    windows = region_of(rows, of_decisions, scheme, observed).windows
    every = windows.cuts[1:-1]  # the first and the last one are not open to any threshold
    own = np.searchsorted(every, cuts) + 1
    ends = np.concatenate([[0], own, [len(windows.cuts) - 1]])
    kept = []
    for k, candidates in enumerate(windows.ranges):
        some = np.arange(candidates.start, candidates.stop)
        some = some[(some >= ends[k]) & (some <= ends[k + 2])]
        is_kept = (
            windows.is_open[k][some - candidates.start]
            & _allows(windows.segments[k], ends[k], some)
            & _allows(windows.segments[k + 1], some, ends[k + 2])
        )
        kept.append(windows.cuts[some[_around(is_kept, int(own[k] - some[0]))]])
    return kept


def _allows(window: Window, starts: Array, ends: Array) -> Bools:
    """Return whether a segment may have such a start and end, of which one is an array."""
    is_allowed = np.asarray(starts <= ends)
    if window.low is not None:
        is_allowed = is_allowed & (starts >= window.low[ends - window.ends.start])
    if window.high is not None:
        is_allowed = is_allowed & (starts <= window.high[ends - window.ends.start])
    if window.level is not None:
        is_allowed = is_allowed & (window.level[starts] <= window.level[ends])
    return np.asarray(is_allowed, np.bool_)


def _around(is_kept: Bools, index: int) -> slice:
    """Return the run of what is kept around an index, which is kept itself."""
    above = np.flatnonzero(~is_kept[index + 1 :])
    below = np.flatnonzero(~is_kept[:index])
    first = int(below[-1]) + 1 if len(below) else 0
    return slice(first, index + 1 + (int(above[0]) if len(above) else len(is_kept)))
