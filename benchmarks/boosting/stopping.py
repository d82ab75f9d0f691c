"""Early stopping in folds: rounds as each training stops, or the median of the folds in the refit.

Each fold and the refit stop when the metric on the same evaluation rows has not improved for 30
rounds (a rate of 0.1, 8 leaves, up to 1000 rounds). L2 stops by its own squared error. With
`median rounds`, the refit has the median of the rounds of the folds instead. The mean class is
under biases that are fitted to the training scores of the rounds that are kept.
"""

from collections.abc import Iterator
from pathlib import Path

import lightgbm
import numpy as np
from sklearn.model_selection import StratifiedKFold

import ordcut
from benchmarks.boosting.columns import row
from benchmarks.boosting.datasets import Data
from benchmarks.boosting.trees import LEAST_HESSIANS, N_FOLDS, Outputs, cached
from benchmarks.estimators.tables import markdown
from ordcut.boosting import CumulativeLink, LikelihoodMetric, ThresholdMetric

ROUNDS, PATIENCE, RATE, LEAVES = 1000, 30, 0.1, 8
OBJECTIVES = ["absolute", "zero_one", "quadratic_kappa"]
MOST_FITTED, FEWEST_TESTED = 1000, 300

#: Numbers of rows for evaluation: those of small data sets, and plenty.
EVALUATION_ROWS = (130, 2000)
REFERENCE = "L2, squared error"


def has_enough_rows(data: Data, n_evaluation: int) -> bool:
    """Return whether rows are left to fit to, and to test, beside those for evaluation."""
    return len(data.labels) >= n_evaluation + FEWEST_TESTED + min(n_evaluation, MOST_FITTED)


def rows_of(data: Data, seed: int, n_evaluation: int) -> list[np.ndarray]:
    """Return the rows to fit to, at most 1000, to evaluate, and to test."""
    order = np.random.default_rng(seed).permutation(len(data.labels))
    n_fitted = min(MOST_FITTED, (len(order) - n_evaluation) * 2 // 3)
    return np.split(order, [n_fitted, n_fitted + n_evaluation])


def metrics(n_classes: int) -> dict[str, object]:
    """Return what training stops by, by its name."""
    by_thresholds = {
        f"thresholds, {name}": ThresholdMetric(name, classes=np.arange(n_classes))
        for name in OBJECTIVES
    }
    return {"squared error": "l2", "likelihood": LikelihoodMetric(n_classes)} | by_thresholds


def train(
    X: np.ndarray, y: np.ndarray, k: int, metric: object, evaluation: tuple | None, rounds: int
) -> lightgbm.Booster:
    """Train for a number of rounds, or until the metric stops to improve."""
    is_l2 = metric == "l2"
    params = {
        "objective": "l2" if is_l2 else CumulativeLink(k), "learning_rate": RATE, "verbose": -1,
        "num_leaves": LEAVES, "metric": "l2" if is_l2 else "None", "num_threads": 1, "seed": 0,
    }  # fmt: skip
    if not is_l2:
        params["min_child_weight"] = LEAST_HESSIANS
    data = lightgbm.Dataset(X, y)
    if evaluation is None:
        return lightgbm.train(params, data, rounds)
    return lightgbm.train(
        params, data, rounds, valid_sets=[data.create_valid(*evaluation)],
        feval=None if is_l2 else metric,
        callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False)],
    )  # fmt: skip


def outputs(data: Data, seed: int, n_evaluation: int, name: str, cache: Path) -> Outputs:
    """Return out-of-fold outputs, and those of both refits for test rows, of one metric."""
    file = cache / f"stopping-{data.name}-{n_evaluation}-{name}-{seed}.npz".replace(" ", "_")
    return cached(file, lambda: _train(data, seed, n_evaluation, metrics(data.n_classes)[name]))


def _train(data: Data, seed: int, n_evaluation: int, metric: object) -> Outputs:
    fitted, evaluation, test = rows_of(data, seed, n_evaluation)
    X, y, k = data.features, data.labels, data.n_classes
    held = (X[evaluation], y[evaluation])
    results: Outputs = {}
    rounds = []

    def add(name: str, booster: lightgbm.Booster, on: np.ndarray, new: np.ndarray, place) -> None:
        raw = booster.predict(X[new], num_threads=1)
        values = {"": raw}
        if metric != "l2":
            link = CumulativeLink(k).fit(booster.predict(X[on], num_threads=1), y[on])
            values["/mean"] = link.probabilities(raw) @ np.arange(k)
        for response, value in values.items():
            target = results.setdefault(f"{name}{response}", np.empty(place[1]))
            target[place[0]] = value

    for some, left in StratifiedKFold(N_FOLDS).split(X[fitted], y[fitted]):
        booster = train(X[fitted[some]], y[fitted[some]], k, metric, held, ROUNDS)
        rounds.append(booster.best_iteration)
        add("train", booster, fitted[some], fitted[left], (left, len(fitted)))
    all_rows = (slice(None), len(test))
    as_stops = train(X[fitted], y[fitted], k, metric, held, ROUNDS)
    median = max(1, round(float(np.median(rounds))))
    add("as is", as_stops, fitted, test, all_rows)
    add("median", train(X[fitted], y[fitted], k, metric, None, median), fitted, test, all_rows)
    return results | {"rounds": np.array([*rounds, as_stops.best_iteration])}


def judge(data: Data, seed: int, n_evaluation: int, cache: Path) -> Iterator[dict]:
    """Yield the held-out risk of each way to stop, and the median of the rounds of its folds."""
    fitted, _, test = rows_of(data, seed, n_evaluation)
    y, truth, k = data.labels[fitted], data.labels[test], data.n_classes
    for objective in OBJECTIVES:
        for name in ("squared error", "likelihood", f"thresholds, {objective}"):
            values = outputs(data, seed, n_evaluation, name, cache)
            for response in ("", "/mean") if "train/mean" in values else ("",):
                for refit in ("as is", "median"):
                    rule = ordcut.optimal_thresholds(
                        values[f"train{response}"], y, objective=objective, classes=np.arange(k),
                        smoothing="auto",
                    )  # fmt: skip
                    predicted = rule.predict(values[f"{refit}{response}"])
                    yield row(data, f"{n_evaluation} rows", _method(name, response, refit),
                              objective, seed, predicted, truth) | {
                        "rounds": float(np.median(values["rounds"][:-1]))
                    }  # fmt: skip


def _method(name: str, response: str, refit: str) -> str:
    score = {"squared error": "L2"}.get(name, "link")
    parts = [score, name.split(",")[0], "mean class" if response else ""]
    return ", ".join(part for part in [*parts, "median rounds" * (refit == "median")] if part)


def table_of_rounds(rows: list[dict]) -> str:
    """Return the median over data sets, objectives and splits of the rounds of the folds."""
    rounds: dict[str, list[float]] = {}
    for each in rows:
        if not each["method"].endswith("median rounds") and "mean class" not in each["method"]:
            rounds.setdefault(each["method"], []).append(each["rounds"])
    table = [{"method": name, "median rounds": float(np.median(values))}
             for name, values in rounds.items()]  # fmt: skip
    return markdown(table)
