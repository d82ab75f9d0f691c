"""Boosted trees in folds: out-of-fold outputs, outputs of a refit, and the mean of fold models."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import xgboost
from sklearn.model_selection import StratifiedKFold

from benchmarks.boosting.datasets import Data
from ordcut.boosting import CumulativeLink

N_FOLDS = 5

#: The least sum of Hessians in a leaf, ``min_child_weight`` in both libraries. It does not affect
#: LightGBM's L2, which has Hessians of 1 and at least 20 rows in a leaf.
LEAST_HESSIANS = 3


@dataclass(frozen=True)
class Kind:
    """An objective by its names in both libraries; ``make`` makes one of ours."""

    lightgbm: str = "none"
    xgboost: str = "reg:squarederror"
    make: Callable[[int], Any] | None = None
    has_classes: bool = False
    least_hessians: float | None = None

    def params(self, n_classes: int) -> dict[str, float]:
        params: dict[str, float] = {"num_class": n_classes} if self.has_classes else {}
        if self.least_hessians is not None:
            params["min_child_weight"] = self.least_hessians
        return params


def _link(name: str) -> Callable[[int], CumulativeLink]:
    return lambda n_classes: CumulativeLink(n_classes, name)


KINDS = {
    "L2": Kind("l2"),
    "multiclass": Kind("multiclass", "multi:softprob", has_classes=True),
    "link": Kind(make=_link("logit"), least_hessians=LEAST_HESSIANS),
    "link, no least Hessians": Kind(make=_link("logit")),
    "probit": Kind(make=_link("probit"), least_hessians=LEAST_HESSIANS),
    "cloglog": Kind(make=_link("cloglog"), least_hessians=LEAST_HESSIANS),
}


@dataclass(frozen=True)
class Trees:
    """Trees to train: their kind, and the rounds, the learning rate and the leaves."""

    kind: str
    rounds: int = 100
    rate: float = 0.1
    leaves: int = 31

    @property
    def has_probabilities(self) -> bool:
        return KINDS[self.kind].has_classes or KINDS[self.kind].make is not None


Predict = Callable[[np.ndarray], np.ndarray]


def train_lightgbm(trees: Trees, X: np.ndarray, y: np.ndarray, k: int) -> Predict:
    kind = KINDS[trees.kind]
    params = {
        "objective": kind.make(k) if kind.make else kind.lightgbm, "learning_rate": trees.rate,
        "num_leaves": trees.leaves, "num_threads": 1, "verbose": -1, "metric": "None", "seed": 0,
    } | kind.params(k)  # fmt: skip
    booster = lightgbm.train(params, lightgbm.Dataset(X, y), trees.rounds)
    return lambda new: booster.predict(new, num_threads=1)


def train_xgboost(trees: Trees, X: np.ndarray, y: np.ndarray, k: int) -> Predict:
    kind = KINDS[trees.kind]
    params = {
        "objective": kind.xgboost, "learning_rate": trees.rate, "max_leaves": trees.leaves,
        "max_depth": 0, "grow_policy": "lossguide", "nthread": 1, "seed": 0,
    } | kind.params(k)  # fmt: skip
    objective = kind.make(k) if kind.make else None
    booster = xgboost.train(params, xgboost.DMatrix(X, y), trees.rounds, obj=objective)
    return lambda new: booster.predict(xgboost.DMatrix(new))


LIBRARIES = {"LightGBM": train_lightgbm, "XGBoost": train_xgboost}

#: Outputs by name: ``train`` is out-of-fold, ``test`` of a refit, ``folds`` the mean of the fold
#: models for test rows. Those of a link are raw scores, and ``train/probabilities`` and so on are
#: the probabilities of the link with biases fitted to each model's scores of its training rows.
Outputs = dict[str, np.ndarray]


class NotCachedError(Exception):
    """Outputs are not in the cache, and must not be made."""


def cached(file: Path, make: Callable[[], Outputs]) -> Outputs:
    """Return arrays from a file, which is made if it does not exist.

    A cache with a file `closed` is not added to.
    """
    if not file.exists():
        if (file.parent / "closed").exists():
            raise NotCachedError(file.name)
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_suffix(f".{os.getpid()}.npz")
        np.savez(partial, **make())
        partial.rename(file)
    with np.load(file) as stored:
        return {name: stored[name] for name in stored.files}


def outputs(trees: Trees, library: str, data: Data, seed: int, cache: Path) -> Outputs:
    """Return the outputs of trees for a split, and the seconds of CPU time to train them."""
    parts = (data.name, library, trees.kind, trees.rounds, trees.rate, trees.leaves, seed)
    file = cache / ("-".join(map(str, parts)).replace(" ", "_") + ".npz")
    return cached(file, lambda: _train(trees, LIBRARIES[library], data, seed))


def _train(trees: Trees, train: Callable[..., Predict], data: Data, seed: int) -> Outputs:
    rows, test = data.split(seed)
    X, y, new, k = data.features[rows], data.labels[rows], data.features[test], data.n_classes
    results: Outputs = {}
    of_folds: dict[str, list[np.ndarray]] = {}
    start = time.process_time()
    for fitted, left in StratifiedKFold(N_FOLDS).split(X, y):
        for name, predict in _responses(trees, train, X[fitted], y[fitted], k).items():
            values = predict(X[left])
            results.setdefault(f"train{name}", np.empty((len(y), *values.shape[1:])))[left] = values
            of_folds.setdefault(name, []).append(predict(new))
    for name, predict in _responses(trees, train, X, y, k).items():
        results[f"test{name}"] = predict(new)
    results["seconds"] = np.array(time.process_time() - start)
    return results | {f"folds{name}": np.mean(each, axis=0) for name, each in of_folds.items()}


def _responses(
    trees: Trees, train: Callable[..., Predict], X: np.ndarray, y: np.ndarray, k: int
) -> dict[str, Predict]:
    predict, kind = train(trees, X, y, k), KINDS[trees.kind]
    if kind.has_classes:
        return {"/probabilities": predict}
    if kind.make is None:
        return {"": predict}
    link = kind.make(k).fit(predict(X), y)
    return {"": predict, "/probabilities": lambda new: link.probabilities(predict(new))}
