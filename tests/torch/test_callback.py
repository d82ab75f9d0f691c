"""The callback in a real Trainer: early stopping, checkpoints, a real kill, two processes."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint
from lightning_module import (
    N_CLASSES,
    Small,
    make_data,
    make_trainer,
    train_loader,
    validation_loader,
)
from torch.utils.data import DataLoader, TensorDataset

import ordcut.torch
from ordcut.torch import OptimalThresholds, ThresholdTracker, threshold_labels

HERE = Path(__file__).parent

pytestmark = [
    pytest.mark.usefixtures("one_torch_thread"),
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
            self.epochs.append((values, None if tracker is None else tracker.found))


def rows_of(module, data):
    features, labels = data.tensors
    with torch.no_grad():
        return module(features), labels


def test_thresholds_of_an_epoch_are_those_of_an_evaluation_pass(tmp_path):
    seen, module = Seen(), Small()
    trainer = make_trainer(tmp_path, OptimalThresholds(), seen, num_sanity_val_steps=2)
    trainer.fit(module, train_loader(), validation_loader())
    assert len(seen.epochs) == 3
    scores, labels = rows_of(module, make_data(101, 0))
    values, found = seen.epochs[-1]
    assert found == ordcut.torch.optimal_thresholds(scores, labels)
    assert values["train_absolute_optimal"] == found.value
    scores, labels = rows_of(module, make_data(53, 1))
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
        *rows_of(module, make_data(101, 0)), objective=objective
    )
    assert callback.tracker.found == expected
    again = OptimalThresholds(N_CLASSES, objective)
    again.load_state_dict(callback.state_dict())
    assert again.tracker.found == expected
    name = "quadratic_kappa" if objective == "quadratic_kappa" else "cost"
    assert callback.monitored == f"val_{name}_optimal"
    assert callback.monitored in seen.epochs[0][0]


def test_scores_of_the_training_pass_need_no_second_one(tmp_path):
    module, callback = Small(), OptimalThresholds(scores_from="training")
    collected, calls = ([], []), []
    plain_step, plain_forward = module.training_step, module.forward

    def step(batch):
        found = plain_step(batch, 0)
        collected[0].append(found["scores"].detach().clone())
        collected[1].append(found["labels"])
        return found

    module.training_step = step
    module.forward = lambda features: calls.append(len(features)) or plain_forward(features)
    make_trainer(tmp_path, callback, max_epochs=1).fit(module, train_loader(), validation_loader())
    expected = ordcut.torch.optimal_thresholds(*map(torch.cat, collected))
    assert module.tracker.found == expected
    assert sum(calls) == 101 + 53


def test_the_evaluation_pass_can_use_other_rows(tmp_path):
    module = Small()
    callback = OptimalThresholds(
        dataloader=validation_loader(), score=lambda module, batch: (-module(batch[0]), batch[1])
    )
    make_trainer(tmp_path, callback, max_epochs=1).fit(module, train_loader(), validation_loader())
    scores, labels = rows_of(module, make_data(53, 1))
    assert module.tracker.found == ordcut.torch.optimal_thresholds(-scores, labels)


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
    assert module.tracker.found == seen.epochs[len(errors) - 3][1]
    scores, labels = rows_of(module, make_data(53, 1))
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


def run_training(folder, *options, **environment):
    command = [sys.executable, str(HERE / "lightning_module.py"), str(folder), *options]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"} | environment
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=500, check=False
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
        found = json.loads((tmp_path / way / "found.json").read_text())
        module = Small()
        saved = torch.load(tmp_path / way / "last.ckpt", weights_only=True)
        module.load_state_dict(saved["state_dict"])
        # 101 rows do not go into two processes of equal size; the row repeated does not count.
        assert found["n_training_rows"] == 101
        if way == "evaluation":
            expected = ordcut.torch.optimal_thresholds(*rows_of(module, make_data(101, 0)))
        else:
            scores, labels = map(torch.tensor, found["training_rows"])
            assert labels.bincount().equal(make_data(101, 0).tensors[1].bincount())
            expected = ordcut.torch.optimal_thresholds(scores, labels)
        assert module.tracker.found == expected
        scores, labels = rows_of(module, make_data(53, 1))
        errors = module.tracker.compare(scores, labels, module.loss)
        assert {f"val_absolute_{name}": value for name, value in errors.items()} == found["metrics"]


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
        r"n_classes must be given.*ThresholdTracker\(n_classes\)",
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


def test_a_batch_that_is_no_pair_is_named():
    from ordcut.torch.callback import score_pairs

    with pytest.raises(TypeError, match=r"pair of inputs and labels, got Tensor.*score="):
        score_pairs(Small(), torch.zeros(3))


@pytest.mark.parametrize(
    ("missing", "name"), [("torch", "ordcut.torch"), ("lightning", "OptimalThresholds")]
)
def test_a_package_that_is_missing_is_named_with_the_command_that_installs_it(missing, name):
    hide = f"import sys; sys.modules[{missing!r}] = None"
    command = [sys.executable, "-c", f"{hide}; from ordcut.torch import OptimalThresholds"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith(f"ModuleNotFoundError: {name} needs {missing}, which is not installed.")
    assert f'pip install "ordcut[{missing}]"' in last


@pytest.mark.filterwarnings("ignore:Starting from v1.9.0")  # which logger Lightning takes
@pytest.mark.filterwarnings("ignore:.*is smaller than the logging interval")
def test_the_guide_trains(tmp_path, monkeypatch):
    """The part of the guide that needs a Trainer runs unchanged, on data of its shape."""
    monkeypatch.chdir(tmp_path)
    guide = (HERE.parents[1] / "docs" / "training.md").read_text(encoding="utf-8")
    (code,) = [
        part for part in re.findall(r"```python\n(.*?)```", guide, re.S) if ">>>" not in part
    ]
    names = {}
    exec(code, names)
    features = torch.randn(120, 5)
    rows = TensorDataset(features, (features.sum(1) + 2).clamp(0, 3).long())
    module, trainer = names["Stages"](), names["trainer"]
    trainer.fit_loop.max_epochs = 2
    trainer.fit(module, DataLoader(rows, 16), DataLoader(rows, 16))
    (tracker,) = [part for part in module.modules() if isinstance(part, ThresholdTracker)]
    assert tracker.found.objective == "absolute"
    assert names["monitor"] in trainer.callback_metrics
    assert len(list((tmp_path / "checkpoints").iterdir())) == 1


def test_a_tracker_is_found_wherever_the_module_keeps_it(tmp_path):
    module = Small(owns_tracker=False)
    module.inner = torch.nn.ModuleDict({"cut": ThresholdTracker(N_CLASSES, "zero_one")})
    make_trainer(tmp_path, OptimalThresholds(), max_epochs=1).fit(
        module, train_loader(), validation_loader()
    )
    assert module.inner["cut"].found.objective == "zero_one"
