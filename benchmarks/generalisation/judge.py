"""Stage two: label the cached scores in every way, and judge the labels on the rows held out."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

import ordcut
from benchmarks.generalisation.datasets import Data
from benchmarks.generalisation.scores import LIBRARIES, N_FOLDS, score
from ordcut.estimators.labeling import Scored, label
from ordcut.estimators.score_model import ScoreModel, fit_score_model
from ordcut.estimators.targets import read_targets

OBJECTIVES = ["absolute", "squared", "zero_one", "quadratic_kappa"]

#: Which scores of the training rows thresholds are found on: those that the model gives to rows it
#: has seen, or cross-fitted ones. The paper finds the thresholds of a linear model on the former.
CUT_ON = {"linear": "train", "boosted": "held_out", "neural": "held_out"}
SMOOTHED_ON = CUT_ON | {"linear": "left_out"}

#: Plain optimal thresholds as the paper has them, on the scores of the rows that the model saw.
SEEN = "optimal on rows seen"

Split = dict[str, np.ndarray]
Found = Iterator[tuple[str, str, np.ndarray]]  # objective, labeling, thresholds


def risk(y: np.ndarray, predicted: np.ndarray, objective: str, n_classes: int) -> float:
    """The mean loss, or 1 - kappa: less is better, whatever the objective."""
    value = ordcut.evaluate(y, predicted, objective, classes=np.arange(n_classes))
    return 1 - value if objective == "quadratic_kappa" else value


def labelings(split: Split, kind: str, k: int) -> Found:
    """What is compared on the reporting sets."""
    targets = read_targets(
        split["y_train"], classes=np.arange(k), objective="absolute",
        sample_weight=None, class_weight=None,
    )  # fmt: skip
    if kind == "linear":
        biases = np.unique(split["biases"][np.isfinite(split["biases"])])
        model = ScoreModel("logit", biases, 1.0, targets.occurring, k)
        rounding = None
    else:
        model = fit_score_model(split[CUT_ON[kind]], targets)
        rounding = np.arange(0.5, k - 1)  # these models estimate the label itself
    plain = Scored(split[CUT_ON[kind]], targets, "zero_one", model, None, rounding, 0)
    mode = label(plain, "likelihood").thresholds
    for objective in OBJECTIVES:
        plain = replace(plain, objective=objective)
        smooth = replace(plain, scores=split[SMOOTHED_ON[kind]], smoothing="auto")
        yield objective, "smoothed", label(smooth, "optimal").thresholds
        for name in ("optimal", "biases", "likelihood", "round"):
            yield objective, name, label(plain, name).thresholds
        yield objective, "mode", mode
        if CUT_ON[kind] != "train":
            yield (
                objective,
                SEEN,
                label(replace(plain, scores=split["train"]), "optimal").thresholds,
            )


def choices(split: Split, kind: str, k: int) -> Found:
    """What was chosen between, on the choosing sets."""
    y, fold = split["y_train"], split["fold"]
    ways = {"seen": "train", "pooled": "held_out"}
    if kind == "linear":
        ways["left out"] = "left_out"
    for objective in OBJECTIVES:
        find = partial(ordcut.optimal_thresholds, objective=objective, classes=np.arange(k))
        for smoothing in (0, 0.5, 0.75, 1, "auto"):
            for way, scores in ways.items():
                found = find(split[scores], y, smoothing=smoothing)
                yield objective, f"{way} {smoothing}", found.thresholds
        for smoothing in (0, "auto"):
            each = [
                find(split["held_out"][some], y[some], smoothing=smoothing).thresholds
                for some in (fold == number for number in range(N_FOLDS))
            ]
            # A median, since the mean of thresholds of which one is infinite is no threshold.
            yield objective, f"per fold {smoothing}", np.median(each, axis=0)


Ways = Callable[[Split, str, int], Found]


def judge(data: Data, kind: str, ways: Ways, cache: Path, n_splits: int) -> list[dict]:
    """Return one row for each labeling and objective: the mean risk over the splits."""
    values: dict[tuple[str, str], list[float]] = {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=RuntimeWarning)  # the median of -inf and inf
        for split in score(data, kind, cache, n_splits):
            for objective, name, thresholds in ways(split, kind, data.n_classes):
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
