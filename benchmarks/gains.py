"""Labels of new rows: rounding, rounders with two starts, a likelihood, and ordcut.

Run with `python -m benchmarks.gains`, which takes a few minutes. The data are loans graded A to G,
abalones by the number of their rings (13 classes), and lecturers rated from 0 to 4. In each of 20
splits, a third of the rows is held out. The scores are those of 60 boosted trees that estimate the
label. All rules find their thresholds on the same out-of-fold scores of the training rows, which
are all others or only 200 of them, and are evaluated on the rows held out.

- **rounding**: thresholds halfway between the classes.
- **Kaggle's rounder**: Nelder-Mead, started at rounding, as in competitions.
- **rounder from quantiles**: Nelder-Mead, started where each class is predicted as often as it
  occurs, which is a better start.
- **ordcut, likelihood**: `labeling="likelihood"` of the estimators: the labels of least expected
  cost under a proportional odds model of the scores, or its thresholds of highest expected kappa.
- **ordcut**: exact thresholds with `smoothing="auto"`, the default of the estimators.

The objectives are quadratic kappa (higher is better), and the mean cost if a label that is too low
costs five times as much per class as one that is too high (lower is better). In the rows "highest
classes too low", at most 10 % of the rows of the highest classes may get a label below these
classes: loans of grade E or worse, abalones with 12 rings or more, lecturers rated 3 or 4. Only
ordcut was given the limit, since the other rules take none: they show what their thresholds for
kappa reach. A limit that holds on the training rows holds on new rows only roughly, unless it has
a confidence.
"""

import warnings
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
from scipy.optimize import minimize
from sklearn.model_selection import cross_val_predict, train_test_split
from threadpoolctl import threadpool_limits

import ordcut
from benchmarks.estimators import datasets as shared
from benchmarks.estimators.labelings import find_thresholds
from benchmarks.generalisation.datasets import DATASETS
from benchmarks.generalisation.scores import boosted
from benchmarks.reports import Row, write_csv, write_markdown
from ordcut._core.numerics.jit import running_kernels_as

#: Each data set, and the lowest of its highest classes.
SETS = {
    "loans": (DATASETS["loans"], 4),
    "abalone": (shared.DATASETS["abalone"], 8),
    "lecturers": (shared.DATASETS["LEV"], 3),
}
SIZES = (None, 200)
N_SPLITS, TEST_SHARE, MOST_LOWER = 20, 0.33, 0.1
RULES = (
    "rounding",
    "Kaggle's rounder",
    "rounder from quantiles",
    "ordcut, likelihood",
    "ordcut",
)
TOO_LOW = "highest classes too low"
RESULTS = Path(__file__).parent / "results"


def too_low_costs_five(n_classes: int) -> np.ndarray:
    predicted, truth = np.indices((n_classes, n_classes))
    return np.where(predicted < truth, 5 * (truth - predicted), predicted - truth)


def thresholds_by_rule(
    scores: np.ndarray, y: np.ndarray, n_classes: int, objective: str | np.ndarray
) -> dict[str, np.ndarray]:
    """Return the thresholds of every rule for one objective."""
    classes = np.arange(n_classes)
    halves = classes[1:] - 0.5
    is_kappa = isinstance(objective, str)
    cost = np.subtract.outer(classes, classes) ** 2 if is_kappa else objective
    chance = np.bincount(y, minlength=n_classes) / len(y)

    def loss(thresholds: np.ndarray) -> float:
        predicted = np.searchsorted(np.sort(thresholds), scores, side="right")
        paid = cost[predicted, y].sum()
        return paid / (cost[predicted] @ chance).sum() if is_kappa else paid

    optimal = ordcut.optimal_thresholds(
        scores, y, objective=objective, classes=classes, smoothing="auto"
    )
    likelihood = find_thresholds(scores, y, n_classes, objective, "likelihood")
    quantiles = np.quantile(scores, np.cumsum(chance)[:-1])
    rounders = [
        np.sort(minimize(loss, start, method="Nelder-Mead").x) for start in (halves, quantiles)
    ]
    thresholds = (halves, *rounders, likelihood.thresholds, optimal.thresholds)
    return dict(zip(RULES, thresholds, strict=True))


def measure_split(
    X: np.ndarray, y: np.ndarray, lowest: int, n_train: int | None, seed: int
) -> Iterator[tuple[str, str, float]]:
    """Yield what is measured, the rule, and its value on the rows held out, for one split."""
    train, test = train_test_split(np.arange(len(y)), test_size=TEST_SHARE, random_state=seed)
    train, n_classes = train[:n_train], int(y.max()) + 1
    scores = cross_val_predict(boosted(0), X[train], y[train], cv=5)
    new, truth = boosted(0).fit(X[train], y[train]).predict(X[test]), y[test]
    classes, high = np.arange(n_classes), truth >= lowest

    def value(thresholds: np.ndarray, objective: str | np.ndarray) -> float:
        predicted = np.searchsorted(thresholds, new, side="right")
        return ordcut.evaluate(truth, predicted, objective, classes=classes)

    objectives = {"quadratic kappa": "quadratic_kappa", "cost": too_low_costs_five(n_classes)}
    for name, objective in objectives.items():
        for rule, thresholds in thresholds_by_rule(scores, y[train], n_classes, objective).items():
            yield name, rule, value(thresholds, objective)
            if name == "quadratic kappa" and rule != "ordcut":
                yield TOO_LOW, rule, float(np.mean(new[high] < thresholds[lowest - 1]))
    limit = ordcut.Under(lowest, at_most=MOST_LOWER)
    limited = ordcut.optimal_thresholds(
        scores, y[train], objective="quadratic_kappa", classes=classes, constraints=[limit],
        smoothing="auto",
    ).thresholds  # fmt: skip
    yield TOO_LOW, "ordcut", float(np.mean(new[high] < limited[lowest - 1]))


def run(n_splits: int = N_SPLITS) -> Iterator[Row]:
    """Yield one row for each data set, number of rows and measure: the mean over the splits."""
    for name, (load, lowest) in SETS.items():
        X, y = shared.prepare(*load(), most_rows=50_000)
        for n_train in SIZES:
            values: dict[tuple[str, str], list[float]] = {}
            for seed in range(n_splits):
                for measure, rule, value in measure_split(X, y, lowest, n_train, seed):
                    values.setdefault((measure, rule), []).append(value)
            for measure in dict.fromkeys(measure for measure, _ in values):
                rounder = values[measure, "rounder from quantiles"]
                change = [a - b for a, b in zip(values[measure, "ordcut"], rounder, strict=True)]
                yield {
                    "data": name, "classes": int(y.max()) + 1,
                    "training rows": n_train or len(y) - int(np.ceil(TEST_SHARE * len(y))),
                    "measure": measure,
                    **{rule: round(fmean(values[measure, rule]), 4) for rule in RULES},
                    "ordcut - rounder from quantiles": round(fmean(change), 4),
                    "its standard error": round(stdev(change) / n_splits**0.5, 4),
                }  # fmt: skip


def main() -> None:
    rows = []
    with running_kernels_as("compiled"), threadpool_limits(1), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        for row in run():
            print(" | ".join(map(str, row.values())), flush=True)
            rows.append(row)
    write_csv(rows, RESULTS / "gains.csv")
    write_markdown(rows, __doc__ or "", None, RESULTS / "gains.md")


if __name__ == "__main__":
    main()
