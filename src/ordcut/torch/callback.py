"""Optimal thresholds at every epoch of a Lightning training."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeAlias

import torch
from torch import Tensor
from torch.utils.data.distributed import DistributedSampler

try:
    from lightning.pytorch import LightningModule, Trainer
    from lightning.pytorch.callbacks import Callback
    from lightning.pytorch.trainer.states import TrainerFn
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "OptimalThresholds needs lightning, which is not installed. "
        'Install it with: pip install "ordcut[lightning]".',
        name="lightning",
    ) from error

from ordcut.data import ClassWeight
from ordcut.errors import unknown_name
from ordcut.objectives import ObjectiveLike
from ordcut.torch.losses import OrdinalLoss
from ordcut.torch.tensors import has_float64
from ordcut.torch.tracker import ThresholdTracker

#: A function of a module and a batch that returns the scores and labels of its rows.
ScoreFunction: TypeAlias = Callable[[LightningModule, Any], tuple[Tensor, Tensor]]

SCORE_SOURCES = ("evaluation", "training")


class OptimalThresholds(Callback):
    """Finds the optimal thresholds before each validation, and logs the value of each labeling.

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
    objective : str, array-like of shape (K, K), callable, Kappa or Objective
        What labels are judged by. Not needed if the module has a tracker.
    scores_from : {"evaluation", "training"}
        Where the scores of the training rows come from: a separate pass over the training data
        before each validation, as in the paper, or what ``training_step`` returned, which costs
        nothing.
    dataloader : iterable, optional
        The batches of the evaluation pass, if not those of the training data; for instance the
        same images without random crops.
    score : callable, optional
        A function of the module and a batch that returns scores and labels. By default a batch
        is a pair of inputs and labels, and the module, called with the inputs, returns the scores.
    class_weight : "balanced", dict or array-like of shape (n_classes,), optional
        How much the rows of each class count. Not needed if the module has a tracker.

    Notes
    -----
    Where a step returns a dictionary with ``"scores"`` and ``"labels"``, these are used;
    ``scores_from="training"`` needs a ``training_step`` that does. Of several validation loaders,
    only the first is used.

    Examples
    --------
    >>> from ordcut.torch import OptimalThresholds
    >>> OptimalThresholds(n_classes=5, objective="quadratic_kappa").monitored
    'val_quadratic_kappa_optimal'
    """

    def __init__(
        self,
        n_classes: int | None = None,
        objective: ObjectiveLike = "absolute",
        *,
        scores_from: Literal["evaluation", "training"] = "evaluation",
        dataloader: Iterable[Any] | None = None,
        score: ScoreFunction | None = None,
        class_weight: ClassWeight | None = None,
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
        self.score = score_pairs if score is None else score
        self.tracker: ThresholdTracker | None = None
        if n_classes is not None:
            self.tracker = ThresholdTracker(n_classes, objective, class_weight=class_weight)
        self._is_own = self.tracker is not None
        self._judged: ThresholdTracker | None = None

    @property
    def monitored(self) -> str:
        """The name under which the value of the optimal thresholds is logged in validation."""
        return f"val_{self._objective}_optimal"

    @property
    def _objective(self) -> str:
        objective = self._tracker.objective
        if objective.name.isidentifier():
            return objective.name
        return "kappa" if objective.is_kappa else "cost"

    @property
    def _tracker(self) -> ThresholdTracker:
        if self.tracker is None:
            raise ValueError(
                "n_classes must be given if the module has no ThresholdTracker. Pass "
                "OptimalThresholds(n_classes), or set self.tracker = ThresholdTracker(n_classes)."
            )
        return self.tracker

    def setup(self, trainer: Trainer, pl_module: LightningModule, stage: str) -> None:
        """Find the module's tracker, and make one that collects the rows to be judged."""
        del trainer, stage
        owned = [part for part in pl_module.modules() if isinstance(part, ThresholdTracker)]
        if owned:
            self.tracker, self._is_own = owned[0], False
        self._judged = ThresholdTracker(self._tracker.n_classes)

    def on_train_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Drop the rows of the previous epoch."""
        del trainer, pl_module
        self._tracker.reset()

    def on_train_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Collect what the training step returned, for ``scores_from="training"``."""
        del trainer, pl_module, batch, batch_idx
        if self.scores_from == "training":
            found = _returned(outputs)
            if found is None:
                raise ValueError(
                    'scores_from="training" needs a training_step that returns a dictionary with '
                    f'"loss", "scores" and "labels", got {type(outputs).__name__}'
                    f'{_keys(outputs)}. Return them, or use scores_from="evaluation".'
                )
            self._tracker.update(*found)

    def on_validation_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Find the thresholds, if this validation is part of a training."""
        if trainer.sanity_checking or trainer.state.fn != TrainerFn.FITTING:
            return
        loader: Any = trainer.train_dataloader
        if self.scores_from == "evaluation":
            loader = loader if self.dataloader is None else self.dataloader
            if not trainer.is_last_batch and getattr(loader, "persistent_workers", False):
                raise ValueError(
                    "a validation in the middle of an epoch cannot use a loader whose "
                    "persistent_workers are still busy with the training. Pass dataloader=, or "
                    "set persistent_workers=False."
                )
            self._tracker.reset()
            for batch in loader:
                batch = trainer.strategy.batch_to_device(batch)
                self._tracker.update(*self._score(trainer, pl_module, batch))
        self._tracker.compute(_n_samples(loader))

    def on_validation_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any,
        batch_idx: int, dataloader_idx: int = 0,
    ) -> None:  # fmt: skip
        """Collect the scores of the validation rows."""
        del batch_idx
        self._collect(trainer, pl_module, outputs, batch, dataloader_idx)

    on_test_batch_end = on_validation_batch_end

    def on_validation_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Log the value of each labeling on the validation rows."""
        self._log("val", pl_module, trainer.val_dataloaders)
        if trainer.state.fn == TrainerFn.FITTING and self._tracker.found is not None:
            self._log_value("train", "optimal", self._tracker.found.value, pl_module)

    def on_test_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Log the value of each labeling on the test rows, by the thresholds found in training."""
        self._log("test", pl_module, trainer.test_dataloaders)

    def state_dict(self) -> dict[str, Any]:
        """Return the thresholds, if the module has no tracker."""
        return {"tracker": self._tracker.state_dict()} if self._is_own else {}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore the thresholds from a checkpoint."""
        if self._is_own and "tracker" in state_dict:
            self._tracker.load_state_dict(state_dict["tracker"])

    def _score(
        self, trainer: Trainer, pl_module: LightningModule, batch: Any
    ) -> tuple[Tensor, Tensor]:
        with torch.no_grad(), trainer.precision_plugin.forward_context():
            return self.score(pl_module, batch)

    def _collect(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any, loader: int
    ) -> None:
        if self._tracker.found is None or loader != 0:
            return
        assert self._judged is not None
        found = _returned(outputs)
        self._judged.update(*(self._score(trainer, pl_module, batch) if found is None else found))

    def _log(self, stage: str, pl_module: LightningModule, loaders: Any) -> None:
        """Judge the collected rows, those of all processes, and log the values."""
        if self._tracker.found is None:
            return
        assert self._judged is not None
        loader = loaders[0] if isinstance(loaders, list | tuple) else loaders
        scores, labels = self._judged.rows(_n_samples(loader))
        self._judged.reset()
        for labeling, value in self._tracker.compare(scores, labels, _loss_of(pl_module)).items():
            self._log_value(stage, labeling, value, pl_module)

    def _log_value(
        self, stage: str, labeling: str, value: float, pl_module: LightningModule
    ) -> None:
        # In float64, so that the value is logged without rounding. It is the same in all processes.
        dtype = torch.float64 if has_float64(pl_module.device) else torch.float32
        logged = torch.tensor(value, dtype=dtype, device=pl_module.device)
        name = f"{stage}_{self._objective}_{labeling}"
        pl_module.log(name, logged, reduce_fx="max", sync_dist=True)


def score_pairs(module: LightningModule, batch: Any) -> tuple[Tensor, Tensor]:
    """Return the scores and labels of a batch that is a pair of inputs and labels."""
    if not isinstance(batch, tuple | list) or len(batch) != 2:
        raise TypeError(
            f"a batch must be a pair of inputs and labels, got {type(batch).__name__}. Pass "
            "OptimalThresholds(score=...) with a function of the module and a batch that returns "
            "scores and labels."
        )
    inputs, labels = batch
    return module(inputs), labels


def _returned(outputs: Any) -> tuple[Tensor, Tensor] | None:
    """Return the scores and labels that a step returned, if it did."""
    if isinstance(outputs, Mapping) and "scores" in outputs and "labels" in outputs:
        return outputs["scores"], outputs["labels"]
    return None


def _keys(outputs: Any) -> str:
    return f" with {sorted(outputs)}" if isinstance(outputs, Mapping) else ""


def _loss_of(module: LightningModule) -> OrdinalLoss | None:
    """Return the first loss in a module that has biases."""
    losses = (part for part in module.modules() if isinstance(part, OrdinalLoss))
    return next((loss for loss in losses if hasattr(loss, "biases")), None)


def _n_samples(loader: Any) -> int | None:
    """Return the number of rows in a data set, if its sampler may repeat some."""
    sampler = getattr(loader, "sampler", None)
    return len(sampler.dataset) if isinstance(sampler, DistributedSampler) else None  # type: ignore[arg-type]
