"""Estimate how long epochs take on this machine, before the first one starts."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np

from experiments.datasets import FaceData
from experiments.pictures import Batches
from experiments.processes import Process
from experiments.settings import Settings
from experiments.training import Learner

#: The number of batches that are timed.
N_BATCHES = 2


def seconds_per_epoch(settings: Settings, data: FaceData, process: Process) -> float:
    """Return about how many seconds an epoch takes, without the search for thresholds.

    A network that is not used again learns from a few batches twice, and the second time counts:
    the first starts worker processes and reserves memory.
    """
    s = settings
    n = min(len(data.training), N_BATCHES * s.batch_size)
    pictures = data.training.take(np.arange(n))
    share, pinned = process.share, process.is_on_gpu
    batches = Batches(pictures, s.crop, s.seed, s.batch_size, s.workers, share, pinned)
    learner = Learner(s, data.n_classes, process)

    def seconds(run: Callable[[], object]) -> float:
        start = perf_counter()
        run()
        learner.wait()
        return perf_counter() - start

    learner.train(batches, 1, lambda _: None)
    training = seconds(lambda: learner.train(batches, 2, lambda _: None))
    scoring = seconds(lambda: learner.score(batches, lambda _: None))
    n_scored = len(data.validation)
    if s.scores == "evaluation-pass":
        n_scored += len(data.training)
    return (training * len(data.training) + scoring * n_scored) / n


def describe_duration(seconds: float) -> str:
    """Return a duration in the two largest units that it has.

    Examples
    --------
    >>> describe_duration(41.2), describe_duration(725), describe_duration(200_000)
    ('41 s', '12 min 5 s', '2 d 7 h')
    """
    rest, parts = max(1, round(seconds)), []
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        count, rest = divmod(rest, size)
        parts.append(f"{count} {unit}")
    first = next(i for i, part in enumerate(parts) if not part.startswith("0 "))
    return " ".join(part for part in parts[first : first + 2] if not part.startswith("0 "))
