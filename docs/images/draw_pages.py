"""Draw the pictures of the pages about decisions, kappa, scikit-learn and the number of rows."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skordinal import datasets

import ordcut
from ordcut.estimators import OrdinalThresholdClassifierCV
from ordcut.plots import ThresholdDisplay

FOLDER = Path(__file__).parent
ORANGE, BLUE = "#d1495b", "#00798c"


def draw_decisions() -> None:
    """Draw what a minimum recall changes, and what each recall costs."""
    reports = datasets.load_swd()
    risk = reports.target + 1
    scores = cross_val_predict(Ridge(), reports.data, risk, cv=5)
    free = ordcut.optimal_thresholds(scores, risk)
    limited = ordcut.optimal_thresholds(scores, risk, constraints=["recall 4 >= 0.9"])
    recalls = np.linspace(0.1, 1, 37)
    path = ordcut.constraint_path(scores, risk, "recall 4 >=", recalls)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    left.hist(
        [scores[risk == 4], scores[risk < 4]], bins=40, stacked=True,
        label=["children at risk 4", "others"], color=[ORANGE, "0.8"],
    )  # fmt: skip
    top = 1.3 * left.get_ylim()[1]
    for result, style, name in ((free, ":", "no limit"), (limited, "-", "recall 4 >= 0.9")):
        at = result.thresholds[-1]
        left.axvline(at, color="black", linestyle=style)
        left.text(at - 0.04, 0.98 * top, f"rated 4 from here:\n{name}", ha="right", va="top")
    left.set(xlabel="score", ylabel="children", ylim=(0, top))
    left.legend(frameon=False, loc="upper left", bbox_to_anchor=(0, 0.86))
    right.plot(recalls, [point.value for point in path.points], color=BLUE)
    right.plot(0.9, limited.value, "o", color="black")
    right.annotate("recall 4 >= 0.9", (0.9, limited.value), xytext=(-8, 6),
                   textcoords="offset points", ha="right")  # fmt: skip
    right.axhline(free.value, color="0.6", linestyle=":")
    right.annotate("without a limit", (0.1, free.value), xytext=(0, -11), color="0.4",
                   textcoords="offset points")  # fmt: skip
    right.set(xlabel="least recall of class 4", ylabel="lowest mean error", ylim=(0.47, None))
    figure.savefig(FOLDER / "decisions.png", dpi=120)


def draw_kaggle() -> None:
    """Draw the kappa that Nelder-Mead reaches from each of many starts, and the optimum."""
    rows = datasets.load_lev()
    truth = np.unique(rows.target, return_inverse=True)[1]
    scores = cross_val_predict(LinearRegression(), rows.data, truth, cv=5)

    def kappa(thresholds: np.ndarray) -> float:
        predicted = np.searchsorted(np.sort(thresholds), scores, side="right")
        return ordcut.evaluate(truth, predicted, "quadratic_kappa", classes=range(5))

    def reached(start: np.ndarray) -> tuple[float, float]:
        return kappa(start), -minimize(lambda at: -kappa(at), start, method="nelder-mead").fun

    rng = np.random.default_rng(0)
    starts = [np.sort(rng.choice(scores, 4, replace=False)) for _ in range(60)]
    quantiles = np.quantile(scores, np.cumsum(np.bincount(truth))[:-1] / len(truth))
    best = ordcut.optimal_thresholds(scores, truth, objective="quadratic_kappa").value
    figure, axes = plt.subplots(figsize=(6.5, 4), layout="constrained")
    axes.plot(*zip(*map(reached, starts), strict=True), "o", color="0.6", markersize=4,
              label="Nelder-Mead from four scores, chosen at random")  # fmt: skip
    for start, mark, name in (
        (np.array([0.5, 1.5, 2.5, 3.5]), "s", "from 0.5, 1.5, 2.5, 3.5"),
        (quantiles, "D", "from quantiles of the scores"),
    ):
        axes.plot(*reached(start), mark, color=ORANGE, label=f"Nelder-Mead {name}", markersize=7)
    axes.axhline(best, color=BLUE, label="ordcut: no thresholds reach more")
    axes.set(xlabel="kappa of the thresholds at the start", ylabel="kappa at the end")
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    figure.savefig(FOLDER / "kaggle.png", dpi=120)


def draw_scikit_learn() -> None:
    """Draw the scores of new rows by class with the thresholds of a pipeline, and a table."""
    X, progression = load_diabetes(return_X_y=True, as_frame=True)  # noqa: N806
    stage = (progression // 100).astype(int)
    X_train, X_test, y_train, y_test = train_test_split(X, stage, stratify=stage, random_state=0)  # noqa: N806
    pipeline = make_pipeline(StandardScaler(), Ridge())
    model = OrdinalThresholdClassifierCV(pipeline, objective="quadratic_kappa")
    model.fit(X_train, y_train)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    ThresholdDisplay.from_estimator(model, X_test, y_test, ax=left)
    ThresholdDisplay.from_estimator(model, X_test, y_test, kind="confusion", ax=right)
    figure.savefig(FOLDER / "scikit_learn.png", dpi=120)


def draw_learning_curve() -> None:
    """Draw the kappa on rows left out by the number of rows."""
    reports = datasets.load_swd()
    risk = reports.target + 1
    scores = cross_val_predict(Ridge(), reports.data, risk, cv=5)
    curve = ordcut.learning_curve(scores, risk, objective="quadratic_kappa", smoothing="auto")
    curve.plot().figure.savefig(FOLDER / "learning_curve.png", dpi=120)


if __name__ == "__main__":
    draw_decisions()
    draw_kaggle()
    draw_scikit_learn()
    draw_learning_curve()
