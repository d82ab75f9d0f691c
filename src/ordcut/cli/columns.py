"""The columns that a command asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from ordcut.cli.failures import UserError
from ordcut.cli.inputs import Files


@dataclass(frozen=True)
class Columns:
    """The names of columns, None for what a command has no need of.

    Attributes
    ----------
    score, label, weight : str, optional
        What the options of these names say.
    others : tuple of str
        Other columns that hold classes.
    """

    score: str | None = None
    label: str | None = None
    weight: str | None = None
    others: tuple[str, ...] = ()

    @property
    def numbers(self) -> list[str]:
        """The columns that must hold numbers."""
        return [name for name in (self.score, self.weight) if name is not None]

    @property
    def classes(self) -> list[str]:
        """The columns that hold classes, and no numbers that are asked for."""
        names = [name for name in (self.label, *self.others) if name is not None]
        return [name for name in names if name not in self.numbers]

    @property
    def every(self) -> list[str]:
        """All columns, each once."""
        return list(dict.fromkeys([*self.numbers, *self.classes]))

    def check(self, there: Sequence[str], files: Files) -> None:
        """Say which column is missing, and which was perhaps meant."""
        named = [("--score", self.score), ("--label", self.label), ("--weight", self.weight)]
        named += [("--against", name) for name in self.others]
        for option, name in named:
            if name is not None and name not in there:
                near = get_close_matches(name, there, n=1)
                hint = f' Did you mean "{near[0]}"?' if near else ""
                raise UserError(
                    f'{option} must name a column of {files.name}, got "{name}". '
                    f"Its columns are: {', '.join(there)}.{hint}"
                )
