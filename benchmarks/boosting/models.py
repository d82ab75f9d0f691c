"""Boosted trees whose outputs are recorded after several numbers of rounds."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import lightgbm
import numpy as np
import xgboost

from ordcut.boosting import CumulativeLink

#: The budget of tuning, the same for all: a learning rate and a size of trees, and the rounds.
SIZES = ((0.05, 8), (0.1, 15), (0.2, 31))
ROUNDS = (10, 25, 50, 75, 100, 150, 200)

#: The least sum of Hessians in a leaf, ``min_child_weight`` in both libraries, of L2 and of ours,
#: as chosen on the choosing sets. It does not affect LightGBM's L2, which has Hessians of 1 and at
#: least 20 rows in a leaf.
LEAST_HESSIANS = 3


class ExpectedHessian(CumulativeLink):
    """The gradient of ``CumulativeLink`` with the expected instead of the observed Hessian."""

    def __call__(self, y_true: Any, y_pred: Any, *rest: Any) -> tuple[np.ndarray, np.ndarray]:
        gradients, _ = super().__call__(y_true, y_pred, *rest)
        biases = self.biases_[np.isfinite(self.biases_)]
        at_most = 1 / (1 + np.exp(np.clip(y_true[:, None] - biases, -500, 500)))
        ends = ((0, 0), (1, 1))
        chances = np.diff(np.pad(at_most, ends, constant_values=(0, 1)), axis=1)
        slopes = np.diff(np.pad(at_most * (1 - at_most), ends), axis=1)
        hessians = (slopes**2 / np.maximum(chances, 1e-12)).sum(axis=1)
        return gradients, np.maximum(hessians, 1e-4).astype(np.float32)


@dataclass(frozen=True)
class Kind:
    """An objective by its names in both libraries; ``make`` makes one of ours.

    Without ``least_hessians``, the library's own minimum holds: 0.001 in LightGBM, 1 in XGBoost.
    """

    lightgbm: str = "none"
    xgboost: str = "reg:squarederror"
    make: Callable[[], Any] | None = None
    has_classes: bool = False
    least_hessians: float | None = None

    def params(self, n_classes: int) -> dict[str, float]:
        params: dict[str, float] = {"num_class": n_classes} if self.has_classes else {}
        if self.least_hessians is not None:
            params["min_child_weight"] = self.least_hessians
        return params


KINDS = {
    "L2": Kind("l2", "reg:squarederror", least_hessians=LEAST_HESSIANS),
    "L1": Kind("l1", "reg:absoluteerror"),
    "multiclass": Kind("multiclass", "multi:softprob", has_classes=True),
    "cumulative": Kind(make=CumulativeLink, least_hessians=LEAST_HESSIANS),
    "logit": Kind(make=CumulativeLink),
    "probit": Kind(make=lambda: CumulativeLink(link="probit")),
    "cloglog": Kind(make=lambda: CumulativeLink(link="cloglog")),
    "expected Hessian": Kind(make=ExpectedHessian),
}

Stages = Iterator[np.ndarray]


def by_lightgbm(
    kind: Kind, X: np.ndarray, y: np.ndarray, k: int, rate: float, leaves: int, new: np.ndarray
) -> Stages:
    """Yield the outputs for new rows after each number of rounds."""
    params = {
        "objective": kind.make() if kind.make else kind.lightgbm,
        "learning_rate": rate, "num_leaves": leaves, "num_threads": 1, "verbose": -1,
        "metric": "None", "seed": 0,
    }  # fmt: skip
    params |= kind.params(k)
    booster = lightgbm.train(params, lightgbm.Dataset(X, y), ROUNDS[-1])
    for rounds in ROUNDS:
        yield booster.predict(new, num_iteration=rounds, num_threads=1)


def by_xgboost(
    kind: Kind, X: np.ndarray, y: np.ndarray, k: int, rate: float, leaves: int, new: np.ndarray
) -> Stages:
    """Yield the outputs for new rows after each number of rounds."""
    params = {
        "objective": kind.xgboost, "learning_rate": rate, "max_leaves": leaves, "max_depth": 0,
        "grow_policy": "lossguide", "nthread": 1, "seed": 0,
    }  # fmt: skip
    params |= kind.params(k)
    booster = xgboost.train(
        params, xgboost.DMatrix(X, y), ROUNDS[-1], obj=kind.make() if kind.make else None
    )
    rows = xgboost.DMatrix(new)
    for rounds in ROUNDS:
        yield booster.predict(rows, iteration_range=(0, rounds))


LIBRARIES = {"LightGBM": by_lightgbm, "XGBoost": by_xgboost}
