"""Two processes that share the rows of a data set: STORE RANK; each prints its results."""

import json
import sys

import torch
from torch import distributed
from torch.utils.data import DistributedSampler

from ordcut.torch import ThresholdTracker
from tests.torch.distributed_exit import leave_together

N_ROWS, N_CLASSES = 101, 4
AGES = [18.0, 20.5, 30.0, 70.0]


def some_rows(n=N_ROWS, seed=0):
    """Scores that follow their labels, with noise."""
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(0, N_CLASSES, (n,), generator=generator)
    return labels + torch.randn(n, generator=generator), labels


def shares(rank):
    """The rows of one of two processes, by the way they are shared."""
    everything, none = torch.arange(N_ROWS), torch.arange(0)
    return {
        "sampler": torch.tensor(list(DistributedSampler(range(N_ROWS), shuffle=False))),
        "uneven": everything[:30] if rank == 0 else everything[30:],
        "one idle": none if rank == 0 else everything,
    }


def report(own, scores, labels):
    tracker = ThresholdTracker(N_CLASSES)
    for batch in own.split(16):
        if len(batch):
            tracker.update(scores[batch], labels[batch])
    result = tracker.compute(n_samples=N_ROWS)
    return {
        "n_gathered": len(tracker.rows()[0]),
        "scores": tracker.rows(N_ROWS)[0].tolist(),
        "result": json.loads(result.to_json(time=False)),
    }


def report_soft_and_weighted(own, scores, labels, rank):
    """Only one process has weights, and one has no row before the other has sent its labels."""
    weighted, soft = ThresholdTracker(N_CLASSES), ThresholdTracker(N_CLASSES)
    weights = 1 + labels[own] if rank == 1 else None
    weighted.update(scores[own], labels[own], weights)
    if rank == 1:
        soft.update(scores, torch.nn.functional.one_hot(labels, N_CLASSES) * weights_of(labels))
    aged = ThresholdTracker(classes=AGES)
    if rank == 1:
        aged.update(scores, torch.tensor(AGES)[labels])
    return {
        "aged": json.loads(aged.compute().to_json(time=False)),
        "ages": aged.rows()[1].tolist(),
        "weighted": json.loads(weighted.compute().to_json(time=False)),
        "soft": json.loads(soft.compute().to_json(time=False)),
    }


def weights_of(labels):
    return 1 + labels[:, None] % 2


def main(store, rank):
    distributed.init_process_group("gloo", f"file://{store}", rank=int(rank), world_size=2)
    scores, labels = some_rows()
    results = {
        way: report(own, scores.half() if way == "one idle" else scores, labels)
        for way, own in shares(int(rank)).items()
    }
    results |= report_soft_and_weighted(shares(int(rank))["uneven"], scores, labels, int(rank))
    print(json.dumps(results))


if __name__ == "__main__":
    main(*sys.argv[1:])
    leave_together()
