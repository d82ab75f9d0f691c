"""How sure thresholds are: the m-out-of-n bootstrap of thresholds and of their value."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ordcut.thresholds import Thresholds
from ordcut.typing import Floats

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

    Attributes
    ----------
    found : Thresholds
        What is judged.
    thresholds : ndarray of shape (n_replicates, K - 1)
        The optimal thresholds of each replicate, infinite where it never predicts a class at an
        end. Their spread is that of ``size`` rows.
    values : ndarray of shape (n_replicates,)
        The value that the thresholds found reach on each replicate.
    optimism : float
        By how much the value is better on the data than it is on new rows, on average. Negative
        for a loss, which is lower on the data; positive for a kappa.
    label_change : float
        By how many classes the label of a row differs, on average, between thresholds of the data
        and thresholds of another sample like them.
    size : int
        How many rows, m, each replicate draws.
    n_rows : float
        How many rows, n, the data are worth; rows of unequal weight are worth fewer.

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
    thresholds: Floats = field(repr=False)
    values: Floats = field(repr=False)
    optimism: float
    label_change: float
    size: int
    n_rows: float

    def __post_init__(self) -> None:
        self.thresholds.flags.writeable = self.values.flags.writeable = False

    def intervals(self, level: float = 0.95) -> Floats:
        """Return an interval for each threshold, (K - 1, 2).

        Parameters
        ----------
        level : float, default=0.95
            How often such intervals should hold the thresholds of the population.

        Returns
        -------
        ndarray of shape (K - 1, 2)
            Ends are infinite where too many replicates never predict the class at that end. Where
            the threshold found is infinite itself, the interval is of the replicates as they are.

        Examples
        --------
        >>> import ordcut
        >>> found = ordcut.optimal_thresholds([1, 2, 3, 4, 5, 6], [0, 0, 1, 0, 1, 1])
        >>> low, high = found.bootstrap(n=100).intervals(level=0.5)[0]
        >>> bool(low < found.thresholds[0] < high)
        True
        """
        _check_level(level)
        ends = [
            _interval(threshold, column, self._share, level)
            for threshold, column in zip(self.found.thresholds, self.thresholds.T, strict=True)
        ]
        return np.array(ends)

    def value_interval(self, level: float = 0.95) -> Floats:
        """Return an interval for the value that the thresholds found reach on new rows, (2,).

        It lies around the value without its ``optimism``, and so can leave the value itself out.

        Parameters
        ----------
        level : float, default=0.95
            How often such intervals should hold the value.

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
        tails = _low_and_high(strays, level)
        return np.asarray(tails + self.found.value - self.optimism)

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


def _interval(threshold: float, drawn: Floats, share: float, level: float) -> Floats:
    """Return the interval of one threshold, from the thresholds of replicates of a share of rows.

    The limit law is symmetric, so the distance from the threshold found is what counts. Replicates
    stray from the population's threshold by ``share ** (-1/3)`` times as much as the one found
    does, and from the one found by both strays together.
    """
    if np.isinf(threshold):
        return _low_and_high(drawn, level)
    scale = share**THRESHOLD_RATE
    strays = (drawn - threshold) * scale / np.hypot(1, scale)
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
