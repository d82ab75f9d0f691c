"""The state of a tracker: tensors only, for every tool that saves and loads them."""

import json

import pytest
import safetensors.torch
import torch
from accelerate import Accelerator, init_empty_weights
from accelerate.utils import load_checkpoint_in_model
from torch.distributed import checkpoint as distributed_checkpoint

import ordcut
from ordcut.torch import ThresholdTracker
from tests.torch.small_network import N_CLASSES, Network, make_rows, trained_network


def same_labels(network, again):
    features, _ = make_rows(seed=1)
    return torch.equal(network(features), again(features))


@pytest.mark.parametrize("network", [Network(), trained_network()], ids=["untrained", "trained"])
def test_a_state_holds_tensors_only(network):
    assert all(isinstance(value, torch.Tensor) for value in network.state_dict().values())


def test_shapes_in_a_state_do_not_change_when_thresholds_are_found():
    before, after = Network().state_dict(), trained_network().state_dict()
    assert {name: before[name].shape for name in before} == {
        name: after[name].shape for name in after
    }


@pytest.mark.parametrize("n_classes", [2, 7, 100])
def test_results_with_the_longest_numbers_fit_into_their_space(n_classes):
    generator = torch.Generator().manual_seed(0)
    scores = -1e-300 * torch.rand(400, generator=generator, dtype=torch.float64)
    labels = torch.arange(400) % n_classes
    tracker = ThresholdTracker(n_classes, "quadratic_kappa", smoothing=0.3)
    empty = tracker.state_dict()["_extra_state"]
    tracker.update(scores, labels)
    tracker.compute()
    state = tracker.state_dict()
    assert state["_extra_state"].shape == empty.shape
    again = ThresholdTracker(n_classes, "quadratic_kappa")
    again.load_state_dict(state)
    assert again.result == tracker.result


def test_a_result_that_is_too_long_is_kept_as_a_whole():
    def cost_with_a_name_that_is_very_long(k, truth):
        return abs(k - truth)

    cost_with_a_name_that_is_very_long.__name__ = "long" * 1000
    network = trained_network(objective=cost_with_a_name_that_is_very_long)
    again = Network(objective=cost_with_a_name_that_is_very_long)
    again.load_state_dict(network.state_dict())
    assert again.tracker.result == network.tracker.result


def test_safetensors_save_and_load_a_model(tmp_path):
    network, again = trained_network(), Network()
    safetensors.torch.save_model(network, tmp_path / "model.safetensors")
    safetensors.torch.load_model(again, tmp_path / "model.safetensors")
    assert again.tracker.result == network.tracker.result
    assert same_labels(network, again)


def test_safetensors_hold_a_network_without_thresholds(tmp_path):
    again = trained_network()
    safetensors.torch.save_model(Network(), tmp_path / "model.safetensors")
    safetensors.torch.load_model(again, tmp_path / "model.safetensors")
    with pytest.raises(RuntimeError, match="no thresholds yet"):
        again(make_rows()[0])


@pytest.mark.filterwarnings("ignore:torch.distributed is disabled")  # there is one process
def test_a_distributed_checkpoint_is_loaded_in_place(tmp_path):
    network, again = trained_network(), Network()
    distributed_checkpoint.save(network.state_dict(), checkpoint_id=tmp_path)
    state = again.state_dict()
    distributed_checkpoint.load(state, checkpoint_id=tmp_path)
    again.load_state_dict(state)
    assert again.tracker.result == network.tracker.result


def test_another_number_of_classes_has_the_message_of_torch():
    with pytest.raises(RuntimeError) as raised:
        ThresholdTracker(5).load_state_dict(trained_network().tracker.state_dict())
    assert (
        "size mismatch for thresholds: copying a param with shape torch.Size([3]) from checkpoint, "
        "the shape in current model is torch.Size([4])." in str(raised.value)
    )


def test_a_result_of_another_number_of_classes_is_refused_where_it_comes_alone():
    packed = trained_network().tracker.get_extra_state()
    with pytest.raises(ValueError, match="4 for the 5 classes of the tracker, got 3"):
        ThresholdTracker(5).set_extra_state(packed)


@pytest.mark.parametrize(
    ("objective", "message"),
    [("zero_one", "for absolute, but this tracker is for zero_one"), ("kappa", "is for kappa")],
)
def test_thresholds_of_another_objective_are_loaded_with_a_warning(objective, message):
    network, again = trained_network(), Network(objective=objective)
    with pytest.warns(UserWarning, match=message):
        again.load_state_dict(network.state_dict())
    assert again.tracker.result == network.tracker.result


def test_other_costs_of_the_same_name_are_noticed():
    cost = 1.0 * (torch.arange(4)[:, None] != torch.arange(4)).numpy()
    network, again = trained_network(objective=cost), Network(objective=2 * cost)
    with pytest.warns(UserWarning, match="for custom cost, but this tracker is for other costs"):
        again.load_state_dict(network.state_dict())


def test_an_average_of_states_is_refused():
    state = trained_network().state_dict()
    name = "tracker._extra_state"
    state[name] = (state[name].double() / 2).to(torch.uint8)
    with pytest.raises(ValueError, match=r"got something else.*an average of states"):
        Network().load_state_dict(state)


def test_a_state_is_not_changed_through_its_values():
    network = trained_network()
    for value in network.tracker.state_dict().values():
        value.zero_()
    assert network.tracker.thresholds.tolist() == network.tracker.result.thresholds.tolist()


def test_the_result_in_a_state_is_readable_json():
    network = trained_network()
    text = bytes(network.state_dict()["tracker._extra_state"].tolist()).rstrip(b"\0")
    result = json.loads(text)["result"]
    assert ordcut.Thresholds.from_json(json.dumps(result)) == network.tracker.result


def test_thresholds_for_another_number_of_classes_are_not_kept():
    result = ordcut.optimal_thresholds([1, 2, 3], [0, 1, 2])
    with pytest.raises(ValueError, match=f"3 for the {N_CLASSES} classes of the tracker, got 2"):
        ThresholdTracker(N_CLASSES).keep(result)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_a_state_that_was_cast_to_another_dtype_keeps_the_thresholds(dtype):
    network = trained_network()
    cast = {
        name: value.to(dtype) if value.is_floating_point() else value
        for name, value in network.state_dict().items()
    }
    again = Network()
    again.load_state_dict(cast)
    assert again.tracker.result == network.tracker.result
    assert again.tracker.thresholds.tolist() == network.tracker.thresholds.tolist()


@pytest.mark.filterwarnings("ignore:.*pin_memory")
@pytest.mark.parametrize("size", ["1KB", "1GB"])
def test_accelerate_saves_and_loads_a_model_in_one_or_several_files(tmp_path, size):
    network = trained_network()
    Accelerator(cpu=True).save_model(network, str(tmp_path), max_shard_size=size)
    assert (len(list(tmp_path.glob("*.safetensors"))) > 1) == (size == "1KB")
    again = Network()
    load_checkpoint_in_model(again, str(tmp_path))
    assert again.tracker.result == network.tracker.result


@pytest.mark.parametrize("include_buffers", [True, False])
def test_a_module_made_without_values_gets_those_of_a_state(include_buffers):
    network = trained_network()
    with init_empty_weights(include_buffers):
        again = Network()
    again.load_state_dict(network.state_dict(), assign=True)
    assert same_labels(network, again)
