"""Workers die, tasks fail, engines raise errors: the result is the same, or the error is theirs."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import ordcut
from ordcut import frames
from tests.hard_rows import LABELS, NOISE, N

SCORES = LABELS + NOISE


@pytest.mark.xdist_group("clusters")
def test_a_dask_worker_killed_in_the_middle_of_a_pass_changes_nothing(dask_client, tmp_path):
    import dask.dataframe as dd
    import pandas as pd

    def slowly(part, folder):  # in here, so that it travels by value: workers cannot import tests
        (folder / str(os.getpid())).touch()
        time.sleep(0.2)
        return part

    rows = dd.from_pandas(pd.DataFrame({"s": SCORES, "y": LABELS}), npartitions=6)
    notes = tmp_path / "notes"
    notes.mkdir()
    frame = rows.map_partitions(slowly, notes, meta=rows._meta)
    workers = {worker["pid"] for worker in _worker_processes(dask_client)}

    def kill_the_first_at_work():
        while not (at_work := {int(note.name) for note in notes.iterdir()} & workers):
            time.sleep(0.01)
        os.kill(min(at_work), signal.SIGKILL)

    killer = threading.Thread(target=kill_the_first_at_work, daemon=True)
    killer.start()
    result = frames.optimal_thresholds(frame, score="s", label="y")
    killer.join()
    expected = ordcut.optimal_thresholds(SCORES, LABELS)
    assert result.thresholds.tolist() == expected.thresholds.tolist()
    assert result.value == expected.value
    dask_client.wait_for_workers(2)
    assert {worker["pid"] for worker in _worker_processes(dask_client)} != workers


def _worker_processes(client):
    return [{"pid": pid} for pid in client.run(os.getpid).values()]


@pytest.mark.xdist_group("clusters")
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_spark_task_that_fails_once_changes_nothing(spark, tmp_path):
    from pyspark import TaskContext
    from pyspark.sql import functions

    failures = tmp_path / "failures"
    failures.mkdir()

    def fail_once(score):
        task = TaskContext.get()
        if task.attemptNumber() == 0 and task.partitionId() == 0:
            (failures / str(task.taskAttemptId())).touch()
            raise RuntimeError("this task fails at its first attempt")
        return score

    rows = spark.createDataFrame(
        list(zip(SCORES.tolist(), LABELS.tolist(), strict=True)), "s double, y long"
    ).repartition(2)
    frame = rows.withColumn("s", functions.udf(fail_once, "double")("s"))
    tables_before = spark.catalog.listTables()
    result = frames.optimal_thresholds(frame, score="s", label="y")
    expected = ordcut.optimal_thresholds(SCORES, LABELS)
    assert result.thresholds.tolist() == expected.thresholds.tolist()
    assert result.value == expected.value
    assert len(list(failures.iterdir())) > 0
    assert spark.catalog.listTables() == tables_before


def test_an_error_of_the_engine_comes_as_it_is_with_one_line_of_context():
    duckdb = pytest.importorskip("duckdb")
    frame = duckdb.sql("select error('the disk is on fire') :: double as s, 1 as y from range(5)")
    with pytest.raises(duckdb.Error, match="the disk is on fire") as caught:
        frames.optimal_thresholds(frame, score="s", label="y")
    assert caught.value.__notes__ == ["ordcut was computing a sample of the rows with duckdb."]


def test_nothing_stays_in_the_catalogue_of_duckdb(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.execute("create table rows as select i / 7 as s, i % 3 as y from range(1000) t(i)")
    frames.optimal_thresholds(connection.table("rows"), score="s", label="y")
    names = connection.execute("select table_name from information_schema.tables").fetchall()
    assert names == [("rows",)]


def test_a_frame_whose_rows_change_is_an_error():
    polars = pytest.importorskip("polars")
    n_queries = 0

    def shrink(frame):
        nonlocal n_queries
        n_queries += 1
        return frame.head(N - 500 * n_queries)

    frame = polars.DataFrame({"s": SCORES, "y": LABELS}).lazy().map_batches(shrink)
    with pytest.raises(RuntimeError, match="must return the same rows in every query"):
        frames.optimal_thresholds(frame, score="s", label="y")


def test_only_few_rows_leave_the_engine(monkeypatch):
    duckdb, pa = pytest.importorskip("duckdb"), pytest.importorskip("pyarrow")
    n = 400_000
    labels = np.arange(n) % 5
    scores = (labels + np.random.default_rng(0).normal(size=n)).astype(np.float32)
    frame = duckdb.connect().from_arrow(pa.table({"s": scores, "y": labels}))
    counted = type(frames.FrameSource(frame, score="s", label="y").count())
    fetched, fetch = [], counted.fetch
    monkeypatch.setattr(counted, "fetch", lambda *a: fetched.append(fetch(*a)) or fetched[-1])
    result = frames.optimal_thresholds(frame, score="s", label="y")
    expected = ordcut.optimal_thresholds(scores, labels)
    assert result.thresholds.tolist() == expected.thresholds.tolist()
    assert result.passes <= 3
    assert 0 < sum(rows.n_rows for rows in fetched) < 0.1 * n
