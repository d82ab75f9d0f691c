"""From scores to thresholds: the four labelings, one function each, as rows of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ordcut.api import optimal_thresholds
from ordcut.arrays import Array, Floats
from ordcut.errors import unknown_name
from ordcut.estimators.score_model import ScoreModel, fit_score_model
from ordcut.estimators.targets import Targets
from ordcut.metrics import evaluate
from ordcut.objectives import ObjectiveLike, resolve_objective
from ordcut.smoothing import Smoothing
from ordcut.thresholds import Thresholds

#: Scores at which it is verified that the likelihood labeling never falls.
N_PROBES = 1000


@dataclass(frozen=True)
class Scored:
    """Rows with their scores, and what the labelings need to know of the model behind them.

    Attributes
    ----------
    scores : ndarray of shape (n_samples,)
        Higher means a higher class.
    targets : Targets
        The labels and weights of the rows.
    objective : str, matrix, callable, Kappa or Objective
        What labels are judged by.
    model : ScoreModel, optional
        The probabilities of the classes given the score; fitted to the rows if missing.
    biases : ndarray of shape (K - 1,), optional
        What a model without probabilities learned; those of ``model`` if missing.
    rounding : ndarray of shape (K - 1,), optional
        Where scores that estimate the label itself round up.
    smoothing : float or "auto"
        How much optimal thresholds leave to a model of the labels given the scores.
    """

    scores: Floats
    targets: Targets
    objective: ObjectiveLike
    model: ScoreModel | None = None
    biases: Floats | None = None
    rounding: Floats | None = None
    smoothing: Smoothing = 0.0

    def with_model(self) -> ScoreModel:
        """Return the model of the classes given the score."""
        return fit_score_model(self.scores, self.targets) if self.model is None else self.model


def label(scored: Scored, labeling: str) -> Thresholds:
    """Return the thresholds of a labeling, with the classes as the user knows them."""
    check_labeling(labeling)
    found = LABELINGS[labeling](scored)
    return replace(found, classes=scored.targets.classes)


def check_labeling(labeling: object) -> None:
    """Raise an error for a labeling that is not known."""
    if not isinstance(labeling, str) or labeling not in LABELINGS:
        raise unknown_name("labeling", labeling, LABELINGS)


def _optimal(scored: Scored) -> Thresholds:
    targets = scored.targets
    return optimal_thresholds(
        scored.scores,
        targets.codes,
        objective=scored.objective,
        classes=np.arange(targets.n_classes),
        sample_weight=targets.sample_weight,
        class_weight=targets.factors,
        smoothing=scored.smoothing,
    )


def _by_biases(scored: Scored) -> Thresholds:
    biases = scored.with_model().thresholds if scored.biases is None else scored.biases
    # Free biases can come out unordered; how many are at or below a score knows no order.
    return _judge(scored, np.sort(biases), "biases", "none: the biases that the model learned")


def _by_rounding(scored: Scored) -> Thresholds:
    at = scored.rounding
    if at is None:
        at = _rounded_line(scored)
    return _judge(scored, at, "round", "none: scores are rounded to the nearest class")


def _by_likelihood(scored: Scored) -> Thresholds:
    """Place the thresholds where the class of least expected cost changes.

    A kappa is no expected cost; the cost that it is made of stands in for it.
    """
    model = scored.with_model()
    cost = resolve_objective(scored.objective, scored.targets.n_classes).cost

    def cheapest(scores: Floats) -> Array:
        return np.asarray(np.argmin(model.probabilities(scores) @ cost.T, axis=1))

    thresholds = _changes(cheapest, model)
    probes = scored.scores[:: 1 + len(scored.scores) // N_PROBES]
    if (cheapest(probes) == np.searchsorted(thresholds, probes, side="right")).all():
        why = "least expected cost at every score, by the model's probabilities"
        return _judge(scored, thresholds, "likelihood", why)
    # A cost can be such that the cheapest class falls somewhere: take the best that never does.
    found = optimal_thresholds(
        scored.scores,
        model.probabilities(scored.scores),
        objective=cost,
        sample_weight=scored.targets.weights,
    )
    why = f"least expected cost of all ordered labelings, by {found.certificate}"
    return _judge(scored, found.thresholds, "likelihood", why)


#: Labelings by name.
LABELINGS: dict[str, Callable[[Scored], Thresholds]] = {
    "optimal": _optimal,
    "biases": _by_biases,
    "likelihood": _by_likelihood,
    "round": _by_rounding,
}


def _judge(scored: Scored, thresholds: Floats, method: str, certificate: str) -> Thresholds:
    """Return given thresholds as a result, with the value that they reach on the rows."""
    targets = scored.targets
    objective = resolve_objective(scored.objective, targets.n_classes)
    distinct = np.unique(scored.scores)
    edges = np.concatenate([[-np.inf], distinct, [np.inf]])
    above = np.searchsorted(distinct, thresholds, side="left")
    given = Thresholds(
        thresholds=thresholds,
        classes=np.arange(targets.n_classes),
        value=np.nan,
        objective=objective.name,
        method=method,
        certificate=certificate,
        ranges=np.stack([edges[above], edges[above + 1]], axis=1).astype(np.float64),
    )
    value = evaluate(
        targets.codes,
        given.codes(scored.scores),
        objective,
        classes=np.arange(targets.n_classes),
        sample_weight=targets.sample_weight,
        class_weight=targets.factors,
    )
    return replace(given, value=value)


def _rounded_line(scored: Scored) -> Floats:
    """Return where the least-squares line from scores to codes passes the halves."""
    weights, scores, codes = scored.targets.weights, scored.scores, scored.targets.codes
    total = weights.sum()
    middle, level = float(weights @ scores / total), float(weights @ codes / total)
    spread = float(weights @ (scores - middle) ** 2)
    slope = float(weights @ ((scores - middle) * (codes - level))) / spread if spread > 0 else 0.0
    halves = np.arange(scored.targets.n_classes - 1) + 0.5
    if slope <= 0:
        return np.where(halves > level, np.inf, -np.inf)
    return np.asarray(middle + (halves - level) / slope, dtype=np.float64)


def _changes(code_at: Callable[[Floats], Array], model: ScoreModel) -> Floats:
    """Return the least score at which the code exceeds 0, 1, ..., K - 2, to the last bit."""
    ks = np.arange(model.n_classes - 1)
    finite = model.thresholds[np.isfinite(model.thresholds)]
    far = 1e6 * (1.0 / model.slope + np.ptp(finite)) if len(finite) else 1.0
    middle = finite.mean() if len(finite) else 0.0
    low, high = np.full(len(ks), middle - far), np.full(len(ks), middle + far)
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
