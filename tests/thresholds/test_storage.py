"""JSON of what came of constraints."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

import ordcut
from ordcut._core.thresholds import ConstraintOutcome

SCORES, LABELS = np.arange(40.0), np.repeat([0, 1, 2, 1, 0, 2, 1, 2], 5)
LIMITS = ["recall 2 >= 0.8", "share 1 <= 0.4", "count 0 >= 3", "digits 0", "between 0 -inf 12"]


def found_within(constraints=LIMITS, **options):
    return ordcut.optimal_thresholds(SCORES, LABELS, constraints=constraints, **options)


@pytest.mark.parametrize("options", [{}, {"review": 0.25}], ids=["classes", "review"])
def test_json_keeps_what_came_of_each_constraint(options):
    result = found_within(**options)
    read = ordcut.Thresholds.from_json(result.to_json())
    assert read == result
    for one, other in zip(read.constraints, result.constraints, strict=True):
        assert (one.limit, one.reached, one.cost) == (other.limit, other.reached, other.cost)
        assert one.binds == other.binds


def test_json_that_was_read_is_written_alike():
    text = found_within().to_json()
    assert ordcut.Thresholds.from_json(text).to_json() == text


def test_json_is_indented_by_two_and_keeps_letters_of_any_language():
    result = ordcut.optimal_thresholds([1, 2], ["früh", "spät"], classes=["früh", "spät"])
    lines = result.to_json().split("\n")
    assert lines[:2] == ["{", '  "schema": "ordcut.thresholds",']
    assert '    "früh",' in lines


def test_infinite_thresholds_are_written_as_text():
    result = found_within(["digits 0", "share 0 <= 0"])
    text = result.to_json()
    assert json.loads(text)["constraints"][0]["reached"][0] == "-inf"
    assert ordcut.Thresholds.from_json(text).constraints[0].reached[0] == -np.inf


def test_a_share_of_nothing_is_null():
    result = ordcut.optimal_thresholds(
        [1, 2, 3, 4], [0, 0, 2, 2], classes=[0, 1, 2], constraints=["recall 1 >= 1"]
    )
    text = result.to_json()
    assert json.loads(text)["constraints"][0]["reached"] is None
    assert np.isnan(ordcut.Thresholds.from_json(text).constraints[0].reached)


def test_a_cost_that_cannot_be_computed_is_null_and_said_to_be_unknown():
    def price():
        raise ValueError("max_rows must be at least 9 for these data, got 4.")

    outcome = ConstraintOutcome("share 1 <= 0.5", 0.25, price)
    assert outcome.to_dict() == {"constraint": "share 1 <= 0.5", "reached": 0.25, "cost": None}
    assert repr(outcome) == "share 1 <= 0.5: reached 0.25, cost unknown"


def test_thresholds_without_constraints_have_none_in_json():
    assert "constraints" not in json.loads(found_within([]).to_json())


def test_constraints_tell_thresholds_apart():
    one, other = found_within(["share 0 <= 0.9"]), found_within(["share 0 <= 0.8"])
    assert one.thresholds.tolist() == other.thresholds.tolist()
    assert one != other


@pytest.mark.parametrize(
    "constraints",
    [
        "share 1 <= 0.5",
        ["share 1 <= 0.5"],
        [{"constraint": 3, "reached": 0.1, "cost": 0.0}],
        [{"constraint": "share 1 <= 0.5", "cost": 0.0}],
        [{"constraint": "share 1 <= 0.5", "reached": "much", "cost": 0.0}],
        [{"constraint": "share 1 <= 0.5", "reached": 0.1}],
        [{"constraint": "share 1 <= 0.5", "reached": 0.1, "cost": [1.0, 2.0]}],
    ],
)
def test_damaged_constraints_are_refused(constraints):
    data = json.loads(found_within([]).to_json())
    data["constraints"] = constraints
    with pytest.raises(ValueError, match="must be"):
        ordcut.Thresholds.from_json(json.dumps(data))


@pytest.mark.parametrize("infinite", ["Infinity", "-Infinity", "1e999", "NaN"])
@pytest.mark.parametrize("name", ["classes", "decisions"])
def test_classes_that_are_not_finite_are_refused(name, infinite):
    text = ordcut.Thresholds.from_values([0.5], [1.0, 2.5]).to_json()
    damaged = text.replace("2.5", infinite, 1)
    if name == "decisions":
        decisions = f'"version": 3, "decisions": [1.0, {infinite}]'
        damaged = text.replace('"version": 3', decisions, 1)
    with pytest.raises(ValueError, match=rf"{name} must .*(finite|missing).*, got -?(inf|nan)"):
        ordcut.Thresholds.from_json(damaged)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_or_a_folder_is_no_file_to_read(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path, Path(os.devnull)):
        with pytest.raises(ValueError, match=r"the path of a file, and .* is none. Read it"):
            ordcut.Thresholds.from_json(path)
