"""What every form of a limit can say about thresholds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from ordcut._core.data import ClassShares
    from ordcut._core.limits.forms import Outcome
    from ordcut._core.thresholds import Promise
    from ordcut._core.typing import Array


class Form(ABC):
    """A limit in the form in which it is searched: what a constraint is lowered to."""

    #: The kind of form, by which limits are sorted.
    kind: ClassVar[str]

    @abstractmethod
    def reached(self, outcome: Outcome) -> Any:
        """Return the number that is limited, or the thresholds."""

    @abstractmethod
    def holds(self, outcome: Outcome) -> bool:
        """Return whether the limit holds."""

    def promise(self, outcome: Outcome) -> Promise | None:
        """Return what is promised for new rows; None without a confidence."""
        del outcome
        return None

    def on(self, totals: Array, unit: Fraction) -> Form:
        """Return the limit on rows with these exact weights of the classes, without a confidence.

        The weights are in multiples of ``unit``.
        """
        del totals, unit
        return self

    def in_population(self, shares: ClassShares) -> Form:
        """Return the limit for a population in which classes have given shares."""
        del shares
        return self

    @property
    def is_plain(self) -> bool:
        """Whether the limit does not depend on the weights of the classes."""
        return True

    @property
    def without_confidence(self) -> Form:
        """The limit as it was stated, to be judged on new rows."""
        return self
