"""Names and text in Spark, where quotes, dots, stars and backslashes have another meaning."""

import re
from pathlib import Path

import numpy as np
import pytest

from ordcut import frames, optimal_thresholds
from ordcut._core.thresholds import Thresholds
from tests.frames.frame_rows import assert_same

CLASSES = ["it's", "a\\", "\\' OR 1=1 --", "'; DROP TABLE rows; --", '"', "`", "]", "x\ny", "é"]


@pytest.mark.xdist_group("clusters")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_hostile_names_and_classes_come_out_of_spark_as_they_are(spark):
    rule = Thresholds.from_values(np.arange(len(CLASSES) - 1.0), CLASSES)
    scores = np.arange(-0.5, len(CLASSES)).tolist()
    rows = spark.createDataFrame([(score,) for score in scores], ["a `score"])
    rows.createOrReplaceTempView("rows")
    text = rule.to_sql("rows.a `score", "spark")
    labels = [row[0] for row in spark.sql(f"SELECT {text} FROM rows").collect()]
    spark.catalog.dropTempView("rows")
    assert labels == rule.predict(scores).tolist()


@pytest.mark.xdist_group("clusters")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_columns_of_spark_are_found_by_their_exact_names(spark):
    """``a.b`` is a column beside the field ``b`` of ``a``, and a star is one column."""
    from pyspark.sql import Row

    labels = np.random.default_rng(0).integers(0, 3, 60)
    scores = labels + np.random.default_rng(1).normal(size=60)
    other = Row("b")
    rows = [
        (other(-score), score, label, 1.0 + label, score, score)
        for score, label in zip(scores.tolist(), labels.tolist(), strict=True)
    ]
    names = ["a", "a.b", "*", "w `x` ", "`q`", "x y"]
    frame = spark.createDataFrame(rows, names)
    expected = optimal_thresholds(scores, labels, sample_weight=1 + labels)
    for score in ("a.b", "`q`", "x y"):
        result = frames.optimal_thresholds(frame, score=score, label="*", weight="w `x` ")
        assert_same(result, expected)
    evaluation = frames.evaluate(frame, expected, score="a.b", label="*", weight="w `x` ")
    assert evaluation.value == pytest.approx(expected.value)
    labelled = frames.predict(frame, expected, score="a.b", name="a.b.c")
    assert labelled.columns == [*names, "a.b.c"]
    assert [row[-1] for row in labelled.collect()] == expected.predict(scores).tolist()


@pytest.mark.xdist_group("clusters")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_the_example_of_the_guide_labels_a_table_of_spark(spark, tmp_path):
    scores = np.arange(40) / 10
    grades = np.digitize(scores, [1.05, 2.55])
    rated = list(zip(scores.tolist(), grades.tolist(), strict=True))
    spark.createDataFrame(rated, ["score", "grade"]).write.parquet(str(tmp_path / "rated"))
    spark.createDataFrame([(0.4,), (2.0,), (3.9,)], ["score"]).write.parquet(str(tmp_path / "new"))
    guide = Path(__file__).parents[2] / "docs" / "cluster.md"
    blocks = re.findall(r"```python\n(.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)
    (code,) = [block for block in blocks if "pyspark" in block]
    for folder in ("rated", "new", "labelled"):
        code = code.replace(f'("{folder}")', f'("{tmp_path}/{folder}")')
    exec(code)
    labelled = spark.read.parquet(str(tmp_path / "labelled")).collect()
    assert sorted((row["score"], row["predicted"]) for row in labelled) == [
        (0.4, 0), (2.0, 1), (3.9, 2)
    ]  # fmt: skip
