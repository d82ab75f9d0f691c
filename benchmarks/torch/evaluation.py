"""The evaluation pass of the Lightning callback against forward passes over the same batches.

At the end of an epoch of a ResNet18 on random images of 64 x 64, in batches of 64, in one thread.
`evaluation pass` is all that the callback does before a validation: it scores the training images
by the current weights, collects the scores and finds the thresholds. It must cost no more than
`forward pass`, the network applied to the same batches as in a training step, without the backward
pass. `without gradients` is the least that any pass over these images costs: the network in
evaluation mode under `torch.no_grad()`, whose outputs are dropped. `over forward` is the median of
the ratios of times that were measured in turn.
"""

from collections.abc import Callable, Iterator
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import lightning.pytorch as lightning
import torch
from torch import Tensor
from torch.utils.data import DataLoader, TensorDataset

from benchmarks.torch.one_thread import one_thread
from experiments.resnet import resnet18
from ordcut.torch import CumulativeLinkLoss, ThresholdTracker
from ordcut.torch.evaluation import score_training_rows
from ordcut.torch.scoring import evaluating, score_batch

N_CLASSES, SIDE, BATCH = 10, 64, 64
MOST = 1.0


class Faces(lightning.LightningModule):
    """A network, its loss and a tracker; one batch of training is enough."""

    def __init__(self) -> None:
        super().__init__()
        self.network = resnet18(N_CLASSES)
        self.loss = CumulativeLinkLoss(N_CLASSES)
        self.tracker = ThresholdTracker(N_CLASSES)

    def forward(self, images: Tensor) -> Tensor:
        scores: Tensor = self.network(images)
        return scores

    def training_step(self, batch: list[Tensor], _: int) -> Tensor:
        loss: Tensor = self.loss(self(batch[0]), batch[1])
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=1e-4)


class Passes(lightning.Callback):
    """Times the passes at the end of an epoch, where the callback runs its own."""

    def __init__(self, n_rounds: int) -> None:
        self.n_rounds = n_rounds
        self.seconds: dict[str, list[float]] = {}

    def on_train_epoch_end(self, trainer: lightning.Trainer, pl_module: Any) -> None:
        loader, tracker = trainer.train_dataloader, pl_module.tracker

        def evaluation_pass() -> None:
            with evaluating(pl_module):
                tracker.reset()
                score_training_rows(trainer, pl_module, score_batch, tracker.update)
                tracker.compute()

        def without_gradients() -> None:
            with evaluating(pl_module), torch.no_grad():
                for images, _ in loader:
                    pl_module(images)

        def forward_pass() -> None:
            for images, _ in loader:
                pl_module(images)

        works: dict[str, Callable[[], None]] = {
            "evaluation pass": evaluation_pass,
            "forward pass": forward_pass,
            "without gradients": without_gradients,
        }
        for work in works.values():
            work()
        self.seconds = {name: [] for name in works}
        for _ in range(self.n_rounds):
            for name, work in works.items():
                start = perf_counter()
                work()
                self.seconds[name].append(perf_counter() - start)


def run(quick: bool) -> Iterator[dict[str, Any]]:
    n_images, n_rounds = (8, 1) if quick else (512, 15)
    generator = torch.Generator().manual_seed(0)
    images = torch.rand(n_images, 3, SIDE, SIDE, generator=generator)
    labels = torch.randint(0, N_CLASSES, (n_images,), generator=generator)
    passes = Passes(n_rounds)
    with one_thread(), TemporaryDirectory(prefix="ordcut-") as folder:
        trainer = lightning.Trainer(
            max_epochs=1, accelerator="cpu", devices=1, logger=False, enable_checkpointing=False,
            enable_progress_bar=False, enable_model_summary=False, default_root_dir=folder,
            callbacks=[passes],
        )  # fmt: skip
        trainer.fit(Faces(), DataLoader(TensorDataset(images, labels), BATCH))
    for name, seconds in passes.seconds.items():
        forward = passes.seconds["forward pass"]
        ratio = median(own / other for own, other in zip(seconds, forward, strict=True))
        is_judged = name == "evaluation pass"
        yield {
            "pass": name,
            "ms": 1000 * median(seconds),
            "over forward": ratio,
            "must": f"at most {MOST:g}" if is_judged else "",
            "met": ("yes" if ratio <= MOST else "no") if is_judged else "",
        }
