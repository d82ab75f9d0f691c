"""What thresholds add to an epoch at MORPH-2's size, once the scores exist (absolute loss).

49 512 training rows in batches of 256 and 5 501 validation rows, 55 classes. `update` collects
all batches, `compute` finds the thresholds, `compare` labels the validation rows in four ways and
judges them. `share` is relative to an epoch of training at the least time that the paper publishes
for these data: 32.00 minutes for 100 epochs, ResNet18 on its GPU. One thread.
"""

from collections.abc import Iterator
from typing import Any

import torch

from benchmarks import data
from benchmarks.timing import FULL, QUICK, clock, side_by_side
from benchmarks.torch.one_thread import one_thread
from ordcut.torch import CumulativeLinkLoss, ThresholdTracker

N_TRAINING, N_VALIDATION, N_CLASSES, BATCH = 49_512, 5_501, 55, 256
PUBLISHED_EPOCH = 32.00 * 60 / 100
MOST = 0.01


def run(quick: bool) -> Iterator[dict[str, Any]]:
    scale = 50 if quick else 1
    training = _rows(N_TRAINING // scale, seed=0)
    validation = _rows(N_VALIDATION // scale, seed=1)
    batches = list(zip(*(column.split(BATCH) for column in training), strict=True))
    tracker, loss = ThresholdTracker(N_CLASSES), CumulativeLinkLoss(N_CLASSES)

    def update() -> None:
        tracker.reset()
        for scores, labels in batches:
            tracker.update(scores, labels)

    def epoch() -> None:
        update()
        tracker.compute()
        tracker.compare(*validation, loss)

    epoch()
    clocks = {
        "update": clock(update),
        "compute": clock(tracker.compute),
        "compare": clock(lambda: tracker.compare(*validation, loss)),
        "all": clock(epoch),
    }
    with one_thread():
        times = side_by_side(clocks, QUICK if quick else FULL)
    for work, seconds in times.items():
        share = seconds / PUBLISHED_EPOCH
        yield {
            "work": work,
            "ms per epoch": 1000 * seconds,
            "share": f"{share:.3%}",
            "must": f"below {MOST:.0%}" if work == "all" else "",
            "met": ("yes" if share < MOST else "no") if work == "all" else "",
        }


def _rows(n: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    problem = data.on_label_scale(n, N_CLASSES, seed)
    return torch.from_numpy(problem.scores), torch.from_numpy(problem.labels).long()
