"""Ranks of learning methods and labelings over data sets, as a table and as a picture."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata

from experiments.files import write_atomically
from experiments.settings import LABELINGS, TASKS
from experiments.summary import paired_p

Row = dict[str, Any]

#: A difference to the optimal labeling counts as significant below this p-value.
SIGNIFICANT = 0.05


def rank_rows(results: Iterable[Row]) -> list[Row]:
    """Return one row per network, task loss, loss and labeling, with its mean rank.

    In each data set, all combinations of a loss and a labeling are ranked by their mean test value
    over the splits; 1 is best. ``over optimal`` is the geometric mean over data sets of that value
    divided by the one of the optimal labeling of the same loss; a data set where one of them is 0
    is left out. ``better`` and ``worse`` count the data sets where the paired t-test over splits
    tells the labeling from the optimal one.

    Examples
    --------
    >>> row = {"model": "linear", "task": "absolute", "loss": "olr"}
    >>> values = {"optimal": (1.0, 2.0, 4.0), "biases": (2.0, 4.0, 8.0)}
    >>> results = [
    ...     {**row, "data set": "ESL", "labeling": name, "split": split, "test": test}
    ...     for name, tests in values.items() for split, test in enumerate(tests)
    ... ]
    >>> for ranked in rank_rows(results):
    ...     print(ranked["labeling"], ranked["mean rank"], ranked["over optimal"])
    optimal 1.0 1.0
    biases 2.0 2.0
    """
    tests: dict[tuple[str, str], dict[tuple[str, str], dict[str, list[float]]]] = {}
    for row in results:
        of_task = tests.setdefault((row["model"], row["task"]), {})
        of_pair = of_task.setdefault((row["loss"], row["labeling"]), {})
        of_pair.setdefault(row["data set"], []).append(row["test"])
    rows = []
    for (model, task), by_pair in tests.items():
        datasets = list(next(iter(by_pair.values())))
        means = np.array([[np.mean(own[d]) for d in datasets] for own in by_pair.values()])
        ranks = rankdata(means, axis=0).mean(axis=1)
        for (loss, labeling), rank in zip(by_pair, ranks, strict=True):
            own, optimal = by_pair[loss, labeling], by_pair[loss, "optimal"]
            pairs = [(np.mean(own[d]), np.mean(optimal[d])) for d in datasets]
            logs = [np.log(value / best) for value, best in pairs if value > 0 and best > 0]
            differences = [np.subtract(own[d], optimal[d]) for d in datasets]
            clear = [
                diff.mean()
                for diff in differences
                if (paired_p(diff.tolist()) or 1.0) < SIGNIFICANT
            ]
            rows.append(
                {
                    "model": model,
                    "task": task,
                    "loss": loss,
                    "labeling": labeling,
                    "data sets": len(datasets),
                    "mean rank": float(rank),
                    "over optimal": float(np.exp(np.mean(logs))) if logs else None,
                    "better": sum(value < 0 for value in clear),
                    "worse": sum(value > 0 for value in clear),
                }
            )
    return rows


def as_markdown(rows: list[Row]) -> str:
    """Return the ranks as Markdown, with one line per network, loss and labeling."""
    tasks = [task for task in TASKS if any(row["task"] == task for row in rows)]
    heads = ["network", "loss", "labeling"]
    heads += [f"{task}: {name}" for task in tasks for name in ("rank", "over optimal", "clear")]
    cells: dict[tuple[str, str, str], list[str]] = {}
    for row in sorted(rows, key=lambda row: tasks.index(row["task"])):
        ratio = row["over optimal"]
        cells.setdefault((row["model"], row["loss"], row["labeling"]), []).extend(
            [
                f"{row['mean rank']:.1f}",
                "" if ratio is None else f"{ratio:.3f}",
                "" if row["labeling"] == "optimal" else f"{row['better']} / {row['worse']}",
            ]
        )
    lines = [heads, ["---"] * len(heads), *([*key, *own] for key, own in cells.items())]
    n = max(row["data sets"] for row in rows)
    note = (
        f"Mean ranks over {n} data sets of all combinations of a loss and a labeling, by the mean "
        "test value over the splits;\nthe value over the one of the optimal labeling of the same "
        f"loss (geometric mean); and on how many data sets the\nlabeling is clearly better / worse "
        f"than the optimal one (paired t-test over splits, p < {SIGNIFICANT})."
    )
    return "\n".join([note, "", *("| " + " | ".join(line) + " |" for line in lines), ""])


def draw_ranks(rows: list[Row], file: Path) -> None:
    """Write a PNG file with the mean ranks: a panel per network and task loss."""
    from matplotlib.figure import Figure

    models = list(dict.fromkeys(row["model"] for row in rows))
    tasks = list(dict.fromkeys(row["task"] for row in rows))
    losses = list(dict.fromkeys(row["loss"] for row in rows))
    figure = Figure(figsize=(4 * len(tasks) + 1, 3.2 * len(models)), layout="constrained")
    panels = figure.subplots(len(models), len(tasks), squeeze=False, sharex=True, sharey=True)
    for model, line in zip(models, panels, strict=True):
        for task, axes in zip(tasks, line, strict=True):
            for number, labeling in enumerate(LABELINGS):
                own = [
                    row
                    for row in rows
                    if (row["model"], row["task"], row["labeling"]) == (model, task, labeling)
                ]
                axes.plot(
                    [row["mean rank"] for row in own],
                    [losses.index(row["loss"]) for row in own],
                    "os^Dv"[number],
                    markersize=7,
                    label=labeling,
                    alpha=0.8,
                )
            axes.set_title(f"{model}, {task}")
            axes.grid(axis="x", alpha=0.3)
            axes.set_yticks(range(len(losses)), losses)
    panels[0][0].invert_yaxis()
    for axes in panels[-1]:
        axes.set_xlabel("mean rank, 1 is best")
    figure.legend(*panels[0][0].get_legend_handles_labels(), loc="outside right upper")
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=80)
    write_atomically(file, lambda stream: stream.write(image.getvalue()))
