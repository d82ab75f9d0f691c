"""Every training tool saves, loads, resumes, validates and exports a network with thresholds."""

import onnxruntime
import pytest
import torch

import ordcut
from tests.torch.small_network import N_CLASSES, make_rows
from tests.torch.stacks import STACKS, labels_of

pytestmark = [
    pytest.mark.filterwarnings(r"ignore:.*LeafSpec.*:FutureWarning"),  # torch 2.13
    pytest.mark.filterwarnings(r"ignore:.*does not have many workers"),
    pytest.mark.filterwarnings("ignore:.*pin_memory.*no accelerator is found"),
    pytest.mark.filterwarnings("ignore:Checkpoint directory .* exists and is not empty"),
    pytest.mark.filterwarnings("ignore:Be aware that when using `ckpt_path`"),
]


@pytest.fixture(scope="module", params=STACKS, ids=lambda stack: stack.__name__)
def trained(request, tmp_path_factory):
    """A stack, the folder in which it has trained a network, and the network."""
    stack, folder = request.param(), tmp_path_factory.mktemp(request.param.__name__)
    torch.manual_seed(0)
    return stack, folder, stack.fit(folder)


def scores_of(network, features):
    with torch.no_grad():
        return network.scores(features)


def test_a_training_saves_the_thresholds_of_its_weights(trained):
    _, folder, network = trained
    features, labels = make_rows()
    expected = ordcut.optimal_thresholds(
        scores_of(network, features).numpy(), labels.numpy(), classes=range(N_CLASSES)
    )
    assert network.tracker.result == expected
    assert sum(file.is_file() for file in folder.rglob("*")) > 0


def test_a_network_that_is_loaded_has_the_same_labels(trained):
    stack, folder, network = trained
    again = stack.load(folder)
    features, _ = make_rows(seed=1)
    assert again.tracker.result == network.tracker.result
    assert torch.equal(
        again.tracker(scores_of(again, features)), network.tracker(scores_of(network, features))
    )


def test_a_training_that_is_resumed_ends_with_the_same_thresholds(trained):
    stack, folder, network = trained
    torch.manual_seed(0)
    again = stack.resume(folder)
    assert again.tracker.result == network.tracker.result
    features, _ = make_rows(seed=1)
    assert torch.equal(scores_of(again, features), scores_of(network, features))


def test_a_validation_uses_the_thresholds_that_were_saved(trained):
    stack, folder, network = trained
    features, labels = make_rows(40, 1)
    predicted = network.tracker.result.predict(scores_of(network, features).numpy())
    assert stack.validate(folder) == ordcut.evaluate(labels.numpy(), predicted)


@pytest.mark.filterwarnings("ignore:`torch.jit.*is deprecated")
def test_a_network_that_is_loaded_can_be_exported(trained, tmp_path):
    stack, folder, network = trained
    features, _ = make_rows(seed=1)
    expected = network.tracker.result.predict(scores_of(network, features).numpy()).tolist()
    module = labels_of(stack.load(folder))
    shapes = ({0: torch.export.Dim.DYNAMIC},)
    exported = torch.export.export(module, (features[:5],), dynamic_shapes=shapes)
    assert exported.module()(features).tolist() == expected
    torch.onnx.export(exported, (), tmp_path / "model.onnx", verbose=False)
    session = onnxruntime.InferenceSession(str(tmp_path / "model.onnx"))
    (given,) = session.get_inputs()
    assert session.run(None, {given.name: features.numpy()})[0].tolist() == expected
