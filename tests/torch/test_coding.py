"""Labels that are values of classes, such as ages, in losses, trackers, metrics and callbacks."""

import io

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

import ordcut
from ordcut.torch import (
    AbsoluteLoss,
    AllThresholdLoss,
    CornLoss,
    CumulativeLinkLoss,
    ImmediateThresholdLoss,
    OptimalThresholds,
    ThresholdMetric,
    ThresholdTracker,
)
from tests.torch.lightning_module import Small, make_data, make_trainer

#: Classes with gaps, and classes that no binary float holds.
CLASSES = [list(range(18, 25)), [0, 1, 5, 60], [-1, 0, 1], [0.1, 0.3, 2.7]]

LOSSES = [AbsoluteLoss, AllThresholdLoss, CornLoss, CumulativeLinkLoss, ImmediateThresholdLoss]

#: Losses whose scores have no unit, so that the values of classes do not matter.
UNITLESS = [loss for loss in LOSSES if loss is not AbsoluteLoss]


@pytest.fixture(autouse=True)
def _compiled_afresh():
    torch._dynamo.reset()


def some_rows(classes, n=120, seed=0):
    """Scores in the unit of the classes, and the positions of the classes."""
    generator = torch.Generator().manual_seed(seed)
    positions = torch.randint(0, len(classes), (n,), generator=generator)
    positions[: len(classes)] = torch.arange(len(classes))
    spread = (classes[-1] - classes[0]) / 3
    values = torch.tensor(classes, dtype=torch.float64)[positions]
    return values + spread * torch.randn(n, generator=generator), positions


def input_for(loss, scores):
    n_outputs = loss.n_outputs
    return scores if n_outputs is None else scores[:, None] - torch.arange(n_outputs)


def tracked(classes, scores, labels, **options):
    tracker = ThresholdTracker(classes=classes, **options)
    for rows in torch.arange(len(scores)).split(50):
        tracker.update(scores[rows], labels[rows])
    tracker.compute()
    return tracker


@pytest.mark.parametrize("classes", CLASSES)
@pytest.mark.parametrize("objective", ["absolute", "squared", "quadratic_kappa", "zero_one"])
def test_thresholds_of_values_are_those_of_arrays(classes, objective):
    scores, positions = some_rows(classes)
    labels = np.array(classes)[positions.numpy()]
    expected = ordcut.optimal_thresholds(
        scores.numpy(), labels, objective=objective, classes=classes
    )
    tracker = tracked(classes, scores, torch.tensor(labels), objective=objective)
    assert tracker.result == expected
    assert tracker.result.classes.tolist() == classes
    assert tracker(scores).tolist() == expected.predict(scores.numpy()).tolist()
    assert tracker.rows()[1].tolist() == labels.tolist()


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
@pytest.mark.parametrize("classes", CLASSES)
def test_labels_of_any_precision_name_the_same_classes(classes, dtype):
    scores, positions = some_rows(classes)
    labels = torch.tensor(classes, dtype=dtype)[positions]
    exact = torch.tensor(classes, dtype=torch.float64)[positions]
    tracker = tracked(classes, scores, labels)
    assert tracker.result == tracked(classes, scores, exact).result
    assert tracker.evaluate(labels, tracker(scores)) == pytest.approx(tracker.result.value)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int16, torch.int32, torch.int64])
def test_integers_of_any_size_name_classes(dtype):
    labels = torch.tensor([18, 20, 25], dtype=dtype)
    for classes in ([18, 20, 25], [18.0, 20.0, 25.0], np.array([18, 20, 25], dtype=np.int8)):
        assert tracked(classes, torch.tensor([1.0, 2.0, 3.0]), labels).result.value == 0


def test_a_dtype_that_rounds_two_classes_to_one_number_is_refused():
    labels = torch.tensor([256, 258]).bfloat16()
    with pytest.raises(TypeError, match=r"dtype that tells all classes apart, got torch.bfloat16"):
        ThresholdTracker(classes=range(256, 260)).update(torch.zeros(2), labels)


@pytest.mark.parametrize("wrong", [17, 19, 71, float("nan"), 18.5])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_value_that_is_no_class_is_an_error_with_its_position(loss, wrong):
    module, labels = loss(classes=[18, 20, 70]), torch.tensor([18, 20, wrong])
    message = f"must be among the classes 18, 20, 70, got {wrong:g} at position 2"
    with pytest.raises(ValueError, match=f"target {message}"):
        module(input_for(module, torch.zeros(3)), labels)
    with pytest.raises(ValueError, match=f"labels {message}"):
        ThresholdTracker(classes=[18, 20, 70]).update(torch.zeros(3), labels)


@pytest.mark.parametrize("wrong", [17, 19, 71])
@pytest.mark.parametrize("loss", LOSSES)
def test_where_values_cannot_be_checked_an_unknown_class_makes_the_loss_nan(loss, wrong):
    module = loss(classes=[18, 20, 70], reduction="none")
    compiled = torch.compile(module, fullgraph=True, backend="eager")
    labels = torch.tensor([18, wrong, 70])
    values = compiled(input_for(module, torch.zeros(3)), labels)
    assert values.isnan().tolist() == [False, True, False]


@pytest.mark.parametrize("loss", LOSSES)
def test_batches_on_a_device_are_encoded_there_without_waiting(loss):
    module = loss(classes=[18, 20, 70], ignore_index=-100).to("meta")
    scores, labels = torch.zeros(3, device="meta"), torch.zeros(3, device="meta").long()
    outputs = scores if module.n_outputs is None else torch.zeros(3, 2, device="meta")
    assert module(outputs, labels).device.type == "meta"
    ThresholdTracker(classes=[18, 20, 70]).update(scores, labels)


@pytest.mark.parametrize("classes", CLASSES)
@pytest.mark.parametrize("loss", UNITLESS)
def test_losses_of_values_are_those_of_positions(loss, classes):
    scores, positions = some_rows(classes)
    labels = torch.tensor(classes)[positions]
    by_value, by_position = loss(classes=classes), loss(n_classes=len(classes))
    outputs = input_for(by_value, scores)
    assert by_value(outputs, labels) == by_position(outputs, positions)
    if hasattr(by_value, "scores"):
        assert by_value.scores(outputs).min() >= classes[0]
    else:
        assert by_value.thresholds().tolist() == by_position.thresholds().tolist()
    soft = torch.nn.functional.one_hot(positions, len(classes)).double()
    torch.testing.assert_close(by_value(outputs, soft), by_value(outputs, labels))


@pytest.mark.parametrize("classes", CLASSES)
def test_the_absolute_loss_is_the_distance_to_the_value(classes):
    scores, positions = some_rows(classes)
    labels = torch.tensor(classes, dtype=torch.float64)[positions]
    loss = AbsoluteLoss(classes=classes)
    torch.testing.assert_close(loss(scores, labels), (scores - labels).abs().mean())
    values = np.array(classes)
    nearest = values[np.abs(scores.numpy()[:, None] - values).argmin(axis=1)]
    assert loss.labels(scores).tolist() == nearest.tolist()


@pytest.mark.parametrize("loss", [CornLoss, CumulativeLinkLoss])
def test_the_class_of_least_expected_cost_takes_distances_of_values(loss):
    module = loss(classes=[0, 1, 100])
    outputs = input_for(module, torch.linspace(-3, 3, 30))
    cost = np.abs(np.subtract.outer([0, 1, 100], [0, 1, 100]))
    expected = (module.probabilities(outputs).detach().numpy() @ cost.T).argmin(axis=1)
    assert module.labels(outputs, "absolute").tolist() == np.array([0, 1, 100])[expected].tolist()


@pytest.mark.parametrize("loss", LOSSES)
def test_an_ignored_label_may_be_any_number_but_a_class(loss):
    module = loss(classes=[18, 20, 70], ignore_index=0)  # the position of class 18
    outputs = input_for(module, torch.tensor([19.0, 5.0, 50.0]))
    kept = torch.tensor([True, False, True])
    labels = torch.tensor([18, 0, 70])
    assert module(outputs, labels) == module(outputs[kept], labels[kept])
    tracker = tracked([18, 20, 70], torch.tensor([19.0, 5.0, 50.0]), labels, ignore_index=0)
    assert tracker.result.value == 0
    assert tracker.rows()[1].tolist() == [18, 70]
    assert tracker.compare(torch.tensor([19.0, 5.0]), labels[:2])["optimal"] == 0


def test_class_weights_and_constraints_name_values():
    scores, positions = some_rows([18, 20, 70])
    labels = torch.tensor([18, 20, 70])[positions]
    options = {"class_weight": {70: 5.0}, "constraints": ["recall 18 >= 0.9"]}
    expected = ordcut.optimal_thresholds(scores.numpy(), labels.numpy(), **options)
    assert tracked([18, 20, 70], scores, labels, **options).result == expected


@pytest.mark.parametrize("classes", CLASSES)
def test_a_state_restores_thresholds_between_the_same_values_only(classes):
    scores, positions = some_rows(classes)
    tracker = tracked(classes, scores, torch.tensor(classes)[positions])
    file = io.BytesIO()
    torch.save(tracker.state_dict(), file)
    file.seek(0)
    state = torch.load(file, weights_only=True)
    with torch.device("meta"):
        restored = ThresholdTracker(classes=classes)
    restored.to_empty(device="cpu").half().load_state_dict(state)
    assert restored.result == tracker.result
    assert restored(scores).tolist() == tracker(scores).tolist()
    other = ThresholdTracker(classes=[value + 1 for value in classes])
    with pytest.raises(ValueError, match="must be for the classes"):
        other.load_state_dict(state)
    with pytest.raises(ValueError, match="must be for the classes"):
        other.keep(tracker.result)


@pytest.mark.filterwarnings("ignore:`torch.jit.*is deprecated")
@pytest.mark.filterwarnings(r"ignore:.*LeafSpec.*:FutureWarning")
@pytest.mark.parametrize("classes", CLASSES)
def test_exported_trackers_return_values_and_for_nan_a_number_below(classes):
    scores, positions = some_rows(classes)
    tracker = tracked(classes, scores, torch.tensor(classes)[positions])
    exported = torch.export.export(tracker, (scores,)).module()
    for module in (torch.jit.script(tracker), torch.jit.trace(tracker, (scores,)), exported):
        assert module(scores).tolist() == tracker(scores).tolist()
        broken = scores.index_fill(0, torch.tensor([0]), torch.nan)
        assert module(broken)[0] < min(0, *classes)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_training_step_with_values_is_one_graph(loss):
    module = loss(classes=[0.1, 0.3, 2.7], weight=[1.0, 2.0, 1.0])
    outputs = input_for(module, torch.linspace(-1, 3, 6)).requires_grad_()
    labels = torch.tensor([0.1, 0.1, 0.3, 0.3, 2.7, 2.7])
    compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
    plain, other = (
        torch.autograd.grad(run(outputs, labels), outputs)[0] for run in (module, compiled)
    )
    torch.testing.assert_close(other, plain)


def test_a_metric_takes_values():
    scores, positions = some_rows([18, 20, 70])
    labels = torch.tensor([18, 20, 70])[positions]
    tracker = tracked([18, 20, 70], scores, labels)
    metric = ThresholdMetric(classes=[18, 20, 70], thresholds=tracker)
    for rows in torch.arange(120).split(32):
        metric.update(scores[rows], labels[rows])
    values = {name: value.item() for name, value in metric.compute().items()}
    assert values == {"optimal": tracker.result.value, "current": tracker.result.value}


class Aged(Small):
    """A module that is trained with ages."""

    def __init__(self, ages, owns_tracker):
        super().__init__(owns_tracker=False)
        self.loss = CumulativeLinkLoss(classes=ages)
        if owns_tracker:
            self.tracker = ThresholdTracker(classes=ages)


@pytest.mark.filterwarnings(r"ignore:.*does not have many workers")
@pytest.mark.filterwarnings(r"ignore:.*LeafSpec.*:FutureWarning")
@pytest.mark.parametrize("owns_tracker", [True, False])
def test_a_callback_takes_values(tmp_path, owns_tracker):
    ages = [18, 20, 35, 70]
    features, positions = make_data(101, 0).tensors
    labels = torch.tensor(ages)[positions]
    callback, module = OptimalThresholds(classes=ages), Aged(ages, owns_tracker)
    trainer = make_trainer(tmp_path, callback, max_epochs=1)
    loader = DataLoader(TensorDataset(features, labels), batch_size=16)
    trainer.fit(module, loader, loader)
    with torch.no_grad():
        scores = module(features)
    expected = ordcut.optimal_thresholds(scores.numpy(), labels.numpy())
    assert callback.tracker.result == expected
    for name in ("val_absolute_optimal", "train_absolute_optimal"):
        assert trainer.callback_metrics[name].item() == expected.value
    other = OptimalThresholds(classes=[18, 20, 35, 71])
    if owns_tracker:
        with pytest.raises(ValueError, match="classes must agree with the module's ThresholdTrack"):
            make_trainer(tmp_path, other, max_epochs=1).fit(module, loader, loader)


BAD_CLASSES = {
    "both": (lambda: ThresholdTracker(3, classes=[1, 2, 3]), "must not both be given"),
    "neither": (lambda: ThresholdTracker(), "n_classes or classes must be given"),
    "no biases": (lambda: CumulativeLinkLoss(), "n_classes or classes must be given"),
    "text": (lambda: ThresholdTracker(classes=["a", "b"]), "at least two numbers"),
    "one": (lambda: AbsoluteLoss(classes=[1]), "at least two numbers"),
    "a number": (lambda: AbsoluteLoss(classes=5), "at least two numbers"),
    "descending": (lambda: AbsoluteLoss(classes=[3, 2, 1]), "in ascending order, each once"),
    "twice": (lambda: AbsoluteLoss(classes=[1, 1, 2]), "in ascending order, each once"),
    "infinite": (lambda: AbsoluteLoss(classes=[0, float("inf")]), "must be finite"),
    "a range as the number": (lambda: ThresholdTracker(range(18, 71)), "pass classes="),
    "float labels": (
        lambda: ThresholdTracker(3).update(torch.zeros(2), torch.zeros(2)), "as classes=",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_CLASSES)
def test_classes_that_cannot_be_are_refused_with_what_to_do(case):
    make, message = BAD_CLASSES[case]
    with pytest.raises((ValueError, TypeError), match=message):
        make()


def test_a_module_shows_its_classes():
    assert "classes=[18, 19, 20, 21, 22, 23, ... (53 in all)]" in repr(
        ThresholdTracker(classes=range(18, 71))
    )
