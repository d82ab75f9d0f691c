"""A small Lightning module, and a training to be killed or run in several processes."""

import argparse
import json
import os
import signal
import warnings
from pathlib import Path

import lightning.pytorch as lightning
import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from torch.utils.data import DataLoader, TensorDataset

from ordcut.torch import CumulativeLinkLoss, OptimalThresholds, ThresholdTracker
from tests.torch.distributed_exit import leave_together

N_CLASSES = 4


def make_data(n, seed):
    """Rows of three features whose sum, with noise, makes the class."""
    generator = torch.Generator().manual_seed(seed)
    features = torch.randn(n, 3, generator=generator)
    latent = features.sum(1) + 0.8 * torch.randn(n, generator=generator)
    return TensorDataset(features, (latent + 2).clamp(0, N_CLASSES - 1).long())


class Small(lightning.LightningModule):
    """A slope for each feature; steps return scores and labels if ``returns_scores``.

    The score of a row does not depend on its batch, to the last bit.
    """

    def __init__(self, owns_tracker=True, returns_scores=True, normalise=False):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(3, momentum=0.5) if normalise else torch.nn.Identity()
        self.slopes = torch.nn.Parameter(torch.rand(3))
        self.loss = CumulativeLinkLoss(N_CLASSES)
        self.returns_scores = returns_scores
        if owns_tracker:
            self.tracker = ThresholdTracker(N_CLASSES)

    def forward(self, features):
        return (self.norm(features) * self.slopes).sum(dim=1)

    def training_step(self, batch, _):
        features, labels = batch
        scores = self(features)
        loss = self.loss(scores, labels)
        return {"loss": loss, "scores": scores, "labels": labels} if self.returns_scores else loss

    def validation_step(self, batch, _):
        features, labels = batch
        return {"scores": self(features), "labels": labels} if self.returns_scores else None

    test_step = validation_step

    def configure_optimizers(self):
        # The default of eps, 1e-8, is 0 in float16: a gradient of 0 would make parameters NaN.
        return torch.optim.Adam(self.parameters(), lr=0.05, eps=1e-4)


def train_loader(n=101, batch_size=16, shuffle=True):
    return DataLoader(make_data(n, 0), batch_size=batch_size, shuffle=shuffle)


def validation_loader(n=53):
    return DataLoader(make_data(n, 1), batch_size=16)


def make_trainer(folder, *callbacks, **options):
    given = {
        "max_epochs": 3,
        "accelerator": "cpu",
        "devices": 1,
        "logger": False,
        "enable_checkpointing": False,
        "enable_progress_bar": False,
        "enable_model_summary": False,
        "log_every_n_steps": 1,
        "num_sanity_val_steps": 0,
        "default_root_dir": str(folder),
        "callbacks": list(callbacks),
    }
    return lightning.Trainer(**(given | options))


class Kill(Callback):
    """Kills the process in the middle of an epoch, as an operator or a power cut would."""

    def __init__(self, epoch):
        self.epoch = epoch

    def on_train_batch_end(self, trainer, *_):
        if trainer.current_epoch == self.epoch and trainer.global_step % 7 == 3:
            os.kill(os.getpid(), signal.SIGKILL)


def train(folder, scores_from, *callbacks, devices=1, shuffle=True, normalise=False):
    """Train, save, and write what was logged and the training rows to a file."""
    torch.manual_seed(0)
    trainer = make_trainer(
        folder,
        OptimalThresholds(scores_from=scores_from),
        ModelCheckpoint(folder, save_last=True),
        *callbacks,
        devices=devices,
        strategy="ddp" if devices > 1 else "auto",
        enable_checkpointing=True,
    )
    module = Small(normalise=normalise)
    trainer.fit(module, train_loader(shuffle=shuffle), validation_loader())
    values = {name: value.item() for name, value in trainer.callback_metrics.items()}
    rows = module.tracker.rows(101)  # those of all processes
    if trainer.is_global_zero:
        results = {
            "metrics": {name: values[name] for name in values if name.startswith("val_")},
            "n_training_rows": len(rows[0]),
            "training_rows": [column.tolist() for column in rows],
        }
        (folder / "found.json").write_text(json.dumps(results))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--devices", type=int)
    parser.add_argument("--kill-in-epoch", type=int)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.kill_in_epoch is not None:
        train(arguments.folder, "evaluation", Kill(arguments.kill_in_epoch), shuffle=False)
    else:
        for way in ("evaluation", "training"):
            train(arguments.folder / way, way, devices=arguments.devices)
        train(arguments.folder / "normed", "evaluation", devices=arguments.devices, normalise=True)


if __name__ == "__main__":
    main()
    leave_together()


def scores_and_labels(module, data):
    """Return the outputs of a module for a data set, and the labels."""
    features, labels = data.tensors
    with torch.no_grad():
        return module(features), labels
