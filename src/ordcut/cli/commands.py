"""All commands by name, with the module that holds each."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

import click

from ordcut import __version__

#: The name of each command, where it is written, and its one line of help: what ``ordcut --help``
#: shows without importing any of them.
COMMANDS = {
    "fit": ("ordcut.cli.fit:fit", "Find the optimal thresholds of a score in files."),
    "predict": ("ordcut.cli.predict:predict", "Label the rows of files by thresholds."),
    "evaluate": ("ordcut.cli.evaluate:evaluate", "Judge thresholds on files, by every objective."),
    "report": ("ordcut.cli.report:report", "Make a page on which thresholds can be moved."),
    "bench": ("ordcut.cli.bench:bench", "Measure ordcut on this machine, against sorting."),
    "demo": ("ordcut.cli.demo:demo", "Find thresholds on real data that ship with a package."),
    "experiment": ("ordcut.experiments.command:experiment", "Run the paper's experiment."),
    "completion": ("ordcut.cli.completion:completion", "Print the completions for a shell."),
}


@dataclass
class State:
    """What the whole command line shares."""

    traceback: bool = False


class LazyGroup(click.Group):
    """A group that imports a command only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, or None if there is no such one."""
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name][0].split(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names and one line each, with no import."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ordcut")
@click.option("--traceback", is_flag=True, help="Show where an error comes from.")
@click.pass_context
def ordcut(ctx: click.Context, traceback: bool) -> None:
    """Find the exactly optimal thresholds that turn scores into ordered labels."""
    ctx.ensure_object(State).traceback = traceback
