"""``ordcut bench``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING

import click

from ordcut.cli.options import json_option

if TYPE_CHECKING:
    from ordcut.bench import Clock, Effort, Problem

#: The calls that are measured: an objective and ``n_jobs``, where -1 means one thread per core.
CALLS = [
    ("absolute", 1),
    ("absolute", -1),
    ("squared", 1),
    ("quadratic_kappa", 1),
    ("zero_one", 1),
]


@click.command()
@click.option(
    "--rows",
    default=1_000_000,
    show_default=True,
    type=click.IntRange(min=100),
    help="The number of rows.",
)
@click.option(
    "--classes",
    default=10,
    show_default=True,
    type=click.IntRange(2, 256),
    help="The number of classes.",
)
@click.option(
    "--seconds",
    default=0.3,
    show_default=True,
    type=click.FloatRange(min=0),
    help="The minimum time spent on each call.",
)
@json_option
def bench(rows: int, classes: int, seconds: float, as_json: bool) -> None:
    """Time ordcut on this machine, relative to sorting.

    Each line shows the time of a complete call, from unsorted float32 scores and small integer
    labels to thresholds, and its ratio to NumPy's fastest sort of the scores.
    """
    from ordcut.bench import Effort, describe_machine
    from ordcut.cli.console import open_console, print_table

    if rows < classes:
        raise click.BadParameter(
            "must not be less than the number of classes.", param_hint="--rows"
        )
    calls = list(measure(rows, classes, Effort(rounds=2, seconds=seconds)))
    if as_json:
        problem = {"machine": describe_machine(), "rows": rows, "classes": classes}
        click.echo(json.dumps({**problem, "calls": [asdict(call) for call in calls]}, indent=2))
        return
    lines = [
        (
            call.objective,
            "all cores" if call.threads == -1 else call.threads,
            f"{1000 * call.seconds:.3g} ms",
            f"{call.over_sort:.3g}",
        )
        for call in calls
    ]
    header = ["objective", "threads", "time", "over np.sort"]
    print_table(open_console(), f"{rows:,} rows, {classes} classes", header, lines)
    click.echo(describe_machine())


@dataclass(frozen=True)
class Measurement:
    """The seconds of one call, and their ratio to those of sorting the scores."""

    objective: str
    threads: int
    seconds: float
    over_sort: float


def measure(n_rows: int, n_classes: int, effort: Effort) -> Iterator[Measurement]:
    """Measure every call side by side with a sort of the same float32 scores in one thread.

    Examples
    --------
    >>> from ordcut.bench import Effort
    >>> [one.objective for one in measure(1000, 5, Effort(rounds=1, seconds=0))][:2]
    ['absolute', 'absolute']
    """
    from ordcut.bench import normal, side_by_side, sorting
    from ordcut.jit import running_kernels_as

    problem = normal(n_rows, n_classes)
    # Otherwise small problems would run as plain Python until compiling pays off.
    with running_kernels_as("compiled"), sorting(problem.scores) as sort:
        for objective, threads in CALLS:
            clocks = {"sort": sort, "call": _clock(problem, objective, threads)}
            seconds = side_by_side(clocks, effort)
            ratio = seconds["call"] / seconds["sort"]
            yield Measurement(objective, threads, seconds["call"], ratio)


def _clock(problem: Problem, objective: str, threads: int) -> Clock:
    from ordcut import optimal_thresholds
    from ordcut.bench import clock

    call = partial(optimal_thresholds, objective=objective, n_jobs=threads)
    return clock(lambda: call(problem.scores, problem.labels))
