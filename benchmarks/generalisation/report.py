"""The parts of the benchmark: choosing defaults, reporting, limits, and simulated scores."""

from collections.abc import Callable
from pathlib import Path

from benchmarks.estimators.tables import markdown
from benchmarks.generalisation import pictures
from benchmarks.generalisation.datasets import Data
from benchmarks.generalisation.judge import (
    OBJECTIVES,
    SEEN,
    choices,
    judge,
    judge_libraries,
    labelings,
)
from benchmarks.generalisation.limits import table_of_limits, with_fewer_rows
from benchmarks.generalisation.scores import KINDS, LIBRARIES
from benchmarks.generalisation.simulated import simulate, table_of_models
from benchmarks.generalisation.summary import (
    OURS,
    REFERENCE,
    RIVALS,
    risks_of,
    table_against,
    table_against_the_paper,
    table_by_dataset,
    table_of_best_rivals,
    table_of_ratios,
)
from benchmarks.reports import write_csv
from experiments.versions import describe_versions

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).parent / "results"
DOCUMENT = ROOT / "docs" / "smoothing_measured.md"
PICTURE = ROOT / "docs" / "images" / "generalisation.png"


def choosing(every: list[Data], cache: Path, n_splits: int, output: Path) -> str:
    """Amounts of smoothing and ways to cross-fit, on the choosing sets, without networks."""
    kinds = ("linear", "boosted")
    rows = [
        row
        for data in every if data.role == "chooses"
        for kind in kinds
        for row in judge(data, kind, choices, cache, n_splits)
    ]  # fmt: skip
    write_csv(rows, output / "choosing.csv")
    parts = ["# choosing", choosing.__doc__ or ""]
    for kind in kinds:
        risks = risks_of(rows, kind)
        ways = list(dict.fromkeys(key[2] for key in risks))
        reference = "seen 0" if kind == "linear" else "pooled 0"
        parts += [f"## {kind} scores, relative to `{reference}`, {rows[0]['splits']} splits",
                  table_of_ratios(risks, ways, reference)]  # fmt: skip
    return _written(parts, output / "choosing.md")


def reporting(every: list[Data], cache: Path, n_splits: int, output: Path) -> str:
    """The estimators' default, other labelings and other libraries, on the reporting sets."""
    sets = [data for data in every if data.role == "reports"]
    rows = [
        row
        for data in sets
        for kind in KINDS
        for row in judge(data, kind, labelings, cache, n_splits)
    ]
    kinds = list(KINDS)
    parts = ["# reporting", reporting.__doc__ or ""]
    n_sets, splits = len(sets), rows[0]["splits"]
    parts += ["## Smoothed thresholds relative to likelihood labeling, "
              f"{n_sets} sets, {splits} splits", table_against(rows, kinds, "likelihood"),
              "## Relative to the best of " + ", ".join(RIVALS) + ", for each set and objective",
              table_of_best_rivals(rows, kinds),
              "## Relative to the paper's plain optimal thresholds, on the scores of rows seen",
              table_against_the_paper(rows, kinds)]  # fmt: skip
    for kind in kinds:
        parts += [f"## {kind} scores, relative to plain optimal thresholds",
                  table_of_ratios(risks_of(rows, kind), shown(rows, kind), REFERENCE)]  # fmt: skip
    parts += ["## By data set, all objectives together", table_by_dataset(rows, kinds)]
    pictures.draw(rows, kinds, (PICTURE if output == RESULTS else output / PICTURE.name))
    rows += [row for data in sets for row in judge_libraries(data, cache, n_splits)]
    parts += ["## Libraries, relative to the smoothed thresholds of a linear model",
              table_of_ratios(risks_of(rows, "linear"), list(LIBRARIES), OURS)]  # fmt: skip
    write_csv(rows, output / "reporting.csv")
    return _written(parts, output / "reporting.md")


def limits(every: list[Data], cache: Path, n_splits: int, output: Path) -> str:
    """The least risk that any thresholds could reach on linear scores; not used for any choice."""
    rows = [
        row for data in every for row in judge(data, "linear", with_fewer_rows, cache, n_splits)
    ]
    write_csv(rows, output / "limits.csv")
    shapes = {data.name: (len(data.labels), data.n_classes) for data in every}
    parts = ["# limits", limits.__doc__ or ""]
    for role, title in (("reports", "Reporting"), ("chooses", "Choosing")):
        names = {data.name for data in every if data.role == role}
        risks = risks_of([row for row in rows if row["dataset"] in names], "linear")
        parts += [f"## {title} sets, linear scores, relative to plain optimal thresholds, "
                  f"{n_splits} splits", table_of_limits(risks, shapes)]  # fmt: skip
    return _written(parts, output / "limits.md")


def simulated(_every: list[Data], _cache: Path, n_splits: int, output: Path) -> str:
    """Risks for whole simulated populations; the model of smoothing is right for the first."""
    rows = simulate(OBJECTIVES, 5 * n_splits)
    write_csv(rows, output / "simulated.csv")
    parts = ["# simulated", simulated.__doc__ or "",
             "## Relative to plain optimal thresholds, by model, and to likelihood labeling, "
             f"{rows[0]['repeats']} data sets", markdown(table_of_models(rows))]  # fmt: skip
    return _written(parts, output / "simulated.md")


def shown(rows: list[dict], kind: str) -> list[str]:
    """Return the labelings of a kind of scores, in the order of the tables."""
    found = {row["labeling"] for row in rows if row["scores"] == kind}
    return [name for name in (OURS, SEEN, *RIVALS) if name in found]


def _written(parts: list[str], file: Path) -> str:
    """Write a page of results, and update its tables in the document, if it shows them."""
    made = f"Made with {describe_versions()}."
    page = "\n\n".join(part.strip() for part in [*parts, made])
    file.write_text(f"{page}\n", encoding="utf-8")
    tables = "\n\n".join(part.strip().replace("## ", "### ") for part in parts[2:])
    begin, end = f"<!-- {file.stem} -->", f"<!-- end of {file.stem} -->"
    document = DOCUMENT.read_text(encoding="utf-8")
    if file.parent == RESULTS and begin in document:  # not for a trial run
        before, rest = document.split(begin)
        after = rest.split(end)[1]
        text = f"{before}{begin}\n{tables}\n{end}{after}"
        DOCUMENT.write_text(text, encoding="utf-8")
    return tables


PARTS: dict[str, Callable[[list[Data], Path, int, Path], str]] = {
    "choosing": choosing,
    "reporting": reporting,
    "limits": limits,
    "simulated": simulated,
}
