"""The rows of a round of boosting: biases fitted to their scores, and derivatives.

Biases are fitted to cells of rows with the same class and nearly the same score, of which there are
few, so that a round costs two passes over the rows: one to count, one for the derivatives.
"""

from __future__ import annotations

import math
import sys
from numbers import Integral
from typing import Any

import numpy as np

from ordcut._core.errors import unknown_name
from ordcut._core.numerics.threads import count_threads, run_all, split
from ordcut._core.typing import Array, Floats
from ordcut.boosting.kernels import (
    LINK_CODES,
    add_log_masses,
    add_moments,
    count_cells,
    empty_work,
    fill_gradients,
    fill_logit_gradients,
    fill_logit_masses,
    fill_offsets,
    fit_biases,
)
from ordcut.estimators import ProportionalOddsModel
from ordcut.estimators.links import LINKS

#: Up to this many rows, biases are fitted to the rows themselves, and beyond to cells of them.
MOST_ROWS_TO_FIT = 2048

#: Bins of scores, if they and the classes do not make more cells than this, and the fewest bins.
MOST_BINS, MOST_CELLS, FEWEST_BINS = 512, 4096, 64

#: Rows per piece of work. The pieces do not depend on the number of threads, nor do sums.
ROWS_PER_PIECE = 1 << 17

#: Sums that the scores of a piece are added to in turn.
N_SUMS = 64

#: The least Hessian of a row, so that a leaf of well fitted rows takes no step beyond all reason.
LEAST_HESSIAN = 1e-4

#: The distance of biases from their center up to which logit gradients are computed in float32 from
#: exponentials, whose products then stay finite, and the distance of scores beyond which such
#: gradients do not change.
FARTHEST_BIAS, FARTHEST_SCORE = 15.0, 35.0

#: The lowest probability of a row in a likelihood, as of a class that does not occur where biases
#: were fitted.
LOWEST_PROBABILITY = 1e-15

#: The largest mean gradient, by a bias, of biases that count as fitted.
TOLERANCE = 1e-9

#: The variance of each link's distribution.
VARIANCES = {"logit": math.pi**2 / 3, "probit": 1.0, "cloglog": math.pi**2 / 6}

#: LightGBM passes a group, if only None, and XGBoost passes none, which tells them apart.
NOT_GIVEN: Any = object()

#: The first versions whose custom objectives get weights in every interface.
FIRST_VERSIONS = {"lightgbm": 4, "xgboost": 2}


class BoostedRows:
    """Labels, raw scores and weights of rows, to which a cumulative link model is fitted.

    ``weights`` is empty if all rows count the same. Rows are worked on in ``pieces``.
    """

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
    def read(cls, objective: Any, y_true: Any, y_pred: Any, sample_weight: Any) -> BoostedRows:
        """Read the arguments of either interface of LightGBM and XGBoost, and check them."""
        if objective.link not in LINK_CODES:
            raise unknown_name("link", objective.link, LINK_CODES)
        labels, scores, weights = read_arguments(y_true, y_pred, sample_weight)
        n_classes = count_classes(labels, objective.n_classes)
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
            classes, weights = classes[keep], weights[keep]
            scores = self.scores[keep].astype(np.float64) - center
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
        # A single array, which takes few page faults if the system has huge pages.
        gradients, hessians = np.empty((2, len(self.scores)), np.float32)
        upper, lower = np.append(biases, np.inf), np.append(-np.inf, biases)
        center, is_quick = self._center(biases)
        with np.errstate(over="ignore", under="ignore"):
            upper_odds = np.exp(center - upper).astype(np.float32)
            lower_odds = np.exp(lower - center).astype(np.float32)
        # Only classes that do not occur have infinite odds.
        upper_odds[np.isinf(upper_odds)], lower_odds[np.isinf(lower_odds)] = 0.0, 0.0

        def fill(piece: tuple[int, int]) -> None:
            part = slice(*piece)
            labels, scores, weights = self.labels[part], self.scores[part], self.weights[part]
            filled = np.float32(LEAST_HESSIAN), gradients[part], hessians[part]
            if is_quick:
                odds = np.empty(len(scores), np.float32)
                fill_offsets(scores, center, FARTHEST_SCORE, odds)
                np.exp(odds, out=odds)
                fill_logit_gradients(labels, odds, weights, upper_odds, lower_odds, *filled)
            else:
                fill_gradients(labels, scores, weights, upper, lower, self.link, *filled)

        run_all(fill, self.pieces, self.n_threads)
        return gradients, hessians

    def log_likelihood(self, biases: Floats) -> float:
        """Return the log-likelihood of the labels for given biases."""
        upper, lower = np.append(biases, np.inf), np.append(-np.inf, biases)
        center, is_quick = self._center(biases)
        with np.errstate(all="ignore"):
            gaps = -np.expm1(-np.nan_to_num(upper - lower, nan=0.0, posinf=np.inf))
            upper_odds, lower_odds = np.exp(center - upper), np.exp(lower - center)
            log_gaps = np.log(gaps)
        if is_quick:
            odds, masses = np.empty((2, len(self.scores)))
            # Beyond twice the distance, a probability is 1 or lower than the lowest.
            fill_offsets(self.scores, center, 2 * FARTHEST_SCORE, odds)
            np.exp(odds, out=odds)
            fill_logit_masses(self.labels, odds, upper_odds, lower_odds, gaps, masses)
            logs = np.log(np.maximum(masses, LOWEST_PROBABILITY, out=masses), out=masses)
            return float(logs.sum() if not len(self.weights) else self.weights @ logs)
        total = np.zeros(1)
        add_log_masses(
            self.labels, self.scores, self.weights, upper, lower, log_gaps, self.link,
            math.log(LOWEST_PROBABILITY), total,
        )  # fmt: skip
        return float(total[0])

    def _center(self, biases: Floats) -> tuple[float, bool]:
        """Return the center of biases, and whether exponentials of differences to it will do."""
        finite = biases[np.isfinite(biases)]
        center, distance = 0.5 * (finite[0] + finite[-1]), 0.5 * (finite[-1] - finite[0])
        return float(center), self.link_name == "logit" and bool(distance < FARTHEST_BIAS)

    def _count(self) -> tuple[Floats, float]:
        """Return the weights and summed offsets of all cells, and the center of the offsets."""
        n = len(self.labels)
        sums = np.zeros((len(self.pieces), 2, N_SUMS))
        n_bins = max(FEWEST_BINS, min(MOST_BINS, MOST_CELLS // self.n_classes))
        tables = np.zeros((len(self.pieces), n_bins + 1, self.n_classes, 2))
        first_bad = np.full(len(self.pieces), n)

        def add(number: int) -> None:
            add_moments(self.scores[slice(*self.pieces[number])], sums[number])

        run_all(add, range(len(self.pieces)), self.n_threads)
        total, squares = sums.sum(axis=(0, 2))
        center = total / n
        if not math.isfinite(center):
            center = 0.0  # the kernel names the score that is not finite
        variance = squares / n - center * center
        scale = math.sqrt(variance) if 0 < variance < math.inf else 1.0

        def count(number: int) -> None:
            part = slice(*self.pieces[number])
            count_cells(
                self.labels[part], self.scores[part], self.weights[part], center, 1 / scale,
                tables[number], first_bad[number : number + 1],
            )  # fmt: skip

        run_all(count, range(len(self.pieces)), self.n_threads)
        for (start, _), position in zip(self.pieces, first_bad.tolist(), strict=True):
            if position < n:
                raise self._wrong_row(start + position)
        return tables.sum(axis=0), center

    def _wrong_row(self, position: int) -> ValueError:
        """Return the error of a label that is no position of a class, or of an infinite score."""
        label, score = self.labels[position], self.scores[position]
        if not (0 <= label < self.n_classes and label == int(label)):
            return _wrong_label(self.labels, position, self.n_classes)
        return ValueError(
            f"raw scores must be finite, got {score} at position {position}. A lower "
            "learning rate or more regularisation keeps trees from diverging."
        )


def calling_library(y_pred: Any, group: Any) -> str:
    """Return which library passed these arguments, after a check of its version."""
    is_lightgbm = group is not NOT_GIVEN
    if hasattr(y_pred, "get_label"):
        is_lightgbm = not hasattr(y_pred, "num_row")  # which a DMatrix of XGBoost has
    name = "lightgbm" if is_lightgbm else "xgboost"
    version = getattr(sys.modules.get(name), "__version__", None)
    if version is not None and int(version.partition(".")[0]) < FIRST_VERSIONS[name]:
        raise ImportError(
            f"ordcut.boosting needs {name} {FIRST_VERSIONS[name]} or later, got {version}, which "
            f"passes no weights to objectives. Update it with: pip install -U {name}."
        )
    return name


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
    scores = read_scores(y_pred, "raw scores")
    if len(labels) != len(scores) or len(labels) == 0:
        raise ValueError(
            f"labels and raw scores must have the same length, at least 1, got {len(labels)} "
            f"labels and {len(scores)} scores."
        )
    given = sample_weight is not NOT_GIVEN and sample_weight is not None
    weights = np.asarray(sample_weight if given else [], dtype=np.float64)
    if len(weights) and not (
        len(weights) == len(labels) and 0 <= weights.min() <= weights.max() < math.inf
    ):
        raise ValueError(
            "sample_weight must hold one finite number that is not negative for each of the "
            f"{len(labels)} rows, got {len(weights)} numbers from {weights.min()} to "
            f"{weights.max()}."
        )
    return labels.astype(np.float32, copy=False), scores, weights


def read_scores(scores: Any, argument: str) -> Array:
    """Return one score per row, as float32 or float64."""
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


def count_classes(labels: Array, n_classes: int | None) -> int:
    """Return the number of classes: a given one, or the highest label plus 1."""
    if n_classes is None:
        highest = float(labels.max())
        return max(int(highest) + 1, 2) if 0 <= highest < 1 << 16 else 2
    if isinstance(n_classes, bool) or not isinstance(n_classes, Integral) or n_classes < 2:
        raise ValueError(f"n_classes must be a whole number of at least 2, got {n_classes!r}.")
    return int(n_classes)


def check_labels(labels: Array, n_classes: int) -> None:
    """Raise an error unless all labels are positions of classes."""
    is_position = (labels >= 0) & (labels < n_classes) & (labels == np.floor(labels))
    if not is_position.all():
        raise _wrong_label(labels, int(np.argmin(is_position)), n_classes)


def _wrong_label(labels: Array, position: int, n_classes: int) -> ValueError:
    return ValueError(
        f"labels must be the positions 0, 1, 2, ... of the classes, at most {n_classes - 1}, got "
        f"{labels[position]} at position {position}. Encode them first, or use "
        "ordcut.estimators.OrdinalThresholdClassifierCV, which does."
    )
