"""The value of labels on rows, with an interval for new rows of the same kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import ndtri

from ordcut._core.data import count_confusion
from ordcut._core.numerics.shares import check_level, share_interval, t_quantile
from ordcut._core.numerics.threads import cached_property
from ordcut._core.objectives import (
    Accuracy,
    Additive,
    Objective,
    OwnTerms,
    Ratio,
    Segments,
    title_of,
)
from ordcut._core.typing import Array, Floats, Ints
from ordcut._core.views import interval, view

#: Values that differ by less than this share of their range are the same.
SAME = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Estimate:
    """The value of labels by an objective, with its standard error and an interval.

    The standard error comes from the jackknife: the value is computed without each row in turn.
    Rows of a group depend on each other, and groups are left out whole.

    Attributes
    ----------
    value : float
        The loss, the kappa or the score.
    objective : str
        The name of the objective.
    left_out : ndarray of shape (n,)
        The value without each row; to first order, where rows have weights.
    counts : ndarray of shape (n,)
        The number of equal rows that each stands for; 0 or False if it does not count.
    is_maximised : bool
        Whether higher is better.
    limits : tuple of float, optional
        The values of data of a single row, of the worst and of the best kind, in ascending order.
    is_kappa : bool
        Whether the value is a kappa.
    worst_change : float, optional
        By how much one more row can change a value that is at a limit.
    groups : ndarray of shape (n,), optional
        The number of the group of each row.

    Examples
    --------
    >>> import ordcut
    >>> labels, predictions = [0, 0, 1, 1, 2, 2] * 5, [0, 0, 1, 2, 2, 2] * 5
    >>> ordcut.evaluate(labels, predictions, "absolute", intervals=True)
    Estimate(absolute 0.167 [0.0682, 0.336], 30 rows)
    """

    value: float
    objective: str
    left_out: Floats
    counts: Array
    is_maximised: bool
    limits: tuple[float, float] | None = None
    is_kappa: bool = False
    worst_change: float | None = None
    groups: Ints | None = None

    #: What an element of ``left_out`` is.
    noun: ClassVar[str] = "rows"

    @property
    def n_rows(self) -> int:
        """The number of rows, or items, that count."""
        return int(self.counts.sum())

    @property
    def n_units(self) -> int:
        """The number of groups with rows that count; without groups, the number of rows."""
        if self.groups is None:
            return self.n_rows
        return int((np.bincount(self.groups, self.counts) > 0).sum())

    @cached_property
    def standard_error(self) -> float:
        """The standard error of the value, by the jackknife over rows or groups."""
        return self._jackknife(self.left_out - self.value, self.counts)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return an interval for the value on new rows of the same kind.

        The jackknife gives its width. It is symmetric on Fisher's scale for a kappa. For a loss or
        a share it is a quantile of the beta distribution, between the lowest and the highest
        possible value: for shares of independent rows, Jeffreys' interval. Where no row is wrong,
        it allows for as many errors as may still occur, each of the worst kind.

        Examples
        --------
        >>> import ordcut
        >>> right = ordcut.evaluate([0, 1] * 10, [0, 1] * 10, "zero_one", intervals=True)
        >>> low, high = right.interval()
        >>> low, round(high, 3)
        (0.0, 0.168)
        """
        check_level(level)
        if self.n_units < 2:  # nothing is known
            return self.limits or (-np.inf, np.inf)
        width = _t(level, self.n_units) * self._spread
        if self.limits is not None and (self.value >= self.limits[1] or not self.is_kappa):
            low, high = self._between_limits(level, *self.limits)
            return max(low, -1.0) if self.is_kappa else low, high
        if not self.is_kappa:
            return self.value - width, self.value + width
        z, width = np.arctanh(max(self.value, -1 + 1e-9)), width / (1 - self.value**2)
        return float(np.tanh(z - width)), float(np.tanh(z + width))

    @property
    def _spread(self) -> float:
        """The standard error; half a row's worth where the value is the same without any row."""
        span = 0.0 if self.limits is None else self.limits[1] - self.limits[0]
        error = self.standard_error
        return error if error > SAME * span else span / (2 * self.n_rows)

    def _between_limits(self, level: float, least: float, most: float) -> tuple[float, float]:
        """Return the interval of a mean of values between limits, by the beta distribution."""
        if not least < most:
            return self.value, self.value
        n, span = self.n_units, most - least
        share, error = (self.value - least) / span, self._spread / span
        if self.groups is None:
            error *= np.sqrt((n - 1) / n)
        else:
            error *= _t(level, n) / -ndtri((1 - level) / 2)
        size = share * (1 - share) / error**2
        n_right = n if self.worst_change is None else min(n, span / self.worst_change - 1)
        low, high = share_interval(share, n_right, size, level)
        return float(least + low * span), float(least + high * span)

    def difference(self, other: Estimate, level: float = 0.95) -> tuple[float, float, float]:
        """Return this value minus another on the same rows, and the ends of its interval.

        Rows are compared one by one, so that the interval is narrow where labels mostly agree.

        Examples
        --------
        >>> import ordcut
        >>> labels = [0, 1, 2, 1] * 10
        >>> ours, theirs = (
        ...     ordcut.evaluate(labels, labels_of * 10, intervals=True)
        ...     for labels_of in ([0, 1, 1, 1], [1, 1, 1, 1]))
        >>> value, low, high = ours.difference(theirs)
        >>> low < value < high < 0
        True
        """
        if len(other.left_out) != len(self.left_out):
            raise ValueError(
                f"difference needs two values on the same {self.noun}, got "
                f"{len(self.left_out)} and {len(other.left_out)} {self.noun}."
            )
        counts = np.maximum(self.counts, other.counts)
        strays = (self.left_out - self.value) - (other.left_out - other.value)
        value = self.value - other.value
        n = self.n_units if self.groups is not None else int(counts.sum())
        width = _t(level, n) * self._jackknife(strays, counts)
        return value, value - width, value + width

    def _jackknife(self, strays: Floats, counts: Array) -> float:
        """Return the standard error, given the change of the value without each row."""
        n, sizes = float(counts.sum()), counts
        if self.groups is not None:
            in_group = np.bincount(self.groups, counts)
            sizes = in_group > 0
            # To first order; the value changes by more where a group holds many of the rows.
            sums = np.bincount(self.groups, counts * strays)
            strays = sums * (n - 1) / np.maximum(n - in_group, 1)
        n_units = float(sizes.sum())
        mean = (sizes * strays).sum() / n_units
        squares = float((sizes * np.square(strays - mean)).sum())
        return float(np.sqrt((n_units - 1) / n_units * squares))

    def __repr__(self) -> str:
        low, high = self.interval()
        return f"Estimate({self.objective} {self.value:.3g} [{low:.3g}, {high:.3g}], {self.size})"

    @property
    def size(self) -> str:
        """The number of rows or items, and of groups, in words."""
        of = "" if self.groups is None else f" in {self.n_units:,} groups"
        return f"{self.n_rows:,} {self.noun}{of}"

    def _repr_html_(self) -> str:
        row = (self.value, interval(*self.interval()), self.size)
        title = title_of(self.objective)
        return view(f"Value by {title}", [title, "95 % interval", "of"], [row])


def estimate_of(
    objective: Objective,
    predicted: Ints,
    codes: Ints | None,
    soft: Floats | None,
    weights: Array | None,
    *,
    has_repeats: bool = True,
    groups: Ints | None = None,
) -> Estimate:
    """Return the value of decisions, given the code of each and the true classes.

    ``has_repeats`` says that weights are numbers of equal rows.

    The value changes without a row by what its cell of the (decision, class) table makes of it: a
    value for each cell, whatever the number of rows.

    Examples
    --------
    >>> from ordcut._core.objectives import resolve_objective
    >>> codes = np.array([0, 1, 1, 1])
    >>> estimate_of(resolve_objective("kappa", 2), np.array([0, 1, 0, 1]), codes, None, None).value
    0.5
    """
    n = len(predicted)
    each = np.ones(n) if weights is None else np.asarray(weights, np.float64)
    table = count_confusion(
        predicted,
        objective.n_classes,
        codes=codes,
        soft=soft,
        weights=weights,
        n_predicted=objective.n_decisions,
    )
    value = objective.value(table)
    own = each if soft is None else each * soft.sum(axis=1)
    row = 1.0 if has_repeats and soft is None else float(own.sum() / n)
    effects = _effects(objective, table, value, row)
    cells = effects[predicted, codes] if soft is None else (soft * effects[predicted]).sum(axis=1)
    limits = _limits(objective, table)
    return Estimate(
        value,
        objective.name,
        value + (cells if has_repeats else cells * each),
        each if has_repeats else own > 0,
        objective.is_maximised,
        limits,
        isinstance(objective, Ratio),
        _worst_change(objective, table, value, row) if limits and value in limits else None,
        groups,
    )


def _effects(objective: Objective, table: Floats, value: float, row: float) -> Floats:
    """Return the change of the value without a row in each cell of a table, by its weight."""
    effects = np.zeros_like(table)
    for cell in zip(*np.nonzero(table), strict=True):
        step, changed = min(row, float(table[cell])), np.nan
        for part in (step, step / 2):  # without its last row, a class may have no value
            without = table.copy()
            without[cell] -= part
            changed = (_value(objective, without) - value) / part
            if np.isfinite(changed):
                effects[cell] = changed
                break
    return effects


def _worst_change(objective: Objective, table: Floats, value: float, row: float) -> float:
    """Return by how much the value can change with one more row of a class that has rows."""
    changes = [0.0]
    for k in np.flatnonzero(table.any(axis=0)):
        for d in range(len(table)):
            more = table.copy()
            more[d, k] += row
            changes.append(abs(_value(objective, more) - value))
    return float(np.nanmax(changes))


def _value(objective: Objective, table: Floats) -> float:
    try:
        with np.errstate(invalid="ignore", divide="ignore"):
            return objective.value(table)
    except ValueError:  # a kappa of a single class
        return np.nan


def _limits(objective: Objective, table: Floats) -> tuple[float, float] | None:
    """Return the lowest and the highest value; for a kappa, with as much chance as in a table."""
    if isinstance(objective, Accuracy):
        return 0.0, 1.0
    if isinstance(objective, Additive):
        return float(objective.cost.min()), float(objective.cost.max())
    if isinstance(objective, Ratio):
        weighed = objective.weigh(table)
        _, base = objective.sums(weighed.sum(axis=0))
        by_chance = float((base * weighed).sum() / weighed.sum())
        return 1 - float(objective.cost.max()) / by_chance, 1.0
    is_share = isinstance(objective, Segments) and not isinstance(objective.terms, OwnTerms)
    return (0.0, 1.0) if is_share else None


def _t(level: float, n_units: int) -> float:
    check_level(level)
    return float(t_quantile(level, n_units))
