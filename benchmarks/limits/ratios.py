"""Thresholds within limits, whole calls: over calls without limits, a sort, and an exact solver."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import ordcut
from benchmarks import data
from benchmarks.limits import cp_sat
from benchmarks.timing import FULL, QUICK, clock, side_by_side, sorting

#: A million rows, and the sizes of the paper: rows and classes.
SIZES = [(1_000_000, 5), (49_512, 55), (143_462, 49), (147_976, 26)]


def run(quick: bool) -> Iterator[dict[str, Any]]:
    for n, n_classes in [(3_000, 5)] if quick else SIZES:
        problem = data.normal(n, n_classes)
        rows = problem.scores.astype(np.float64), problem.labels
        free = ordcut.optimal_thresholds(*rows)
        for name, over, constraints in _limits(rows, free, n_classes):
            base = "dp" if over == "dp" else "auto"
            clocks = {
                over: clock(partial(ordcut.optimal_thresholds, *rows, method=base)),
                "limited": clock(
                    partial(ordcut.optimal_thresholds, *rows, constraints=constraints)
                ),
            }
            seconds = side_by_side(clocks, QUICK if quick else FULL)
            yield _row(n, n_classes, name, over, seconds[over], seconds["limited"])
    n = 100_000 if quick else 10_000_000
    problem = data.normal(n, 5)
    rows = problem.scores.astype(np.float64), problem.labels
    allowed = np.linspace(*np.quantile(rows[0], [0.001, 0.999]), 1000)
    with sorting(rows[0]) as sort:
        for name, limit in (("Digits", ordcut.Digits(2)), ("Allowed", ordcut.Allowed(allowed))):
            limited = clock(partial(ordcut.optimal_thresholds, *rows, constraints=[limit]))
            seconds = side_by_side({"sort": sort, "limited": limited}, QUICK if quick else FULL)
            yield _row(n, 5, f"{name}, about 1000", "sort", seconds["sort"], seconds["limited"])
    if not quick and cp_sat.is_installed():
        yield from _against_cp_sat()


def _limits(rows: Any, free: ordcut.Thresholds, n_classes: int) -> Iterator[tuple[str, str, list]]:
    """Limits that move some thresholds, and what their time is compared with."""
    scores, labels = rows
    predicted, middle = free.predict(scores), n_classes // 2
    table = np.zeros((n_classes, n_classes))
    np.add.at(table, (predicted, labels), 1)
    recall = table.diagonal() / np.maximum(table.sum(axis=0), 1)
    precision = table.diagonal() / np.maximum(table.sum(axis=1), 1)
    # Every second limit is a little stricter than what is reached without it.
    stricter = np.where(np.arange(n_classes) % 2, 1.02, 0.9)
    yield "under, one threshold", "auto", [ordcut.Under(middle, at_most=0.05)]
    yield "does not bind", "auto", [ordcut.Under(middle, at_most=1), ordcut.Share(0, at_most=1)]
    yield (
        "recall of every class",
        "dp",
        [ordcut.Recall(k, at_least=round(min(1, recall[k] * stricter[k]), 3))
         for k in range(n_classes)],
    )  # fmt: skip
    share = table.sum(axis=1) / table.sum()
    yield (
        "share of every class",
        "dp",
        [ordcut.Share(k, at_most=min(1, round(share[k] / stricter[k] + 0.001, 3)))
         for k in range(n_classes)],
    )  # fmt: skip
    yield (
        "precision of every class",
        "dp",
        [ordcut.Precision(k, at_least=round(min(1, precision[k] * stricter[k]), 3))
         for k in range(n_classes)],
    )  # fmt: skip


def _against_cp_sat() -> Iterator[dict[str, Any]]:
    problem = data.normal(300, 4)
    rows = problem.scores.astype(np.float64), problem.labels
    limits = {
        "recall and share": {"recall": {3: 0.9}, "share": {0: 0.2}},
        "precision of every class": {"precision": {0: 0.76, 1: 0.47, 2: 0.53, 3: 0.74}},
    }
    for name, options in limits.items():
        constraints = [
            *(ordcut.Recall(k, at_least=some) for k, some in options.get("recall", {}).items()),
            *(ordcut.Share(k, at_most=some) for k, some in options.get("share", {}).items()),
            *(ordcut.Precision(k, at_least=s) for k, s in options.get("precision", {}).items()),
        ]
        found = ordcut.optimal_thresholds(*rows, constraints=constraints)
        value = cp_sat.least_loss(*rows, **options)
        assert abs(value - found.value) < 1e-9, (value, found.value)
        clocks = {
            "cp_sat": clock(partial(cp_sat.least_loss, *rows, **options)),
            "limited": clock(partial(ordcut.optimal_thresholds, *rows, constraints=constraints)),
        }
        seconds = side_by_side(clocks, FULL)
        yield _row(300, 4, name, "CP-SAT", seconds["cp_sat"], seconds["limited"])


def _row(
    n: int, n_classes: int, name: str, over: str, base: float, limited: float
) -> dict[str, Any]:
    return {
        "n": n,
        "K": n_classes,
        "limits": name,
        "over": over,
        "seconds": limited,
        "ratio": limited / base,
        "times faster": base / limited,
    }
