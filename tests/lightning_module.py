"""A small Lightning module on real tensors, for the tests of the callback."""

import lightning.pytorch as lightning
import torch
from torch.utils.data import DataLoader, TensorDataset

from ordcut.torch import CumulativeLinkLoss, ThresholdTracker

N_CLASSES = 4


def make_data(n, seed):
    """Rows of three features whose sum, with noise, makes the class."""
    generator = torch.Generator().manual_seed(seed)
    features = torch.randn(n, 3, generator=generator)
    latent = features.sum(1) + 0.8 * torch.randn(n, generator=generator)
    return TensorDataset(features, (latent + 2).clamp(0, N_CLASSES - 1).long())


class Small(lightning.LightningModule):
    """One linear layer; steps return scores and labels if asked to."""

    def __init__(self, owns_tracker=True, returns_scores=True):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)
        self.loss = CumulativeLinkLoss(N_CLASSES)
        self.returns_scores = returns_scores
        if owns_tracker:
            self.labeler = ThresholdTracker(N_CLASSES)

    def forward(self, features):
        return self.layer(features).squeeze(1)

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
        return torch.optim.Adam(self.parameters(), lr=0.05)


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
