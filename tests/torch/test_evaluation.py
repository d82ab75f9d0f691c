"""The evaluation pass of the callback: limits, streams, precisions, batches of every kind."""

import random
from datetime import timedelta
from itertools import count

import numpy as np
import pytest
import torch
from lightning.pytorch.callbacks import RichProgressBar, Timer, TQDMProgressBar
from torch.utils.data import DataLoader, IterableDataset

import ordcut.torch
from ordcut.torch import OptimalThresholds
from ordcut.torch.evaluation import PROGRESS_TITLE
from tests.torch.lightning_module import (
    N_CLASSES,
    Small,
    make_data,
    make_trainer,
    train_loader,
    validation_loader,
)

pytestmark = [
    pytest.mark.filterwarnings(r"ignore:.*LeafSpec.*:FutureWarning"),  # Lightning in torch 2.13
    pytest.mark.filterwarnings(r"ignore:.*does not have many workers"),
]


class Counting(OptimalThresholds):
    """Records how many rows each evaluation pass had."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.n_rows = []

    def on_validation_end(self, trainer, _):
        if not trainer.sanity_checking:
            self.n_rows.append(len(self.tracker.rows()[0]))


def fit(folder, train=None, module=None, callback=None, **options):
    module = Small() if module is None else module
    callback = Counting() if callback is None else callback
    trainer = make_trainer(folder, callback, **({"max_epochs": 1} | options))
    trainer.fit(module, train_loader() if train is None else train, validation_loader())
    return module, callback, trainer


@pytest.mark.parametrize(
    ("options", "n_rows"),
    [
        ({}, 101),
        ({"limit_train_batches": 2}, 32),
        ({"limit_train_batches": 0.5}, 48),
        ({"fast_dev_run": True}, 16),
        ({"fast_dev_run": 3}, 48),
        ({"overfit_batches": 1}, 16),
    ],
)
@pytest.mark.filterwarnings("ignore:You requested to overfit")
def test_limits_of_the_trainer_are_those_of_the_pass(tmp_path, options, n_rows):
    loader = train_loader(shuffle=False)
    assert fit(tmp_path, loader, **options)[1].n_rows == [n_rows]


@pytest.mark.parametrize(
    ("options", "n_rows"),
    [({}, 53), ({"limit_train_batches": 1}, 16), ({"limit_train_batches": 0.5}, 32)],
)
def test_limits_hold_for_a_loader_of_the_callback(tmp_path, options, n_rows):
    callback = Counting(dataloader=validation_loader())
    assert fit(tmp_path, callback=callback, **options)[1].n_rows == [n_rows]


class Stream(IterableDataset):
    """Rows without an end, or as many as there are, and without a length."""

    def __init__(self, n=None):
        self.n = n

    def __iter__(self):
        features, labels = make_data(64, 0).tensors
        for index in count() if self.n is None else range(self.n):
            yield features[index % 64], labels[index % 64]


def test_an_endless_stream_is_read_for_as_many_batches_as_were_trained_on(tmp_path):
    _, callback, _ = fit(
        tmp_path, DataLoader(Stream(), 16), max_steps=9, val_check_interval=3, max_epochs=-1
    )
    assert callback.n_rows == [48, 48, 48]


def test_an_endless_stream_is_limited_as_in_training(tmp_path):
    _, callback, _ = fit(tmp_path, DataLoader(Stream(), 16), limit_train_batches=2, max_epochs=2)
    assert callback.n_rows == [32, 32]


def test_a_stream_with_an_end_is_read_to_it(tmp_path):
    assert fit(tmp_path, DataLoader(Stream(40), 16))[1].n_rows == [40]


def test_a_loader_of_the_callback_can_be_endless(tmp_path):
    callback = Counting(dataloader=DataLoader(Stream(), 8))
    assert fit(tmp_path, callback=callback)[1].n_rows == [7 * 8]


class Over(Timer):
    """A timer whose time is over once the training has begun."""

    def time_remaining(self, *_):
        return 1.0 if not hasattr(self, "begun") else 0.0

    def on_validation_start(self, *_):
        self.begun = True


def test_after_max_time_the_pass_is_no_longer_than_the_validation(tmp_path):
    callback = Counting()
    trainer = make_trainer(
        tmp_path, callback, Over(timedelta(hours=1)), max_epochs=1, limit_val_batches=2
    )
    with pytest.warns(UserWarning, match="max_time is reached: thresholds were found on 2 of 7"):
        trainer.fit(Small(), train_loader(), validation_loader())
    assert callback.n_rows == [32]


def test_a_pass_within_max_time_is_complete(tmp_path):
    assert fit(tmp_path, max_time={"hours": 1})[1].n_rows == [101]


@pytest.mark.parametrize("bar", [TQDMProgressBar, RichProgressBar])
def test_a_progress_bar_of_the_trainer_shows_the_pass(tmp_path, capsys, bar):
    module, callback = Small(), OptimalThresholds()
    trainer = make_trainer(tmp_path, callback, bar(), max_epochs=1, enable_progress_bar=True)
    trainer.fit(module, train_loader(), validation_loader())
    shown = capsys.readouterr().out
    if bar is RichProgressBar:  # which draws at intervals, and keeps a list of what it draws
        titles = [task.description for task in trainer.progress_bar_callback.progress.tasks]
        task = trainer.progress_bar_callback.progress.tasks[titles.index(PROGRESS_TITLE)]
        assert (task.completed, task.total, task.visible) == (7, 7, False)
    else:
        assert f"{PROGRESS_TITLE}:   0%|          | 0/7" in shown


@pytest.mark.parametrize(
    ("precision", "dtype"),
    [
        ("64-true", torch.float64),
        ("bf16-true", torch.bfloat16),
        ("16-true", torch.float16),
        ("bf16-mixed", torch.float32),
    ],
)
def test_inputs_are_converted_as_the_precision_of_the_trainer_does(tmp_path, precision, dtype):
    module, callback, trainer = fit(tmp_path, precision=precision)
    scores, labels = callback.tracker.rows()
    assert callback.n_rows == [101]
    assert module.slopes.dtype == dtype
    if precision != "bf16-mixed":
        assert scores.dtype == dtype
    assert module.tracker.thresholds.dtype == torch.float64
    assert module.tracker.result == ordcut.torch.optimal_thresholds(scores, labels)
    assert callback.monitored in trainer.callback_metrics


class Transferring(Small):
    """Doubles the features when a batch is moved, in the two hooks for that."""

    def on_before_batch_transfer(self, batch, _):
        return [2 * batch[0], batch[1]]

    def on_after_batch_transfer(self, batch, _):
        return [batch[0] / 4, batch[1]]


def test_hooks_that_transfer_batches_are_called(tmp_path):
    module, _, _ = fit(tmp_path, module=Transferring())
    features, labels = make_data(101, 0).tensors
    with torch.no_grad():
        expected = ordcut.torch.optimal_thresholds(module(features / 2), labels)
    assert module.tracker.result == expected


def draws():
    """A number of each global random state."""
    return random.random(), np.random.random(), torch.rand(1).item()  # noqa: NPY002


@pytest.mark.parametrize("generator", [None, 5])
def test_a_training_sees_the_same_batches_and_numbers_with_thresholds_and_without(
    tmp_path, generator
):
    seen = {}
    for name, callbacks in [("with", [OptimalThresholds()]), ("without", [])]:
        torch.manual_seed(0)
        random.seed(0)
        np.random.seed(0)  # noqa: NPY002
        own = None if generator is None else torch.Generator().manual_seed(generator)
        loader = DataLoader(make_data(48, 0), 8, shuffle=True, generator=own)
        module = Small()
        trainer = make_trainer(tmp_path, *callbacks, val_check_interval=2, max_epochs=2)
        trainer.fit(module, loader, validation_loader())
        seen[name] = module.slopes.tolist(), draws()
    assert seen["with"] == seen["without"]


class Dictionaries(Small):
    """A module whose batches are dictionaries, and which returns a dictionary."""

    def __init__(self, named):
        super().__init__(returns_scores=False)
        self.named = named

    def forward(self, features, scale=None):
        scores = super().forward(features)
        return {"logits": (scores if scale is None else scale * scores)[:, None]}

    def training_step(self, batch, _):
        inputs = {"scale": batch["scale"]} if self.named else {}
        scores = self(batch["features"], **inputs)["logits"]
        return self.loss(scores, batch["labels"])

    validation_step = training_step


@pytest.mark.parametrize("named", [True, False])
def test_batches_can_be_dictionaries(tmp_path, named):
    def collate(rows):
        features, labels = (torch.stack(part) for part in zip(*rows, strict=True))
        scale = {"scale": torch.full((len(rows),), 2.0)} if named else {}
        return {"features": features, "labels": labels, **scale}

    def loader(n, seed):
        return DataLoader(make_data(n, seed), 16, collate_fn=collate)

    module, callback = Dictionaries(named), Counting()
    trainer = make_trainer(tmp_path, callback, max_epochs=1)
    trainer.fit(module, loader(101, 0), loader(53, 1))
    assert callback.n_rows == [101]
    features, labels = make_data(101, 0).tensors
    with torch.no_grad():
        scores = Small.forward(module, features) * (2 if named else 1)
    assert module.tracker.result == ordcut.torch.optimal_thresholds(scores, labels)


class Joint(Small):
    """A module that is trained on batches of several loaders at once."""

    def training_step(self, batch, _):
        parts = batch.values() if isinstance(batch, dict) else batch
        return sum(self.loss(self(features), labels) for features, labels in parts)


@pytest.mark.parametrize("kind", [list, dict])
def test_rows_of_several_training_loaders_count_once_each(tmp_path, kind):
    first, second = DataLoader(make_data(20, 0), 8), DataLoader(make_data(50, 1), 8)
    loaders = [first, second] if kind is list else {"a": first, "b": second}
    module, callback, _ = fit(tmp_path, loaders, Joint(returns_scores=False))
    assert callback.n_rows == [70]
    features, labels = (
        torch.cat(part)
        for part in zip(make_data(20, 0).tensors, make_data(50, 1).tensors, strict=True)
    )
    with torch.no_grad():
        assert module.tracker.result == ordcut.torch.optimal_thresholds(module(features), labels)


def test_a_score_function_can_return_weights(tmp_path):
    def score(module, batch):
        features, labels = batch
        return module(features), labels, 1.0 + labels

    module, _, _ = fit(tmp_path, callback=OptimalThresholds(score=score))
    features, labels = make_data(101, 0).tensors
    with torch.no_grad():
        expected = ordcut.torch.optimal_thresholds(
            module(features), labels, sample_weight=1 + labels
        )
    assert module.tracker.result == expected


def test_weights_that_a_step_returns_count_in_what_is_logged(tmp_path):
    class Weighing(Small):
        def validation_step(self, batch, _):
            result = super().validation_step(batch, _)
            return result | {"sample_weight": 1.0 + result["labels"]}

    module, callback, trainer = fit(tmp_path, module=Weighing())
    features, labels = make_data(53, 1).tensors
    with torch.no_grad():
        predicted = module.tracker(module(features))
    expected = ordcut.evaluate(labels.numpy(), predicted.numpy(), sample_weight=1 + labels.numpy())
    assert trainer.callback_metrics[callback.monitored].item() == expected


def test_labels_can_be_soft(tmp_path):
    class Soft(Small):
        """Puts a tenth of each label on every class."""

        def soften(self, batch):
            return batch[0], torch.nn.functional.one_hot(batch[1], N_CLASSES) + 0.1

        def training_step(self, batch, _):
            features, labels = self.soften(batch)
            return self.loss(self(features), labels)

        def validation_step(self, batch, _):
            features, labels = self.soften(batch)
            return {"scores": self(features), "labels": labels}

    module = Soft()
    callback = OptimalThresholds(
        score=lambda module, batch: (module(batch[0]), module.soften(batch)[1])
    )
    trainer = fit(tmp_path, module=module, callback=callback)[2]
    with torch.no_grad():
        features, labels = module.soften(make_data(101, 0).tensors)
        expected = ordcut.torch.optimal_thresholds(module(features), labels)
        assert module.tracker.result == expected
        features, labels = module.soften(make_data(53, 1).tensors)
        error = module.tracker.evaluate(labels, module.tracker(module(features)))
    assert trainer.callback_metrics[callback.monitored].item() == error


@pytest.mark.parametrize("options", [{"smoothing": "auto"}, {"ignore_index": 0}])
def test_options_of_a_tracker_are_passed_on(tmp_path, options):
    callback = OptimalThresholds(N_CLASSES, "squared", **options)
    module, _, _ = fit(tmp_path, module=Small(owns_tracker=False), callback=callback)
    features, labels = make_data(101, 0).tensors
    counts = labels != options.pop("ignore_index", -1)
    with torch.no_grad():
        expected = ordcut.torch.optimal_thresholds(
            module(features)[counts],
            labels[counts],
            objective="squared",
            classes=range(4),
            **options,
        )
    assert callback.tracker.result == expected
