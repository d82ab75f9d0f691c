"""Table 1 on synthetic faces, on this CPU, with the time of every stage.

Minutes for 100 epochs: medians and quartiles over the epochs of one run, and for thresholds over
ten calls or more on the scores of these epochs. `loops` are the paper's algorithms as loops over
Python lists, of which PIO, Algorithm 4 and line P4 run in one process per core; `ordcut` are the
same algorithms in the library. `t_PIO / t_DP` is the total with PIO over the total with the DP of
the same implementation.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from experiments import Settings, start_run
from experiments.paper import paper_runs
from experiments.progress import TerminalProgress
from experiments.table import Times, as_rows, read_times

#: What `make experiment` does, for more epochs.
(SMALL,) = paper_runs(None, quick=True, device="cpu", epochs=5).values()
#: More and smaller faces, with as many classes as there are ages.
AGES = replace(SMALL, n_images=10_000, n_classes=50, image_size=16, batch_size=256, epochs=3)


def run(quick: bool) -> Iterator[dict[str, Any]]:
    for settings in (SMALL, AGES):
        for row in as_rows(finished_run(settings, quick)[1]):
            yield {
                name: value for name, value in row.items() if name not in ("data set", "published")
            }


@cache
def finished_run(settings: Settings, quick: bool) -> tuple[list[dict[str, Any]], list[Times]]:
    """Run settings once, and return the rows of the epochs and the times."""
    if quick:
        settings = replace(settings, n_images=40, n_classes=4, image_size=16, epochs=1)
    with TemporaryDirectory(prefix="ordcut-") as folder:
        out = Path(folder) / "run"
        rows = start_run(settings, out, TerminalProgress())
        return rows, read_times([out])
