"""The library's own errors and warnings, and the wording that several of them share."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class CrossedThresholdsError(ValueError):
    """The independent minima came out in the wrong order, so Theorem 1 does not apply.

    Attributes
    ----------
    pair : tuple of int
        The numbers, counted from 1, of the first two neighbouring thresholds that crossed.
    """

    def __init__(self, method: str, lower: int) -> None:
        self.method = method
        self.pair = (lower, lower + 1)
        super().__init__(
            f'method="{method}" needs a convex objective or minima that come out ordered; '
            f'thresholds {lower} and {lower + 1} crossed. Use method="dp" or "auto".'
        )

    def __reduce__(self) -> tuple[type[CrossedThresholdsError], tuple[str, int]]:
        return type(self), (self.method, self.pair[0])


class UnorderedLabelsWarning(UserWarning):
    """Labels came as text with no stated order, so an order had to be assumed."""


class ReversedScoresWarning(UserWarning):
    """Scores fall as classes rise, so that no thresholds can do well."""


def unknown_name(argument: str, got: object, known: Iterable[str]) -> ValueError:
    """Return the error for a name that is not among the known ones; it suggests the nearest.

    Examples
    --------
    >>> print(unknown_name("method", "nestd", ["dp", "nested"]))
    method must be one of "dp", "nested", got 'nestd'. Did you mean "nested"?
    """
    known = list(known)
    listed = ", ".join(f'"{name}"' for name in known)
    near = get_close_matches(str(got).lower(), known, n=1, cutoff=0.5)
    hint = f' Did you mean "{near[0]}"?' if near else ""
    return ValueError(f"{argument} must be one of {listed}, got {got!r}.{hint}")
