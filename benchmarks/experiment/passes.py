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
    evaluation_rows, _ = finished_run(SMALL, quick)
    training_rows, _ = finished_run(replace(SMALL, time_also=(), scores="training-pass"), quick)
    for evaluation, training in zip(evaluation_rows, training_rows, strict=True):
        if evaluation["loss"] != training["loss"]:
            raise RuntimeError("the two runs must train the same network, and did not")
        yield {
            "epoch": evaluation["epoch"],
            "evaluation pass": evaluation["validation_optimal"],
            "training pass": training["validation_optimal"],
            "biases": evaluation["validation_biases"],
            "rounding": evaluation["validation_rounding"],
            "seconds of P1": evaluation["seconds_p1"],
            "seconds of training": evaluation["seconds_training"],
        }
