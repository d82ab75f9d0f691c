"""The m-out-of-n bootstrap of thresholds and of their value."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ordcut._core.extensions import extension
from ordcut._core.numerics.shares import check_level
from ordcut._core.objectives import title_of
from ordcut._core.thresholds import LEVEL, Thresholds, as_written
from ordcut._core.typing import Floats
from ordcut._core.uncertainty.value_bounds import ValueBounds
from ordcut._core.views import interval, view

#: Rates of convergence in the number of rows, as powers: of thresholds, and of their value.
THRESHOLD_RATE, VALUE_RATE = 1 / 3, 1 / 2


@dataclass(frozen=True, eq=False, repr=False)
class Bootstrap:
    """Thresholds of many replicates of the data, and intervals for thresholds and value.

    Thresholds converge to the population's at the cube-root rate in the number of rows n,
    because each is the minimum of a step function. A bootstrap that draws n rows is then not
    consistent, but a bootstrap of fewer rows, m, is. It spreads as m rows do, and is scaled by
    ``(m / n) ** (1/3)`` to n rows. The value converges at the square-root rate, and its optimism at
    a rate in between.

    Intervals are for the best thresholds of the population, and for the value of the result on new
    rows. Smoothed thresholds are biased if the model does not fit, so their intervals are taken
    from the plain optimum.

    The replicates of a constrained result are solved under the same constraints, with counts in
    proportion to the rows drawn. Replicates in which the constraints cannot hold are left out.
    Intervals are then for the best thresholds of the population that satisfy the constraints. If a
    limit on rows binds, a threshold converges faster, at the square-root rate. Intervals are still
    scaled by the cube-root rate, which makes them wider, and not at all with :class:`ordcut.Digits`
    or :class:`ordcut.Allowed`. They do not show whether constraints hold on new rows.

    Attributes
    ----------
    result : Thresholds
        The thresholds whose uncertainty this is.
    thresholds : ndarray of shape (n_replicates, D - 1)
        The thresholds of each replicate, with the same smoothing, and infinite where it never
        predicts a class at an end. They spread as thresholds of ``size`` rows.
    plain_thresholds : ndarray of shape (n_replicates, D - 1)
        The thresholds of each replicate without smoothing.
    centres : ndarray of shape (D - 1,)
        The optimal thresholds of the data without smoothing, at the centre of the intervals.
    values : ndarray of shape (n_replicates,)
        The value of the result on each replicate, also if it is left out.
    optimism : float
        How much better the value is on the data than on new rows, on average. Negative for a loss,
        which is lower on the data; positive for a kappa.
    label_change : float
        The mean number of decisions by which the label of a row differs between the result and the
        thresholds of another sample of the same size.
    size : int
        The number of rows, m, that each replicate draws.
    n_rows : float
        The effective number of rows, n; lower for rows of unequal weight.
    n_rows_near : ndarray of shape (D - 1,)
        The effective number of rows for each threshold, by the weights of the rows near it.
    scores : ndarray of shape (n_scores,)
        The distinct scores, in ascending order, at which intervals can end.
    value_bounds : ValueBounds
        Draws of the value for ``value_interval``.
    n_infeasible : int
        The number of replicates that were left out because the constraints cannot hold on them.
    is_on_grid : bool
        Whether constraints list the values that thresholds are chosen from.
    unit : {"rows", "groups"}
        What was drawn: ``size`` and ``n_rows`` are numbers of groups for ``groups``.

    Examples
    --------
    >>> import ordcut
    >>> scores, labels = [1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 1, 0, 1, 1, 1]
    >>> boot = ordcut.optimal_thresholds(scores, labels).bootstrap(n=100)
    >>> boot.thresholds.shape, boot.size
    ((100, 1), 5)
    >>> low, high = boot.intervals(level=0.9)[0]
    >>> bool(low < boot.result.thresholds[0] < high)
    True
    """

    result: Thresholds
    thresholds: Floats
    plain_thresholds: Floats
    centres: Floats
    values: Floats
    optimism: float
    label_change: float
    size: int
    n_rows: float
    n_rows_near: Floats
    scores: Floats
    value_bounds: ValueBounds
    n_infeasible: int = 0
    is_on_grid: bool = False
    unit: str = "rows"

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def intervals(self, level: float = 0.95) -> Floats:
        """Return an interval for each threshold, (D - 1, 2).

        Parameters
        ----------
        level : float, default=0.95
            The probability that an interval contains the best threshold of the population.

        Returns
        -------
        ndarray of shape (D - 1, 2)
            As in ``result.ranges``, which they contain, the first value is excluded and the second
            included. Ends are scores, since the data cannot distinguish thresholds between two
            neighbouring scores. They are infinite beyond the last score, and if too many replicates
            never predict the class at that end.

        Examples
        --------
        >>> import ordcut
        >>> result = ordcut.optimal_thresholds([1, 2, 3, 4, 5, 6], [0, 0, 1, 0, 1, 1])
        >>> low, high = result.bootstrap(n=100).intervals(level=0.5)[0]
        >>> bool(low < result.thresholds[0] < high)
        True
        """
        check_level(level)
        scales = self._scales(self.size / self.n_rows_near)
        columns = zip(self.centres, self.plain_thresholds.T, scales, strict=True)
        low, high = np.array([_interval(*column, level) for column in columns]).T
        own = self.result.thresholds
        return self._between_scores(np.minimum(low, own), np.maximum(high, own))

    def value_interval(self, level: float = 0.95) -> Floats:
        """Return an interval for the value of the result on new rows, (2,).

        It covers two intervals. The first is from the replicates, around the value without its
        ``optimism``. The second is valid for few errors: for the zero-one loss it is Clopper and
        Pearson's interval, which is exact for thresholds given beforehand, and for other costs and
        for kappas a generalisation that adds a row of the worst kind, such as a row with the
        highest cost. Its worse end is then moved by the optimism, and by at least a row for each
        threshold. So the interval is conservative, and its width is never 0.

        Parameters
        ----------
        level : float, default=0.95
            The minimum probability that the interval contains the value.

        Examples
        --------
        >>> import ordcut
        >>> result = ordcut.optimal_thresholds([1, 2, 3, 4, 5, 6], [0, 0, 1, 0, 1, 1])
        >>> low, high = result.bootstrap(n=100).value_interval()
        >>> bool(0 < low < high < 1)
        True
        """
        check_level(level)
        strays = self._share**VALUE_RATE * (self.values - self.result.value)
        low, high = _low_and_high(strays, level) + self.result.value - self.optimism
        bounds = self.value_bounds
        least, most = bounds.interval(level, self.optimism)
        ends = np.array([min(low, least), max(high, most)])
        return np.asarray(np.clip(ends, bounds.least, bounds.most))

    def as_dict(self, level: float = LEVEL) -> dict[str, Any]:
        """Return the intervals of thresholds and of their value, as JSON can hold them.

        Examples
        --------
        >>> import ordcut
        >>> result = ordcut.optimal_thresholds([1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 1, 0, 1, 1, 1])
        >>> list(result.bootstrap(n=100).as_dict())
        ['level', 'replicates', 'thresholds', 'value']
        """
        pairs = self.intervals(level).tolist()
        return {
            "level": level,
            "replicates": len(self.thresholds),
            "thresholds": [[as_written(end) for end in pair] for pair in pairs],
            "value": self.value_interval(level).tolist(),
        }

    def plot(
        self,
        *,
        level: float = 0.95,
        ax: Any = None,
        cmap: str = "viridis",
        score_name: str = "score",
    ) -> Any:
        """Plot each threshold with its interval, with matplotlib; the title is about the value.

        The thick part is the interval of level 0.5. An arrow leads to an end that is
        infinite.

        Parameters
        ----------
        level : float, default=0.95
            The level of the intervals.
        ax : matplotlib Axes, default=None
            The axes to draw on; a new figure by default.
        cmap : str, default="viridis"
            The colours of the ordered thresholds.
        score_name : str, default="score"
            The name of the scores.

        Returns
        -------
        matplotlib Axes
            The axes that were drawn on.

        Examples
        --------
        >>> import matplotlib; matplotlib.use("Agg")
        >>> import ordcut
        >>> result = ordcut.optimal_thresholds([1, 2, 3, 4, 5, 6], [0, 0, 1, 0, 1, 1])
        >>> result.bootstrap(n=50).plot().get_yticklabels()[0].get_text()
        '0 | 1'
        """
        options = {"level": level, "ax": ax, "cmap": cmap, "score_name": score_name}
        return extension("draw_bootstrap")(self, **options)

    def _between_scores(self, low: Floats, high: Floats) -> Floats:
        """Return the last score below each low end and the first at or above each high end."""
        below = np.append(-np.inf, self.scores)[np.searchsorted(self.scores, low, side="left")]
        above = np.append(self.scores, np.inf)[np.searchsorted(self.scores, high, side="left")]
        return np.stack([below, above], axis=1)

    def _scales(self, shares: Floats) -> Floats:
        """Return the factors that scale the spread of replicates to the spread of all rows.

        ``share`` is m / n. Replicates deviate from the population's threshold ``share ** (-1/3)``
        times as much as the result does, and their difference contains both deviations.
        Dividing by ``sqrt(1 + share ** (2/3))`` matches the variances if the two are independent.
        This is a heuristic (docs/bootstrap.md), which does not apply to thresholds that a limit
        on rows binds.
        """
        if self.is_on_grid:
            return np.ones(len(shares))
        scales = shares**THRESHOLD_RATE
        return np.asarray(scales if self.result.constraints else scales / np.hypot(1, scales))

    @property
    def _share(self) -> float:
        return min(1.0, self.size / self.n_rows)

    def __repr__(self) -> str:
        cuts = ", ".join(
            f"{threshold:.6g} [{low:.6g}, {high:.6g}]"
            for threshold, (low, high) in zip(self.result.thresholds, self.intervals(), strict=True)
        )
        low, high = self.value_interval()
        return (
            f"Bootstrap(95 % intervals: {cuts}; {self.result.objective} on new rows "
            f"[{low:.6g}, {high:.6g}]; {len(self.values)} replicates of {self.size} {self.unit})"
        )

    def _repr_html_(self) -> str:
        names = pairwise(map(str, self.result.decisions.tolist()))
        each = zip(names, self.result.thresholds.tolist(), self.intervals().tolist(), strict=True)
        rows = [(f"{low} | {high}", cut, interval(*ends)) for (low, high), cut, ends in each]
        return view(
            "Thresholds with 95 % intervals",
            ["between", "threshold", "95 % interval"],
            rows,
            value=f"{title_of(self.result.objective)} on new rows: "
            f"{interval(*self.value_interval().tolist())}",
            notes=[f"{len(self.values)} replicates of {self.size} {self.unit}"],
        )


def _interval(threshold: float, drawn: Floats, scale: float, level: float) -> Floats:
    """Return the interval of a threshold, from the replicates and the scale of their spread.

    The limit distribution is symmetric, so only the distance from the threshold is used.
    """
    if np.isinf(threshold):
        return _low_and_high(drawn, level)
    strays = (drawn - threshold) * scale
    # A replicate without the class at either end says nothing about the opposite end.
    below, above = np.abs(strays[strays < np.inf]), np.abs(strays[strays > -np.inf])
    return np.array([threshold - _at_level(below, level), threshold + _at_level(above, level)])


def _low_and_high(numbers: Floats, level: float) -> Floats:
    """Return two of the numbers with the share ``level`` of them between, both included."""
    return np.array([-_at_level(-numbers, (1 + level) / 2), _at_level(numbers, (1 + level) / 2)])


def _at_level(numbers: Floats, level: float) -> float:
    """Return the lowest number at or above the given share of numbers, which can be infinite."""
    if len(numbers) == 0:
        return np.inf
    return float(np.sort(numbers)[int(np.ceil(level * (len(numbers) - 1)))])
