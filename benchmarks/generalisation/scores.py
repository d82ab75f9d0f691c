"""Stage one: score the rows of every split once, and cache the scores in files."""

import warnings
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import KFold, train_test_split
from sklearn.neural_network import MLPRegressor
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.estimators.held_out import by_mord, by_skordinal
from benchmarks.generalisation.datasets import Data
from ordcut.estimators import OrdinalLogisticRegression
from ordcut.estimators.inference import leave_one_out_changes
from ordcut.estimators.likelihood import fit_proportional_odds, occurring_rows
from ordcut.estimators.links import LINKS

N_SPLITS, TEST_SHARE, N_FOLDS = 20, 0.33, 5

#: Libraries that learn scores and labels together, whatever the objective.
LIBRARIES = {
    "skordinal POM": by_skordinal("POM"),
    "skordinal LogisticAT": by_skordinal("LogisticAT"),
    "mord LogisticAT": by_mord("LogisticAT"),
}


class Linear:
    """Ordinal logistic regression, whose biases some labelings need."""

    def __init__(self, n_classes: int) -> None:
        self.model = OrdinalLogisticRegression(
            objective="zero_one", labeling="likelihood", classes=np.arange(n_classes)
        )

    def fit(self, X: np.ndarray, y: np.ndarray) -> "Linear":
        self.model.fit(X, y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.model.predict_score(X)

    def left_out(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the leave-one-out scores on which the estimator finds its thresholds."""
        rows, _ = occurring_rows(X, y, np.ones(len(y)), len(self.model.classes))
        found = fit_proportional_odds(rows, LINKS["logit"], alpha=1.0, tol=1e-8, max_iter=1000)
        return self.predict(X) + leave_one_out_changes(rows, found.point)


def boosted(_: int) -> HistGradientBoostingRegressor:
    return HistGradientBoostingRegressor(max_iter=60, max_leaf_nodes=15, random_state=0)


def neural(_: int) -> MLPRegressor:
    return MLPRegressor(hidden_layer_sizes=(24,), solver="lbfgs", alpha=0.1, max_iter=60,
                        random_state=0)  # fmt: skip


KINDS = {"linear": Linear, "boosted": boosted, "neural": neural}


def splits(data: Data, n_splits: int) -> list[tuple[np.ndarray, np.ndarray]]:
    rows = np.arange(len(data.labels))
    return [
        train_test_split(rows, test_size=TEST_SHARE, random_state=seed) for seed in range(n_splits)
    ]


def score(data: Data, kind: str, cache: Path, n_splits: int = N_SPLITS) -> list[dict]:
    """Return the scores of every split by one kind of model, from the cache if possible."""
    file = cache / f"{data.name}-{kind}-{n_splits}.npz"
    if not file.exists():
        found = [_score_split(data, kind, *split) for split in splits(data, n_splits)]
        names = found[0]
        arrays = {f"{name}/{i}": one[name] for i, one in enumerate(found) for name in names}
        cache.mkdir(parents=True, exist_ok=True)
        partial = file.with_suffix(".part.npz")
        np.savez(partial, **arrays)
        partial.rename(file)
    with np.load(file) as stored:
        names = {name.rsplit("/", 1)[0] for name in stored.files}
        return [{name: stored[f"{name}/{i}"] for name in names} for i in range(n_splits)]


def _score_split(data: Data, kind: str, train: np.ndarray, test: np.ndarray) -> dict:
    scaler = StandardScaler().fit(data.features[train])
    X, new = scaler.transform(data.features[train]), scaler.transform(data.features[test])
    y, k = data.labels[train], data.n_classes
    with warnings.catch_warnings(), np.errstate(all="ignore"), threadpool_limits(1):
        warnings.simplefilter("ignore")  # from libraries, and of networks not converged
        if kind == "libraries":
            return {name: np.asarray(predict(X, y, new, k)) for name, predict in LIBRARIES.items()}
        model = KINDS[kind](k).fit(X, y)
        fold, held_out = np.zeros(len(y), np.int8), np.full(len(y), np.nan)
        if kind != "linear" or data.role == "chooses":  # folds of linear models are not reported
            folds = KFold(N_FOLDS, shuffle=True, random_state=0)
            for number, (some, others) in enumerate(folds.split(X)):
                fold[others] = number
                held_out[others] = KINDS[kind](k).fit(X[some], y[some]).predict(X[others])
        found = {
            "y_train": y, "y_test": data.labels[test], "fold": fold,
            "train": model.predict(X), "held_out": held_out, "test": model.predict(new),
        }  # fmt: skip
        if kind == "linear":
            found["biases"], found["left_out"] = model.model.biases_, model.left_out(X, y)
    return found
