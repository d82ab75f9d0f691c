"""The main job on real data: ratings of marriages, scored by ordinal logistic regression.

Run with ``make demo`` or ``python -m ordcut.demo``; needs statsmodels and matplotlib.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import ordcut
from ordcut.arrays import Array, Floats

OBJECTIVES = ["absolute", "squared", "zero_one", "quadratic_kappa"]


@dataclass(frozen=True)
class Scored:
    """Rows scored by ordinal logistic regression, with what the other labelings need."""

    scores: Floats
    labels: Array
    probabilities: Floats


def score_marriages() -> tuple[Scored, Scored, Floats]:
    """Return rows to learn thresholds from, rows to test them on, and the model's biases.

    The data are Fair's survey of 6366 women, who rated their marriage from 1 to 5.
    """
    from statsmodels.datasets import fair
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    data = fair.load_pandas().data
    labels = data.pop("rate_marriage").to_numpy().astype(int)
    features = ((data - data.mean()) / data.std()).to_numpy()
    learn = np.random.default_rng(0).permutation(len(labels)) < len(labels) // 2
    fitted = OrderedModel(labels[learn], features[learn], distr="logit").fit(
        method="bfgs", disp=False
    )
    biases = fitted.model.transform_threshold_params(fitted.params)[1:-1]

    def scored(rows: Array) -> Scored:
        probabilities = np.asarray(fitted.model.predict(fitted.params, features[rows]))
        return Scored(
            features[rows] @ fitted.params[: features.shape[1]], labels[rows], probabilities
        )

    return scored(learn), scored(~learn), biases


def label_by_rounding(learn: Scored, test: Scored) -> Array:
    """Fit the scores to the ratings by least squares, and round."""
    slope, start = np.polyfit(learn.scores, learn.labels, 1)
    rounded: Array = np.clip(np.rint(start + slope * test.scores), 1, 5).astype(int)
    return rounded


def label_by_likelihood(test: Scored, objective: str) -> Array:
    """Take the class of least expected cost; for a kappa, of the cost that it is made of."""
    cost = ordcut.resolve_objective(objective, 5).cost
    cheapest: Array = np.argmin(test.probabilities @ cost.T, axis=1)
    return 1 + cheapest


def compare(learn: Scored, test: Scored, biases: Floats) -> list[tuple[str, list[float]]]:
    """Return, for each labeling, the value of each objective on the test rows."""
    by_labeling: dict[str, list[Any]] = {
        "rounding": [label_by_rounding(learn, test)] * len(OBJECTIVES),
        "biases": [1 + np.searchsorted(biases, test.scores, side="right")] * len(OBJECTIVES),
        "likelihood": [label_by_likelihood(test, objective) for objective in OBJECTIVES],
        "optimal": [
            ordcut.optimal_thresholds(
                learn.scores, learn.labels, objective=objective
            ).predict(test.scores)
            for objective in OBJECTIVES
        ],
    }  # fmt: skip
    return [
        (
            labeling,
            [
                ordcut.evaluate(test.labels, predicted, objective, classes=range(1, 6))
                for objective, predicted in zip(OBJECTIVES, predictions, strict=True)
            ],
        )
        for labeling, predictions in by_labeling.items()
    ]


def print_table(title: str, rows: list[tuple[str, list[float]]]) -> None:
    """Print one line a labeling and one column an objective; the best of a column has a star."""
    values = np.array([row for _, row in rows])
    lower_is_better = np.array([not name.endswith("kappa") for name in OBJECTIVES])
    best = np.where(lower_is_better, values.min(axis=0), values.max(axis=0))
    print(f"\n{title}")
    print(f"  {'labeling':12}" + "".join(f"{name:>17}" for name in OBJECTIVES))
    for labeling, row in rows:
        cells = (f"{v:.4f}{'*' if v == b else ' '}" for v, b in zip(row, best, strict=True))
        print(f"  {labeling:12}" + "".join(f"{cell:>17}" for cell in cells))


def draw(learn: Scored, found: ordcut.Thresholds, path: Path) -> None:
    """Draw how the scores of each class are spread, and where the thresholds stand."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    low, high = np.quantile(learn.scores, [0.002, 0.998])
    colours = plt.get_cmap("viridis")(np.linspace(0.05, 0.95, len(found.classes)))
    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    axes.hist(
        [learn.scores[learn.labels == name] for name in found.classes],
        bins=np.linspace(low, high, 40).tolist(),
        stacked=True,
        color=list(colours),
        label=[f"rated {name}" for name in found.classes],
    )
    for threshold in found.thresholds[np.isfinite(found.thresholds)]:
        axes.axvline(threshold, color="black", linewidth=1.5)
    axes.set(xlabel="score", ylabel="rows", title=f"Optimal thresholds, {found.objective} loss")
    axes.legend(frameon=False)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main(arguments: list[str] | None = None) -> None:
    """Fit scores, find thresholds, print the tables, and save the result and a picture."""
    parser = argparse.ArgumentParser(prog="python -m ordcut.demo", description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("demo-output"), help="folder to write")
    output: Path = parser.parse_args(arguments).output
    learn, test, biases = score_marriages()
    print(f"{len(learn.labels)} ratings from 1 to 5 to learn from, {len(test.labels)} to test on.")
    print("\nOptimal thresholds")
    found = {
        objective: ordcut.optimal_thresholds(learn.scores, learn.labels, objective=objective)
        for objective in OBJECTIVES
    }
    for objective, thresholds in found.items():
        print(f"  {objective:16}{thresholds.thresholds.round(3)}  by {thresholds.certificate}")
    print_table("On the rows they were found on (optimal by proof)", compare(learn, learn, biases))
    print_table("On new rows (a star marks the best)", compare(learn, test, biases))
    output.mkdir(parents=True, exist_ok=True)
    (output / "thresholds.json").write_text(found["absolute"].to_json(), encoding="utf-8")
    draw(learn, found["absolute"], output / "thresholds.png")
    print(f"\nWrote {output / 'thresholds.json'} and {output / 'thresholds.png'}.")


if __name__ == "__main__":
    main()
