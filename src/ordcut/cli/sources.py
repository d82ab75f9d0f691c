"""From files to a source, and from a source to thresholds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np

from ordcut.arrays import Array, Floats
from ordcut.cli.columns import Columns
from ordcut.cli.duck import quoted
from ordcut.cli.engines import open_frame
from ordcut.cli.failures import UserError
from ordcut.cli.inputs import find_files
from ordcut.cli.options import read_classes
from ordcut.cli.saved import Saved, read_saved
from ordcut.finding import find_thresholds
from ordcut.labels import codes_of
from ordcut.objectives import Objective, ObjectiveLike, n_classes_of, resolve_objective
from ordcut.solvers import Plan
from ordcut.solvers.pruned import PrunedProblem
from ordcut.sources.frames import FrameSource
from ordcut.threads import count_threads
from ordcut.thresholds import Thresholds

Tell = Callable[[str], None] | None


def open_source(
    frame: Any,
    columns: Columns,
    nulls: Any,
    tell: Tell,
    *,
    classes: Sequence[Any] | Array | str | None = None,
    objective: ObjectiveLike = "absolute",
) -> FrameSource:
    """Return the rows of a frame as a source, with classes as text where a command names them."""
    assert columns.score is not None
    assert columns.label is not None
    if isinstance(classes, str):
        classes = read_classes(classes, nw.from_native(frame).collect_schema()[columns.label])
    return FrameSource(
        frame,
        score=columns.score,
        label=columns.label,
        weight=columns.weight,
        classes=classes,
        n_classes=n_classes_of(objective),
        nulls=nulls,
        progress=tell or False,
    )


@dataclass(frozen=True)
class Opened:
    """Rows of files, and thresholds for them.

    Attributes
    ----------
    saved : Saved
        The thresholds.
    columns : Columns
        Where scores, labels and weights are.
    frame : DuckDBPyRelation
        The rows.
    source : FrameSource
        The rows, to be asked by solvers.
    """

    saved: Saved
    columns: Columns
    frame: Any
    source: FrameSource

    @property
    def objective(self) -> Objective:
        """What the thresholds are for; the absolute loss if their file does not say it."""
        return resolve_objective(self.saved.objective or "absolute", len(self.source.classes))

    def other_confusions(self) -> dict[str, Floats]:
        """Return the (predicted, true) table of weights of each column of other predictions."""
        return {name: self._confusion(name) for name in self.columns.others}

    def _confusion(self, name: str) -> Floats:
        columns, classes = self.columns, self.source.classes
        weight = "1" if columns.weight is None else quoted(columns.weight)
        needed = [*columns.numbers, *columns.classes]
        is_whole = " AND ".join(f"{quoted(one)} IS NOT NULL" for one in needed if one != name)
        pair = f"{quoted(name)}, {quoted(str(columns.label))}"
        counted = self.frame.filter(is_whole).aggregate(f"{pair}, sum({weight})").fetchall()
        predicted, true, weights = (list(column) for column in zip(*counted, strict=True))
        if None in predicted:
            raise UserError(
                f'--against must name a column without gaps, and "{name}" has some. '
                "Drop those rows, or give them a class."
            )
        table = np.zeros((len(classes), len(classes)))
        cells = codes_of(predicted, classes, f'column "{name}"'), codes_of(true, classes, "labels")
        np.add.at(table, cells, np.array(weights, np.float64))
        return table


def find(source: FrameSource, objective: ObjectiveLike) -> Thresholds:
    """Return the optimal thresholds of a source."""
    problem = PrunedProblem(source, count_threads(None))
    return find_thresholds(problem, objective, "pruned", None, Plan())


def open_with_thresholds(
    files: Sequence[str],
    thresholds_file: str,
    columns: Columns,
    nulls: Any,
    format: str | None,
    separator: str | None,
    tell: Tell,
) -> Opened:
    """Open files with the columns, and in the classes, that thresholds were found for."""
    if thresholds_file == "-" and "-" in files:
        raise UserError(
            "--thresholds and FILES must not both be - (standard input). Save one in a file."
        )
    saved = read_saved(thresholds_file)
    before = saved.columns
    columns = replace(
        columns,
        score=columns.score or before.score,
        label=columns.label or before.label,
        weight=columns.weight or before.weight,
    )
    for option, name in (("--score", columns.score), ("--label", columns.label)):
        if name is None:
            raise UserError(f"{option} must be given, since {thresholds_file} does not name it.")
    frame = open_frame("duckdb", find_files(files, format, separator), columns)
    source = open_source(frame, columns, nulls, tell, classes=saved.found.classes)
    return Opened(saved, columns, frame, source)
