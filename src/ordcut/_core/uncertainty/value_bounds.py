"""Bounds for the value of given thresholds on new rows, also valid for few errors."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ordcut._core.data import ClassShares, Rows
from ordcut._core.decisions import RowCosts
from ordcut._core.objectives import Additive, Objective
from ordcut._core.problem import Problem
from ordcut._core.typing import Bools, Floats

#: The number of tables that are drawn is lower if they have many entries that are not 0.
MOST_DRAWS, LEAST_DRAWS, MOST_NUMBERS = 4000, 1000, 1 << 21

#: The largest number of groups in which rows with costs of their own are drawn.
MOST_GROUPS = 2048

#: Tables are drawn together if they have at most this many entries.
MOST_ENTRIES = 1 << 22


@dataclass(frozen=True, eq=False)
class ValueBounds:
    """Values of thresholds on tables drawn around the (predicted, true) table of the data.

    A table is drawn by giving each row an exponential weight. Clopper and Pearson's interval for a
    rate of errors consists of quantiles of such draws with an additional row, which is wrong for
    the upper end and right for the lower end. Here the additional row is the worst, or the best,
    for the objective, so that events that do not occur in the data are taken into account. For
    losses of two values this is Clopper and Pearson's interval, for other losses Gaffke's (2005),
    and for kappas Gaffke's with the kappa of each table.

    Attributes
    ----------
    good : ndarray of shape (n_draws,)
        The values with an additional row that is best, in ascending order.
    bad : ndarray of shape (n_draws,)
        The values with an additional row that is worst.
    overfitted : ndarray of shape (n_draws,)
        The values with that worst row, and a further row on the wrong side of each threshold.
    least, most : float
        The limits of the value.
    is_maximised : bool
        Whether a higher value is better.

    Examples
    --------
    Of 20 rows with a right label each, the exact interval for the rate of errors ends at 0.168:

    >>> from ordcut import optimal_thresholds
    >>> from ordcut._core.thresholds import original_rows
    >>> result = optimal_thresholds(range(20), [0] * 10 + [1] * 10)
    >>> known = original_rows(result, "bootstrap")
    >>> bounds = ValueBounds.of(result.thresholds, known.origin, known.rows, n_effective=20)
    >>> round(float(np.quantile(bounds.bad, 0.975)), 2), 1 - 0.025 ** (1 / 20)
    (0.17, 0.16843347098308536)
    """

    good: Floats
    bad: Floats
    overfitted: Floats
    least: float
    most: float
    is_maximised: bool

    @classmethod
    def of(
        cls,
        thresholds: Floats,
        origin: Problem,
        rows: Rows,
        n_effective: float,
        is_grouped: bool = False,
    ) -> ValueBounds:
        """Draw tables, given the effective number of rows; of dependent rows if ``is_grouped``."""
        if isinstance(origin.goal, RowCosts):
            return cls._of_row_costs(thresholds, origin.goal, rows, n_effective)
        objective, table = origin.goal, rows.confusion(thresholds)
        if is_grouped:
            row = float(table.sum() / n_effective)
            counts, units = table / row, np.full_like(table, row)
        elif rows.is_whole and rows.has_repeats:
            row, counts, units = 1.0, table, np.ones_like(table)
        else:
            row = float(table.sum() / n_effective)
            counts, units = _effective_counts(rows, thresholds, table)
        factors = objective.factors(table.sum(axis=0))
        factors = np.ones(table.shape[1]) if factors is None else factors
        losses = objective.values_with_row(table * factors, row * factors)
        losses = -losses if objective.is_maximised else losses
        best, worst = np.zeros_like(table), np.zeros_like(table)
        best.flat[losses.argmin()] = worst.flat[losses.argmax()] = row
        beyond = row * _rows_on_the_wrong_side(losses, thresholds, objective)
        drawn = _Drawn(objective, counts, units, best, worst, beyond)
        good, bad, overfitted = drawn.values()
        least, most = -np.inf, 1.0
        if not objective.is_maximised:
            least, most = float(objective.cost.min()), float(objective.cost.max())
        return cls(good, bad, overfitted, least, most, objective.is_maximised)

    @classmethod
    def _of_row_costs(
        cls, thresholds: Floats, objective: RowCosts, rows: Rows, n_effective: float
    ) -> ValueBounds:
        """Draw costs of rows, grouped with others of nearly the same cost.

        It is assumed that new rows cost no less than the lowest cost of all rows and decisions, and
        no more than the highest.
        """
        assert rows.soft is not None
        costs = rows.soft @ objective.cost.T
        decided = np.searchsorted(thresholds, rows.scores, side="right")
        paid = costs[np.arange(len(costs)), decided]
        weights = np.ones(len(paid)) if rows.weights is None else rows.weights.astype(np.float64)
        order = np.argsort(paid, kind="stable")
        starts = np.linspace(0, len(paid), min(len(paid), MOST_GROUPS) + 1).astype(np.int64)[:-1]
        sums, squares, totals = (
            np.add.reduceat(each[order], starts) for each in (weights, weights**2, weights * paid)
        )
        units = np.ones_like(sums) if rows.has_repeats else squares / sums
        row = 1.0 if rows.has_repeats else float(sums.sum() / n_effective)
        is_new: Bools = np.append(True, thresholds[1:] != thresholds[:-1])
        either = np.maximum(costs[:, :-1], costs[:, 1:]).max(axis=0)
        wrong = either[np.isfinite(thresholds) & is_new]  # what a row on the wrong side may pay
        every = np.concatenate([totals / sums, [costs.min(), costs.max()], wrong])
        # The table must have two decisions: all rows get the first.
        table = np.zeros((5, 2, len(every)))
        counts, units_of, best, worst, beyond = table
        counts[0, : len(sums)], units_of[0, : len(sums)] = sums / units, units
        best[0, len(sums)] = worst[0, len(sums) + 1] = row
        beyond[0, len(sums) + 2 :] = row
        by_group = Additive(objective.name, np.stack([every, every]))
        drawn = _Drawn(by_group, counts, units_of, best, worst, beyond)
        good, bad, overfitted = drawn.values()
        return cls(good, bad, overfitted, float(costs.min()), float(costs.max()), False)

    def __post_init__(self) -> None:
        for values in (self.good, self.bad, self.overfitted):
            values.flags.writeable = False

    def interval(self, level: float, optimism: float) -> tuple[float, float]:
        """Return an interval for the value on new rows of thresholds optimised on the data.

        Its better end is as for thresholds given beforehand, since optimised thresholds are not
        better on new rows. Its worse end is moved by the optimism, and by at least a row for each
        threshold.
        """
        tail = (1 + level) / 2
        if self.is_maximised:
            low = min(_below(self.bad, tail) - max(0.0, optimism), _below(self.overfitted, tail))
            return low, _above(self.good, tail)
        high = max(_above(self.bad, tail) + max(0.0, -optimism), _above(self.overfitted, tail))
        return _below(self.good, tail), high


def _above(ascending: Floats, level: float) -> float:
    return float(ascending[int(np.ceil(level * (len(ascending) - 1)))])


def _below(ascending: Floats, level: float) -> float:
    return -_above(-ascending[::-1], level)


def _rows_on_the_wrong_side(losses: Floats, thresholds: Floats, objective: Objective) -> Floats:
    """Return a table with a row on the wrong side of each distinct threshold.

    Of the two classes next to the threshold, the row has that whose error is worse.
    """
    table = np.zeros_like(losses)
    is_new: Bools = np.append(True, thresholds[1:] != thresholds[:-1])
    for k in np.flatnonzero(np.isfinite(thresholds) & is_new):
        lower, upper = int(k), int(k) + 1
        if objective.decisions is not None:
            lower, upper = _classes_around(objective.cost[k], objective.cost[k + 1])
        is_worse_below = losses[k, upper] >= losses[k + 1, lower]
        table[(k, upper) if is_worse_below else (k + 1, lower)] += 1
    return table


def _classes_around(below: Floats, above: Floats) -> tuple[int, int]:
    """Return the highest class that costs less below a threshold, and the lowest that does above.

    If no class costs less below, or above, it is the class that costs the most on the other side.
    """
    for_below, for_above = np.flatnonzero(below < above), np.flatnonzero(above < below)
    lower = for_below[-1] if len(for_below) else above.argmax()
    upper = for_above[0] if len(for_above) else below.argmax()
    return int(lower), int(upper)


def _effective_counts(rows: Rows, thresholds: Floats, table: Floats) -> tuple[Floats, Floats]:
    """Return the effective number of rows in each entry, and the weight of each."""
    weights = None if rows.weights is None else np.square(rows.weights, dtype=np.float64)
    soft = None if rows.soft is None else np.square(rows.soft)
    squares = replace(rows, weights=weights, soft=soft).confusion(thresholds)
    units = np.divide(squares, table, out=np.zeros_like(table), where=table > 0)
    counts = np.divide(table, units, out=np.zeros_like(table), where=units > 0)
    return counts, units


class _Drawn:
    """Tables whose entries are sums of exponential weights of their rows, with a fixed seed.

    Entries that are 0 in all tables are left out; every other entry is a column.
    """

    def __init__(
        self,
        objective: Objective,
        counts: Floats,
        units: Floats,
        best: Floats,
        worst: Floats,
        beyond: Floats,
    ) -> None:
        entries = np.nonzero(counts + best + worst + beyond)
        self.objective = objective
        self.counts, self.units = counts[entries], units[entries]
        self.best, self.worst, self.beyond = best[entries], worst[entries], beyond[entries]
        self._decisions, self._classes = entries
        self._n_classes = counts.shape[1]

    def values(self) -> Floats:
        """Return the values with a best row, with a worst row, and with further rows beyond it.

        The array has the shape (3, n_draws), in ascending order.
        """
        n_entries = len(self.counts)
        n_draws = int(np.clip(MOST_NUMBERS // n_entries, LEAST_DRAWS, MOST_DRAWS))
        at_once = max(1, MOST_ENTRIES // n_entries)
        random = np.random.default_rng(0)
        # A draw per quantile, since this row dominates if errors are few.
        additional = -np.log1p(-(random.permutation(n_draws) + 0.5) / n_draws)
        values = np.empty((3, n_draws))
        for first in range(0, n_draws, at_once):
            part = slice(first, min(n_draws, first + at_once))
            row, n = additional[part, None], part.stop - part.start
            tables = random.standard_gamma(self.counts, (n, n_entries)) * self.units
            values[0, part] = self._judge(tables + row * self.best)
            tables += row * self.worst
            values[1, part] = self._judge(tables)
            others = np.flatnonzero(self.beyond)
            drawn = random.standard_exponential((n, len(others)))
            tables[:, others] += drawn * self.beyond[others]
            values[2, part] = self._judge(tables)
        return np.sort(values)

    def _judge(self, tables: Floats) -> Floats:
        """Return the value of each table, with the class weights of its totals."""
        weighed = tables * self._factors(tables)
        return self.objective.entry_values(weighed, self._decisions, self._classes)

    def _factors(self, tables: Floats) -> Floats | float:
        """Return the weight of the class of each entry, up to a common factor."""
        class_weight = self.objective.class_weight
        if class_weight is None:
            return 1.0
        true = np.eye(self._n_classes)[self._classes]
        if isinstance(class_weight, np.ndarray):
            return np.asarray(true @ class_weight)
        totals, shares = tables @ true, np.ones(self._n_classes)
        if isinstance(class_weight, ClassShares):
            shares = np.array(class_weight.shares, np.float64)
        return np.asarray((shares / np.where(totals > 0, totals, 1)) @ true.T)
