"""A model of transformers with a tracker, and a Trainer with the callback of the guide."""

import re
from pathlib import Path

import torch
from transformers import PretrainedConfig, PreTrainedModel, Trainer, TrainingArguments
from transformers.modeling_outputs import SequenceClassifierOutput

from ordcut.torch import CumulativeLinkLoss, ThresholdTracker
from tests.torch.small_network import N_CLASSES, make_rows

GUIDE = Path(__file__).parents[2] / "docs" / "training.md"


def examples(package):
    """Return the examples of the guide that import a package and have no prompts."""
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.S)
    pattern = rf"^(import|from) {package}\b"
    return [code for code in blocks if ">>>" not in code and re.search(pattern, code, re.M)]


def recipe():
    """Return the callback of the guide."""
    names = {}
    exec(examples("transformers")[0], names)
    return names["FindThresholds"]()


class StagesConfig(PretrainedConfig):
    model_type = "stages"


class Stages(PreTrainedModel):
    """A score for each row of three features, and the loss of its labels."""

    config_class = StagesConfig
    main_input_name = "features"
    _keys_to_ignore_on_load_unexpected = ("tracker.thresholds",)

    def __init__(self, config):
        super().__init__(config)
        self.layer = torch.nn.Linear(3, 1)
        self.loss = CumulativeLinkLoss(N_CLASSES)
        self.tracker = ThresholdTracker(N_CLASSES)
        self.post_init()

    def _init_weights(self, module):
        if isinstance(module, torch.nn.Linear):
            torch.nn.init.constant_(module.weight, 0.3)
            torch.nn.init.zeros_(module.bias)

    def forward(self, features, labels=None):
        logits = self.layer(features)
        loss = None if labels is None else self.loss(logits, labels)
        return SequenceClassifierOutput(loss=loss, logits=logits)


class PlainStages(torch.nn.Module):
    """The same without transformers: a plain module, which its Trainer takes as well."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)
        self.loss = CumulativeLinkLoss(N_CLASSES)
        self.tracker = ThresholdTracker(N_CLASSES)

    forward = Stages.forward


def rows_as_dicts(n=60, seed=0):
    features, labels = make_rows(n, seed)
    return [{"features": x, "labels": y} for x, y in zip(features, labels, strict=True)]


def make_trainer(folder, model=None, train=None, **options):
    model = Stages(StagesConfig()) if model is None else model
    given = {
        "num_train_epochs": 2,
        "per_device_train_batch_size": 16,
        "learning_rate": 0.05,
        "eval_strategy": "epoch",
        "save_strategy": "epoch",
        "logging_strategy": "epoch",
        "report_to": "none",
        "use_cpu": True,
        "disable_tqdm": True,
        "seed": 0,
    }

    def compute_metrics(prediction):
        scores, labels = map(torch.as_tensor, (prediction.predictions, prediction.label_ids))
        return model.tracker.compare(scores, labels, model.loss)

    return Trainer(
        model,
        TrainingArguments(str(folder), **(given | options)),
        train_dataset=rows_as_dicts() if train is None else train,
        eval_dataset=rows_as_dicts(40, 1),
        callbacks=[recipe()],
        compute_metrics=compute_metrics,
    )
