"""Run them and write results/: ``python -m benchmarks.torch [names] [--quick]``."""

from pathlib import Path

from benchmarks.__main__ import main
from benchmarks.torch import evaluation, on_device, passes, tracking

if __name__ == "__main__":
    main(
        {
            "on_device": on_device,
            "tracking": tracking,
            "passes": passes,
            "evaluation": evaluation,
        },
        prog="python -m benchmarks.torch",
        output=Path(__file__).parent / "results",
    )
