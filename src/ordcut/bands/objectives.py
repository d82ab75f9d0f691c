"""What bands are judged by: how much they gain over a single band, as a sum over bands.

The gain of a band is a convex function of its events and of the rest of its exposure, homogeneous
of degree 1, and 0 where its rate is that of all rows. Gini's coefficient is the exception: it is a
sum over bands as well, of areas between a curve and its diagonal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from scipy.special import kl_div, xlogy

from ordcut._core.errors import unknown_name
from ordcut._core.typing import Floats
from ordcut.bands.rows import BandRows, Sums

#: Returns the gain of bands with the given events and rest, for the sums over all rows.
Gain: TypeAlias = Callable[[Floats, Floats, Sums], Floats]

#: The step of numerical derivatives, as a share of the rate of all rows.
STEP = 1e-3


@dataclass(frozen=True, eq=False)
class BandObjective:
    """What is optimised.

    Attributes
    ----------
    name : str
        Its name.
    gain : callable, optional
        The gain of bands; None for Gini's coefficient, which depends on the bands below as well.
    loss : callable, optional
        The loss of a single band, and the factor by which a gain lowers it; None for a gain that is
        the value itself.
    needs_yes_no, needs_counts : bool
        Whether outcomes must be 0 or 1, or must not be negative. The rest of a band is its rows
        without an event if outcomes are 0 or 1, and its exposure otherwise.
    needs_both : bool
        Whether each band needs events and rows without, so that its gain is finite.
    """

    name: str
    gain: Gain | None
    loss: Callable[[BandRows], tuple[float, float]] | None = None
    needs_yes_no: bool = False
    needs_counts: bool = False
    needs_both: bool = False

    def value(self, gain: float, rows: BandRows) -> float:
        """Return the value that bands with a total gain reach."""
        if self.loss is None:
            return float(gain)
        whole, factor = self.loss(rows)
        return float(max(whole - factor * gain, 0.0))

    def rest(self, exposure: Floats, events: Floats) -> Floats:
        """Return the rest of bands."""
        return exposure - events if self.needs_yes_no else exposure

    def gains(self, low: Sums, high: Sums, total: Sums, sign: int) -> Floats:
        """Return the gain of bands between sums below their two ends.

        ``sign`` is 1 if rates rise, and -1 if they fall.
        """
        exposure, events = high.exposure - low.exposure, high.events - low.events
        with np.errstate(all="ignore"):
            if self.gain is not None:
                return self.gain(events, self.rest(exposure, events), total)
            area = low.exposure * events - exposure * low.events
            return np.asarray(sign * area / gini_unit(total, is_yes_no=self.needs_yes_no))

    def tilt(self, low: Sums, high: Sums, rates: Floats, total: Sums, sign: int) -> Floats:
        """Return how fast the gain changes as the end of a band moves from low to high sums.

        The gain is that of the band below the end, at the mean of two rates.
        """
        exposure = high.exposure - low.exposure
        with np.errstate(all="ignore"):
            slope = np.nan_to_num((high.events - low.events) / exposure, posinf=0.0, neginf=0.0)
        if self.gain is None:
            area = (low.exposure * slope - low.events) * sign
            return np.asarray(area / gini_unit(total, is_yes_no=self.needs_yes_no))
        mean = total.events / total.exposure
        step = STEP * (min(mean, 1 - mean) if self.needs_yes_no else abs(mean) or 1.0)
        tilt = np.zeros(len(slope))
        for rate in rates + 2 * STEP * (mean - rates):  # so that no rate is 0 or 1
            around = np.array([rate - step, rate, rate + step])
            low_gain, gain, high_gain = self.gain(around, self.rest(np.ones(3), around), total)
            tilt += (gain + (slope - rate) * (high_gain - low_gain) / (2 * step)) / 2
        return np.nan_to_num(tilt, posinf=0.0, neginf=0.0)


def gini_unit(total: Sums, *, is_yes_no: bool) -> float:
    """Return the area that Gini's coefficient is a share of: 1 for a score that separates all."""
    others = total.exposure - total.events if is_yes_no else total.exposure
    return float(others * total.events)


def _times_log(x: Floats, y: Floats) -> Floats:
    """Return x log(x / y), which is 0 for x = 0; faster than SciPy's ``rel_entr``."""
    with np.errstate(all="ignore"):
        return np.asarray(np.where(x == 0, 0.0, x * np.log(x / y)))


def _log_loss_gain(events: Floats, rest: Floats, total: Sums) -> Floats:
    rate, exposure = total.events / total.exposure, events + rest
    return _times_log(events, exposure * rate) + _times_log(rest, exposure * (1 - rate))


def _poisson_gain(events: Floats, rest: Floats, total: Sums) -> Floats:
    expected = rest * (total.events / total.exposure)
    return np.asarray(_times_log(events, expected) - events + expected)


def _squared_gain(events: Floats, rest: Floats, total: Sums) -> Floats:
    difference = events - rest * (total.events / total.exposure)
    with np.errstate(all="ignore"):
        return np.asarray(difference * difference / rest)


def information_value(events: Floats, rest: Floats, total: Sums) -> Floats:
    """Return the part of each band in the information value."""
    own, others = events / total.events, rest / (total.exposure - total.events)
    return _times_log(own, others) + _times_log(others, own)


def _log_loss(rows: BandRows) -> tuple[float, float]:
    total = rows.total
    rate = total.events / total.exposure
    return float(-(xlogy(rate, rate) + xlogy(1 - rate, 1 - rate))), 1 / float(total.exposure)


def _poisson_deviance(rows: BandRows) -> tuple[float, float]:
    total, exposures = rows.total, np.ones(1) if rows.exposures is None else rows.exposures
    deviances = exposures * kl_div(rows.outcomes / exposures, total.events / total.exposure)
    weighted = deviances.sum() if rows.weights is None else deviances @ rows.weights
    factor = 2 / float(total.exposure)
    return float(factor * weighted), factor


def _squared_error(rows: BandRows) -> tuple[float, float]:
    total = rows.total
    deviations = rows.outcomes - total.events / total.rows
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    return float(deviations**2 @ weights / total.rows), 1 / float(total.rows)


_EVERY = (
    BandObjective("log_loss", _log_loss_gain, _log_loss, needs_yes_no=True),
    BandObjective("poisson", _poisson_gain, _poisson_deviance, needs_counts=True),
    BandObjective("squared_error", _squared_gain, _squared_error),
    BandObjective("information_value", information_value, needs_yes_no=True, needs_both=True),
    BandObjective("gini", None, needs_counts=True),
)

#: The objectives by name.
OBJECTIVES = {objective.name: objective for objective in _EVERY}


def objective_for(name: str | None, rows: BandRows) -> BandObjective:
    """Return the objective of a name, by default the one for the outcome; an error if it cannot be.

    Examples
    --------
    >>> objective_for(None, BandRows.read([1, 2], [0, 1])).name
    'log_loss'
    >>> objective_for(None, BandRows.read([1, 2], [0, 2.5])).name
    'squared_error'
    """
    has_exposure = rows.exposures is not None
    if name is None:
        name = "poisson" if has_exposure else "log_loss" if rows.is_yes_no else "squared_error"
    if name not in OBJECTIVES:
        raise unknown_name("objective", name, list(OBJECTIVES))
    objective = OBJECTIVES[name]
    if has_exposure and not objective.needs_counts:
        raise ValueError(
            'exposure is for counts, whose objective is "poisson" or "gini", got '
            f'objective="{name}".'
        )
    if objective.needs_yes_no and not rows.is_yes_no:
        bad = rows.outcomes[(rows.outcomes != 0) & (rows.outcomes != 1)][0]
        raise ValueError(
            f'outcome must be 0 or 1 for objective="{name}", got {bad:g}. Use "poisson" for counts '
            'or "squared_error" for other numbers.'
        )
    if objective.needs_counts and rows.outcomes.min() < 0:
        raise ValueError(
            f'outcome must not be negative for objective="{name}", got {rows.outcomes.min():g}.'
        )
    is_constant = rows.outcomes.min() == rows.outcomes.max() and not has_exposure
    if is_constant or not rows.outcomes.any():
        raise ValueError(
            f"outcome must differ between rows, got {rows.outcomes[0]:g} in all of them: there is "
            "nothing to separate."
        )
    if name == "gini":
        objective = replace(objective, needs_yes_no=rows.is_yes_no and not has_exposure)
    return objective
