"""Parquet files with the rows to measure on: float32 scores, int8 labels, ten classes."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import data

N_CLASSES = 10

#: Rows are generated and written in chunks, so that only one chunk is in memory.
CHUNK, ROW_GROUP = 2_000_000, 500_000

N_FILES = 4


#: What becomes of normal scores.
SCORES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "normal": lambda z: z,
    "sharp": lambda z: 1 / (1 + np.exp(-8 * z)),
}


def write(n_rows: int, folder: Path, scores: str) -> None:
    """Write rows to a few files; they are the same in every run."""
    folder.mkdir()
    sizes = [len(part) for part in np.array_split(np.arange(n_rows), N_FILES)]
    seed = 0
    for number, size in enumerate(sizes):
        schema = pa.schema({"score": pa.float32(), "label": pa.int8()})
        with pq.ParquetWriter(folder / f"{number}.parquet", schema) as writer:
            for start in range(0, size, CHUNK):
                some = data.normal(min(CHUNK, size - start), N_CLASSES, seed)
                seed += 1
                columns = {
                    "score": SCORES[scores](some.scores),
                    "label": some.labels.astype(np.int8),
                }
                writer.write_table(pa.table(columns, schema), row_group_size=ROW_GROUP)
