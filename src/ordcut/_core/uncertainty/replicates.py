"""Optimise thresholds again on many samples drawn from the original rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ordcut._core.cuts import Cuts
from ordcut._core.data import (
    Groups,
    Rows,
    SortedRows,
    confusions_of,
    place_between,
    warn_if_unclear,
)
from ordcut._core.limits import Limits, Names
from ordcut._core.numerics.exact import as_fraction
from ordcut._core.numerics.shares import t_quantile
from ordcut._core.numerics.threads import cached_property, count_threads, run_all, split
from ordcut._core.objectives import Objective
from ordcut._core.problem import Problem, Sample
from ordcut._core.smoothing import smooth
from ordcut._core.solve import solve_if_feasible, unit_of
from ordcut._core.solvers import Plan, solve_freely, solver_of
from ordcut._core.thresholds import OriginalRows, Thresholds, original_rows
from ordcut._core.typing import ArrayLike, Floats, Ints
from ordcut._core.uncertainty.bootstrap import THRESHOLD_RATE, Bootstrap
from ordcut._core.uncertainty.estimate import estimate_of
from ordcut._core.uncertainty.resampling import Deck, RandomState, rows_near, seeds_of
from ordcut._core.uncertainty.value_bounds import ValueBounds

#: A replicate draws the number of rows to this power; docs/bootstrap.md says why.
SIZE_POWER = 0.8

#: The optimism of the value falls with the number of rows to this power.
OPTIMISM_RATE = 2 / 3

#: The rows near a threshold are those between these quantiles of its replicates.
NEAR = (0.1, 0.9)

#: The number of consecutive draws without a value, such as a single class for a kappa,
#: after which an error is raised.
MOST_TRIES = 100

#: Constraints must be possible in at least this share of the replicates.
LEAST_FEASIBLE = 0.5

#: The number of replicates that a thread takes at once, and the step of the progress bar.
PIECE = 16

#: Replicates are evaluated on all rows together if their tables have at most this many entries.
MOST_ENTRIES = 1 << 22


def bootstrap_thresholds(
    result: Thresholds,
    n: int,
    size: int | None,
    random_state: RandomState,
    n_jobs: int | None,
    progress: bool,
    groups: ArrayLike | None = None,
) -> Bootstrap:
    """Return the bootstrap of a result; see ``Thresholds.bootstrap``."""
    if not _is_whole(n) or n < 2:
        raise ValueError(f"n must be a whole number of replicates of at least 2, got {n!r}.")
    n_threads = count_threads(n_jobs)
    seeds = seeds_of(random_state, n)
    known = original_rows(result, "bootstrap")
    _check_observed(known.origin)
    given = known.origin.judged.data.all_rows()
    codes = None if groups is None else _group_codes(known, groups)
    if codes is None:
        warn_if_unclear(given.weights, given.weight_type)
        deck = Deck.from_rows(known.rows, known.sorted)
    else:
        deck = Deck.of_groups(known.rows, codes)
    size = _checked_size(size, deck)
    replicate = Replicate(deck, known.rows, known.sorted, known.origin, result.thresholds, size)
    thresholds, plain = np.empty((2, n, len(result.thresholds)))
    reached, values = np.empty((2, n))

    with _progress_bar("bootstrap", n, shown=progress) as advance:

        def run(piece: tuple[int, int]) -> None:
            for i in range(*piece):
                thresholds[i], plain[i], reached[i], values[i] = replicate(seeds[i])
            advance(piece[1] - piece[0])

        run_all(run, split(n, -(-n // PIECE)), n_threads)

    is_feasible = ~np.isnan(reached)
    if is_feasible.mean() < LEAST_FEASIBLE:
        raise ValueError(
            f"constraints must hold in at least {LEAST_FEASIBLE:.0%} of the replicates, but can "
            f"hold in only {is_feasible.mean():.0%} of {n} samples of {size} {deck.unit}: "
            f"{[outcome.limit for outcome in result.constraints]}. "
            "Relax them, or draw more rows with size=."
        )
    thresholds, plain = thresholds[is_feasible], plain[is_feasible]
    on_all, change = _judge_on_all(known, thresholds)
    share = min(1.0, size / deck.n_effective)
    # Half of the optimism is the gain of the replicate's own thresholds on the replicate, and half
    # is their loss on all rows.
    gains = reached[is_feasible] - values[is_feasible] + result.value - on_all
    optimism = float(np.mean(gains))
    centres = result.thresholds
    if known.origin.smoothing:
        unsmoothed = replicate.solve(known.sorted)
        centres = centres if unsmoothed is None else unsmoothed
    return Bootstrap(
        result=result,
        thresholds=thresholds,
        plain_thresholds=plain,
        centres=centres,
        values=values,
        optimism=share**OPTIMISM_RATE * optimism,
        label_change=share**THRESHOLD_RATE * change,
        size=size,
        n_rows=deck.n_effective,
        n_rows_near=rows_near(known.rows, deck.n_effective, _spans(plain), deck.groups is not None),
        scores=known.sorted.scores[known.sorted.ends].astype(np.float64),
        value_bounds=_value_bounds(result, known, codes),
        n_infeasible=int((~is_feasible).sum()),
        is_on_grid=known.origin.limits is not None and known.origin.limits.grid is not None,
        unit=deck.unit,
    )


def _group_codes(known: OriginalRows, groups: ArrayLike) -> Ints:
    """Return the group of each row that thresholds were found on, which must be in memory."""
    data, n = known.origin.solved.data, known.rows.n_rows
    if not isinstance(data, Rows):
        raise ValueError(
            "groups need thresholds that were found on arrays, whose rows have an order; these "
            "were found on a frame. Pass its columns to ordcut.optimal_thresholds(scores, labels)."
        )
    if not known.origin.objective.has_truth:
        raise ValueError(
            "groups cannot be drawn for thresholds that were found for costs of each row. Leave "
            "them out: intervals are then for independent rows."
        )
    if np.shape(groups) != (n,):
        raise ValueError(
            f"groups must hold one group for each of the {n} rows that thresholds were found on, "
            f"got shape {np.shape(groups)}. Rows of weight 0, and items without a rating, were "
            "left out: leave out their groups."
        )
    codes = Groups.codes_of(groups, known.rows.scores)
    assert codes is not None
    return codes


def _value_bounds(result: Thresholds, known: OriginalRows, groups: Ints | None) -> ValueBounds:
    """Return bounds for the value, as of the number of independent rows of the same variance."""
    rows, origin, n = known.rows, known.origin, known.rows.n_effective
    if groups is None:
        return ValueBounds.of(result.thresholds, origin, rows, n)
    decided = result.codes(rows.scores)
    by_row, by_group = (
        estimate_of(
            origin.goal,
            decided,
            rows.codes,
            rows.soft,
            rows.weights,
            has_repeats=rows.has_repeats,
            groups=each,
        )
        for each in (None, groups)
    )
    n_groups = by_group.n_units
    ratio = by_row.standard_error / max(by_group.standard_error, 1e-300)
    share = ratio * float(t_quantile(0.95, n) / t_quantile(0.95, n_groups))
    n_effective = n * min(share, 1.0) ** 2 if by_group.standard_error > 0 else float(n_groups)
    return ValueBounds.of(result.thresholds, origin, rows, max(n_effective, 1.0), is_grouped=True)


@dataclass(frozen=True)
class Replicate:
    """Draw samples of rows and solve them for the objective of the result.

    Class weights are computed from all rows, since they vary much less than thresholds.
    """

    deck: Deck
    rows: Rows
    sorted: SortedRows
    origin: Problem
    thresholds: Floats
    size: int

    @property
    def smoothing(self) -> float:
        """The amount of smoothing by a model; replicates of bagged thresholds have none."""
        amount = self.origin.smoothing
        return 0.0 if amount is None or amount == "bagging" else amount

    @cached_property
    def objective(self) -> Objective:
        """What is optimised, with the class weights of all rows."""
        return self.origin.goal.settled(self.sorted.totals)

    @cached_property
    def limits(self) -> Limits | None:
        """The limits, guarantees as limits on the share of the rows that promises them."""
        limits, rows = self.origin.limits, self.sorted
        return limits and limits.on(rows.exact_totals, unit_of(self.origin.judged))

    @cached_property
    def solve_freely(self) -> Callable[..., Cuts]:
        """The search without limits, whose method is chosen once for all replicates."""
        return solver_of(self.objective, Plan())

    def __call__(self, seed: np.random.SeedSequence) -> tuple[Floats, Floats, float, float]:
        """Return the thresholds of a sample, with and without smoothing, and two values.

        The values of the smoothed thresholds and of the result are computed on the sample. All but
        the last are NaN for a sample on which the constraints cannot hold.
        """
        sample = self._draw(np.random.default_rng(seed))
        own_cuts: Ints = np.searchsorted(sample.scores, self.thresholds, side="left")
        own_table = sample.between(own_cuts)
        thresholds = plain = self.solve(sample, own_table)
        if self.smoothing > 0:
            thresholds = self._solve_smoothed(sample)
        if thresholds is None or plain is None:
            nothing = np.full(len(self.thresholds), np.nan)
            return nothing, nothing, np.nan, self.origin.goal.value(own_table)
        cuts: Ints = np.searchsorted(sample.scores, thresholds, side="left")
        reached = self.origin.goal.value(sample.between(cuts))
        return thresholds, plain, reached, self.origin.goal.value(own_table)

    def solve(self, sample: SortedRows, first: Floats | None = None) -> Floats | None:
        """Return the optimal thresholds of a sample; None if the constraints cannot hold on it.

        For a kappa, the search starts at the table ``first``.
        """
        return self._place(sample, self.solve_freely(sample, first), sample)

    def _solve_smoothed(self, sample: SortedRows) -> Floats | None:
        objective = self.objective
        rows = Rows(sample.scores, self.rows.classes, sample.codes, weights=sample.weights)
        n_drawn = self.size if self.deck.groups is None else rows.n_effective
        smoothed = smooth(rows, objective.unweighted, self.smoothing, n_drawn).rows.sorted()
        return self._place(smoothed, solve_freely(smoothed, objective, Plan()), sample)

    def _place(self, rows: SortedRows, free: Cuts, sample: SortedRows) -> Floats | None:
        """Return the thresholds of the best cuts of rows, or the best within limits on a sample."""
        if self.limits is None:
            lower, upper = (scores.astype(self.rows.dtype) for scores in free.around)
            return place_between(lower, upper)
        unit = self._unit(sample)
        problem = Problem(
            Sample(self.rows, rows, unit),
            self.objective,
            self.limits,
            observed=None if rows is sample else Sample(self.rows, sample, unit),
        )
        best = solve_if_feasible(problem, free)
        return None if best is None else best.thresholds

    def _unit(self, sample: SortedRows) -> Fraction:
        """Return what a weight of 1 of a sample stands for, as if all rows were drawn."""
        names = Names.of(self.origin.objective, self.rows.classes)
        counted = names.cells()[0] > 0
        n_drawn, n_all = (rows.totals[counted].sum() for rows in (sample, self.sorted))
        return as_fraction(float(self.rows.unit * n_all / n_drawn))

    def _draw(self, rng: np.random.Generator) -> SortedRows:
        for _ in range(MOST_TRIES):
            sample = self.deck.draw(rng, self.size)
            if self._can_be_judged(sample):
                return sample
        raise ValueError(
            f"size must be large enough for {self.origin.goal.name!r} to have a value, which "
            f"it had in none of {MOST_TRIES} samples of {self.size} {self.deck.unit}. Draw more."
        )

    def _can_be_judged(self, sample: SortedRows) -> bool:
        objective, totals = self.objective, sample.totals
        factors = objective.factors(self.sorted.totals)
        return objective.has_value(totals if factors is None else totals * factors)


def _check_observed(origin: Problem) -> None:
    """Raise an error if rows would be drawn without what the constraints need to know of them."""
    if origin.grouped is not None:
        raise ValueError(
            "bootstrap cannot draw rows for constraints on groups: it draws rows by score and "
            "class. Draw rows yourself, and call optimal_thresholds with the groups of each draw."
        )
    if origin.limits is not None and origin.observed is not None:
        raise ValueError(
            "bootstrap cannot draw rows for thresholds that are smoothed, weighted by class and "
            "constrained at once: rows would be drawn by the weights of their classes, which the "
            "constraints do not have. Leave out smoothing, class_weight or constraints."
        )


def _checked_size(size: int | None, deck: Deck) -> int:
    n_effective = deck.n_effective
    if size is None:
        return max(1, round(float(n_effective**SIZE_POWER)))
    if not (_is_whole(size) and 1 <= size <= n_effective):
        raise ValueError(
            f"size must be a whole number of {deck.unit} from 1 to {n_effective:g}, the effective "
            f"sample size of the data, got {size!r}."
        )
    return size


def _is_whole(number: object) -> bool:
    return isinstance(number, (int, np.integer)) and not isinstance(number, bool)


def _spans(thresholds: Floats) -> Floats:
    """Return the range of the finite replicates of each threshold; NaN if there are none."""
    finite = [column[np.isfinite(column)] for column in thresholds.T]
    spans = [np.quantile(column, NEAR) if len(column) else [np.nan] * 2 for column in finite]
    return np.array(spans)


def _judge_on_all(known: OriginalRows, thresholds: Floats) -> tuple[Floats, float]:
    """Return the value of each replicate's thresholds on all rows, and the change of labels.

    A label is the number of thresholds at or below a score. So the sum of all changes is the number
    of rows between the two positions of each threshold.
    """
    ordered = known.sorted

    def count(positions: Floats) -> Floats:
        cuts: Ints = np.searchsorted(ordered.scores, positions, side="left")
        return ordered.between(cuts)

    below_own = np.cumsum(known.confusion.sum(axis=1))[:-1]
    values, change = [], 0.0
    at_once = max(1, MOST_ENTRIES // known.confusion.size)
    for first in range(0, len(thresholds), at_once):
        confusions = confusions_of(thresholds[first : first + at_once], count)
        values += [known.origin.goal.value(confusion) for confusion in confusions]
        below = np.cumsum(confusions.sum(axis=2), axis=1)[:, :-1]
        change += np.abs(below - below_own).sum()
    return np.array(values), change / len(thresholds) / ordered.weight


@contextmanager
def _progress_bar(title: str, total: int, *, shown: bool) -> Iterator[Callable[[int], None]]:
    """Yield a function that advances the bar, or does nothing if the bar is not shown."""
    if not shown:
        yield lambda _: None
        return
    try:
        from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn
    except ImportError as error:
        raise ImportError(
            "progress=True needs rich, which is not installed. "
            "Install it with: pip install rich, or leave progress=False."
        ) from error
    columns = [*Progress.get_default_columns()[:3], MofNCompleteColumn(), TimeRemainingColumn()]
    with Progress(*columns) as bar:
        task = bar.add_task(title, total=total)
        yield lambda steps: bar.advance(task, steps)
