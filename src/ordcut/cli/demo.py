"""``ordcut demo``: ratings of marriages, labelled by ordinal logistic regression.

The data are from Ray Fair, "A Theory of Extramarital Affairs", Journal of Political Economy,
1978, which statsmodels includes with his permission. With matplotlib, the demo draws a plot.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ordcut.cli.options import force_option
from ordcut.cli.outputs import Outputs

if TYPE_CHECKING:
    from ordcut._core.smoothing import Smoothing
    from ordcut._core.typing import Array, Floats
    from ordcut.estimators import OrdinalLogisticRegression

OBJECTIVES = ["absolute", "squared", "zero_one", "quadratic_kappa"]

#: The labelings by their names in the tables: the estimator's labeling and smoothing.
LABELINGS: dict[str, tuple[str, Smoothing]] = {
    "rounding": ("rounding", 0),
    "biases": ("biases", 0),
    "likelihood": ("likelihood", 0),
    "optimal": ("optimal", 0),
    "smoothed": ("optimal", "auto"),
}

#: The data, and the files that the demo writes.
DATA = Path(__file__).with_name("fair.csv.gz")
THRESHOLDS, PLOT = "thresholds.json", "thresholds.png"


@click.command()
@click.option(
    "--output",
    default="demo-output",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder for the plot and the thresholds.",
)
@force_option
def demo(output: Path, force: bool) -> None:
    """Find and compare thresholds on real data.

    The data are ratings of marriages. An ordinal logistic regression computes their scores.
    """
    output.mkdir(parents=True, exist_ok=True)
    names = [THRESHOLDS, PLOT] if find_spec("matplotlib") else [THRESHOLDS]
    with Outputs(force=force) as outputs:
        files = {name: outputs.add("--output", str(output / name)) for name in names}
        contents = run()
        for name, file in files.items():
            file.write(contents[name])
        outputs.publish()
    click.echo("\nWrote " + " and ".join(str(output / name) for name in names) + ".")
    if PLOT not in names:
        click.echo("For a plot as well, install matplotlib: pip install matplotlib.")


def run() -> dict[str, str | bytes]:
    """Fit the model, find thresholds, print the tables, and return the content of each file."""
    train, test = load_marriages()
    print(
        f"{len(train.ratings)} ratings from 1 to 5 to learn from, {len(test.ratings)} to test on."
    )
    chosen = _print_thresholds(
        "Thresholds that are optimal for the rows to learn from, with the proof", train, "optimal"
    )
    _print_thresholds(
        "Smoothed thresholds, for new rows: optimal for labels that a model has smoothed",
        train,
        "smoothed",
    )
    print("\nWhere a threshold is -inf, no score is below it: the class below is never predicted.")
    _print_values("Values on the rows to learn from (a star marks the best)", compare(train, train))
    tested = compare(train, test)
    _print_values("Values on the rows to test on", tested)
    print(f"\n{_gain(tested, len(test.ratings))}")
    plot = {PLOT: _draw(chosen, train)} if find_spec("matplotlib") else {}
    return {THRESHOLDS: chosen.labeler_.to_json(), **plot}


@dataclass(frozen=True)
class Ratings:
    """Women who rated their marriage from 1 to 5, with their answers to other questions."""

    features: Floats
    ratings: Array


def load_marriages() -> tuple[Ratings, Ratings]:
    """Return Fair's survey of 6366 women in two halves: rows to learn from and rows to test on."""
    import numpy as np

    data = np.loadtxt(DATA, delimiter=",", skiprows=1)
    ratings, features = data[:, 0].astype(int), data[:, 1:]
    train = np.random.default_rng(0).permutation(len(ratings)) < len(ratings) // 2
    return Ratings(features[train], ratings[train]), Ratings(features[~train], ratings[~train])


def fit(train: Ratings, objective: str, labeling: str) -> OrdinalLogisticRegression:
    """Fit the model by maximum likelihood, with thresholds for an objective."""
    from ordcut.estimators import OrdinalLogisticRegression

    by, smoothing = LABELINGS[labeling]
    model = OrdinalLogisticRegression(
        objective=objective, labeling=by, smoothing=smoothing, alpha=0
    )
    return model.fit(train.features, train.ratings)


def compare(train: Ratings, test: Ratings) -> dict[str, list[float]]:
    """Return, for each labeling, the value of each objective on the test rows."""
    from ordcut import evaluate

    def value(objective: str, labeling: str) -> float:
        predicted = fit(train, objective, labeling).predict(test.features)
        return evaluate(test.ratings, predicted, objective, classes=range(1, 6))

    return {
        labeling: [value(objective, labeling) for objective in OBJECTIVES] for labeling in LABELINGS
    }


def _print_thresholds(title: str, train: Ratings, labeling: str) -> OrdinalLogisticRegression:
    """Print the thresholds of each objective and why they are optimal; return the first model."""
    print(f"\n{title}")
    models = {objective: fit(train, objective, labeling) for objective in OBJECTIVES}
    for objective, model in models.items():
        cuts = "".join(f"{cut:8.3f}" for cut in model.thresholds_)
        never = ", ".join(map(str, model.labeler_.never_predicted))
        print(f"  {objective:16}{cuts}  {model.labeler_.certificate}")
        if never:
            print(f"  {'':16}  never predicted: {never}")
    return models[OBJECTIVES[0]]


def _print_values(title: str, values: dict[str, list[float]]) -> None:
    """Print a table with a line per labeling and a column per objective."""
    columns = zip(OBJECTIVES, zip(*values.values(), strict=True), strict=True)
    best = [max(column) if name.endswith("kappa") else min(column) for name, column in columns]
    print(f"\n{title}")
    print(f"  {'labeling':12}" + "".join(f"{name:>17}" for name in OBJECTIVES))
    for labeling, row in values.items():
        cells = (f"{v:.4f}{'*' if v == b else ' '}" for v, b in zip(row, best, strict=True))
        print(f"  {labeling:12}" + "".join(f"{cell:>17}" for cell in cells))


def _gain(values: dict[str, list[float]], n_rows: int) -> str:
    """Return in a sentence what optimal thresholds gain on rows that they were not found on."""
    rounded, likely, smoothed = (
        dict(zip(OBJECTIVES, values[labeling], strict=True))
        for labeling in ("rounding", "likelihood", "smoothed")
    )
    kappa, loss = "quadratic_kappa", "absolute"
    return (
        f"On {n_rows} rows that they had not seen, smoothed optimal thresholds raise the quadratic "
        f"kappa from {rounded[kappa]:.3f} (rounding) and {likely[kappa]:.3f} (likelihood) to "
        f"{smoothed[kappa]:.3f}; the absolute loss is {smoothed[loss]:.3f}, compared "
        f"with {rounded[loss]:.3f} and {likely[loss]:.3f}."
    )


def _draw(model: OrdinalLogisticRegression, train: Ratings) -> bytes:
    """Plot the scores of each class and the risk of each threshold, as PNG."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    from ordcut.plots import ThresholdDisplay

    figure, (left, right) = plt.subplots(ncols=2, figsize=(12, 4), layout="constrained")
    for kind, axes in (("density", left), ("risk", right)):
        ThresholdDisplay.from_estimator(model, train.features, train.ratings, kind=kind, ax=axes)
    plot = BytesIO()
    figure.savefig(plot, dpi=120)
    plt.close(figure)
    return plot.getvalue()
