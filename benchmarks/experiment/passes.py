"""Thresholds from an evaluation pass and from the outputs of the training pass itself.

Two runs with the same seed on synthetic faces, whose networks are the same at every epoch; only the
scores that thresholds are found for differ. The training pass saw random crops, normalised by
batch, and a network that changed from batch to batch; it saves line P1. Mean absolute error on the
held-out faces by thresholds from either, by biases and by rounding; the seconds of line P1 that are
saved, and those of training. In such a short training the moving averages of the normalisation lag
behind, and thresholds from the training pass can be far off.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from benchmarks.experiment.synthetic import SMALL, finished_run


def run(quick: bool) -> Iterator[dict[str, Any]]:
    usual, _ = finished_run(SMALL, quick)
    without_p1, _ = finished_run(replace(SMALL, time_also=(), scores="training-pass"), quick)
    for one, other in zip(usual, without_p1, strict=True):
        if one["loss"] != other["loss"]:
            raise RuntimeError("the two runs must train the same network, and did not")
        yield {
            "epoch": one["epoch"],
            "evaluation pass": one["validation_optimal"],
            "training pass": other["validation_optimal"],
            "biases": one["validation_biases"],
            "rounding": one["validation_rounding"],
            "seconds of P1": one["seconds_p1"],
            "seconds of training": one["seconds_training"],
        }
