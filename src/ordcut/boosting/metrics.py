"""Evaluation metrics for each round of boosting, cross-fitted inside the evaluation rows.

The rows are dealt to two halves, the same ones in each round. What a metric fits to scores, such as
thresholds, is fitted on one half and judged on the other, so that it is honest without the scores
of training rows, which boosted trees overfit.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from ordcut._core.data import count_between
from ordcut._core.errors import depth_of_caller, unknown_name
from ordcut._core.numerics.threads import count_threads, run_all
from ordcut._core.objectives import ObjectiveLike, n_classes_of, resolve_objective
from ordcut._core.optimal import optimal_thresholds
from ordcut._core.smoothing import Smoothing
from ordcut._core.typing import Array, Floats, Ints
from ordcut.boosting.cumulative_link import CumulativeLink
from ordcut.boosting.kernels import LINK_CODES, deal_halves
from ordcut.boosting.rows import (
    NOT_GIVEN,
    BoostedRows,
    calling_library,
    check_labels,
    count_classes,
    read_arguments,
)

#: Codes, scores and weights, if there are any, of a half of the evaluation rows.
Half = tuple[Ints, Array, Floats | None]

#: With fewer evaluation rows, thresholds are too noisy to stop training by their loss.
FEWEST_TO_STOP = 1000

#: What to do with fewer evaluation rows.
FEW_ROWS = ("warn", "ignore")

#: From this many evaluation rows on, the two halves are worked on at the same time.
FEWEST_FOR_THREADS = 1 << 15


class _CrossFittedMetric(ABC):
    """A loss of raw scores, as each library calls an evaluation metric. Lower is better."""

    @property
    @abstractmethod
    def __name__(self) -> str:  # XGBoost asks for the name of a function
        """The name of the metric."""

    @abstractmethod
    def _n_classes(self, labels: Array) -> int:
        """Return the number of classes, given the labels of evaluation rows."""

    @abstractmethod
    def _value(self, halves: list[Half], k: int) -> float:
        """Return the loss of two halves of rows with ``k`` classes."""

    def __call__(
        self,
        y_true: Any,
        y_pred: Any,
        sample_weight: Any = NOT_GIVEN,
        group: Any = NOT_GIVEN,
    ) -> Any:
        """Return the loss of evaluation rows, in the form that the caller expects.

        Parameters
        ----------
        y_true : ndarray of shape (n_samples,)
            The positions 0, 1, 2, ... of the classes; in the native interfaces, the raw scores.
        y_pred : ndarray of shape (n_samples,), lightgbm.Dataset or xgboost.DMatrix
            The raw scores; in the native interfaces, the evaluation data.
        sample_weight : ndarray of shape (n_samples,), optional
            How much each row counts.
        group : object, optional
            Passed by LightGBM, and not used.

        Returns
        -------
        float or tuple
            The loss. LightGBM gets a name before it, and False, since lower is better, after it;
            XGBoost's native interface gets a name before it.
        """
        library = calling_library(y_pred, group)
        value = self._loss(*read_arguments(y_true, y_pred, sample_weight))
        if library == "lightgbm":
            return self.__name__, value, False
        return (self.__name__, value) if hasattr(y_pred, "get_label") else value

    def _loss(self, labels: Array, scores: Array, weights: Floats) -> float:
        n, k = len(labels), self._n_classes(labels)
        check_labels(labels, k)
        codes, size = np.empty(n, np.int64), np.zeros(1, np.int64)
        dealt_scores, dealt_weights = np.empty_like(scores), np.empty_like(weights)
        turns = np.arange(k) % 2
        deal_halves(labels, scores, weights, turns, codes, dealt_scores, dealt_weights, size)
        if not 0 < size[0] < n:
            raise ValueError(f"evaluation rows must be at least 2, to be split in halves, got {n}.")
        parts = slice(0, int(size[0])), slice(int(size[0]), n)
        return self._value(
            [
                (codes[part], dealt_scores[part], dealt_weights[part] if len(weights) else None)
                for part in parts
            ],
            k,
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # A metric never changes. CatBoost returns copies of its parameters, and scikit-learn
        # clones an estimator only if it returns the parameters that it was given.
        return self

    # What CatBoost calls.

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:
        """Return the loss and a weight of 1, as CatBoost expects of a metric."""
        scores, labels = np.asarray(approxes[0], np.float64), np.asarray(target, np.float64)
        weights = np.asarray([] if weight is None else weight, np.float64)
        return self._loss(labels, scores, weights), 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        """Return the loss, from what CatBoost adds up."""
        return error / weight

    def is_max_optimal(self) -> bool:
        """Return False: lower is better."""
        return False


def _run_each(work: Callable[[int], None], halves: list[Half]) -> None:
    """Call ``work`` with the position of each half, in threads if there are many rows."""
    is_large = sum(len(codes) for codes, _, _ in halves) >= FEWEST_FOR_THREADS
    run_all(work, range(2), count_threads(-1 if is_large else None))


class ThresholdMetric(_CrossFittedMetric):
    """The loss with optimal thresholds, as an evaluation metric for each round of boosting.

    Pass it as ``eval_metric`` to ``LGBMRegressor.fit``, ``XGBRegressor`` or ``CatBoostRegressor``,
    as ``feval`` to ``lightgbm.train``, or as ``custom_metric`` to ``xgboost.train``. Lower is
    better, so that early stopping works as it is. Evaluation rows are dealt to two halves, always
    the same ones; each half is labelled by the thresholds that are optimal for the other.

    Parameters
    ----------
    objective : str, array-like of shape (K, K), callable, Kappa or Objective, default="absolute"
        A loss, or a kappa, as in :func:`ordcut.optimal_thresholds`. For a kappa, the metric is 1
        minus the kappa, and its name ends with ``_loss``.
    classes : sequence, default=None
        All classes, lowest first, whose positions the labels are. By default the positions
        themselves up to the highest label, which differ if classes are numbers with gaps.
    smoothing : float from 0 to 1, "auto" or "bagging", default=0.0
        The amount of smoothing, as in :func:`ordcut.optimal_thresholds`.
    few_rows : {"warn", "ignore"}, default="warn"
        What to do with fewer than 1000 evaluation rows. The metric is then too noisy to stop
        training by: it stops too early. Stop by :class:`LikelihoodMetric`, and pass ``"ignore"``
        to a metric that is only watched.

    Examples
    --------
    >>> import numpy as np
    >>> from ordcut.boosting import ThresholdMetric
    >>> labels, scores = np.array([0, 0, 0, 1, 1, 1]), np.array([0.1, 0.2, 0.3, 0.25, 0.6, 0.7])
    >>> ThresholdMetric("zero_one", few_rows="ignore")(labels, scores)
    0.3333333333333333
    >>> ThresholdMetric("quadratic_kappa").__name__
    'quadratic_kappa_loss'
    """

    def __init__(
        self,
        objective: ObjectiveLike = "absolute",
        *,
        classes: Sequence[Any] | Array | None = None,
        smoothing: Smoothing = 0.0,
        few_rows: str = "warn",
    ) -> None:
        if few_rows not in FEW_ROWS:
            raise unknown_name("few_rows", few_rows, FEW_ROWS)
        self.objective = objective
        self.classes = classes
        self.smoothing = smoothing
        self.few_rows = few_rows

    @property
    def __name__(self) -> str:
        resolved = resolve_objective(self.objective, n_classes_of(self.objective) or 2)
        return resolved.name.replace(" ", "_") + ("_loss" if resolved.is_maximised else "")

    def _n_classes(self, labels: Array) -> int:
        given = len(self.classes) if self.classes is not None else n_classes_of(self.objective)
        return count_classes(labels, given)

    def _value(self, halves: list[Half], k: int) -> float:
        n = sum(len(codes) for codes, _, _ in halves)
        if n < FEWEST_TO_STOP and self.few_rows == "warn":
            warnings.warn(
                f"ThresholdMetric needs at least {FEWEST_TO_STOP} evaluation rows to stop training "
                f"by, got {n}: with fewer, it is noisy, and training stops too early. Stop by "
                'LikelihoodMetric; if this metric is only watched, pass few_rows="ignore".',
                UserWarning,
                stacklevel=depth_of_caller(),
            )
        classes = np.arange(k) if self.classes is None else np.asarray(self.classes)
        objective, positions = resolve_objective(self.objective, classes), np.arange(k)
        thresholds, confusions = [np.empty(0)] * 2, np.empty((2, k, k))

        def fit(half: int) -> None:
            codes, scores, weights = halves[half]
            thresholds[half] = optimal_thresholds(
                scores,
                codes,
                objective=objective,
                classes=positions,
                sample_weight=weights,
                smoothing=self.smoothing,
            ).thresholds

        def judge(half: int) -> None:
            codes, scores, weights = halves[half]
            confusions[half] = count_between(
                scores, thresholds[1 - half], codes, weights, positions
            )

        _run_each(fit, halves)
        _run_each(judge, halves)
        confusion = confusions.sum(axis=0)
        value = objective.value(confusion)
        return 1.0 - value if objective.is_maximised else value

    def __repr__(self) -> str:
        return f"ThresholdMetric({self.objective!r})"


class LikelihoodMetric(_CrossFittedMetric):
    """The mean negative log-likelihood of a cumulative link model, as an evaluation metric.

    It is used as :class:`ThresholdMetric` is. The biases of each half of the evaluation rows are
    the thresholds that fit the scores of the other half best.

    Parameters
    ----------
    n_classes : int, default=None
        The number of classes, K. By default the highest label plus 1.
    link : {"logit", "probit", "cloglog"}, default="logit"
        The link of the model, as in :class:`CumulativeLink`.

    Examples
    --------
    >>> import numpy as np
    >>> from ordcut.boosting import LikelihoodMetric
    >>> labels, scores = np.array([0, 0, 0, 1, 1, 1]), np.array([-2.0, -1.0, 0.5, 0.0, 1.0, 2.0])
    >>> round(LikelihoodMetric()(labels, scores), 3)
    0.577
    """

    __name__ = "ordinal_log_loss"

    def __init__(self, n_classes: int | None = None, link: str = "logit") -> None:
        self.n_classes = n_classes
        self.link = link

    def _n_classes(self, labels: Array) -> int:
        if self.link not in LINK_CODES:
            raise unknown_name("link", self.link, LINK_CODES)
        return count_classes(labels, self.n_classes)

    def _value(self, halves: list[Half], k: int) -> float:
        link = CumulativeLink(k, self.link)
        rows = [BoostedRows.read(link, codes, scores, weights) for codes, scores, weights in halves]
        biases, log_likelihoods = [np.empty(0)] * 2, [0.0, 0.0]

        def fit(half: int) -> None:
            biases[half] = rows[half].fit().biases

        def judge(half: int) -> None:
            log_likelihoods[half] = rows[half].log_likelihood(biases[1 - half])

        _run_each(fit, halves)
        _run_each(judge, halves)
        total = sum(len(codes) if w is None else float(w.sum()) for codes, _, w in halves)
        return -sum(log_likelihoods) / total

    def __repr__(self) -> str:
        return f"LikelihoodMetric(link={self.link!r})"
