"""Rows with their true classes and with the decisions of thresholds, which a gate judges."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeAlias

import numpy as np

from ordcut._core.data import Groups, WeightType, as_scores, check_aligned, check_finite, encode
from ordcut._core.objectives import Objective
from ordcut._core.optimal import optimal_thresholds
from ordcut._core.thresholds import Thresholds
from ordcut._core.typing import Array, ArrayLike, Floats, Ints
from ordcut._core.uncertainty import Estimate
from ordcut.panels import Agreement, Panel
from ordcut.studies.metrics import DecidedRows


@dataclass(frozen=True, eq=False, repr=False)
class Batch:
    """Rows with scores and labels, such as the rows of a month.

    Parameters
    ----------
    scores : array-like of shape (n_samples,)
        Finite scores.
    labels : array-like of shape (n_samples,) or (n_samples, n_classes), or Panel
        The true classes, soft labels, or the ratings of several people.
    items : array-like of shape (n_samples,), optional
        A different name for each row, by which rows in two batches are recognised as the same; by
        default the names of the items of a panel.
    groups : array-like of shape (n_samples,), optional
        The group of each row: rows of a group depend on each other, and intervals are over groups.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts. Items of a panel count once each.
    weight_type : {"repeats", "importance"}, optional
        What weights are.

    Examples
    --------
    >>> Batch([0.1, 0.4, 0.8], [0, 0, 1], items=["a", "b", "c"])
    Batch(3 rows)
    """

    scores: ArrayLike
    labels: Any
    items: ArrayLike | None = None
    groups: ArrayLike | None = None
    sample_weight: ArrayLike | None = None
    weight_type: WeightType | None = None

    def __repr__(self) -> str:
        return f"Batch({len(as_scores(self.scores))} rows)"


BatchLike: TypeAlias = Batch | tuple[ArrayLike, Any]


@dataclass(frozen=True, eq=False)
class Decided(ABC):
    """Rows or items with the decisions of thresholds.

    Attributes
    ----------
    scores : ndarray of shape (n,)
        The scores.
    names : ndarray of shape (n,), optional
        A different name for each row.
    truth_name : str
        What bias compares labels with.
    """

    scores: Floats
    names: Array | None

    truth_name: ClassVar[str]

    @property
    @abstractmethod
    def groups(self) -> Ints | None:
        """The number of each row's group."""

    @abstractmethod
    def estimate(self, objective: Objective) -> Estimate:
        """Return the value of the decisions."""

    @abstractmethod
    def biases(self) -> Floats | None:
        """Return the label minus the true class of each row; None for decisions of other kinds."""

    @abstractmethod
    def take(self, rows: Array) -> Decided:
        """Return some of the rows."""

    @abstractmethod
    def redecided(self, codes: Ints) -> Decided:
        """Return the same rows with other decisions."""

    @property
    @abstractmethod
    def labels(self) -> ArrayLike | Panel:
        """The labels, as arguments hold them."""

    @property
    def weighting(self) -> Mapping[str, Any]:
        """The arguments for the weights of rows."""
        return {}

    def refitted(self, thresholds: Thresholds, objective: Objective) -> Thresholds:
        """Return the optimal thresholds of these rows, found as the given thresholds were."""
        return optimal_thresholds(
            self.scores,
            self.labels,
            objective=objective.optimised,
            classes=thresholds.classes,
            constraints=[outcome.limit for outcome in thresholds.constraints],
            smoothing=thresholds.proof.smoothing or 0.0,
            **self.weighting,
        )

    def names_of(self, rows: Array) -> Array | None:
        """Return the names of some of the rows."""
        return None if self.names is None else self.names[rows]

    def bias(self) -> Estimate | None:
        """Return the mean label minus the true class."""
        biases = self.biases()
        if biases is None:
            return None
        counts = np.isfinite(biases)
        value, n = float(biases[counts].mean()), int(counts.sum())
        left_out = np.where(counts, value - (biases - value) / (n - 1), value)
        return Estimate(value, "bias", left_out, counts, False, groups=self.groups)


@dataclass(frozen=True, eq=False)
class RowsOfBatch(Decided):
    """Rows with a true class each, or soft labels, and a decision."""

    rows: DecidedRows
    decisions: Array

    truth_name = "true class"

    @property
    def groups(self) -> Ints | None:
        """The number of each row's group."""
        return self.rows.groups

    def estimate(self, objective: Objective) -> Estimate:
        """Return the value of the decisions."""
        return self.rows.estimate(objective)

    def biases(self) -> Floats | None:
        """Return the value of each decision minus the value of the true class."""
        classes, truth = self.rows.truth.classes, self.rows.truth
        if self.decisions.tolist() != classes.tolist():
            return None
        values = values_of(classes)
        if truth.soft is None:
            true = values[truth.codes]
        else:
            with np.errstate(invalid="ignore"):
                true = truth.soft @ values / truth.soft.sum(axis=1)
        return np.asarray(values[self.rows.decided] - true, np.float64)

    def take(self, rows: Array) -> RowsOfBatch:
        """Return some of the rows."""
        return replace(
            self, scores=self.scores[rows], names=self.names_of(rows), rows=self.rows.take(rows)
        )

    def redecided(self, codes: Ints) -> RowsOfBatch:
        """Return the same rows with other decisions."""
        return replace(self, rows=replace(self.rows, decided=codes))

    @property
    def labels(self) -> Array:
        """The true classes, or soft labels."""
        truth = self.rows.truth
        return np.asarray(truth.classes[truth.codes] if truth.soft is None else truth.soft)

    @property
    def weighting(self) -> Mapping[str, Any]:
        """The arguments for the weights of rows."""
        return {"sample_weight": self.rows.weights, "weight_type": self.rows.weight_type}


@dataclass(frozen=True, eq=False)
class ItemsOfBatch(Decided):
    """Items with ratings by people, and the label of each."""

    panel: Panel
    codes: Ints
    group_codes: Ints | None

    truth_name = "mean rating"

    @property
    def groups(self) -> Ints | None:
        """The number of each item's group."""
        return self.group_codes

    def estimate(self, objective: Objective) -> Agreement:
        """Return how well labels agree with people."""
        labels = np.asarray(self.panel.classes[self.codes])
        return self.panel.agreement_with(labels, objective, groups=self.groups)

    def people(self, objective: Objective) -> Agreement | None:
        """Return how well people agree with each other; None where too few items have ratings."""
        if int((self.panel.n_ratings > 1).sum()) < 2:
            return None
        return self.panel.agreement(objective, groups=self.groups)

    def biases(self) -> Floats:
        """Return the label of each item minus its mean rating."""
        values = values_of(self.panel.classes)
        return np.asarray(values[self.codes] - self.panel.mean_ratings, dtype=np.float64)

    def take(self, rows: Array) -> ItemsOfBatch:
        """Return some of the items."""
        groups = None if self.groups is None else self.groups[rows]
        return ItemsOfBatch(
            self.scores[rows], self.names_of(rows), self.panel.take(rows), self.codes[rows], groups
        )

    def redecided(self, codes: Ints) -> ItemsOfBatch:
        """Return the same items with other labels."""
        return replace(self, codes=codes)

    @property
    def labels(self) -> Panel:
        """The ratings."""
        return self.panel


def values_of(classes: Array) -> Array:
    """Return the values of numeric classes, and the positions of others.

    Examples
    --------
    >>> values_of(np.array([1, 5])), values_of(np.array(["low", "high"]))
    (array([1, 5]), array([0, 1]))
    """
    return classes if classes.dtype.kind in "iuf" else np.arange(len(classes))


def decide(thresholds: Thresholds, batch: BatchLike) -> Decided:
    """Return the rows of a batch, checked, with the decisions of thresholds.

    Examples
    --------
    >>> result = optimal_thresholds([1, 2, 3, 4], [0, 0, 1, 1])
    >>> decide(result, ([1, 3, 2], [0, 1, 1])).bias().value
    -0.3333333333333333
    """
    batch = batch if isinstance(batch, Batch) else Batch(*batch)
    check_aligned(
        scores=batch.scores,
        labels=batch.labels,
        sample_weight=batch.sample_weight,
        groups=batch.groups,
    )
    scores = as_scores(batch.scores)
    check_finite(scores)
    if len(scores) < 2:
        raise ValueError(f"scores must hold at least two rows for an interval, got {len(scores)}.")
    codes = thresholds.codes(scores)
    if isinstance(batch.labels, Panel):
        return _decided_items(thresholds, batch, batch.labels, scores, codes)
    truth = encode(batch.labels, thresholds.classes)
    _check_length(scores, truth.n_rows)
    rows = DecidedRows.read(truth, codes, batch.sample_weight, batch.weight_type, batch.groups)
    return RowsOfBatch(scores, _names(batch.items, scores), rows, thresholds.decisions)


def _decided_items(
    thresholds: Thresholds, batch: Batch, panel: Panel, scores: Floats, codes: Ints
) -> ItemsOfBatch:
    """Return the items of a panel with the labels of thresholds."""
    if thresholds.decides_otherwise:
        raise ValueError(
            "people rate classes, and these thresholds decide otherwise: agreement with a Panel "
            "needs thresholds that predict classes, without review= and decisions=."
        )
    if batch.sample_weight is not None:
        raise ValueError("sample_weight must be None for a Panel, whose items count once each.")
    panel = panel.with_classes(thresholds.classes)
    _check_length(scores, len(panel))
    names = panel.row_names if batch.items is None else _names(batch.items, scores)
    return ItemsOfBatch(scores, names, panel, codes, Groups.codes_of(batch.groups, scores))


def _names(items: ArrayLike | None, scores: Floats) -> Array | None:
    """Return the names of rows, after a check that there is a different one for each."""
    if items is None:
        return None
    names = np.asarray(items)
    if names.shape != scores.shape:
        raise ValueError(
            f"items must hold a name for each of the {len(scores)} rows, got shape {names.shape}."
        )
    distinct, counts = np.unique(names.astype(str), return_counts=True)
    if len(distinct) < len(names):
        raise ValueError(
            "items must hold a different name for each row, by which rows of two batches are "
            f"paired, got {distinct[counts.argmax()]!r} {counts.max()} times. Rows that depend on "
            "each other, such as the rows of a patient, are groups=."
        )
    return names


def _check_length(scores: Floats, n_labels: int) -> None:
    if len(scores) != n_labels:
        raise ValueError(
            "scores and labels must have the same length, "
            f"got {len(scores)} scores and {n_labels} labels."
        )
