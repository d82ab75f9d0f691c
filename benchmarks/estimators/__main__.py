"""Run the measurements and write results/: python -m benchmarks.estimators [speed] [...]."""

import sys
import tomllib
from pathlib import Path

from benchmarks.estimators import held_out, inside_fit, speed

PARTS = {"speed": speed.run, "inside_fit": inside_fit.run, "held_out": held_out.run}

if __name__ == "__main__":
    config = tomllib.loads((Path(__file__).parent / "config.toml").read_text(encoding="utf-8"))
    for part in sys.argv[1:] or PARTS:
        print(PARTS[part](config[part]))
