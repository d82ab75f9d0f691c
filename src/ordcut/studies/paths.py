"""Threshold paths: thresholds and value for many objectives on rows that are prepared once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from ordcut._core.cuts import Cuts
from ordcut._core.data import ClassWeight, WeightType, place_known
from ordcut._core.errors import InfeasibleConstraintsError, unknown_name
from ordcut._core.extensions import extension
from ordcut._core.limits import (
    COMPLEMENTS,
    Constraint,
    Constraints,
    confidence_text,
    limits_for,
    read_constraints,
)
from ordcut._core.numerics.threads import run_all
from ordcut._core.objectives import Objective, ObjectiveLike, resolve_objective, title_of
from ordcut._core.problem import Problem, Sample
from ordcut._core.review import resolve_decisions
from ordcut._core.solve import optimum, prepared, result_of, solve
from ordcut._core.solvers import Plan
from ordcut._core.thresholds import Thresholds, as_frame
from ordcut._core.typing import Array, ArrayLike, Floats, Ints
from ordcut._core.views import view

KINDS = ("thresholds", "value")

#: From a tenth to tenfold, in plain fractions, for which sums have no rounding.
FACTORS = np.concatenate([1 / np.arange(10, 1, -1), np.arange(1.0, 11.0)])

#: From 0 to 1, in plain fractions.
SHARES = np.arange(21) / 20

#: The fields of constraints that hold their limit.
LIMITS = ("at_least", "at_most", "value", "n")


@dataclass(frozen=True, eq=False, repr=False)
class ThresholdPath:
    """Optimal thresholds over a grid of what they are optimal for.

    Attributes
    ----------
    parameter : str
        What changes along the path.
    grid : ndarray of shape (n_points,)
        The values of the parameter, in the order in which they were given.
    points : tuple of Thresholds
        The result at each value, equal to the last bit to ``optimal_thresholds``, if perhaps by
        another method.
    infeasible : ndarray of shape (n_infeasible,)
        Limits that no thresholds can keep, which are not in ``grid``.
    is_factor : bool
        Whether the parameter is a factor, which is drawn on a logarithmic scale.

    Examples
    --------
    >>> path = asymmetry_path([1, 2, 3, 4, 5], [0, 1, 0, 1, 1], [0.5, 1, 3])
    >>> path
    ThresholdPath(asymmetry from 0.5 to 3 in 3 points, absolute)
    >>> path.thresholds.ravel(), path.values
    (array([1.5, 1.5, 3.5]), array([0.1, 0.2, 0.2]))
    """

    parameter: str
    objective: str
    grid: Floats = field(repr=False)
    points: tuple[Thresholds, ...] = field(repr=False)
    infeasible: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    is_factor: bool = field(default=True, repr=False)

    @property
    def thresholds(self) -> Floats:
        """The thresholds of every point, (n_points, D - 1)."""
        return np.array([point.thresholds for point in self.points])

    @property
    def values(self) -> Floats:
        """The value of every point, by the objective of that point, (n_points,)."""
        return np.array([point.value for point in self.points])

    def __repr__(self) -> str:
        low, high = self.grid.min(), self.grid.max()
        n_left_out = len(self.infeasible)
        left_out = f", {n_left_out} infeasible" if n_left_out else ""
        return (
            f"ThresholdPath({self.parameter} from {low:g} to {high:g} in {len(self.grid)} points"
            f"{left_out}, {self.objective})"
        )

    def _repr_html_(self) -> str:
        names = pairwise(map(str, self.points[0].decisions.tolist()))
        left_out = ", ".join(f"{limit:g}" for limit in self.infeasible)
        return view(
            "Optimal thresholds",
            [self.parameter, title_of(self.objective), *(f"{low} | {high}" for low, high in names)],
            np.column_stack([self.grid, self.values, self.thresholds]).tolist(),
            notes=[f"No thresholds can keep: {left_out}" if left_out else ""],
        )

    def to_frame(self, backend: Any = "pandas") -> Any:
        """Return a row for each point as a dataframe: the parameter, the value, the thresholds.

        Parameters
        ----------
        backend : str or module, default="pandas"
            The library of the frame: pandas, polars or pyarrow.

        Examples
        --------
        >>> asymmetry_path([1, 2, 3, 4, 5], [0, 1, 0, 1, 1], [1, 3]).to_frame()
           asymmetry  value  threshold 0
        0        1.0    0.2          1.5
        1        3.0    0.2          3.5
        """
        cuts = {f"threshold {k}": cut for k, cut in enumerate(self.thresholds.T)}
        return as_frame({self.parameter: self.grid, "value": self.values, **cuts}, backend)

    def plot(self, *, kind: str = "thresholds", ax: Any = None, cmap: str = "viridis") -> Any:
        """Draw the path, with matplotlib.

        Parameters
        ----------
        kind : {"thresholds", "value"}, default="thresholds"
            What to draw over the parameter.
        ax : matplotlib Axes, default=None
            What to draw on; a new figure by default.
        cmap : str, default="viridis"
            The colours of the ordered thresholds.

        Returns
        -------
        matplotlib Axes
            What was drawn on.

        Examples
        --------
        >>> import matplotlib; matplotlib.use("Agg")
        >>> path = asymmetry_path([1, 2, 3, 4, 5], [0, 1, 0, 1, 1])
        >>> path.plot(kind="value").get_ylabel()
        'mean absolute error'
        """
        if kind not in KINDS:
            raise unknown_name("kind", kind, KINDS)
        return extension("draw_path")(self, kind, ax, cmap)


def asymmetry_path(
    scores: ArrayLike,
    labels: ArrayLike,
    factors: ArrayLike = FACTORS,
    *,
    objective: ObjectiveLike = "absolute",
    classes: Sequence[Any] | Array | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType | None = None,
    class_weight: ClassWeight | None = None,
    n_jobs: int | None = None,
) -> ThresholdPath:
    """Find the optimal thresholds for each of many costs of a prediction that is too high.

    Rows are validated and sorted once. Each point is exactly what
    ``optimal_thresholds`` finds for ``resolve_objective(objective, classes).asymmetric(factor)``.

    Parameters
    ----------
    scores, labels, objective, classes, sample_weight, weight_type, class_weight
        As in :func:`ordcut.optimal_thresholds`.
    factors : array-like of shape (n_points,)
        The factors by which predictions that are too high cost more than in the objective; the
        costs of predictions that are too low do not change. From 1/10 to 10 by default.
    n_jobs : int, optional
        The number of threads, which share the points; -1 for all cores, 1 by default.

    Returns
    -------
    ThresholdPath
        The thresholds and the value at each factor.

    Examples
    --------
    >>> path = asymmetry_path([1, 2, 3, 4, 5], [0, 1, 0, 1, 1], [1, 3])
    >>> path.thresholds
    array([[1.5],
           [3.5]])
    """
    grid, plan = _as_grid(factors, "factors"), Plan(n_jobs=n_jobs)
    sample = Sample.read(
        scores, labels, objective, classes=classes, weights=sample_weight, weight_type=weight_type
    )
    base = resolve_objective(objective, sample.data.classes)
    weighted = base.weighted(class_weight, sample.data.classes)
    work = [weighted.asymmetric(factor) for factor in grid.tolist()]
    return ThresholdPath("asymmetry", base.name, grid, _solve_all(sample, work, plan))


def class_weight_path(
    scores: ArrayLike,
    labels: ArrayLike,
    name: Any,
    weights: ArrayLike = FACTORS,
    *,
    objective: ObjectiveLike = "absolute",
    classes: Sequence[Any] | Array | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType | None = None,
    n_jobs: int | None = None,
) -> ThresholdPath:
    """Find the optimal thresholds for each of many weights of a class.

    Rows are validated and sorted once. Each point is exactly what
    ``optimal_thresholds`` finds with ``class_weight={name: weight}``.

    Parameters
    ----------
    scores, labels, objective, classes, sample_weight, weight_type
        As in :func:`ordcut.optimal_thresholds`.
    name : object
        The class.
    weights : array-like of shape (n_points,)
        The weights of its rows, while rows of other classes count 1; from 1/10 to 10 by default.
    n_jobs : int, optional
        The number of threads, which share the points; -1 for all cores, 1 by default.

    Returns
    -------
    ThresholdPath
        The thresholds and the value at each weight.

    Examples
    --------
    >>> path = class_weight_path([1, 2, 3, 4, 5], ["a", "b", "a", "b", "b"], "a", [1, 3],
    ...                          classes=["a", "b"])
    >>> path.thresholds
    array([[1.5],
           [3.5]])
    """
    grid, plan = _as_grid(weights, "weights"), Plan(n_jobs=n_jobs)
    sample = Sample.read(
        scores, labels, objective, classes=classes, weights=sample_weight, weight_type=weight_type
    )
    base = resolve_objective(objective, sample.data.classes)
    work = [base.weighted({name: weight}, sample.data.classes) for weight in grid.tolist()]
    return ThresholdPath(f"weight of {name}", base.name, grid, _solve_all(sample, work, plan))


def constraint_path(
    scores: ArrayLike,
    labels: ArrayLike,
    constraint: Constraint | str,
    limits: ArrayLike = SHARES,
    *,
    objective: ObjectiveLike = "absolute",
    classes: Sequence[Any] | Array | None = None,
    decisions: Sequence[Any] | Array | None = None,
    review: float | None = None,
    constraints: Constraints = (),
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType | None = None,
    class_weight: ClassWeight | None = None,
) -> ThresholdPath:
    """Find the optimal thresholds, and so the cost of a constraint, for each of many limits.

    Rows are validated and sorted once, and solved anew only where the thresholds of a looser limit
    break the next. Each point has exactly the thresholds that ``optimal_thresholds`` finds with
    that limit.

    Parameters
    ----------
    scores, labels, objective, classes, decisions, review, sample_weight, weight_type, class_weight
        As in :func:`ordcut.optimal_thresholds`.
    constraint : constraint or str
        The constraint whose limit changes, such as ``"recall urgent >="``. A limit that it has
        already is ignored. A constraint of threshold values is :class:`ordcut.Gap`,
        :class:`ordcut.Digits` or :class:`ordcut.Fixed`, whose value changes.
    limits : array-like of shape (n_points,)
        The limits, by default 0, 0.05, ..., 1. Limits that no thresholds can keep are left out of
        the path, and listed in its ``infeasible``.
    constraints : sequence of constraints or str, optional
        Others that must hold at every point.

    Returns
    -------
    ThresholdPath
        The thresholds and the value at each limit.

    Raises
    ------
    InfeasibleConstraintsError
        If no limit can be kept.

    Examples
    --------
    >>> scores, labels = [1, 2, 3, 4, 5, 6], [0, 1, 0, 0, 1, 1]
    >>> path = constraint_path(scores, labels, "recall 1 >=", [0.5, 0.9])
    >>> path.thresholds.ravel(), path.values.round(3)
    (array([4.5, 1.5]), array([0.167, 0.333]))
    >>> constraint_path(scores, labels, "precision 1 >=", [0.9, 1], constraints=["share 1 >= 0.6"])
    Traceback (most recent call last):
    ...
    ordcut.InfeasibleConstraintsError: constraints 'precision 1 >= 0.9' and 'share 1 >= ...
    """
    grid, limited = _as_grid(limits, "limits"), LimitedBy.read(constraint)
    others = read_constraints(constraints)
    sample = Sample.read(
        scores,
        labels,
        objective,
        has_decisions=decisions is not None,
        classes=classes,
        weights=sample_weight,
        weight_type=weight_type,
    )
    rows = sample.rows
    resolved = resolve_decisions(objective, rows.classes, decisions, review)
    each = [limited.at(limit) for limit in grid.tolist()]
    ordered = rows.summable().sorted()
    weighted = resolved.weighted(class_weight, rows.classes)
    problem = Problem(replace(sample, store=ordered), weighted)
    free = start = solve(problem)
    points: list[Thresholds | None] = [None] * len(grid)
    impossible: InfeasibleConstraintsError | None = None
    for index in limited.from_loose_to_strict(grid):
        kept = limits_for((each[index], *others), resolved, rows.classes)
        assert kept is not None
        at_limit = replace(problem, limits=kept)
        try:
            point = result_of(at_limit, solve(at_limit, start))
        except InfeasibleConstraintsError as error:
            impossible = impossible or error
            if limited.is_nested:
                break  # stricter limits are impossible as well
            continue
        points[index] = point
        if limited.is_nested:
            # The best of a set is also the best of every subset that contains it.
            cuts: Ints = np.searchsorted(ordered.scores, point.thresholds, side="left")
            is_free = np.array_equal(cuts, free.cuts)
            start = Cuts(
                cuts,
                point.method,
                point.proof,
                partial(ordered.exact_between, cuts),
                partial(place_known, ordered.scores, cuts, has_lumps=False),
                is_whole=ordered.is_whole,
                is_free=is_free,
            )
    feasible = [point for point in points if point is not None]
    if impossible is not None and not feasible:
        raise impossible
    is_feasible = np.array([point is not None for point in points])
    return ThresholdPath(
        limited.name,
        resolved.name,
        grid[is_feasible],
        tuple(feasible),
        grid[~is_feasible],
        is_factor=False,
    )


@dataclass(frozen=True)
class LimitedBy:
    """A constraint, and which of its fields is the limit."""

    constraint: Constraint
    limit: str

    @classmethod
    def read(cls, constraint: Constraint | str) -> LimitedBy:
        """Return a constraint or its text, which may lack the limit.

        Examples
        --------
        >>> LimitedBy.read("recall urgent >=").at(0.9)
        Recall(decision='urgent', at_least=0.9)
        """
        if isinstance(constraint, str):
            word = constraint.split()[0].lower() if constraint.strip() else ""
            if word in COMPLEMENTS:
                raise ValueError(
                    f"constraint must be about what the limits are of, and {word} is one minus "
                    f"{COMPLEMENTS[word]}. Use {COMPLEMENTS[word]!r} with limits of its own."
                )
            constraint = re.sub(r"(=|digits)\s*(\swith\s.*)?$", r"\1 0\2", constraint)
        (parsed,) = read_constraints(constraint)
        names = [name for name in LIMITS if getattr(parsed, name, None) is not None]
        if len(names) != 1:
            raise ValueError(
                "constraint must have one number as its limit, as 'recall urgent >=' or "
                f"'share hire <=' do, got {str(parsed)!r}."
            )
        return cls(parsed, names[0])

    def at(self, limit: float) -> Constraint:
        """Return the constraint with a limit."""
        is_whole = self.limit == "n" and limit == int(limit)
        return replace(self.constraint, **{self.limit: int(limit) if is_whole else limit})

    @property
    def name(self) -> str:
        """The constraint as text, without the limit."""
        confidence = confidence_text(self.constraint)
        return str(self.constraint).removesuffix(confidence).rpartition(" ")[0] + confidence

    @property
    def is_nested(self) -> bool:
        """Whether all thresholds that keep a stricter limit keep every looser limit."""
        return self.limit != "value"

    def from_loose_to_strict(self, grid: Floats) -> Ints:
        """Return the indices of limits, the loosest first."""
        return np.argsort(grid if self.limit == "at_least" else -grid, kind="stable")


def _solve_all(sample: Sample, work: Sequence[Objective], plan: Plan) -> tuple[Thresholds, ...]:
    """Return the result for each objective, on rows that are prepared once."""
    store = prepared(Problem(sample, work[0], plan=plan), n_problems=len(work)).solved.store
    points: list[Thresholds | None] = [None] * len(work)

    def solve_at(index: int) -> None:
        # A copy shares what is prepared, and fetches rows for its own objective only.
        own = replace(sample, store=copy(store))
        points[index] = optimum(Problem(own, work[index], plan=Plan(n_jobs=1)))

    run_all(solve_at, range(len(work)), plan.n_threads())
    return tuple(point for point in points if point is not None)


def _as_grid(numbers: ArrayLike, argument: str) -> Floats:
    grid = np.array(numbers, dtype=np.float64)
    if grid.ndim != 1 or len(grid) == 0:
        raise ValueError(
            f"{argument} must be a flat list of at least one number, got shape {grid.shape}."
        )
    grid.flags.writeable = False
    return grid
