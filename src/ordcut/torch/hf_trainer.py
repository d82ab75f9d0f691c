"""Optimal thresholds in training with the Trainer of transformers."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from math import ceil
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, IterableDataset

try:
    from accelerate.utils import send_to_device
    from transformers import (
        EvalPrediction,
        TrainerCallback,
        TrainerControl,
        TrainerState,
        TrainingArguments,
    )
except ModuleNotFoundError as error:
    missing = (error.name or "transformers").partition(".")[0]
    raise ModuleNotFoundError(
        f"TransformersThresholds needs {missing}, which is not installed. "
        'Install it with: pip install "ordcut[transformers]".',
        name=error.name,
    ) from error

from ordcut.torch.gathering import OwnRows
from ordcut.torch.losses import loss_of
from ordcut.torch.scoring import (
    ScoreFunction,
    evaluating,
    metric_name,
    naming_epoch,
    same_random_state,
    score_batch,
)
from ordcut.torch.tracker import ThresholdTracker, tracker_of


class TransformersThresholds(TrainerCallback):
    """Find the optimal thresholds before each evaluation and each checkpoint of a ``Trainer``.

    The model must contain a :class:`ThresholdTracker`, which stores the thresholds, so that
    checkpoints contain them. The training rows are scored in a separate pass, in evaluation mode.
    Pass ``compute_metrics`` of the callback to the trainer as well. The metrics
    ``eval_<objective>_<labeling>``, such as ``eval_absolute_optimal``, are then the values of each
    labeling on the evaluation rows, which ``metric_for_best_model`` can name.

    Parameters
    ----------
    tracker : str, optional
        The name of the model's tracker, such as ``"head.tracker"``, if it has several.
    dataloader : iterable, optional
        The batches of the pass, if not those of the training data.
    score : callable, optional
        A function of the model and a batch that returns scores, labels, and optionally weights of
        the rows. By default a batch has ``"labels"``, and the model, called with everything else,
        returns a dictionary with ``"logits"``, one per row.

    Examples
    --------
    >>> from ordcut.torch import TransformersThresholds
    >>> thresholds = TransformersThresholds()
    >>> # Trainer(model, ..., callbacks=[thresholds], compute_metrics=thresholds.compute_metrics)
    """

    def __init__(
        self,
        *,
        tracker: str | None = None,
        dataloader: Iterable[Any] | None = None,
        score: ScoreFunction | None = None,
    ) -> None:
        self.dataloader = dataloader
        self.score = score_batch if score is None else score
        self._tracker_name = tracker
        self._model: nn.Module | None = None
        self._step = -1

    def on_init_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        """Find the tracker of the model."""
        del args, state, control
        self._model = kwargs.get("model")
        if self._model is not None:
            self._tracker_of(self._model)

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        """Find the tracker of the model, which ``model_init`` may have made."""
        self.on_init_end(args, state, control, **kwargs)
        self._step = state.global_step

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        """Find the thresholds, if an evaluation or a checkpoint follows."""
        if control.should_evaluate or control.should_save:
            self._find(args, state, **kwargs)

    on_epoch_end = on_step_end

    def on_train_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        """Find the thresholds of the last weights; those of the best ones were loaded with them."""
        del control
        if not args.load_best_model_at_end:
            self._find(args, state, **kwargs)

    def compute_metrics(self, prediction: EvalPrediction) -> dict[str, float]:
        """Return the value of each labeling, for ``Trainer(compute_metrics=...)``.

        The names are ``<objective>_<labeling>``; the trainer puts ``eval_`` before them.
        """
        if self._model is None:
            raise RuntimeError(
                "compute_metrics needs the model. Pass the callback to the trainer as well: "
                "Trainer(callbacks=[thresholds], compute_metrics=thresholds.compute_metrics)."
            )
        tracker = self._tracker_of(self._model)
        scores: Any = prediction.predictions
        scores = scores[0] if isinstance(scores, tuple) else scores
        values = tracker.compare(
            torch.as_tensor(np.asarray(scores)).cpu(),
            torch.as_tensor(np.asarray(prediction.label_ids)).cpu(),
            loss_of(self._model, tracker.n_classes),
        )
        name = metric_name(tracker.objective)
        return {f"{name}_{labeling}": value for labeling, value in values.items()}

    def _tracker_of(self, model: nn.Module) -> ThresholdTracker:
        tracker = tracker_of(model, self._tracker_name)
        if tracker is None:
            raise ValueError(
                "the model must have a ThresholdTracker, got one without. Set "
                "self.tracker = ThresholdTracker(n_classes) in its __init__."
            )
        return tracker

    def _find(self, args: TrainingArguments, state: TrainerState, **kwargs: Any) -> None:
        """Find the thresholds of the training rows for the weights of this step."""
        if state.global_step == self._step:
            return
        model: nn.Module = kwargs["model"]
        n_trained = (state.global_step - self._step) * args.gradient_accumulation_steps
        loader, n_batches = self._batches(args, kwargs["train_dataloader"], n_trained)
        tracker, own = self._tracker_of(model), OwnRows(loader)
        tracker.reset()
        dtype = torch.bfloat16 if args.bf16 else torch.float16
        autocast = torch.autocast(args.device.type, dtype, enabled=args.bf16 or args.fp16)
        with torch.no_grad(), autocast, evaluating(model), same_random_state(loader):
            for batch in islice(iter(loader), n_batches):
                batch = send_to_device(batch, args.device)
                tracker.update(*own(self.score(model, batch)))
        with naming_epoch(state.epoch):
            tracker.compute()
        self._step = state.global_step

    def _batches(
        self, args: TrainingArguments, trained_on: Any, n_trained: int
    ) -> tuple[Any, int | None]:
        """Return a loader of the training rows, and how many of its batches to use.

        The loader of the training is in use, so this is another one of the same data set. A stream
        is read for as many batches as have been trained on since the last pass.
        """
        if self.dataloader is not None:
            return self.dataloader, None
        options: dict[str, Any] = {
            "batch_size": args.per_device_eval_batch_size,
            "collate_fn": trained_on.collate_fn,
            "num_workers": args.dataloader_num_workers,
        }
        data = trained_on.dataset
        if isinstance(data, IterableDataset):
            n_rows = n_trained * args.per_device_train_batch_size
            return DataLoader(data, **options), max(1, ceil(n_rows / options["batch_size"]))
        if args.world_size > 1:
            options["sampler"] = DistributedSampler(
                data, args.world_size, args.process_index, shuffle=False
            )
        return DataLoader(data, **options), None
