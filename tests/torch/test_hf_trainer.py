"""The recipe for the Trainer of transformers, in real trainings on the CPU."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from transformers import TrainerCallback

import ordcut
from tests.torch.hf_model import PlainStages, Stages, StagesConfig, make_trainer
from tests.torch.small_network import N_CLASSES, make_rows

ROOT = Path(__file__).parents[2]

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*pin_memory.*no accelerator is found"),
]


def expected_thresholds(model, n=60):
    features, labels = make_rows(n)
    with torch.no_grad():
        scores = model.layer(features).squeeze(1)
    return ordcut.optimal_thresholds(scores.numpy(), labels.numpy(), classes=range(N_CLASSES))


class Seen(TrainerCallback):
    """Records the thresholds and the metrics of each evaluation."""

    def __init__(self):
        self.evaluations = []

    def on_evaluate(self, *_, model=None, metrics=None, **__):
        expected = expected_thresholds(model)
        self.evaluations.append((model.tracker.result == expected, metrics))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"eval_strategy": "steps", "eval_steps": 3, "save_strategy": "no"},
        {"eval_strategy": "steps", "eval_steps": 3, "gradient_accumulation_steps": 2},
    ],
)
def test_thresholds_are_those_of_the_weights_that_are_evaluated(tmp_path, options):
    seen, trainer = Seen(), make_trainer(tmp_path, **options)
    trainer.add_callback(seen)
    trainer.train()
    assert len(seen.evaluations) >= 1
    assert all(is_same for is_same, _ in seen.evaluations)
    features, labels = make_rows(40, 1)
    model = trainer.model
    with torch.no_grad():
        errors = model.tracker.compare(model.layer(features), labels, model.loss)
    metrics = trainer.evaluate()
    assert {name: metrics[f"eval_{name}"] for name in errors} == errors


def test_the_best_model_is_loaded_with_its_thresholds(tmp_path):
    trainer = make_trainer(
        tmp_path,
        num_train_epochs=4,
        load_best_model_at_end=True,
        metric_for_best_model="optimal",
        greater_is_better=False,
    )
    trainer.train()
    assert trainer.model.tracker.result == expected_thresholds(trainer.model)
    assert trainer.evaluate()["eval_optimal"] == trainer.state.best_metric


@pytest.mark.parametrize("kind", [lambda: Stages(StagesConfig()), PlainStages])
def test_a_checkpoint_restores_a_training_with_the_same_result(tmp_path, kind):
    def train(epochs, checkpoint=None):
        torch.manual_seed(0)
        trainer = make_trainer(
            tmp_path, kind(), num_train_epochs=epochs, lr_scheduler_type="constant"
        )
        trainer.train(resume_from_checkpoint=checkpoint)
        return trainer.model

    whole = train(2)
    (first,) = (path for path in tmp_path.iterdir() if path.name == "checkpoint-4")
    again = train(2, str(first))
    assert torch.equal(again.layer.weight, whole.layer.weight)
    assert again.tracker.result == whole.tracker.result


def test_a_model_is_saved_and_loaded_by_its_own_methods(tmp_path):
    trainer = make_trainer(tmp_path)
    trainer.train()
    trainer.model.save_pretrained(tmp_path / "model")
    again, info = Stages.from_pretrained(tmp_path / "model", output_loading_info=True)
    assert not info["missing_keys"] | info["unexpected_keys"]
    assert again.tracker.result == trainer.model.tracker.result
    assert again.tracker.thresholds.tolist() == again.tracker.result.thresholds.tolist()
    half = Stages.from_pretrained(tmp_path / "model", dtype=torch.bfloat16)
    assert half.layer.weight.dtype == torch.bfloat16
    assert half.tracker.thresholds.tolist() == again.tracker.result.thresholds.tolist()


def test_a_checkpoint_of_another_model_leaves_a_tracker_without_thresholds(tmp_path):
    class Backbone(Stages):
        def __init__(self, config):
            super().__init__(config)
            del self.tracker

    Backbone(StagesConfig()).save_pretrained(tmp_path)
    model = Stages.from_pretrained(tmp_path)
    assert model.tracker.result is None
    assert model.tracker.thresholds.isnan().all()
    model.tracker.update(torch.rand(9), torch.arange(9) % 4)
    model.tracker.compute()


def test_the_random_state_of_the_training_is_left_alone(tmp_path):
    weights = []
    for strategy in ("no", "epoch"):
        trainer = make_trainer(tmp_path, eval_strategy="no", save_strategy=strategy)
        trainer.train()
        weights.append((trainer.model.layer.weight.tolist(), torch.rand(1).item()))
    assert weights[0] == weights[1]


def test_scores_are_computed_in_the_precision_of_the_training(tmp_path):
    trainer = make_trainer(tmp_path, bf16=True)
    trainer.train()
    scores, _ = trainer.model.tracker.rows()
    assert torch.equal(scores, scores.bfloat16().float())


def test_an_evaluation_without_thresholds_is_refused(tmp_path):
    with pytest.raises(RuntimeError, match="no thresholds yet"):
        make_trainer(tmp_path).evaluate()


def test_a_training_that_diverges_is_named(tmp_path):
    trainer = make_trainer(tmp_path, learning_rate=float("inf"), max_grad_norm=0.0)
    with pytest.raises(ValueError, match=r"must be finite.*probably diverged"):
        trainer.train()


def test_two_processes_find_the_thresholds_of_one(tmp_path):
    environment = os.environ | {
        "GLOO_SOCKET_IFNAME": "lo", "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": "0",
    }  # fmt: skip
    command = [
        sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2",
        "-m", "tests.torch.distributed_hf", str(tmp_path),
    ]  # fmt: skip
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=500, check=False
    )
    assert done.returncode == 0, done.stderr
    model = Stages.from_pretrained(tmp_path / "model")
    assert model.tracker.result == expected_thresholds(model, 61)
