"""Completion in shells: ``ordcut completion``, and the names of columns."""

from __future__ import annotations

import os

import click
from click.shell_completion import CompletionItem, get_completion_class

#: How each shell loads completions at its start.
INSTALL = {
    "bash": 'eval "$(ordcut completion bash)"    # in ~/.bashrc',
    "zsh": 'eval "$(ordcut completion zsh)"     # in ~/.zshrc',
    "fish": "ordcut completion fish | source    # in ~/.config/fish/config.fish",
}


@click.command(epilog="\b\n" + "\n".join(INSTALL.values()))
@click.argument("shell", type=click.Choice(list(INSTALL)))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a script for SHELL that completes commands, options, files and columns."""
    completion_class = get_completion_class(shell)
    assert completion_class is not None
    # Only the text is needed. The method that prints it would first run the shell.
    script = completion_class(ctx.find_root().command, {}, "ordcut", "_ORDCUT_COMPLETE")
    click.echo(script.source_template % script.source_vars())


def complete_column(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the columns of the files on the command line that start with what is typed."""
    del param
    from ordcut.cli.engines import connect, read_relation
    from ordcut.cli.files import find_files

    # The option that is being typed has no value yet, and click then leaves words in ``args``.
    words = [*(ctx.params.get("files") or ()), *ctx.args]
    try:
        with ctx:
            files = find_files([word for word in words if os.path.exists(word)])
            names = read_relation(connect(), files, as_text=True).columns
    except Exception:  # a shell cannot show errors while it completes
        return []
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]
