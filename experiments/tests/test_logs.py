"""Event files for TensorBoard, read by TensorBoard itself."""

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from experiments.logs import TensorBoardLog

ROWS = [
    {"epoch": 1, "loss": 2.5, "validation_optimal": 0.5, "validation_biases": None},
    {"epoch": 2, "loss": 1.5, "validation_optimal": 0.25, "validation_biases": None},
]


def scalars(folder):
    events = EventAccumulator(str(folder)).Reload()
    return {
        tag: [(event.step, event.value) for event in events.Scalars(tag)]
        for tag in events.Tags()["scalars"]
    }


def test_every_column_with_a_value_is_a_scalar_by_epoch(tmp_path):
    log = TensorBoardLog(tmp_path / "events")
    log.restart([])
    for row in ROWS:
        log.append(row)
    log.close()
    assert scalars(tmp_path / "events") == {
        "loss": [(1, 2.5), (2, 1.5)],
        "validation/optimal": [(1, 0.5), (2, 0.25)],
    }


def test_a_log_that_is_restarted_has_each_epoch_once(tmp_path):
    first = TensorBoardLog(tmp_path / "events")
    first.restart(ROWS)  # and is never closed, as if the process were killed
    again = TensorBoardLog(tmp_path / "events")
    again.restart(ROWS[:1])
    again.append(ROWS[1])
    again.close()
    assert scalars(tmp_path / "events")["loss"] == [(1, 2.5), (2, 1.5)]
    first.close()


def test_tensorboard_that_is_not_installed_is_named(tmp_path, without):
    without("tensorboard")
    with pytest.raises(ValueError, match="pip install tensorboard"):
        TensorBoardLog(tmp_path)
