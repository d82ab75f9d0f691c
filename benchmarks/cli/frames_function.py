"""Print the seconds of the first call of the frames function in this process, without imports."""

import sys
from time import perf_counter

import duckdb

from ordcut import frames

start = perf_counter()
frames.optimal_thresholds(duckdb.read_parquet(sys.argv[1]), score="score", label="label")
print(perf_counter() - start)
