"""Measure thresholds within limits: ``python -m benchmarks.limits``; `make bench-limits`."""

from pathlib import Path

from benchmarks.__main__ import main
from benchmarks.limits import ratios

if __name__ == "__main__":
    main({"limits": ratios}, "python -m benchmarks.limits", Path(__file__).parent / "results")
