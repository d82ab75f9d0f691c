"""Ordinal objectives and evaluation metrics for LightGBM, XGBoost and CatBoost.

:class:`CumulativeLink` is an objective that trees are trained with, :class:`ThresholdMetric` an
evaluation metric. None of the libraries is imported here: both are callables with the arguments
that the libraries pass.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ordcut.boosting_kernels import (
    LINK_CODES,
    add_moments,
    count_cells,
    empty_work,
    fill_gradients,
    fill_logit_gradients,
    fit_biases,
)
from ordcut.errors import unknown_name
from ordcut.estimators.links import LINKS
from ordcut.estimators.proportional_odds import ProportionalOddsModel
from ordcut.threads import count_threads, run_all, split
from ordcut.typing import Array, ArrayLike, Floats

__all__ = ["CumulativeLink"]

#: Up to this many rows, biases are fitted to the rows themselves, and beyond to cells of them.
MOST_ROWS_TO_FIT = 2048

#: Bins of scores, if they and the classes do not make more cells than this, and the fewest bins.
MOST_BINS, MOST_CELLS, FEWEST_BINS = 512, 4096, 64

#: Rows per piece of work. The pieces do not depend on the number of threads, nor do sums.
ROWS_PER_PIECE = 1 << 17

#: The least Hessian of a row, so that a leaf of well fitted rows takes no step beyond all reason.
LEAST_HESSIAN = 1e-4

#: The largest mean gradient, by a bias, of biases that count as fitted.
TOLERANCE = 1e-9

#: The variance of each link's distribution.
VARIANCES = {"logit": math.pi**2 / 3, "probit": 1.0, "cloglog": math.pi**2 / 6}

#: LightGBM passes a group, if only None, and XGBoost passes none, which tells them apart.
_NOT_GIVEN: Any = object()


class CumulativeLink:
    """The objective of ordinal regression, for boosted trees.

    A row with the raw score ``a`` has a class of at most ``k`` with the probability
    ``F(b_k - a)``. The trees learn the score. The biases ``b`` are fitted to the scores anew in
    each round, so that gradients depend on nothing but scores, labels and weights: an instance can
    be used for several models, one after the other or at the same time.

    Parameters
    ----------
    n_classes : int, default=None
        The number of classes, K. By default the highest label plus 1.
    link : {"logit", "probit", "cloglog"}, default="logit"
        The distribution function ``F``.
    n_jobs : int, default=-1
        The number of threads for 131072 rows or more, -1 for one per core. Results do not depend
        on it.

    Attributes
    ----------
    biases_ : ndarray of shape (K - 1,)
        The biases of the last round of the last training, or of the last ``fit``. Neighbouring
        biases are equal around a class that does not occur, and infinite beyond the last class
        that does.

    Examples
    --------
    >>> import numpy as np
    >>> from lightgbm import LGBMRegressor
    >>> from ordcut.boosting import CumulativeLink
    >>> X = np.linspace(0, 1, 200)[:, None]
    >>> y = np.repeat([0, 1, 2, 3], 50)
    >>> model = LGBMRegressor(objective=CumulativeLink(), n_estimators=20, verbose=-1).fit(X, y)
    >>> model.objective_.biases_.shape
    (3,)
    >>> model.objective_.probabilities(model.predict([[0.1], [0.9]])).argmax(axis=1)
    array([0, 3])
    """

    _model: ProportionalOddsModel | None = None

    def __init__(
        self, n_classes: int | None = None, link: str = "logit", *, n_jobs: int | None = -1
    ) -> None:
        self.n_classes = n_classes
        self.link = link
        self.n_jobs = n_jobs

    def __call__(
        self,
        y_true: Any,
        y_pred: Any,
        sample_weight: Any = _NOT_GIVEN,
        group: Any = _NOT_GIVEN,  # noqa: ARG002 (LightGBM passes it)
    ) -> tuple[Array, Array]:
        """Return the gradient and the Hessian of each row, as LightGBM and XGBoost call it.

        Parameters
        ----------
        y_true : ndarray of shape (n_samples,)
            The positions 0, 1, 2, ... of the classes; in the native interfaces, the raw scores.
        y_pred : ndarray of shape (n_samples,), lightgbm.Dataset or xgboost.DMatrix
            The raw scores; in the native interfaces, the training data.
        sample_weight : ndarray of shape (n_samples,), optional
            How much each row counts.
        group : object, optional
            Passed by LightGBM, and not used.

        Returns
        -------
        tuple of ndarray of shape (n_samples,)
            The gradient and the Hessian, as float32.

        Examples
        --------
        >>> gradient, hessian = CumulativeLink()(np.array([0, 1, 2, 2]), np.zeros(4))
        >>> gradient
        array([ 0.75,  0.25, -0.5 , -0.5 ], dtype=float32)
        """
        rows = _Rows.read(self, y_true, y_pred, sample_weight)
        self._model = model = rows.fit()
        return rows.derivatives(model.biases)

    def fit(
        self, raw_scores: ArrayLike, labels: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> CumulativeLink:
        """Fit the biases to raw scores, such as those of rows that the trees were not trained on.

        Parameters
        ----------
        raw_scores : array-like of shape (n_samples,)
            What the trees predict.
        labels : array-like of shape (n_samples,)
            The positions 0, 1, 2, ... of the classes.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts.

        Returns
        -------
        CumulativeLink
            Itself, with new ``biases_``.

        Examples
        --------
        >>> CumulativeLink().fit([-1.0, 0.0, 1.0, 2.0], [0, 0, 1, 1]).biases_
        array([0.5])
        """
        self._model = _Rows.read(self, labels, raw_scores, sample_weight).fit()
        return self

    @property
    def biases_(self) -> Floats:
        """The biases of the last round of the last training, or of the last ``fit``."""
        return self._fitted_model().biases

    def probabilities(self, raw_scores: ArrayLike) -> Floats:
        """Return the probability of each class.

        Parameters
        ----------
        raw_scores : array-like of shape (n_samples,)
            What the trees predict.

        Returns
        -------
        ndarray of shape (n_samples, K)
            In the order of the classes.

        Examples
        --------
        >>> link = CumulativeLink().fit([-1.0, 0.0, 1.0, 2.0], [0, 0, 1, 1])
        >>> link.probabilities([0.5, 2.5]).round(2)
        array([[0.5 , 0.5 ],
               [0.12, 0.88]])
        """
        return self._fitted_model().probabilities(
            _read_scores(raw_scores, "raw_scores").astype(np.float64)
        )

    def _fitted_model(self) -> ProportionalOddsModel:
        if self._model is None:
            raise AttributeError(
                "biases are known only after training: train a model with this objective, or call "
                "fit(raw_scores, labels)."
            )
        return self._model

    def __repr__(self) -> str:
        size = "" if self.n_classes is None else f"n_classes={self.n_classes}, "
        return f"CumulativeLink({size}link={self.link!r})"

    def __sklearn_clone__(self) -> CumulativeLink:
        return type(self)(self.n_classes, self.link, n_jobs=self.n_jobs)

    def __deepcopy__(self, memo: dict[int, Any]) -> CumulativeLink:
        # LightGBM trains with deep copies of its parameters, a dict, and biases_ must reach the
        # objective that was passed. A copy of a model, or of the objective itself, is its own.
        if any(type(copied) is dict for copied in memo.values()) and not any(
            hasattr(copied, "fit") for copied in memo.values()
        ):
            return self
        copy = self.__sklearn_clone__()
        copy._model = self._model
        return copy


class _Rows:
    """Labels, raw scores and weights of rows, as kernels need them."""

    def __init__(
        self, labels: Array, scores: Array, weights: Floats, n_classes: int, objective: Any
    ) -> None:
        self.labels, self.scores, self.weights = labels, scores, weights
        self.n_classes = n_classes
        self.link_name: str = objective.link
        self.link = LINK_CODES[self.link_name]
        self.pieces = split(len(labels), -(-len(labels) // ROWS_PER_PIECE))
        self.n_threads = count_threads(objective.n_jobs)

    @classmethod
    def read(cls, objective: Any, y_true: Any, y_pred: Any, sample_weight: Any) -> _Rows:
        """Read the arguments of either interface of LightGBM and XGBoost, and check them."""
        if objective.link not in LINK_CODES:
            raise unknown_name("link", objective.link, LINK_CODES)
        labels, scores, weights = read_arguments(y_true, y_pred, sample_weight)
        n_classes = _count_classes(labels, objective.n_classes)
        return cls(labels, scores, weights, n_classes, objective)

    def fit(self) -> ProportionalOddsModel:
        """Return the model whose biases fit the scores best."""
        cells, center = self._count()
        totals = cells[:, :, 0].sum(axis=0)
        occurring = np.flatnonzero(totals > 0)
        if len(occurring) < 2:
            raise ValueError(
                "labels must hold at least two classes with a weight above 0, got "
                f"{'none' if not len(occurring) else f'only the class {occurring[0]}'}."
            )
        if len(self.labels) <= MOST_ROWS_TO_FIT:
            classes = self.labels.astype(np.int64)
            weights = self.weights if len(self.weights) else np.ones(len(classes))
            keep = weights > 0
            scores, classes, weights = (
                self.scores[keep].astype(np.float64) - center,
                classes[keep],
                weights[keep],
            )
        else:
            bins, classes = np.nonzero(cells[:, :, 0] > 0)
            weights = cells[bins, classes, 0]
            scores = cells[bins, classes, 1] / weights
        if len(occurring) < self.n_classes:
            classes = np.searchsorted(occurring, classes)
        mean = float(weights @ scores / weights.sum())
        variance = float(weights @ (scores - mean) ** 2 / weights.sum())
        shares = np.cumsum(totals[occurring])[:-1] / totals.sum()
        spread = math.sqrt(1.0 + variance / VARIANCES[self.link_name])
        biases = mean + spread * LINKS[self.link_name].quantile(shares)
        work, outcome = empty_work(len(occurring)), np.zeros(2)
        fit_biases(classes, scores, weights, self.link, TOLERANCE, biases, work, outcome)
        return ProportionalOddsModel(
            self.link_name, biases + center, 1.0, occurring, self.n_classes
        )

    def derivatives(self, biases: Floats) -> tuple[Array, Array]:
        """Return the gradient and the Hessian of each row."""
        gradients = np.empty(len(self.scores), np.float32)
        hessians = np.empty(len(self.scores), np.float32)
        upper, lower = np.append(biases, np.inf), np.append(-np.inf, biases)
        finite = biases[np.isfinite(biases)]
        center = float(finite.mean())
        is_quick = self.link_name == "logit" and np.abs(finite - center).max() < 150
        with np.errstate(over="ignore", under="ignore"):
            upper_odds, lower_odds = np.exp(center - upper), np.exp(lower - center)
        # Only classes that do not occur have infinite odds.
        upper_odds[np.isinf(upper_odds)], lower_odds[np.isinf(lower_odds)] = 0.0, 0.0

        def fill(piece: tuple[int, int]) -> None:
            part = slice(*piece)
            rows = self.labels[part], self.scores[part], self.weights[part]
            filled = LEAST_HESSIAN, gradients[part], hessians[part]
            if is_quick:
                fill_logit_gradients(*rows, center, upper_odds, lower_odds, *filled)
            else:
                fill_gradients(*rows, upper, lower, self.link, *filled)

        run_all(fill, self.pieces, self.n_threads)
        return gradients, hessians

    def _count(self) -> tuple[Floats, float]:
        """Return the weights and summed offsets of all cells, and the center of the offsets."""
        n = len(self.labels)
        sums = np.zeros((len(self.pieces), 2))
        n_bins = max(FEWEST_BINS, min(MOST_BINS, MOST_CELLS // self.n_classes))
        tables = np.zeros((len(self.pieces), n_bins + 1, self.n_classes, 2))
        first_bad = np.full((len(self.pieces), 2), -1)

        def add(number: int) -> None:
            add_moments(self.scores[slice(*self.pieces[number])], sums[number])

        run_all(add, range(len(self.pieces)), self.n_threads)
        total, squares = sums.sum(axis=0)
        center = total / n
        if not math.isfinite(center):
            center = 0.0  # the kernel names the score that is not finite
        variance = squares / n - center * center
        scale = math.sqrt(variance) if 0 < variance < math.inf else 1.0

        def count(number: int) -> None:
            part = slice(*self.pieces[number])
            count_cells(
                self.labels[part], self.scores[part], self.weights[part], center, 1 / scale,
                tables[number], first_bad[number],
            )  # fmt: skip

        run_all(count, range(len(self.pieces)), self.n_threads)
        starts = np.array([start for start, _ in self.pieces])[:, None]
        _check_rows(np.where(first_bad < 0, n, first_bad + starts).min(axis=0), self)
        return tables.sum(axis=0), center


def read_arguments(y_true: Any, y_pred: Any, sample_weight: Any) -> tuple[Array, Array, Floats]:
    """Return labels, raw scores and weights, which are empty if all rows count the same."""
    if hasattr(y_pred, "get_label"):  # native interfaces pass the scores, then the data
        y_true, y_pred, sample_weight = y_pred.get_label(), y_true, y_pred.get_weight()
    labels = np.asarray(y_true)
    if labels.dtype.kind not in "biuf" or labels.ndim != 1:
        raise ValueError(
            "labels must be the positions 0, 1, 2, ... of the classes, got an array of shape "
            f"{labels.shape} and dtype {labels.dtype}. Encode them first, or use "
            "ordcut.estimators.OrdinalThresholdClassifierCV, which does."
        )
    scores = _read_scores(y_pred, "raw scores")
    if len(labels) != len(scores) or len(labels) == 0:
        raise ValueError(
            f"labels and raw scores must have the same length, at least 1, got {len(labels)} "
            f"labels and {len(scores)} scores."
        )
    given = sample_weight is not _NOT_GIVEN and sample_weight is not None
    weights = np.asarray(sample_weight if given else [], dtype=np.float64)
    if len(weights) and not (len(weights) == len(labels) and weights.min() >= 0):
        raise ValueError(
            "sample_weight must hold one number that is not negative for each of the "
            f"{len(labels)} rows, got {len(weights)} numbers, of which the lowest is "
            f"{weights.min()}."
        )
    return labels.astype(np.float32, copy=False), scores, weights


def _read_scores(scores: Any, argument: str) -> Array:
    array = np.asarray(scores)
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(
            f"{argument} must be one number per row, got shape {array.shape}. Use a regressor, "
            "such as LGBMRegressor or XGBRegressor, whose trees have a single output."
        )
    return array


def _count_classes(labels: Array, n_classes: int | None) -> int:
    if n_classes is None:
        highest = float(labels.max())
        return max(int(highest) + 1, 2) if 0 <= highest < 1 << 16 else 2
    if isinstance(n_classes, bool) or not isinstance(n_classes, int) or n_classes < 2:
        raise ValueError(f"n_classes must be a whole number of at least 2, got {n_classes!r}.")
    return n_classes


def _check_rows(first_bad: Sequence[int] | Array, rows: _Rows) -> None:
    """Raise an error if a label is no position of a class, or a score is not finite."""
    n, (label, score) = len(rows.labels), first_bad
    if label < n:
        raise ValueError(
            f"labels must be the positions 0, 1, 2, ... of the classes, at most "
            f"{rows.n_classes - 1}, got {rows.labels[label]} at position {label}. Encode them "
            "first, or use ordcut.estimators.OrdinalThresholdClassifierCV, which does."
        )
    if score < n:
        raise ValueError(
            f"raw scores must be finite, got {rows.scores[score]} at position {score}. A lower "
            "learning rate or more regularisation keeps trees from diverging."
        )
