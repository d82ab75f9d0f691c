"""Items in memory, with a score and the ratings of each, as a source of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from ordcut._core.data import Rows, WeightType, as_scores, check_aligned
from ordcut._core.pruning import ArraySource
from ordcut._core.typing import Array, ArrayLike, Floats
from ordcut.panels.panel import Panel


@dataclass(frozen=True, eq=False)
class PanelSource(ArraySource):
    """Items in memory, with a score and the ratings of each.

    Attributes
    ----------
    item_scores : ndarray of shape (n_items,)
        The score of each item of the panel, also of items without a rating.
    panel : Panel
        The ratings, with the names of the items.
    item_weights : array-like of shape (n_items,), optional
        How much each item counts.

    Examples
    --------
    >>> source = PanelSource.of([0.2, 0.5, 0.7], Panel([[1, 2], [None, None], [2, 2]]))
    >>> source.n_rows, len(source.panel)
    (2, 3)
    """

    item_scores: Floats = None  # type: ignore[assignment]
    panel: Panel = None  # type: ignore[assignment]
    item_weights: ArrayLike | None = None

    @classmethod
    def of(
        cls,
        scores: ArrayLike,
        panel: Panel,
        *,
        weights: ArrayLike | None = None,
        weight_type: WeightType | None = None,
        classes: Sequence[Any] | Array | None = None,
        n_classes: int | None = None,
        n_threads: int = 1,
        **attributes: Any,
    ) -> Self:
        """Read the scores and ratings of items; ``attributes`` belong to a subclass."""
        check_aligned(scores=scores, panel=panel, sample_weight=weights)
        array = as_scores(scores)
        rows = Rows.read(
            array,
            panel,
            classes=classes,
            n_classes=n_classes,
            weights=weights,
            weight_type=weight_type,
        )
        panel = panel.with_classes(rows.classes)
        return cls(rows, n_threads, array, panel, weights, **attributes)
