"""The m-out-of-n bootstrap of bands: how sure their thresholds and rates are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ordcut._core.typing import Floats
from ordcut.bands.rows import BandRows

if TYPE_CHECKING:
    from ordcut._core.uncertainty import RandomState
    from ordcut.bands.optimal import BandProblem
    from ordcut.bands.result import Bands

#: The rate at which thresholds and rates of bands converge, as a power of the number of rows.
RATE = 1 / 3


@dataclass(frozen=True, eq=False, repr=False)
class BandBootstrap:
    """Thresholds and rates of many replicates of the rows, and intervals for both.

    The best cuts of a rate that changes smoothly converge at the cube-root rate in the number of
    rows n, and the rates between them follow the cuts. So each replicate draws m rows, fewer than
    n, and its spread is scaled by ``(m / n) ** (1/3)``.

    Attributes
    ----------
    bands : Bands
        The bands whose uncertainty this is.
    thresholds : ndarray of shape (n_replicates, K - 1)
        The thresholds of each replicate.
    rates : ndarray of shape (n_replicates, K)
        The rates of the bands of each replicate.
    size : int
        The number of rows, m, that each replicate draws.
    n_rows : float
        The effective number of rows, n.
    n_left_out : int
        The number of replicates with fewer bands.

    Examples
    --------
    >>> import ordcut
    >>> scores, outcome = [1, 2, 3, 4, 5, 6] * 20, [0, 0, 1, 0, 1, 1] * 20
    >>> boot = ordcut.optimal_bands(scores, outcome, n_bands=2).bootstrap(n=20)
    >>> boot.thresholds.shape, boot.rates.shape, boot.size
    ((20, 1), (20, 2), 46)
    """

    bands: Bands
    thresholds: Floats
    rates: Floats
    size: int
    n_rows: float
    n_left_out: int

    def intervals(self, level: float = 0.95) -> Floats:
        """Return an interval for each threshold, (K - 1, 2)."""
        return self._intervals(self.thresholds, self.bands.thresholds, level)

    def rate_intervals(self, level: float = 0.95) -> Floats:
        """Return an interval for the rate of each band, (K, 2), which knows that cuts are chosen.

        Examples
        --------
        >>> import ordcut
        >>> scores, outcome = [1, 2, 3, 4, 5, 6] * 20, [0, 0, 1, 0, 1, 1] * 20
        >>> boot = ordcut.optimal_bands(scores, outcome, n_bands=2).bootstrap(n=20)
        >>> low, high = boot.rate_intervals()[1]
        >>> bool(0.4 < low < 0.75 < high <= 1)
        True
        """
        rates = self.bands.rates
        intervals = self._intervals(self.rates, rates, level)
        if self.bands.kind != "numbers":
            most = 1.0 if self.bands.kind == "yes or no" else np.inf
            intervals = intervals.clip(0.0, most)
        return intervals

    def _intervals(self, replicates: Floats, own: Floats, level: float) -> Floats:
        if not 0 < level < 1:
            raise ValueError(f"level must be between 0 and 1, got {level!r}.")
        scale = min(1.0, self.size / self.n_rows) ** RATE
        tails = np.quantile(replicates - own, [(1 + level) / 2, (1 - level) / 2], axis=0)
        return np.asarray((own - scale * tails).T)

    def __repr__(self) -> str:
        pairs = ", ".join(f"[{low:.6g}, {high:.6g}]" for low, high in self.intervals())
        return f"BandBootstrap(n={len(self.rates)}, size={self.size}, thresholds: {pairs})"


def bootstrap_bands(
    bands: Bands, problem: BandProblem, n: int, size: int | None, random_state: RandomState
) -> BandBootstrap:
    """Return replicates of bands; see ``Bands.bootstrap``."""
    rows, n_bands = problem.rows, len(bands.classes)
    if n < 1:
        raise ValueError(f"n must be at least 1, got {n!r}.")
    n_effective = rows.n_effective
    size = int(n_effective**0.8) if size is None else size
    if not 2 <= size <= n_effective:
        raise ValueError(f"size must be from 2 to {n_effective:.6g}, the rows, got {size!r}.")
    heights = None if rows.weights is None else np.cumsum(rows.weights, dtype=np.float64)
    rng = np.random.default_rng(random_state)
    thresholds, rates = [], []
    for _ in range(n):
        sample = problem.on(_draw(rows, heights, rng, size))
        is_constant = sample.rows.outcomes.min() == sample.rows.outcomes.max()
        solved = {} if is_constant or len(sample.rows.distinct) < 2 else sample.solve([n_bands])
        if n_bands in solved:
            thresholds.append(solved[n_bands].thresholds)
            rates.append(solved[n_bands].bands.rates)
    if not thresholds:
        raise ValueError(
            f"size must be large enough for {n_bands} bands, got {size}: no replicate has them. "
            "Pass a larger size, or find fewer bands."
        )
    return BandBootstrap(
        bands, np.array(thresholds), np.array(rates), size, n_effective, n - len(thresholds)
    )


def _draw(rows: BandRows, heights: Floats | None, rng: np.random.Generator, size: int) -> BandRows:
    """Return rows drawn in proportion to their weights, each with the weight 1."""
    if heights is None:
        index = np.sort(rng.integers(0, rows.n_rows, size))
    else:
        at = np.sort(rng.random(size)) * heights[-1]
        index = np.minimum(np.searchsorted(heights, at, side="right"), rows.n_rows - 1)
    return rows.take(index).reweighted(None)
