"""The objective of ordinal regression, for LightGBM and XGBoost."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ordcut._core.typing import Array, ArrayLike, Floats
from ordcut.boosting.rows import NOT_GIVEN, BoostedRows, calling_library, read_scores
from ordcut.estimators import ProportionalOddsModel


class CumulativeLink:
    """The objective of ordinal regression, for boosted trees.

    A row with the raw score ``a`` has a class of at most ``k`` with the probability
    ``F(b_k - a)``. The trees learn the score. The biases ``b`` are fitted to the scores anew in
    each round, so that gradients depend on nothing but scores, labels and weights: an instance can
    be used for several models, one after the other or at the same time.

    Rows that the trees fit well have Hessians near 0, and a leaf of them would take steps that are
    too large. Pass ``min_child_weight=3``, the least sum of Hessians in a leaf, to the trees of
    either library.

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
    >>> trees = {"min_child_weight": 3, "n_estimators": 20, "verbose": -1}
    >>> model = LGBMRegressor(objective=CumulativeLink(), **trees).fit(X, y)
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
        sample_weight: Any = NOT_GIVEN,
        group: Any = NOT_GIVEN,
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
        >>> gradient.round(6)
        array([ 0.75,  0.25, -0.5 , -0.5 ], dtype=float32)
        """
        calling_library(y_pred, group)
        rows = BoostedRows.read(self, y_true, y_pred, sample_weight)
        self._model = model = rows.fit()
        return rows.derivatives(model.biases)

    def fit(
        self, raw_scores: ArrayLike, labels: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> CumulativeLink:
        """Fit the biases to raw scores, for instance of rows that the trees have not seen.

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
        self._model = BoostedRows.read(self, labels, raw_scores, sample_weight).fit()
        return self

    @property
    def biases_(self) -> Floats:
        """The biases of the last round of the last training, or of the last ``fit``."""
        return self.model.biases

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
        return self.model.probabilities(read_scores(raw_scores, "raw_scores").astype(np.float64))

    @property
    def model(self) -> ProportionalOddsModel:
        """The model with the biases of the last round of the last training, or ``fit``."""
        if self._model is None:
            raise AttributeError(
                "biases are known only after training: train a model with this objective, or call "
                "fit(raw_scores, labels)."
            )
        return self._model

    def calc_ders_range(self, *_: Any) -> NoReturn:
        """Raise an error that says what to do with CatBoost, which calls this."""
        raise TypeError(
            "CumulativeLink cannot train CatBoost, which passes a part of the rows at a time, so "
            "that biases cannot be fitted to all of them. Use CatBoost's own RMSE inside "
            "ordcut.estimators.OrdinalThresholdClassifierCV, or LightGBM or XGBoost."
        )

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
        copy.__dict__.update(self.__dict__)
        return copy
