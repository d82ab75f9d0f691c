"""The callback in a real Trainer: early stopping, checkpoints, a real kill, two processes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint
from torch.utils.data import DataLoader

import ordcut.torch
from ordcut.torch import OptimalThresholds, ThresholdTracker, threshold_labels
from ordcut.torch.scoring import score_batch
from tests.torch.lightning_module import (
    N_CLASSES,
    Small,
    make_data,
    make_trainer,
    scores_and_labels,
    train_loader,
    validation_loader,
)

ROOT = Path(__file__).parents[2]

pytestmark = [
    pytest.mark.filterwarnings(r"ignore:.*LeafSpec.*:FutureWarning"),  # Lightning in torch 2.13
    pytest.mark.filterwarnings(r"ignore:.*does not have many workers"),
    # A checkpoint has states of callbacks that are not used again.
    pytest.mark.filterwarnings("ignore:Be aware that when using `ckpt_path`"),
]


class Seen(Callback):
    """Records the metrics of each epoch, and the thresholds behind them."""

    def __init__(self):
        self.epochs = []

    def on_validation_end(self, trainer, pl_module):
        if not trainer.sanity_checking:
            values = {name: value.item() for name, value in trainer.callback_metrics.items()}
            tracker = getattr(pl_module, "tracker", None)
            self.epochs.append((values, None if tracker is None else tracker.result))


def test_thresholds_of_an_epoch_are_those_of_an_evaluation_pass(tmp_path):
    seen, module = Seen(), Small()
    trainer = make_trainer(tmp_path, OptimalThresholds(), seen, num_sanity_val_steps=2)
    trainer.fit(module, train_loader(), validation_loader())
    assert len(seen.epochs) == 3
    scores, labels = scores_and_labels(module, make_data(101, 0))
    values, result = seen.epochs[-1]
    assert result == ordcut.torch.optimal_thresholds(scores, labels)
    assert values["train_absolute_optimal"] == result.value
    scores, labels = scores_and_labels(module, make_data(53, 1))
    for name, value in module.tracker.compare(scores, labels, module.loss).items():
        assert values[f"val_absolute_{name}"] == value
    assert len(values) == 5


@pytest.mark.parametrize("objective", ["quadratic_kappa", [[0, 1, 2, 4]] * N_CLASSES])
def test_a_callback_without_a_tracker_in_the_module_keeps_its_own(tmp_path, objective):
    callback, seen = OptimalThresholds(N_CLASSES, objective), Seen()
    module = Small(owns_tracker=False, returns_scores=False)
    trainer = make_trainer(tmp_path, callback, seen, max_epochs=1)
    trainer.fit(module, train_loader(), validation_loader())
    expected = ordcut.torch.optimal_thresholds(
        *scores_and_labels(module, make_data(101, 0)), objective=objective
    )
    assert callback.tracker.result == expected
    again = OptimalThresholds(N_CLASSES, objective)
    again.load_state_dict(callback.state_dict())
    assert again.tracker.result == expected
    name = "quadratic_kappa" if objective == "quadratic_kappa" else "cost"
    assert callback.monitored == f"val_{name}_optimal"
    assert callback.monitored in seen.epochs[0][0]


def test_scores_of_the_training_pass_need_no_second_one(tmp_path):
    module, callback = Small(), OptimalThresholds(scores_from="training")
    collected, calls = ([], []), []
    plain_step, plain_forward = module.training_step, module.forward

    def step(batch):
        result = plain_step(batch, 0)
        collected[0].append(result["scores"].detach().clone())
        collected[1].append(result["labels"])
        return result

    module.training_step = step
    module.forward = lambda features: calls.append(len(features)) or plain_forward(features)
    make_trainer(tmp_path, callback, max_epochs=1).fit(module, train_loader(), validation_loader())
    expected = ordcut.torch.optimal_thresholds(*map(torch.cat, collected))
    assert module.tracker.result == expected
    assert sum(calls) == 101 + 53


def test_the_evaluation_pass_can_use_other_rows(tmp_path):
    module = Small()
    callback = OptimalThresholds(
        dataloader=validation_loader(), score=lambda module, batch: (3 * module(batch[0]), batch[1])
    )
    make_trainer(tmp_path, callback, max_epochs=1).fit(module, train_loader(), validation_loader())
    scores, labels = scores_and_labels(module, make_data(53, 1))
    assert module.tracker.result == ordcut.torch.optimal_thresholds(3 * scores, labels)


def test_early_stopping_and_checkpoints_monitor_the_optimal_thresholds(tmp_path):
    torch.manual_seed(0)
    name = "val_absolute_optimal"
    seen, best = Seen(), ModelCheckpoint(tmp_path, monitor=name)
    stop = EarlyStopping(name, patience=2)
    trainer = make_trainer(
        tmp_path, OptimalThresholds(), seen, stop, best, max_epochs=60, enable_checkpointing=True
    )
    trainer.fit(Small(), train_loader(), validation_loader())
    errors = [values[name] for values, _ in seen.epochs]
    # It stopped as soon as two epochs in a row brought no better error.
    assert len(errors) < 60
    assert min(errors) == errors[-3] == best.best_model_score.item()
    assert min(errors[-2:]) >= errors[-3]

    # The thresholds in the checkpoint reproduce the error that was logged, exactly.
    state = torch.load(best.best_model_path, weights_only=True)["state_dict"]
    module = Small()
    module.load_state_dict(state)
    assert module.tracker.result == seen.epochs[len(errors) - 3][1]
    scores, labels = scores_and_labels(module, make_data(53, 1))
    predicted = threshold_labels(scores, state["tracker.thresholds"])
    assert ordcut.evaluate(labels.numpy(), predicted.numpy()) == min(errors)
    # So does the Trainer, which must not find new ones.
    (again,) = make_trainer(tmp_path, OptimalThresholds()).validate(
        Small(), validation_loader(), best.best_model_path, verbose=False, weights_only=True
    )
    assert again[name] == min(errors)
    (tested,) = make_trainer(tmp_path, OptimalThresholds()).test(
        module, validation_loader(), verbose=False
    )
    assert tested["test_absolute_optimal"] == min(errors)


@pytest.mark.parametrize(
    ("objective", "mode", "is_wrong"),
    [
        ("quadratic_kappa", "min", True),
        ("quadratic_kappa", "max", False),
        ("absolute", "max", True),
        ("absolute", "min", False),
    ],
)
def test_monitoring_for_the_worst_value_is_said(tmp_path, recwarn, objective, mode, is_wrong):
    stop = EarlyStopping(f"val_{objective}_optimal", mode=mode)
    callback = OptimalThresholds(N_CLASSES, objective)
    trainer = make_trainer(tmp_path, callback, stop, max_epochs=1)
    trainer.fit(Small(owns_tracker=False), train_loader(), validation_loader())
    warned = [str(warning.message) for warning in recwarn if "monitors" in str(warning.message)]
    right = "max" if mode == "min" else "min"
    assert len(warned) == is_wrong
    assert all(f'with mode="{mode}". Pass mode="{right}"' in message for message in warned)


def run_training(folder, *options, **environment):
    command = [sys.executable, "-m", "tests.torch.lightning_module", str(folder), *options]
    environment = os.environ | {"GLOO_SOCKET_IFNAME": "lo"} | environment
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=500, check=False
    )


def test_a_training_that_was_killed_resumes_with_the_same_results(tmp_path):
    killed = run_training(tmp_path / "killed", "--kill-in-epoch", "2")
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    saved = torch.load(tmp_path / "killed" / "last.ckpt", weights_only=True)
    assert saved["epoch"] == 1
    seen = {}
    for name, checkpoint in [("killed", "last.ckpt"), ("whole", None)]:
        torch.manual_seed(0)
        module, epochs = Small(), Seen()
        trainer = make_trainer(tmp_path, OptimalThresholds(), epochs, max_epochs=4)
        trainer.fit(
            module, train_loader(shuffle=False), validation_loader(),
            ckpt_path=checkpoint and str(tmp_path / name / checkpoint), weights_only=True,
        )  # fmt: skip
        seen[name] = epochs.epochs
    assert len(seen["killed"]) == 2
    assert seen["killed"] == seen["whole"][2:]


def test_two_processes_find_the_thresholds_of_one(tmp_path):
    done = run_training(tmp_path, "--devices", "2")
    assert done.returncode == 0, done.stderr
    for way in ("evaluation", "training"):
        result = json.loads((tmp_path / way / "found.json").read_text())
        module = Small()
        saved = torch.load(tmp_path / way / "last.ckpt", weights_only=True)
        module.load_state_dict(saved["state_dict"])
        # 101 rows do not go into two processes of equal size; the row repeated does not count.
        assert result["n_training_rows"] == 101
        if way == "evaluation":
            scored = scores_and_labels(module, make_data(101, 0))
            expected = ordcut.torch.optimal_thresholds(*scored)
        else:
            scores, labels = map(torch.tensor, result["training_rows"])
            assert labels.bincount().equal(make_data(101, 0).tensors[1].bincount())
            expected = ordcut.torch.optimal_thresholds(scores, labels)
        assert module.tracker.result == expected
        scores, labels = scores_and_labels(module, make_data(53, 1))
        errors = module.tracker.compare(scores, labels, module.loss)
        assert {f"val_absolute_{name}": value for name, value in errors.items()} == result[
            "metrics"
        ]
    # Batch normalisation: the thresholds are those of the running means in the checkpoint.
    module = Small(normalise=True)
    saved = torch.load(tmp_path / "normed" / "last.ckpt", weights_only=True)
    module.load_state_dict(saved["state_dict"])
    expected = ordcut.torch.optimal_thresholds(*scores_and_labels(module.eval(), make_data(101, 0)))
    assert module.tracker.result == expected


BAD = {
    "way": (lambda: OptimalThresholds(scores_from="train"), 'Did you mean "training"'),
    "both": (
        lambda: OptimalThresholds(scores_from="training", dataloader=[]),
        "Leave one of them out",
    ),
    "classes": (
        lambda: make_trainer(None, OptimalThresholds(), default_root_dir=None).fit(
            Small(owns_tracker=False), train_loader(), validation_loader()
        ),
        r"n_classes or classes must be given.*ThresholdTracker\(n_classes\)",
    ),
    "returns": (
        lambda: make_trainer(
            None, OptimalThresholds(scores_from="training"), default_root_dir=None
        ).fit(Small(returns_scores=False), train_loader(), validation_loader()),
        r"training_step that returns a dictionary.*got dict with \['loss'\]",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_does_not_fit_is_named(case):
    act, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        act()


def test_a_validation_within_an_epoch_does_not_use_the_workers_of_the_training(tmp_path):
    rows = make_data(64, 0)
    loader = DataLoader(rows, 16, num_workers=1, persistent_workers=True)
    options = {"max_epochs": 1, "val_check_interval": 2}
    with pytest.raises(ValueError, match=r"persistent_workers are still busy.*dataloader="):
        make_trainer(tmp_path, OptimalThresholds(), **options).fit(
            Small(), loader, validation_loader()
        )
    seen = Seen()
    callback = OptimalThresholds(dataloader=DataLoader(rows, 64))
    make_trainer(tmp_path, callback, seen, **options).fit(Small(), loader, validation_loader())
    assert len(seen.epochs) == 2


def test_values_of_a_kappa_of_your_own_are_logged_as_a_kappa():
    forgiving = ordcut.Kappa(lambda k, truth: max(0, abs(k - truth) - 1))
    assert OptimalThresholds(N_CLASSES, forgiving).monitored == "val_kappa_optimal"


def silent_cases():
    """What a trainer gets that does not fit together, and what is said about it."""
    two = Small()
    two.other = ThresholdTracker(N_CLASSES)
    yield "two trackers", two, [OptimalThresholds()], "must have one ThresholdTracker, got 2: trac"
    yield "unknown", two, [OptimalThresholds(tracker="othr")], 'Did you mean "other"'
    both = [OptimalThresholds(name="a"), OptimalThresholds(name="b")]
    yield "two callbacks", Small(), both, "two OptimalThresholds for one tracker"
    for name, value in [
        ("n_classes", 5),
        ("objective", "squared"),
        ("class_weight", "balanced"),
        ("smoothing", "auto"),
        ("ignore_index", -1),
    ]:
        given = [OptimalThresholds(**{name: value})]
        yield name, Small(), given, f"{name} must agree with the module's ThresholdTracker"


@pytest.mark.parametrize("case", list(silent_cases()), ids=lambda case: case[0])
def test_what_contradicts_itself_is_refused(tmp_path, case):
    _, module, callbacks, message = case
    with pytest.raises(ValueError, match=message):
        make_trainer(tmp_path, *callbacks).fit(module, train_loader(), validation_loader())


def test_two_callbacks_without_names_are_refused_by_lightning(tmp_path):
    with pytest.raises(RuntimeError, match="more than one stateful callback of type"):
        make_trainer(tmp_path, OptimalThresholds(4), OptimalThresholds(4, "squared"))


def test_arguments_that_agree_with_the_tracker_of_the_module_are_taken(tmp_path):
    callback = OptimalThresholds(N_CLASSES, "absolute")
    make_trainer(tmp_path, callback, fast_dev_run=True).fit(
        Small(), train_loader(), validation_loader()
    )
    assert callback.tracker.result is not None


def test_several_callbacks_keep_several_thresholds(tmp_path):
    module = Small(owns_tracker=False)
    module.first, module.second = ThresholdTracker(4), ThresholdTracker(4, "zero_one")
    callbacks = [OptimalThresholds(tracker=name, name=name) for name in ("first", "second")]
    own = OptimalThresholds(4, "squared", name="own", tracker=None)
    trainer = make_trainer(tmp_path, *callbacks, max_epochs=1)
    trainer.fit(module, train_loader(), validation_loader())
    rows = scores_and_labels(module, make_data(101, 0))
    assert module.first.result == ordcut.torch.optimal_thresholds(*rows)
    assert module.second.result == ordcut.torch.optimal_thresholds(*rows, objective="zero_one")
    assert {callback.monitored for callback in callbacks} <= set(trainer.callback_metrics)
    assert [callback.monitored for callback in (*callbacks, own)] == [
        "first_val_absolute_optimal", "second_val_zero_one_optimal", "own_val_squared_optimal"
    ]  # fmt: skip


def test_states_of_several_callbacks_are_saved_apart(tmp_path):
    module, trained = Small(owns_tracker=False), []
    for first in (True, False):
        callbacks = [OptimalThresholds(4, name="a"), OptimalThresholds(4, "zero_one", name="b")]
        trained.append(callbacks)
        saved = None if first else str(tmp_path / "last.ckpt")
        trainer = make_trainer(tmp_path, *callbacks, max_epochs=1)
        trainer.fit(module, train_loader(), validation_loader(), ckpt_path=saved, weights_only=True)
        trainer.save_checkpoint(tmp_path / "last.ckpt")
    for before, after in zip(*trained, strict=True):
        assert before.tracker.result == after.tracker.result is not None


@pytest.mark.filterwarnings("ignore:You defined a `validation_step` but have no")
def test_without_validation_rows_thresholds_are_found_at_the_end_of_each_epoch(tmp_path):
    module, callback = Small(), OptimalThresholds()
    module.dropout = torch.nn.Dropout()
    trainer = make_trainer(tmp_path, callback, max_epochs=2)
    trainer.fit(module, train_loader())
    assert module.tracker.result == ordcut.torch.optimal_thresholds(
        *scores_and_labels(module, make_data(101, 0))
    )
    value = trainer.callback_metrics["train_absolute_optimal"].item()
    assert value == module.tracker.result.value


@pytest.mark.filterwarnings("ignore:You defined a `validation_step` but have no")
def test_scores_of_training_steps_serve_without_validation_rows(tmp_path):
    module = Small()
    callback = OptimalThresholds(scores_from="training")
    make_trainer(tmp_path, callback, max_epochs=1).fit(module, train_loader())
    assert module.tracker.result == ordcut.torch.optimal_thresholds(*module.tracker.rows())


def test_each_validation_loader_has_its_metrics(tmp_path):
    class Several(Small):
        def validation_step(self, batch, batch_idx, dataloader_idx=0):
            del dataloader_idx
            return super().validation_step(batch, batch_idx)

    module, callback = Several(), OptimalThresholds()
    loaders = [validation_loader(), DataLoader(make_data(31, 2), 16)]
    trainer = make_trainer(tmp_path, callback, max_epochs=1)
    trainer.fit(module, train_loader(), loaders)
    values = {name: value.item() for name, value in trainer.callback_metrics.items()}
    for index, data in enumerate([make_data(53, 1), make_data(31, 2)]):
        errors = module.tracker.compare(*scores_and_labels(module, data), module.loss)
        for labeling, error in errors.items():
            name = f"val_absolute_{labeling}"
            assert values[f"{name}/dataloader_idx_{index}"] == error
            assert index > 0 or values[name] == error


@pytest.mark.parametrize("stage", ["validate", "test"])
def test_validation_and_test_without_thresholds_are_said(tmp_path, stage):
    trainer = make_trainer(tmp_path, OptimalThresholds())
    message = rf"no thresholds, so nothing is logged.*trainer\.{stage} uses those found in training"
    with pytest.warns(UserWarning, match=message):
        (result,) = getattr(trainer, stage)(Small(), validation_loader(), verbose=False)
    assert result == {}


class Diverging(Small):
    """A module whose scores become NaN in the second epoch, of training or validation rows."""

    def __init__(self, n_rows):
        super().__init__()
        self.n_rows = n_rows

    def forward(self, features):
        is_over = self.trainer.current_epoch > 0 and len(features) == self.n_rows
        return super().forward(features) * (torch.nan if is_over else 1.0)


@pytest.mark.parametrize(
    ("n_rows", "message"),
    [
        (16, r"must be finite, got nan.*Training has probably diverged.*This was in epoch 1\."),
        (15, r"must not be NaN.*scores of val rows in epoch 1\. Training has probably diverged"),
    ],
)
def test_scores_that_are_nan_name_the_epoch(tmp_path, n_rows, message):
    validation = DataLoader(make_data(30, 1), 15)
    with pytest.raises(ValueError, match=message):
        make_trainer(tmp_path, OptimalThresholds()).fit(
            Diverging(n_rows), train_loader(96), validation
        )


@pytest.mark.parametrize("owns_tracker", [True, False])
def test_thresholds_keep_the_constraints_of_the_tracker_or_the_callback(tmp_path, owns_tracker):
    constraints, module, callback = ["recall 3 >= 0.95"], Small(owns_tracker), OptimalThresholds()
    if owns_tracker:
        module.tracker = ThresholdTracker(N_CLASSES, constraints=constraints)
    else:
        callback = OptimalThresholds(N_CLASSES, constraints=constraints)
    make_trainer(tmp_path, callback).fit(module, train_loader(), validation_loader())
    features, labels = train_loader().dataset.tensors
    with torch.no_grad():
        scores = module(features).numpy()
    expected = ordcut.optimal_thresholds(
        scores, labels.numpy(), classes=range(N_CLASSES), constraints=constraints
    )
    free = ordcut.optimal_thresholds(scores, labels.numpy(), classes=range(N_CLASSES))
    assert callback.tracker.result == expected
    assert expected.value > free.value  # the constraint matters


def test_constraints_that_cannot_hold_in_an_epoch_say_what_to_do(tmp_path):
    callback = OptimalThresholds(N_CLASSES, constraints=["recall 3 >= 1", "recall 0 >= 1"])
    trainer = make_trainer(tmp_path, callback)
    with pytest.raises(ordcut.InfeasibleConstraintsError) as caught:
        trainer.fit(Small(owns_tracker=False), train_loader(), validation_loader())
    assert caught.value.nearest
    (note,) = caught.value.__notes__
    assert note.startswith("This was in epoch 0.")
    assert "Train without them" in note


def test_biases_of_several_losses_are_left_out_with_a_warning(tmp_path):
    module = Small()
    module.other_loss = ordcut.torch.AllThresholdLoss(N_CLASSES)
    trainer = make_trainer(tmp_path, OptimalThresholds(), max_epochs=1)
    with pytest.warns(UserWarning, match="2 losses with biases for 4 classes"):
        trainer.fit(module, train_loader(), validation_loader())
    assert "val_absolute_biases" not in trainer.callback_metrics


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        (torch.zeros(3), "got Tensor"),
        ({"x": torch.zeros(3)}, r"got dict with \['x'\]"),
        ([torch.zeros(3, 3), torch.zeros(3), torch.zeros(3)], "got list"),
    ],
)
def test_a_batch_that_is_no_pair_is_named(batch, message):
    with pytest.raises(TypeError, match=rf"pair of inputs and labels.*{message}.*score="):
        score_batch(Small(), batch)


def test_a_module_that_returns_no_scores_is_named():
    with pytest.raises(TypeError, match=r"must return scores as a tensor.*got tuple.*score="):
        score_batch(lambda features: (features, features), [torch.zeros(3), torch.zeros(3)])


@pytest.mark.parametrize(
    ("missing", "name"),
    [
        ("torch", "ordcut.torch"),
        ("lightning", "OptimalThresholds"),
        ("torchmetrics", "ThresholdMetric"),
    ],
)
def test_a_package_that_is_missing_is_named_with_the_command_that_installs_it(missing, name):
    hide = f"import sys; sys.modules[{missing!r}] = None"
    wanted = name if missing != "torch" else "CornLoss"
    command = [sys.executable, "-c", f"{hide}; from ordcut.torch import {wanted}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith(f"ModuleNotFoundError: {name} needs {missing}, which is not installed.")
    assert f"pip install {missing}." in last


def test_a_tracker_is_found_wherever_the_module_keeps_it(tmp_path):
    module = Small(owns_tracker=False)
    module.inner = torch.nn.ModuleDict({"cut": ThresholdTracker(N_CLASSES, "zero_one")})
    make_trainer(tmp_path, OptimalThresholds(), max_epochs=1).fit(
        module, train_loader(), validation_loader()
    )
    assert module.inner["cut"].result.objective == "zero_one"
