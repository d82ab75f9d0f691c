"""The parts of the benchmark, each of which writes a CSV file and a page."""

from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from inspect import cleandoc
from pathlib import Path

from benchmarks.boosting import pictures, training
from benchmarks.boosting import rivals as rivals_module
from benchmarks.boosting import speed as speed_module
from benchmarks.boosting import stopping as stopping_module
from benchmarks.boosting.columns import (
    CHOICES,
    COLUMNS,
    COST_COLUMN,
    L2_COLUMN,
    START,
    TWINS,
    judge,
)
from benchmarks.boosting.datasets import Data, load_all
from benchmarks.boosting.rivals import judge_rivals, times
from benchmarks.boosting.summary import table_by_dataset, table_of_ratios
from benchmarks.boosting.trees import NotCachedError
from benchmarks.estimators.tables import markdown
from benchmarks.generalisation.datasets import load_all as load_generalisation
from benchmarks.reports import write_csv
from experiments.versions import describe_versions
from ordcut._core.numerics.jit import running_kernels_as

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).parent / "results"
PICTURE, PICTURED = ROOT / "docs" / "images" / "boosting.png", "wage"

Run = Callable[[Iterable[tuple]], Iterator[list[dict]]]

L2, COST = ("LightGBM", L2_COLUMN), ("LightGBM", COST_COLUMN)

ABOUT_RISKS = """
Held-out risk over that of a reference: geometric means over data sets of the mean risk over splits,
with standard errors over data sets. `L2` is the regressor of LightGBM without any setting, on the
positions of the classes, with thresholds of `OrdinalThresholdClassifierCV`; `multiclass, expected
cost` is its classifier without any setting, with the class of least expected cost. The link has a
rate of 0.2 and 8 leaves; smaller trees are 8 leaves, and 40 rounds for several classes. The macro
MAE counts all classes the same.
"""


def _compiled(function: Callable[..., Iterator[dict]], *given: object) -> list[dict]:
    with running_kernels_as("compiled"), suppress(NotCachedError):
        return list(function(*given))
    return []


def _sets(role: str, arguments: Namespace) -> list[Data]:
    return [data for data in load_all() if data.role == role][: arguments.most_sets]


def _about(arguments: Namespace) -> str:
    """Return the number of splits, and how far the run is reduced."""
    reduced = " A reduced run: the default is 5 splits." * (arguments.splits < 5)
    return (
        f"{arguments.splits} splits (XGBoost and other packages: {arguments.fewer_splits}), at "
        f"most 1000 training rows, 5 folds.{reduced} Where a row counts fewer sets than the "
        "others, the run was stopped before the largest sets."
    )


def choosing(arguments: Namespace, run: Run) -> str:
    """Settings, links and averages, on the choosing sets."""
    jobs = [
        (_compiled, judge, CHOICES, "LightGBM", data, seed, arguments.cache)
        for data in _sets("chooses", arguments)
        for seed in range(arguments.fewer_splits)
    ]
    rows = [row for each in run(jobs) for row in each]
    write_csv(rows, arguments.output / "choosing.csv")
    parts = ["# Boosted trees: settings", choosing.__doc__ or "", ABOUT_RISKS,
             f"{arguments.fewer_splits} splits, at most 1000 training rows, 5 folds.",
             f"Over `{L2_COLUMN}`:", table_of_ratios(rows, L2),
             f"`{START}` over `{L2_COLUMN}` by data set:",
             table_by_dataset(rows, ("LightGBM", START), L2)]  # fmt: skip
    return _written(parts, arguments.output / "choosing.md")


def reporting(arguments: Namespace, run: Run) -> str:
    """Scores and averages of two scores, and other packages, on the reporting sets."""
    sets = _sets("reports", arguments)
    jobs = [
        (_compiled, judge, COLUMNS, "LightGBM", data, seed, arguments.cache)
        for seed in range(arguments.splits)
        for data in sets
    ]
    for seed in range(arguments.fewer_splits):
        for data in sets:
            jobs += [
                (_compiled, judge_rivals, data, seed, _pythons(arguments), arguments.cache),
                (_compiled, judge, TWINS, "XGBoost", data, seed, arguments.cache),
            ]
    rows = [row for each in run(jobs) for row in each]
    write_csv(rows, arguments.output / "reporting.csv")
    xgboost = [row for row in rows if row["library"] == "XGBoost"]
    parts = ["# Boosted trees: risk on new rows", reporting.__doc__ or "", ABOUT_RISKS,
             _about(arguments), rivals_module.__doc__ or "",
             f"## Over `{L2_COLUMN}`", table_of_ratios(rows, L2),
             f"## Over `{COST_COLUMN}`", table_of_ratios(rows, COST),
             f"## XGBoost, over its own `{L2_COLUMN}`",
             table_of_ratios(xgboost, ("XGBoost", L2_COLUMN)),
             f"## `{START}` over `{L2_COLUMN}` by data set",
             table_by_dataset(rows, ("LightGBM", START), L2),
             "## Data sets", _table_of_sets()]  # fmt: skip
    return _written(parts, arguments.output / "reporting.md")


def _table_of_sets() -> str:
    """Return all sets with their roles, and the reason for the roles."""
    import benchmarks.boosting.datasets as datasets_module

    old = {data.name for data in load_generalisation()}
    table = [
        {"data set": data.name, "role": data.role, "kind": data.kind, "rows": len(data.labels),
         "features": data.features.shape[1], "classes": data.n_classes,
         "role fixed by": "benchmarks.generalisation" if data.name in old else "this benchmark"}
        for data in load_all()
    ]  # fmt: skip
    return f"{datasets_module.__doc__}\n{markdown(table)}"


def stopping(arguments: Namespace, run: Run) -> str:
    """Early stopping in folds, on the reporting sets."""
    jobs = [
        (_compiled, stopping_module.judge, data, seed, n, arguments.cache)
        for data in _sets("reports", arguments)
        for n in stopping_module.EVALUATION_ROWS
        if stopping_module.has_enough_rows(data, n)
        for seed in range(arguments.fewer_splits)
    ]
    rows = [row for each in run(jobs) for row in each]
    write_csv(rows, arguments.output / "stopping.csv")
    parts = ["# Boosted trees: early stopping", stopping_module.__doc__ or "",
             f"{arguments.fewer_splits} splits."]  # fmt: skip
    for n in stopping_module.EVALUATION_ROWS:
        some = [row for row in rows if row["library"] == f"{n} rows"]
        if some:
            reference = (f"{n} rows", stopping_module.REFERENCE)
            parts += [f"## {n} evaluation rows", "Over L2 with its own stopping:",
                      table_of_ratios(some, reference),
                      stopping_module.table_of_rounds(some)]  # fmt: skip
    return _written(parts, arguments.output / "stopping.md")


def _pythons(arguments: Namespace) -> dict[str, str]:
    """Return the interpreter of each rival, from arguments such as ``OGBoost=path/to/python``."""
    return dict(each.split("=", 1) for each in arguments.rival)


def rivals(arguments: Namespace, _: Run) -> str:
    """CPU time of other packages for boosted ordinal trees, in one thread."""
    rows = list(times(_pythons(arguments), arguments.rival_rows))
    write_csv(rows, arguments.output / "rivals.csv")
    parts = ["# Boosted trees: other packages", rivals.__doc__ or "", markdown(rows)]
    return _written(parts, arguments.output / "rivals.md")


def times_of_training(arguments: Namespace, _: Run) -> str:
    """CPU time of the model to start with, over L2, from the runs on the reporting sets."""
    rows = training.measure(_sets("reports", arguments), arguments.splits, arguments.cache)
    write_csv(rows, arguments.output / "training.csv")
    parts = ["# Boosted trees: time of the model to start with", training.__doc__ or "",
             f"{arguments.splits} splits.", markdown(rows)]  # fmt: skip
    return _written(parts, arguments.output / "training.md")


def speed(arguments: Namespace, _: Run) -> str:
    """Times of training, taken in turns, and the share of the metric in a round."""
    rows = speed_module.measure(arguments.speed_rows, arguments.rounds, arguments.repeats)
    write_csv(rows, arguments.output / "speed.csv")
    parts = ["# Boosted trees: speed", speed_module.__doc__ or "",
             f"{arguments.repeats} repeats, two threads.", markdown(rows)]  # fmt: skip
    return _written(parts, arguments.output / "speed.md")


def picture(_: Namespace, __: Run) -> str:
    """The figure of the documentation."""
    data = next(data for data in load_generalisation() if data.name == PICTURED)
    pictures.draw(data, PICTURE)
    return f"{PICTURE.relative_to(ROOT)} was drawn."


PARTS: dict[str, Callable[[Namespace, Run], str]] = {
    "choosing": choosing,
    "reporting": reporting,
    "stopping": stopping,
    "rivals": rivals,
    "training": times_of_training,
    "speed": speed,
    "picture": picture,
}


def _written(parts: list[str], file: Path) -> str:
    made = f"Made with {describe_versions()}."
    text = "\n\n".join(cleandoc(part) for part in [*parts, made] if part.strip()) + "\n"
    file.write_text(text, encoding="utf-8")
    return text
