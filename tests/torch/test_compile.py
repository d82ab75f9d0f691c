"""torch.compile of losses and trackers: one graph without a break, and the same values."""

from shutil import which

import pytest
import torch

from tests.torch.every_loss import K, all_losses, inputs_for, some_rows
from tests.torch.small_network import make_rows, trained_network


@pytest.fixture(autouse=True)
def _compiled_afresh():
    torch._dynamo.reset()


def step(loss, layer, features, target):
    """A training step up to the gradients, with weights of rows."""
    return loss(inputs_for(loss, layer(features).squeeze(1)), target, 1 + features[:, 0].abs())


WEIGHTS = [1.0, 2.0, 1.0, 1.0, 1.0]

#: One loss of each kind.
KINDS = {type(loss): loss for loss in all_losses(weight=WEIGHTS)}.values()

CASES = [
    *(("classes", loss) for loss in all_losses(weight=WEIGHTS)),
    *((labels, loss) for labels in ("ignored", "soft") for loss in KINDS),
]


@pytest.mark.parametrize(("labels", "loss"), CASES)
def test_a_training_step_is_one_graph_with_the_same_gradients(labels, loss):
    scores, target = some_rows()
    features = scores.float()[:, None]
    loss.ignore_index = -100 if labels == "ignored" else None
    if labels == "ignored":
        target = torch.where(torch.arange(len(target)) % 3 == 0, -100, target)
    elif labels == "soft":
        target = torch.nn.functional.one_hot(target, K).float() + 0.1
    layer = torch.nn.Linear(1, 1)
    parameters = [*layer.parameters(), *loss.parameters()]
    compiled = torch.compile(step, fullgraph=True, backend="aot_eager")
    gradients = [
        torch.autograd.grad(run(loss, layer, features, target), parameters)
        for run in (step, compiled)
    ]
    for plain, other in zip(*gradients, strict=True):
        torch.testing.assert_close(other, plain)


@pytest.mark.skipif(which("g++") is None, reason="generated code needs a C++ compiler")
@pytest.mark.filterwarnings("ignore:`torch.jit.*is deprecated:DeprecationWarning")  # its own use
def test_a_compiler_that_generates_code_finds_the_same_loss(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    network = trained_network()
    features, labels = make_rows()
    compiled = torch.compile(lambda: network.loss(network.scores(features), labels), fullgraph=True)
    torch.testing.assert_close(compiled(), network.loss(network.scores(features), labels))


def test_labels_of_a_compiled_network_are_the_same():
    network = trained_network()
    features, _ = make_rows(seed=1)
    compiled = torch.compile(network, fullgraph=True, backend="aot_eager")
    assert torch.equal(compiled(features), network(features))


def test_a_compiled_network_follows_new_thresholds():
    network = trained_network()
    features, labels = make_rows(seed=1)
    compiled = torch.compile(network, fullgraph=True, backend="aot_eager")
    before = compiled(features)
    with torch.no_grad():
        network.tracker.reset()
        network.tracker.update(network.scores(features) + 3, labels)
    network.tracker.compute()
    assert not torch.equal(before, compiled(features))
    assert torch.equal(compiled(features), network(features))
