"""The labelling rule as text: for Python, spreadsheets and notebooks."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut._core.data import intervals_as_text, is_interval
from ordcut._core.errors import listed, marks_escaped
from ordcut._core.objectives import title_of
from ordcut._core.thresholds.sql import DIALECTS
from ordcut._core.thresholds.title import title_of_thresholds
from ordcut._core.typing import Array, Floats
from ordcut._core.views import view

if TYPE_CHECKING:
    from ordcut._core.thresholds.result import Thresholds

#: A cell, perhaps of another sheet; sheets whose names have other characters are quoted.
CELL = re.compile(r"(([^\W\d][\w.]*|'([^'\[\]:*?/\\\n]|'')+')!)?\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6}")

#: What spreadsheets subtract from an empty cell, which they would take for 0.
BLANK = "9E+307"


#: The name of a function, in any language.
FUNCTION = re.compile(r"[^\W\d_][\w.]*")

#: The most characters of a formula of Excel, and of a text in it.
LONGEST_FORMULA, LONGEST_TEXT = 8192, 255


def to_python(thresholds: Floats, classes: Array) -> str:
    """Return the source of a function ``predict(score)``."""
    bounds = ", ".join(
        repr(value) if np.isfinite(value) else f'float("{value}")' for value in thresholds.tolist()
    )
    return (
        "from bisect import bisect_right\n\n"
        f"CLASSES = {classes.tolist()!r}\n"
        f"THRESHOLDS = [{bounds}]\n\n\n"
        "def predict(score):\n"
        '    """Return the class whose position is the number of thresholds <= score."""\n'
        "    if score != score:\n"
        '        raise ValueError("score must not be NaN.")\n'
        "    return CLASSES[bisect_right(THRESHOLDS, score)]\n"
    )


def to_excel(
    thresholds: Floats, ranges: Floats, classes: Array, cell: str, separator: str, function: str
) -> str:
    """Return a ``LOOKUP`` formula, which finds the last threshold that is not above the cell."""
    if not (isinstance(cell, str) and CELL.fullmatch(cell)):
        raise ValueError(
            'cell must be a single cell, such as "A2", "$A$2", "Sheet1!A2" or '
            f"\"'My sheet'!A2\", got {cell!r}."
        )
    if separator not in (",", ";"):
        raise ValueError(f'separator must be "," or ";", got {separator!r}.')
    if not (isinstance(function, str) and FUNCTION.fullmatch(function)):
        raise ValueError(
            'function must be the name of LOOKUP in a language, such as "LOOKUP" or "VERWEIS", '
            f"got {function!r}."
        )
    finite = {  # of equal thresholds the last decides, and only that is written
        _fifteen_digits(threshold, low, high): label
        for threshold, (low, high), label in zip(
            thresholds.tolist(), ranges.tolist(), classes[1:].tolist(), strict=True
        )
        if np.isfinite(threshold)
    }
    lowest = classes.tolist()[int(np.sum(np.isneginf(thresholds)))]
    labels = [lowest, *finite.values()]
    bounds, values = ["-1E+307", *finite], [_excel_value(label) for label in labels]
    bounds, values, labels = [f"-{BLANK}", *bounds], ['""', *values], ["", *labels]
    if separator == ";":
        bounds = [bound.replace(".", ",") for bound in bounds]
        values = [
            value if isinstance(label, str) else value.replace(".", ",")
            for label, value in zip(labels, values, strict=True)
        ]
    number = f'{cell}-({cell}="")*{BLANK}'
    # A semicolon separates the rows of a constant in every language, and LOOKUP takes columns, too.
    lists = (f"{{{separator.join(entries)}}}" for entries in (bounds, values))
    formula = f"={function}({separator.join((number, *lists))})"
    longest = max((len(label) for label in labels if isinstance(label, str)), default=0)
    if longest > LONGEST_TEXT or len(formula) > LONGEST_FORMULA:
        raise ValueError(
            f"formulas of Excel must have at most {LONGEST_FORMULA} characters, and texts in them "
            f"{LONGEST_TEXT}; this has {len(formula)}, and texts of up to {longest}. Write the "
            "thresholds and classes into two columns and look scores up there, or use to_sql or "
            "to_python."
        )
    return formula


def to_text(result: Thresholds) -> str:
    """Return a result on a single line."""
    cuts = listed(f"{threshold:.6g}" for threshold in result.thresholds)
    unused = result.never_predicted
    never = f", never predicted: [{_names(unused)}]" if unused else ""
    value = ""
    if not np.isnan(result.value):
        value = f"{result.objective}={result.value:.6g}, "
        if not result.objective.isidentifier():
            value = f"value={result.value:.6g}, objective={result.objective!r}, "
    smoothing = result.proof.smoothing
    smoothed = (
        ""
        if smoothing is None
        else f", smoothing={smoothing if isinstance(smoothing, str) else f'{smoothing:.6g}'}"
    )
    kind = "decisions" if result.decides_otherwise else "classes"
    names = f"{kind}=[{_names(result.decisions.tolist())}]"
    inside = f"[{cuts}], {names}, {value}method={result.method!r}{smoothed}{never}"
    return f"{type(result).__name__}({inside})"


def _names(labels: list[Any]) -> str:
    return listed(repr(str(label) if is_interval(label) else label) for label in labels)


def to_html(result: Thresholds) -> str:
    """Return a result as a table, for notebooks."""
    edges = ["", *result.thresholds.tolist(), ""]
    rows = zip(map(str, result.decisions.tolist()), edges[:-1], edges[1:], strict=True)
    heads = ["decision" if result.decides_otherwise else "class", "from", "below"]
    known = "" if np.isnan(result.value) else f"{title_of(result.objective)}: {result.value:.6g}"
    kept = [f"{outcome.limit}: {_reached(outcome.reached)}" for outcome in result.constraints]
    notes = [f"Constraints: {listed(kept)}" if kept else "", result.certificate]
    return view(title_of_thresholds(result), heads, rows, value=known, notes=notes)


def _reached(reached: Any) -> str:
    return f"{reached:.6g} reached" if isinstance(reached, float) else "kept"


def class_literals(classes: Array) -> dict[str, list[str]]:
    """Return each class as it is written in JSON and in each type of rule.

    Examples
    --------
    >>> class_literals(np.array(["a"]))
    {'json': ['"a"'], 'python': ["'a'"], 'sql': ["'a'"], 'excel': ['"a"']}
    """
    labels = intervals_as_text(classes).tolist()
    return {
        "json": [marks_escaped(json.dumps(label, ensure_ascii=False)) for label in labels],
        "python": [repr(label) for label in labels],
        "sql": [DIALECTS["standard"].value(label) for label in labels],
        "excel": [_excel_value(label) for label in labels],
    }


def _excel_value(label: Any) -> str:
    if isinstance(label, str):
        return '"' + label.replace('"', '""') + '"'
    return repr(label).upper() if isinstance(label, bool) else repr(label)


def _fifteen_digits(threshold: float, low: float, high: float) -> str:
    """Write a threshold in the 15 digits that spreadsheets read, if possible inside its range."""
    for digits in (15, 14, 13):
        text = f"{threshold:.{digits}g}"
        if low < float(text) <= high:
            return text.upper()
    return f"{high:.15g}".upper()
