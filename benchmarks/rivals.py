"""Rivals: the value that each reaches on the rows it is given, and its time relative to ordcut's.

For quadratic kappa, rivals are rounders that search without derivatives, as used in competitions,
with scikit-learn's kappa and with a quicker one, and the package optimized-rounder. For accuracy
with two classes, they are the grids of scikit-learn's TunedThresholdClassifierCV. Scores are on the
label's scale, and ordcut uses one thread. All values are computed by scikit-learn's metrics; `short
of ordcut` is by how much that of a rival is lower.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, balanced_accuracy_score

import ordcut
from benchmarks import data
from benchmarks.data import Problem
from benchmarks.real_data import real_problems
from benchmarks.rounders import label, rounders, sklearn_kappa
from benchmarks.timing import FULL, QUICK, Effort, best_of
from benchmarks.tuned_threshold import tune

Find = Callable[[Problem], np.ndarray]
SIZES = [10_000, 100_000, 1_000_000]
#: Sizes of scikit-learn's grid: the default and a finer one.
GRIDS = [100, 1_000]


def run(quick: bool) -> Iterator[dict[str, Any]]:
    effort = QUICK if quick else FULL
    sizes = [2_000] if quick else SIZES
    for_kappa = {"ordcut": partial(_ordcut, "quadratic_kappa", None), **rounders(effort)}
    real = dict(islice(real_problems().items(), 2 if quick else None))
    problems = real | {f"synthetic {n}": data.on_label_scale(n, 5) for n in sizes}
    for name, problem in problems.items():
        yield from _compare("quadratic kappa", sklearn_kappa, for_kappa, name, problem, effort)
    metrics = {
        "accuracy": (accuracy_score, None),
        "balanced_accuracy": (balanced_accuracy_score, "balanced"),
    }
    for n in sizes:
        problem = data.on_label_scale(n, 2)
        for metric, (judge, class_weight) in metrics.items():
            finders: dict[str, Find] = {"ordcut": partial(_ordcut, "zero_one", class_weight)}
            finders |= {f"scikit-learn, grid of {g}": partial(tune, metric, g) for g in GRIDS}
            yield from _compare(metric, judge, finders, f"synthetic {n}", problem, effort)


def _ordcut(objective: str, class_weight: str | None, problem: Problem) -> np.ndarray:
    found = ordcut.optimal_thresholds(
        problem.scores, problem.labels, objective=objective, class_weight=class_weight, n_jobs=1
    )
    return found.thresholds


def _compare(
    metric: str,
    judge: Callable[[np.ndarray, np.ndarray], float],
    finders: dict[str, Find],
    name: str,
    problem: Problem,
    effort: Effort,
) -> Iterator[dict[str, Any]]:
    small = data.on_label_scale(50 * problem.n_classes, problem.n_classes)
    ours: tuple[float, float] | None = None
    for rival, find in finders.items():
        find(problem if rival == "ordcut" else small)  # warm-up, which must be short for rivals
        thresholds, seconds = best_of(partial(find, problem), effort)
        value = judge(problem.labels, label(thresholds, problem.scores))
        ours = ours or (value, seconds)
        yield {
            "metric": metric,
            "data": name,
            "n": len(problem.scores),
            "K": problem.n_classes,
            "rival": rival,
            "value": value,
            "short of ordcut": ours[0] - value,
            "seconds": seconds,
            "time over ordcut": seconds / ours[1],
        }
