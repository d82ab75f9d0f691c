"""Early stopping by the objective with thresholds, or by the likelihood, on the choosing sets.

A quarter of the training rows is held out for evaluation. The round with the lowest value of each
metric is kept, thresholds are found on the evaluation rows, and test rows are labelled.
"""

from collections.abc import Iterator

import lightgbm
import numpy as np
from sklearn.model_selection import train_test_split

import ordcut
from benchmarks.boosting.judge import split
from benchmarks.generalisation.datasets import Data
from benchmarks.generalisation.judge import OBJECTIVES, risk
from ordcut.boosting import CumulativeLink, LikelihoodMetric, ThresholdMetric

ROUNDS = 400


def stop(data: Data, seed: int) -> Iterator[dict]:
    """Yield the held-out risk of each way to stop, for each objective."""
    train, test = split(data, seed)
    fitted, held = train_test_split(train, test_size=0.25, random_state=seed)
    X, y, k = data.features, data.labels, data.n_classes
    metrics = {"likelihood": LikelihoodMetric(k)}
    metrics |= {name: ThresholdMetric(name, classes=np.arange(k)) for name in OBJECTIVES}
    record: dict = {}
    booster = lightgbm.train(
        {"objective": CumulativeLink(k), "learning_rate": 0.05, "num_leaves": 15, "verbose": -1,
         "metric": "None", "num_threads": 1, "seed": 0},
        lightgbm.Dataset(X[fitted], y[fitted]),
        ROUNDS,
        valid_sets=[lightgbm.Dataset(X[held], y[held])],
        feval=list(metrics.values()),
        callbacks=[lightgbm.record_evaluation(record)],
    )  # fmt: skip
    values = {
        name: np.array(record["valid_0"][metric.__name__]) for name, metric in metrics.items()
    }
    for objective in OBJECTIVES:
        for way in ("all rounds", "likelihood", "thresholds"):
            rounds = ROUNDS
            if way != "all rounds":
                chosen = values["likelihood" if way == "likelihood" else objective]
                rounds = int(np.argmin(chosen)) + 1
            rule = ordcut.optimal_thresholds(
                booster.predict(X[held], num_iteration=rounds), y[held],
                objective=objective, classes=np.arange(k), smoothing="auto",
            )  # fmt: skip
            predicted = rule.predict(booster.predict(X[test], num_iteration=rounds))
            yield {
                "dataset": data.name, "rows": len(y), "classes": k, "library": "LightGBM",
                "method": way, "objective": objective, "split": seed,
                "risk": round(risk(y[test], predicted, objective, k), 6),
            }  # fmt: skip
