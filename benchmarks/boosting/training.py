"""CPU time to train the model to start with, over L2, on the reporting sets.

Both train five folds and a refit in one thread of LightGBM, with at most 1000 rows. L2 has no
setting. The time to find thresholds is not included; it is the same for both.
"""

from collections.abc import Iterable
from pathlib import Path

from benchmarks.boosting.columns import BOTH, L2
from benchmarks.boosting.datasets import Data
from benchmarks.boosting.trees import Trees, outputs


def measure(sets: Iterable[Data], n_splits: int, cache: Path) -> list[dict]:
    """Return the mean seconds over splits, and their ratio, for each data set."""

    def seconds(data: Data, *every: Trees) -> float:
        splits = range(n_splits)
        each = [outputs(t, "LightGBM", data, seed, cache)["seconds"]
                for t in every for seed in splits]  # fmt: skip
        return float(sum(each)) / n_splits

    rows = []
    for data in sets:
        reference, ours = seconds(data, L2), seconds(data, *BOTH)
        rows.append(
            {"dataset": data.name, "rows": len(data.split(0)[0]), "classes": data.n_classes,
             "L2": round(reference, 3), "ordcut": round(ours, 3),
             "over L2": round(ours / reference, 3)}
        )  # fmt: skip
    return rows
