"""The solver that runs on a tensor's device, on the CPU, against `torch.sort` of the same scores.

Whole calls from unsorted float32 scores, at the sizes of the paper's data sets. `scan` sorts and
scans as it does on a GPU, and must take at most 6 times `torch.sort` for a cost; a kappa is some
costs in a row. `auto` is what a CPU gets: the solvers of arrays on the tensors' memory. Both find
the same thresholds, and torch has all cores.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import torch

from benchmarks import data
from benchmarks.table1 import DATA_SETS
from benchmarks.timing import FULL, QUICK, clock, side_by_side
from ordcut.torch import optimal_thresholds

OBJECTIVES = ["absolute", "squared", "zero_one", "kappa", "linear_kappa", "quadratic_kappa"]
MOST = 6


def run(quick: bool) -> Iterator[dict[str, Any]]:
    for name, (n, n_classes) in DATA_SETS.items():
        problem = data.normal(n // 100 if quick else n, n_classes)
        scores, labels = torch.from_numpy(problem.scores), torch.from_numpy(problem.labels)
        for objective in OBJECTIVES:
            find = partial(optimal_thresholds, scores, labels, objective=objective)
            assert (find(method="scan").thresholds == find().thresholds).all(), objective
            clocks = {
                "sort": clock(partial(torch.sort, scores)),
                "scan": clock(partial(find, method="scan")),
                "auto": clock(find),
            }
            seconds = side_by_side(clocks, QUICK if quick else FULL)
            over = seconds["scan"] / seconds["sort"]
            yield {
                "data set": name,
                "n": len(scores),
                "K": n_classes,
                "objective": objective,
                "torch.sort ms": 1000 * seconds["sort"],
                "scan ms": 1000 * seconds["scan"],
                "scan over sort": over,
                "must": "" if "kappa" in objective else f"at most {MOST}",
                "met": "" if "kappa" in objective else ("yes" if over <= MOST else "no"),
                "auto over sort": seconds["auto"] / seconds["sort"],
            }
