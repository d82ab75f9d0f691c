"""The solver that runs on a tensor's device, on the CPU, against `torch.sort` of the same scores.

Complete calls from unsorted float32 scores, at the sizes of the paper's data sets. `scan` sorts and
scans as it does on a GPU, and must take at most 6 times `torch.sort` for a cost at the size of
AFAD; a kappa takes several costs in succession. `auto` is what a CPU uses: the solvers of arrays on
the tensors' memory. Both find the same thresholds, in one thread, like `torch.sort`.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import torch

from benchmarks import data
from benchmarks.table1 import DATA_SETS
from benchmarks.timing import FULL, QUICK, clock, side_by_side
from benchmarks.torch.one_thread import one_thread
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
            with one_thread():
                seconds = side_by_side(clocks, QUICK if quick else FULL)
            over = seconds["scan"] / seconds["sort"]
            is_bound = name == "AFAD" and "kappa" not in objective
            yield {
                "data set": name,
                "n": len(scores),
                "K": n_classes,
                "objective": objective,
                "torch.sort ms": 1000 * seconds["sort"],
                "scan ms": 1000 * seconds["scan"],
                "scan over sort": over,
                "must": f"at most {MOST}" if is_bound else "",
                "met": ("yes" if over <= MOST else "no") if is_bound else "",
                "auto over sort": seconds["auto"] / seconds["sort"],
            }
