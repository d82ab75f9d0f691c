"""``ordcut bench``."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from ordcut.cli.options import json_option


@click.command()
@click.option(
    "--rows",
    default=1_000_000,
    show_default=True,
    type=click.IntRange(min=100),
    help="How many rows.",
)
@click.option(
    "--classes",
    default=10,
    show_default=True,
    type=click.IntRange(2, 256),
    help="How many classes.",
)
@click.option(
    "--seconds",
    default=0.3,
    show_default=True,
    type=click.FloatRange(min=0),
    help="How long to measure each call, at least.",
)
@json_option
def bench(rows: int, classes: int, seconds: float, as_json: bool) -> None:
    """Measure ordcut on this machine, against sorting.

    Each line is a whole call, from unsorted float32 scores and small integer labels to thresholds,
    and its time as a multiple of what NumPy takes to sort the scores by its fastest code path.
    """
    from ordcut.bench import machine
    from ordcut.bench.quick import measure
    from ordcut.bench.timing import Effort
    from ordcut.cli.tables import console, print_table

    if rows < classes:
        raise click.BadParameter("must not be less than the classes.", param_hint="--rows")
    found = list(measure(rows, classes, Effort(rounds=2, seconds=seconds)))
    if as_json:
        facts = {"machine": machine.describe(), "rows": rows, "classes": classes}
        click.echo(json.dumps({**facts, "calls": [asdict(one) for one in found]}, indent=2))
        return
    lines = [
        (
            one.objective,
            "all cores" if one.threads == -1 else one.threads,
            f"{1000 * one.seconds:.3g} ms",
            f"{one.over_sort:.3g}",
        )
        for one in found
    ]
    header = ["objective", "threads", "time", "over np.sort"]
    print_table(console(), f"{rows:,} rows, {classes} classes", header, lines)
    click.echo(machine.describe())
