"""``ordcut completion``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

#: How each shell is told to load completions at its start.
INSTALL = {
    "bash": 'eval "$(ordcut completion bash)"    # in ~/.bashrc',
    "zsh": 'eval "$(ordcut completion zsh)"     # in ~/.zshrc',
    "fish": "ordcut completion fish | source    # in ~/.config/fish/config.fish",
}


@click.command(epilog="\b\n" + "\n".join(INSTALL.values()))
@click.argument("shell", type=click.Choice(list(INSTALL)))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that makes SHELL complete commands, options, files and columns."""
    kind = get_completion_class(shell)
    assert kind is not None
    # Only the text is wanted: the class would first look for the shell itself.
    maker = kind(ctx.find_root().command, {}, "ordcut", "_ORDCUT_COMPLETE")
    click.echo(maker.source_template % maker.source_vars())
