"""The examples of the guide that need a training tool run unchanged, on data of their shape."""

import pytest
import torch
from safetensors.torch import load_file

from ordcut.torch import ThresholdTracker
from tests.torch.hf_model import examples

pytestmark = [
    pytest.mark.filterwarnings(r"ignore:.*LeafSpec.*:FutureWarning"),  # torch 2.13
    pytest.mark.filterwarnings("ignore:.*pin_memory.*no accelerator is found"),
]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the examples that import a package, in an empty folder; return their names."""
    monkeypatch.chdir(tmp_path)

    def run_example(package):
        torch.manual_seed(0)
        features = torch.randn(600, 5)
        stage = (features.sum(1) + torch.randn(600) + 2).clamp(0, 3).long()
        names = {"features": features, "stage": stage}
        exec("\n".join(examples(package)), names)
        return names

    return run_example


@pytest.mark.filterwarnings("ignore:Starting from v1.9.0")  # which logger Lightning takes
@pytest.mark.filterwarnings("ignore:.*is smaller than the logging interval")
@pytest.mark.filterwarnings(r"ignore:.*does not have many workers")
def test_the_example_for_lightning_trains(tmp_path, run):
    names = run("lightning")
    module, trainer = names["module"], names["trainer"]
    (tracker,) = [part for part in module.modules() if isinstance(part, ThresholdTracker)]
    assert tracker.result.objective == "absolute"
    assert trainer.callback_metrics[names["monitor"]] < 0.7
    assert names["labels"].shape == (5,)
    assert len(list((tmp_path / "checkpoints").iterdir())) == 1


def test_the_example_for_transformers_trains(tmp_path, run):
    names = run("transformers")
    error = (names["labels"] - names["stage"][400:]).abs().double().mean().item()
    assert error == names["trainer"].state.best_metric
    assert names["errors"] == sorted(names["errors"], reverse=True)
    assert names["errors"][-1] < 0.9 * names["errors"][0]
    assert len(list((tmp_path / "runs").iterdir())) == 3


def test_the_example_for_accelerate_trains(tmp_path, run):
    names = run("accelerate")
    result = names["tracker"].result
    state = load_file(tmp_path / "state" / "model.safetensors")
    assert state["tracker.thresholds"].tolist() == result.thresholds.tolist()
    assert len(names["tracker"].rows()[0]) == 600
    again = names["again"]  # loaded and dispatched
    assert again["tracker"].result == result
    assert torch.equal(again["network"].weight, names["network"].weight)


def test_the_example_for_skorch_trains(tmp_path, run):
    names = run("skorch")
    net = names["net"]
    best = min(net.history[:, "valid_error"])
    net.load_params(f_params=tmp_path / "stages" / "best.safetensors", use_safetensors=True)
    assert 0 < best < 0.6
    labels = net.predict(names["features"])
    assert set(labels.tolist()) == {0, 1, 2, 3}
