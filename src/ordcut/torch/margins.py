"""Losses of the margins between a score and the biases: all-threshold and immediate-threshold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

import torch
from torch import Tensor
from torch.nn import functional

from ordcut.errors import unknown_name
from ordcut.torch.biases import BiasesLike, make_biases
from ordcut.torch.losses import OrdinalLoss, Reduction

SurrogateName: TypeAlias = Literal["logistic", "hinge", "squared_hinge", "smooth_hinge"]


def _smooth_hinge(margin: Tensor) -> Tensor:
    short = torch.clamp(1 - margin, min=0.0)
    return torch.where(margin > 0, 0.5 * short * short, 0.5 - margin)


#: What a margin costs, by name; a margin below 0 is on the wrong side.
SURROGATES: dict[str, Callable[[Tensor], Tensor]] = {
    "logistic": lambda margin: functional.softplus(-margin),
    "hinge": lambda margin: torch.relu(1 - margin),
    "squared_hinge": lambda margin: torch.relu(1 - margin) ** 2,
    "smooth_hinge": _smooth_hinge,
}


class MarginLoss(OrdinalLoss):
    """What the losses of margins have in common: a surrogate and biases."""

    def __init__(
        self,
        n_classes: int,
        surrogate: SurrogateName = "logistic",
        biases: BiasesLike = "ordered",
        weight: Tensor | Sequence[float] | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(n_classes, weight, reduction)
        if surrogate not in SURROGATES:
            raise unknown_name("surrogate", surrogate, SURROGATES)
        self.surrogate = surrogate
        self.biases = make_biases(biases, n_classes)

    def extra_repr(self) -> str:
        """Return what ``repr`` shows."""
        return f"{super().extra_repr()}, surrogate={self.surrogate!r}"


class AllThresholdLoss(MarginLoss):
    """A surrogate of ``a - b_k`` for every bias below the class and ``b_k - a`` for those above.

    With the logistic surrogate this is the loss of CORAL.

    Parameters
    ----------
    n_classes : int
        The number of classes, K.
    surrogate : {"logistic", "hinge", "squared_hinge", "smooth_hinge"}
        What a margin costs.
    biases : {"ordered", "free"} or Biases
        Whether the biases must ascend.
    weight : tensor or sequence of shape (n_classes,), optional
        How much the rows of each class count.
    reduction : {"mean", "sum", "none"}
        What is returned: the weighted mean, the weighted sum, or a loss for each row.

    Attributes
    ----------
    biases : Biases
        The module that holds the biases; its parameters are to be learned, too.

    Examples
    --------
    >>> import torch
    >>> from ordcut.torch import AllThresholdLoss
    >>> loss = AllThresholdLoss(n_classes=3, surrogate="hinge")
    >>> loss(torch.tensor([-1.0, 0.5]), torch.tensor([0, 2])).item()
    1.0
    """

    def losses(self, scores: Tensor, target: Tensor) -> Tensor:
        """Return what each row pays for all biases."""
        biases = self.biases()
        numbers = torch.arange(len(biases), device=target.device)
        side = torch.where(target[:, None] > numbers, 1.0, -1.0).to(scores.dtype)
        return SURROGATES[self.surrogate](side * (scores[:, None] - biases)).sum(dim=1)


class ImmediateThresholdLoss(MarginLoss):
    """A surrogate of ``a - b_{y-1}`` and ``b_y - a``: the two biases that enclose the class.

    Parameters
    ----------
    n_classes : int
        The number of classes, K.
    surrogate : {"logistic", "hinge", "squared_hinge", "smooth_hinge"}
        What a margin costs.
    biases : {"ordered", "free"} or Biases
        Whether the biases must ascend.
    weight : tensor or sequence of shape (n_classes,), optional
        How much the rows of each class count.
    reduction : {"mean", "sum", "none"}
        What is returned: the weighted mean, the weighted sum, or a loss for each row.

    Attributes
    ----------
    biases : Biases
        The module that holds the biases; its parameters are to be learned, too.

    Examples
    --------
    >>> import torch
    >>> from ordcut.torch import ImmediateThresholdLoss
    >>> loss = ImmediateThresholdLoss(n_classes=3, surrogate="hinge", biases="free")
    >>> loss(torch.tensor([-1.0, 0.5]), torch.tensor([0, 2])).item()
    0.75
    """

    def losses(self, scores: Tensor, target: Tensor) -> Tensor:
        """Return what each row pays for the biases next to its class."""
        biases, surrogate = self.biases(), SURROGATES[self.surrogate]
        last = len(biases)
        lower = scores - biases.index_select(0, (target - 1).clamp(min=0))
        upper = biases.index_select(0, target.clamp(max=last - 1)) - scores
        nothing = torch.zeros_like(scores)
        paid_below = torch.where(target > 0, surrogate(lower), nothing)
        return paid_below + torch.where(target < last, surrogate(upper), nothing)
