"""The experiment on synthetic faces, on this CPU, with the time of every stage.

Minutes for 100 epochs, means over the epochs of one run. All methods are timed on the same scores
of the same epochs, so that the time of the network is the same for all. `literal` is the paper's
DP as loops over Python lists, which all others are compared with; `literal-io` and `literal-pio`
are its IO and PIO, the latter with one process per core. On a CPU the network takes nearly all of
the time; with a GPU as in the paper, the thresholds do.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from experiments import Settings, start_run
from experiments.command import SYNTHETIC_DEFAULTS
from experiments.progress import TerminalProgress
from experiments.table import MethodTimes, read_times, table_rows

METHODS = ("literal", "literal-io", "literal-pio", "dp", "io", "pio", "blocks")

#: What `python -m experiments face-age --dataset synthetic` does, for half as many epochs.
SMALL = replace(Settings("synthetic", time_also=METHODS, **SYNTHETIC_DEFAULTS), epochs=5)
#: More and smaller faces, with as many classes as there are ages.
AGES = replace(SMALL, n_images=10_000, n_classes=50, image_size=16, batch_size=256, epochs=3)


#: The same in all rows, or nothing in any.
LEFT_OUT = ("data set", "network", "scores", "DP", "paper, io over DP", "paper, pio over DP")


def run(quick: bool) -> Iterator[dict[str, Any]]:
    for settings in (SMALL, AGES):
        for row in table_rows(finished_run(settings, quick)[1]):
            yield {name: value for name, value in row.items() if name not in LEFT_OUT}


@cache
def finished_run(settings: Settings, quick: bool) -> tuple[list[dict[str, Any]], list[MethodTimes]]:
    """Run settings once, and return the rows of the epochs and the times of each method."""
    if quick:
        settings = replace(settings, n_images=40, n_classes=4, image_size=16, epochs=1)
    with TemporaryDirectory(prefix="ordcut-") as folder:
        out = Path(folder) / "run"
        return start_run(settings, out, TerminalProgress()), read_times(out)
