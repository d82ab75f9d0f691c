"""The main job on real data: ratings of marriages, labelled by ordinal logistic regression.

Run with ``make demo`` or ``ordcut demo``; needs statsmodels, which has the data, and matplotlib.
"""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO

import numpy as np

import ordcut
from ordcut.arrays import Array, Floats
from ordcut.estimators import OrdinalLogisticRegression
from ordcut.plots import ThresholdDisplay

OBJECTIVES = ["absolute", "squared", "zero_one", "quadratic_kappa"]
LABELINGS = ["round", "biases", "likelihood", "optimal"]


@dataclass(frozen=True)
class Ratings:
    """Women who rated their marriage from 1 to 5, and what is known of them."""

    features: Floats
    ratings: Array


def load_marriages() -> tuple[Ratings, Ratings]:
    """Return rows to learn from and rows to test on: Fair's survey of 6366 women, halved."""
    from statsmodels.datasets import fair

    data = fair.load_pandas().data
    ratings = data.pop("rate_marriage").to_numpy().astype(int)
    features = data.to_numpy()
    learn = np.random.default_rng(0).permutation(len(ratings)) < len(ratings) // 2
    return Ratings(features[learn], ratings[learn]), Ratings(features[~learn], ratings[~learn])


def fit(learn: Ratings, objective: str, labeling: str) -> OrdinalLogisticRegression:
    """Fit the model by maximum likelihood, with labels for an objective."""
    model = OrdinalLogisticRegression(objective, labeling, alpha=0)
    return model.fit(learn.features, learn.ratings)


def compare(learn: Ratings, test: Ratings) -> list[tuple[str, list[float]]]:
    """Return, for each labeling, the value of each objective on the test rows."""
    return [
        (
            labeling,
            [
                ordcut.evaluate(
                    test.ratings,
                    fit(learn, objective, labeling).predict(test.features),
                    objective,
                    classes=range(1, 6),
                )
                for objective in OBJECTIVES
            ],
        )
        for labeling in LABELINGS
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


def draw(model: OrdinalLogisticRegression, learn: Ratings) -> bytes:
    """Draw how the scores of each class are spread, and the risk of each threshold, as PNG."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(ncols=2, figsize=(12, 4), layout="constrained")
    for kind, axes in (("density", left), ("risk", right)):
        ThresholdDisplay.from_estimator(model, learn.features, learn.ratings, kind=kind, ax=axes)
    picture = BytesIO()
    figure.savefig(picture, dpi=120)
    plt.close(figure)
    return picture.getvalue()


def run() -> dict[str, str | bytes]:
    """Fit the model, find thresholds, print the tables, and return what to save by its name."""
    learn, test = load_marriages()
    print(
        f"{len(learn.ratings)} ratings from 1 to 5 to learn from, {len(test.ratings)} to test on."
    )
    print("\nOptimal thresholds")
    models = {objective: fit(learn, objective, "optimal") for objective in OBJECTIVES}
    for objective, model in models.items():
        print(f"  {objective:16}{model.thresholds_.round(3)}  by {model.labeler_.certificate}")
    print_table("On the rows they were found on (optimal by proof)", compare(learn, learn))
    print_table("On new rows (a star marks the best)", compare(learn, test))
    chosen = models["absolute"]
    return {"thresholds.json": chosen.labeler_.to_json(), "thresholds.png": draw(chosen, learn)}
