"""The result: thresholds, their value, why they are optimal, and the rule that applies them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut._core.data import WeightType, as_floats, as_scores, check_classes
from ordcut._core.extensions import extension
from ordcut._core.numerics.threads import cached_property
from ordcut._core.thresholds import storage
from ordcut._core.thresholds.card import Card, card
from ordcut._core.thresholds.certificate import Certificate
from ordcut._core.thresholds.codes import codes_by_stretch
from ordcut._core.thresholds.explanation import explain
from ordcut._core.thresholds.exports import Exports
from ordcut._core.thresholds.outcomes import ConstraintOutcome, joint_confidence
from ordcut._core.thresholds.record import Record
from ordcut._core.thresholds.report import report
from ordcut._core.thresholds.scale import check_scale
from ordcut._core.typing import Array, ArrayLike, Bools, Floats

if TYPE_CHECKING:
    from ordcut._core.problem import Problem
    from ordcut._core.uncertainty import Bootstrap, RandomState
    from ordcut.report import Curves
    from ordcut.studies.drift import Drift

#: The objective and the certificate of thresholds that were given, not optimised.
UNKNOWN = "unknown"
GIVEN = Certificate("given", note="thresholds were given")

#: Attributes that people look for, by what has the answer.
ELSEWHERE = {
    name: hint
    for hint, names in {
        "print(result.explain()) or result.card()": "summary describe report_text",
        "result.thresholds": "cuts cutoffs cutpoints cut_points thresholds_ threshold breaks",
        "result.value": "loss kappa cost error best_score score_ best_value objective_value",
        "result.classes": "classes_ labels labels_",
        "result.bootstrap().intervals()": "confidence_interval conf_int confint intervals ci",
        "sklearn.metrics.confusion_matrix(labels, result.predict(scores))": (
            "confusion confusion_matrix"
        ),
        "ordcut.evaluate(labels, result.predict(scores), objective)": "score evaluate metrics",
        "result.predict(scores)": "transform apply label fit_predict",
        "ordcut.optimal_thresholds(scores, labels), which returns the result": "fit",
        "OrdinalLogisticRegression, in ordcut.estimators, for probabilities": "predict_proba",
        "result.to_json()": "to_dict save dump dumps json",
        "ordcut.frames.predict(frame, result, score=...)": "to_pandas to_polars predict_frame",
    }.items()
    for name in names.split()
}


@dataclass(frozen=True, eq=False, repr=False)
class Thresholds(Exports):
    """Thresholds that turn scores into ordered classes or decisions, and why they are optimal.

    The position of the decision for a score is the number of thresholds at or below the score.
    Decisions are the classes, unless ``decisions`` or ``review`` said otherwise.

    Attributes
    ----------
    thresholds : ndarray of shape (D - 1,)
        In ascending order; -inf or inf where a decision at an end is never taken.
    classes : ndarray of shape (K,)
        The ordered classes.
    value : float
        The (weighted) mean loss reached on the data, or the kappa.
    objective : str
        The name of what was optimised.
    method : str
        The solver that ran.
    certificate : str
        Why the thresholds are optimal, in words.
    proof : Certificate
        The certificate as data: what was verified, the number of steps, the amount of smoothing.
    ranges : ndarray of shape (D - 1, 2)
        Each threshold can be anywhere above the first value and up to the second without changing
        any label of the data.
    passes, dropped : int or None
        How many times an engine went through a frame, None for arrays; and how many rows with
        missing values were left out, with ``nulls="drop"``, or items of a panel without a rating.
    decisions : ndarray of shape (D,)
        The names of the decisions, lowest first: the classes by default.
    review_share : float or None
        The share of the rows that ``review=`` hands over; None without it.
    constraints : tuple of ConstraintOutcome
        For each constraint, what is reached, whether it binds, and what it costs.
    origin : Problem, optional
        The problem that was solved, with the data as they were passed, for ``bootstrap`` and
        ``near_optimal``. JSON and pickles leave it out, and equality ignores it.
    evidence : callable, optional
        Computes ``record`` when it is first needed. Pickles hold the record instead, and equality
        ignores it.

    Examples
    --------
    >>> import ordcut
    >>> result = ordcut.optimal_thresholds(
    ...     [0.1, 0.4, 0.5, 0.9], ["lo", "lo", "mid", "hi"], classes=["lo", "mid", "hi"])
    >>> result
    Thresholds([0.45, 0.7], classes=['lo', 'mid', 'hi'], absolute=0, method='nested')
    >>> result.predict([0.3, 0.45, 2.0]).tolist()
    ['lo', 'mid', 'hi']
    >>> result.ranges
    array([[0.4, 0.5],
           [0.5, 0.9]])
    """

    thresholds: Floats
    classes: Array
    value: float = np.nan
    objective: str = UNKNOWN
    method: str = "given"
    proof: Certificate = GIVEN
    ranges: Floats = field(default_factory=lambda: np.empty((0, 2)), repr=False)
    passes: int | None = None
    dropped: int = 0
    decisions: Array = field(default_factory=lambda: np.empty(0))
    review_share: float | None = None
    constraints: tuple[ConstraintOutcome, ...] = ()
    origin: Problem | None = field(default=None, repr=False)
    evidence: Callable[[], Record] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        own, decisions = self.__dict__, self.decisions
        if len(self.ranges) != len(self.thresholds):  # only thresholds and classes were given
            own["thresholds"] = as_floats(self.thresholds, "thresholds")
            own["classes"] = check_classes(self.classes)
            storage.check_thresholds(self.thresholds, "thresholds", len(self.classes))
            own["ranges"] = np.stack([self.thresholds, self.thresholds], axis=1)
        are_classes = len(decisions) == 0 or decisions is self.classes
        for name in ("thresholds", "classes", "ranges"):
            own[name] = own[name].copy()
            own[name].setflags(write=False)
        own["decisions"] = own["classes"]
        if not are_classes:
            own["decisions"] = decisions.copy()
            own["decisions"].setflags(write=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Thresholds):
            return NotImplemented
        return storage.to_dict(self, with_costs=False) == storage.to_dict(other, with_costs=False)

    if not TYPE_CHECKING:  # so that type checkers still report unknown names

        def __getattr__(self, name: str) -> Any:
            if name in ELSEWHERE:
                hint = f" Use {ELSEWHERE[name]}."
            else:
                near = get_close_matches(name, dir(self), n=1, cutoff=0.7)
                hint = f" Did you mean {near[0]!r}?" if near else ""
            raise AttributeError(f"Thresholds has no attribute {name!r}.{hint}")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return the thresholds, as ``np.digitize`` and ``pandas.cut`` take them."""
        return np.array(self.thresholds, dtype=dtype, copy=copy is not False)

    def __hash__(self) -> int:
        return hash((self.thresholds.tobytes(), self.objective, self.value))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "record": self.record, "evidence": None, "origin": None}

    @cached_property
    def record(self) -> Record | None:
        """The evidence: on how many and what rows thresholds were found, and what they reach.

        It is computed when it is first needed, and stored in JSON and in pickles. None for
        thresholds that were given and not judged on rows.

        Examples
        --------
        >>> import ordcut
        >>> ordcut.optimal_thresholds([1, 2, 3, 4], [0, 0, 1, 1]).record.counts
        (2.0, 2.0)
        """
        return None if self.evidence is None else self.evidence()

    @property
    def certificate(self) -> str:
        """Why the thresholds are optimal, in words."""
        return str(self.proof)

    @property
    def joint_confidence(self) -> float | None:
        """The probability with which all constraints that have a confidence hold on new rows."""
        return joint_confidence(self.constraints)

    def codes(self, scores: ArrayLike) -> Array:
        """Return the position of each score's decision: how many thresholds are at or below it.

        Examples
        --------
        >>> import ordcut
        >>> ordcut.optimal_thresholds([1, 2, 3], [10, 20, 30]).codes([0.0, 1.5, 9.0])
        array([0, 1, 2])
        """
        stretches = [codes for _, codes in codes_by_stretch(self.thresholds, as_scores(scores))]
        return np.concatenate([np.empty(0, np.intp), *stretches])

    def predict(self, scores: ArrayLike, *, strict: bool = False) -> Array:
        """Return the decision for each score: its class, where decisions are the classes.

        With ``review=``, classes keep their type, and a review is text such as ``"1 or 2"``: the
        array holds objects if classes are not text. ``is_review[codes(scores)]`` says which rows
        are handed over.

        Thresholds that were read from a file or a pickle warn of 100 scores or more that cannot be
        on the same scale, such as logits where thresholds were found on probabilities.

        Parameters
        ----------
        scores : array-like of shape (n_samples,)
            Scores without NaN; infinite ones get the decision of scores far out.
        strict : bool, default=False
            Whether scores on another scale are an error, also for a result of this session.

        Examples
        --------
        >>> import ordcut
        >>> ordcut.optimal_thresholds([1, 2, 3], [10, 20, 30]).predict([0.0, 1.5, 9.0])
        array([10, 20, 30])
        """
        array = as_scores(scores)
        labels = labels_at(self, array)
        check_scale(self, array, strict=strict)
        return labels

    def bootstrap(
        self,
        n: int = 1000,
        *,
        size: int | None = None,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        progress: bool = False,
        groups: ArrayLike | None = None,
    ) -> Bootstrap:
        """Return intervals for the thresholds and their value, by an m-out-of-n bootstrap.

        Thresholds approach the population's at a cube-root rate, for which a bootstrap that
        draws all n rows is misleading. So each replicate draws fewer, and the spread is scaled
        back; see :class:`ordcut.Bootstrap`. Intervals are for the best thresholds of the
        population, also if these are smoothed, and for the value of these on new rows.

        Parameters
        ----------
        n : int, default=1000
            The number of replicates.
        size : int, optional
            The number of rows, m, of a replicate; by default the number of rows to the power 0.8.
        random_state : int, numpy.random.Generator, numpy.random.RandomState or None, default=0
            Where the draws start. A number always gives the same result, whatever the order of
            the rows and the number of threads.
        n_jobs : int, optional
            The number of threads, -1 for all cores; 1 by default.
        progress : bool, default=False
            Whether to show a progress bar (needs rich).
        groups : array-like of shape (n_samples,), optional
            The group of each row: rows of a group depend on each other, such as the visits of a
            patient. Groups are then drawn whole, and ``size`` is a number of groups. (In
            :func:`ordcut.optimal_thresholds`, groups are for limits.)

        Examples
        --------
        >>> import numpy as np, ordcut
        >>> rng = np.random.default_rng(0)
        >>> scores = rng.normal(size=2000)
        >>> labels = np.digitize(scores + rng.logistic(size=2000) / 4, [-0.5, 1.0])
        >>> result = ordcut.optimal_thresholds(scores, labels)
        >>> low, high = result.bootstrap(n=200).intervals(level=0.95).T
        >>> (low <= [-0.5, 1.0]) & ([-0.5, 1.0] <= high)
        array([ True,  True])
        """
        bootstrap: Bootstrap = extension("bootstrap_thresholds")(
            self, n, size, random_state, n_jobs, progress, groups
        )
        return bootstrap

    def near_optimal(self, tolerance: float = 0.01) -> Floats:
        """Return how far each threshold can move alone before the value is noticeably worse.

        The others stay where they are, and it does not pass them. Every position between the
        threshold and an end of its range is within the tolerance, and keeps the constraints on
        what is decided. Constraints on the values of thresholds, such as :class:`ordcut.Digits`,
        are ignored.

        Parameters
        ----------
        tolerance : float, default=0.01
            By what share of itself the loss may rise. The loss of a kappa is 1 - kappa.

        Returns
        -------
        ndarray of shape (D - 1, 2)
            A threshold can be anywhere above the first value and up to the second. This range
            contains that in ``ranges``.

        Examples
        --------
        >>> import ordcut
        >>> scores, labels = [1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 1, 0, 1, 0, 1, 1]
        >>> result = ordcut.optimal_thresholds(scores, labels)
        >>> result.ranges
        array([[2., 3.]])
        >>> result.near_optimal(tolerance=0.5)
        array([[1., 8.]])
        """
        ranges: Floats = extension("near_optimal_ranges")(self, tolerance)
        return ranges

    def report(
        self,
        scores: ArrayLike,
        labels: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        weight_type: WeightType | None = None,
        intervals: bool = False,
        level: float = 0.95,
        groups: ArrayLike | None = None,
        by: ArrayLike | None = None,
        backend: Any = "pandas",
    ) -> Any:
        """Return recall, precision, F1 and share of each class or decision on rows, as a frame.

        A decision that is not a class has a share only; a share of nothing is NaN.

        Parameters
        ----------
        scores, labels, sample_weight
            The rows, as in :func:`ordcut.judge`.
        weight_type : {"repeats", "importance"}, optional
            What weights are, which matters for intervals.
        intervals : bool, default=False
            Whether to add the ends of intervals, ``recall_low``, ``recall_high`` and so on: for
            new rows and these thresholds. They are Jeffreys' intervals, and hold for rows that
            thresholds were not found on.
        level : float, default=0.95
            The level of the intervals.
        groups : array-like of shape (n_samples,), optional
            The group of each row, for intervals: rows of a group depend on each other, such as the
            visits of a patient. The variance is then between groups. (In
            :func:`ordcut.optimal_thresholds`, groups are for limits.)
        by : array-like of shape (n_samples,), optional
            Groups of rows, of which each gets figures of its own: a table for each sex or site.
        backend : str or module, default="pandas"
            The library of the frame: pandas, polars or pyarrow.

        Examples
        --------
        >>> import ordcut
        >>> result = ordcut.optimal_thresholds([1, 2, 3, 4], [0, 0, 1, 1])
        >>> result.report([1, 2, 3, 4], [0, 1, 1, 1])[["class", "recall", "precision"]]
           class    recall  precision
        0      0  1.000000        0.5
        1      1  0.666667        1.0
        >>> scores, labels = [1, 2, 3, 4] * 25, [0, 1, 1, 1] * 25
        >>> frame = result.report(scores, labels, intervals=True)
        >>> frame[["class", "recall", "recall_low", "recall_high"]].round(2)
           class  recall  recall_low  recall_high
        0      0    1.00        0.86         1.00
        1      1    0.67        0.56         0.77
        """
        ends = level if intervals else None
        options = (sample_weight, weight_type, ends, groups, by, backend)
        return report(self, scores, labels, *options)

    def plot(
        self, scores: ArrayLike | None = None, labels: ArrayLike | None = None, **options: Any
    ) -> Any:
        """Plot the thresholds, by default on the rows that they were found on.

        Parameters
        ----------
        scores, labels : array-like of shape (n_samples,), optional
            Other rows.
        **options
            As in :meth:`ordcut.plots.ThresholdDisplay.from_predictions`, such as ``kind="risk"``.

        Returns
        -------
        ThresholdDisplay
            The display, plotted; it needs matplotlib.

        Examples
        --------
        >>> import matplotlib; matplotlib.use("Agg")
        >>> import ordcut
        >>> result = ordcut.optimal_thresholds([1, 2, 3, 4], [0, 0, 1, 1])
        >>> result.plot(kind="confusion").ax_.get_ylabel()
        'true'
        """
        return extension("plot_thresholds")(self, scores, labels, **options)

    def curves(self, n_positions: int | None = 6400) -> Curves:
        """Return the value at every position of each threshold, the others where they are.

        Parameters
        ----------
        n_positions : int, optional
            About the largest number of positions; None for a position between any two scores.

        Returns
        -------
        Curves
            A sequence with a curve per threshold; ``to_dict()`` returns columns for a frame.

        Examples
        --------
        >>> import ordcut
        >>> result = ordcut.optimal_thresholds([1, 2, 3, 4], [0, 0, 1, 1])
        >>> curve = result.curves()[0]
        >>> float(curve.positions[curve.values.argmin()])
        2.5
        """
        result: Curves = extension("curves")(self, n_positions)
        return result

    def to_json(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        bootstrap: Bootstrap | None = None,
        time: bool = True,
    ) -> str:
        """Return the thresholds and their record as JSON text, for ``from_json``.

        Parameters
        ----------
        path : str or path, optional
            A file to write the text to.
        bootstrap : Bootstrap, optional
            The result of ``bootstrap()``, whose intervals the record then holds.
        time : bool, default=True
            Whether the record holds the time; without it, the same data give the same file.

        Examples
        --------
        >>> import ordcut
        >>> result = ordcut.optimal_thresholds([1, 2, 3], [10, 20, 30])
        >>> ordcut.Thresholds.from_json(result.to_json()) == result
        True
        """
        intervals = None if bootstrap is None else bootstrap.as_dict()
        text = storage.json_text(storage.with_record(self, time=time, intervals=intervals))
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    @classmethod
    def from_json(cls, text: str | os.PathLike[str]) -> Thresholds:
        """Return the thresholds that ``to_json`` wrote; anything else is an error that says why.

        Parameters
        ----------
        text : str or path
            The JSON text, or a ``pathlib.Path`` to a file that holds it.
        """
        return cls(**storage.from_json(text))

    @classmethod
    def from_values(cls, values: ArrayLike, classes: Sequence[Any] | Array) -> Thresholds:
        """Return thresholds with given values, which are not claimed to be optimal.

        Their value is NaN until :func:`ordcut.judge` computes it on data.

        Parameters
        ----------
        values : array-like of shape (K - 1,)
            In ascending order.
        classes : sequence
            The K classes, lowest first.

        Examples
        --------
        >>> import ordcut
        >>> mine = ordcut.Thresholds.from_values([1.5, 2.5], classes=["low", "mid", "high"])
        >>> mine.predict([1.0, 2.0, 9.0]).tolist()
        ['low', 'mid', 'high']
        """
        ordered, thresholds = check_classes(classes), as_floats(values, "values")
        storage.check_thresholds(thresholds, "values", len(ordered))
        return cls(thresholds, ordered)

    def moved(self, k: int, to: float) -> Thresholds:
        """Return the thresholds with threshold ``k`` moved, and their value on the original rows.

        Constraints are not checked.

        Parameters
        ----------
        k : int
            The position of the threshold, counted from 0.
        to : float
            Its new value, between the thresholds before and after it.

        Examples
        --------
        >>> import ordcut
        >>> result = ordcut.optimal_thresholds([1, 2, 3, 4], [0, 0, 1, 1])
        >>> result.moved(0, 1.5).value
        0.25
        """
        result: Thresholds = extension("moved_thresholds")(self, k, to)
        return result

    @property
    def decides_otherwise(self) -> bool:
        """Whether decisions are not the classes."""
        return bool(self.decisions.tolist() != self.classes.tolist())

    @property
    def is_review(self) -> Bools:
        """Which decisions hand a row over for review, of shape (D,).

        Examples
        --------
        >>> import ordcut
        >>> result = ordcut.optimal_thresholds([1, 2, 3, 4], [0, 1, 0, 1], review=0.2)
        >>> new = [0.5, 2.2, 9]
        >>> result.predict(new), result.is_review[result.codes(new)]
        (array([0, '0 or 1', 1], dtype=object), array([False,  True, False]))
        """
        is_between: Bools = np.arange(len(self.decisions)) % 2 == 1
        return is_between if self.review_share is not None else np.zeros_like(is_between)

    @property
    def never_predicted(self) -> list[Any]:
        """The classes, or decisions, that no score gets.

        Examples
        --------
        >>> import ordcut
        >>> ordcut.optimal_thresholds([1, 2, 3], [0, 2, 2], classes=[0, 1, 2]).never_predicted
        [1]
        """
        edges = np.concatenate([[-np.inf], self.thresholds, [np.inf]])
        return list(self.decisions[edges[:-1] == edges[1:]].tolist())

    def drift(self, new_scores: ArrayLike, *, limit: float = 0.1, random_state: int = 0) -> Drift:
        """Return whether new scores are distributed as the scores that thresholds were found on.

        No labels are needed, and no rows of then: the record has the quantiles.

        Parameters
        ----------
        new_scores : array-like of shape (n_samples,)
            Finite scores of new rows.
        limit : float, default=0.1
            The population stability index from which on scores count as shifted. 0.1 is the usual
            limit of a slight shift, and 0.25 of a large one.
        random_state : int, default=0
            The seed of permutations and intervals.

        Returns
        -------
        Drift
            The outcome, the index with its interval, and the share of each decision, expected and
            observed.

        Examples
        --------
        >>> import numpy as np, ordcut
        >>> scores = np.arange(1000) / 1000
        >>> result = ordcut.optimal_thresholds(scores, scores >= 0.8)
        >>> result.drift(scores**2).outcome
        'shifted'
        """
        result: Drift = extension("drift")(self, new_scores, limit, random_state)
        return result

    def card(self) -> Card:
        """Return the rule and its evidence, for people: as text, and as HTML in notebooks.

        Examples
        --------
        >>> import ordcut
        >>> print(ordcut.optimal_thresholds([1, 2, 3, 4], [0, 0, 1, 1]).card())
        class  from  below   share  rows   recall  precision
        0              2.5  50.0 %     2  100.0 %    100.0 %
        1       2.5         50.0 %     2  100.0 %    100.0 %
        <BLANKLINE>
        objective  absolute
        value      0
        why        No other thresholds do better on these rows: convex objective (Theorem 2).
        rows       4
        scores     1 to 4
        data       ...
        found by   ordcut 0.2.0
        """
        return card(self)

    def explain(self, bootstrap: Bootstrap | None = None) -> str:
        """Return the rule, its value and the reason why nothing is better, in plain words.

        Parameters
        ----------
        bootstrap : Bootstrap, optional
            The result of ``bootstrap()``, for a sentence about the uncertainty.

        Examples
        --------
        >>> import ordcut
        >>> print(ordcut.optimal_thresholds([1, 2, 3], ["a", "b", "b"], classes=[*"ab"]).explain())
        A score below 1.5 is labelled a; from 1.5 on it is b.
        On the data that they were found on, these thresholds reach a mean absolute error of 0.
        No other thresholds do better there: convex objective (Theorem 2).
        For confidence intervals on new data, pass result.bootstrap() to explain().
        """
        return explain(self, bootstrap)


def labels_at(thresholds: Thresholds, scores: Array) -> Array:
    """Return the decision for each score, without a check of the scale of the scores.

    Examples
    --------
    >>> import ordcut
    >>> labels_at(ordcut.optimal_thresholds([1, 2, 3], [10, 20, 30]), np.array([0.0, 9.0]))
    array([10, 30])
    """
    values = thresholds.decisions
    if thresholds.review_share is not None and thresholds.classes.dtype.kind != "U":
        values = values.astype(object)
        values[::2] = thresholds.classes.tolist()
    labels = np.empty(len(scores), values.dtype)
    for stretch, codes in codes_by_stretch(thresholds.thresholds, scores):
        np.take(values, codes, out=labels[stretch], mode="clip")
    return labels
