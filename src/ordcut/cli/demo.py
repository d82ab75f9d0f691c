"""``ordcut demo``."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option(
    "--output",
    default="demo-output",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder for the picture and the thresholds.",
)
def demo(output: Path) -> None:
    """Find thresholds on real data that ship with a package."""
    from ordcut.demo import run

    run(output)
