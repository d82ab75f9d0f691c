"""Real engines for the tests of frames: started when first asked for, stopped at the end."""

import importlib
import os
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.small_sizes import set_sizes

#: How many files the rows of a frame are written to: as many partitions for Dask and Spark.
N_FILES = 3


def needs(module):
    """Import the module of an engine; without it, a test is skipped, but fails where CI runs it."""
    if os.environ.get("CI") == "true":
        return importlib.import_module(module)
    return pytest.importorskip(module, reason=f"engine not installed: {module}")


@pytest.fixture(scope="session")
def dask_client():
    distributed = needs("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def spark():
    needs("pyspark")
    from pyspark.sql import SparkSession

    os.environ.setdefault(
        "JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"
    )
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2,2]")  # a task may fail once
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def from_pandas(folder, request):
    needs("pandas")
    return pq.read_table(folder).to_pandas()


def from_pyarrow(folder, request):
    return pq.read_table(folder)


def from_polars(folder, request):
    return needs("polars").read_parquet(f"{folder}/*.parquet")


def from_lazy_polars(folder, request):
    return needs("polars").scan_parquet(f"{folder}/*.parquet")


def from_duckdb(folder, request):
    return needs("duckdb").read_parquet(f"{folder}/*.parquet")


def from_ibis(folder, request):
    return needs("ibis").duckdb.connect().read_parquet(f"{folder}/*.parquet")


def from_dask(folder, request):
    needs("dask.dataframe")
    request.getfixturevalue("dask_client")
    return importlib.import_module("dask.dataframe").read_parquet(str(folder))


def from_spark(folder, request):
    return request.getfixturevalue("spark").read.parquet(str(folder))


LOCAL = {
    "pandas": from_pandas,
    "pyarrow": from_pyarrow,
    "polars": from_polars,
    "lazy polars": from_lazy_polars,
    "duckdb": from_duckdb,
    "ibis": from_ibis,
}
CLUSTERS = {"dask": from_dask, "spark": from_spark}

#: One process runs all tests of a cluster, so that it is started once.
MARKS = {
    "ibis": [pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")],
    "dask": [pytest.mark.xdist_group("clusters")],
    "spark": [
        pytest.mark.xdist_group("clusters"),
        pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
        pytest.mark.filterwarnings("ignore::ResourceWarning"),
    ],
}


class Frames:
    """Makes frames of one engine from columns, by way of Parquet files."""

    def __init__(self, engine, folder, request):
        self.engine = engine
        self._folder = folder
        self._request = request
        self._n_frames = 0

    def __call__(self, **columns):
        self._n_frames += 1
        self.write(**columns)
        return {**LOCAL, **CLUSTERS}[self.engine](self._path, self._request)

    @property
    def _path(self):
        return Path(self._folder) / f"frame{self._n_frames}"

    def write(self, **columns):
        """Write the files of the last frame, which may have been written before."""
        self._path.mkdir(exist_ok=True)
        table = pa.table(columns)
        for number, rows in enumerate(np.array_split(np.arange(len(table)), N_FILES)):
            # Polars notes beforehand where pages are; written like this, they stay there.
            options = {"use_dictionary": False, "compression": "none"}
            pq.write_table(table.take(rows), self._path / f"{number}.parquet", **options)


def _params(names):
    return [pytest.param(name, marks=MARKS.get(name, [])) for name in names]


@pytest.fixture(params=_params([*LOCAL, *CLUSTERS]))
def frames_of(request, tmp_path):
    return Frames(request.param, tmp_path, request)


@pytest.fixture(params=_params(LOCAL))
def local_frames_of(request, tmp_path):
    return Frames(request.param, tmp_path, request)


@pytest.fixture(params=_params(["lazy polars", "duckdb"]))
def quick_frames_of(request, tmp_path):
    return Frames(request.param, tmp_path, request)


@pytest.fixture(params=_params(["lazy polars", "duckdb", "dask"]))
def rereading_frames_of(request, tmp_path):
    """Engines that read their files in every query; Spark notes the size of files beforehand."""
    return Frames(request.param, tmp_path, request)


@pytest.fixture
def few_cells(monkeypatch):
    """Lay out so few cells, and fetch so few rows, that cells have to be split in the engine."""
    set_sizes(monkeypatch, frame_cells=64, frame_parts=256, few_frame_rows=50, few_frame_share=0.01)
