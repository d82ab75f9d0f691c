"""The settings of a run that takes a second, and what does not depend on the machine in it."""

import fcntl
import os
import threading
from dataclasses import replace
from shutil import copytree

import torch

from experiments import training
from experiments.datasets import load_faces
from experiments.optimisers import SCHEDULES
from experiments.pictures import Batches
from experiments.progress import Progress
from experiments.settings import Settings
from experiments.training import Learner

TINY = Settings(
    "synthetic",
    network="resnet10",
    image_size=16,
    batch_size=32,
    epochs=3,
    n_images=50,
    n_classes=4,
)


def without_times(rows):
    """The rows without times, which differ from run to run."""
    return [
        {name: value for name, value in row.items() if not name.startswith("seconds")}
        for row in rows
    ]


class CopyAfterFirstEpoch(Progress):
    """Copies the folder of a run, named "run", next to it after the first epoch."""

    def note(self, text):
        if text.startswith("epoch 1 of"):
            copytree("run", "copy")


def fail(process):
    """Raise an error in one of several processes."""
    if process.share.rank == 1:
        raise ValueError("scores must be finite")


def vanish(process):
    """End one of several processes without a word."""
    if process.share.rank == 1:
        os._exit(3)


class Linear(torch.nn.Module):
    """A network that has no statistics of batches, so that it does not matter who has which row."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3 * TINY.crop**2, 1)

    def forward(self, images):
        return self.layer(images.flatten(1)).squeeze(1)


def hold_a_lock(process, folder):
    """Hold a lock on a file until the process ends, and say so in another file."""
    with (folder / f"{process.share.rank}.lock").open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        (folder / f"{process.share.rank}.held").touch()
        threading.Event().wait()


def train_linear(process, file):
    """Train for an epoch of uneven batches, and write the loss, the parameters and the scores."""
    training.NETWORKS["linear"] = lambda _: Linear()
    learner = Learner(replace(TINY, network="linear"), 4, process)
    del training.NETWORKS["linear"]
    # Steps of Adam depend on the sign of a gradient even if it is nothing but rounding.
    learner.optimiser = torch.optim.SGD(learner.network.parameters(), lr=0.01)
    learner.schedule = SCHEDULES["none"](learner.optimiser, 1)
    batches = Batches(load_faces(TINY).training, TINY.crop, 0, 9, 0, process.share)
    loss, scored = learner.train(batches, 1, lambda _: None)
    if process.is_main:
        results = {"loss": loss, "scores": torch.tensor(scored.scores).sort().values}
        torch.save({**results, **learner.network.state_dict()}, file)
