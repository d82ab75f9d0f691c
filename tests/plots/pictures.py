"""Pictures at the width of a column that are compared as images.

``python -m tests.plots.pictures`` draws the images that they must equal: look at them.
"""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import ordcut

FOLDER = Path(__file__).parent / "baseline"

#: The release of matplotlib that drew the baseline images: others place text a little differently.
DRAWN_BY = "3.11"

NAMES = ["poor", "fair", "good", "very good"]


def rows(n=600):
    rng = np.random.default_rng(0)
    labels = rng.choice(4, size=n, p=[0.15, 0.35, 0.3, 0.2])
    return (labels + rng.normal(size=n)).round(3), np.array(NAMES)[labels]


def result(**options):
    return ordcut.optimal_thresholds(*rows(), classes=NAMES, **options)


PICTURES = {
    "ridges": lambda ax: result(objective="quadratic_kappa").plot(ax=ax),
    "review": lambda ax: result(review=0.35).plot(ax=ax, score_name="predicted quality"),
    "risk": lambda ax: result().plot(kind="risk", ax=ax),
    "confusion": lambda ax: result(objective="quadratic_kappa").plot(kind="confusion", ax=ax),
    "intervals": lambda ax: result().bootstrap(n=100).plot(ax=ax),
    "path": lambda ax: ordcut.asymmetry_path(*rows(), classes=NAMES).plot(ax=ax),
    "learning": lambda ax: ordcut.learning_curve(
        *rows(), classes=NAMES, objective="quadratic_kappa", n_splits=10
    ).plot(ax=ax),
}


def draw(name, path):
    """Draw a picture into a file, with matplotlib's own font and settings."""
    with mpl.rc_context(mpl.rcParamsDefault):
        plt.switch_backend("Agg")
        figure, axes = plt.subplots(figsize=(3.3, 2.9), layout="constrained")
        PICTURES[name](axes)
        figure.savefig(path, dpi=72, metadata={"Software": None})
        plt.close(figure)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in PICTURES:
        draw(name, FOLDER / f"{name}.png")
