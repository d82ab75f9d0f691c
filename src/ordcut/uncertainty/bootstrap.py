"""How sure thresholds are: the m-out-of-n bootstrap of thresholds and of their value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ordcut.limits import Allowed, Digits
from ordcut.thresholds import Thresholds
from ordcut.typing import Floats
from ordcut.uncertainty.value_bounds import ValueBounds

#: Rates in the number of rows, as powers: of thresholds, and of their value.
THRESHOLD_RATE, VALUE_RATE = 1 / 3, 1 / 2


@dataclass(frozen=True, eq=False, repr=False)
class Bootstrap:
    """Thresholds of many replicates of the data, and how sure they make the thresholds found.

    Thresholds converge to those of the population at the rate of the cube root of the number of
    rows n, because each is the minimum of a curve that jumps; a bootstrap of as many rows as there
    are is then not consistent. That of fewer rows, m, is: its spread is that of m rows, and
    ``(m / n) ** (1/3)`` of it that of n rows. The value converges at the rate of the square root
    as usual, and what it owes to having been optimised at a rate in between.

    Intervals are for the best thresholds of the population, and for the value of those found on
    new rows. For smoothed thresholds as well: these are biased where the model does not fit, so
    their intervals are those of the plain optimum.

    The replicates of a constrained result are solved under the same constraints, with counts in
    proportion to the rows drawn; those on whose rows they cannot hold are left out. Intervals are
    then for the best thresholds of the population that keep the constraints. A threshold that a
    limit on rows holds converges faster, at the rate of the square root, and one chosen from listed
    values is right or is not. The intervals allow for all of these, and so are wider: the spread is
    scaled by the cube root only, and not at all where :class:`ordcut.Digits` or
    :class:`ordcut.Allowed` list the values. None of it says whether limits hold on new rows.

    Attributes
    ----------
    found : Thresholds
        What is judged.
    thresholds : ndarray of shape (n_replicates, D - 1)
        The thresholds of each replicate, smoothed as much as those found, and infinite where it
        never predicts a class at an end. Their spread is that of ``size`` rows.
    plain_thresholds : ndarray of shape (n_replicates, D - 1)
        The same without smoothing.
    centres : ndarray of shape (D - 1,)
        The optimal thresholds of the data without smoothing, which intervals lie around.
    values : ndarray of shape (n_replicates,)
        The value that the thresholds found reach on each replicate, also on one that is left out.
    optimism : float
        By how much the value is better on the data than it is on new rows, on average. Negative
        for a loss, which is lower on the data; positive for a kappa.
    label_change : float
        By how many decisions that of a row differs, on average, between thresholds of the data
        and thresholds of another sample like them.
    size : int
        How many rows, m, each replicate draws.
    n_rows : float
        How many rows, n, the data are worth; rows of unequal weight are worth fewer.
    n_rows_near : ndarray of shape (D - 1,)
        The same for each threshold, by the weights of the rows near it.
    scores : ndarray of shape (n_scores,)
        The distinct scores, in ascending order, among which intervals can end.
    value_bounds : ValueBounds
        Draws of the value for ``value_interval``.
    n_infeasible : int
        How many replicates were left out, since constraints cannot hold on their rows.

    Examples
    --------
    >>> import ordcut
    >>> scores, labels = [1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 1, 0, 1, 1, 1]
    >>> boot = ordcut.optimal_thresholds(scores, labels).bootstrap(n=100)
    >>> boot.thresholds.shape, boot.size
    ((100, 1), 5)
    >>> low, high = boot.intervals(level=0.9)[0]
    >>> bool(low < boot.found.thresholds[0] < high)
    True
    """

    found: Thresholds
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

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def intervals(self, level: float = 0.95) -> Floats:
        """Return an interval for each threshold, (D - 1, 2).

        Parameters
        ----------
        level : float, default=0.95
            How often such intervals should hold the best thresholds of the population.

        Returns
        -------
        ndarray of shape (D - 1, 2)
            As in ``found.ranges``, which they contain, a threshold can stand anywhere above the
            first value and up to the second one: ends are scores, since thresholds between two
            neighbouring scores are all the same to the data. They are infinite beyond the last
            score, and where too many replicates never predict the class at that end.

        Examples
        --------
        >>> import ordcut
        >>> found = ordcut.optimal_thresholds([1, 2, 3, 4, 5, 6], [0, 0, 1, 0, 1, 1])
        >>> low, high = found.bootstrap(n=100).intervals(level=0.5)[0]
        >>> bool(low < found.thresholds[0] < high)
        True
        """
        _check_level(level)
        scales = self._scales(self.size / self.n_rows_near)
        columns = zip(self.centres, self.plain_thresholds.T, scales, strict=True)
        low, high = np.array([_interval(*column, level) for column in columns]).T
        found = self.found.thresholds
        return self._between_scores(np.minimum(low, found), np.maximum(high, found))

    def value_interval(self, level: float = 0.95) -> Floats:
        """Return an interval for the value that the thresholds found reach on new rows, (2,).

        It holds two intervals. One is that of the replicates, around the value without its
        ``optimism``. The other, for few errors, is exact for thresholds given beforehand: for the
        zero-one loss it is Clopper and Pearson's, for other costs and for kappas a generalisation
        that allows for one more row of the worst kind, such as one that costs the most. Its bad
        end is then moved by the optimism, and by a row for each threshold at least. So the interval
        is on the safe side, and never of no width, however few errors there are.

        Parameters
        ----------
        level : float, default=0.95
            How often such intervals should hold the value, at least.

        Examples
        --------
        >>> import ordcut
        >>> found = ordcut.optimal_thresholds([1, 2, 3, 4, 5, 6], [0, 0, 1, 0, 1, 1])
        >>> low, high = found.bootstrap(n=100).value_interval()
        >>> bool(0 < low < high < 1)
        True
        """
        _check_level(level)
        strays = self._share**VALUE_RATE * (self.values - self.found.value)
        low, high = _low_and_high(strays, level) + self.found.value - self.optimism
        bounds = self.value_bounds
        least, most = bounds.interval(level, self.optimism)
        ends = np.array([min(low, least), max(high, most)])
        return np.asarray(np.clip(ends, bounds.least, bounds.most))

    def plot(
        self,
        *,
        level: float = 0.95,
        ax: Any = None,
        cmap: str = "viridis",
        score_name: str = "score",
    ) -> Any:
        """Draw how the thresholds of the replicates are spread, with matplotlib.

        Parameters
        ----------
        level : float, default=0.95
            The level of the intervals.
        ax : matplotlib Axes, default=None
            The axes to draw on; those of a new figure by default.
        cmap : str, default="viridis"
            The colours of the ordered thresholds.
        score_name : str, default="score"
            The name of the scores.

        Returns
        -------
        matplotlib Axes
            The axes that were drawn on.
        """
        from ordcut.plots import draw_bootstrap

        return draw_bootstrap(self, level=level, ax=ax, cmap=cmap, score_name=score_name)

    def _between_scores(self, low: Floats, high: Floats) -> Floats:
        """Return the last score below each low end and the first at or above each high one."""
        below = np.append(-np.inf, self.scores)[np.searchsorted(self.scores, low, side="left")]
        above = np.append(self.scores, np.inf)[np.searchsorted(self.scores, high, side="left")]
        return np.stack([below, above], axis=1)

    def _scales(self, shares: Floats) -> Floats:
        """Return what part of the spread of replicates, of such shares of the rows, is that of all.

        Replicates stray from the population's threshold by ``share ** (-1/3)`` times as much as the
        one found does, and from the one found by both strays together. Dividing by
        ``sqrt(1 + share ** (2/3))`` matches the variances if the two are independent: a heuristic
        (docs/uncertainty.md), which does not hold for thresholds that a limit on rows holds.
        """
        limits = [outcome.constraint for outcome in self.found.constraints]
        if any(isinstance(limit, Allowed | Digits) for limit in limits):
            return np.ones(len(shares))
        scales = shares**THRESHOLD_RATE
        return np.asarray(scales if limits else scales / np.hypot(1, scales))

    @property
    def _share(self) -> float:
        return min(1.0, self.size / self.n_rows)

    def __repr__(self) -> str:
        cuts = ", ".join(
            f"{threshold:.6g} [{low:.6g}, {high:.6g}]"
            for threshold, (low, high) in zip(self.found.thresholds, self.intervals(), strict=True)
        )
        low, high = self.value_interval()
        return (
            f"Bootstrap(95 % intervals: {cuts}; {self.found.objective} on new rows "
            f"[{low:.6g}, {high:.6g}]; {len(self.values)} replicates of {self.size} rows)"
        )


def _interval(threshold: float, drawn: Floats, scale: float, level: float) -> Floats:
    """Return the interval of one threshold, from those of replicates and the scale of their spread.

    The limit law is symmetric, so the distance from the threshold found is what counts.
    """
    if np.isinf(threshold):
        return _low_and_high(drawn, level)
    strays = (drawn - threshold) * scale
    # A replicate without a class at one end says nothing about the other end.
    below, above = np.abs(strays[strays < np.inf]), np.abs(strays[strays > -np.inf])
    return np.array([threshold - _at_level(below, level), threshold + _at_level(above, level)])


def _low_and_high(numbers: Floats, level: float) -> Floats:
    """Return two of the numbers with the share ``level`` of them between, both included."""
    return np.array([-_at_level(-numbers, (1 + level) / 2), _at_level(numbers, (1 + level) / 2)])


def _at_level(numbers: Floats, level: float) -> float:
    """Return the least of the numbers that is not below a share of them; infinite ones are fine."""
    if len(numbers) == 0:
        return np.inf
    return float(np.sort(numbers)[int(np.ceil(level * (len(numbers) - 1)))])


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise ValueError(f"level must be a number between 0 and 1, such as 0.95, got {level!r}.")
