"""Limits that hold in a group of rows, against all thresholds."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import ordcut
from tests.limits.adversarial_groups import OBJECTIVES, check_groups


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_best_thresholds_that_keep_limits_for_groups(objective):
    first = 2 * OBJECTIVES.index(objective)
    seeds = [8 * i + first + bit for i in range(12) for bit in (0, 1)]
    assert sum(check_groups(seed) == 2 for seed in seeds) > 8


def test_limits_that_leave_a_score_nowhere_to_start_cannot_hold():
    assert check_groups(9004214) >= 0


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(0)
    scores = random.normal(size=2000).round(3)
    labels = np.digitize(scores + random.normal(size=2000), [-1, 1])
    sex = random.choice(["F", "M"], 2000, p=[0.2, 0.8])
    return pl.DataFrame(
        {"score": scores, "label": labels, "sex": sex, "weight": random.integers(0, 4, 2000)}
    )


LIMITS = ["recall 2 >= 0.7 where sex = F", "precision 2 >= 0.5 where M"]


def solve(frame, **options):
    """The result for arrays."""
    series = frame.to_pandas()
    return ordcut.optimal_thresholds(
        series["score"],
        series["label"],
        **{"groups": series["sex"], "constraints": LIMITS} | options,
    )


@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize(
    "convert", [pl.DataFrame.lazy, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow, duckdb.from_arrow]
)
def test_every_engine_gives_the_result_of_arrays(frame, convert, weight):
    expected = solve(frame, sample_weight=None if weight is None else frame[weight].to_numpy())
    result = ordcut.frames.optimal_thresholds(
        convert(frame.to_arrow() if convert is duckdb.from_arrow else frame),
        score="score",
        label="label",
        weight=weight,
        groups="sex",
        constraints=LIMITS,
    )
    assert result.thresholds.tolist() == expected.thresholds.tolist()
    assert result.value == pytest.approx(expected.value, abs=1e-14)
    reached = [outcome.reached for outcome in expected.constraints]
    assert [outcome.reached for outcome in result.constraints] == reached


def test_the_limit_binds_in_its_group(frame):
    result = solve(frame)
    plain = solve(frame, groups=None, constraints=[])
    own = frame.filter((pl.col("sex") == "F") & (pl.col("label") == 2))["score"].to_numpy()
    assert np.mean(plain.predict(own) == 2) < 0.7
    assert np.mean(result.predict(own) == 2) == pytest.approx(result.constraints[0].reached)
    assert result.constraints[0].reached >= 0.7
    assert result.constraints[0].cost == pytest.approx(result.value - plain.value)
    assert result.near_optimal(0.01).shape == (2, 2)
    again = ordcut.Thresholds.from_json(result.to_json())
    assert again.constraints[0].limit == LIMITS[0]


@pytest.mark.parametrize(
    "options",
    [
        {"smoothing": 0.5},
        {"class_weight": "balanced"},
        {"class_shares": [0.2, 0.5, 0.3]},
        {"review": 0.3},
        {"objective": "min_recall"},
    ],
)
def test_groups_go_with_every_option(frame, options):
    result = solve(frame, **options)
    own = frame.filter((pl.col("sex") == "F") & (pl.col("label") == 2))["score"].to_numpy()
    assert np.mean(result.predict(own).astype(str) == "2") >= 0.7


def test_confidences_hold_together_for_all_groups(frame):
    limits = [f"recall 2 >= 0.7 with 95 % where {group}" for group in "FM"]
    result = solve(frame, constraints=limits)
    assert result.joint_confidence == pytest.approx(0.9)
    assert [str(outcome.constraint) for outcome in result.constraints] == limits


def test_a_group_of_another_type_is_named_by_its_text(frame):
    is_female = frame["sex"].to_numpy() == "F"
    expected = solve(frame).thresholds.tolist()
    for groups, names in (
        (is_female, (True, False)),
        (is_female, ("true", "groups == 'false'")),
        (is_female * 7, ("7", "0")),
        (is_female * 7.0, ("7", '"0.0"')),
    ):
        limits = [
            ordcut.Recall(2, at_least=0.7, where=names[0]),
            ordcut.Precision(2, at_least=0.5, where=names[1]),
        ]
        assert solve(frame, groups=groups, constraints=limits).thresholds.tolist() == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": None}, "needs groups="),
        ({"constraints": ["recall 2 >= 0.7"]}, "none of the constraints names a group"),
        ({"constraints": ["recall 2 >= 0.7 where X"]}, "must name a group, one of F, M"),
        ({"constraints": ["recall 2 >= 0.7 where age = F"]}, "where sex = F"),
        ({"groups": ["F"] * 3}, "one group for each of the 2000 rows"),
        ({"groups": [None] * 2000}, "groups must not be missing.*give them a group"),
        ({"constraints": ["precision 2 >= 0.99 with 95 % where F"]}, "rows like these in group F"),
        (
            {"constraints": ["recall 2 >= 0.99 where F", "over 0 <= 0.01 where M"]},
            "0.99 where F' and 'over 0 <= 0.01 where M' cannot hold together",
        ),
    ],
)
def test_what_cannot_be_is_said(frame, options, message):
    with pytest.raises(ValueError, match=message):
        solve(frame, **options)


def test_a_mask_is_no_name_of_a_group():
    with pytest.raises(ValueError, match="name the group: where=True for a mask"):
        ordcut.Recall(2, at_least=0.7, where=[True, False])


def test_a_confidence_may_follow_the_group(frame):
    last, first = (
        "recall 2 >= 0.7 where sex = F with 95 %",
        "recall 2 >= 0.7 with 95 % where sex = F",
    )
    (constraint,) = [outcome.constraint for outcome in solve(frame, constraints=[last]).constraints]
    assert str(constraint) == first


def test_groups_in_another_order_are_refused(frame):
    groups = pd.Series(frame["sex"].to_list()).iloc[::-1]
    with pytest.raises(ValueError, match="same index"):
        solve(frame, groups=groups)


def test_few_rows_of_a_group_are_said(frame):
    groups = np.where(np.arange(2000) < 20, "F", "M")
    with pytest.warns(UserWarning, match="class 2 in group F, of which there are .*: they say"):
        solve(frame, groups=groups, constraints=["recall 2 >= 0.7 where F"])


def test_the_bootstrap_cannot_draw_groups(frame):
    with pytest.raises(ValueError, match="constraints on groups"):
        solve(frame).bootstrap()


def test_missing_groups_of_a_frame_are_refused_or_dropped(frame):
    holes = frame.with_columns(
        pl.when(pl.int_range(pl.len()) < 100).then(None).otherwise(pl.col("sex")).alias("sex")
    )
    arguments = {"score": "score", "label": "label", "groups": "sex", "constraints": LIMITS}
    with pytest.raises(ValueError, match="groups must not be missing"):
        ordcut.frames.optimal_thresholds(holes, **arguments)
    result = ordcut.frames.optimal_thresholds(holes, nulls="drop", **arguments)
    expected = solve(frame[100:])
    assert result.thresholds.tolist() == expected.thresholds.tolist()
    assert result.dropped == 100
