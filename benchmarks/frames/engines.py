"""The engines: how each reads the files, and a plain group-by in its own API."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Bench:
    """Functions that return the frame, and run a group-by: row count, min and max of each label."""

    frame: Callable[[], Any]
    plain: Callable[[], Any]


@contextmanager
def duckdb(folder: Path) -> Iterator[Bench]:
    import duckdb

    files = f"{folder}/*.parquet"
    query = f"select label, count(*), min(score), max(score) from '{files}' group by label"
    yield Bench(lambda: duckdb.read_parquet(files), lambda: duckdb.sql(query).fetchall())


@contextmanager
def polars(folder: Path) -> Iterator[Bench]:
    import polars as pl

    def scan() -> Any:
        return pl.scan_parquet(f"{folder}/*.parquet")

    score = pl.col("score")
    sums = [pl.len(), score.min().alias("low"), score.max().alias("high")]
    yield Bench(scan, lambda: scan().group_by("label").agg(*sums).collect(engine="streaming"))


@contextmanager
def dask(folder: Path) -> Iterator[Bench]:
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    def read() -> Any:
        return dd.read_parquet(str(folder), split_row_groups=4)

    options = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1"}
    with LocalCluster(**options, dashboard_address="127.0.0.1:0") as cluster, Client(cluster):
        sums = ["count", "min", "max"]
        yield Bench(read, lambda: read().groupby("label").score.agg(sums).compute())


@contextmanager
def spark(folder: Path) -> Iterator[Bench]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as f

    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")

    def read() -> Any:
        return session.read.parquet(str(folder))

    sums = [f.count("*"), f.min("score"), f.max("score")]
    try:
        yield Bench(read, lambda: read().groupBy("label").agg(*sums).collect())
    finally:
        session.stop()


ENGINES = {"duckdb": duckdb, "polars": polars, "dask": dask, "spark": spark}
