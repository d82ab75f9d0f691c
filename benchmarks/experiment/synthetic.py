"""The experiment on faces drawn on the spot, on this CPU: every process measured.

Minutes for 100 epochs, means over the epochs of one run. All methods are timed on the same scores
of the same epochs, so that the time of the network is one and the same. `literal` is the paper's
Algorithms 1 and 2 as loops over Python lists, the DP that all others are compared with. On a CPU
the network takes nearly all the time; with a GPU as in the paper, it is the thresholds that do.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ordcut.experiments.command import SYNTHETIC_DEFAULTS
from ordcut.experiments.progress import Terminal
from ordcut.experiments.run import start_run
from ordcut.experiments.settings import Settings
from ordcut.experiments.table import Measured, read_measured, table_rows

METHODS = ("literal", "dp", "io", "pio", "blocks")

#: What `ordcut experiment face-age --dataset synthetic` does, for half as long, and a run of more
#: and smaller faces with as many classes as there are ages.
SMALL = replace(Settings("synthetic", time_also=METHODS, **SYNTHETIC_DEFAULTS), epochs=5)
AGES = replace(SMALL, n_images=10_000, n_classes=50, image_size=16, batch_size=256, epochs=3)


#: The same in all rows, or nothing in any.
LEFT_OUT = ("data set", "network", "scores", "DP", "paper, io over DP", "paper, pio over DP")


def run(quick: bool) -> Iterator[dict[str, Any]]:
    for settings in (SMALL, AGES):
        for row in table_rows(finished_run(settings, quick)[1]):
            yield {name: value for name, value in row.items() if name not in LEFT_OUT}


@cache
def finished_run(settings: Settings, quick: bool) -> tuple[list[dict[str, Any]], list[Measured]]:
    """Run settings once, and return the rows of the epochs and the times of each method."""
    if quick:
        settings = replace(settings, n_images=40, n_classes=4, image_size=16, epochs=1)
    with TemporaryDirectory(prefix="ordcut-") as folder:
        out = Path(folder) / "run"
        return start_run(settings, out, Terminal()), read_measured(out)
