"""Thresholds in a training loop: collect scores, solve once per epoch, store the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from ordcut.data import ClassWeight
from ordcut.metrics import evaluate
from ordcut.objectives import ObjectiveLike, resolve_objective
from ordcut.thresholds import Thresholds
from ordcut.torch.biases import check_n_classes
from ordcut.torch.gathering import gather_rows
from ordcut.torch.labelings import every_labeling, threshold_labels
from ordcut.torch.losses import check_rows
from ordcut.torch.optimal import Method, optimal_thresholds
from ordcut.torch.tensors import has_float64, on_host


class ThresholdTracker(nn.Module):
    """Collects scores batch by batch, finds the optimal thresholds, and labels with them.

    The thresholds are a buffer, so that ``state_dict`` and checkpoints contain them; they stay in
    float64 when the module is cast to another dtype. In a training with several processes,
    ``compute`` gathers the rows of all of them, and finds the same thresholds in each.

    Parameters
    ----------
    n_classes : int
        The number of classes, K; labels are 0..K-1.
    objective : str, array-like of shape (K, K), callable, Kappa or Objective
        What labels are judged by, as in :func:`ordcut.optimal_thresholds`.
    class_weight : "balanced", dict or array-like of shape (n_classes,), optional
        How much the rows of each class count.
    method : str
        The solver, as in :func:`ordcut.torch.optimal_thresholds`.

    Attributes
    ----------
    thresholds : float64 tensor of shape (n_classes - 1,)
        The thresholds found last; NaN before the first are found.
    found : Thresholds or None
        The result that the thresholds are from, with its value and certificate.

    Examples
    --------
    >>> import torch
    >>> from ordcut.torch import ThresholdTracker
    >>> tracker = ThresholdTracker(n_classes=3)
    >>> tracker.update(torch.tensor([0.1, 0.9]), torch.tensor([0, 2]))
    >>> tracker.update(torch.tensor([0.4, 0.5]), torch.tensor([0, 1]))
    >>> tracker.compute()
    Thresholds([0.45, 0.7], classes=[0, 1, 2], absolute=0, method='nested')
    >>> tracker(torch.tensor([0.3, 0.6]))
    tensor([0, 1])
    >>> tracker.state_dict()["thresholds"]
    tensor([0.4500, 0.7000], dtype=torch.float64)
    """

    thresholds: Tensor

    def __init__(
        self,
        n_classes: int,
        objective: ObjectiveLike = "absolute",
        *,
        class_weight: ClassWeight | None = None,
        method: Method = "auto",
    ) -> None:
        super().__init__()
        check_n_classes(n_classes)
        self.n_classes = int(n_classes)
        self.objective = resolve_objective(objective, self.n_classes)
        self.class_weight = class_weight
        self.method = method
        self.found: Thresholds | None = None
        empty = torch.full((self.n_classes - 1,), torch.nan, dtype=torch.float64)
        self.register_buffer("thresholds", empty)
        self._scores: list[Tensor] = []
        self._labels: list[Tensor] = []

    def update(self, scores: Tensor, labels: Tensor) -> None:
        """Store the scores and labels of a batch, without computing anything or waiting.

        Parameters
        ----------
        scores : tensor of shape (n_samples,)
            One score per row, of any floating-point dtype, on any device.
        labels : integer tensor of shape (n_samples,)
            The true classes, 0..K-1.
        """
        check_rows(scores, labels, self.n_classes, names=("scores", "labels"))
        self._scores.append(scores.detach().clone())
        self._labels.append(labels.detach().to(scores.device, torch.int64, copy=True))

    def rows(self, n_samples: int | None = None) -> tuple[Tensor, Tensor]:
        """Return the scores and labels collected since ``reset``, those of all processes.

        In a distributed training, every process must call it; otherwise those that do would wait
        forever.

        Parameters
        ----------
        n_samples : int, optional
            The number of rows in the data set. A ``DistributedSampler`` repeats rows to give all
            processes the same number; the repeats beyond ``n_samples`` are left out.
        """
        device = self._scores[0].device if self._scores else self.thresholds.device
        scores = torch.cat(self._scores) if self._scores else torch.empty(0, device=device)
        none = torch.empty(0, dtype=torch.int64, device=device)
        labels = torch.cat(self._labels) if self._labels else none
        scores, labels = gather_rows(scores, labels)
        return scores[:n_samples], labels[:n_samples]

    def compute(self, n_samples: int | None = None) -> Thresholds:
        """Find the optimal thresholds for all rows since ``reset``, and store them.

        Parameters
        ----------
        n_samples : int, optional
            The number of rows in the data set; see ``rows``. With it, the thresholds are the same
            for any number of processes.

        Returns
        -------
        Thresholds
            The thresholds, their value, and why they are optimal.
        """
        scores, labels = self.rows(n_samples)
        if len(scores) == 0:
            raise RuntimeError(
                "there are no scores to find thresholds for. Call update(scores, labels) for "
                "each batch before compute()."
            )
        self.keep(
            optimal_thresholds(
                scores,
                labels,
                objective=self.objective,
                classes=range(self.n_classes),
                class_weight=self.class_weight,
                method=self.method,
            )
        )
        assert self.found is not None
        return self.found

    def keep(self, thresholds: Thresholds) -> None:
        """Store thresholds that were found elsewhere as those of this tracker."""
        self.found = thresholds
        self.thresholds.copy_(torch.tensor(thresholds.thresholds))

    def reset(self) -> None:
        """Drop the rows; the thresholds stay."""
        self._scores.clear()
        self._labels.clear()

    def forward(self, scores: Tensor) -> Tensor:
        """Return the class of each score, 0..K-1, by the thresholds found last."""
        self._require_thresholds()
        return threshold_labels(scores, self.thresholds)

    def _require_thresholds(self) -> None:
        if self.found is None:
            raise RuntimeError("there are no thresholds yet. Call compute(), or load some.")

    def judge(self, labels: Tensor, predicted: Tensor) -> float:
        """Return the mean loss, or the kappa, of predicted classes, by the tracker's objective.

        Examples
        --------
        >>> import torch
        >>> from ordcut.torch import ThresholdTracker
        >>> ThresholdTracker(3).judge(torch.tensor([0, 1, 2, 2]), torch.tensor([0, 1, 1, 2]))
        0.25
        """
        return evaluate(
            on_host(labels),
            on_host(predicted),
            self.objective,
            classes=range(self.n_classes),
            class_weight=self.class_weight,
        )

    def compare(
        self, scores: Tensor, labels: Tensor, loss: nn.Module | None = None
    ) -> dict[str, float]:
        """Return the value of each labeling that the paper compares, by the tracker's objective.

        Parameters
        ----------
        scores : tensor of shape (n_samples,)
            One score per row.
        labels : integer tensor of shape (n_samples,)
            The true classes, 0..K-1.
        loss : module, optional
            The loss that the scores were learned by, for the labelings that use its biases.

        Examples
        --------
        >>> import torch
        >>> from ordcut.torch import CumulativeLinkLoss, ThresholdTracker
        >>> tracker = ThresholdTracker(n_classes=3)
        >>> scores, labels = torch.tensor([0.1, 0.4, 0.5, 0.9]), torch.tensor([0, 0, 1, 2])
        >>> tracker.update(scores, labels)
        >>> _ = tracker.compute()
        >>> tracker.compare(scores, labels, CumulativeLinkLoss(n_classes=3))
        {'optimal': 0.0, 'biases': 0.75, 'likelihood': 0.75, 'rounding': 0.25}
        """
        self._require_thresholds()
        labelings = every_labeling(scores, self.thresholds, loss, self.objective)
        return {name: self.judge(labels, found) for name, found in labelings.items()}

    def extra_repr(self) -> str:
        """Return the arguments for ``repr``."""
        return f"{self.n_classes}, objective={self.objective.name!r}"

    def get_extra_state(self) -> dict[str, str]:
        """Return what ``state_dict`` contains besides the buffer: the whole result, as JSON."""
        return {} if self.found is None else {"found": self.found.to_json()}

    def set_extra_state(self, state: Any) -> None:
        """Restore the result from a ``state_dict``."""
        text = state.get("found")
        found = None if text is None else Thresholds.from_json(text)
        if found is not None and found.thresholds.tolist() != self.thresholds.tolist():
            raise ValueError(
                "thresholds in a state_dict must equal those of the result stored with them, got "
                f"{self.thresholds.tolist()} and {found.thresholds.tolist()}. "
                "The state_dict is damaged."
            )
        self.found = found

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> ThresholdTracker:
        """Move to another device, but keep float64: rounding would move the thresholds."""
        kept = self.thresholds
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        device = self.thresholds.device
        if kept.is_meta:  # which has no values
            kept = torch.full(kept.shape, torch.nan, dtype=torch.float64)
        self.thresholds = kept.to(device) if has_float64(device) else kept.cpu()
        return self
