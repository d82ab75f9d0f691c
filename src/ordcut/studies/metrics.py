"""Judge predictions, and given thresholds, by the objectives of thresholds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from ordcut._core.data import (
    ClassWeight,
    Groups,
    Labels,
    Rows,
    WeightType,
    check_aligned,
    check_not_continuous,
    codes_of,
    count_confusion,
    encode,
    read_weights,
    warn_if_unclear,
)
from ordcut._core.objectives import (
    Objective,
    ObjectiveLike,
    as_shown,
    n_classes_of,
    resolve_objective,
)
from ordcut._core.problem import Problem, Sample
from ordcut._core.protocols import LabelSource
from ordcut._core.solve import result_at
from ordcut._core.thresholds import UNKNOWN, Thresholds, check_scale, objective_for
from ordcut._core.typing import Array, ArrayLike, Floats, Ints
from ordcut._core.uncertainty import Estimate, estimate_of

#: Several objectives: a list of names, or objectives by name.
Several: TypeAlias = Sequence[str] | Mapping[str, ObjectiveLike]

#: What to do about scores among the arguments of ``evaluate``.
ORDER = (
    "The true classes come first, then the predicted ones: evaluate(labels, "
    "thresholds.predict(scores)). To judge thresholds, use ordcut.judge(thresholds, scores, "
    "labels)."
)


def evaluate(
    labels: ArrayLike,
    predictions: ArrayLike,
    objective: ObjectiveLike | Several = "absolute",
    *,
    classes: Sequence[Any] | Array | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType | None = None,
    class_weight: ClassWeight | None = None,
    intervals: bool = False,
    groups: ArrayLike | None = None,
) -> Any:
    """Return the mean loss of predictions, their kappa, or their accuracy.

    Parameters
    ----------
    labels : array-like of shape (n_samples,) or (n_samples, n_classes)
        The true classes, or soft labels: a weight for each class.
    predictions : array-like of shape (n_samples,)
        The predicted classes.
    objective : str, array-like of shape (K, K), callable, Kappa or Objective, or several of them
        What to judge by, as in :func:`ordcut.optimal_thresholds`. ``"accuracy"`` and
        ``"balanced_accuracy"`` are shares of right rows here. Several are a list of names, or a
        dict of names and objectives.
    classes : sequence, optional
        All classes, lowest first. By default the classes in ``labels`` or ``predictions``.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts.
    weight_type : {"repeats", "importance"}, optional
        What weights are, which matters for intervals.
    class_weight : "balanced", dict or array-like of shape (n_classes,), optional
        How much the rows of each true class count.
    intervals : bool, default=False
        Whether to return an :class:`ordcut.Estimate`, which has an interval.
    groups : array-like of shape (n_samples,), optional
        The group of each row, for intervals: rows of a group depend on each other, such as the
        visits of a patient. Intervals are then over groups. (In
        :func:`ordcut.optimal_thresholds`, groups are for limits.)

    Returns
    -------
    float, Estimate or dict
        The (weighted) mean loss, the kappa, the score or the accuracy; for several objectives, a
        dict with each by its name.

    Examples
    --------
    >>> evaluate([0, 1, 2, 2], [0, 1, 1, 2])
    0.25
    >>> evaluate([0, 1, 2, 2], [0, 1, 1, 2], ["quadratic_kappa", "accuracy"])
    {'quadratic_kappa': 0.8, 'accuracy': 0.75}
    >>> evaluate([0, 1, 2, 2] * 25, [0, 1, 1, 2] * 25, "accuracy", intervals=True)
    Estimate(accuracy 0.75 [0.659, 0.827], 100 rows)
    """
    single: dict[str, Any] = {"": objective}
    several = _several(objective) or single
    if groups is not None and not intervals:
        raise ValueError(
            "groups change the intervals only, not the value: pass intervals=True with them."
        )
    _check_order(labels, predictions, classes)
    check_aligned(
        labels=labels, predictions=predictions, sample_weight=sample_weight, groups=groups
    )
    n_classes = next(filter(None, map(n_classes_of, several.values())), None)
    if classes is None and n_classes is None:
        classes = _all_classes(labels, predictions)
    truth = encode(labels, classes, n_classes)
    predicted = codes_of(predictions, truth.classes, "predictions")
    rows = DecidedRows.read(truth, predicted, sample_weight, weight_type, groups)
    if intervals:
        warn_if_unclear(rows.weights, rows.weight_type)
    values: dict[str, Any] = {}
    for name, each in several.items():
        resolved = resolve_objective(each, truth.classes).weighted(class_weight, truth.classes)
        shown = as_shown(resolved, each)
        if intervals:
            values[name] = rows.estimate(shown)
        else:
            values[name] = shown.value(rows.count(shown.n_decisions))
    return next(iter(values.values())) if several is single else values


@dataclass(frozen=True, eq=False)
class DecidedRows:
    """Rows with a true class, or soft labels, and a decision.

    Attributes
    ----------
    truth : Labels
        The true classes.
    decided : ndarray of shape (n,)
        The position of each row's decision.
    weights : ndarray of shape (n,), optional
        How much each row counts.
    weight_type : {"repeats", "importance"}, optional
        What weights are.
    groups : ndarray of shape (n,), optional
        The number of each row's group.
    """

    truth: Labels
    decided: Array
    weights: Array | None = None
    weight_type: WeightType | None = None
    groups: Ints | None = None

    @classmethod
    def read(
        cls,
        truth: Labels,
        decided: Array,
        sample_weight: ArrayLike | None,
        weight_type: WeightType | None,
        groups: ArrayLike | None,
    ) -> DecidedRows:
        """Check that there is a weight and a group for each row."""
        if len(decided) != truth.n_rows:
            raise ValueError(
                "labels and predictions must have the same length, "
                f"got {truth.n_rows} labels and {len(decided)} predictions."
            )
        weights, _, stated = read_weights(sample_weight, len(decided), weight_type)
        return cls(truth, decided, weights, stated, Groups.codes_of(groups, decided))

    def take(self, rows: Array) -> DecidedRows:
        """Return some of the rows."""
        codes, soft = self.truth.codes, self.truth.soft
        truth = replace(
            self.truth,
            codes=None if codes is None else codes[rows],
            soft=None if soft is None else soft[rows],
        )
        weights = None if self.weights is None else self.weights[rows]
        groups = None if self.groups is None else self.groups[rows]
        return DecidedRows(truth, self.decided[rows], weights, self.weight_type, groups)

    @property
    def has_repeats(self) -> bool:
        """Whether each row counts as often as its weight says."""
        is_whole = self.weights is None or self.weights.dtype == np.int64
        return is_whole and self.weight_type != "importance"

    def count(self, n_decisions: int) -> Floats:
        """Return the (decision, class) table of weights."""
        return count_confusion(
            self.decided,
            len(self.truth.classes),
            codes=self.truth.codes,
            soft=self.truth.soft,
            weights=self.weights,
            n_predicted=n_decisions,
        )

    def estimate(self, objective: Objective) -> Estimate:
        """Return the value of the decisions, with its interval."""
        return estimate_of(
            objective,
            self.decided,
            self.truth.codes,
            self.truth.soft,
            self.weights,
            has_repeats=self.has_repeats,
            groups=self.groups,
        )


def judge(
    thresholds: Thresholds,
    scores: ArrayLike,
    labels: ArrayLike,
    objective: ObjectiveLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    class_weight: ClassWeight | None = None,
) -> Thresholds:
    """Return thresholds with the value that they reach on scores and labels.

    Parameters
    ----------
    thresholds : Thresholds
        An earlier result, or your own values as :meth:`ordcut.Thresholds.from_values`.
    scores : array-like of shape (n_samples,)
        Finite scores.
    labels : array-like of shape (n_samples,) or (n_samples, n_classes)
        The true classes, or soft labels.
    objective : str, array-like of shape (K, K), callable, Kappa or Objective, optional
        What to judge by; by default the objective of the thresholds, or else the absolute loss.
    sample_weight, class_weight
        As in :func:`evaluate`.

    Returns
    -------
    Thresholds
        The thresholds with their ``value`` and ``ranges`` on these rows; ``method`` is ``"given"``.

    Examples
    --------
    >>> import ordcut
    >>> mine = ordcut.Thresholds.from_values([1.5, 2.5], classes=[1, 2, 3])
    >>> ordcut.judge(mine, [1.0, 1.7, 2.0, 4.0], [1, 1, 2, 3]).value
    0.25
    """
    if not isinstance(thresholds, Thresholds):
        raise TypeError(
            f"thresholds must be a Thresholds, got {type(thresholds).__name__}. They come first: "
            "judge(thresholds, scores, labels). Make one of your own values with "
            "ordcut.Thresholds.from_values(values, classes=...)."
        )
    if objective is None and thresholds.origin is None and thresholds.objective == UNKNOWN:
        objective = "absolute"
    resolved = objective_for(thresholds, objective, thresholds.classes)
    weighted = resolved.weighted(class_weight, thresholds.classes)
    rows = Rows.read(scores, labels, classes=thresholds.classes, weights=sample_weight)
    check_scale(thresholds, rows.scores)
    return result_at(Problem(Sample(rows), weighted), thresholds.thresholds)


def _check_order(labels: Any, predictions: Any, classes: Any) -> None:
    """Raise an error for arguments in the order of another function, or for scores among them."""
    if isinstance(labels, Thresholds):
        raise TypeError(
            "labels must hold the true classes, got thresholds. To judge thresholds, use "
            "ordcut.judge(thresholds, scores, labels)."
        )
    is_panel = isinstance(predictions, LabelSource)
    if is_panel or (
        np.ndim(predictions) == 2 and np.ndim(labels) == 1 and np.shape(predictions)[1] > 1
    ):
        got = f"a {type(predictions).__name__}" if is_panel else "a table"
        raise ValueError(
            f"predictions must hold one class per row, got {got}. If labels and predictions are "
            "swapped, exchange them: evaluate(labels, predictions)."
        )
    if isinstance(labels, LabelSource) or classes is not None:
        return
    for argument, values in {
        "predictions": np.asarray(predictions),
        "labels": np.asarray(labels),
    }.items():
        if values.ndim == 1 and values.dtype.kind in "iuf":
            check_not_continuous(np.unique(values), len(values), argument, remedy=ORDER)


def _several(objective: Any) -> dict[str, Any] | None:
    """Return objectives by name; None for a single one, such as a matrix of costs."""
    if isinstance(objective, Mapping):
        return dict(objective)
    if isinstance(objective, list | tuple | set) and any(isinstance(o, str) for o in objective):
        return {str(getattr(each, "name", each)): each for each in objective}
    return None


def _all_classes(labels: ArrayLike, predictions: ArrayLike) -> Array | None:
    """Return the numbers that occur in either; None where the labels state classes of their own."""
    if isinstance(labels, LabelSource):
        return None
    true, predicted = np.asarray(labels), np.asarray(predictions)
    if true.ndim != 1 or true.dtype.kind not in "iuf" or predicted.dtype.kind not in "iuf":
        return None
    both = np.union1d(true, predicted)
    return both if len(both) > 1 and np.isfinite(both).all() else None
