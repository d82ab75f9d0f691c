"""Words of other fields, and things passed in other ways, are read or refused with what to do."""

import sqlite3

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch

import ordcut
import ordcut.torch
from tests.first_tries.rows import NAMES, ORDER, RNG, N, S, Y, best

FRAME = pd.DataFrame({"s": S, "y": Y, "w": np.arange(N) % 3 + 1})
GAPS = np.where(RNG.random((N, 3)) < 0.2, np.nan, Y[:, None])
MISSING = pd.Series([*S[:3], pd.NA, *S[4:]], dtype=object)

#: What is tried, and what it must be equal to.
RIGHT = {
    "names of columns by position": lambda: (
        ordcut.frames.optimal_thresholds(FRAME, "s", "y").thresholds.tolist(),
        best().thresholds.tolist(),
    ),
    "a column of scores by position": lambda: (
        ordcut.frames.predict(FRAME, best(), "s")["label"].tolist(), best().predict(S).tolist(),
    ),
    "columns to evaluate by position": lambda: (
        ordcut.frames.evaluate(FRAME, best(), "s", "y").value, best().value,
    ),
    "sample_weight of a frame": lambda: (
        ordcut.frames.optimal_thresholds(FRAME, "s", "y", sample_weight="w").value,
        best(sample_weight=FRAME["w"]).value,
    ),
    "recall in brackets": lambda: (
        best(constraints="recall(3) >= 0.9"), best(constraints="recall 3 >= 0.9"),
    ),
    "constraints joined by and": lambda: (
        best(constraints="recall(3) >= 0.8 and share 4 <= 0.3"),
        best(constraints=["recall 3 >= 0.8", "share 4 <= 0.3"]),
    ),
    "constraints joined by a comma": lambda: (
        best(constraints="share 4 <= 0.3, share 1 <= 0.3"),
        best(constraints=["share 4 <= 0.3", "share 1 <= 0.3"]),
    ),
    "the columns of several raters": lambda: (
        ordcut.frames.optimal_thresholds(pd.DataFrame(GAPS).assign(s=S), "s", [0, 1, 2]),
        ordcut.optimal_thresholds(S, ordcut.Panel(GAPS)),
    ),
    "a mathematical sign": lambda: (
        best(constraints="recall 3 ≥ 0.9"), best(constraints="recall 3 >= 0.9"),
    ),
    "sensitivity": lambda: (
        str(best(constraints="sensitivity 3 >= 0.9").constraints[0].constraint), "recall 3 >= 0.9",
    ),
    "tpr": lambda: (
        str(best(constraints="tpr 3 >= 0.9").constraints[0].constraint), "recall 3 >= 0.9",
    ),
    "ppv": lambda: (
        str(best(constraints="ppv 3 >= 0.6").constraints[0].constraint), "precision 3 >= 0.6",
    ),
    "fnr": lambda: (
        str(best(constraints="fnr 3 <= 0.1").constraints[0].constraint), "recall 3 >= 0.9",
    ),
    "fpr": lambda: (
        str(best(constraints="fpr 3 <= 0.1").constraints[0].constraint), "specificity 3 >= 0.9",
    ),
    "tnr": lambda: (
        str(best(constraints="tnr 3 >= 0.9").constraints[0].constraint), "specificity 3 >= 0.9",
    ),
    "a rate in full": lambda: (
        str(best(constraints="false negative rate 3 <= 10 %").constraints[0].constraint),
        "recall 3 >= 0.9",
    ),
    "a sensitivity of a class": lambda: (
        best(constraints="sensitivity of 3 >= 0.9").thresholds.tolist(),
        best(constraints="recall 3 >= 0.9").thresholds.tolist(),
    ),
    "a confidence that is called so": lambda: (
        best(constraints="recall 3 >= 0.7 with 90% confidence").thresholds.tolist(),
        best(constraints="recall 3 >= 0.7 with 90 %").thresholds.tolist(),
    ),
    "the objective by position": lambda: (
        ordcut.optimal_thresholds(S, Y, "qwk"), best(objective="qwk"),
    ),
    "thresholds and classes": lambda: (
        ordcut.Thresholds([1, 2], ["low", "mid", "high"]),
        ordcut.Thresholds.from_values([1, 2], ["low", "mid", "high"]),
    ),
    "thresholds for np.digitize": lambda: (
        np.digitize(S, best()).tolist(), best().codes(S).tolist(),
    ),
    "ratings in a dict": lambda: (
        ordcut.Panel({"ann": Y, "bob": Y}).counts.tolist(),
        ordcut.Panel(pd.DataFrame({"ann": Y, "bob": Y})).counts.tolist(),
    ),
    "sensitivity in an explanation": lambda: (
        "recall 3 >= 0.9" in best(constraints="sensitivity 3 >= 0.9").explain(), True,
    ),
    "a ceiling on a recall": lambda: (
        (best().predict(S[Y == 3]) == 3).mean() > 0.5
        >= (best(constraints="recall 3 <= 0.5").predict(S[Y == 3]) == 3).mean(),
        True,
    ),
    "a specificity": lambda: (
        (best(constraints="specificity 3 >= 0.95").predict(S[Y != 3]) != 3).mean() >= 0.95, True,
    ),
    "PostgreSQL": lambda: (best().to_sql("s", "postgres"), best().to_sql("s", "standard")),
    "PostgreSQL in full": lambda: (best().to_sql("s", "PostgreSQL"), best().to_sql("s")),
    "SQL Server": lambda: (best().to_sql("s", "mssql"), best().to_sql("s", "tsql")),
    "Databricks": lambda: (best().to_sql("s", "databricks"), best().to_sql("s", "spark")),
    "BigQuery": lambda: ("IS_NAN(`s`)" in best().to_sql("s", "bigquery"), True),
    "Snowflake": lambda: ("AS FLOAT" in best().to_sql("s", "snowflake"), True),
    "MySQL": lambda: ("`s` IS NULL" in best().to_sql("s", "mysql"), True),
}  # fmt: skip

#: What is tried, and what the error must say.
ERRORS = {
    "a frame to predict": (lambda: best().predict(FRAME), "ordcut.frames.predict"),
    "a frame with text to predict": (
        lambda: best().predict(FRAME.assign(name="x")), "ordcut.frames.predict",
    ),
    "columns by position": (
        lambda: ordcut.optimal_thresholds(FRAME, "s", "y"), "ordcut.frames.optimal_thresholds",
    ),
    "weights by position": (
        lambda: ordcut.optimal_thresholds(S, Y, FRAME["w"]), "objective must be a",
    ),
    "a word after the class": (
        lambda: best(constraints="3 recall >= 0.9"), "Did you mean 'recall 3 >= 0.9'",
    ),
    "thresholds that fall": (lambda: ordcut.Thresholds([2, 1], [0, 1, 2]), "in ascending order"),
    "scores in the place of labels": (
        lambda: ordcut.Panel(np.stack([Y, Y], axis=1)).agreement_with(S), "pass result.predict",
    ),
    "an evaluation with two columns of labels": (
        lambda: ordcut.frames.evaluate(FRAME, best(), "s", ["y", "w"]), "use ordcut.Panel",
    ),
    "a path as a frame": (
        lambda: ordcut.frames.optimal_thresholds("a.csv", "s", "y"), "Read the file first",
    ),
    "a connection of DuckDB": (
        lambda: ordcut.frames.optimal_thresholds(duckdb.connect(), "s", "y"), "Pass a relation",
    ),
    "a connection of SQLite": (
        lambda: ordcut.frames.optimal_thresholds(sqlite3.connect(":memory:"), "s", "y"),
        "pandas.read_sql",
    ),
    "expressions of Polars": (
        lambda: ordcut.optimal_thresholds(pl.col("s"), pl.col("y")), "got an object of type Expr",
    ),
    "a column that exists": (
        lambda: ordcut.frames.predict(FRAME, best(), "s", name="y"), 'such as name="y_predicted"',
    ),
    "ratings in rows": (
        lambda: ordcut.Panel(pd.DataFrame({"item": Y, "rater": NAMES, "rating": Y})),
        "Panel.from_long",
    ),
    "numbers in rows": (
        lambda: ordcut.Panel(pd.DataFrame({"item": Y, "rater": Y, "rating": Y})),
        "Panel.from_long",
    ),
    "scores in words": (
        lambda: best(scores=[f"Score: {y}" for y in Y]), "pass the numbers in the text alone",
    ),
    "a sensitivity of no class": (
        lambda: best(constraints="sensitivity >= 0.9"), "must have the name of a class",
    ),
    "a plot in a file": (lambda: best().plot("a.png"), "savefig"),
    "Youden's index": (lambda: best(objective="youden"), 'Use "balanced_accuracy"'),
    "F1": (lambda: best(objective="f1"), '"macro_f1"'),
    "a weighted kappa": (lambda: best(objective="weighted kappa"), '"linear_kappa" or "quadr'),
    "Krippendorff's alpha": (lambda: best(objective="alpha"), 'Use "quadratic_kappa"'),
    "a rank correlation": (lambda: best(objective="spearman"), 'Use "quadratic_kappa"'),
    "a root mean squared error": (lambda: best(objective="rmse"), 'Use "squared"'),
    "a log loss": (lambda: best(objective="log_loss"), "since thresholds give labels"),
    "a recall to optimise": (lambda: best(objective="recall"), "Use it as a constraint"),
    "a net benefit": (lambda: best(objective="net_benefit"), r"\[\[0, 1 - p\], \[p, 0\]\]"),
    "classes from 1 in a network": (
        lambda: ordcut.torch.CumulativeLinkLoss(4)(torch.tensor(S), torch.tensor(Y)),
        "pass target - 1",
    ),
    "ages as the number of classes": (
        lambda: ordcut.torch.ThresholdTracker(range(18, 71)), "pass classes=",
    ),
    "two columns of weights": (
        lambda: ordcut.frames.optimal_thresholds(FRAME, "s", "y", weight="w", sample_weight="w"),
        "Pass one of them",
    ),
    "arguments of frames.predict swapped": (
        lambda: ordcut.frames.predict(best(), FRAME, "s"), "thresholds must be a Thresholds",
    ),
    "npv": (lambda: best(constraints="npv 3 >= 0.9"), "precision of the other classes together"),
    "a strict sign": (lambda: best(constraints="recall 3 > 0.9"), ">= or <=, then a number"),
    "ratings with gaps": (lambda: best(GAPS), r"pass ordcut.Panel\(labels\)"),
    "a frame of ratings with gaps": (
        lambda: best(pd.DataFrame(GAPS, columns=["ann", "bob", "cat"])), "ordcut.Panel",
    ),
    "a tensor with a gradient": (
        lambda: best(scores=torch.tensor(S, requires_grad=True)), "ordcut.torch.optimal_thresholds",
    ),
    "a tensor in bfloat16": (
        lambda: best(scores=torch.tensor(S).bfloat16()), "ordcut.torch.optimal_thresholds",
    ),
    "a tensor elsewhere": (
        lambda: best(scores=torch.empty(N, device="meta")), "ordcut.torch.optimal_thresholds",
    ),
    "labels in bfloat16": (
        lambda: best(torch.tensor(Y).bfloat16()), "labels is a tensor .* ordcut.torch",
    ),
    "a tensor to predict": (
        lambda: best().predict(torch.tensor(S, requires_grad=True)), "scores.detach",
    ),
    "pandas.NA among objects": (lambda: best(scores=MISSING), "got <NA> at position 3"),
    "a list as a label": (lambda: best([*Y[1:], [1, 2]]), "a list, .* at position 199. Each row"),
    "a tuple as a label": (lambda: best([*Y[1:], (1, 2)]), "a tuple, .* at position 199. Each row"),
    "a set as a label": (lambda: best([*Y[1:], {1, 2}]), "a set, .* Each row has a single class"),
    "a struct as a label": (lambda: best(pl.Series([{"a": 1}] * N)), "Struct.* a single class"),
    "a list of Polars as a label": (lambda: best(pl.Series([[1]] * N)), "List.* a single class"),
    "a column of lists": (
        lambda: ordcut.frames.optimal_thresholds(
            pl.DataFrame({"s": S, "y": [[1]] * N}), "s", "y"
        ),
        "one class per row, got 'y' of type List",
    ),
    "a column of structs": (
        lambda: ordcut.frames.optimal_thresholds(
            pl.DataFrame({"s": S, "y": [{"a": 1}] * N}), "s", "y"
        ),
        "one class per row, got 'y' of type Struct",
    ),
    "a dialect that is not known": (
        lambda: best().to_sql("s", "postgress"), 'Did you mean "postgres"',
    ),
    "half a character in a class": (
        lambda: best(NAMES, classes=[*ORDER[:3], "t\ud800"]), r"got 't\\ud800'.* lone surrogate",
    ),
    "half a character in a column": (lambda: best().to_sql("s\ud800"), r"got 's\\ud800'"),
    "NUL in a class": (
        lambda: best([*NAMES[1:], "a\0"], classes=[*ORDER, "a\0"]), r"NUL, got 'a\\x00'",
    ),
    "NUL in a column": (lambda: best().to_sql("s\0"), r"got 's\\x00'"),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_a_word_of_another_field_is_read(name):
    result, expected = RIGHT[name]()
    assert result == expected


@pytest.mark.parametrize("name", ERRORS)
def test_what_cannot_be_read_is_an_error_that_says_what_to_do(name):
    attempt, message = ERRORS[name]
    with pytest.raises((ValueError, TypeError), match=message):
        attempt()
