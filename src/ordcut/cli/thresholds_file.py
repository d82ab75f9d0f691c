"""The file of thresholds: the JSON of the library, with the names of columns.

``Thresholds.from_json`` reads the file as well and ignores these.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ordcut._core.objectives import Objective
from ordcut._core.thresholds import (
    Thresholds,
    json_text,
    objective_for,
    read_limited,
    with_record,
)
from ordcut.cli.failures import UserError
from ordcut.cli.files import Columns, Reading, find_files
from ordcut.cli.options import read_class_weight, read_objective
from ordcut.studies.paired import weighted_as_found

if TYPE_CHECKING:
    from ordcut.frames import FrameSource, RatedItems


@dataclass(frozen=True)
class ThresholdsFile:
    """Thresholds, with the information needed to use them on similar files.

    Attributes
    ----------
    thresholds : Thresholds
        The thresholds.
    columns : Columns
        The columns of the scores, labels and weights.
    intervals : dict, optional
        Bootstrap intervals of the thresholds and of their value.
    path : str
        The path of the file.
    has_time : bool
        Whether the file holds the time when it is written.

    Examples
    --------
    >>> from ordcut import optimal_thresholds
    >>> file = ThresholdsFile(optimal_thresholds([1, 2], [3, 4]), Columns("s"))
    >>> file.as_dict()["columns"]
    {'score': 's', 'label': None, 'weight': None}
    """

    thresholds: Thresholds
    columns: Columns
    intervals: dict[str, Any] | None = None
    path: str = "-"
    has_time: bool = True

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values."""
        columns = self.columns
        labels = list(columns.labels) if len(columns.labels) > 1 else columns.label
        names = {"score": columns.score, "label": labels, "weight": columns.weight}
        keys = {"item": columns.item, "rater": columns.rater}
        names |= {key: name for key, name in keys.items() if name is not None}
        data = with_record(self.thresholds, time=self.has_time, intervals=self.intervals)
        return {**data, "columns": names}

    def as_text(self) -> str:
        """Return the text of the file."""
        return json_text(self.as_dict()) + "\n"

    def objective(self, option: str | None = None, decimal: str = ".") -> Objective:
        """Return the objective given by an option, or else the objective of the thresholds."""
        thresholds = self.thresholds
        if option is None:
            return objective_for(thresholds, None, thresholds.classes)
        own = thresholds.decisions if thresholds.decides_otherwise else None
        given = read_objective(option, None if own is None else len(own), decimal)
        goal = given if isinstance(given, str) else given.for_classes(thresholds.classes, own)
        return objective_for(thresholds, goal, thresholds.classes)

    def weighted(self, objective: Objective, option: str | None = None) -> Objective:
        """Return an objective with the class weights of an option, or else of the thresholds."""
        if option is None:
            return weighted_as_found(objective, self.thresholds, None)
        classes = self.thresholds.classes
        return objective.weighted(read_class_weight(option, classes), classes)

    def columns_for(self, columns: Columns) -> Columns:
        """Return columns; the file names columns that options do not name."""
        columns = replace(
            columns,
            score=columns.score or self.columns.score,
            labels=columns.labels or self.columns.labels,
            weight=columns.weight or self.columns.weight,
            item=columns.item or (None if columns.labels else self.columns.item),
            rater=columns.rater or (None if columns.labels else self.columns.rater),
        )
        for option, name in (("--score", columns.score), ("--label", columns.label)):
            if name is None:
                raise UserError(f"{option} must be given, since {self.path} does not name it.")
        return columns


def read_thresholds_file(
    path: str, files: Sequence[str], option: str = "--thresholds"
) -> ThresholdsFile:
    """Read a file of thresholds for FILES, which must not be standard input as well."""
    if path == "-" and "-" in files:
        raise UserError(
            "--thresholds and FILES must not both be - (standard input). Save one in a file."
        )
    try:
        with nullcontext(sys.stdin) if path == "-" else open(path, encoding="utf-8") as file:
            text = read_limited(file)
        thresholds = Thresholds.from_json(text)
        data = json.loads(text)
        intervals = None if thresholds.record is None else thresholds.record.intervals
    except OSError as error:
        raise UserError(
            f"{option} must be a file that can be read, but {path} cannot: {error.strerror}. "
            "Write one with: ordcut fit -o."
        ) from error
    except (OverflowError, TypeError, ValueError) as error:  # including text that is not UTF-8
        raise UserError(
            f"{option} must be a file that ordcut fit wrote, but {path} is not: {error}"
        ) from error
    names = data.get("columns")
    names = names if isinstance(names, dict) else {}
    keys = ("score", "weight", "item", "rater")
    known = {key: names[key] for key in keys if isinstance(names.get(key), str)}
    label = names.get("label")
    labels = label if isinstance(label, list) else [label]
    columns = Columns(**known, labels=tuple(name for name in labels if isinstance(name, str)))
    return ThresholdsFile(thresholds, columns, intervals, path)


@dataclass(frozen=True)
class SavedRows:
    """Saved thresholds and the rows of files that a command uses them on.

    Attributes
    ----------
    saved : ThresholdsFile
        The thresholds.
    objective, weighted_objective : Objective
        What they are judged by, without and with class weights.
    columns : Columns
        The columns of the rows.
    frame : dataframe
        The files.
    source : FrameSource or RatedItems
        The rows.
    """

    saved: ThresholdsFile
    objective: Objective
    weighted_objective: Objective
    columns: Columns
    frame: Any
    source: FrameSource | RatedItems


def open_rows(
    progress: Callable[[str], None] | None,
    others: tuple[str, ...] = (),
    *,
    files: tuple[str, ...],
    thresholds_path: str,
    score: str | None,
    labels: tuple[str, ...],
    weight: str | None,
    item: str | None,
    rater: str | None,
    objective: str | None,
    class_weight: str | None,
    engine: str,
    reading: Reading,
    **options: Any,
) -> SavedRows:
    """Read saved thresholds and open files, given the options of ``thresholds_on_files``."""
    from ordcut.cli.engines import open_frame, open_source
    from ordcut.frames import check_scale

    saved = read_thresholds_file(thresholds_path, files)
    goal = saved.objective(objective, reading.decimal)
    weighted = saved.weighted(goal, class_weight)
    columns = saved.columns_for(Columns(score, labels, weight, others, item, rater))
    frame = open_frame(engine, find_files(files, reading), columns)
    classes = saved.thresholds.classes
    if others and options["nulls"] == "drop":
        import narwhals as nw

        complete = [~nw.col(name).is_null() for name in others]
        frame = nw.from_native(frame).filter(*complete).to_native()
    source = open_source(frame, columns, classes=classes, progress=progress, **options)
    check_scale(frame, saved.thresholds, score=str(columns.score))
    return SavedRows(saved, goal, weighted, columns, frame, source)
