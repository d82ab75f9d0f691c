"""Thresholds in a training loop: the rows of an epoch, the buffer, several processes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import ordcut.torch
from ordcut.torch import ThresholdTracker, optimal_thresholds
from tests.torch.distributed_rows import AGES, some_rows, weights_of

ROOT = Path(__file__).parents[2]


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
    assert tracker.compute() == tracker.result == expected
    assert tracker.thresholds.tolist() == expected.thresholds.tolist()


@pytest.mark.parametrize("weight_type", ["repeats", "importance"])
def test_weights_count_for_smoothing_as_their_type_says(weight_type):
    scores, labels = some_rows()
    weights = 1 + labels
    options = {"smoothing": "auto", "weight_type": weight_type}
    expected = optimal_thresholds(
        scores, labels, classes=range(4), sample_weight=weights, **options
    )
    assert tracked((scores, labels, weights), **options).result == expected


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
    before = tracker.result
    tracker.reset()
    assert len(tracker.rows()[0]) == 0
    with pytest.raises(RuntimeError, match=r"no scores.*update"):
        tracker.compute()
    assert tracker.result is before
    tracker.update(*some_rows(seed=1))
    assert tracker.compute() != before


def test_labels_of_a_class_weight_and_an_objective_are_judged_by_them():
    scores, labels = some_rows()
    tracker = tracked((scores, labels), objective="quadratic_kappa", class_weight="balanced")
    expected = ordcut.optimal_thresholds(
        scores.numpy(), labels.numpy(), objective="quadratic_kappa", class_weight="balanced"
    )
    assert tracker.result == expected
    assert tracker.evaluate(labels, tracker(scores)) == expected.value


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
    assert tracker.thresholds.tolist() == tracker.result.thresholds.tolist()


def test_a_tracker_on_a_device_without_values_has_no_thresholds():
    tracker = tracked(some_rows()).to("meta")
    assert tracker.result is None
    with pytest.raises(RuntimeError, match="no thresholds yet"):
        tracker(torch.zeros(2))


def test_a_tracker_made_without_memory_gets_some():
    with torch.device("meta"):
        tracker = ThresholdTracker(4)
    assert list(tracker.state_dict()) == ["_extra_state"]
    tracker.to_empty(device="cpu").load_state_dict(tracked(some_rows()).state_dict())
    assert tracker.thresholds.tolist() == tracker.result.thresholds.tolist()
    assert list(tracker.state_dict()) == ["thresholds", "_extra_state"]


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ((torch.zeros(2, 2), torch.zeros(2).long()), ValueError, r"scores must.*\(n, 1\), got"),
        ((torch.zeros(2), torch.zeros(2, 1).long()), ValueError, r"labels.squeeze\(1\)"),
        (
            ([0.0], torch.zeros(1).long()),
            TypeError,
            r"scores must be a tensor, got list.*as_tensor",
        ),
        ((torch.zeros(1), np.zeros(1)), TypeError, r"labels must be a tensor, got ndarray"),
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
    message = "scores must be finite, got nan at position 1.*Training has probably diverged"
    with pytest.raises(ValueError, match=message):
        tracker.compute()


def test_a_weight_of_2_equals_the_row_twice():
    scores, labels = some_rows()
    weights = 1 + torch.arange(len(scores)) % 3
    tracker = ThresholdTracker(4)
    for batch in torch.arange(len(scores)).split(16):
        tracker.update(scores[batch], labels[batch], weights[batch])
    again = tracked((scores.repeat_interleave(weights), labels.repeat_interleave(weights)))
    assert tracker.compute() == again.result
    twice = again.evaluate(
        labels.repeat_interleave(weights), again(scores.repeat_interleave(weights))
    )
    assert tracker.evaluate(labels, tracker(scores), weights) == twice
    assert tracker.compare(scores, labels, sample_weight=weights)["optimal"] == twice


def test_batches_without_weights_count_fully():
    scores, labels = some_rows()
    tracker = ThresholdTracker(4)
    tracker.update(scores[:50], labels[:50], torch.ones(50, dtype=torch.float64))
    tracker.update(scores[50:], labels[50:])
    assert tracker.compute() == tracked((scores, labels)).result


def test_soft_labels_with_all_weight_on_one_class_are_that_class():
    scores, labels = some_rows()
    soft = torch.nn.functional.one_hot(labels, 4).double()
    tracker = tracked((scores, soft))
    expected = tracked((scores, labels))
    assert tracker.thresholds.tolist() == expected.thresholds.tolist()
    assert tracker.compare(scores, soft) == expected.compare(scores, labels)


def test_soft_labels_are_those_of_arrays():
    scores, _ = some_rows()
    soft = torch.rand(len(scores), 4, generator=torch.Generator().manual_seed(0))
    expected = ordcut.optimal_thresholds(scores.numpy(), soft.numpy(), classes=range(4))
    assert tracked((scores, soft)).result == expected


def test_classes_and_soft_labels_do_not_mix():
    tracker = tracked(some_rows())
    with pytest.raises(ValueError, match=r"labels must be classes as in the batches before.*reset"):
        tracker.update(torch.zeros(2), torch.ones(2, 4))


def test_rows_with_the_ignored_label_do_not_count():
    scores, labels = some_rows()
    ignored = torch.where(torch.arange(len(labels)) % 5 == 0, -100, labels)
    tracker = tracked((scores, ignored), ignore_index=-100)
    counts = ignored >= 0
    expected = tracked((scores[counts], labels[counts]))
    assert tracker.result == expected.result
    assert len(tracker.rows()[0]) == counts.sum()
    assert tracker.compare(scores, ignored) == expected.compare(scores[counts], labels[counts])


def test_a_negative_label_that_is_not_ignored_is_named_with_what_to_do():
    with pytest.raises(ValueError, match=r"from 0 to 3, got -100.*pass ignore_index=-100"):
        ThresholdTracker(4).update(torch.zeros(2), torch.tensor([0, -100]))


def test_smoothing_is_that_of_arrays():
    scores, labels = some_rows()
    tracker = tracked((scores, labels), smoothing="auto", objective="zero_one")
    assert tracker.result == ordcut.optimal_thresholds(
        scores.numpy(), labels.numpy(), objective="zero_one", smoothing="auto"
    )


def test_smoothing_does_not_run_on_a_device():
    with pytest.raises(ValueError, match=r'got smoothing=0\.5 and method="scan".*"auto"'):
        tracked(some_rows(), smoothing=0.5, method="scan")


@pytest.mark.parametrize("smoothing", [1.5, "automatic", True])
def test_smoothing_is_a_share_or_automatic(smoothing):
    with pytest.raises(ValueError, match="smoothing must be a number from 0 to 1"):
        ThresholdTracker(4, smoothing=smoothing)


def test_scores_in_a_column_are_scores():
    scores, labels = some_rows()
    loss = ordcut.torch.CumulativeLinkLoss(4)
    flat, column = tracked((scores, labels)), tracked((scores[:, None], labels))
    assert column.result == flat.result
    assert torch.equal(column(scores[:, None]), flat(scores))
    assert column(scores[:, None]).shape == labels.shape
    assert column.compare(scores[:, None], labels, loss) == flat.compare(scores, labels, loss)
    assert column.evaluate(labels, flat(scores)[:, None]) == flat.evaluate(labels, flat(scores))
    assert ordcut.torch.optimal_thresholds(scores[:, None], labels) == flat.result


REFUSING = {
    "forward": lambda tracker, scores: tracker(scores),
    "update": lambda tracker, scores: tracker.update(scores, torch.zeros(2).long()),
    "compare": lambda tracker, scores: tracker.compare(scores, torch.zeros(2).long()),
    "losses": lambda _, scores: ordcut.torch.AllThresholdLoss(4)(scores, torch.zeros(2).long()),
    "probabilities": lambda _, scores: ordcut.torch.CumulativeLinkLoss(4).probabilities(scores),
    "likelihood": lambda _, scores: ordcut.torch.CumulativeLinkLoss(4).labels(scores),
    "labels": lambda tracker, scores: ordcut.torch.threshold_labels(scores, tracker.result),
}


@pytest.mark.parametrize("name", REFUSING)
def test_scores_of_other_shapes_are_refused_alike(name):
    tracker = tracked(some_rows())
    with pytest.raises(ValueError, match=r"must be of shape \(n,\) or \(n, 1\), got \(2, 3\)"):
        REFUSING[name](tracker, torch.zeros(2, 3))


@pytest.mark.parametrize("name", REFUSING)
def test_scores_that_are_an_array_are_named_with_what_to_do(name):
    tracker = tracked(some_rows())
    with pytest.raises(TypeError, match=r"must be a tensor, got ndarray.*torch.as_tensor"):
        REFUSING[name](tracker, np.zeros(2))


def test_weights_of_another_length_are_named():
    with pytest.raises(ValueError, match=r"one weight for each of the 2 scores, got shape \(3,\)"):
        ThresholdTracker(4).update(torch.zeros(2), torch.zeros(2).long(), torch.ones(3))


def test_a_network_that_has_not_learned_yet_gets_no_warning():
    scores, labels = some_rows()
    assert tracked((-scores, labels)).result.value > tracked((scores, labels)).result.value


def test_two_processes_find_the_thresholds_of_one(tmp_path):
    environment = os.environ | {"GLOO_SOCKET_IFNAME": "lo"}
    command = [sys.executable, "-m", "tests.torch.distributed_rows", str(tmp_path / "store")]
    processes = [
        subprocess.Popen(
            [*command, rank], cwd=ROOT, stdout=subprocess.PIPE, env=environment, text=True
        )
        for rank in "01"
    ]
    outputs = [process.communicate(timeout=300)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert outputs[0] == outputs[1]
    result = json.loads(outputs[0])

    scores, labels = some_rows()
    expected = json.loads(tracked((scores, labels)).result.to_json(time=False))
    # 101 rows are odd, so the sampler repeated one. It is left out, and the order restored.
    assert result["sampler"]["n_gathered"] == 102
    assert result["sampler"]["scores"] == scores.tolist()
    assert result["sampler"]["result"] == expected

    assert sorted(result["uneven"]["scores"]) == sorted(scores.tolist())
    assert result["uneven"]["result"] == expected

    # Rows of the second process have weights, those of the first one count fully.
    weights = torch.where(torch.arange(101) < 30, 1, 1 + labels)
    expected = ordcut.optimal_thresholds(
        scores.numpy(), labels.numpy(), sample_weight=weights.numpy()
    )
    assert result["weighted"] == json.loads(expected.to_json(time=False))
    soft = torch.nn.functional.one_hot(labels, 4) * weights_of(labels)
    expected = ordcut.optimal_thresholds(scores.numpy(), soft.numpy(), classes=range(4))
    assert result["soft"] == json.loads(expected.to_json(time=False))

    ages = torch.tensor(AGES, dtype=torch.float64)[labels]
    expected = ordcut.optimal_thresholds(scores.numpy(), ages.numpy(), classes=AGES)
    assert result["aged"] == json.loads(expected.to_json(time=False))
    assert result["ages"] == ages.tolist()

    half = tracked((scores.half(), labels)).result
    assert result["one idle"]["scores"] == scores.half().tolist()
    assert result["one idle"]["result"] == json.loads(half.to_json(time=False))


def test_constraints_hold_on_the_rows_that_thresholds_are_found_on():
    scores, labels = torch.arange(40.0), torch.arange(40) // 10 % 2
    tracker = ThresholdTracker(2, constraints=["recall 1 >= 1"])
    tracker.update(scores, labels)
    result = tracker.compute()
    expected = ordcut.optimal_thresholds(
        scores.numpy(), labels.numpy(), classes=[0, 1], constraints=["recall 1 >= 1"]
    )
    assert result.thresholds.tolist() == expected.thresholds.tolist() == [9.5]
    assert [constraint.reached for constraint in result.constraints] == [1.0]
    with pytest.raises(ValueError, match="must name a decision, one of 0, 1"):
        ThresholdTracker(2, constraints=["share 7 <= 0.1"])
    with pytest.raises(ValueError, match="constraints needs a method that runs on the CPU"):
        optimal_thresholds(scores, labels, constraints=["digits 0"], method="scan")
