"""Thresholds in a training loop: the rows of an epoch, the buffer, several processes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from distributed_rows import some_rows
from hypothesis import given, settings
from hypothesis import strategies as st

import ordcut.torch
from ordcut.torch import ThresholdTracker

pytestmark = pytest.mark.usefixtures("one_torch_thread")

HERE = Path(__file__).parent


def tracked(rows, **options):
    tracker = ThresholdTracker(4, **options)
    tracker.update(*rows)
    tracker.compute()
    return tracker


@settings(max_examples=20)
@given(st.lists(st.integers(0, 100), max_size=5).map(sorted), st.sampled_from(["auto", "scan"]))
def test_batches_of_any_size_give_the_thresholds_of_all_rows(ends, method):
    scores, labels = some_rows()
    tracker = ThresholdTracker(4, "zero_one", method=method)
    for batch in zip(scores.tensor_split(ends), labels.int().tensor_split(ends), strict=True):
        tracker.update(*batch)
    expected = ordcut.torch.optimal_thresholds(
        scores, labels, objective="zero_one", classes=range(4), method=method
    )
    assert tracker.compute() == tracker.found == expected
    assert tracker.thresholds.tolist() == expected.thresholds.tolist()


def test_rows_are_stored_as_they_were():
    scores, labels = some_rows()
    tracker = ThresholdTracker(4)
    scores.requires_grad_()
    kept = scores.detach().clone()
    tracker.update(scores, labels)
    with torch.no_grad():
        scores.zero_()
        labels.zero_()
    assert torch.equal(tracker.rows()[0], kept)
    assert not tracker.rows()[0].requires_grad
    assert tracker.rows()[1].unique().tolist() == [0, 1, 2, 3]


def test_reset_drops_rows_and_keeps_thresholds():
    tracker = tracked(some_rows())
    before = tracker.found
    tracker.reset()
    assert len(tracker.rows()[0]) == 0
    with pytest.raises(RuntimeError, match=r"no scores.*update"):
        tracker.compute()
    assert tracker.found is before
    tracker.update(*some_rows(seed=1))
    assert tracker.compute() != before


def test_labels_of_a_class_weight_and_an_objective_are_judged_by_them():
    scores, labels = some_rows()
    tracker = tracked((scores, labels), objective="quadratic_kappa", class_weight="balanced")
    expected = ordcut.optimal_thresholds(
        scores.numpy(), labels.numpy(), objective="quadratic_kappa", class_weight="balanced"
    )
    assert tracker.found == expected
    assert tracker.judge(labels, tracker(scores)) == expected.value


def test_the_state_carries_the_thresholds(tmp_path):
    tracker = tracked(some_rows())
    torch.save(tracker.state_dict(), tmp_path / "tracker.pt")
    again = ThresholdTracker(4)
    again.load_state_dict(torch.load(tmp_path / "tracker.pt", weights_only=True))
    assert again.found == tracker.found
    scores, _ = some_rows(seed=1)
    assert torch.equal(again(scores), tracker(scores))


def test_a_state_without_thresholds_takes_them_away():
    tracker = tracked(some_rows())
    tracker.load_state_dict(ThresholdTracker(4).state_dict())
    with pytest.raises(RuntimeError, match="no thresholds yet"):
        tracker(torch.zeros(1))


def test_a_damaged_state_is_not_taken():
    state = tracked(some_rows()).state_dict()
    state["thresholds"] = state["thresholds"] + 1
    with pytest.raises(ValueError, match="state_dict is damaged"):
        ThresholdTracker(4).load_state_dict(state)


@pytest.mark.parametrize("cast", [torch.nn.Module.half, torch.nn.Module.bfloat16])
def test_thresholds_stay_in_float64_when_a_network_is_cast(cast):
    tracker = tracked(some_rows())
    network = cast(torch.nn.ModuleDict({"layer": torch.nn.Linear(2, 1), "tracker": tracker}))
    assert network["layer"].weight.dtype != torch.float32
    assert tracker.thresholds.tolist() == tracker.found.thresholds.tolist()
    assert network.to("meta")["tracker"].thresholds.device.type == "meta"


def test_a_tracker_made_without_memory_gets_some():
    with torch.device("meta"):
        tracker = ThresholdTracker(4)
    tracker.to_empty(device="cpu").load_state_dict(tracked(some_rows()).state_dict())
    assert tracker.thresholds.tolist() == tracker.found.thresholds.tolist()


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ((torch.zeros(2, 1), torch.zeros(2).long()), ValueError, r"scores must.*squeeze\(1\)"),
        ((torch.zeros(2), torch.tensor([0, 4])), ValueError, "labels must be classes from 0 to 3"),
        ((torch.zeros(2), torch.zeros(2)), TypeError, "labels must be whole numbers"),
    ],
)
def test_rows_that_do_not_fit_are_named(rows, error, message):
    with pytest.raises(error, match=message):
        ThresholdTracker(4).update(*rows)


def test_scores_of_a_network_that_has_diverged_are_refused():
    tracker = ThresholdTracker(4)
    tracker.update(torch.tensor([0.0, torch.nan]), torch.tensor([0, 1]))
    with pytest.raises(ValueError, match="scores must be finite, got nan at position 1"):
        tracker.compute()


def test_two_processes_find_the_thresholds_of_one(tmp_path):
    environment = os.environ | {"GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(HERE / "distributed_rows.py"), str(tmp_path / "store")]
    processes = [
        subprocess.Popen([*command, rank], stdout=subprocess.PIPE, env=environment, text=True)
        for rank in "01"
    ]
    outputs = [process.communicate(timeout=300)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert outputs[0] == outputs[1]
    found = json.loads(outputs[0])

    scores, labels = some_rows()
    expected = json.loads(tracked((scores, labels)).found.to_json())
    # 101 rows are odd, so the sampler repeated one. It is left out, and the order restored.
    assert found["sampler"]["n_gathered"] == 102
    assert found["sampler"]["scores"] == scores.tolist()
    assert found["sampler"]["found"] == expected

    assert sorted(found["uneven"]["scores"]) == sorted(scores.tolist())
    assert found["uneven"]["found"] == expected

    half = tracked((scores.half(), labels)).found
    assert found["one idle"]["scores"] == scores.half().tolist()
    assert found["one idle"]["found"] == json.loads(half.to_json())
