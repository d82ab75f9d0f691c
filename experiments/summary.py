"""Summaries of results at the best epochs: of one run, and of several runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import mean, stdev
from typing import Any

from scipy.special import stdtr

from experiments.measures import MEASURES

Row = dict[str, Any]

#: A note for results without a test set.
ON_VALIDATION = (
    "Best epochs were chosen by the validation error, as in the paper, and are reported on the "
    "same pictures: expect\nmore error on others. --test-share or --folds reports on pictures that "
    "nothing was chosen by."
)


def summarise(results: Mapping[str, Sequence[Row]]) -> list[Row]:
    """Return the mean of every metric over the results of several runs, and how far to trust it.

    ``worse_by`` is the mean difference to the optimal labeling of the same run, and ``p`` the
    two-sided p-value of the paired t-test that it is 0. Both are missing for the optimal labeling,
    and ``p`` where there is nothing to test: with one run, or equal differences.

    Examples
    --------
    >>> row = {"part": "test", "task": "absolute", "n": 9, "mae": 3.0, "rmse": 4.0, "cs5": 0.8}
    >>> optimal, mode = {**row, "labeling": "optimal"}, {**row, "labeling": "mode"}
    >>> runs = {
    ...     name: [{**optimal, "value": x}, {**mode, "value": y}]
    ...     for name, x, y in (("a", 3.0, 3.5), ("b", 4.0, 4.0), ("c", 5.0, 6.0))
    ... }
    >>> summary = summarise(runs)
    >>> print(*(summary[4][name] for name in ("labeling", "measure", "mean", "worse_by")))
    mode value 4.5 0.5
    >>> round(summary[4]["p"], 4)
    0.2254
    """
    values: dict[tuple[str, str, str, str], list[float]] = {}
    for rows in results.values():
        for row in rows:
            for name in ("value", *MEASURES):
                key = row["part"], row["task"], row["labeling"], name
                values.setdefault(key, []).append(row[name])
    summary = []
    for (part, task, labeling, measure), own in values.items():
        n, spread = len(own), stdev(own) if len(own) > 1 else None
        row = {
            "part": part,
            "task": task,
            "labeling": labeling,
            "measure": measure,
            "runs": n,
            "mean": mean(own),
            "standard_error": None if spread is None else spread / sqrt(n),
            "spread": spread,
            "worse_by": None,
            "p": None,
        }
        optimal = values.get((part, task, "optimal", measure))
        if labeling != "optimal" and optimal is not None and len(optimal) == n:
            differences = [other - best for other, best in zip(own, optimal, strict=True)]
            row |= {"worse_by": mean(differences), "p": paired_p(differences)}
        summary.append(row)
    return summary


def paired_p(differences: Sequence[float]) -> float | None:
    """Return the two-sided p-value of the t-test that the mean of differences is 0.

    Examples
    --------
    >>> round(paired_p([0.5, 0.0, 1.0]), 4)
    0.2254
    """
    n = len(differences)
    spread = stdev(differences) if n > 1 else 0.0
    if spread == 0.0:
        return None
    return float(2 * stdtr(n - 1, -abs(mean(differences)) * sqrt(n) / spread))


def describe_results(rows: Sequence[Row]) -> str:
    """Return the results of one run as text: each labeling at its best epoch for each task loss.

    Examples
    --------
    >>> row = {"part": "test", "labeling": "optimal", "task": "absolute", "epoch": 7, "value": 3.1}
    >>> print(describe_results([row]))
      part        labeling             absolute (epoch)
      test        optimal                    3.1000 (7)
    """
    cells = {
        (row["part"], row["labeling"], row["task"]): f"{row['value']:.4f} ({int(row['epoch'])})"
        for row in rows
    }
    return _table(cells, " (epoch)")


def describe_summary(rows: Sequence[Row]) -> str:
    """Return the summary of several runs as text, with one line per part and labeling.

    A p-value behind a mean is that of the paired test against the optimal labeling.
    """
    cells = {
        (row["part"], row["labeling"], row["task"]): _mean(row)
        for row in rows
        if row["measure"] == "value"
    }
    n_runs = max(row["runs"] for row in rows)
    note = (
        f"Mean ± standard error over {n_runs} runs, each labeling at its own best epoch; in "
        "brackets, the p-value of the paired\nt-test against the optimal labeling."
    )
    return f"{note}\n{_table(cells, '')}"


def _mean(row: Row) -> str:
    error = "" if row["standard_error"] is None else f" ± {row['standard_error']:.4f}"
    return f"{row['mean']:.4f}{error}" + ("" if row["p"] is None else f" [{row['p']:.2g}]")


def _table(cells: Mapping[tuple[str, str, str], str], unit: str) -> str:
    tasks = list(dict.fromkeys(task for _, _, task in cells))
    lines = [_line("part", "labeling", [f"{task}{unit}" for task in tasks])]
    for part, labeling in dict.fromkeys((part, labeling) for part, labeling, _ in cells):
        lines.append(_line(part, labeling, [cells.get((part, labeling, t), "") for t in tasks]))
    has_test = any(part == "test" for part, *_ in cells)
    return "\n".join(lines if has_test else [*lines, ON_VALIDATION])


def _line(part: str, labeling: str, cells: Sequence[str]) -> str:
    return f"  {part:12}{labeling:11}" + "".join(f"{cell:>26}" for cell in cells)
