"""Sorted scores with the classes of their rows: the preparation in the paper's Algorithm 1."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ordcut._core.data import (
    ClassWeight,
    Rows,
    WeightType,
    as_scores,
    check_classes,
    from_fields,
    place_cuts,
    to_fields,
)
from ordcut._core.limits import Constraints, limits_for, read_constraints
from ordcut._core.numerics.jit import kernel
from ordcut._core.numerics.threads import count_threads, run_all, split
from ordcut._core.objectives import ObjectiveLike, resolve_objective
from ordcut._core.problem import Problem, Sample
from ordcut._core.review import resolve_decisions
from ordcut._core.solve import optimum
from ordcut._core.solvers import Method, Plan
from ordcut._core.thresholds import Thresholds, json_text
from ordcut._core.typing import Array, ArrayLike, Codes, Floats, Ints, Numbers
from ordcut._core.views import view

#: What the JSON of a table says it is.
SCHEMA = "ordcut.counts"

#: The dtypes of scores.
DTYPES = ("float64", "float32", "float16")


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
        self._take(
            Rows.read(
                scores, labels, classes=classes, weights=sample_weight, weight_type=weight_type
            )
        )

    def _take(self, rows: Rows) -> None:
        self._rows = rows
        rows = rows.summable()
        self._sorted, self._unit = rows.sorted(), rows.unit

    @classmethod
    def _of(cls, rows: Rows) -> ScoreTable:
        table = cls.__new__(cls)
        table._take(rows)
        return table

    @classmethod
    def merged(cls, tables: Iterable[ScoreTable]) -> ScoreTable:
        """Return the table of the rows of several tables, such as months.

        Examples
        --------
        >>> may, june = ScoreTable([1, 2, 2], [0, 0, 1]), ScoreTable([2, 3], [0, 1])
        >>> ScoreTable.merged([may, june])
        ScoreTable(5 rows, 3 distinct scores, 2 classes)
        """
        counted = [table._counted("merged") for table in tables]
        if not counted:
            raise ValueError("tables must hold at least one ScoreTable, got none.")
        first = counted[0].classes.tolist()
        for rows in counted:
            if rows.classes.tolist() != first:
                raise ValueError(
                    f"tables must have the same classes, got {first} and {rows.classes.tolist()}. "
                    "Make each table with classes= and all classes, lowest first."
                )
        dtype = np.result_type(*(rows.dtype for rows in counted))
        joined = Rows.joined(
            [replace(rows, scores=rows.scores.astype(dtype, copy=False)) for rows in counted]
        )
        return cls._of(joined)._condensed()

    def on_grid(self, digits: int) -> ScoreTable:
        """Return the table of the scores rounded down to decimals, which is small.

        Thresholds of that many decimals, as the constraint ``"digits 2"`` asks for, lead to the
        same labels and the same value for these scores as for the original ones.

        Examples
        --------
        >>> table = ScoreTable([0.112, 0.118, 0.29, 0.305], [0, 1, 1, 1]).on_grid(2)
        >>> table.scores
        array([0.11, 0.29, 0.3 ])
        >>> table.solve(constraints=["digits 2"]).thresholds
        array([-inf])
        """
        if isinstance(digits, bool) or not isinstance(digits, int) or not 0 <= digits <= 15:
            raise ValueError(f"digits must be a whole number from 0 to 15, got {digits!r}.")
        rows, scale = self._counted("on_grid"), 10.0**digits
        rows.require_finite()
        scores = rows.scores.astype(np.float64)
        steps = np.floor(scores * scale)
        steps += (steps + 1) / scale <= scores  # where the product was rounded
        steps -= steps / scale > scores
        return self._of(replace(rows, scores=steps / scale + 0.0))._condensed()

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the number of rows of each score and class as JSON text, for ``from_json``.

        Parameters
        ----------
        path : str or path, optional
            A file to write the text to.

        Examples
        --------
        >>> table = ScoreTable([1, 2, 2], ["no", "no", "yes"], classes=["no", "yes"])
        >>> ScoreTable.from_json(table.to_json())
        ScoreTable(3 rows, 2 distinct scores, 2 classes)
        """
        rows = self._condensed()._rows
        scores, index = np.unique(rows.scores.astype(np.float64), return_inverse=True)
        counts = np.zeros((len(scores), len(rows.classes)), np.int64)
        counts[index, rows.codes] = 1 if rows.weights is None else rows.weights
        text = json_text(
            {
                "schema": SCHEMA,
                "version": 1,
                "dtype": str(rows.dtype),
                "classes": to_fields(rows.classes),
                "scores": scores.tolist(),
                "counts": counts.T.tolist(),
            }
        )
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    @classmethod
    def from_json(cls, text: str | os.PathLike[str]) -> ScoreTable:
        """Return the table that ``to_json`` wrote; anything else is an error that says why.

        Parameters
        ----------
        text : str or path
            The JSON text, or a ``pathlib.Path`` to a file that holds it.
        """
        if isinstance(text, os.PathLike):
            text = Path(text).read_text(encoding="utf-8")
        try:
            data = json.loads(text)
            if data["schema"] != SCHEMA or data["version"] != 1:
                raise ValueError("another schema or version")
            classes = check_classes([*map(from_fields, data["classes"])])
            scores = as_scores(data["scores"])
            if data["dtype"] not in DTYPES:
                raise ValueError(f"dtype is none of {', '.join(DTYPES)}")
            scores = scores.astype(data["dtype"])
            counts = np.array(data["counts"], np.int64)
            if counts.shape != (len(classes), len(scores)) or (counts != data["counts"]).any():
                raise ValueError("a whole number for each class and score is missing")
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise ValueError(
                f"text must be the JSON that ScoreTable.to_json wrote, got other text: {error}. "
                "To read a file, pass its name as a pathlib.Path."
            ) from error
        codes, index = np.nonzero(counts)
        return cls(
            scores[index],
            classes[codes],
            classes=classes,
            sample_weight=counts[codes, index],
            weight_type="repeats",
        )

    def _counted(self, method: str) -> Rows:
        """Return the rows, or raise an error if they are no numbers of rows by score and class."""
        rows = self._rows
        if rows.soft is not None or not rows.counts_rows:
            raise ValueError(
                f"{method} needs one class per row, and weights that are numbers of rows: what "
                "else rows hold is lost where they are counted. Keep the rows themselves."
            )
        return rows

    def _condensed(self) -> ScoreTable:
        """Return the table with a row for each score and class, and its count as the weight."""
        rows, merged = self._counted("to_json"), self._sorted.merged
        scores = merged.scores.astype(rows.dtype, copy=False)
        weights = merged.weights
        if weights is None:
            weights = np.ones(len(scores), np.int64)
        kept = replace(
            rows, scores=scores, codes=merged.codes, weights=weights, weight_type="repeats"
        )
        return self._of(kept)

    @property
    def classes(self) -> Array:
        """The ordered classes."""
        return self._rows.classes

    @property
    def rows(self) -> Rows:
        """The rows as they were read, for other modules of the library."""
        return self._rows

    @property
    def totals(self) -> Floats:
        """The weight of each class."""
        return self._rows.totals * self._rows.unit

    @property
    def _n_rows(self) -> int:
        rows = self._rows
        return int(rows.n_effective) if rows.weight_type == "repeats" else rows.n_rows

    def __repr__(self) -> str:
        return (
            f"ScoreTable({self._n_rows} rows, {int(self._sorted.ends.sum())} distinct scores, "
            f"{len(self.classes)} classes)"
        )

    def _repr_html_(self) -> str:
        rows = zip(map(str, self.classes.tolist()), self.totals.tolist(), strict=True)
        sizes = f"{self._n_rows} rows, {int(self._sorted.ends.sum())} distinct scores"
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
        class_shares: Mapping[Any, float] | ArrayLike | None = None,
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
        weighted = resolved.weighted(class_weight, self.classes, class_shares)
        limits = limits_for(read_constraints(constraints), weighted, self.classes)
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
