"""Times of training: ours, the library's own L2, and the metric of each round.

Runs alternate, so that a machine with other work affects all of them alike; the table has the
least time of each, which other work affects least, and ratios of these. ``custom L2`` is the
squared error as a custom objective: what the library takes for any objective that is not its own.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import lightgbm
import numpy as np
import xgboost

from ordcut.boosting import CumulativeLink, LikelihoodMetric, ThresholdMetric


def make_problem(n: int, n_features: int = 20, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return normal features, and labels of five classes that depend on seven of them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features)).astype(np.float32)
    score = X[:, :5] @ [1.0, 0.8, 0.6, 0.4, 0.2] + np.sin(2 * X[:, 5]) * X[:, 6]
    return X, np.digitize(score + 0.7 * rng.logistic(size=n), [-2, -0.7, 0.7, 2])


def custom_l2(scores: np.ndarray, data: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the derivatives of the squared error."""
    return (scores - data.get_label()).astype(np.float32), np.ones(len(scores), np.float32)


def alternate(runs: dict[str, Callable[[], None]], repeats: int) -> dict[str, list[float]]:
    """Return the seconds of each run, taken in turns."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def measure(n: int, rounds: int, repeats: int, n_threads: int = 2) -> list[dict]:
    """Return rows of seconds and ratios."""
    X, y = make_problem(n + n // 10)
    X, new_X, y, new_y = X[:n], X[n:], y[:n], y[n:]
    light = {"verbose": -1, "num_threads": n_threads, "metric": "None", "num_leaves": 31}
    data = lightgbm.Dataset(X, y, params={"verbose": -1}).construct()
    matrix = xgboost.QuantileDMatrix(X, y)

    def train_lightgbm(objective: object) -> Callable[[], None]:
        return lambda: lightgbm.train({**light, "objective": objective}, data, rounds) and None

    def train_xgboost(objective: object) -> Callable[[], None]:
        params = {"nthread": n_threads, "max_depth": 6}
        return lambda: xgboost.train(params, matrix, rounds, obj=objective) and None

    rows = []
    scores = new_X[:, 0].astype(np.float64)
    for library, runs in {
        "LightGBM": {
            "L2": train_lightgbm("l2"),
            "custom L2": train_lightgbm(custom_l2),
            "cumulative": train_lightgbm(CumulativeLink()),
        },
        "XGBoost": {
            "L2": train_xgboost(None),
            "custom L2": train_xgboost(custom_l2),
            "cumulative": train_xgboost(CumulativeLink()),
        },
    }.items():
        CumulativeLink()(y, np.zeros(n))  # compiles the kernels
        seconds = alternate(runs, repeats)
        rows += [
            {"library": library, "what": name, "n": n, "rounds": rounds,
             "seconds": round(min(each), 3), "ratio": round(min(each) / min(seconds["L2"]), 3)}
            for name, each in seconds.items()
        ]  # fmt: skip
        per_round = min(seconds["cumulative"]) / rounds
        for metric in [ThresholdMetric(), ThresholdMetric("quadratic_kappa"), LikelihoodMetric()]:
            metric(new_y, scores)
            times = alternate({"": partial(metric, new_y, scores)}, 15)[""]
            rows.append(
                {"library": library, "what": f"{metric.__name__} over a round", "n": len(new_y),
                 "rounds": 1, "seconds": round(min(times), 5),
                 "ratio": round(min(times) / per_round, 4)}
            )  # fmt: skip
    return rows
