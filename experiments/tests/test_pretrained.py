"""Parameters to start from: files with torchvision's names."""

from dataclasses import replace

import pytest
import torch
from safetensors.torch import save_file

from experiments import start_run
from experiments.pretrained import load_pretrained
from experiments.resnet import resnet18, resnet34
from experiments.tests.tiny import TINY


def imagenet_state(network=resnet18):
    """A state as torchvision has it: a last layer of 1000 outputs."""
    state = network(5).state_dict()
    return {**state, "fc.weight": torch.zeros(1000, 512), "fc.bias": torch.zeros(1000)}


def save(state, file):
    (save_file if file.suffix == ".safetensors" else torch.save)(state, file)
    return file


@pytest.mark.parametrize("name", ["faces.pt", "faces.pth", "faces.safetensors"])
def test_all_but_the_last_layer_is_loaded_and_that_is_said(tmp_path, name):
    torch.manual_seed(0)
    state = imagenet_state()
    network = resnet18(5)
    last = network.fc.weight.clone()
    (note,) = load_pretrained(network, save(state, tmp_path / name))
    assert note.startswith(f"The last layer of {name} is left out")
    assert "fc.weight (1000, 512)" in note
    assert torch.equal(network.fc.weight, last)
    for key, values in network.state_dict().items():
        assert key.startswith("fc.") or torch.equal(values, state[key])


def test_a_last_layer_that_fits_is_loaded_as_well(tmp_path):
    network, other = resnet18(5), resnet18(9)
    assert load_pretrained(network, save(other.state_dict(), tmp_path / "a.pt")) == []
    assert torch.equal(network.fc.weight, other.fc.weight)


def test_a_file_without_the_counters_of_batches_or_the_last_layer_fits(tmp_path):
    left_out = ("num_batches_tracked", "fc.weight", "fc.bias")
    state = {k: v for k, v in imagenet_state().items() if not k.endswith(left_out)}
    (note,) = load_pretrained(resnet18(5), save(state, tmp_path / "a.safetensors"))
    assert "that of the network starts anew" in note


def test_a_file_that_does_not_fit_says_what_is_missing_wrong_and_unknown(tmp_path):
    state = imagenet_state()
    del state["bn1.weight"]
    state["conv1.weight"] = torch.zeros(64, 1, 7, 7)
    state["head.weight"] = torch.zeros(1)
    with pytest.raises(ValueError, match="by torchvision's names") as caught:
        load_pretrained(resnet18(5), save(state, tmp_path / "a.pt"))
    message = str(caught.value)
    assert "1 missing: bn1.weight" in message
    assert "conv1.weight (64, 1, 7, 7) instead of (64, 3, 7, 7)" in message
    assert "1 not of this network: head.weight" in message


def test_parameters_of_a_deeper_network_are_refused(tmp_path):
    file = save(imagenet_state(resnet34), tmp_path / "a.pt")
    with pytest.raises(ValueError, match=r"not of this network: layer1\.2\.conv1\.weight"):
        load_pretrained(resnet18(5), file)


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda _: None, "is not one"),
        (lambda file: file.write_bytes(b"no tensors"), "cannot be read"),
        (lambda file: torch.save([torch.ones(1)], file), "must be a state dict"),
    ],
)
@pytest.mark.parametrize("name", ["a.pt", "a.safetensors"])
def test_a_file_that_is_no_state_dict_is_refused(tmp_path, name, write, message):
    file = tmp_path / name
    write(file)
    if name == "a.safetensors" and message == "must be a state dict":
        message = "cannot be read"
    with pytest.raises((ValueError, OSError), match=message):
        load_pretrained(resnet18(5), file)


def test_a_checkpoint_that_has_parameters_in_one_of_its_parts_says_which(tmp_path):
    file = save({"epoch": 3, "model": imagenet_state()}, tmp_path / "a.pt")
    with pytest.raises(ValueError, match=r"Save 'model' of the file, a dictionary"):
        load_pretrained(resnet18(5), file)


def test_a_whole_network_in_a_file_is_refused_in_a_short_message(tmp_path):
    file = save(resnet18(5), tmp_path / "a.pt")
    with pytest.raises(ValueError, match=r"save network\.state_dict\(\) instead") as caught:
        load_pretrained(resnet18(5), file)
    assert len(str(caught.value)) < 400 + len(str(file))


def test_a_run_with_a_file_that_does_not_fit_writes_nothing(tmp_path):
    file = save(imagenet_state(), tmp_path / "a.pt")
    with pytest.raises(ValueError, match=r"not of this network: layer1\.1\.conv1"):
        start_run(replace(TINY, pretrained=str(file)), tmp_path / "run")  # a resnet10
    assert not (tmp_path / "run").exists()


def test_safetensors_that_is_not_installed_is_named(tmp_path, without):
    file = save(imagenet_state(), tmp_path / "a.safetensors")
    without("safetensors")
    with pytest.raises(ImportError, match="pip install safetensors"):
        load_pretrained(resnet18(5), file)
