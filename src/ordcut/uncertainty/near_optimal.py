"""How far each threshold can move alone before the value is noticeably worse."""

from __future__ import annotations

import numpy as np

from ordcut.exact import WEIGHT_DENOMINATOR, as_fraction
from ordcut.limits import Scheme, cuts_kept
from ordcut.thresholds import OriginalRows, Thresholds, original_rows, scores_around
from ordcut.typing import Floats

#: Differences in the value up to this share of the largest cost are rounding errors.
ROUNDING = 1e-12


def near_optimal_ranges(found: Thresholds, tolerance: float) -> Floats:
    """Return the near-optimal ranges of a result; see ``Thresholds.near_optimal``."""
    if not 0 <= tolerance < np.inf:
        raise ValueError(
            "tolerance must be a share of the loss that is not negative, such as 0.01, "
            f"got {tolerance!r}."
        )
    known = original_rows(found, "near_optimal")
    cuts = known.cuts
    judge = _Judge(known)
    loss = 1 - judge.value if judge.is_kappa else judge.value
    limit = tolerance * abs(loss) + ROUNDING * judge.scale
    edges = np.concatenate(([0], cuts, [len(known.sorted.codes)]))
    lowest = [judge.last_good(k, cuts[k], edges[k], limit) for k in range(len(cuts))]
    highest = [judge.last_good(k, cuts[k], edges[k + 2], limit) for k in range(len(cuts))]
    if known.origin.constraints:
        lowest, highest = _within_limits(known, lowest, highest)
    scores = known.sorted.scores.astype(known.rows.dtype, copy=False)
    ranges = scores_around(scores, np.array(lowest))[0], scores_around(scores, np.array(highest))[1]
    return np.array(ranges, np.float64).T + 0.0


def _within_limits(
    known: OriginalRows, lowest: list[int], highest: list[int]
) -> tuple[list[int], list[int]]:
    """Return how far each cut can go down and up before a limit on what is decided is broken."""
    origin = known.origin
    limited = known.rows if origin.observed is None else origin.observed
    observed = known.sorted if origin.observed is None else limited.sorted()
    unit = as_fraction(limited.unit, WEIGHT_DENOMINATOR)
    scheme = Scheme.of(origin.objective, known.rows.classes, unit)
    kept = cuts_kept(known.sorted, origin.constraints, scheme, known.cuts, observed)
    spans = [
        (cuts[0], cuts[-1])
        for cuts in (
            cuts[(cuts >= low) & (cuts <= high)]
            for cuts, low, high in zip(kept, lowest, highest, strict=True)
        )
    ]
    return [int(low) for low, _ in spans], [int(high) for _, high in spans]


class _Judge:
    """The value at every position of one threshold, with the others fixed."""

    def __init__(self, known: OriginalRows) -> None:
        objective = known.origin.objective
        factors = known.origin.factors(known.confusion.sum(axis=0))
        confusion = known.confusion * factors
        self.rows = known.sorted
        self.factors = factors
        self.objective, self.totals = objective, confusion.sum(axis=0)
        self.cost = objective.cost
        self.is_kappa = objective.is_kappa
        self.weight = confusion.sum()
        self.paid = (objective.cost * confusion).sum()
        if self.is_kappa:
            self.by_chance = objective.cost @ confusion.sum(axis=0)
            self.expected = confusion.sum(axis=1) @ self.by_chance
        self.value = objective.value(confusion)
        self.scale = 1.0 if self.is_kappa else np.abs(self.cost).max()

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
        rise = np.cumsum((weights * (self.cost[k] - self.cost[k + 1])[codes])[::order])
        if not self.is_kappa:
            mean = self.objective.mean
            return np.asarray(mean(rise, self.totals) - mean(0.0, self.totals))
        change = self.by_chance[k] - self.by_chance[k + 1]
        expected = self.expected + np.cumsum((weights * change)[::order])
        return np.asarray(self.value - 1 + (self.paid + rise) * self.weight / expected)
