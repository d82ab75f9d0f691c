"""JSON and checkpoints that earlier versions wrote for ``SCORES`` and ``LABELS`` are still read.

The files in ``0.1`` were written by 0.1.0, those in ``0.2`` before certificates were data.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import ordcut

FOLDER = Path(__file__).parent
INDICES = np.arange(40)
SCORES = np.round(np.sin(INDICES) + INDICES / 13, 2)
LABELS = np.minimum((INDICES * 7 % 11 + INDICES // 4) // 4 % 5, 3)
NAMES = ["früh", "mittel", "spät", "nie"]
COSTS = [[0, 1, 4, 9], [2, 0, 1, 4], [8, 2, 0, 1], [18, 8, 2, 0]]

#: How each file was made.
OPTIONS = {
    "absolute": {},
    "names": {"objective": "zero_one", "classes": NAMES},
    "kappa": {"objective": "quadratic_kappa"},
    "costs": {"objective": COSTS},
    "smoothed": {"smoothing": 0.5},
    "infinite": {"classes": [0, 1, 2]},
    "limited": {"constraints": ["recall 2 >= 0.5", "digits 1"]},
    "review": {"review": 0.25},
}


def made_again(name):
    scores, labels = (SCORES, LABELS) if name != "infinite" else ([1, 2, 3], [1, 1, 1])
    labels = np.array(NAMES)[labels] if name == "names" else labels
    return ordcut.optimal_thresholds(scores, labels, **OPTIONS[name])


FILES = sorted(FOLDER.glob("0.*/*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name} {path.stem}")
def test_json_of_earlier_versions_is_what_is_found_today(path):
    read = ordcut.Thresholds.from_json(path)
    today = made_again(path.stem)
    assert read.thresholds.tolist() == today.thresholds.tolist()
    assert read.ranges.tolist() == today.ranges.tolist()
    assert read.value == pytest.approx(today.value, rel=1e-12)
    assert read.decisions.tolist() == today.decisions.tolist()
    assert read.predict(SCORES).tolist() == today.predict(SCORES).tolist()
    assert read.review_share == today.review_share
    assert [outcome.limit for outcome in read.constraints] == [
        outcome.limit for outcome in today.constraints
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name} {path.stem}")
def test_json_of_earlier_versions_is_written_with_the_same_fields(path):
    before = json.loads(path.read_text(encoding="utf-8"))
    written = json.loads(ordcut.Thresholds.from_json(path).to_json())
    assert {key: written[key] for key in before} == before


@pytest.mark.parametrize("objective", ["absolute", "quadratic_kappa"])
@pytest.mark.parametrize("version", ["0.1", "0.2"])
def test_checkpoints_of_earlier_versions_label_as_before(version, objective):
    torch = pytest.importorskip("torch")
    if not hasattr(torch, "nn"):
        pytest.skip("tests/torch is on the path, and PyTorch is not installed")
    from ordcut.torch import ThresholdTracker

    state = torch.load(FOLDER / version / f"tracker_{objective}.pt", weights_only=True)
    tracker = ThresholdTracker(4, objective)
    tracker.load_state_dict(state)
    expected = ordcut.optimal_thresholds(SCORES, LABELS, objective=objective)
    assert tracker.thresholds.tolist() == expected.thresholds.tolist()
    assert tracker(torch.tensor(SCORES)).tolist() == expected.predict(SCORES).tolist()
