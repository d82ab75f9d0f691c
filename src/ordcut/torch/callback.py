"""Optimal thresholds at every epoch of training with Lightning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

try:
    from lightning.pytorch import LightningModule, Trainer
    from lightning.pytorch.callbacks import Callback, StochasticWeightAveraging
    from lightning.pytorch.trainer.states import TrainerFn
    from lightning.pytorch.utilities import rank_zero_warn
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "OptimalThresholds needs lightning, which is not installed. "
        "Install it with: pip install lightning.",
        name="lightning",
    ) from error

from ordcut._core.data import ClassWeight, WeightType
from ordcut._core.errors import unknown_name
from ordcut._core.limits import Constraints, read_constraints
from ordcut._core.objectives import ObjectiveLike, resolve_objective
from ordcut._core.smoothing import Smoothing
from ordcut.torch.coding import Classes, read_coding
from ordcut.torch.evaluation import (
    averaged_models,
    callbacks_of,
    fingerprint,
    flattened,
    score_converted,
    score_training_rows,
    tracker_of,
)
from ordcut.torch.gathering import OwnRows, RowStore, broadcast_buffers
from ordcut.torch.losses import OrdinalLoss, loss_of
from ordcut.torch.scoring import (
    WEIGHT_KEY,
    ScoreFunction,
    evaluating,
    metric_name,
    naming_epoch,
    score_batch,
)
from ordcut.torch.state import digest
from ordcut.torch.tensors import has_float64
from ordcut.torch.tracker import ThresholdTracker

SCORE_SOURCES = ("evaluation", "training")


class OptimalThresholds(Callback):
    """Find the optimal thresholds before each validation, and log the value of each labeling.

    For each labeling there is a metric ``val_<objective>_<labeling>``, such as
    ``val_absolute_optimal``, for ``EarlyStopping`` and ``ModelCheckpoint`` to monitor. Labelings
    are ``optimal``, by the optimal thresholds of the training rows, ``rounding`` and, where the
    module has a loss with biases, ``biases`` and ``likelihood``. ``train_<objective>_optimal`` is
    the value of the thresholds on the training rows. If the module has a
    :class:`ThresholdTracker`, the thresholds are stored there, so that its ``state_dict`` contains
    them; otherwise they are part of the state of this callback.

    Parameters
    ----------
    n_classes : int, optional
        The number of classes, K. Not needed if the module has a tracker.
    classes : sequence of numbers, optional
        The values of the classes instead of their number, as in :class:`ThresholdTracker`.
    objective : str, array-like of shape (K, K), callable, Kappa or Objective, optional
        The objective; by default the objective of the module's tracker, or ``"absolute"``.
    scores_from : {"evaluation", "training"}
        Where the scores of the training rows come from: a separate pass over the training data
        before each validation, as in the paper, or the outputs of ``training_step``, which needs
        no further pass.
    dataloader : iterable, optional
        The batches of the evaluation pass, if not the training data; for instance the
        same images without random crops.
    score : callable, optional
        A function of the module and a batch that returns scores, labels, and optionally
        weights of the rows. By default a batch is a pair of inputs and labels, or a
        dictionary with ``"labels"``, and the module, called with the inputs, returns the scores.
    class_weight, constraints, smoothing, weight_type, ignore_index
        As in :class:`ThresholdTracker`. Not needed if the module has a tracker. An error is raised
        in an epoch in which constraints cannot hold.
    tracker : str, optional
        The name of the module's tracker, such as ``"head.tracker"``, if it has several.
    name : str, optional
        A prefix of the metrics, ``<name>_val_<objective>_<labeling>``. A trainer can have several
        of these callbacks if their names differ.

    Notes
    -----
    The search runs when the validation begins, with the weights that are validated: with
    ``EMAWeightAveraging`` and ``WeightAveraging``, the averaged weights. Without validation data it
    runs at the end of each training epoch.

    The evaluation pass goes through all training loaders once, within ``limit_train_batches``. A
    stream without a length is read for as many batches as have been trained on since the previous
    pass. After ``max_time`` the pass is no longer than the validation. It does not change the
    random state.

    If a step returns a dictionary with ``"scores"``, ``"labels"`` and optionally
    ``"sample_weight"``, these are used; ``scores_from="training"`` needs such a ``training_step``.
    With several validation loaders, the metrics of each have the suffix ``/dataloader_idx_<i>``, as
    in Lightning, and the metrics of the first are also logged without it.

    Examples
    --------
    >>> from ordcut.torch import OptimalThresholds
    >>> OptimalThresholds(n_classes=5, objective="quadratic_kappa").monitored
    'val_quadratic_kappa_optimal'
    """

    def __init__(
        self,
        n_classes: int | None = None,
        objective: ObjectiveLike | None = None,
        *,
        classes: Classes | None = None,
        scores_from: Literal["evaluation", "training"] = "evaluation",
        dataloader: Iterable[Any] | None = None,
        score: ScoreFunction | None = None,
        class_weight: ClassWeight | None = None,
        constraints: Constraints = None,
        smoothing: Smoothing | None = None,
        weight_type: WeightType | None = None,
        ignore_index: int | None = None,
        tracker: str | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        if scores_from not in SCORE_SOURCES:
            raise unknown_name("scores_from", scores_from, SCORE_SOURCES)
        if dataloader is not None and scores_from == "training":
            raise ValueError(
                'dataloader is for scores_from="evaluation"; scores_from="training" takes the '
                "scores of the training steps. Leave one of them out."
            )
        self.scores_from = scores_from
        self.dataloader = dataloader
        self.score = score_batch if score is None else score
        self.name = name
        given = {
            "n_classes": n_classes,
            "classes": None if classes is None else read_coding(n_classes, classes).classes,
            "objective": objective,
            "class_weight": class_weight,
            "constraints": None if constraints is None else read_constraints(constraints),
            "smoothing": smoothing,
            "weight_type": weight_type,
            "ignore_index": ignore_index,
        }
        self._given: dict[str, Any] = {k: v for k, v in given.items() if v is not None}
        has_classes = n_classes is not None or classes is not None
        self.tracker = ThresholdTracker(**self._given) if has_classes else None
        self._tracker_name = tracker
        self._is_own = self.tracker is not None
        self._is_due = False
        self._n_trained = 0
        self._own_rows = OwnRows(None)
        self._judged: list[tuple[RowStore, OwnRows]] = []
        self._loss: OrdinalLoss | None = None
        self._weights: list[float] | None = None

    @property
    def monitored(self) -> str:
        """The name of the metric of the optimal thresholds in validation."""
        return self._metric("val", "optimal")

    def _metric(self, stage: str, labeling: str) -> str:
        prefix = "" if self.name is None else f"{self.name}_"
        return f"{prefix}{stage}_{metric_name(self._tracker.objective)}_{labeling}"

    @property
    def state_key(self) -> str:
        """The key of the state of this callback in a checkpoint."""
        return super().state_key if self.name is None else self._generate_state_key(name=self.name)

    @property
    def _tracker(self) -> ThresholdTracker:
        if self.tracker is None:
            raise ValueError(
                "n_classes or classes must be given if the module has no ThresholdTracker. Pass "
                "OptimalThresholds(n_classes), or set self.tracker = ThresholdTracker(n_classes)."
            )
        return self.tracker

    def setup(self, trainer: Trainer, pl_module: LightningModule, stage: str) -> None:
        """Find the module's tracker, and check that the arguments agree with it."""
        del stage
        owned = tracker_of(pl_module, self._tracker_name)
        if owned is not None:
            check_arguments(self._given, owned)
            self.tracker, self._is_own = owned, False
        callbacks = [part for part in callbacks_of(trainer) if isinstance(part, OptimalThresholds)]
        if any(part is not self and part.tracker is self._tracker for part in callbacks):
            raise ValueError(
                "a ThresholdTracker must get its thresholds from one callback, got two "
                "OptimalThresholds for one tracker. Leave one out, or pass tracker= to each."
            )

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Check what the trainer monitors, and that the trained weights are the validated ones."""
        del pl_module
        self._check_modes(trainer)
        if self.scores_from == "training" and averaged_models(trainer):
            raise ValueError(
                'scores_from="training" takes scores of the weights that are trained, but with '
                "weight averaging others are validated, whose thresholds differ. Use "
                'scores_from="evaluation".'
            )

    def _check_modes(self, trainer: Trainer) -> None:
        """Warn of callbacks that look for the worst value of a metric of this callback."""
        is_maximised = self._tracker.objective.is_maximised
        right, wrong = ("max", "min") if is_maximised else ("min", "max")
        for part in callbacks_of(trainer):
            metric = getattr(part, "monitor", None) or ""
            if metric.startswith(self._metric("val", "")) and getattr(part, "mode", right) == wrong:
                better = "higher" if is_maximised else "lower"
                rank_zero_warn(
                    f"{type(part).__name__} monitors {metric!r}, of which a {better} value is "
                    f'better, with mode="{wrong}". Pass mode="{right}".'
                )

    def on_train_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Drop the rows of the previous epoch."""
        del pl_module
        loaders = flattened(trainer.train_dataloader)
        self._own_rows = OwnRows(loaders[0] if len(loaders) == 1 else None)
        self._tracker.reset()

    def on_train_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Collect what the training step returned, for ``scores_from="training"``."""
        del trainer, pl_module, batch, batch_idx
        self._n_trained += 1
        if self.scores_from == "training":
            rows = _returned(outputs)
            if rows is None:
                raise ValueError(
                    'scores_from="training" needs a training_step that returns a dictionary with '
                    f'"loss", "scores" and "labels", got {type(outputs).__name__}'
                    f'{_keys(outputs)}. Return them, or use scores_from="evaluation".'
                )
            self._tracker.update(*self._own_rows(rows))

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Find the thresholds, if there is no validation that could begin with it."""
        if not trainer.enable_validation:
            with evaluating(pl_module):
                self._find_thresholds(trainer, pl_module, is_over=True)
            self._log_training_value(pl_module)

    def on_validation_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Prepare to find thresholds, if this validation is part of a training."""
        del pl_module
        is_fitting = trainer.state.fn == TrainerFn.FITTING and not trainer.sanity_checking
        self._is_due = is_fitting
        self._start_judging(trainer, trainer.val_dataloaders, warn=not trainer.sanity_checking)

    def on_test_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Prepare to evaluate the test rows."""
        self._loss = deepcopy(loss_of(pl_module, self._tracker.n_classes))
        self._start_judging(trainer, trainer.test_dataloaders, warn=True)

    def on_validation_batch_start(
        self, trainer: Trainer, pl_module: LightningModule, batch: Any, batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None:  # fmt: skip
        """Find the thresholds before the first batch, when averaged weights are in the module."""
        del batch, dataloader_idx
        if self._is_due:
            self._is_due = False
            self._find_thresholds(trainer, pl_module, is_over=trainer.is_last_batch)
        if batch_idx == 0:  # the biases belong to these weights as well
            self._loss = deepcopy(loss_of(pl_module, self._tracker.n_classes))

    def on_validation_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any,
        batch_idx: int, dataloader_idx: int = 0,
    ) -> None:  # fmt: skip
        """Collect the scores of the validation rows."""
        del batch_idx
        if self._tracker.result is None:
            return
        rows = _returned(outputs)
        if rows is None:
            rows = score_converted(trainer, pl_module, self.score, batch)
        store, own_rows = self._judged[dataloader_idx]
        store.append(*own_rows(rows))

    on_test_batch_end = on_validation_batch_end

    def on_validation_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Log the value of each labeling on the validation rows."""
        self._log("val", trainer, pl_module)
        if trainer.state.fn == TrainerFn.FITTING and self._tracker.result is not None:
            self._log_training_value(pl_module)

    def on_test_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Log the value of each labeling on the test rows, by the thresholds of the training."""
        self._log("test", trainer, pl_module)

    def on_fit_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Warn if the weights have changed since the last search for thresholds.

        Thresholds of other weights than those averaged at the end are not used any more.
        """
        if self._weights is not None and self._weights != fingerprint(pl_module):
            if any(isinstance(part, StochasticWeightAveraging) for part in callbacks_of(trainer)):
                self._tracker._disown()
            rank_zero_warn(
                "the weights have changed since the thresholds were found: there was no validation "
                "after the last training steps, or weights were averaged at the end. The "
                "thresholds are not optimal for these weights; a checkpoint of the last validation "
                "has both. To find new ones, call tracker.update for each batch and "
                "tracker.compute()."
            )

    def state_dict(self) -> dict[str, Any]:
        """Return the thresholds, if the module has no tracker."""
        return {"tracker": self._tracker.state_dict()} if self._is_own else {}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore the thresholds from a checkpoint."""
        if self._is_own and "tracker" in state_dict:
            self._tracker.load_state_dict(state_dict["tracker"])

    def _find_thresholds(
        self, trainer: Trainer, pl_module: LightningModule, *, is_over: bool
    ) -> None:
        """Find the thresholds of the training rows for the weights as they are.

        ``is_over`` is whether the training loaders are at the end of an epoch.
        """
        broadcast_buffers(pl_module)
        if self.scores_from == "evaluation":
            if not is_over:
                self._check_workers(trainer)
            self._tracker.reset()
            score_training_rows(
                trainer,
                pl_module,
                self.score,
                self._tracker.update,
                loader=self.dataloader,
                n_trained=self._n_trained,
            )
        self._n_trained = 0
        with naming_epoch(trainer.current_epoch):
            result = self._tracker.compute()
        self._weights = fingerprint(pl_module)
        if not self._is_own:  # averaged weights are in the module now, and go back with theirs
            for averaged in averaged_models(trainer):
                other = tracker_of(averaged.module, self._tracker_name)
                if other is not None:
                    other.keep(result)

    def _check_workers(self, trainer: Trainer) -> None:
        loaders = flattened(trainer.train_dataloader)
        is_busy = any(getattr(loader, "persistent_workers", False) for loader in loaders)
        if self.dataloader is None and is_busy:
            raise ValueError(
                "a validation in the middle of an epoch cannot use a loader whose "
                "persistent_workers are still busy with the training. Pass dataloader=, or "
                "set persistent_workers=False."
            )

    def _start_judging(self, trainer: Trainer, loaders: Any, warn: bool) -> None:
        tracker = self._tracker
        self._judged = [
            (RowStore(tracker.coding), OwnRows(loader)) for loader in flattened(loaders)
        ]
        if warn and not self._is_due and tracker.result is None:
            stage = getattr(trainer.state.fn, "value", "fit")
            rank_zero_warn(
                "there are no thresholds, so nothing is logged by OptimalThresholds: trainer."
                f"{stage} uses those found in training and does not find any itself. Load a "
                "checkpoint with thresholds, or call trainer.fit first."
            )

    def _log(self, stage: str, trainer: Trainer, pl_module: LightningModule) -> None:
        """Evaluate the collected rows of all processes, and log the values."""
        if self._tracker.result is None:
            return
        for index, (store, _) in enumerate(self._judged):
            rows = store.gathered(pl_module.device)
            if len(rows.scores) == 0:
                continue
            try:
                values = self._tracker.compare(rows.scores, rows.labels, self._loss, rows.weights)
            except ValueError as error:
                if not bool(torch.isnan(rows.scores).any()):
                    raise
                raise ValueError(
                    f"{error} These are scores of {stage} rows in epoch {trainer.current_epoch}. "
                    "Training has probably diverged."
                ) from error
            for labeling, value in values.items():
                name = self._metric(stage, labeling)
                if index == 0:
                    self._log_value(name, value, pl_module)
                if len(self._judged) > 1:
                    self._log_value(f"{name}/dataloader_idx_{index}", value, pl_module)
        self._judged = []

    def _log_training_value(self, pl_module: LightningModule) -> None:
        assert self._tracker.result is not None
        self._log_value(self._metric("train", "optimal"), self._tracker.result.value, pl_module)

    def _log_value(self, name: str, value: float, pl_module: LightningModule) -> None:
        # In float64, so that the value is logged without rounding. It is the same in all processes.
        dtype = torch.float64 if has_float64(pl_module.device) else torch.float32
        logged = torch.tensor(value, dtype=dtype, device=pl_module.device)
        pl_module.log(name, logged, reduce_fx="max", sync_dist=True, add_dataloader_idx=False)


def check_arguments(given: Mapping[str, Any], tracker: ThresholdTracker) -> None:
    """Raise an error for an argument that contradicts the module's own tracker."""
    for name, value in given.items():
        own = getattr(tracker, name)
        if name == "objective":
            resolved = resolve_objective(value, tracker.classes)
            is_same, value, own = digest(resolved) == digest(own), resolved.name, own.name
        elif name == "classes":
            is_same = np.array_equal(value, own)
        else:
            is_same = value is own or str(value) == str(own)
        if not is_same:
            raise ValueError(
                f"{name} must agree with the module's ThresholdTracker, which has {own!r}, got "
                f"{value!r}. Leave it out here, or change the tracker."
            )


def _returned(outputs: Any) -> tuple[Tensor, ...] | None:
    """Return the scores, labels and weights that a step returned, if any."""
    if isinstance(outputs, Mapping) and "scores" in outputs and "labels" in outputs:
        weights = [outputs[WEIGHT_KEY]] if WEIGHT_KEY in outputs else []
        return (outputs["scores"], outputs["labels"], *weights)
    return None


def _keys(outputs: Any) -> str:
    return f" with {sorted(outputs)}" if isinstance(outputs, Mapping) else ""
