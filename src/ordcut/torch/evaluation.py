"""The evaluation pass in Lightning: scores of the training rows by the current weights."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any

import lightning.pytorch
import torch
from lightning.pytorch import LightningModule, Trainer
from lightning.pytorch.callbacks import Callback, RichProgressBar, Timer, TQDMProgressBar
from lightning.pytorch.callbacks.progress.tqdm_progress import Tqdm
from lightning.pytorch.utilities import CombinedLoader, rank_zero_warn
from torch import Tensor
from torch.optim.swa_utils import AveragedModel

from ordcut._core.errors import unknown_name
from ordcut.torch.gathering import OwnRows
from ordcut.torch.scoring import ScoreFunction, same_random_state
from ordcut.torch.tensors import has_float64
from ordcut.torch.tracker import ThresholdTracker

PROGRESS_TITLE = "Thresholds"


def flattened(loaders: Any) -> list[Any]:
    """Return all loaders of a collection, in Lightning's order.

    Examples
    --------
    >>> flattened({"first": range(3), "others": [range(2), range(4)]})
    [range(0, 3), range(0, 2), range(0, 4)]
    """
    if loaders is None:
        return []
    if isinstance(loaders, CombinedLoader):
        return list(loaders.flattened)
    if isinstance(loaders, Mapping):
        loaders = list(loaders.values())
    if isinstance(loaders, list | tuple):
        return [loader for part in loaders for loader in flattened(part)]
    return [loaders]


def score_training_rows(
    trainer: Trainer,
    module: LightningModule,
    score: ScoreFunction,
    update: Callable[..., None],
    *,
    loader: Any = None,
    n_trained: int = 0,
) -> None:
    """Score the rows of the training data, or of another loader, and pass them to ``update``.

    Parameters
    ----------
    trainer, module : Trainer and LightningModule
        The trainer and its module.
    score : callable
        A function of the module and a batch that returns scores, labels, and optionally weights.
    update : callable
        Takes what ``score`` returns.
    loader : iterable, optional
        The batches, if not the training data.
    n_trained : int
        The number of batches to read from a loader without a length.
    """
    loaders = flattened(trainer.train_dataloader) if loader is None else [loader]
    limits = [_n_batches(trainer, batches, is_given=loader is not None) for batches in loaders]
    sizes = [max(1, n_trained) if size == float("inf") else int(size) for size in limits]
    deadline = Deadline(trainer)
    n_done = 0
    with _progress(trainer, sum(sizes)) as advance, same_random_state(*loaders):
        for batches, size in zip(loaders, sizes, strict=True):
            own_rows = OwnRows(batches)
            for batch in islice(iter(batches), size):
                update(*own_rows(score_on_device(trainer, module, score, batch)))
                advance()
                n_done += 1
                if deadline.is_over(n_done):
                    rank_zero_warn(
                        f"max_time is reached: thresholds were found on {n_done} of {sum(sizes)} "
                        "batches of the training data."
                    )
                    return


def score_on_device(
    trainer: Trainer, module: LightningModule, score: ScoreFunction, batch: Any
) -> tuple[Tensor, ...]:
    """Return the scores and labels of a loader's batch, moved and converted as Lightning does."""
    batch = trainer.precision_plugin.convert_input(batch)
    batch = module._on_before_batch_transfer(batch)
    return score_converted(trainer, module, score, trainer.strategy.batch_to_device(batch))


def score_converted(
    trainer: Trainer, module: LightningModule, score: ScoreFunction, batch: Any
) -> tuple[Tensor, ...]:
    """Return the scores and labels of a batch that Lightning has moved and converted."""
    with torch.no_grad(), trainer.precision_plugin.forward_context():
        return score(module, batch)


class Deadline:
    """The end of ``max_time``, after which the pass is no longer than the validation.

    All processes must stop at the same batch, so they agree on it.
    """

    def __init__(self, trainer: Trainer) -> None:
        self._trainer = trainer
        timers = [part for part in callbacks_of(trainer) if isinstance(part, Timer)]
        self._timers = [timer for timer in timers if timer.time_remaining() is not None]
        self._least = sum(trainer.num_val_batches) or float("inf")

    def is_over(self, n_done: int) -> bool:
        """Return whether the pass has to stop after ``n_done`` batches."""
        if not self._timers or n_done < self._least:
            return False
        is_over = any((timer.time_remaining() or 0.0) <= 0 for timer in self._timers)
        return bool(self._trainer.strategy.reduce_boolean_decision(is_over, all=False))


def _n_batches(trainer: Trainer, loader: Any, is_given: bool) -> float:
    """Return how many batches of a loader the trainer's limits allow."""
    try:
        size: float = len(loader)
    except (TypeError, NotImplementedError):
        size = float("inf")
    if not is_given:
        return min(size, trainer.num_training_batches)
    limit = trainer.limit_train_batches
    if isinstance(limit, int):
        return min(size, limit)
    return size if limit is None or size == float("inf") else int(size * limit)


@contextmanager
def _progress(trainer: Trainer, total: int) -> Iterator[Callable[[], Any]]:
    """Show a progress bar like the trainer's, and yield a function that advances it."""
    bar = trainer.progress_bar_callback
    if isinstance(bar, TQDMProgressBar) and bar.is_enabled:
        with Tqdm(
            desc=PROGRESS_TITLE,
            total=total,
            position=2 * bar.process_position + 2,
            leave=False,
            dynamic_ncols=True,
            file=sys.stdout,
            bar_format=bar.BAR_FORMAT,
        ) as shown:
            yield shown.update
    elif isinstance(bar, RichProgressBar) and bar.is_enabled and bar.progress is not None:
        progress = bar.progress
        task = progress.add_task(PROGRESS_TITLE, total=total)
        yield lambda: progress.advance(task)
        progress.update(task, visible=False)
    else:
        yield lambda: None


def callbacks_of(trainer: Trainer) -> list[Callback]:
    """Return the callbacks of a trainer, for which Lightning declares no type."""
    callbacks: list[Callback] = trainer.callbacks  # type: ignore[attr-defined]
    return callbacks


def averaged_models(trainer: Trainer) -> list[AveragedModel]:
    """Return the averaged models whose weights are in the module while it is validated."""
    averaging = getattr(lightning.pytorch.callbacks, "WeightAveraging", ())  # new in Lightning 2.6
    parts = [part for part in callbacks_of(trainer) if isinstance(part, averaging)]
    values = [value for part in parts for value in vars(part).values()]
    return [value for value in values if isinstance(value, AveragedModel)]


def fingerprint(module: torch.nn.Module) -> list[float]:
    """Return a number for each parameter that changes with its values.

    Examples
    --------
    >>> fingerprint(torch.nn.PReLU(2, init=0.25))
    [0.5]
    """
    sums = []
    for values in module.parameters():
        shard = getattr(values, "to_local", lambda values=values: values)().detach()
        shard = torch.view_as_real(shard) if shard.is_complex() else shard
        dtype = torch.float64 if has_float64(shard.device) else torch.float32
        sums.append(shard.sum(dtype=dtype).cpu())
    return [float(value) for value in sums]


def tracker_of(module: torch.nn.Module, name: str | None) -> ThresholdTracker | None:
    """Return the tracker of a module by its name, or the only tracker; None if there is none.

    Examples
    --------
    >>> tracker_of(torch.nn.ModuleDict({"cut": ThresholdTracker(3)}), None)
    ThresholdTracker(3, objective='absolute')
    """
    trackers = {
        path: part for path, part in module.named_modules() if isinstance(part, ThresholdTracker)
    }
    if name is not None:
        if name not in trackers:
            raise unknown_name("tracker", name, trackers)
        return trackers[name]
    if len(trackers) > 1:
        raise ValueError(
            "a module must have one ThresholdTracker, got "
            f"{len(trackers)}: {', '.join(trackers)}. Pass a callback for each, with tracker= and "
            "name=."
        )
    return next(iter(trackers.values()), None)
