"""Losses of margins between a score and the biases next to its class, or all biases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

import torch
from torch import Tensor
from torch.nn import functional

from ordcut._core.errors import unknown_name
from ordcut.torch.biases import BiasesLike
from ordcut.torch.coding import Classes
from ordcut.torch.links import pick
from ordcut.torch.losses import BiasedLoss, Reduction

SurrogateName: TypeAlias = Literal["logistic", "hinge", "squared_hinge", "smooth_hinge"]


def _smooth_hinge(margin: Tensor) -> Tensor:
    short = torch.clamp(1 - margin, min=0.0)
    return torch.where(margin > 0, 0.5 * short * short, 0.5 - margin)


#: The loss of a margin, by name; a margin below 0 is on the wrong side.
SURROGATES: dict[str, Callable[[Tensor], Tensor]] = {
    "logistic": lambda margin: functional.softplus(-margin),
    "hinge": lambda margin: torch.relu(1 - margin),
    "squared_hinge": lambda margin: torch.relu(1 - margin) ** 2,
    "smooth_hinge": _smooth_hinge,
}


class MarginLoss(BiasedLoss):
    """The base class of losses of margins, with a surrogate and biases."""

    def __init__(
        self,
        n_classes: int | None = None,
        surrogate: SurrogateName = "logistic",
        biases: BiasesLike = "ordered",
        weight: Tensor | Sequence[float] | None = None,
        reduction: Reduction = "mean",
        ignore_index: int | None = None,
        *,
        classes: Classes | None = None,
    ) -> None:
        super().__init__(n_classes, biases, weight, reduction, ignore_index, classes)
        if surrogate not in SURROGATES:
            raise unknown_name("surrogate", surrogate, SURROGATES)
        self.surrogate = surrogate

    def extra_repr(self) -> str:
        """Return the arguments for ``repr``."""
        return f"{super().extra_repr()}, surrogate={self.surrogate!r}"


class AllThresholdLoss(MarginLoss):
    """A surrogate of ``a - b_k`` for every bias below the class and ``b_k - a`` for those above.

    With the logistic surrogate this is the loss of CORAL.

    Parameters
    ----------
    n_classes : int
        The number of classes, K.
    surrogate : {"logistic", "hinge", "squared_hinge", "smooth_hinge"}
        The loss of a margin.
    biases : {"ordered", "free", "ordered_from_zero"} or module
        Whether the biases must ascend, and whether the first bias stays at 0; or the biases of
        another loss, to share them.
    weight, reduction, ignore_index, classes
        As in :class:`AbsoluteLoss`.

    Attributes
    ----------
    biases : module
        Returns the biases, (K - 1,), when it is called; pass its parameters to the optimiser.

    Examples
    --------
    >>> import torch
    >>> from ordcut.torch import AllThresholdLoss
    >>> loss = AllThresholdLoss(n_classes=3, surrogate="hinge")
    >>> loss(torch.tensor([-1.0, 0.5]), torch.tensor([0, 2])).item()
    1.0
    """

    def losses(self, scores: Tensor, target: Tensor) -> Tensor:
        """Return the sum of each row's losses over all biases."""
        biases = self.biases()
        indices = torch.arange(len(biases), device=target.device)
        side = torch.where(target[..., None] > indices, 1.0, -1.0).to(scores.dtype)
        return SURROGATES[self.surrogate](side * (scores[..., None] - biases)).sum(dim=-1)


class ImmediateThresholdLoss(MarginLoss):
    """A surrogate of ``a - b_{y-1}`` and ``b_y - a``: the two biases that enclose the class.

    Parameters
    ----------
    n_classes : int
        The number of classes, K.
    surrogate : {"logistic", "hinge", "squared_hinge", "smooth_hinge"}
        The loss of a margin.
    biases : {"ordered", "free", "ordered_from_zero"} or module
        Whether the biases must ascend, and whether the first bias stays at 0; or the biases of
        another loss, to share them.
    weight, reduction, ignore_index, classes
        As in :class:`AbsoluteLoss`.

    Attributes
    ----------
    biases : module
        Returns the biases, (K - 1,), when it is called; pass its parameters to the optimiser.

    Examples
    --------
    >>> import torch
    >>> from ordcut.torch import ImmediateThresholdLoss
    >>> loss = ImmediateThresholdLoss(n_classes=3, surrogate="hinge", biases="free")
    >>> loss(torch.tensor([-1.0, 0.5]), torch.tensor([0, 2])).item()
    0.75
    """

    def losses(self, scores: Tensor, target: Tensor) -> Tensor:
        """Return the sum of each row's losses over the biases next to its class."""
        biases, surrogate = self.biases(), SURROGATES[self.surrogate]
        last = len(biases)
        lower = scores - pick(biases, (target - 1).clamp(min=0))
        upper = pick(biases, target.clamp(max=last - 1)) - scores
        nothing = torch.zeros_like(lower)
        loss_below = torch.where(target > 0, surrogate(lower), nothing)
        return loss_below + torch.where(target < last, surrogate(upper), nothing)
