"""Two processes with parts of a data set: STORE RANK; each prints the optimum of all rows."""

import sys

from distributed_rows import N_CLASSES, some_rows
from torch import distributed

from ordcut.torch import ThresholdMetric


def main(store, rank):
    distributed.init_process_group("gloo", f"file://{store}", rank=int(rank), world_size=2)
    own = slice(0, 30) if rank == "0" else slice(30, None)
    metric = ThresholdMetric(N_CLASSES)
    metric.update(*(part[own] for part in some_rows()))
    print(metric.compute()["optimal"].item())
    distributed.destroy_process_group()


if __name__ == "__main__":
    main(*sys.argv[1:])
