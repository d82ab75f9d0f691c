"""Scores of the training pass instead of an evaluation pass: what that changes, and what it saves.

The scores of a training pass come from weights that change from batch to batch, from images with
random crops, and from batch statistics instead of running ones. A small convolutional network with
batch normalisation learns the number of bright pixels, in ten classes, from noisy images of 20 x
20, cropped to 16 x 16. After each epoch both kinds of training scores give thresholds, which are
judged on the same validation scores. `best` is the least validation error of all epochs, which
early stopping looks for. `seconds` are those of an epoch with its scores and thresholds.
"""

from collections.abc import Iterator
from time import perf_counter
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.torch.one_thread import one_thread
from ordcut.torch import CumulativeLinkLoss, ThresholdTracker

N_CLASSES, SIDE, CROP, BATCH = 10, 20, 16, 64


def run(quick: bool) -> Iterator[dict[str, Any]]:
    n_seeds, n_epochs, n_rows = (2, 2, 256) if quick else (5, 15, 3000)
    with one_thread():
        runs = [_train(seed, n_epochs, n_rows) for seed in range(n_seeds)]
    for name, epochs in _parts(n_epochs).items():
        rows = [row for run in runs for row in run[epochs]]
        yield _compared(name, rows)
    best = [
        {way: min(row[way] for row in run) for way in ("evaluation", "training")} for run in runs
    ]
    for one in best:
        one["seconds"] = {}
    yield _compared("best", best)


def _best(run: list[dict[str, Any]]) -> dict[str, Any]:
    least = {way: min(row[way] for row in run) for way in ("evaluation", "training")}
    return {**least, "seconds": None}


def _parts(n_epochs: int) -> dict[str, slice]:
    third = max(1, n_epochs // 3)
    return {
        f"epochs 1 to {third}": slice(third),
        f"epochs {third + 1} to {n_epochs}": slice(third, None),
    }


def _compared(name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    by_evaluation = torch.tensor([row["evaluation"] for row in rows])
    by_training = torch.tensor([row["training"] for row in rows])
    change = by_training - by_evaluation
    times = [row["seconds"] for row in rows if row["seconds"]]
    return {
        "when": name,
        "error by evaluation": by_evaluation.mean().item(),
        "error by training": by_training.mean().item(),
        "change": change.mean().item(),
        "change relative": f"{(change.mean() / by_evaluation.mean()).item():+.1%}",
        "standard error": (change.std() / len(change) ** 0.5).item(),
        "seconds by evaluation": _mean(times, "evaluation"),
        "seconds by training": _mean(times, "training"),
    }


def _mean(times: list[dict[str, float]], way: str) -> float | None:
    return sum(row[way] for row in times) / len(times) if times else None


def _train(seed: int, n_epochs: int, n_rows: int) -> list[dict[str, Any]]:
    """Train once; return, for each epoch, the validation error by thresholds of either kind."""
    generator = torch.Generator().manual_seed(seed)
    images, labels = make_images(n_rows, generator)
    validation, truth = make_images(n_rows // 3, generator)
    torch.manual_seed(seed)
    network, loss = small_network(), CumulativeLinkLoss(N_CLASSES)
    optimiser = torch.optim.Adam([*network.parameters(), *loss.parameters()], lr=10**-2.5, eps=1e-6)
    rows = []
    for _ in range(n_epochs):
        in_passing, evaluated = ThresholdTracker(N_CLASSES), ThresholdTracker(N_CLASSES)
        start = perf_counter()
        network.train()
        for batch in torch.randperm(n_rows, generator=generator).split(BATCH):
            scores = network(random_crop(images[batch], generator)).squeeze(1)
            optimiser.zero_grad()
            loss(scores, labels[batch]).backward()
            optimiser.step()
            in_passing.update(scores, labels[batch])
        in_passing.compute()
        trained = perf_counter()
        network.eval()
        evaluated.update(scores_of(network, images), labels)
        evaluated.compute()
        seconds = {"training": trained - start, "evaluation": perf_counter() - start}
        scores = scores_of(network, validation)
        errors = {
            way: tracker.evaluate(truth, tracker(scores))
            for way, tracker in (("training", in_passing), ("evaluation", evaluated))
        }
        rows.append({**errors, "seconds": seconds})
    return rows


def small_network() -> nn.Sequential:
    layers: list[nn.Module] = []
    for n_in, n_out in ((1, 8), (8, 16), (16, 32)):
        layers += [nn.Conv2d(n_in, n_out, 3, 2, padding=1), nn.BatchNorm2d(n_out), nn.ReLU()]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 1))


def make_images(n: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Return images in which the class says how many pixels of each hundred are bright."""
    labels = torch.randint(0, N_CLASSES, (n,), generator=generator)
    share = 0.2 + 0.03 * labels.float() + 0.02 * torch.randn(n, generator=generator)
    bright = torch.rand(n, 1, SIDE, SIDE, generator=generator) < share[:, None, None, None]
    return bright + 0.3 * torch.randn(n, 1, SIDE, SIDE, generator=generator), labels


def random_crop(images: Tensor, generator: torch.Generator) -> Tensor:
    """Crop a batch at a random position, the same for all its images."""
    top, left = torch.randint(0, SIDE - CROP + 1, (2,), generator=generator).tolist()
    return images[:, :, top : top + CROP, left : left + CROP]


def scores_of(network: nn.Module, images: Tensor) -> Tensor:
    """Return the scores of centre crops, in batches."""
    margin = (SIDE - CROP) // 2
    centre = images[:, :, margin : margin + CROP, margin : margin + CROP]
    with torch.no_grad():
        return torch.cat([network(batch).squeeze(1) for batch in centre.split(BATCH)])
