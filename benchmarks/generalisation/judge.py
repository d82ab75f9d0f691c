"""Stage two: label the cached scores in every way, and evaluate the labels on held-out rows."""

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

import ordcut
from benchmarks.estimators.labelings import find_thresholds
from benchmarks.generalisation.datasets import Data
from benchmarks.generalisation.scores import LIBRARIES, N_FOLDS, score
from ordcut.estimators import ProportionalOddsModel
from ordcut.studies.labelings import rounding_thresholds

OBJECTIVES = ["absolute", "squared", "zero_one", "quadratic_kappa"]

#: The scores of the training rows that thresholds are found on: those of the model that was fitted
#: to the same rows, or cross-fitted ones. The paper uses the former for a linear model.
CUT_ON = {"linear": "train", "boosted": "held_out", "neural": "held_out"}
SMOOTHED_ON = CUT_ON | {"linear": "left_out"}

#: Plain optimal thresholds as in the paper, on the scores of the rows that the model was fitted to.
SEEN = "optimal on rows seen"

Split = dict[str, np.ndarray]
Found = Iterator[tuple[str, str, np.ndarray]]  # objective, labeling, thresholds


def risk(y: np.ndarray, predicted: np.ndarray, objective: str, n_classes: int) -> float:
    """Return the mean loss, or 1 - kappa, so that less is better for every objective."""
    value = ordcut.evaluate(y, predicted, objective, classes=np.arange(n_classes))
    return 1 - value if objective == "quadratic_kappa" else value


def labelings(split: Split, kind: str, k: int) -> Found:
    """Yield the thresholds that are compared on the reporting sets."""
    y, scores = split["y_train"], split[CUT_ON[kind]]
    if kind == "linear":
        biases = np.unique(split["biases"][np.isfinite(split["biases"])])
        model = ProportionalOddsModel("logit", biases, 1.0, np.unique(y), k)
        rounding = None
    else:
        model = ProportionalOddsModel.fit(scores, y, np.ones(len(y)), k)
        rounding = rounding_thresholds(k)  # these models estimate the label itself
    find = partial(find_thresholds, y=y, n_classes=k, model=model, rounding=rounding)
    mode = find(scores, objective="zero_one", labeling="likelihood").thresholds
    for objective in OBJECTIVES:
        optimal = partial(find, objective=objective, labeling="optimal")
        smoothed = optimal(split[SMOOTHED_ON[kind]], smoothing="auto")
        yield objective, "smoothed", smoothed.thresholds
        for name in ("optimal", "biases", "likelihood", "rounding"):
            yield objective, name, find(scores, objective=objective, labeling=name).thresholds
        yield objective, "mode", mode
        if CUT_ON[kind] != "train":
            yield objective, SEEN, optimal(split["train"]).thresholds


def choices(split: Split, kind: str, k: int) -> Found:
    """Yield the alternatives that were compared on the choosing sets."""
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
            # The median, since a mean would be infinite if one of the thresholds is.
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
    """Return the same for the libraries, whose labels are cached."""
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
