"""Find thresholds again on many samples drawn from the rows that they were found on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ordcut.arrays import Floats, Ints
from ordcut.kernels.solving import segment_totals
from ordcut.placing import place_cuts
from ordcut.progress import progress_bar
from ordcut.smoothing import smooth
from ordcut.solvers import Minimiser, Plan, solve
from ordcut.sources.arrays import ArraySource
from ordcut.table import ScoreTable
from ordcut.threads import count_threads, run_all, split
from ordcut.thresholds import Thresholds
from ordcut.uncertainty.bootstrap import THRESHOLD_RATE, Bootstrap
from ordcut.uncertainty.origin import Origin
from ordcut.uncertainty.resampling import Deck, RandomState, seeds_of
from ordcut.uncertainty.revisiting import Revisited, revisit

#: A replicate draws the number of rows to this power; docs/uncertainty.md says why.
SIZE_POWER = 0.8

#: What the value owes to having been optimised shrinks with the number of rows to this power.
OPTIMISM_RATE = 2 / 3

#: Draws in a row that cannot be judged, such as those of one class for a kappa, before giving up.
MOST_TRIES = 100

#: Threads take replicates in pieces of so many, which is also how a progress bar moves.
PIECE = 16

#: Replicates are judged on all rows together as long as their tables have at most so many entries.
MOST_ENTRIES = 1 << 22


def bootstrap_thresholds(
    found: Thresholds,
    n: int,
    size: int | None,
    random_state: RandomState,
    n_jobs: int | None,
    progress: bool,
) -> Bootstrap:
    """Return the bootstrap of a result that knows its data; see ``Thresholds.bootstrap``."""
    if not _is_whole(n) or n < 2:
        raise ValueError(f"n must be a whole number of replicates of at least 2, got {n!r}.")
    n_threads = count_threads(n_jobs)
    seeds = seeds_of(random_state, n)
    known = revisit(found, "bootstrap")
    deck = Deck.from_source(known.source, known.table.rows)
    size = _checked_size(size, deck.n_worth)
    replicate = Replicate(deck, known.table, known.source, known.origin, found.thresholds, size)
    thresholds = np.empty((n, len(found.thresholds)))
    reached, values = np.empty(n), np.empty(n)

    with progress_bar("bootstrap", n, shown=progress) as advance:

        def run(piece: tuple[int, int]) -> None:
            for number in range(*piece):
                thresholds[number], reached[number], values[number] = replicate(seeds[number])
            advance(piece[1] - piece[0])

        run_all(run, split(n, -(-n // PIECE)), n_threads)

    on_all, change = _judge_on_all(known, thresholds)
    share = min(1.0, size / deck.n_worth)
    # Half of the optimism is seen on the replicate, where its own thresholds beat those found, and
    # half on all rows, where they are beaten.
    optimism = float(np.mean(reached - values + found.value - on_all))
    return Bootstrap(
        found=found,
        thresholds=thresholds,
        values=values,
        optimism=share**OPTIMISM_RATE * optimism,
        label_change=share**THRESHOLD_RATE * change,
        size=size,
        n_rows=deck.n_worth,
    )


@dataclass(frozen=True)
class Replicate:
    """One sample of rows after another, solved for what the thresholds were found for.

    The factors of classes stay those of all rows, for they vary much less than thresholds do.
    """

    deck: Deck
    table: ScoreTable
    source: ArraySource
    origin: Origin
    thresholds: Floats
    size: int

    @cached_property
    def factors(self) -> Floats:
        """The factor of each class."""
        return self.origin.factors(self.table.totals)

    @cached_property
    def minimise(self) -> Minimiser:
        """The solver of a cost, chosen once for all replicates."""
        cost = self.origin.objective.cost * self.factors
        return Minimiser.choose(cost, self.table.weight, "auto", Plan())

    def __call__(self, seed: np.random.SeedSequence) -> tuple[Floats, float, float]:
        """Return a sample's thresholds, the value they reach on it, and that of those found."""
        sample = self._draw(np.random.default_rng(seed))
        scores = sample.rows.scores
        cuts_found: Ints = np.searchsorted(scores, self.thresholds, side="left")
        by_found = sample.confusion(cuts_found)
        thresholds = self._solve(sample, by_found)
        cuts: Ints = np.searchsorted(scores, thresholds, side="left")
        reached = self.origin.value(sample.confusion(cuts))
        return thresholds, reached, self.origin.value(by_found)

    def _solve(self, sample: ScoreTable, by_found: Floats) -> Floats:
        """Return the thresholds of a sample, smoothed as much as those found."""
        objective = self.origin.objective
        if self.origin.smoothing > 0:
            rows = sample.rows
            source = self.source.with_rows(rows.scores, rows.codes, rows.weights)
            sample = ScoreTable.from_source(smooth(source, objective, self.origin.smoothing).source)
            solution = solve(sample, objective, self.factors, "auto", Plan())
        elif objective.is_kappa:
            solution = solve(sample, objective, self.factors, "auto", Plan(), first=by_found)
        else:
            solution = self.minimise(sample)
        scores = sample.rows.scores.astype(self.source.precision, copy=False)
        return place_cuts(scores, solution.cuts)

    def _draw(self, rng: np.random.Generator) -> ScoreTable:
        for _ in range(MOST_TRIES):
            rows = self.deck.draw(rng, self.size)
            sample = ScoreTable.from_rows(rows, self.table.source)
            if self._can_be_judged(sample):
                return sample
        raise ValueError(
            f"size must be large enough for {self.origin.objective.name!r} to have a value, which "
            f"it had in none of {MOST_TRIES} samples of {self.size} rows. Draw more rows."
        )

    def _can_be_judged(self, sample: ScoreTable) -> bool:
        objective = self.origin.objective
        if not objective.is_kappa and self.origin.class_weight is None:
            return True
        weights = sample.totals * self.factors
        if objective.is_kappa:
            return bool((objective.cost @ weights > 0).all())
        return bool(weights.any())


def _checked_size(size: int | None, n_worth: float) -> int:
    if size is None:
        return max(1, round(float(n_worth**SIZE_POWER)))
    if not (_is_whole(size) and 1 <= size <= n_worth):
        raise ValueError(
            f"size must be a whole number of rows from 1 to {n_worth:g}, which is what the data "
            f"are worth, got {size!r}."
        )
    return size


def _is_whole(number: object) -> bool:
    return isinstance(number, (int, np.integer)) and not isinstance(number, bool)


def _judge_on_all(known: Revisited, thresholds: Floats) -> tuple[Floats, float]:
    """Return the value of each replicate's thresholds on all rows, and how labels change by them.

    Labels count the thresholds at or below a score, so they change, summed over rows, by the rows
    between the two places of each threshold.
    """
    below_found = np.cumsum(known.confusion.sum(axis=1))[:-1]
    values, change = [], 0.0
    at_once = max(1, MOST_ENTRIES // known.confusion.size)
    for first in range(0, len(thresholds), at_once):
        confusions = confusions_of(known.table, thresholds[first : first + at_once])
        values += [known.origin.value(confusion) for confusion in confusions]
        below = np.cumsum(confusions.sum(axis=2), axis=1)[:, :-1]
        change += np.abs(below - below_found).sum()
    return np.array(values), change / len(thresholds) / known.table.weight


def confusions_of(table: ScoreTable, thresholds: Floats) -> Floats:
    """Return the (predicted, true) tables of weights of many thresholds, in one pass over rows.

    Examples
    --------
    >>> table = ScoreTable([0.1, 0.4, 0.5, 0.9], [0, 0, 1, 1])
    >>> confusions_of(table, np.array([[0.45], [0.6]]))
    array([[[2., 0.],
            [0., 2.]],
    <BLANKLINE>
           [[2., 1.],
            [0., 1.]]])
    """
    n_classes = len(table.classes)
    cuts = np.searchsorted(table.rows.scores, thresholds, side="left")
    codes, _, weights, stride = table.rows.for_kernels(np.dtype(np.float64))
    borders, number = np.unique(np.append(cuts, len(codes)), return_inverse=True)
    totals = np.zeros((len(borders), n_classes))
    segment_totals(codes, weights, stride, np.append(0, borders), totals)
    below = np.cumsum(totals, axis=0)
    shape = (*cuts.shape, n_classes)
    ends = np.zeros((len(cuts), 1, n_classes))
    return np.diff(
        np.concatenate([ends, below[number[:-1]].reshape(shape), ends + below[-1]], axis=1), axis=1
    )
