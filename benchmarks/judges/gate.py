"""How often `ordcut evaluate --against` says that a judge has changed, on real ratings.

Thresholds are fitted to a month of 200 items with three ratings each (quadratic kappa), and
compared with a second month of 200 other items, whose scores are shifted by a multiple of their
standard deviation. `alarms` is the share of months in which either test says that the judge has
changed: its agreement fell, or its labels moved against the mean ratings. Without a shift these are
false alarms. Tasks with fewer than 600 items are left out.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

import ordcut
from benchmarks.judges.tasks import Task, all_tasks
from ordcut.studies.batch import decide
from ordcut.studies.change import change_since, optimism_of

N_MONTHS, N_ITEMS, SHIFTS = 1000, 200, (0.0, 0.3)
GOAL = "quadratic_kappa"


def run(quick: bool) -> Iterator[dict[str, Any]]:
    for task in all_tasks():
        if len(task.scores) < 3 * N_ITEMS:
            continue
        n_months = 5 if quick else N_MONTHS
        alarms = np.array([month_of(task, seed) for seed in range(n_months)])
        for shift, (either, fell, moved) in zip(SHIFTS, alarms.mean(axis=0), strict=True):
            yield {
                "task": task.name,
                "items": len(task.scores),
                "months": n_months,
                "shift": shift,
                "alarms": float(either),
                "standard error": float(np.sqrt(either * (1 - either) / n_months)),
                "agreement fell": float(fell),
                "labels moved": float(moved),
            }


def month_of(task: Task, seed: int) -> list[list[bool]]:
    """Return for each shift whether there is an alarm, by either test and by each of them."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(task.scores))
    months = [
        (task.scores[part], ordcut.Panel(task.table(part, 3, rng), classes=task.classes))
        for part in (order[:N_ITEMS], order[N_ITEMS : 2 * N_ITEMS])
    ]
    fitted = ordcut.optimal_thresholds(*months[0], objective=GOAL, smoothing="auto")
    goal = ordcut.resolve_objective(GOAL, fitted.classes)
    before = decide(fitted, months[0])
    extra = optimism_of(fitted, before, goal)
    alarms = []
    for shift in SHIFTS:
        now = decide(fitted, (months[1][0] + shift * task.scores.std(), months[1][1]))
        value, bias = change_since(now, before, goal, extra)
        fell, moved = value.has_worsened(is_maximised=True), bias.is_significant
        alarms.append([fell or moved, fell, moved])
    return alarms
