"""The labelling rule as text: for SQL, Python and spreadsheets, and in plain words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut.typing import Array, Floats

if TYPE_CHECKING:
    from ordcut.thresholds.result import Thresholds

#: What objectives are called in a sentence.
PHRASES = {
    "absolute": "a mean absolute loss of {}",
    "squared": "a mean squared loss of {}",
    "zero_one": "an error rate of {}",
    "kappa": "a kappa of {}",
    "linear_kappa": "a linearly weighted kappa of {}",
    "quadratic_kappa": "a quadratically weighted kappa of {}",
}


def to_sql(thresholds: Floats, classes: Array, column: str) -> str:
    """Return a ``CASE`` expression; branches that no finite score reaches are left out."""
    name = '"' + column.replace('"', '""') + '"'
    # An exponent makes the literal a double in every dialect, not a decimal of few digits.
    branches = [
        f"  WHEN {name} < {_exponent(bound)} THEN {_sql_value(label)}"
        for bound, label in _bounds(thresholds, classes)
    ]
    last = _sql_value(_top_class(thresholds, classes))
    lines = ["CASE", f"  WHEN {name} IS NULL THEN NULL", *branches, f"  ELSE {last}", "END"]
    return "\n".join(lines)


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


def to_excel(thresholds: Floats, ranges: Floats, classes: Array, cell: str) -> str:
    """Return a ``LOOKUP`` formula, which finds the last threshold that is not above the cell."""
    finite = [
        (_fifteen_digits(threshold, low, high), label)
        for threshold, (low, high), label in zip(
            thresholds.tolist(), ranges.tolist(), classes[1:].tolist(), strict=True
        )
        if np.isfinite(threshold)
    ]
    lowest = classes.tolist()[int(np.sum(np.isneginf(thresholds)))]
    bounds = ["-1E+307", *(bound for bound, _ in finite)]
    labels = [_excel_value(label) for label in (lowest, *(label for _, label in finite))]
    return f"=LOOKUP({cell},{{{','.join(bounds)}}},{{{','.join(labels)}}})"


def class_literals(classes: Array) -> dict[str, list[str]]:
    """Return each class as it is written in JSON and in each type of rule.

    Examples
    --------
    >>> class_literals(np.array(["a"]))
    {'json': ['"a"'], 'python': ["'a'"], 'sql': ["'a'"], 'excel': ['"a"']}
    """
    labels = classes.tolist()
    return {
        "json": [json.dumps(label, ensure_ascii=False) for label in labels],
        "python": [repr(label) for label in labels],
        "sql": [_sql_value(label) for label in labels],
        "excel": [_excel_value(label) for label in labels],
    }


def _bounds(thresholds: Floats, classes: Array) -> list[tuple[float, Any]]:
    """Return each finite threshold with the class just below it; of equal ones, the first."""
    found: dict[float, Any] = {}
    for bound, label in zip(thresholds.tolist(), classes.tolist(), strict=False):
        if np.isfinite(bound):
            found.setdefault(bound, label)
    return list(found.items())


def _top_class(thresholds: Floats, classes: Array) -> Any:
    """Return the class of the largest finite score."""
    return classes.tolist()[int(np.sum(thresholds < np.inf))]


def _exponent(value: float) -> str:
    digits = repr(value)
    if "e" in digits:
        return digits
    return np.format_float_scientific(value, unique=True, exp_digits=2, trim="0")


def _sql_value(label: Any) -> str:
    if isinstance(label, str):
        return "'" + label.replace("'", "''") + "'"
    return repr(label).upper() if isinstance(label, bool) else repr(label)


def _excel_value(label: Any) -> str:
    if isinstance(label, str):
        return '"' + label.replace('"', '""') + '"'
    return repr(label).upper() if isinstance(label, bool) else repr(label)


def _fifteen_digits(threshold: float, low: float, high: float) -> str:
    """Write a threshold in the 15 digits that spreadsheets read, inside its range if one fits."""
    for digits in (15, 14, 13):
        text = f"{threshold:.{digits}g}"
        if low < float(text) <= high:
            return text.upper()
    return f"{high:.15g}".upper()


def explain(thresholds: Thresholds) -> str:
    """Return what the rule is, what it reaches, and why nothing is better or that it was given."""
    sentences = [_rule(thresholds)]
    never = thresholds.never_predicted
    if never:
        names = " and ".join(str(name) for name in never)
        sentences.append(f"No score is labelled {names}: on the data, that would only cost more.")
    if not np.isnan(thresholds.value):
        phrase = PHRASES.get(thresholds.objective, f"a value of {{}} by {thresholds.objective}")
        reached = phrase.format(f"{thresholds.value:.6g}")
        sentences.append(
            f"On the data that they were found on, these thresholds reach {reached}."
            if not thresholds.certificate.startswith("none")
            else f"On the data that they were judged on, these thresholds reach {reached}."
        )
    sentences.append(_reason(thresholds.certificate))
    return "\n".join(sentences)


def _rule(thresholds: Thresholds) -> str:
    edges, names = thresholds.thresholds.tolist(), thresholds.classes.tolist()
    parts = []
    for name, low, high in zip(names, [-np.inf, *edges], [*edges, np.inf], strict=True):
        if low == high:
            continue
        if low == -np.inf:
            parts.append(f"below {high:.6g} is labelled {name}" if high < np.inf else f"{name}")
        elif high == np.inf:
            parts.append(f"from {low:.6g} on it is {name}")
        else:
            parts.append(f"from {low:.6g} to below {high:.6g} it is {name}")
    if len(parts) == 1:
        return f"Every score is labelled {parts[0]}."
    return f"A score {'; '.join(parts)}."


def _reason(certificate: str) -> str:
    if certificate.startswith("none"):
        return f"They are not claimed to be optimal: {certificate.removeprefix('none: ')}."
    proof, is_smoothed, amount = certificate.partition(", of labels smoothed by ")
    if is_smoothed:
        return (
            f"They are optimal for labels of which a model gives the share {amount}, so that they "
            f"follow noise less ({proof}); on the labels as observed, others may do better."
        )
    return f"No other thresholds do better there: {certificate}."
