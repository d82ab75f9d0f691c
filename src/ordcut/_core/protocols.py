"""What other packages provide to the core, as base classes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ordcut._core.data import Labels
    from ordcut._core.typing import Array


class LabelSource(ABC):
    """Labels that state their own classes and how they are smoothed, such as a panel of raters."""

    #: How labels are smoothed unless the caller says so.
    default_smoothing: ClassVar[float | Literal["auto"]] = 0.0

    @property
    @abstractmethod
    def row_names(self) -> Array | None:
        """The names of the rows, or None if these have no names but their positions."""

    @property
    @abstractmethod
    def n_unrated(self) -> int:
        """The number of items that have no label and are left out."""

    @abstractmethod
    def as_labels(
        self, classes: Sequence[Any] | Array | None = None, n_classes: int | None = None
    ) -> Labels:
        """Return the labels as codes or as soft labels, for given classes or for their own."""
