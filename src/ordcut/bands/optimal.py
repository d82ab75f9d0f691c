"""``optimal_bands``: the best bands of a score by an outcome, and how many there should be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from ordcut._core.data import WeightType, check_classes
from ordcut._core.errors import InfeasibleConstraintsError, listed, unknown_name
from ordcut._core.limits import Constraints
from ordcut._core.thresholds import Certificate, ConstraintOutcome
from ordcut._core.typing import ArrayLike, Floats, Ints
from ordcut.bands.limits import MOST_NAMES, BandLimit, BandLimits
from ordcut.bands.objectives import BandObjective, objective_for
from ordcut.bands.path import MOST_BANDS, BandPath, path_of
from ordcut.bands.result import Bands
from ordcut.bands.rows import BandRows, Sums
from ordcut.bands.search import MOST_CELLS, Solution, Space, best_of_blocks, best_within

Rates: TypeAlias = Literal["auto", "rising", "falling", "any"]

#: The sign of the difference of the rates of neighbouring bands.
SIGNS_OF_RATES = {"rising": 1, "falling": -1, "any": 0}

#: The number of cells of a search that is repeated many times.
FEW_CELLS = 150

#: How often the interval of a limit is halved.
N_HALVINGS = 12


@dataclass(frozen=True, eq=False)
class BandProblem:
    """Everything that determines optimal bands but their number.

    Attributes
    ----------
    rows : BandRows
        The rows.
    objective : BandObjective
        What is optimised.
    sign : {-1, 0, 1}
        Whether rates must fall or rise from band to band.
    limits : BandLimits
        What must hold.
    names : tuple
        The names of the bands, if they were given.
    most_cells : int
        The largest number of cells of a search within limits.
    """

    rows: BandRows
    objective: BandObjective
    sign: int
    limits: BandLimits = BandLimits()  # noqa: RUF009 (frozen)
    names: tuple[Any, ...] = ()
    most_cells: int = MOST_CELLS

    def on(self, rows: BandRows) -> BandProblem:
        """Return the problem on other rows, to be solved quickly; counts are in proportion."""
        factor = float(rows.total.rows * rows.unit / (self.rows.total.rows * self.rows.unit))
        return replace(self.quick, rows=rows, limits=self.limits.scaled(factor))

    @property
    def quick(self) -> BandProblem:
        """The problem with a search that is quick, and less thorough within limits."""
        return replace(self, most_cells=FEW_CELLS)

    def space(self, most: int) -> Space:
        """Return the candidates for the cuts of bands, and the limits that must hold."""
        return self.limits.space(self.rows, self.objective, self.sign, most, self.known_names)

    def solve(self, numbers: Sequence[int]) -> dict[int, BandCuts]:
        """Return the best cuts for each number of bands for which there are any."""
        space = self.space(max(numbers))
        solutions: dict[int, BandCuts] = {}
        free = best_of_blocks(space, max(numbers)) if self.sign else {}
        for k in numbers:
            if k in free and (space.is_free or space.allows(free[k].path)):
                solutions[k] = BandCuts(self, space, free[k], "blocks")
            elif not space.is_free:
                solution = best_within(space, k, self.most_cells)
                if solution is not None:
                    solutions[k] = BandCuts(self, space, solution, "windows")
        return solutions

    def infeasible(self, n_bands: int) -> Exception:
        """Return the error for a number of bands that cannot be."""
        most = max(self.quick.solve(range(1, n_bands)), default=0)
        limits = [] if self.space(n_bands).is_free else self._conflict(n_bands)
        if not limits:
            direction = {1: "rise", -1: "fall", 0: "differ"}[self.sign]
            if self.objective.needs_both:
                direction += ", and with an event and a row without one in each of them"
            if most < 2:
                return ValueError(
                    f"no bands have rates that {direction}: a single band is as good. Check the "
                    'scores and the direction; rates="any" needs no order.'
                )
            return ValueError(
                f"n_bands must be at most {most} here, got {n_bands}: with more bands whose rates "
                f"{direction}, the value would not be better. Use n_bands={most}, or fewer."
            )
        nearest = {
            str(limit): number
            for limit in limits
            if isinstance(limit, BandLimit)
            and (number := self._nearest(limit, limits, n_bands)) is not None
        }
        error = InfeasibleConstraintsError([*map(str, limits)], nearest)
        hint = f" With these constraints, n_bands can be at most {most}." if most > 1 else ""
        unordered = replace(self, sign=0, limits=self.limits.without_gaps)
        n_candidates = self.space(n_bands).n_candidates
        if n_candidates > self.most_cells and unordered.solve([n_bands]):
            hint += (
                f" This is not proved: there are {n_candidates - 2} cuts, too many to try all. "
                'With fewer values of thresholds, such as "digits 1", all are tried.'
            )
        error.args = (f"{n_bands} bands: {error.args[0]}{hint}",)
        return error

    def _conflict(self, n_bands: int) -> list[Any]:
        """Return limits that the bands cannot keep, of which none can be left out."""
        kept = self.limits.every
        for limit in self.limits.every:
            fewer = [each for each in kept if each is not limit]
            if n_bands not in replace(self, limits=self.limits.only(fewer)).solve([n_bands]):
                kept = fewer
        return kept

    def _nearest(self, limit: BandLimit, conflict: list[Any], n_bands: int) -> float | None:
        """Return the limit nearest to a lower limit that the bands can keep with the others."""
        if limit.at_least is None or limit.at_most is not None:
            return None
        others = self.limits.only([each for each in conflict if each is not limit])
        possible, impossible, reached = 0.0, limit.at_least, None
        for _ in range(N_HALVINGS):
            middle = (possible + impossible) / 2
            looser = replace(limit, at_least=middle)
            limits = replace(others, on_bands=(*others.on_bands, looser))
            solution = replace(self, limits=limits, most_cells=FEW_CELLS).solve([n_bands])
            if n_bands in solution:
                sums = solution[n_bands].bands
                possible = reached = limit.reached(sums, self.rows.unit, self.known_names)
            else:
                impossible = middle
        return reached

    @property
    def known_names(self) -> list[str]:
        """The names of bands in limits, lowest first."""
        return [*map(str, self.names or range(1, MOST_NAMES + 1))]


@dataclass(frozen=True, eq=False)
class BandCuts:
    """The best cuts for a number of bands."""

    problem: BandProblem
    space: Space
    solution: Solution
    method: Literal["blocks", "windows"]

    @property
    def cuts(self) -> Ints:
        """The number of distinct scores below each threshold."""
        return self.space.cuts[self.solution.path]

    @property
    def thresholds(self) -> Floats:
        """The thresholds."""
        rows = self.problem.rows
        return self.problem.limits.place(rows.distinct, self.space, self.solution.path)

    @property
    def bands(self) -> Sums:
        """The sums of each band."""
        return self.problem.rows.between(self.cuts)

    @property
    def value(self) -> float:
        """The value that the bands reach, added up over the bands."""
        return self.problem.objective.value(self._gain, self.problem.rows)

    @property
    def bound(self) -> float:
        """The best value that any bands could reach."""
        return self.problem.objective.value(self.solution.bound, self.problem.rows)

    @property
    def _gain(self) -> float:
        below = self.problem.rows.sums.at(np.concatenate([[0], self.cuts]))
        above = self.problem.rows.sums.at(np.concatenate([self.cuts, [-1]]))
        problem = self.problem
        sign = problem.sign or 1
        return float(problem.objective.gains(below, above, problem.rows.total, sign).sum())

    @property
    def certificate(self) -> Certificate:
        """Why no other bands are better, or by how much they can be."""
        if self.method == "blocks":
            return Certificate("blocks", sums="float64")
        if self.solution.gain == self.solution.bound:
            return Certificate("pairs", sums="float64")
        note = (
            f"{self.space.n_candidates} candidate cuts were searched by bounds, and with all of "
            f"them the {self.problem.objective.name} can be at best {self.bound:.6g}"
        )
        return Certificate("bounded", note=note, sums="float64")

    def result(self, path: BandPath | None = None) -> Bands:
        """Return the bands."""
        problem, n_bands = self.problem, len(self.cuts) + 1
        names: Any = problem.names or range(1, n_bands + 1)
        below = np.concatenate([[-np.inf], problem.rows.distinct.astype(np.float64), [np.inf]])
        bands = self.bands
        outcomes = tuple(
            ConstraintOutcome(limit, self._reached(limit, bands), partial(self._price, limit))
            for limit in problem.limits.every
        )
        return Bands.of(
            problem.rows,
            bands,
            path=path,
            problem=problem,
            thresholds=self.thresholds,
            classes=check_classes(list(names)),
            value=self.value,
            objective=problem.objective.name,
            method=self.method,
            proof=self.certificate,
            ranges=np.stack([below[self.cuts], below[self.cuts + 1]], axis=1),
            constraints=outcomes,
        )

    def _reached(self, limit: Any, bands: Sums) -> Any:
        if isinstance(limit, BandLimit):
            return limit.reached(bands, self.problem.rows.unit, self.problem.known_names)
        return tuple(self.thresholds.tolist())

    def _price(self, limit: Any) -> float:
        """Return how much better the value would be without a limit."""
        n_bands, limits = len(self.cuts) + 1, self.problem.limits
        others = limits.only([each for each in limits.every if each is not limit])
        without = replace(self.problem, limits=others).solve([n_bands])
        return abs(without[n_bands].value - self.value) if n_bands in without else 0.0


def optimal_bands(
    scores: ArrayLike,
    outcome: ArrayLike,
    *,
    n_bands: int | Literal["auto"] = "auto",
    exposure: ArrayLike | None = None,
    objective: str | None = None,
    rates: Rates = "auto",
    constraints: Constraints = (),
    names: Sequence[Any] | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType | None = None,
) -> Bands:
    """Cut a score into ordered bands by an outcome, where it differs most between bands.

    Parameters
    ----------
    scores : array-like of shape (n_samples,)
        Finite scores.
    outcome : array-like of shape (n_samples,)
        What happened: yes or no, as booleans or 0 and 1; counts; or other numbers.
    n_bands : int or "auto"
        The number of bands. ``"auto"`` takes the smallest number, up to 10, whose loss on rows left
        out is within one standard error of the lowest, by cross-validation.
    exposure : array-like of shape (n_samples,), optional
        For counts, how long or how much each row was exposed, above 0.
    objective : {"log_loss", "poisson", "squared_error", "information_value", "gini"}, optional
        The loss to minimise, or the information value or Gini's coefficient to maximise. By
        default ``"poisson"``, the deviance of counts, if there is an exposure; ``"log_loss"`` for
        outcomes that are 0 or 1; and ``"squared_error"`` for others.
    rates : {"auto", "rising", "falling", "any"}
        How the rate, or the mean, of the outcome must change from band to band. ``"auto"`` is
        rising, or falling if a higher score goes with a lower outcome over all rows.
    constraints : sequence of str or constraints, optional
        What must hold for every band: ``"share >= 0.05"``, ``"count >= 30"``, ``"events >= 20"``
        (or for one: ``"share 1 <= 0.2"``); ``"rate gap >= 0.01"`` for neighbouring bands; and on
        thresholds ``"digits 1"``, ``"allowed 1 2 5"``, ``"gap >= 0.5"``, ``"fixed 0 1.5"`` or
        ``"between 0 1 2"``.
    names : sequence, optional
        The names of the bands, lowest score first; by default their numbers from 1.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts. A weight of 2 equals the row twice, a weight of 0 no row.
    weight_type : {"repeats", "importance"}, optional
        What weights are, which matters to intervals; see :func:`ordcut.optimal_thresholds`.

    Returns
    -------
    Bands
        Thresholds, with a table of the bands and why they are optimal.

    Raises
    ------
    InfeasibleConstraintsError
        If no bands keep all constraints.

    Examples
    --------
    >>> scores = [1, 2, 3, 4, 5, 6, 7, 8]
    >>> bands = optimal_bands(scores, [0, 0, 1, 0, 0, 1, 1, 1], n_bands=3)
    >>> bands
    Bands([2.5, 5.5], classes=[1, 2, 3], log_loss=0.238693, method='blocks')
    >>> bands.predict([0, 4, 9])
    array([1, 2, 3])
    >>> optimal_bands(
    ...     scores, [0, 0, 1, 0, 0, 1, 1, 1], n_bands=2, constraints=["share >= 0.3"]
    ... ).table()[["from", "rows", "rate"]]
       from  rows  rate
    0  -inf   5.0   0.2
    1   5.5   3.0   1.0
    """
    rows = BandRows.read(scores, outcome, exposure, sample_weight, weight_type)
    if len(rows.distinct) < 2:
        raise ValueError(f"scores must differ, got {rows.scores[0]:g} in all rows.")
    limits = BandLimits.read(constraints)
    resolved = objective_for(objective, rows)
    sign = _sign(rates, rows)
    if sign == 0 and (resolved.gain is None or any(x.word == "rate gap" for x in limits.on_bands)):
        raise ValueError('rates="any" has no Gini coefficient, and no rate gap to limit.')
    is_number = isinstance(n_bands, (int, np.integer)) and not isinstance(n_bands, bool)
    if n_bands != "auto" and not (is_number and n_bands >= 2):
        raise ValueError(f'n_bands must be a whole number from 2 on or "auto", got {n_bands!r}.')
    given = () if names is None else tuple(names)
    if names is not None and (n_bands == "auto" or len(given) != n_bands):
        raise ValueError(
            f"names must be {n_bands} names if n_bands={n_bands!r}, got {len(given)}."
            if n_bands != "auto"
            else 'names need a number of bands, and n_bands="auto" has none yet.'
        )
    problem = BandProblem(rows, resolved, sign, limits, given)
    known = problem.known_names[: MOST_BANDS if n_bands == "auto" else int(n_bands)]
    for limit in limits.on_bands:
        if limit.band is not None and limit.band not in known:
            raise ValueError(f"constraint {str(limit)!r} must name a band, one of {listed(known)}.")
    path = path_of(problem) if n_bands == "auto" else None
    number = path.best if path is not None else int(n_bands)
    solution = problem.solve([number])
    if number not in solution:
        raise problem.infeasible(number)
    return solution[number].result(path)


def _sign(rates: str, rows: BandRows) -> int:
    """Return whether rates must rise or fall; ``"auto"`` is decided over all rows."""
    if rates != "auto":
        if rates not in SIGNS_OF_RATES:
            raise unknown_name("rates", rates, ["auto", *SIGNS_OF_RATES])
        return SIGNS_OF_RATES[rates]
    sums = rows.sums
    events, exposure = np.diff(sums.events), sums.exposure
    area = exposure[1:] @ events + exposure[:-1] @ events - exposure[-1] * sums.events[-1]
    return 1 if area >= 0 else -1
