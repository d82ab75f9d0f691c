"""A figure for the documentation: the error on new rows after each round, by labeling."""

from pathlib import Path

import lightgbm
import matplotlib as mpl
import numpy as np

import ordcut
from benchmarks.generalisation.datasets import Data
from ordcut.boosting import CumulativeLink

mpl.use("Agg")
import matplotlib.pyplot as plt

ROUNDS = (5, 7, 10, 14, 20, 28, 40, 56, 80, 112, 160, 224, 320, 448)
SPLITS = 10


def errors(data: Data) -> dict[str, np.ndarray]:
    """Return the mean absolute error after each number of rounds, by labeling."""
    sums: dict[str, np.ndarray] = {}
    for seed in range(SPLITS):
        order = np.random.default_rng(seed).permutation(len(data.labels))
        fitted, held, test = np.split(order, [len(order) // 2, 3 * len(order) // 4])
        for name, value in _errors_of_split(data, fitted, held, test).items():
            sums[name] = sums.get(name, 0) + value / SPLITS
    return sums


def _errors_of_split(
    data: Data, fitted: np.ndarray, held: np.ndarray, test: np.ndarray
) -> dict[str, np.ndarray]:
    X, y, k = data.features, data.labels, data.n_classes
    result: dict[str, list[float]] = {}

    def add(name: str, predicted: np.ndarray) -> None:
        result.setdefault(name, []).append(float(np.abs(predicted - y[test]).mean()))

    for name, objective in (("regression", "l2"), ("ordinal", CumulativeLink(k))):
        booster = lightgbm.train(
            {"objective": objective, "learning_rate": 0.1, "num_leaves": 15, "verbose": -1,
             "num_threads": 1, "seed": 0},
            lightgbm.Dataset(X[fitted], y[fitted]),
            ROUNDS[-1],
        )  # fmt: skip
        for rounds in ROUNDS:
            seen, kept, new = (
                booster.predict(X[rows], num_iteration=rounds) for rows in (fitted, held, test)
            )
            if name == "regression":
                add("regression, rounded", np.clip(np.round(new), 0, k - 1))
            else:
                add(
                    "ordinal, thresholds from training rows",
                    ordcut.optimal_thresholds(seen, y[fitted], classes=range(k)).predict(new),
                )
            rule = ordcut.optimal_thresholds(kept, y[held], classes=range(k), smoothing="auto")
            add(f"{name}, thresholds from held-out rows", rule.predict(new))
    return {name: np.array(values) for name, values in result.items()}


COLOURS = {
    "regression, rounded": "tab:gray",
    "regression, thresholds from held-out rows": "tab:blue",
    "ordinal, thresholds from training rows": "tab:red",
    "ordinal, thresholds from held-out rows": "tab:orange",
}


def draw(data: Data, file: Path) -> None:
    """Draw one line per labeling over the number of rounds."""
    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    values = errors(data)
    for name, colour in COLOURS.items():
        axes.plot(ROUNDS, values[name], color=colour, label=name)
    axes.set(xscale="log", xlabel="rounds", ylabel="mean absolute error of new rows")
    axes.set_xticks([5, 20, 100, 400], ["5", "20", "100", "400"])
    axes.minorticks_off()
    axes.set_title(f"{data.name}: {len(data.labels)} rows, {data.n_classes} classes", fontsize=10)
    axes.legend(fontsize="small")
    figure.savefig(file, dpi=120)
    plt.close(figure)
