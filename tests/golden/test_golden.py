"""JSON of results, as it was when the format last changed."""

import json

import pytest

import ordcut
from tests.golden.problems import FOLDER, OPTIONS, SCORES, solve


@pytest.mark.parametrize("name", OPTIONS)
def test_json_is_written_and_read_as_before(name):
    before, today = FOLDER / f"{name}.json", solve(name)
    text = today.to_json(time=False)
    written = json.loads(text, parse_float=lambda digits: pytest.approx(float(digits)))
    written["record"]["ordcut"] = "0.2.0"
    assert json.loads(before.read_text(encoding="utf-8")) == written
    read = ordcut.Thresholds.from_json(before)
    assert read.thresholds.tolist() == today.thresholds.tolist()
    assert read.predict(SCORES).tolist() == today.predict(SCORES).tolist()
