"""Summaries of results at the best epoch: of one run, and of several runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean, stdev
from typing import Any

from experiments.measures import MEASURES

Row = dict[str, Any]

#: A note for results without a test set.
ON_VALIDATION = (
    "The best epoch was chosen by the validation error, as in the paper, and is reported on the "
    "same pictures: expect\nmore error on others. --test-share or --folds reports on pictures "
    "that nothing was chosen by."
)


def summarise(results: Mapping[str, Sequence[Row]]) -> list[Row]:
    """Return the mean and the standard deviation of every metric over the results of several runs.

    Examples
    --------
    >>> test = {"part": "test", "labeling": "optimal", "n": 9, "rmse": 4.0, "cs5": 0.8}
    >>> runs = {name: [{**test, "value": x, "mae": x}] for name, x in (("a", 3.0), ("b", 4.0))}
    >>> print(*summarise(runs)[0].values())
    test optimal value 2 3.5 0.7071067811865476
    """
    values: dict[tuple[str, str, str], list[float]] = {}
    for rows in results.values():
        for row in rows:
            for name in ("value", *MEASURES):
                values.setdefault((row["part"], row["labeling"], name), []).append(row[name])
    return [
        {
            "part": part,
            "labeling": labeling,
            "measure": measure,
            "runs": len(run_values),
            "mean": mean(run_values),
            "spread": stdev(run_values) if len(run_values) > 1 else None,
        }
        for (part, labeling, measure), run_values in values.items()
    ]


def describe_results(rows: Sequence[Row], objective: str) -> str:
    """Return the results of one run as text, with one line per part and labeling.

    Examples
    --------
    >>> row = {"part": "test", "labeling": "optimal", "n": 9, "value": 3, "mae": 3, "rmse": 4}
    >>> print(describe_results([{**row, "cs5": 0.8}], "absolute"))
      part        labeling                 MAE            RMSE            CS@5
      test        optimal               3.0000          4.0000          80.0 %
    """
    columns = _columns(objective)
    lines = [_line("part", "labeling", list(columns.values()))]
    for row in rows:
        cells = [_format(name, row[name]) for name in columns]
        lines.append(_line(row["part"], row["labeling"], cells))
    return _with_note(lines, rows)


def describe_summary(rows: Sequence[Row], objective: str) -> str:
    """Return the summary of several runs as text, with one line per part and labeling."""
    columns = _columns(objective)
    cells_of: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row["measure"] in columns:
            cells = cells_of.setdefault((row["part"], row["labeling"]), [])
            cells.append(_format(row["measure"], row["mean"], row["spread"]))
    n_runs = max(row["runs"] for row in rows)
    lines = [
        f"Mean ± standard deviation over {n_runs} runs, each at its best epoch by validation:",
        _line("part", "labeling", list(columns.values())),
        *(_line(*names, cells) for names, cells in cells_of.items()),
    ]
    return _with_note(lines, rows)


def _columns(objective: str) -> dict[str, str]:
    """Return the metrics to show and their titles; the absolute loss is the MAE."""
    return MEASURES if objective == "absolute" else {"value": objective, **MEASURES}


def _format(measure: str, value: float, spread: float | None = None) -> str:
    scale, digits, unit = (100, 1, " %") if measure == "cs5" else (1, 4, "")
    after = "" if spread is None else f" ± {scale * spread:.{digits}f}"
    return f"{scale * value:.{digits}f}{after}{unit}"


def _line(part: str, labeling: str, cells: Sequence[str]) -> str:
    return f"  {part:12}{labeling:12}" + "".join(f"{cell:>16}" for cell in cells)


def _with_note(lines: list[str], rows: Sequence[Row]) -> str:
    has_test = any(row["part"] == "test" for row in rows)
    return "\n".join(lines if has_test else [*lines, ON_VALIDATION])
