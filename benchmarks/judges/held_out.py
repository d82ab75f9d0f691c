"""The held-out quadratic kappa of rules that turn a score into ratings, mean over six real tasks.

Ratings are those of tweets, product reviews, movie reviews and editorials, scored by VADER; of
lecturers, scored by a shrunken mean of other ratings; and of movies, scored by their mean on IMDb.
Thresholds are found from a few items with three ratings each, and judged on up to 1000 other items
with three ratings each. `rounding` stretches the range of all scores to that of the classes,
`tuned line` is the line of the score that is best for the items when rounded, `isotonic` rounds the
isotonic regression of the mean rating on the score, `equating` matches the mean and spread of the
ratings, and `likelihood` is best by the probabilities of a proportional odds model. The others are
ordcut's optimal thresholds, by their `smoothing=`. A `distorted` score is exp(1.2 z) of the
standardised score z.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.isotonic import IsotonicRegression

import ordcut
from benchmarks.judges.tasks import Task, all_tasks
from ordcut.estimators import ProportionalOddsModel

N_SPLITS, SIZES = 50, (50, 100, 200)
GOAL = "quadratic_kappa"


@dataclass(frozen=True)
class Items:
    """The items that thresholds are found from."""

    scores: np.ndarray
    ratings: np.ndarray
    classes: list[float]
    all_scores: np.ndarray

    @property
    def panel(self) -> ordcut.Panel:
        return ordcut.Panel(self.ratings, classes=self.classes, raters="anonymous")

    @property
    def halves(self) -> np.ndarray:
        values = np.asarray(self.classes, dtype=float)
        return (values[1:] + values[:-1]) / 2


def rounding(items: Items) -> np.ndarray:
    low, high = items.all_scores.min(), items.all_scores.max()
    first, last = items.classes[0], items.classes[-1]
    return low + (items.halves - first) / (last - first) * (high - low)


def equating(items: Items) -> np.ndarray:
    steps = (items.halves - items.ratings.mean()) / items.ratings.std()
    return items.scores.mean() + steps * items.scores.std()


def tuned_line(items: Items) -> np.ndarray:
    counts = items.panel.as_labels().soft
    start, spread = equating(items), items.scores.std()
    cost = np.square(np.subtract.outer(items.classes, items.classes))
    of_classes = counts.sum(axis=0) / counts.sum()

    def thresholds(line: np.ndarray) -> np.ndarray:
        return start.mean() + line[0] * spread + (start - start.mean()) * np.exp(line[1])

    def loss(line: np.ndarray) -> float:
        codes = np.searchsorted(thresholds(line), items.scores, side="right")
        table = np.zeros_like(cost, dtype=float)
        np.add.at(table, codes, counts)
        expected = np.outer(table.sum(axis=1), of_classes)
        return float((cost * table).sum() / (cost * expected).sum())

    trials = [
        minimize(loss, (shift, 0.0), method="Nelder-Mead", options={"initial_simplex": simplex})
        for shift in (-0.3, 0.0, 0.3)
        for simplex in [[(shift, 0.0), (shift + 0.3, 0.1), (shift, 0.4)]]
    ]
    return thresholds(min(trials, key=lambda trial: trial.fun).x)


def isotonic(items: Items) -> np.ndarray:
    model = IsotonicRegression(out_of_bounds="clip").fit(items.scores, items.ratings.mean(axis=1))
    at = np.sort(items.all_scores)
    cuts = np.searchsorted(model.predict(at), items.halves, side="left")
    return np.append(at, np.inf)[cuts]


def likelihood(items: Items) -> np.ndarray:
    n_raters = items.ratings.shape[1]
    codes = np.searchsorted(items.classes, items.ratings.ravel())
    scores, k = np.repeat(items.scores, n_raters), len(items.classes)
    weights = np.full(len(codes), 1 / n_raters)
    model = ProportionalOddsModel.fit(scores, codes, weights, k, "logit")
    chances = model.probabilities(items.scores)
    return ordcut.optimal_thresholds(
        items.scores, chances, objective=GOAL, classes=items.classes
    ).thresholds


def optimal(smoothing: Any) -> Callable[[Items], np.ndarray]:
    return lambda items: (
        ordcut.optimal_thresholds(
            items.scores, items.panel, objective=GOAL, smoothing=smoothing
        ).thresholds
    )


RULES: dict[str, Callable[[Items], np.ndarray]] = {
    "rounding": rounding,
    "tuned line": tuned_line,
    "isotonic": isotonic,
    "equating": equating,
    "likelihood": likelihood,
    "0": optimal(0.0),
    '"auto"': optimal("auto"),
    "1": optimal(1.0),
}


def run(quick: bool) -> Iterator[dict[str, Any]]:
    tasks = all_tasks()
    for kind in ("as it is", "distorted"):
        for n in SIZES:
            rows = [values_of(task, kind, n, 2 if quick else N_SPLITS) for task in tasks]
            means = {name: float(np.mean([row[name] for row in rows])) for name in RULES}
            yield {"score": kind, "items": n, **means}


def values_of(task: Task, kind: str, n: int, n_splits: int) -> dict[str, float]:
    """Return the mean held-out value of each rule."""
    scores, values = task.scores, {name: [] for name in RULES}
    if kind == "distorted":
        scores = np.exp(1.2 * (scores - scores.mean()) / scores.std())
    for split in range(n_splits):
        rng = np.random.default_rng(split)
        order = rng.permutation(len(scores))
        drawn, others = order[:n], order[n : n + 1000]
        items = Items(scores[drawn], task.table(drawn, 3, rng), task.classes, scores)
        truth = ordcut.Panel(task.table(others, 3, rng), classes=task.classes, raters="anonymous")
        for name, rule in RULES.items():
            thresholds = ordcut.Thresholds.from_values(rule(items), classes=task.classes)
            values[name].append(ordcut.judge(thresholds, scores[others], truth, GOAL).value)
    return {name: float(np.mean(each)) for name, each in values.items()}
