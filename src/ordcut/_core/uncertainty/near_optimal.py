"""How far each threshold can move alone before the value is noticeably worse."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ordcut._core.data import SortedRows, scores_around
from ordcut._core.limits import Limits, region_of
from ordcut._core.numerics.exact import WEIGHT_DENOMINATOR, as_fraction
from ordcut._core.thresholds import OriginalRows, Thresholds, original_rows
from ordcut._core.typing import Bools, Floats, Ints

#: Differences in the value up to this share of the largest cost are rounding errors.
ROUNDING = 1e-12


def near_optimal_ranges(thresholds: Thresholds, tolerance: float) -> Floats:
    """Return the near-optimal ranges of a result; see ``Thresholds.near_optimal``."""
    if not 0 <= tolerance < np.inf:
        raise ValueError(
            "tolerance must be a share of the loss that is not negative, such as 0.01, "
            f"got {tolerance!r}."
        )
    known = original_rows(thresholds, "near_optimal")
    cuts = known.cuts
    judge = _Judge(known)
    limit = tolerance * abs(judge.loss) + ROUNDING * judge.scale
    edges = np.concatenate(([0], cuts, [len(known.sorted.codes)]))
    lowest = [judge.last_good(k, cuts[k], edges[k], limit) for k in range(len(cuts))]
    highest = [judge.last_good(k, cuts[k], edges[k + 2], limit) for k in range(len(cuts))]
    if known.origin.limits is not None:
        lowest, highest = _within_limits(known, known.origin.limits, lowest, highest)
    scores = known.sorted.scores.astype(known.rows.dtype, copy=False)
    ranges = scores_around(scores, np.array(lowest))[0], scores_around(scores, np.array(highest))[1]
    return np.array(ranges, np.float64).T + 0.0


def _within_limits(
    known: OriginalRows, limits: Limits, lowest: list[int], highest: list[int]
) -> tuple[list[int], list[int]]:
    """Return how far each cut can go down and up before a limit on what is decided is broken."""
    limited, observed = known.rows, known.sorted
    if known.origin.limited is not known.origin.solved:
        limited = known.origin.limited.data.all_rows()
        observed = limited.sorted()
    unit = as_fraction(limited.unit, WEIGHT_DENOMINATOR)
    kept = cuts_kept(known.sorted, limits, known.cuts, observed, unit)
    spans = [
        (cuts[0], cuts[-1])
        for cuts in (
            cuts[(cuts >= low) & (cuts <= high)]
            for cuts, low, high in zip(kept, lowest, highest, strict=True)
        )
    ]
    return [int(low) for low, _ in spans], [int(high) for _, high in spans]


def cuts_kept(
    rows: SortedRows,
    limits: Limits,
    cuts: Ints,
    observed: SortedRows | None = None,
    unit: Fraction = Fraction(1),
) -> list[Ints]:
    """Return for each threshold the run of cuts around its own that keep the limits.

    The other thresholds stay. Limits on ratios of weights hold at all of these cuts, on the
    observed rows if given. Limits on the values of thresholds, such as digits, are ignored.

    Parameters
    ----------
    rows : SortedRows
        The rows.
    limits : Limits
        What holds at the given cuts.
    cuts : ndarray of shape (D - 1,)
        Where the thresholds are.
    observed : SortedRows, optional
        The rows that the limits are about.
    unit : Fraction
        What a weight of 1 stands for on these rows.

    Examples
    --------
    >>> from ordcut._core.data import Rows
    >>> from ordcut._core.limits import Names, Share, lower_all
    >>> rows = Rows.read([1, 2, 3, 4], [0, 1, 1, 1]).sorted()
    >>> limits = lower_all([Share(1, at_most=0.5)], Names([0, 1], [0, 1]))
    >>> cuts_kept(rows, limits, np.array([2]))
    [array([2, 3, 4])]
    """
    windows = region_of(rows, limits.on_rows(), observed, unit).windows
    every = windows.cuts[1:-1]  # the first and the last are not open to any threshold
    own = np.searchsorted(every, cuts) + 1
    ends = np.concatenate([[0], own, [len(windows.cuts) - 1]])
    kept = []
    for k in range(len(own)):
        between = np.arange(ends[k], ends[k + 2] + 1)
        is_kept = windows.allow(*own[:k], between, *own[k + 1 :])
        kept.append(windows.cuts[between[_around(is_kept, int(own[k] - ends[k]))]])
    return kept


def _around(is_kept: Bools, index: int) -> slice:
    """Return the run of kept positions around an index, which is kept itself."""
    above = np.flatnonzero(~is_kept[index + 1 :])
    below = np.flatnonzero(~is_kept[:index])
    first = int(below[-1]) + 1 if len(below) else 0
    return slice(first, index + 1 + (int(above[0]) if len(above) else len(is_kept)))


class _Judge:
    """The value at every position of a threshold, with the others fixed.

    The loss is a ratio of two sums over the rows; for an additive loss, the second is their weight.
    """

    def __init__(self, known: OriginalRows) -> None:
        objective = known.origin.goal
        factors = objective.factors(known.confusion.sum(axis=0))
        self.factors = np.ones(known.confusion.shape[1]) if factors is None else factors
        table = known.confusion * self.factors
        self.rows = known.sorted
        self.paid, self.base = objective.sums(table.sum(axis=0))
        self.total_paid, self.total_base = (self.paid * table).sum(), (self.base * table).sum()
        self.loss = float(self.total_paid / self.total_base)
        self.scale = 1.0 if objective.is_maximised else np.abs(self.paid).max()

    def last_good(self, k: int, cut: int, end: int, limit: float) -> int:
        """Return the last cut towards ``end`` up to which the value stays within a limit."""
        step = -1 if end < cut else 1
        positions = np.arange(cut + step, end + step, step)
        possible = self.rows.ends[positions - 1]  # at cut 0 too, since the last row ends its score
        positions, is_bad = positions[possible], (self._worse(k, cut, end) > limit)[possible]
        n_good = int(is_bad.argmax()) if is_bad.any() else len(is_bad)
        return int(positions[n_good - 1]) if n_good else cut

    def _worse(self, k: int, cut: int, end: int) -> Floats:
        """Return how much worse the value is after each row that is passed towards ``end``."""
        # Going up, a row passed falls from decision k + 1 to decision k; going down, it rises.
        rows = slice(cut, end) if cut < end else slice(end, cut)
        sign, order = (1.0, 1) if cut < end else (-1.0, -1)
        codes = self.rows.codes[rows]
        weights = sign * self.factors[codes]
        if self.rows.weights is not None:
            weights = weights * self.rows.weights[rows]
        rise = np.cumsum((weights * (self.paid[k] - self.paid[k + 1])[codes])[::order])
        change = self.base[k] - self.base[k + 1]
        if not change.any():
            return np.asarray(rise / self.total_base)
        base = self.total_base + np.cumsum((weights * change[codes])[::order])
        return np.asarray((self.total_paid + rise) / base - self.loss)
