"""``ordcut fit --group``: limits that hold in a group of rows."""

import json

import numpy as np
import polars as pl
import pytest

import ordcut as library

LIMIT = "recall 2 >= 0.75 where sex = F"


@pytest.fixture
def rows(tmp_path):
    """A file with a group for each row, and its frame."""
    random = np.random.default_rng(0)
    scores = random.normal(size=500).round(3)
    labels = np.digitize(scores + random.normal(size=500), [-1, 1])
    frame = pl.DataFrame({"score": scores, "label": labels, "sex": random.choice(["F", "M"], 500)})
    frame.write_csv(tmp_path / "rows.csv")
    return tmp_path / "rows.csv", frame


COLUMNS = ("--score", "score", "--label", "label")


def test_a_limit_on_a_group_is_that_of_the_library(ordcut, rows, tmp_path):
    file, frame = rows
    saved = tmp_path / "cuts.json"
    options = (*COLUMNS, "--group", "sex", "--constraint", LIMIT)
    assert ordcut("fit", file, *options, "-o", saved, "-q").code == 0
    expected = library.frames.optimal_thresholds(
        frame, "score", "label", groups="sex", constraints=[LIMIT]
    )
    result = library.Thresholds.from_json(saved)
    assert result.thresholds.tolist() == expected.thresholds.tolist()
    assert result.constraints[0].reached == expected.constraints[0].reached
    judged = json.loads(ordcut("evaluate", file, "-t", saved, "--json").out)
    assert judged["constraints"] == [{"constraint": LIMIT, "reached": None, "holds": None}]
    assert "not judged without groups" in ordcut("evaluate", file, "-t", saved).out
    assert "does not know the groups" in ordcut("report", file, "-t", saved, "-o", "-").err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--group", "sex"), "none of the constraints names a group"),
        (("--group", "sx", "--constraint", LIMIT), 'Did you mean "sex"'),
        (("--constraint", LIMIT), "--group must name"),
        (("--group", "sex", "--constraint", LIMIT, "--report", "x.html"), "--report does not know"),
    ],
)
def test_what_is_missing_is_said(ordcut, rows, options, message):
    result = ordcut("fit", rows[0], *COLUMNS, *options)
    assert result.code != 0
    assert message in " ".join(result.err.split())
