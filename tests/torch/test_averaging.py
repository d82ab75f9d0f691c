"""Averaged weights: thresholds belong to the weights whose scores they were found on."""

from copy import deepcopy

import pytest
import torch
from lightning.pytorch.callbacks import (
    Callback,
    EMAWeightAveraging,
    ModelCheckpoint,
    StochasticWeightAveraging,
    WeightAveraging,
)
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

import ordcut
from ordcut.torch import OptimalThresholds, ThresholdTracker, threshold_labels
from tests.torch.lightning_module import (
    Small,
    make_data,
    make_trainer,
    scores_and_labels,
    train_loader,
    validation_loader,
)
from tests.torch.small_network import Network, find_thresholds, make_rows, train, trained_network

pytestmark = [
    pytest.mark.filterwarnings(r"ignore:.*LeafSpec.*:FutureWarning"),  # Lightning in torch 2.13
    pytest.mark.filterwarnings(r"ignore:.*does not have many workers"),
]

AVERAGES = {
    "mean": {},
    "moving mean": {"multi_avg_fn": get_ema_multi_avg_fn(0.9)},
    "one by one": {"avg_fn": lambda averaged, current, _: 0.9 * averaged + 0.1 * current},
}


def averaged_networks(use_buffers, options):
    network = Network()
    averaged = AveragedModel(network, use_buffers=use_buffers, **options)
    for _ in range(4):
        train(network, n_steps=3)
        find_thresholds(network)
        averaged.update_parameters(network)
    return network, averaged


@pytest.mark.parametrize("use_buffers", [False, True])
@pytest.mark.parametrize("average", AVERAGES)
def test_averaged_weights_have_no_thresholds_until_some_are_found_for_them(use_buffers, average):
    network, averaged = averaged_networks(use_buffers, AVERAGES[average])
    features, labels = make_rows()
    with pytest.raises(RuntimeError, match=r"no thresholds yet.*Averaged weights need thresholds"):
        averaged(features)
    result = find_thresholds(averaged.module)
    with torch.no_grad():
        scores = averaged.module.scores(features)
    expected = ordcut.optimal_thresholds(scores.numpy(), labels.numpy())
    assert result == expected
    assert network.tracker.result != expected


@pytest.mark.parametrize("use_buffers", [False, True])
@pytest.mark.parametrize("average", AVERAGES)
def test_averaged_weights_refuse_thresholds_that_they_had_before(use_buffers, average):
    """As when an average begins late in a training, or when a training is resumed."""
    network = trained_network()
    averaged = AveragedModel(network, use_buffers=use_buffers, **AVERAGES[average])
    assert averaged.module.tracker.result == network.tracker.result
    for _ in range(3):
        train(network, n_steps=3)
        find_thresholds(network)
        averaged.update_parameters(network)
    features, labels = make_rows()
    tracker = averaged.module.tracker
    for use in (lambda: averaged(features), lambda: tracker.compare(features[:, 0], labels)):
        with pytest.raises(RuntimeError, match="averaged since they were found"):
            use()
    saved = averaged.state_dict()
    assert saved["module.tracker.thresholds"].isnan().all()
    again = AveragedModel(Network())
    again.load_state_dict(saved)
    assert again.module.tracker.result is None
    averaged.double().float()
    with pytest.raises(RuntimeError, match="averaged since they were found"):
        averaged(features)
    result = find_thresholds(averaged.module)
    assert averaged.module(features).shape == labels.shape
    assert averaged.state_dict()["module.tracker.thresholds"].tolist() == result.thresholds.tolist()


@pytest.mark.parametrize("use_buffers", [False, True])
@pytest.mark.parametrize("average", AVERAGES)
def test_an_average_of_modules_with_the_same_thresholds_has_them(use_buffers, average):
    """As in Lightning, where the module and its average get the same ones in a validation."""
    network = trained_network()
    averaged = AveragedModel(network, use_buffers=use_buffers, **AVERAGES[average])
    for _ in range(200):
        averaged.update_parameters(network)
    features, _ = make_rows()
    assert torch.equal(averaged(features), network(features))


@pytest.mark.parametrize("use_buffers", [False, True])
def test_a_checkpoint_of_averaged_weights_has_the_thresholds_found_for_them(use_buffers):
    _, averaged = averaged_networks(use_buffers, {})
    result = find_thresholds(averaged.module)
    again = AveragedModel(Network())
    again.load_state_dict(averaged.state_dict())
    assert again.module.tracker.result == result


def test_an_average_of_states_computed_in_place_does_not_reach_a_tracker():
    """As timm's ModelEma does: values of one state are moved towards those of another."""
    network = trained_network()
    averaged = deepcopy(network)
    result = averaged.tracker.result
    train(network)
    find_thresholds(network)
    states = averaged.state_dict(), network.state_dict()
    for mine, other in zip(*(state.values() for state in states), strict=True):
        mine.copy_(0.9 * mine + 0.1 * other)
    assert averaged.tracker.result == result
    assert averaged.tracker.thresholds.tolist() == result.thresholds.tolist()


def test_thresholds_that_are_nan_label_nothing():
    with pytest.raises(ValueError, match=r"thresholds must not be NaN.*ThresholdTracker.compute"):
        threshold_labels(torch.zeros(2), torch.tensor([0.5, torch.nan]))


class Validated(Callback):
    """Copies the module as it is validated, and the metrics that are logged of it."""

    def on_validation_batch_end(self, _, pl_module, *__):
        self.module = deepcopy(pl_module)

    def on_validation_end(self, trainer, _):
        self.values = {name: value.item() for name, value in trainer.callback_metrics.items()}


def fit_with(folder, averaging, before, **options):
    torch.manual_seed(0)
    module, seen = Small(), Validated()
    thresholds = [OptimalThresholds(), seen]
    order = [averaging, *thresholds] if before else [*thresholds, averaging]
    best = ModelCheckpoint(folder, monitor="val_absolute_optimal")
    trainer = make_trainer(folder, *order, best, enable_checkpointing=True, **options)
    trainer.fit(module, train_loader(), validation_loader())
    return module, seen, best


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize("use_buffers", [True, False])
@pytest.mark.parametrize("kind", [EMAWeightAveraging, WeightAveraging])
def test_thresholds_are_those_of_the_averaged_weights_that_lightning_validates(
    tmp_path, before, use_buffers, kind
):
    averaging = kind(use_buffers=use_buffers)
    module, seen, best = fit_with(tmp_path, averaging, before, max_epochs=2)
    validated = seen.module
    # The averaged weights lag behind those of the training.
    scores, labels = scores_and_labels(validated, make_data(101, 0))
    expected = ordcut.optimal_thresholds(scores.numpy(), labels.numpy())
    assert validated.tracker.result == expected
    # What is logged is the error of the averaged weights, by their thresholds and biases.
    scores, labels = scores_and_labels(validated, make_data(53, 1))
    errors = validated.tracker.compare(scores, labels, validated.loss)
    assert {name: seen.values[f"val_absolute_{name}"] for name in errors} == errors
    # After the training the module has these weights, and the checkpoint has them, too.
    assert module.tracker.result == expected
    assert torch.equal(module.slopes, validated.slopes)
    again = Small()
    again.load_state_dict(torch.load(best.best_model_path, weights_only=True)["state_dict"])
    if best.best_model_path.endswith("epoch=1-step=14.ckpt"):
        assert again.tracker.result == expected
    scores, labels = scores_and_labels(again, make_data(53, 1))
    predicted = again.tracker(scores)
    assert ordcut.evaluate(labels.numpy(), predicted.numpy()) == best.best_model_score.item()


@pytest.mark.filterwarnings("ignore:.*Swapping scheduler")
def test_weights_that_are_averaged_after_the_last_validation_are_said_to_be(tmp_path):
    averaging = StochasticWeightAveraging(0.05, swa_epoch_start=1)
    with pytest.warns(UserWarning, match="weights have changed since the thresholds were found"):
        module, _, _ = fit_with(tmp_path, averaging, True)
    scores, labels = scores_and_labels(module, make_data(101, 0))
    with pytest.raises(RuntimeError, match="averaged since they were found"):
        module.tracker(scores)
    module.tracker.reset()
    module.tracker.update(scores, labels)
    expected = ordcut.optimal_thresholds(scores.numpy(), labels.numpy())
    assert module.tracker.compute() == expected
    assert module.tracker(scores).tolist() == expected.predict(scores.numpy()).tolist()


def test_training_after_the_last_validation_is_said(tmp_path):
    module = Small()
    trainer = make_trainer(tmp_path, OptimalThresholds(), max_epochs=3, check_val_every_n_epoch=2)
    with pytest.warns(UserWarning, match="no validation after the last training steps"):
        trainer.fit(module, train_loader(), validation_loader())


def test_scores_of_training_steps_are_not_those_of_averaged_weights(tmp_path):
    callbacks = [OptimalThresholds(scores_from="training"), EMAWeightAveraging()]
    with pytest.raises(ValueError, match=r'weight averaging.*scores_from="evaluation"'):
        make_trainer(tmp_path, *callbacks).fit(Small(), train_loader(), validation_loader())


def test_a_tracker_of_the_callback_is_for_the_averaged_weights(tmp_path):
    callback, seen, module = OptimalThresholds(4), Validated(), Small(owns_tracker=False)
    make_trainer(tmp_path, EMAWeightAveraging(decay=0.8), callback, seen, max_epochs=1).fit(
        module, train_loader(), validation_loader()
    )
    scores, labels = scores_and_labels(seen.module, make_data(101, 0))
    assert callback.tracker.result == ordcut.optimal_thresholds(scores.numpy(), labels.numpy())
    assert isinstance(callback.tracker, ThresholdTracker)
