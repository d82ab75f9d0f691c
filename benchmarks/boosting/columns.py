"""Ways to predict ordered classes with boosted trees, and their risk on held-out rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import ordcut
from benchmarks.boosting.datasets import Data
from benchmarks.boosting.summary import OBJECTIVES
from benchmarks.boosting.trees import Outputs, Trees, outputs
from benchmarks.generalisation.judge import risk
from ordcut._core.objectives.named import resolve_objective

#: Trees as they are without any setting, and those that were chosen on the choosing sets.
L2, MULTICLASS = Trees("L2"), Trees("multiclass")
SMALL_L2 = Trees("L2", leaves=8)
LINK = Trees("link", rate=0.2, leaves=8)
SMALL_MULTICLASS = Trees("multiclass", rounds=40, leaves=8)


@dataclass(frozen=True)
class Column:
    """The mean of the scores of one or two kinds of trees, and how it becomes labels.

    With ``is_weighted``, the weights of two scores are those of least squares on out-of-fold rows.
    With ``has_folds``, new rows get the mean of the fold models instead of a refit. With
    ``is_raw``, the score of a link is its raw score. With ``by_cost``, labels have the least
    expected cost under the mean of the probabilities; otherwise thresholds are found on
    out-of-fold scores, with ``smoothing="auto"``.
    """

    trees: tuple[Trees, ...]
    is_weighted: bool = False
    has_folds: bool = False
    is_raw: bool = False
    by_cost: bool = False

    def predict(
        self, objective: str, library: str, data: Data, seed: int, cache: Path
    ) -> np.ndarray:
        """Return the labels of the test rows of a split."""
        y = data.labels[data.split(seed)[0]]
        values = [outputs(trees, library, data, seed, cache) for trees in self.trees]
        which = "folds" if self.has_folds else "test"
        scores = [self._score(of_trees, "train", data.n_classes) for of_trees in values]
        share = first_share(y, *scores) if self.is_weighted else 1 / len(scores)
        shares = [share, 1 - share] if self.is_weighted else [share] * len(scores)
        if self.by_cost:
            new = [of_trees[f"{which}/probabilities"] for of_trees in values]
            return least_expected_cost(mean(new, shares), objective, y)
        new = [self._score(of_trees, which, data.n_classes) for of_trees in values]
        options = {"objective": objective, "classes": np.arange(data.n_classes)}
        rule = ordcut.optimal_thresholds(mean(scores, shares), y, smoothing="auto", **options)
        return rule.predict(mean(new, shares))

    def _score(self, of_trees: Outputs, which: str, n_classes: int) -> np.ndarray:
        """Return raw scores, or the mean class where there are probabilities."""
        probabilities = of_trees.get(f"{which}/probabilities")
        if self.is_raw or probabilities is None:
            return of_trees[which]
        return probabilities @ np.arange(n_classes)


def mean(values: Sequence[np.ndarray], shares: Sequence[float]) -> np.ndarray:
    return sum(share * each for share, each in zip(shares, values, strict=True))


def first_share(y: np.ndarray, first: np.ndarray, second: np.ndarray) -> float:
    """Return the share of the first score in the mean of least squared error."""
    difference = first - second
    total = float((difference**2).sum())
    return float(np.clip(((y - second) * difference).sum() / total, 0, 1)) if total > 0 else 0.5


BOTH = (LINK, SMALL_MULTICLASS)

#: What is compared on the reporting sets. The first two are the references.
COLUMNS = {
    "L2": Column((L2,)),
    "multiclass, expected cost": Column((MULTICLASS,), by_cost=True),
    "L2, small trees": Column((SMALL_L2,)),
    "L2, fold models": Column((L2,), has_folds=True),
    "link, raw score": Column((LINK,), is_raw=True),
    "link, mean class": Column((LINK,)),
    "multiclass, mean class": Column((MULTICLASS,)),
    "multiclass, small trees, mean class": Column((SMALL_MULTICLASS,)),
    "multiclass, small trees, expected cost": Column((SMALL_MULTICLASS,), by_cost=True),
    "average of L2 and multiclass": Column((SMALL_L2, SMALL_MULTICLASS)),
    "average of L2 and link": Column((SMALL_L2, LINK)),
    "average of link and multiclass": Column(BOTH),
    "weighted average of link and multiclass": Column(BOTH, is_weighted=True),
    "the same, fold models": Column(BOTH, is_weighted=True, has_folds=True),
    "the same, expected cost": Column(BOTH, is_weighted=True, by_cost=True),
}
L2_COLUMN, COST_COLUMN, *_ = COLUMNS
START = "weighted average of link and multiclass"

#: The columns of XGBoost.
TWINS = {
    name: COLUMNS[name]
    for name in (L2_COLUMN, "L2, small trees", "link, mean class",
                 "multiclass, small trees, mean class", "average of link and multiclass", START)
}  # fmt: skip

#: What is compared on the choosing sets.
CHOICES = {
    name: COLUMNS[name]
    for name in (L2_COLUMN, COST_COLUMN, "L2, small trees", "link, mean class",
                 "multiclass, mean class", "multiclass, small trees, mean class")
} | {
    "link, rate 0.1, 31 leaves": Column((Trees("link"),)),
    "link, rate 0.1": Column((Trees("link", leaves=8),)),
    "link, 15 leaves": Column((Trees("link", rate=0.2, leaves=15),)),
    "link, 200 rounds": Column((Trees("link", rounds=200, rate=0.2, leaves=8),)),
    "link, no least Hessians": Column((Trees("link, no least Hessians", rate=0.2, leaves=8),)),
    "average of both without settings": Column((Trees("link"), MULTICLASS)),
    "average of L2 and link": Column((SMALL_L2, LINK)),
    "weighted average of L2 and link": Column((SMALL_L2, LINK), is_weighted=True),
    "average of L2, link and multiclass": Column((SMALL_L2, LINK, SMALL_MULTICLASS)),
    "average of link and multiclass": COLUMNS["average of link and multiclass"],
    START: COLUMNS[START],
}  # fmt: skip


def least_expected_cost(probabilities: np.ndarray, objective: str, y: np.ndarray) -> np.ndarray:
    """Return the classes of least expected cost: squared for the kappa, weighted for the macro MAE.

    ``y`` has the labels of the training rows, whose classes count the same for the macro MAE.
    """
    k = probabilities.shape[1]
    if objective == "macro_mae":
        objective = "absolute"
        probabilities = probabilities / np.maximum(np.bincount(y, minlength=k), 1)
    name = "squared" if objective == "quadratic_kappa" else objective
    return (probabilities @ resolve_objective(name, k).cost.T).argmin(axis=1)


def judge(
    columns: dict[str, Column], library: str, data: Data, seed: int, cache: Path
) -> Iterator[dict]:
    """Yield the risk of each column by each objective, on the test rows of a split."""
    truth = data.labels[data.split(seed)[1]]
    for name, column in columns.items():
        for objective in OBJECTIVES:
            predicted = column.predict(objective, library, data, seed, cache)
            yield row(data, library, name, objective, seed, predicted, truth)


def row(
    data: Data, library: str, method: str, objective: str, seed: int,
    predicted: np.ndarray, truth: np.ndarray,
) -> dict:  # fmt: skip
    """Return a row of the results."""
    value = risk(truth, predicted, objective, data.n_classes)
    return {
        "dataset": data.name, "kind": data.kind, "rows": len(data.labels),
        "classes": data.n_classes, "library": library, "method": method, "objective": objective,
        "split": seed, "risk": round(value, 6),
    }  # fmt: skip
