"""Sorted scores with the classes of their rows: what the paper's Algorithm 1 prepares."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ordcut.arrays import Array, ArrayLike, Floats, Ints, Numbers
from ordcut.checks import ClassWeight
from ordcut.finding import find_thresholds
from ordcut.kernels.solving import loss_sums, segment_totals
from ordcut.objectives import ObjectiveLike, resolve_objective
from ordcut.placing import place_cuts
from ordcut.solvers import Method, Plan
from ordcut.sorting import SortedRows
from ordcut.sources.arrays import ArraySource
from ordcut.sources.base import Source
from ordcut.threads import count_threads, run_all, split
from ordcut.thresholds import Thresholds


class ScoreTable:
    """Scores and labels, sorted once, to be solved for many objectives.

    Parameters
    ----------
    scores : array-like of shape (n_samples,)
        Finite scores; higher means a higher class.
    labels : array-like of shape (n_samples,) or (n_samples, n_classes)
        The true classes, or soft labels: a weight that is not negative for each class.
    classes : sequence, optional
        All classes, lowest first, those that do not occur included.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts. A weight of 2 equals the row twice, a weight of 0 no row.

    Attributes
    ----------
    classes : ndarray of shape (K,)
        The ordered classes.
    totals : ndarray of shape (K,)
        The weight of each class.
    rows : SortedRows
        The rows in the order of their scores.

    Examples
    --------
    >>> table = ScoreTable([0.1, 0.4, 0.5, 0.9], [0, 0, 1, 2])
    >>> table.candidates
    array([-inf, 0.25, 0.45, 0.7 ,  inf])
    >>> table.solve("absolute").thresholds
    array([0.45, 0.7 ])
    >>> table.solve("quadratic_kappa").value
    1.0
    """

    def __init__(
        self,
        scores: ArrayLike,
        labels: ArrayLike,
        *,
        classes: Sequence[Any] | Array | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> None:
        source = ArraySource(scores, labels, classes=classes, weights=sample_weight)
        self._fill(source.sorted_rows(), source)

    @classmethod
    def from_source(cls, source: ArraySource) -> ScoreTable:
        """Sort the rows of a source."""
        return cls.from_rows(source.sorted_rows(), source)

    @classmethod
    def from_rows(cls, rows: SortedRows, source: Source) -> ScoreTable:
        """Make a table of rows that are sorted already."""
        table = cls.__new__(cls)
        table._fill(rows, source)
        return table

    def _fill(self, rows: SortedRows, source: Source) -> None:
        self.rows = rows
        self.classes = source.classes
        self.precision = source.precision
        self._number_kind = np.int64 if rows.is_whole else np.float64
        self.weight = float(len(rows.codes) if rows.weights is None else rows.weights.sum())
        self.source = source

    @cached_property
    def totals(self) -> Floats:
        """The weight of each class."""
        totals = np.zeros((1, len(self.classes)), self._number_kind)
        codes, _, weights, stride = self.rows.for_kernels(totals.dtype)
        segment_totals(codes, weights, stride, np.array([0, len(codes)]), totals)
        return np.asarray(totals[0], dtype=np.float64)

    def __repr__(self) -> str:
        return (
            f"ScoreTable({self.weight:g} rows, {len(self.scores)} distinct scores, "
            f"{len(self.classes)} classes)"
        )

    @property
    def scores(self) -> Array:
        """The N distinct scores in ascending order: line P2."""
        return self.rows.scores[self.rows.ends]

    @property
    def candidates(self) -> Floats:
        """The N + 1 places where a threshold can stand, -inf and inf included: line P5."""
        cuts = np.append(0, np.flatnonzero(self.rows.ends) + 1)
        return place_cuts(self.rows.scores.astype(self.precision), cuts)

    def loss_sums(self, objective: ObjectiveLike, *, n_jobs: int | None = None) -> Floats:
        """Return the loss matrix of line P4, (N, K): what each label costs each distinct score.

        The solvers do without it, since it is K times the size of the scores; it is here for
        those who want to look, or to run an algorithm of their own.

        Examples
        --------
        >>> ScoreTable([0.1, 0.4, 0.4], [0, 0, 2], classes=[0, 1, 2]).loss_sums("absolute")
        array([[0., 1., 2.],
               [2., 2., 2.]])
        """
        rows = self.rows
        cost = np.ascontiguousarray(resolve_objective(objective, len(self.classes)).cost.T)
        number: Ints = np.cumsum(rows.ends) - rows.ends
        sums = np.zeros((number[-1] + 1, len(self.classes)))
        weights = np.ones(1) if rows.weights is None else rows.weights.astype(np.float64)
        stride = int(rows.weights is not None)
        # A piece ends where a score ends, so that no two threads add to one sum.
        n_threads = count_threads(n_jobs)
        starts = np.append(np.flatnonzero(np.append(True, rows.ends[:-1])), len(rows.codes))

        def fill(piece: tuple[int, int]) -> None:
            first, last = starts[list(piece)].tolist()
            loss_sums(rows.codes, number, weights, stride, cost, first, last, sums)

        run_all(fill, split(len(sums), n_threads), n_threads)
        return sums

    def solve(
        self,
        objective: ObjectiveLike = "absolute",
        method: Method = "auto",
        *,
        class_weight: ClassWeight | None = None,
        n_jobs: int | None = None,
        block_size: int | None = None,
    ) -> Thresholds:
        """Find the thresholds that are optimal for an objective.

        The arguments are those of :func:`ordcut.optimal_thresholds`.
        """
        if method == "pruned":
            raise ValueError(
                'method="pruned" spares sorting the scores, and this table has sorted them. '
                'Use method="auto", or ordcut.optimal_thresholds.'
            )
        return find_thresholds(self, objective, method, class_weight, Plan(n_jobs, block_size))

    @property
    def coarse(self) -> None:
        """There is no smaller table: every cut counts."""
        return None

    def table_for(self, cost: Numbers) -> ScoreTable:
        """Return the table to solve for a cost matrix: this one, whatever the costs."""
        del cost
        return self

    def confusion(self, cuts: Ints) -> Floats:
        """Return the (predicted, true) table of weights that cuts lead to.

        Weights are added up in the order of the scores, so that the order of the rows is
        irrelevant.
        """
        n_classes = len(self.classes)
        confusion = np.zeros((n_classes, n_classes), self._number_kind)
        codes, _, weights, stride = self.rows.for_kernels(confusion.dtype)
        segments = np.concatenate(([0], cuts, [len(codes)]))
        segment_totals(codes, weights, stride, segments, confusion)
        return confusion.astype(np.float64)

    def confusion_again(self, cuts: Ints) -> Floats:
        """Return the table of weights that predicting the rows again, in their order, leads to.

        Sums of fractional weights depend on their order; sums of whole weights do not.
        """
        if self.rows.is_whole:
            return self.confusion(cuts)
        scores = self.rows.scores.astype(self.precision, copy=False)
        return self.source.confusion(place_cuts(scores, cuts))
