"""``ordcut demo``: age groups of abalones from their measurements, on rows not seen.

The data are from Nash, Sellers, Talbot, Cawthorn and Ford, "Abalone", UCI Machine Learning
Repository, 1995 (CC BY 4.0), without the sex of the animals.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO, StringIO
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from ordcut.cli.options import force_option
from ordcut.cli.outputs import Outputs

if TYPE_CHECKING:
    from ordcut import Thresholds
    from ordcut._core.typing import Array, Floats

DATA = Path(__file__).with_name("abalones.csv.gz")
OBJECTIVE = "quadratic_kappa"

#: The age groups, lowest first, and the least number of rings of all but the lowest.
GROUPS = ["young", "adult", "mature", "old"]
LEAST_RINGS = [8, 11, 15]

#: The least share of old animals to be labelled old, and this limit as text.
LEAST_FOUND = 0.75
LIMIT = f"recall old >= {LEAST_FOUND}"

#: The files that the demo writes.
THRESHOLDS, ROWS, PICTURE, PAGE = "thresholds.json", "abalones.csv", "thresholds.png", "page.html"

#: The file that the first of the next steps writes.
LABELLED = "labelled.csv"

INTRODUCTION = """\
How old is an abalone? A linear regression predicts the rings in its shell, which
take a microscope to count, from its size and weight. Which predictions mean young,
adult (8 rings or more), mature (11) or old (15)?

Goal: the highest quadratic kappa, agreement beyond chance (1 is perfect).
Thresholds are chosen on {known} animals and judged on {new} others:
"""

NEXT_STEPS = """\
The thresholds with the limit are in {thresholds}. Label a file with them:
  ordcut predict {rows} --score predicted_rings \\
      --thresholds {thresholds} --name suggested -o {labelled}

The {new} other animals are in {rows}. Find thresholds in a file:
  ordcut fit {rows} --score predicted_rings --label age \\
      --classes young,adult,mature,old --objective quadratic_kappa
"""

DRAWN = """\
A picture for a paper or a talk is {picture}. In Python:
  result = ordcut.optimal_thresholds(scores, labels); result.plot()
"""

EXPLORED = """\
Drag the thresholds and watch what changes. Open this page in a browser:
  {page}"""


@click.command()
@click.option(
    "--output",
    default="demo-output",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder for the page, the picture, the thresholds and the rows.",
)
@force_option
def demo(output: Path, force: bool) -> None:
    """Find thresholds on real data, and judge them on rows not seen.

    A linear regression predicts the ages of abalones. The demo compares rounding with the
    thresholds of highest kappa, with and without a limit, and writes an interactive page.
    """
    output.mkdir(parents=True, exist_ok=True)
    has_picture = find_spec("matplotlib") is not None
    names = [THRESHOLDS, ROWS, *([PICTURE] if has_picture else []), PAGE]
    with Outputs(force=force) as outputs:
        files = {name: outputs.add("--output", str(output / name)) for name in names}
        known, new = load_abalones()
        click.echo(INTRODUCTION.format(known=len(known.ages), new=len(new.ages)))
        free, limited = find_thresholds(known), find_thresholds(known, LIMIT)
        click.echo(comparison(new, free, limited))
        files[THRESHOLDS].write(limited.to_json())
        files[ROWS].write(as_csv(new))
        if has_picture:
            files[PICTURE].write(draw(limited))
        files[PAGE].write(page_of(known, limited))
        outputs.publish()
    paths = {name: quote(str(output / name)) for name in (*names, LABELLED)}
    click.echo(
        NEXT_STEPS.format(
            thresholds=paths[THRESHOLDS],
            rows=paths[ROWS],
            labelled=paths[LABELLED],
            new=len(new.ages),
        )
    )
    if has_picture:
        click.echo(DRAWN.format(picture=paths[PICTURE]))
    else:
        click.echo("For a picture as well, install matplotlib: pip install matplotlib.\n")
    click.echo(EXPLORED.format(page=(output / PAGE).resolve().as_uri()))


@dataclass(frozen=True)
class Abalones:
    """Predicted numbers of rings, and the true age groups."""

    scores: Floats
    ages: Array


def load_abalones() -> tuple[Abalones, Abalones]:
    """Return half of the animals with held-out predictions, and the others with new ones."""
    import numpy as np
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import cross_val_predict

    data = np.loadtxt(DATA, delimiter=",", skiprows=1)
    features, rings = np.log(np.clip(data[:, :-1], 0.001, None)), data[:, -1]
    ages = np.array(GROUPS)[np.digitize(rings, LEAST_RINGS)]
    known = np.random.default_rng(0).permutation(len(rings)) < len(rings) // 2
    held_out = cross_val_predict(LinearRegression(), features[known], rings[known], cv=5)
    model = LinearRegression().fit(features[known], rings[known])
    predicted = model.predict(features[~known])
    return Abalones(held_out, ages[known]), Abalones(predicted, ages[~known])


def find_thresholds(known: Abalones, *limits: str) -> Thresholds:
    """Return the thresholds of highest kappa, within limits."""
    from ordcut import optimal_thresholds

    return optimal_thresholds(
        known.scores, known.ages, classes=GROUPS, objective=OBJECTIVE, constraints=limits
    )


def comparison(new: Abalones, free: Thresholds, limited: Thresholds) -> str:
    """Return a table of rounding and of both thresholds on new rows, and what it says."""
    import numpy as np

    from ordcut import Thresholds, evaluate

    halves = np.array(LEAST_RINGS) - 0.5
    rules = (Thresholds.from_values(halves, classes=GROUPS), free, limited)
    predicted = [rule.predict(new.scores) for rule in rules]
    is_old = new.ages == "old"
    kappas = [round(evaluate(new.ages, ages, OBJECTIVE, classes=GROUPS), 3) for ages in predicted]
    shares = [np.mean(ages[is_old] == "old") for ages in predicted]
    rows = {
        "": ["rounding", "ordcut", f"ordcut, {LIMIT}"],
        "quadratic kappa": [f"{kappa:.3f}" for kappa in kappas],
        "old animals labelled old": [f"{share:.0%}" for share in shares],
        **{
            f"{name} from ... predicted rings": [f"{rule.thresholds[k]:.1f}" for rule in rules]
            for k, name in enumerate(GROUPS[1:])
        },
    }
    table = "\n".join(
        f"  {name:32}{cells[0]:>9}{cells[1]:>9}{cells[2]:>28}" for name, cells in rows.items()
    )
    return (
        f"{table}\n\nThe thresholds of ordcut agree better than rounding: kappa is "
        f"{kappas[1] - kappas[0]:.3f} higher.\nThe limit, to find at least {LEAST_FOUND:.0%} "
        f"of the old animals, lowers it by {kappas[1] - kappas[2]:.3f}.\n"
    )


def as_csv(abalones: Abalones) -> str:
    """Return the predictions and the age groups as a CSV file."""
    text = StringIO()
    text.write("predicted_rings,age\n")
    for score, age in zip(abalones.scores.tolist(), abalones.ages.tolist(), strict=True):
        text.write(f"{score:.4f},{age}\n")
    return text.getvalue()


def draw(thresholds: Thresholds) -> bytes:
    """Draw the thresholds between the scores of each group, as PNG."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure = thresholds.plot().figure_
    picture = BytesIO()
    figure.savefig(picture, dpi=150)
    plt.close(figure)
    return picture.getvalue()


def page_of(known: Abalones, thresholds: Thresholds) -> str:
    """Return the interactive page about the thresholds."""
    from ordcut.report import page

    return page(
        known.scores,
        known.ages,
        thresholds=thresholds,
        score_name="predicted rings",
        label_name="age",
        title="Ages of abalones",
    )
