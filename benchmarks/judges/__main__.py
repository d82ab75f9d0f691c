"""Measure thresholds, agreement and gates of judges: ``python -m benchmarks.judges``."""

from pathlib import Path

from benchmarks.__main__ import main
from benchmarks.judges import fairness, gate, held_out, intervals

BENCHMARKS = {
    "agreement_fairness": fairness,
    "agreement_intervals": intervals,
    "judge_gate": gate,
    "judge_held_out": held_out,
}

if __name__ == "__main__":
    main(BENCHMARKS, "python -m benchmarks.judges", Path(__file__).parent / "results")
