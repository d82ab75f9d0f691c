"""Labelings: rules that choose thresholds for scores, as functions.

``LABELINGS`` holds the labelings that an estimator can use, by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np

from ordcut._core.data import Rows
from ordcut._core.errors import unknown_name
from ordcut._core.objectives import Objective
from ordcut._core.problem import Problem, Sample
from ordcut._core.smoothing import Smoothing
from ordcut._core.solve import optimum, result_at, smoothed_problem
from ordcut._core.thresholds import Certificate, Record, Thresholds
from ordcut._core.typing import Array, ArrayLike, Floats
from ordcut.studies.expected_cost import cheapest_codes

if TYPE_CHECKING:
    from ordcut._core.limits import Limits
    from ordcut.estimators import ProportionalOddsModel

#: The number of scores at which a likelihood labeling is checked to be non-decreasing.
N_PROBES = 1000


def rounding_thresholds(classes: int | ArrayLike) -> Floats:
    """Return the thresholds that round scores to the nearest class.

    Parameters
    ----------
    classes : int or array-like of shape (K,)
        The number of classes, for scores that estimate positions 0..K-1; or the ascending numbers
        that are the classes, for scores that estimate those.

    Examples
    --------
    >>> rounding_thresholds(4)
    array([0.5, 1.5, 2.5])
    >>> rounding_thresholds([1, 2, 5])
    array([1.5, 3.5])
    """
    values = np.arange(classes) if isinstance(classes, Integral) else np.asarray(classes)
    return np.asarray(values[:-1] / 2 + values[1:] / 2, dtype=np.float64)


def bias_thresholds(biases: Floats) -> Floats:
    """Return the biases that a model learned as thresholds, in ascending order.

    A label is the number of biases at or below the score, whatever their order. So biases that
    crossed can be sorted without changing any label.

    Examples
    --------
    >>> bias_thresholds(np.array([0.5, -1.0, 2.0]))
    array([-1. ,  0.5,  2. ])
    """
    return np.sort(biases)


def line_thresholds(scores: Array, codes: Array, weights: Floats, n_classes: int) -> Floats:
    """Return the thresholds that round a line fitted to the class positions by least squares.

    Where the line does not rise, all scores get the class nearest to the mean position.

    Examples
    --------
    >>> line_thresholds(np.array([10.0, 20.0, 30.0]), np.array([0, 1, 2]), np.ones(3), 3)
    array([15., 25.])
    """
    total = weights.sum()
    middle, level = float(weights @ scores / total), float(weights @ codes / total)
    spread = float(weights @ (scores - middle) ** 2)
    slope = float(weights @ ((scores - middle) * (codes - level))) / spread if spread > 0 else 0.0
    halves = rounding_thresholds(n_classes)
    if slope <= 0:
        return np.where(halves > level, np.inf, -np.inf)
    return np.asarray(middle + (halves - level) / slope, dtype=np.float64)


def likelihood_thresholds(model: ProportionalOddsModel, cost: Floats) -> Floats:
    """Return the least scores at which the class of least expected cost exceeds 0, 1, ..., K - 2.

    They are exact to the last bit where that class never falls as the score rises.
    """
    ks = np.arange(model.n_classes - 1)
    finite = model.thresholds[np.isfinite(model.thresholds)]
    far = 1e6 * (1.0 / model.slope + np.ptp(finite)) if len(finite) else 1.0
    middle = finite.mean() if len(finite) else 0.0
    low, high = np.full(len(ks), middle - far), np.full(len(ks), middle + far)

    def code_at(scores: Floats) -> Array:
        return cheapest_codes(model.probabilities(scores), cost)

    never, always = code_at(high) <= ks, code_at(low) > ks
    # Sixteen parts at a time come close in a few calls; halves find the last bit.
    parts = np.arange(1, 16) / 16
    for _ in range(16):
        inside = low[:, None] + (high - low)[:, None] * parts
        is_above = code_at(inside.ravel()).reshape(inside.shape) > ks[:, None]
        edges = np.column_stack([low, inside, high])
        n_below = np.sum(~is_above, axis=1)
        low, high = edges[np.arange(len(ks)), n_below], edges[np.arange(len(ks)), n_below + 1]
    while True:
        half = low / 2 + high / 2
        between = (half > low) & (half < high)
        if not between.any():
            break
        is_above = code_at(half) > ks
        high = np.where(between & is_above, half, high)
        low = np.where(between & ~is_above, half, low)
    return np.where(always, -np.inf, np.where(never, np.inf, high))


@dataclass(frozen=True)
class LabelingProblem:
    """Rows to find thresholds for, and what is known about their scores.

    Attributes
    ----------
    rows : Rows
        Scores with a label each.
    objective : Objective
        What labels are judged by.
    factors : ndarray of shape (K,)
        How much the rows of each class count.
    smoothing : float or "auto"
        How much optimal thresholds leave to a model of the labels given the scores.
    model : ProportionalOddsModel, optional
        The class probabilities given the score, which ``"likelihood"`` needs, and ``"biases"``
        where no biases are given.
    biases : ndarray of shape (K - 1,), optional
        What a model without class probabilities learned.
    rounding : ndarray of shape (K - 1,), optional
        Where scores that estimate the label round up. Without it, a line through the labels is
        rounded.
    limits : Limits, optional
        What must hold of optimal thresholds. No other labeling takes any.
    """

    rows: Rows
    objective: Objective
    factors: Floats
    smoothing: Smoothing = 0.0
    model: ProportionalOddsModel | None = None
    biases: Floats | None = None
    rounding: Floats | None = None
    limits: Limits | None = None

    @property
    def weights(self) -> Floats:
        """How much each row counts, including the factor of its class."""
        rows = self.rows
        weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights.astype(np.float64)
        return weights if (self.factors == 1).all() else weights * self.factors[rows.codes]

    def as_problem(self) -> Problem:
        """Return the problem of finding optimal thresholds."""
        # Objectives that weigh classes themselves take no factors, not even equal ones.
        objective = self.objective
        if (self.factors != 1).any():
            objective = objective.weighted(self.factors, self.rows.classes)
        return Problem(Sample(self.rows), objective, self.limits)


def find_labeling(problem: LabelingProblem, labeling: str) -> Thresholds:
    """Return the thresholds of the labeling with a given name.

    Examples
    --------
    >>> from ordcut._core.objectives import resolve_objective
    >>> rows = Rows.read([0.2, 0.4, 0.9, 1.7], [0, 1, 1, 2])
    >>> problem = LabelingProblem(
    ...     rows, resolve_objective("absolute", 3), np.ones(3), rounding=rounding_thresholds(3))
    >>> find_labeling(problem, "rounding").value, find_labeling(problem, "optimal").value
    (0.25, 0.0)
    """
    check_labeling(labeling)
    return LABELINGS[labeling](problem)


def with_held_out(result: Thresholds, problem: LabelingProblem, folds: Array) -> Thresholds:
    """Return optimal thresholds whose record has their value by cross-fitting, once it is needed.

    The rows of each fold are judged by the optimal thresholds of the others.

    Examples
    --------
    >>> from ordcut._core.objectives import resolve_objective
    >>> rows = Rows.read([1, 2, 3, 4, 1, 2, 3, 4], [0, 0, 1, 1, 0, 1, 1, 1])
    >>> problem = LabelingProblem(rows, resolve_objective("absolute", 2), np.ones(2))
    >>> result = with_held_out(find_labeling(problem, "optimal"), problem, np.arange(8) // 4)
    >>> result.value, result.record.held_out
    (0.125, 0.25)
    """
    return replace(result, evidence=partial(_cross_fitted, result, problem, folds))


def _cross_fitted(result: Thresholds, problem: LabelingProblem, folds: Array) -> Record:
    """Return the record with the value by cross-fitting, if thresholds exist without every fold."""
    record, rows = result.record, problem.rows
    assert record is not None
    parts = []
    try:
        for k in range(int(folds.max()) + 1):
            others = _optimal(replace(problem, rows=rows.take(folds != k)))
            parts.append(rows.take(folds == k).confusion(others.thresholds))
        table = np.sum(parts, axis=0)
        return replace(record, held_out=problem.as_problem().objective.value(table))
    except ValueError:  # such as constraints that cannot hold, or a class that a fold had alone
        return record


def check_labeling(labeling: object) -> None:
    """Raise an error for an unknown labeling."""
    known = [*LABELINGS, EXPECTED_COST]
    if not isinstance(labeling, str) or labeling not in known:
        raise unknown_name("labeling", labeling, known)


def _optimal(problem: LabelingProblem) -> Thresholds:
    plain = problem.as_problem()
    return optimum(smoothed_problem(plain, problem.smoothing) if problem.smoothing != 0 else plain)


def _by_biases(problem: LabelingProblem) -> Thresholds:
    biases = problem.biases
    if biases is None:
        assert problem.model is not None
        biases = problem.model.thresholds
    why = Certificate("given", note="the biases that the model learned")
    return _given(problem, bias_thresholds(biases), "biases", why)


def _by_likelihood(problem: LabelingProblem) -> Thresholds:
    """Cut where the class of least expected cost changes, or for the best expected kappa."""
    model, rows, objective = problem.model, problem.rows, problem.objective
    assert model is not None
    if not objective.is_maximised:
        # The model is of weighted rows; an objective that balances classes weighs them once more.
        factors = objective.factors(rows.totals)
        cost = objective.cost if factors is None else objective.cost * factors
        thresholds = likelihood_thresholds(model, cost)
        probes = rows.scores[:: 1 + rows.n_rows // N_PROBES]
        cheapest = cheapest_codes(model.probabilities(probes), cost)
        if (cheapest == np.searchsorted(thresholds, probes, side="right")).all():
            note = "least expected cost at every score, by the model's probabilities"
            why = Certificate("model", note=note)
            return _given(problem, thresholds, "likelihood", why)
    # Depending on the costs, the cheapest class can fall as scores rise, and a kappa is no mean
    # over rows: solve with the probabilities as soft labels.
    weighted = rows.class_weighted(problem.factors)
    expected = replace(weighted, codes=None, soft=model.probabilities(weighted.scores))
    result = optimum(Problem(Sample(expected), objective))
    goal = (
        "greatest value of the confusion that the model's probabilities predict"
        if objective.is_maximised
        else "least expected cost of all ordered labelings"
    )
    why = Certificate("model", note=f"{goal}, by {result.certificate}")
    return _given(problem, result.thresholds, "likelihood", why)


def _by_rounding(problem: LabelingProblem) -> Thresholds:
    thresholds, rows = problem.rounding, problem.rows
    if thresholds is None:
        assert rows.codes is not None
        n_classes = len(rows.classes)
        thresholds = line_thresholds(rows.scores, rows.codes, problem.weights, n_classes)
    why = Certificate("given", note="scores are rounded to the nearest class")
    return _given(problem, thresholds, "rounding", why)


#: The labeling that needs no thresholds, but a probability for each class.
EXPECTED_COST = "expected_cost"

#: Labelings by name.
LABELINGS: dict[str, Callable[[LabelingProblem], Thresholds]] = {
    "optimal": _optimal,
    "biases": _by_biases,
    "likelihood": _by_likelihood,
    "rounding": _by_rounding,
}


def _given(
    problem: LabelingProblem, thresholds: Floats, method: str, certificate: Certificate
) -> Thresholds:
    """Return given thresholds as a result, with the value that they reach on the rows."""
    result = result_at(problem.as_problem(), thresholds, method, certificate)
    return replace(result, origin=None)  # they are not the optimum of these rows
