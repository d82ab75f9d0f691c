"""How many bands: their value and their loss on rows left out, by the number of bands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import kl_div

from ordcut._core.data import place_cuts
from ordcut._core.extensions import extension
from ordcut._core.thresholds import as_frame
from ordcut._core.typing import Array, Floats
from ordcut.bands.objectives import gini_unit, information_value
from ordcut.bands.rows import BandRows, Sums

if TYPE_CHECKING:
    from ordcut.bands.optimal import BandProblem

#: The number of parts of the rows, each of which is left out once, and the largest number of bands.
N_FOLDS, MOST_BANDS = 10, 10


@dataclass(frozen=True, eq=False)
class BandPath:
    """The best bands for each number of bands.

    Attributes
    ----------
    n_bands : ndarray of shape (m,)
        The numbers of bands for which there are any, from 1.
    thresholds : list of ndarray
        The thresholds for each number of bands.
    values : ndarray of shape (m,)
        The value that they reach on the data.
    held_out : ndarray of shape (m,)
        The mean loss on rows left out: the log loss of a yes or no, the deviance of counts, or the
        squared error. Cuts and rates are found on the other rows.
    excess, standard_errors : ndarray of shape (m,)
        How much higher that loss is than the lowest, and the standard error of the difference.
    gini, information_value, smallest, concentration : ndarray of shape (m,)
        Gini's coefficient and the information value (NaN unless outcomes are yes or no), the share
        of the smallest band, and the sum of squared shares.
    best : int
        The smallest number of bands, from 2, whose excess is within a standard error.

    Examples
    --------
    >>> import numpy as np, ordcut
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.uniform(size=1000)
    >>> outcome = rng.random(1000) < np.where(scores < 0.5, 0.1, 0.6)
    >>> path = ordcut.optimal_bands(scores, outcome).path
    >>> path.best, path.thresholds[1].round(1).tolist()
    (2, [0.5])
    """

    n_bands: Array
    thresholds: list[Floats]
    values: Floats
    held_out: Floats
    excess: Floats
    standard_errors: Floats
    gini: Floats
    information_value: Floats
    smallest: Floats
    concentration: Floats

    @property
    def best(self) -> int:
        """The smallest number of bands, from 2, whose excess is within a standard error."""
        within = (self.excess <= self.standard_errors) & (self.n_bands > 1)
        return int(self.n_bands[within][0]) if within.any() else int(self.n_bands[-1])

    def to_frame(self, backend: Any = "pandas") -> Any:
        """Return everything as a dataframe of pandas, polars or pyarrow, a row for each number.

        Examples
        --------
        >>> import ordcut
        >>> path = ordcut.optimal_bands([1, 2, 3, 4] * 9, [0, 0, 1, 1] * 9).path
        >>> path.to_frame()[["n_bands", "thresholds", "gini"]]
           n_bands thresholds  gini
        0        1         []   0.0
        1        2      [2.5]   1.0
        """
        columns: dict[str, Any] = dict(vars(self))
        columns["thresholds"] = [each.tolist() for each in self.thresholds]
        lists = columns.pop("thresholds")
        frame = {name: np.asarray(values) for name, values in columns.items()}
        texts = np.empty(len(lists), object)
        texts[:] = lists
        return as_frame({"n_bands": frame.pop("n_bands"), "thresholds": texts, **frame}, backend)

    def plot(self, ax: Any = None) -> Any:
        """Plot the loss on rows left out over the number of bands, and return the axes.

        Examples
        --------
        >>> import matplotlib; matplotlib.use("Agg")
        >>> import ordcut
        >>> path = ordcut.optimal_bands([1, 2, 3, 4] * 9, [0, 0, 1, 1] * 9).path
        >>> path.plot().get_xlabel()
        'number of bands'
        """
        return extension("draw_band_path")(self, ax)


def path_of(problem: BandProblem, most: int = MOST_BANDS) -> BandPath:
    """Return the best bands for each number of bands up to ``most``."""
    rows = problem.rows
    solutions = problem.quick.solve(range(1, most + 1))
    numbers = sorted(solutions)
    if len(numbers) < 2:
        raise problem.infeasible(2)
    loss = _loss_of(problem)
    sums, squares, weight = np.zeros(len(numbers)), np.zeros((len(numbers),) * 2), 0.0
    for training, left_out in rows.folds(
        min(N_FOLDS, int(rows.n_effective)), np.random.default_rng(0)
    ):
        if len(training.distinct) < 2 or training.outcomes.min() == training.outcomes.max():
            continue
        own = problem.on(training).solve(numbers)
        losses, cuts = np.empty((left_out.n_rows, len(numbers))), np.empty(0, np.int64)
        for column, number in enumerate(numbers):
            cuts = own[number].cuts if number in own else cuts
            bands = np.searchsorted(
                place_cuts(training.distinct, cuts), left_out.scores, side="right"
            )
            losses[:, column] = loss(left_out, _pulled_rates(training, cuts)[bands])
        exposed = losses if left_out.exposures is None else losses * left_out.exposures[:, None]
        weights = np.ones(len(exposed)) if left_out.weights is None else left_out.weights
        sums += weights @ exposed
        repeats = weights if rows.is_repeated else weights**2
        squares += (exposed * repeats[:, None]).T @ exposed
        weight += float(left_out.total.exposure)
    held_out = sums / weight
    lowest = int(np.argmin(held_out))
    excess = held_out - held_out[lowest]
    second = np.diag(squares) + squares[lowest, lowest] - 2 * squares[:, lowest]  # of differences
    variance = np.maximum(second / weight**2 - excess**2 / rows.n_effective, 0)
    cuts_of = [solutions[number] for number in numbers]
    figures = [_figures(rows, each.bands) for each in cuts_of]
    return BandPath(
        np.array(numbers),
        [each.thresholds for each in cuts_of],
        np.array([each.value for each in cuts_of]),
        held_out,
        excess,
        np.sqrt(variance),
        *np.array(figures).T,
    )


def _loss_of(problem: BandProblem) -> Any:
    """Return the loss of each row for rates, by the outcome."""
    if problem.rows.exposures is not None or problem.objective.name == "poisson":
        return lambda rows, rates: 2 * kl_div(_rates(rows), rates)
    if problem.rows.is_yes_no:
        return lambda rows, rates: -np.log(np.where(rows.outcomes > 0, rates, 1 - rates))
    return lambda rows, rates: (rows.outcomes - rates) ** 2


def _rates(rows: BandRows) -> Floats:
    return rows.outcomes if rows.exposures is None else rows.outcomes / rows.exposures


def _pulled_rates(rows: BandRows, cuts: Any) -> Floats:
    """Return the rate of each band with a mean row added, so that no rate is 0 or 1."""
    bands, total = rows.between(cuts), rows.total
    mean_row = float(total.exposure) / rows.n_effective
    rate = float(total.events / total.exposure)
    return np.asarray((bands.events + rate * mean_row) / (bands.exposure + mean_row))


def _figures(rows: BandRows, bands: Sums) -> tuple[float, float, float, float]:
    """Return Gini's coefficient, information value, smallest share and concentration of bands."""
    shares = bands.rows / bands.rows.sum()
    is_yes_no = rows.is_yes_no and rows.exposures is None
    ends = np.concatenate([[0.0], np.cumsum(bands.exposure)])
    events = np.concatenate([[0.0], np.cumsum(bands.events)])
    unit = gini_unit(rows.total, is_yes_no=is_yes_no)
    gini = np.nan
    if unit > 0 and rows.outcomes.min() >= 0:
        gini = abs(float((ends[:-1] * np.diff(events) - np.diff(ends) * events[:-1]).sum())) / unit
    value = np.nan
    if is_yes_no:
        others = bands.exposure - bands.events
        value = float(information_value(bands.events, others, rows.total).sum())
    return gini, value, float(shares.min()), float(shares @ shares)
