"""The gate of ``ordcut evaluate``: the rows of files for ``ordcut.gate``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ordcut.cli.console import as_line
from ordcut.cli.failures import UserError
from ordcut.frames import RatedItems
from ordcut.studies.batch import Batch
from ordcut.studies.gate import Gate, judge_batch

if TYPE_CHECKING:
    from ordcut.cli.thresholds_file import SavedRows


def gate_of(
    rows: SavedRows,
    before: dict[str, SavedRows],
    target: float | None,
    fail_under: float | None,
) -> Gate:
    """Compare thresholds with labels or people, with a target, and with former months."""
    thresholds, is_panel = rows.saved.thresholds, rows.columns.is_panel
    if thresholds.decides_otherwise and is_panel:
        raise UserError(
            "--intervals, --target, --fail-under and --against a file need thresholds that "
            "predict classes, and these decide otherwise. Fit thresholds without --review "
            "and --decisions."
        )
    return judge_batch(
        thresholds,
        batch_of(rows),
        rows.objective if is_panel else rows.weighted_objective,
        target=target,
        fail_under=fail_under,
        against={as_line(path): batch_of(former) for path, former in before.items()},
    )


def batch_of(rows: SavedRows) -> Batch:
    """Return the rows of files, with ratings of several people or single labels."""
    source = rows.source
    assert isinstance(source, RatedItems)
    panel = source.panel
    names = panel.items if panel.row_names is not None else None
    if rows.columns.is_panel:
        return Batch(source.item_scores, panel, names)
    labels = panel.classes[np.argmax(panel.counts, axis=1)]
    weights, weight_type = source.item_weights, source.rows.weight_type
    return Batch(source.item_scores, labels, names, None, weights, weight_type)
