"""Losses that learn one score per row: a likelihood, margins to the biases, and a distance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

import torch
from torch import Tensor, nn
from torch.nn import functional

from ordcut.errors import unknown_name
from ordcut.torch.biases import BiasesLike, at_least_float32, make_biases
from ordcut.torch.links import LinkName, check_link, class_probabilities, log_probabilities

Reduction: TypeAlias = Literal["mean", "sum", "none"]

REDUCTIONS = ("mean", "sum", "none")

SurrogateName: TypeAlias = Literal["logistic", "hinge", "squared_hinge", "smooth_hinge"]


class OrdinalLoss(nn.Module):
    """A loss of one score per row, ``loss(input, target)``, for targets 0..K-1.

    Whatever the dtype of the input, the loss is computed in float32 at least. The mean is the
    weighted one, as in ``torch.nn.CrossEntropyLoss``.

    Parameters
    ----------
    n_classes : int, optional
        The number of classes, K, for losses that depend on it.
    weight : tensor or sequence of shape (n_classes,), optional
        How much the rows of each class count.
    reduction : {"mean", "sum", "none"}
        What is returned: the weighted mean, the weighted sum, or the loss of each row.
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
        """Return the loss of each row, without weights; subclasses define it."""
        raise NotImplementedError

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of scores, given the true classes.

        Parameters
        ----------
        input : tensor of shape (n_samples,)
            One score per row; higher means a higher class.
        target : integer tensor of shape (n_samples,)
            The true classes, 0..K-1.
        """
        n_classes = self.n_classes if self.weight is None else len(self.weight)
        check_rows(input, target, n_classes)
        found = self.losses(at_least_float32(input), target.long())
        if self.weight is None:
            return _reduce(found, self.reduction)
        weights = at_least_float32(self.weight).index_select(0, target.long())
        total = _reduce(found * weights, "sum" if self.reduction == "mean" else self.reduction)
        return total / weights.sum() if self.reduction == "mean" else total

    def extra_repr(self) -> str:
        """Return the arguments for ``repr``."""
        shown = [] if self.n_classes is None else [str(self.n_classes)]
        return ", ".join([*shown, f"reduction={self.reduction!r}"])


class AbsoluteLoss(OrdinalLoss):
    """The distance ``|target - input|``: scores that estimate the class itself.

    Parameters
    ----------
    weight : tensor or sequence of shape (n_classes,), optional
        How much the rows of each class count.
    reduction : {"mean", "sum", "none"}
        What is returned: the weighted mean, the weighted sum, or the loss of each row.

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


class CumulativeLinkLoss(OrdinalLoss):
    """The negative log-likelihood of a cumulative model, such as ordinal logistic regression.

    A row of score ``a`` has a class of at most ``k`` with the probability ``F(b_k - a)``. The
    biases ``b`` are parameters of the loss: pass ``loss.parameters()`` to the optimiser as well.

    Parameters
    ----------
    n_classes : int
        The number of classes, K.
    link : {"logit", "probit", "cloglog", "loglog", "cauchit"}
        The distribution ``F``.
    biases : {"ordered", "free"} or Biases
        Ordered biases never cross. Free ones can; where a gap is below 0.001, the loss rises
        linearly as the gap falls, which pushes the biases apart.
    weight : tensor or sequence of shape (n_classes,), optional
        How much the rows of each class count.
    reduction : {"mean", "sum", "none"}
        What is returned: the weighted mean, the weighted sum, or the loss of each row.

    Attributes
    ----------
    biases : Biases
        The module that holds the biases.

    Examples
    --------
    >>> import torch
    >>> from ordcut.torch import CumulativeLinkLoss
    >>> loss = CumulativeLinkLoss(n_classes=3)
    >>> loss(torch.tensor([-2.0, 0.5, 900.0]), torch.tensor([0, 1, 2])).item()
    0.5112...
    >>> loss.probabilities(torch.tensor([0.5])).argmax(1)
    tensor([0])
    """

    def __init__(
        self,
        n_classes: int,
        link: LinkName = "logit",
        biases: BiasesLike = "ordered",
        weight: Tensor | Sequence[float] | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(n_classes, weight, reduction)
        check_link(link)
        self.link = link
        self.biases = make_biases(biases, n_classes)

    def losses(self, scores: Tensor, target: Tensor) -> Tensor:
        """Return the negative log-likelihood of each row."""
        return -log_probabilities(scores, self.biases, target, self.link)

    def probabilities(self, input: Tensor) -> Tensor:
        """Return the probability of each class, (n, K)."""
        return class_probabilities(input, self.biases, self.link)

    def extra_repr(self) -> str:
        """Return the arguments for ``repr``."""
        return f"{super().extra_repr()}, link={self.link!r}"


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


class MarginLoss(OrdinalLoss):
    """The base class of losses of margins, with a surrogate and biases."""

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
    biases : {"ordered", "free"} or Biases
        Whether the biases must ascend.
    weight : tensor or sequence of shape (n_classes,), optional
        How much the rows of each class count.
    reduction : {"mean", "sum", "none"}
        What is returned: the weighted mean, the weighted sum, or the loss of each row.

    Attributes
    ----------
    biases : Biases
        The module that holds the biases; pass its parameters to the optimiser as well.

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
        side = torch.where(target[:, None] > indices, 1.0, -1.0).to(scores.dtype)
        return SURROGATES[self.surrogate](side * (scores[:, None] - biases)).sum(dim=1)


class ImmediateThresholdLoss(MarginLoss):
    """A surrogate of ``a - b_{y-1}`` and ``b_y - a``: the two biases that enclose the class.

    Parameters
    ----------
    n_classes : int
        The number of classes, K.
    surrogate : {"logistic", "hinge", "squared_hinge", "smooth_hinge"}
        The loss of a margin.
    biases : {"ordered", "free"} or Biases
        Whether the biases must ascend.
    weight : tensor or sequence of shape (n_classes,), optional
        How much the rows of each class count.
    reduction : {"mean", "sum", "none"}
        What is returned: the weighted mean, the weighted sum, or the loss of each row.

    Attributes
    ----------
    biases : Biases
        The module that holds the biases; pass its parameters to the optimiser as well.

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
        lower = scores - biases.index_select(0, (target - 1).clamp(min=0))
        upper = biases.index_select(0, target.clamp(max=last - 1)) - scores
        nothing = torch.zeros_like(scores)
        loss_below = torch.where(target > 0, surrogate(lower), nothing)
        return loss_below + torch.where(target < last, surrogate(upper), nothing)


def check_rows(
    scores: Tensor,
    target: Tensor,
    n_classes: int | None,
    names: tuple[str, str] = ("input", "target"),
) -> None:
    """Raise an error unless each row has one score and one class.

    ``names`` are those of the arguments, for the message. The range of classes is checked on the
    CPU only: elsewhere the check would have to wait for the device, which fails by itself at a
    class that is out of range.
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


def _reduce(losses: Tensor, reduction: str) -> Tensor:
    if reduction == "none":
        return losses
    return losses.mean() if reduction == "mean" else losses.sum()
