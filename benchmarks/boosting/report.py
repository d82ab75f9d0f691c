"""The parts of the benchmark, each of which writes a CSV file and a page."""

from argparse import Namespace
from collections.abc import Callable, Iterable
from inspect import cleandoc
from pathlib import Path

from benchmarks.boosting import pictures
from benchmarks.boosting import rivals as rivals_module
from benchmarks.boosting import speed as speed_module
from benchmarks.boosting.judge import judge
from benchmarks.boosting.models import ROUNDS, SIZES
from benchmarks.boosting.rivals import judge_ours, judge_rival, read_pythons, times
from benchmarks.boosting.speed import measure
from benchmarks.boosting.stopping import stop
from benchmarks.boosting.summary import (
    geometric_mean,
    in_hindsight,
    ratios,
    risks_by_split,
    table_by_dataset,
    table_of_log_losses,
    table_of_ratios,
)
from benchmarks.estimators.tables import markdown
from benchmarks.generalisation.datasets import Data, load_all
from benchmarks.generalisation.judge import OBJECTIVES
from benchmarks.reports import write_csv
from experiments.versions import describe_versions
from ordcut._core.numerics.jit import running_kernels_as

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).parent / "results"
PICTURE, PICTURED = ROOT / "docs" / "images" / "boosting.png", "wage"

Run = Callable[[Iterable[tuple]], list[list[dict]]]

OURS, REFERENCE = "cumulative + thresholds", "L2 + thresholds"
BY_LIKELIHOOD = f"{OURS}, tuned by likelihood"
BY_SQUARED_ERROR = f"{REFERENCE}, tuned by squared error"


def _judged(*given: object) -> list[dict]:
    with running_kernels_as("compiled"):
        return list(judge(*given))


def _stopped(*given: object) -> list[dict]:
    with running_kernels_as("compiled"):
        return list(stop(*given))


def _sets(role: str, most_rows: int) -> list[Data]:
    return [data for data in load_all() if data.role == role and len(data.labels) <= most_rows]


def _about(arguments: Namespace, exceptions: str = "") -> str:
    """Return the size of the run, and how far it is reduced."""
    about = (
        f"{arguments.splits} splits{exceptions}, {arguments.folds} folds, {len(SIZES)} learning "
        f"rates and sizes, up to {ROUNDS[-1]} rounds."
    )
    if arguments.splits < 10 or arguments.folds < 5:
        about += " A reduced run: the defaults are 10 splits and 5 folds."
    return about


def choosing(arguments: Namespace, run: Run) -> str:
    """Links, Hessians and the least sum of Hessians in a leaf, on the choosing sets.

    `cumulative` is the logit link with a sum of Hessians of at least 3 in a leaf. `logit` and those
    below it have LightGBM's own minimum, 0.001.
    """
    kinds = {
        "LightGBM": ("L2", "cumulative", "logit", "probit", "cloglog", "expected Hessian"),
        "XGBoost": ("L2", "cumulative"),
    }
    jobs = [
        (_judged, data, library, kind, seed, arguments.folds, arguments.cache)
        for library in kinds
        for data in _sets("chooses", min(arguments.most_rows, arguments.large))
        for kind in kinds[library]
        for seed in range(arguments.splits)
    ]
    rows = [row for each in run(jobs) for row in each]
    write_csv(rows, arguments.output / "choosing.csv")
    parts = ["# Boosted trees: links and Hessians", choosing.__doc__ or "", _about(arguments),
             f"Held-out risk over that of `{REFERENCE}`:", table_of_ratios(rows, REFERENCE),
             f"`{OURS}` over `{REFERENCE}` by data set:",
             table_by_dataset(rows, OURS, REFERENCE),
             "Log-loss:",
             table_of_log_losses(rows, kinds["LightGBM"][1:])]  # fmt: skip
    return _written(parts, arguments.output / "choosing.md")


def stopping(arguments: Namespace, run: Run) -> str:
    """Early stopping by thresholds against early stopping by likelihood, on the choosing sets."""
    jobs = [
        (_stopped, data, seed)
        for data in _sets("chooses", min(arguments.most_rows, arguments.large))
        for seed in range(arguments.splits)
    ]
    rows = [row for each in run(jobs) for row in each]
    write_csv(rows, arguments.output / "stopping.csv")
    parts = ["# Boosted trees: early stopping", stopping.__doc__ or "",
             f"{arguments.splits} splits, LightGBM with a rate of 0.05, 15 leaves and up to 400 "
             "rounds." + " A reduced run: the default is 10 splits." * (arguments.splits < 10),
             "Held-out risk over that of stopping by likelihood:",
             table_of_ratios(rows, "likelihood")]  # fmt: skip
    return _written(parts, arguments.output / "stopping.md")


def reporting(arguments: Namespace, run: Run) -> str:
    """Ours, the library's own objectives and ways to label, on the reporting sets and diamonds.

    L2 and ours have a sum of Hessians of at least 3 in a leaf, as chosen on the choosing sets.
    """
    sets = _sets("reports", arguments.most_rows)
    # A second set of 50 000 rows; nothing was chosen on it.
    sets += [each for each in _sets("chooses", arguments.most_rows) if each.name == "diamonds"]
    jobs = []
    for data in sets:
        is_large = len(data.labels) >= arguments.large
        kinds = ("L2", "cumulative") if is_large else ("L2", "L1", "multiclass", "cumulative")
        for kind in kinds:
            is_reduced = is_large or kind in ("L1", "multiclass")
            n_splits = max(1, arguments.splits // 3) if is_reduced else arguments.splits
            jobs += [
                (_judged, data, library, kind, seed, arguments.folds, arguments.cache)
                for library in ("LightGBM", "XGBoost")
                for seed in range(n_splits)
            ]
    jobs.sort(key=lambda job: -len(job[1].labels))  # the longest first
    rows = [row for each in run(jobs) for row in each]
    write_csv(rows, arguments.output / "reporting.csv")
    exceptions = (
        f" ({max(1, arguments.splits // 3)} for L1 and multiclass, and on sets of at least "
        f"{arguments.large} rows, which have L2 and ours only)"
    )
    parts = ["# Boosted trees: risk on new rows", reporting.__doc__ or "",
             _about(arguments, exceptions), _headline(rows),
             f"Held-out risk over that of `{REFERENCE}`:", table_of_ratios(rows, REFERENCE),
             f"`{OURS}` over `{REFERENCE}` by data set:",
             table_by_dataset(rows, OURS, REFERENCE),
             f"`{BY_LIKELIHOOD}` over `{BY_SQUARED_ERROR}` by data set:",
             table_by_dataset(rows, BY_LIKELIHOOD, BY_SQUARED_ERROR),
             "Log-loss of probabilities:",
             table_of_log_losses(rows, ["cumulative", "multiclass"])]  # fmt: skip
    return _written(parts, arguments.output / "reporting.md")


def _headline(rows: list[dict]) -> str:
    risks, lines = risks_by_split(rows), []
    for library in ("LightGBM", "XGBoost"):
        for ours, reference in ((OURS, REFERENCE), (BY_LIKELIHOOD, BY_SQUARED_ERROR)):
            each = [
                value
                for objective in OBJECTIVES
                for value in ratios(risks, library, ours, reference, objective).values()
            ]
            lines.append(
                f"- {library}: `{ours}` has {geometric_mean(each):.3f} of the risk of "
                f"`{reference}`, and less in {sum(value < 1 for value in each)} of {len(each)} "
                "cases."
            )
        lines.append(
            f"- {library}: the lowest risk of all methods in each case, chosen in hindsight, is "
            f"{in_hindsight(risks, library, REFERENCE):.3f} of that of `{REFERENCE}`."
        )
    return "\n".join(lines)


def rivals(arguments: Namespace, _: Run) -> str:
    """Other packages for boosted ordinal trees, without tuning, on the reporting sets."""
    pythons, rows, failures = read_pythons(arguments), [], {}
    sets = [each for each in _sets("reports", arguments.most_rows) if len(each.labels) < 6000]
    for data in sets:
        for seed in range(arguments.splits):
            rows += judge_ours(data, seed)
            for name, python in pythons.items():
                if name not in failures:
                    more, failure = judge_rival(data, seed, name, python, arguments.cache)
                    rows += more
                    if failure:
                        failures[name] = f"{data.name}: {failure}"
    write_csv(rows, arguments.output / "rivals.csv")
    seconds = times(pythons, arguments.rival_rows, arguments.cache)
    write_csv(seconds, arguments.output / "rivals_speed.csv")
    methods = ["ordcut", *(name for name in pythons if name not in failures)]
    parts = ["# Boosted trees: other packages", rivals_module.__doc__ or "",
             f"Reporting sets of fewer than 6000 rows; splits: {arguments.splits}.",
             "Held-out risk over that of ordcut:",
             table_of_ratios(rows, "ordcut"), "Log-loss:", table_of_log_losses(rows, methods),
             "Seconds of a fit, one thread:", markdown(seconds),
             *(f"{name} did not run. {why}" for name, why in failures.items())]  # fmt: skip
    return _written(parts, arguments.output / "rivals.md")


def speed(arguments: Namespace, _: Run) -> str:
    """Times of training, taken in turns, and the share of the metric in a round."""
    rows = measure(arguments.speed_rows, arguments.rounds, arguments.repeats)
    write_csv(rows, arguments.output / "speed.csv")
    parts = ["# Boosted trees: speed", speed_module.__doc__ or "",
             f"{arguments.repeats} repeats, two threads.", markdown(rows)]  # fmt: skip
    return _written(parts, arguments.output / "speed.md")


def picture(_: Namespace, __: Run) -> str:
    """The figure of the documentation."""
    data = next(data for data in load_all() if data.name == PICTURED)
    pictures.draw(data, PICTURE)
    return f"{PICTURE.relative_to(ROOT)} was drawn."


PARTS: dict[str, Callable[[Namespace, Run], str]] = {
    "choosing": choosing,
    "stopping": stopping,
    "reporting": reporting,
    "rivals": rivals,
    "speed": speed,
    "picture": picture,
}


def _written(parts: list[str], file: Path) -> str:
    made = f"Made with {describe_versions()}."
    text = "\n\n".join(cleandoc(part) for part in [*parts, made] if part.strip()) + "\n"
    file.write_text(text, encoding="utf-8")
    return text
