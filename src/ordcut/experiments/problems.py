"""What is wrong with a data set, all of it in one message."""

from __future__ import annotations

from collections.abc import Sequence

#: How many names a message shows of many.
N_SHOWN = 5


class DatasetError(ValueError):
    """A data set that cannot be used as it is; the message names every problem found.

    Attributes
    ----------
    problems : tuple of str
        One sentence or two a problem: what must hold, what came instead, what to do.

    Examples
    --------
    >>> print(DatasetError("AFAD in /data", ["No image is there.", "No age is."]))
    AFAD in /data cannot be used, 2 problems:
    - No image is there.
    - No age is.
    """

    def __init__(self, where: str, problems: Sequence[str]) -> None:
        self.where = where
        self.problems = tuple(problems)
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        lines = [f"{where} cannot be used, {count}:", *(f"- {problem}" for problem in problems)]
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[type[DatasetError], tuple[str, tuple[str, ...]]]:
        return type(self), (self.where, self.problems)


def some(names: Sequence[str]) -> str:
    """Return the first few names and how many more there are.

    Examples
    --------
    >>> some(["a", "b", "c", "d", "e", "f", "g"])
    'a, b, c, d, e and 2 more'
    """
    shown = ", ".join(names[:N_SHOWN])
    return shown if len(names) <= N_SHOWN else f"{shown} and {len(names) - N_SHOWN} more"
