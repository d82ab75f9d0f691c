"""What the losses share: the usual ``(input, target)``, class weights, and the reduction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import torch
from torch import Tensor, nn

from ordcut.errors import unknown_name
from ordcut.torch.biases import at_least_float32

Reduction: TypeAlias = Literal["mean", "sum", "none"]

REDUCTIONS = ("mean", "sum", "none")


class OrdinalLoss(nn.Module):
    """A loss of one score a row, ``loss(input, target)``, for targets 0..K-1.

    Whatever the precision of the input, the loss is computed in float32 at least. The mean is the
    weighted one, as in ``torch.nn.CrossEntropyLoss``.

    Parameters
    ----------
    n_classes : int, optional
        The number of classes, K, where the loss needs to know.
    weight : tensor or sequence of shape (n_classes,), optional
        How much the rows of each class count.
    reduction : {"mean", "sum", "none"}
        What is returned: the weighted mean, the weighted sum, or a loss for each row.
    """

    weight: Tensor | None

    def __init__(
        self,
        n_classes: int | None,
        weight: Tensor | Sequence[float] | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__()
        if reduction not in REDUCTIONS:
            raise unknown_name("reduction", reduction, REDUCTIONS)
        self.n_classes = n_classes
        self.reduction = reduction
        if weight is not None:
            weight = torch.as_tensor(weight, dtype=torch.get_default_dtype())
            self._check_weight(weight)
        self.register_buffer("weight", weight)

    def _check_weight(self, weight: Tensor) -> None:
        if weight.dim() != 1 or self.n_classes not in (None, len(weight)):
            must = "one number for each class"
            if self.n_classes is not None:
                must = f"one number for each of the {self.n_classes} classes"
            raise ValueError(f"weight must hold {must}, got shape {tuple(weight.shape)}.")
        if not bool((torch.isfinite(weight) & (weight >= 0)).all()):
            raise ValueError(f"weight must be finite and not negative, got {weight.tolist()}.")

    def losses(self, scores: Tensor, target: Tensor) -> Tensor:
        """Return the loss of each row, without weights; what a kind of loss has to define."""
        raise NotImplementedError

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of scores for the classes that are true.

        Parameters
        ----------
        input : tensor of shape (n_samples,)
            One score a row; higher means a higher class.
        target : integer tensor of shape (n_samples,)
            The true classes, 0..K-1.
        """
        n_classes = self.n_classes if self.weight is None else len(self.weight)
        check_rows(input, target, n_classes)
        found = self.losses(at_least_float32(input), target.long())
        if self.weight is None:
            return _reduced(found, self.reduction)
        weights = at_least_float32(self.weight).index_select(0, target.long())
        total = _reduced(found * weights, "sum" if self.reduction == "mean" else self.reduction)
        return total / weights.sum() if self.reduction == "mean" else total

    def extra_repr(self) -> str:
        """Return what ``repr`` shows."""
        shown = [] if self.n_classes is None else [str(self.n_classes)]
        return ", ".join([*shown, f"reduction={self.reduction!r}"])


class AbsoluteLoss(OrdinalLoss):
    """The distance ``|target - input|``: scores that estimate the class itself.

    Parameters
    ----------
    weight : tensor or sequence of shape (n_classes,), optional
        How much the rows of each class count.
    reduction : {"mean", "sum", "none"}
        What is returned: the weighted mean, the weighted sum, or a loss for each row.

    Examples
    --------
    >>> import torch
    >>> from ordcut.torch import AbsoluteLoss
    >>> AbsoluteLoss()(torch.tensor([0.5, 2.0]), torch.tensor([0, 1]))
    tensor(0.7500)
    """

    def __init__(
        self, weight: Tensor | Sequence[float] | None = None, reduction: Reduction = "mean"
    ) -> None:
        super().__init__(None, weight, reduction)

    def losses(self, scores: Tensor, target: Tensor) -> Tensor:
        """Return the distance of each score to its class."""
        return (scores - target).abs()


def check_rows(
    scores: Tensor,
    target: Tensor,
    n_classes: int | None,
    names: tuple[str, str] = ("input", "target"),
) -> None:
    """Raise an error unless there is one score and one class a row; ``names`` are the arguments'.

    The range of classes is checked on the CPU only: elsewhere one would have to wait for the
    device, which stops by itself at a class that is out of range.
    """
    of_scores, of_target = names
    if scores.dim() != 1:
        hint = f" Pass {of_scores}.squeeze(1)." if scores.shape[1:] == (1,) else ""
        raise ValueError(f"{of_scores} must be of shape (n,), got {tuple(scores.shape)}.{hint}")
    if not scores.is_floating_point():
        raise TypeError(f"{of_scores} must be floats, got {scores.dtype}.")
    if target.shape != scores.shape:
        raise ValueError(
            f"{of_target} must hold one class for each of the {len(scores)} scores, "
            f"got shape {tuple(target.shape)}."
        )
    if target.is_floating_point() or target.dtype == torch.bool:
        raise TypeError(
            f"{of_target} must be whole numbers, the classes from 0, got {target.dtype}."
        )
    if target.device.type == "cpu" and len(target):
        low, high = (int(value) for value in target.aminmax())
        if low < 0 or (n_classes is not None and high >= n_classes):
            most = "" if n_classes is None else f" to {n_classes - 1}"
            raise ValueError(
                f"{of_target} must be classes from 0{most}, got {low if low < 0 else high}."
            )


def _reduced(losses: Tensor, reduction: str) -> Tensor:
    if reduction == "none":
        return losses
    return losses.mean() if reduction == "mean" else losses.sum()
