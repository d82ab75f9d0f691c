"""Sorted scores with the classes of their rows: what the paper's Algorithm 1 prepares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ordcut import kernels
from ordcut.arrays import Array, ArrayLike, Floats, Ints
from ordcut.confusion import count_confusion
from ordcut.objectives import ObjectiveLike, resolve_objective
from ordcut.solvers import Method, Plan, solve
from ordcut.sorting import sort_rows
from ordcut.sources.arrays import ArraySource, ClassWeight, class_factors
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
    scores : ndarray of shape (N,)
        The distinct scores in ascending order.
    offsets : ndarray of shape (N + 1,)
        Where the rows of each distinct score begin; rows of one score and class are merged.
    codes : ndarray
        The class of each row, as a position in ``classes``, in the order of the scores.
    weights : ndarray
        The weight of each row; a single 1 where every row counts the same.
    classes : ndarray of shape (K,)
        The ordered classes.
    totals : ndarray of shape (K,)
        The weight of each class.

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
        self._fill(ArraySource(scores, labels, classes=classes, weights=sample_weight))

    @classmethod
    def from_source(cls, source: ArraySource) -> ScoreTable:
        """Sort the rows of a source: Algorithm 1, lines P2 and P3."""
        table = cls.__new__(cls)
        table._fill(source)
        return table

    def _fill(self, source: ArraySource) -> None:
        rows = sort_rows(source)
        self.classes = source.classes
        self.scores, self.offsets, self.codes = rows.scores, rows.offsets, rows.codes
        self.weights, self.stride = (np.ones(1), 0) if rows.weights is None else (rows.weights, 1)
        self.totals = np.bincount(self.codes, rows.weights, minlength=len(self.classes)).astype(
            np.float64
        )
        # Sums of fractional weights depend on their order, so a value that predicting again must
        # reproduce is summed in the order of the rows; whole weights need no second look.
        is_whole = rows.weights is None or bool((rows.weights == np.rint(rows.weights)).all())
        self._rows_in_order = None if is_whole else source
        for array in (self.scores, self.offsets, self.codes, self.weights, self.totals):
            array.flags.writeable = False

    def __repr__(self) -> str:
        return (
            f"ScoreTable({self.totals.sum():g} rows, {len(self.scores)} distinct scores, "
            f"{len(self.classes)} classes)"
        )

    @property
    def candidates(self) -> Floats:
        """The N + 1 places where a threshold can stand, -inf and inf included: line P5.

        Cut ``j`` is above ``scores[j - 1]`` and not above ``scores[j]``, in the scores' own
        precision: where the midpoint of two neighbouring floats rounds to the lower one, the cut
        is the upper score itself.
        """
        return self.places(np.arange(len(self.scores) + 1))

    def places(self, cuts: Ints) -> Floats:
        """Return the candidate that each cut index stands for."""
        lower, upper = self._neighbours(cuts)
        with np.errstate(invalid="ignore"):
            middle = lower / 2 + upper / 2
            is_between = (middle > lower) & (middle <= upper)
        places = np.where(is_between, middle, upper).astype(np.float64)
        places[cuts == 0] = -np.inf
        return places + 0.0  # turns -0.0 into 0.0

    def _neighbours(self, cuts: Ints) -> tuple[Array, Array]:
        """Return the scores on both sides of each cut, infinite at the ends."""
        n = len(self.scores)
        lower = np.where(cuts > 0, self.scores[np.maximum(cuts, 1) - 1], -np.inf)
        upper = np.where(cuts < n, self.scores[np.minimum(cuts, n - 1)], np.inf)
        return lower.astype(self.scores.dtype), upper.astype(self.scores.dtype)

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
        cost = np.ascontiguousarray(resolve_objective(objective, len(self.classes)).cost.T)
        sums = np.zeros((len(self.scores), len(self.classes)))
        n_threads = count_threads(n_jobs)

        def fill(piece: tuple[int, int]) -> None:
            kernels.loss_sums(
                self.codes, self.offsets, self.weights, self.stride, cost, *piece, sums
            )

        run_all(fill, split(len(self.scores), n_threads), n_threads)
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
        resolved = resolve_objective(objective, len(self.classes))
        factors = class_factors(class_weight, self.classes, self.totals)
        found = solve(self, resolved, factors, method, Plan(n_jobs, block_size))
        thresholds = self.places(found.cuts)
        return Thresholds(
            thresholds=thresholds,
            classes=self.classes,
            value=resolved.value(self.confusion(found.cuts) * factors),
            objective=resolved.name,
            method=found.method,
            certificate=found.certificate,
            ranges=np.stack(self._neighbours(found.cuts), axis=1).astype(np.float64) + 0.0,
        )

    def confusion(self, cuts: Ints) -> Floats:
        """Return the (predicted, true) table of weights that cuts lead to."""
        n_classes = len(self.classes)
        if self._rows_in_order is not None:
            source = self._rows_in_order
            predicted = np.searchsorted(self.places(cuts), source.scores, side="right")
            return count_confusion(
                predicted, n_classes, codes=source.codes, soft=source.soft, weights=source.weights
            )
        ends = np.concatenate(([0], self.offsets[cuts], [len(self.codes)]))
        predicted = np.repeat(np.arange(n_classes), np.diff(ends))
        weights = self.weights if self.stride else None
        return count_confusion(predicted, n_classes, codes=self.codes, soft=None, weights=weights)
