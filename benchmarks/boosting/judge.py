"""Tune on out-of-fold outputs, label held-out rows, and return their risks."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from sklearn.model_selection import KFold, train_test_split

import ordcut
from benchmarks.boosting.models import KINDS, LIBRARIES, ROUNDS, SIZES
from benchmarks.generalisation.datasets import Data
from benchmarks.generalisation.judge import OBJECTIVES, risk
from ordcut._core.objectives.named import resolve_objective
from ordcut.boosting import LikelihoodMetric
from ordcut.estimators import ProportionalOddsModel

TEST_SHARE = 0.33

Outputs = np.ndarray  # (sizes x rounds, rows) or (sizes x rounds, rows, classes)


def split(data: Data, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rows = np.arange(len(data.labels))
    return tuple(train_test_split(rows, test_size=TEST_SHARE, random_state=seed))


def outputs(
    data: Data, library: str, kind: str, seed: int, n_folds: int, cache: Path
) -> tuple[Outputs, Outputs]:
    """Return the out-of-fold outputs of the training rows, and those of the test rows."""
    file = cache / f"{data.name}-{library}-{kind}-{seed}-{n_folds}.npz".replace(" ", "_")
    if file.exists():
        with np.load(file) as stored:
            return stored["train"], stored["test"]
    train, test = split(data, seed)
    X, y, k = data.features[train], data.labels[train], data.n_classes
    run = LIBRARIES[library]
    shape = (len(SIZES) * len(ROUNDS), len(y)) + ((k,) if KINDS[kind].has_classes else ())
    out_of_fold, whole = np.empty(shape, np.float32), []
    for number, (rate, leaves) in enumerate(SIZES):
        stages = slice(number * len(ROUNDS), (number + 1) * len(ROUNDS))
        for fitted, left in KFold(n_folds, shuffle=True, random_state=0).split(X):
            parts = run(KINDS[kind], X[fitted], y[fitted], k, rate, leaves, X[left])
            out_of_fold[stages, left] = np.stack(list(parts))
        whole += run(KINDS[kind], X, y, k, rate, leaves, data.features[test])
    cache.mkdir(parents=True, exist_ok=True)
    partial = file.with_suffix(".part.npz")
    np.savez(partial, train=out_of_fold, test=np.stack(whole).astype(np.float32))
    partial.rename(file)
    return outputs(data, library, kind, seed, n_folds, cache)


def by_thresholds(
    train: Outputs, test: Outputs, y: np.ndarray, objective: str, k: int
) -> np.ndarray:
    """Label by our smoothed thresholds, of the stage with the best out-of-fold optimum."""
    sign = -1 if "kappa" in objective else 1
    options = {"objective": objective, "classes": np.arange(k)}
    values = [sign * ordcut.optimal_thresholds(scores, y, **options).value for scores in train]
    best = int(np.argmin(values))
    rule = ordcut.optimal_thresholds(train[best], y, smoothing="auto", **options)
    return rule.predict(test[best])


def by_own_loss(kind: str) -> Callable[..., np.ndarray]:
    """Label by our smoothed thresholds, of the stage with the least out-of-fold training loss.

    That is the squared error for L2, and the negative log-likelihood for ours.
    """

    def labels(train: Outputs, test: Outputs, y: np.ndarray, objective: str, k: int) -> np.ndarray:
        if kind == "L2":
            losses = [float(((scores - y) ** 2).mean()) for scores in train]
        else:
            losses = [LikelihoodMetric(k)(y, scores) for scores in train]
        best = int(np.argmin(losses))
        options = {"objective": objective, "classes": np.arange(k), "smoothing": "auto"}
        return ordcut.optimal_thresholds(train[best], y, **options).predict(test[best])

    return labels


def by_labels(label: Callable[[np.ndarray], np.ndarray]) -> Callable[..., np.ndarray]:
    """Label by the probabilities of the stage whose out-of-fold labels have the least risk."""

    def labels(train: Outputs, test: Outputs, y: np.ndarray, objective: str, k: int) -> np.ndarray:
        risks = [risk(y, label(each, objective), objective, k) for each in train]
        return label(test[int(np.argmin(risks))], objective)

    return labels


def most_probable(probabilities: np.ndarray, _: str) -> np.ndarray:
    return probabilities.argmax(axis=1)


def least_expected_cost(probabilities: np.ndarray, objective: str) -> np.ndarray:
    name = "squared" if "kappa" in objective else objective
    cost = resolve_objective(name, probabilities.shape[1]).cost
    return (probabilities @ cost.T).argmin(axis=1)


def by_expected_class(
    train: Outputs, test: Outputs, y: np.ndarray, objective: str, k: int
) -> np.ndarray:
    positions = np.arange(k, dtype=np.float32)
    return by_thresholds(train @ positions, test @ positions, y, objective, k)


#: Ways to label, by the kind of trees.
WAYS = {
    "L2": {
        "L2 + thresholds": by_thresholds,
        "L2 + thresholds, tuned by squared error": by_own_loss("L2"),
    },
    "cumulative": {
        "cumulative + thresholds": by_thresholds,
        "cumulative + thresholds, tuned by likelihood": by_own_loss("cumulative"),
    },
    "multiclass": {
        "multiclass, most probable class": by_labels(most_probable),
        "multiclass, least expected cost": by_labels(least_expected_cost),
        "multiclass, expected class + thresholds": by_expected_class,
    },
}


def log_loss(probabilities: np.ndarray, y: np.ndarray) -> float:
    chances = probabilities[np.arange(len(y)), y]
    return float(-np.log(np.maximum(chances, 1e-15)).mean())


def tuned_log_loss(
    kind: str, train: Outputs, test: Outputs, y: np.ndarray, y_test: np.ndarray, k: int
) -> float:
    """Return the log-loss of held-out rows, at the stage with the best out-of-fold log-loss.

    Scores get the probabilities that OrdinalThresholdClassifierCV predicts.
    """
    if KINDS[kind].has_classes:
        best = int(np.argmin([log_loss(each, y) for each in train]))
        return log_loss(test[best], y_test)
    link = kind if kind in ("probit", "cloglog") else "logit"
    models = [
        ProportionalOddsModel.fit(scores.astype(np.float64), y, np.ones(len(y)), k, link)
        for scores in train
    ]
    losses = [
        log_loss(model.probabilities(scores.astype(np.float64)), y)
        for model, scores in zip(models, train, strict=True)
    ]
    best = int(np.argmin(losses))
    return log_loss(models[best].probabilities(test[best].astype(np.float64)), y_test)


def judge(
    data: Data, library: str, kind: str, seed: int, n_folds: int, cache: Path
) -> Iterator[dict]:
    """Yield a row for each way to label and each objective, and for the log-loss."""
    train_rows, test_rows = split(data, seed)
    y, y_test, k = data.labels[train_rows], data.labels[test_rows], data.n_classes
    train, test = outputs(data, library, kind, seed, n_folds, cache)
    about = {"dataset": data.name, "rows": len(data.labels), "classes": k, "library": library}
    for method, way in WAYS.get(kind, {f"{kind} + thresholds": by_thresholds}).items():
        for objective in OBJECTIVES:
            value = risk(y_test, way(train, test, y, objective, k), objective, k)
            yield about | _result(method, objective, seed, value)
    if kind not in ("L2", "L1"):
        value = tuned_log_loss(kind, train, test, y, y_test, k)
        yield about | _result(kind, "log_loss", seed, value)


def _result(method: str, objective: str, seed: int, value: float) -> dict:
    return {"method": method, "objective": objective, "split": seed, "risk": round(value, 6)}
