"""Limits with a confidence for two classes, next to the risk control of MAPIE on the same rows.

Scores are chances of the higher class, correct ones. Both maximise accuracy among the thresholds
that promise a limit with 95 % confidence: ordcut among all, and `BinaryClassificationController` of
MAPIE among its 100 candidates, by two of its methods for many tests. `promise` is the share of data
sets with a threshold that promises the limit, `error` the mean error rate on the rows where both
have one, and `worse` the number of data sets in which ordcut's is higher, or in which only MAPIE
has a threshold. `broken` is the share of data sets whose limit is broken on the population: at most
0.05, apart from chance.

`python -m benchmarks risk_control` repeats the simulations.
"""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import ordcut

N_DATA, N_POPULATION, CONFIDENCE = 500, 200_000, 0.95

#: The name of a risk in MAPIE, its level, and the limit in ordcut.
RISKS = [
    ("recall", 0.9, "recall 1 >= 0.9 with 95 %"),
    ("fpr", 0.1, "over 0 <= 0.1 with 95 %"),
    ("predicted_positive_fraction", 0.3, "share 1 <= 0.3 with 95 %"),
]


def run(quick: bool) -> Iterator[dict[str, Any]]:
    number = 0
    for share in (0.5, 0.2):
        for n in (100, 400, 2000):
            for risk, level, limit in RISKS:
                for method in ("bonferroni_holm", "fixed_sequence"):
                    yield simulate(
                        share, n, risk, level, limit, method, number, 3 if quick else N_DATA
                    )
                number += 1


def draw(rng: np.random.Generator, n: int, share: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the chances of the higher class, and the classes."""
    labels = (rng.random(n) < share).astype(int)
    scores = rng.normal(size=n) + 2 * labels
    return 1 / (1 + (1 / share - 1) * np.exp(2 - 2 * scores)), labels


def reached(risk: str, decided: np.ndarray, labels: np.ndarray) -> float:
    kept = {"recall": labels == 1, "fpr": labels == 0}.get(risk, np.ones(len(labels), bool))
    return float(decided[kept].mean())


def simulate(
    share: float, n: int, risk: str, level: float, limit: str, method: str, seed: int, n_data: int
) -> dict[str, Any]:
    everybody = draw(np.random.default_rng([seed, n_data]), N_POPULATION, share)
    found: dict[str, list[float | None]] = {"ordcut": [], "MAPIE": []}
    broken: dict[str, int] = dict.fromkeys(found, 0)
    for data in range(n_data):
        scores, labels = draw(np.random.default_rng([seed, data]), n, share)
        thresholds = {
            "ordcut": by_ordcut(scores, labels, limit),
            "MAPIE": by_mapie(scores, labels, risk, level, method),
        }
        for name, threshold in thresholds.items():
            error = None
            if threshold is not None:
                error = float(np.mean((scores >= threshold) != labels))
                value = reached(risk, everybody[0] >= threshold, everybody[1])
                broken[name] += value < level if risk == "recall" else value > level
            found[name].append(error)
    pairs = list(zip(found["ordcut"], found["MAPIE"], strict=True))
    both = [(ours, theirs) for ours, theirs in pairs if ours is not None and theirs is not None]
    only_theirs = sum(ours is None and theirs is not None for ours, theirs in pairs)
    return {
        "higher class": share,
        "n": n,
        "limit": limit,
        "MAPIE's method": method,
        "data sets": n_data,
        "promise": float(np.mean([ours is not None for ours in found["ordcut"]])),
        "MAPIE's promise": float(np.mean([theirs is not None for theirs in found["MAPIE"]])),
        "error": float(np.mean([ours for ours, _ in both])) if both else None,
        "MAPIE's error": float(np.mean([theirs for _, theirs in both])) if both else None,
        "worse": only_theirs + sum(ours > theirs + 1e-12 for ours, theirs in both),
        "broken": broken["ordcut"] / n_data,
        "broken by MAPIE": broken["MAPIE"] / n_data,
    }


def by_ordcut(scores: np.ndarray, labels: np.ndarray, limit: str) -> float | None:
    try:
        result = ordcut.optimal_thresholds(
            scores, labels, classes=[0, 1], objective="zero_one", constraints=[limit]
        )
    except ordcut.InfeasibleConstraintsError:
        return None
    return float(result.thresholds[0])


def by_mapie(
    scores: np.ndarray, labels: np.ndarray, risk: str, level: float, method: str
) -> float | None:
    from mapie.risk_control import BinaryClassificationController

    controller = BinaryClassificationController(
        lambda rows: np.column_stack([1 - rows[:, 0], rows[:, 0]]),
        risk,
        level,
        CONFIDENCE,
        best_predict_param_choice="accuracy",
        fwer_method=method,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that no threshold controls the risk
        controller.calibrate(scores[:, None], labels)
    best = controller.best_predict_param
    return None if best is None else float(best)
