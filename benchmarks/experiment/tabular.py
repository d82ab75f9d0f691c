"""Eight ways to learn a score, and the labelings of each, on real tabular data.

Mean ranks over twelve data sets of all 20 combinations of a loss and a labeling, by the mean test
value over ten random splits; `over optimal` is that value over the one of the optimal labeling of
the same loss (geometric mean over data sets), and `better` and `worse` count the data sets where
the paired t-test over splits tells the labeling from the optimal one (p < 0.05). Every labeling is
tested at the epoch that is best for it by validation.
"""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from experiments.progress import TerminalProgress
from experiments.tabular import TabularSettings, start_tabular


def run(quick: bool) -> Iterator[dict[str, Any]]:
    settings = TabularSettings(("ESL",), splits=2, epochs=2) if quick else TabularSettings()
    with TemporaryDirectory(prefix="ordcut-") as folder:
        yield from start_tabular(settings, Path(folder) / "out", TerminalProgress())
