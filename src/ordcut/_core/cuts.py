"""What every search returns: where sorted rows are cut, and all that a result needs to know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ordcut._core.thresholds import Certificate
from ordcut._core.typing import Array, Floats, Ints

#: The scores below and above each cut, infinite at the ends, and the thresholds between them.
Placed = tuple[tuple[Array, Array], Floats]


@dataclass(frozen=True, eq=False)
class Cuts:
    """Cuts of sorted rows, the method that computed them and why they are optimal.

    What not every caller needs is computed when it is first asked for.

    Attributes
    ----------
    cuts : ndarray of shape (D - 1,)
        Cut ``k`` is the number of rows with decision ``k`` or lower.
    method : str
        The name of the method.
    certificate : Certificate
        Why the cuts are optimal.
    weigh : callable
        Returns the exact weight of each decision and class, (D, K), on the rows that limits are
        about.
    place : callable
        Returns the scores around the cuts, and the thresholds halfway between these.
    at : ndarray of shape (D - 1,), optional
        The thresholds, where limits put them elsewhere.
    is_whole : bool
        Whether weights are whole numbers, whose sums have no rounding.
    is_free : bool
        Whether the cuts are optimal without any limits.
    """

    cuts: Ints
    method: str
    certificate: Certificate
    weigh: Callable[[], Array]
    place: Callable[[], Placed]
    at: Floats | None = None
    is_whole: bool = True
    is_free: bool = True

    @property
    def around(self) -> tuple[Array, Array]:
        """The scores below and above each cut."""
        return self.place()[0]

    @property
    def thresholds(self) -> Floats:
        """The thresholds: where limits put them, or halfway between the scores around each cut."""
        return self.place()[1] if self.at is None else self.at
