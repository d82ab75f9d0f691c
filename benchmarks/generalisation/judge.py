"""Stage two: label the cached scores in every way, and judge the labels on the rows held out."""

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import ordcut
from benchmarks.generalisation.datasets import Data
from benchmarks.generalisation.scores import LIBRARIES, N_FOLDS, score
from ordcut.estimators.labeling import Scored, label
from ordcut.estimators.score_model import ScoreModel
from ordcut.estimators.targets import read_targets

OBJECTIVES = ["absolute", "squared", "zero_one", "quadratic_kappa"]

#: Which scores of the training rows thresholds are found on: those that the model gives to rows it
#: has seen, or cross-fitted ones. The paper finds the thresholds of a linear model on the former.
CUT_ON = {"linear": "train", "boosted": "held_out", "neural": "held_out"}
SMOOTHED_ON = CUT_ON | {"linear": "left_out"}

Split = dict[str, np.ndarray]


def risk(y: np.ndarray, predicted: np.ndarray, objective: str, n_classes: int) -> float:
    """The mean loss, or 1 - kappa: less is better, whatever the objective."""
    value = ordcut.evaluate(y, predicted, objective, classes=np.arange(n_classes))
    return 1 - value if objective == "quadratic_kappa" else value


def scored(split: Split, kind: str, objective: str, n_classes: int, smoothing: Any) -> Scored:
    targets = read_targets(
        split["y_train"], classes=np.arange(n_classes), objective=objective,
        sample_weight=None, class_weight=None,
    )  # fmt: skip
    model = rounding = None
    if kind == "linear":
        biases = split["biases"]
        model = ScoreModel("logit", biases[np.isfinite(biases)], 1.0, targets.occurring, n_classes)
    else:
        rounding = np.arange(0.5, n_classes - 1)  # the models estimate the label itself
    on = CUT_ON if smoothing == 0 else SMOOTHED_ON
    return Scored(split[on[kind]], targets, objective, model, None, rounding, smoothing)


def labelings(split: Split, kind: str, objective: str, k: int) -> Iterator[tuple[str, np.ndarray]]:
    """The thresholds of what is compared on the reporting sets."""
    smooth = scored(split, kind, objective, k, "auto")
    plain = scored(split, kind, objective, k, 0)
    yield "smoothed", label(smooth, "optimal").thresholds
    for name in ("optimal", "biases", "likelihood", "round"):
        yield name, label(plain, name).thresholds
    yield "mode", label(scored(split, kind, "zero_one", k, 0), "likelihood").thresholds


def choices(split: Split, kind: str, objective: str, k: int) -> Iterator[tuple[str, np.ndarray]]:
    """The thresholds of what was chosen between, on the choosing sets."""

    def found(scores: np.ndarray, labels: np.ndarray, smoothing: Any) -> np.ndarray:
        return ordcut.optimal_thresholds(
            scores, labels, objective=objective, classes=np.arange(k), smoothing=smoothing
        ).thresholds

    y, fold = split["y_train"], split["fold"]
    ways = {"seen": "train", "pooled": "held_out"}
    if kind == "linear":
        ways["left out"] = "left_out"
    for smoothing in (0, 0.5, 0.75, 1, "auto"):
        for way, scores in ways.items():
            yield f"{way} {smoothing}", found(split[scores], y, smoothing)
    for smoothing in (0, "auto"):
        each = [
            found(split["held_out"][fold == number], y[fold == number], smoothing)
            for number in range(N_FOLDS)
        ]
        yield f"per fold {smoothing}", np.median(each, axis=0)  # a mean knows no infinity


Ways = Callable[[Split, str, str, int], Iterator[tuple[str, np.ndarray]]]


def judge(data: Data, kind: str, ways: Ways, cache: Path, n_splits: int) -> list[dict]:
    """Return one row for each labeling and objective: the mean risk over the splits."""
    values: dict[tuple[str, str], list[float]] = {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=RuntimeWarning)  # the median of -inf and inf
        for split in score(data, kind, cache, n_splits):
            for objective in OBJECTIVES:
                for name, thresholds in ways(split, kind, objective, data.n_classes):
                    predicted = np.searchsorted(thresholds, split["test"], side="right")
                    found = risk(split["y_test"], predicted, objective, data.n_classes)
                    values.setdefault((objective, name), []).append(found)
    return [_row(data, kind, *key, found) for key, found in values.items()]


def judge_libraries(data: Data, cache: Path, n_splits: int) -> list[dict]:
    """The same for the libraries, whose labels were cached."""
    truth = [split["y_test"] for split in score(data, "linear", cache, n_splits)]
    found = score(data, "libraries", cache, n_splits)
    return [
        _row(data, "linear", objective, name,
             [risk(y, split[name].astype(int), objective, data.n_classes)
              for y, split in zip(truth, found, strict=True)])
        for objective in OBJECTIVES for name in LIBRARIES
    ]  # fmt: skip


def _row(data: Data, kind: str, objective: str, labeling: str, values: list[float]) -> dict:
    return {
        "dataset": data.name,
        "rows": len(data.labels),
        "classes": data.n_classes,
        "scores": kind,
        "objective": objective,
        "labeling": labeling,
        "risk": round(float(np.mean(values)), 6),
        "std_error": round(float(np.std(values, ddof=1) / len(values) ** 0.5), 6),
        "splits": len(values),
    }
