"""``ordcut demo``."""

from __future__ import annotations

from pathlib import Path

import click

from ordcut.cli.options import force_option
from ordcut.cli.outputs import Outputs

#: What the demo leaves in its folder.
FILES = ("thresholds.json", "thresholds.png")


@click.command()
@click.option(
    "--output",
    default="demo-output",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder for the picture and the thresholds.",
)
@force_option
def demo(output: Path, force: bool) -> None:
    """Find thresholds on real data that ship with a package."""
    from ordcut.demo import run

    output.mkdir(parents=True, exist_ok=True)
    with Outputs(force=force) as outputs:
        files = {name: outputs.add("--output", str(output / name)) for name in FILES}
        made = run()
        for name, file in files.items():
            file.write(made[name])
        outputs.publish()
    click.echo("\nWrote " + " and ".join(str(output / name) for name in FILES) + ".")
