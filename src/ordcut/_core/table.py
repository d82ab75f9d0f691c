"""Sorted scores with the classes of their rows: the preparation in the paper's Algorithm 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ordcut._core.data import ClassWeight, Rows, WeightType, place_cuts
from ordcut._core.limits import Constraints, limits_for, read_constraints
from ordcut._core.numerics.jit import kernel
from ordcut._core.numerics.threads import count_threads, run_all, split
from ordcut._core.objectives import ObjectiveLike, resolve_objective
from ordcut._core.problem import Problem, Sample
from ordcut._core.review import resolve_decisions
from ordcut._core.solve import optimum
from ordcut._core.solvers import Method, Plan
from ordcut._core.thresholds import Thresholds
from ordcut._core.typing import Array, ArrayLike, Codes, Floats, Ints, Numbers
from ordcut._core.views import view


class ScoreTable:
    """Scores and labels, sorted once, to be solved for many objectives.

    Parameters
    ----------
    scores, labels, classes, sample_weight, weight_type
        As in :func:`ordcut.optimal_thresholds`.

    Attributes
    ----------
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
        weight_type: WeightType | None = None,
    ) -> None:
        self._rows = Rows.read(
            scores, labels, classes=classes, weights=sample_weight, weight_type=weight_type
        )
        rows = self._rows.summable()
        self._sorted, self._unit = rows.sorted(), rows.unit

    @property
    def classes(self) -> Array:
        """The ordered classes."""
        return self._rows.classes

    @property
    def totals(self) -> Floats:
        """The weight of each class."""
        return self._rows.totals * self._rows.unit

    def __repr__(self) -> str:
        return (
            f"ScoreTable({self._rows.n_rows} rows, {int(self._sorted.ends.sum())} distinct scores, "
            f"{len(self.classes)} classes)"
        )

    def _repr_html_(self) -> str:
        rows = zip(map(str, self.classes.tolist()), self.totals.tolist(), strict=True)
        sizes = f"{self._rows.n_rows} rows, {int(self._sorted.ends.sum())} distinct scores"
        return view("Scores by class", ["class", "weight"], rows, value=sizes)

    @property
    def scores(self) -> Array:
        """The N distinct scores in ascending order: line P2."""
        return self._sorted.scores[self._sorted.ends]

    @property
    def candidates(self) -> Floats:
        """The N + 1 positions where a threshold can be, -inf and inf included: line P5."""
        cuts = np.append(0, np.flatnonzero(self._sorted.ends) + 1)
        return place_cuts(self._sorted.scores.astype(self._rows.dtype), cuts)

    def loss_sums(self, objective: ObjectiveLike, *, n_jobs: int | None = None) -> Floats:
        """Return the loss matrix of line P4, (N, D): what each decision costs each score.

        Decisions are the classes, unless the objective has others. The solvers do without the
        matrix, since it is D times the size of the scores; it is here for inspection, and for
        algorithms of your own. As in the paper, threads share the decisions (``n_jobs``).

        Examples
        --------
        >>> ScoreTable([0.1, 0.4, 0.4], [0, 0, 2], classes=[0, 1, 2]).loss_sums("absolute")
        array([[0., 1., 2.],
               [2., 2., 2.]])
        """
        rows = self._sorted
        cost = np.ascontiguousarray(resolve_objective(objective, self.classes).cost.T)
        score_index: Ints = np.cumsum(rows.ends) - rows.ends
        sums = np.zeros((score_index[-1] + 1, cost.shape[1]))
        weights = np.ones(1) if rows.weights is None else rows.weights.astype(np.float64)
        stride = int(rows.weights is not None)

        def fill(decisions: tuple[int, int]) -> None:
            loss_sums(rows.codes, score_index, weights, stride, cost, *decisions, sums)

        n_threads = count_threads(n_jobs)
        run_all(fill, split(cost.shape[1], n_threads), n_threads)
        return sums * self._unit

    def solve(
        self,
        objective: ObjectiveLike = "absolute",
        method: Method = "auto",
        *,
        decisions: Sequence[Any] | Array | None = None,
        review: float | None = None,
        review_share: float | None = None,
        constraints: Constraints = (),
        class_weight: ClassWeight | None = None,
        n_jobs: int | None = None,
        block_size: int | None = None,
    ) -> Thresholds:
        """Find the thresholds that are optimal for an objective.

        Takes the same arguments as :func:`ordcut.optimal_thresholds`.

        Examples
        --------
        >>> table = ScoreTable([1, 2, 3, 4], [0, 1, 1, 1])
        >>> table.solve(constraints=["share 1 <= 0.5"]).thresholds
        array([2.5])
        """
        if method == "pruned":
            raise ValueError(
                'method="pruned" saves sorting the scores, and this table has sorted them. '
                'Use method="auto", or ordcut.optimal_thresholds.'
            )
        resolved = resolve_decisions(objective, self.classes, decisions, review, review_share)
        limits = limits_for(read_constraints(constraints), resolved, self.classes)
        weighted = resolved.weighted(class_weight, self.classes)
        sample = Sample(self._rows, self._sorted)
        return optimum(Problem(sample, weighted, limits, Plan(method, n_jobs, block_size)))


@kernel("codes", "cost", steps=1)
def loss_sums(
    codes: Codes,
    score_index: Ints,
    weights: Numbers,
    stride: int,
    cost: Numbers,
    first: int,
    last: int,
    sums: Numbers,
) -> None:
    """Sum what each label would cost each distinct score: Algorithm 1, line P4.

    Adds ``weight * cost[d, l]`` to ``sums[score_index[i], d]`` for all rows ``i`` and the decisions
    ``first <= d < last``, where ``score_index[i]`` counts the distinct scores up to row ``i``.
    ``cost`` comes transposed, (true, decided), so that the inner loop is contiguous. O(n D) time.
    """
    for i in range(len(codes)):
        weight = weights[i * stride]
        for d in range(first, last):
            sums[score_index[i], d] += weight * cost[codes[i], d]  # P4
