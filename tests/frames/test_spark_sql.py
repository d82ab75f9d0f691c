"""The rule as SQL of Spark, where double quotes and backslashes have another meaning."""

import numpy as np
import pytest

from ordcut._core.thresholds import Thresholds

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
