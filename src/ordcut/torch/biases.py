"""The biases between ordered classes, as a small module of their own."""

from __future__ import annotations

from typing import Literal, TypeAlias

import torch
from torch import Tensor, nn

from ordcut.errors import unknown_name

KINDS = ("ordered", "free")

#: Free biases can cross. Below this gap a likelihood, which would be 0, continues as a straight
#: line.
LEAST_FREE_GAP = 1e-3


class Biases(nn.Module):
    """The K - 1 biases between K ordered classes, which a loss learns together with the network.

    Ordered biases are ``b_1 = 0`` and ``b_k = b_{k-1} + theta_k ** 2``: whatever the parameters,
    they never cross. Free biases are the parameters themselves. Both start at 0, 1, ..., K - 2.

    Parameters
    ----------
    n_classes : int
        The number of classes, K, at least 2.
    ordered : bool
        Whether the biases must ascend.

    Examples
    --------
    >>> from ordcut.torch import Biases
    >>> Biases(4)()
    tensor([0., 1., 2.], grad_fn=<CatBackward0>)
    >>> [name for name, _ in Biases(4, ordered=False).named_parameters()]
    ['free']
    """

    def __init__(self, n_classes: int, ordered: bool = True) -> None:
        super().__init__()
        check_n_classes(n_classes)
        self.n_classes = int(n_classes)
        self.ordered = bool(ordered)
        if ordered:
            self.theta = nn.Parameter(torch.ones(n_classes - 2))
        else:
            self.free = nn.Parameter(torch.arange(n_classes - 1, dtype=torch.get_default_dtype()))

    def forward(self) -> Tensor:
        """Return the biases, (K - 1,), in float32 at least."""
        if not self.ordered:
            return at_least_float32(self.free)
        gaps = self.gaps()
        return torch.cat([gaps.new_zeros(1), torch.cumsum(gaps, 0)])

    def gaps(self) -> Tensor:
        """Return how far each bias is above the one before, (K - 2,).

        A small gap between large biases is lost in their difference, but not here.

        Examples
        --------
        >>> Biases(4).gaps()
        tensor([1., 1.], grad_fn=<PowBackward0>)
        """
        if self.ordered:
            return at_least_float32(self.theta) ** 2
        return torch.diff(at_least_float32(self.free))

    @property
    def least_gap(self) -> float:
        """The gap below which a likelihood continues as a straight line."""
        return torch.finfo(torch.float32).tiny if self.ordered else LEAST_FREE_GAP

    def extra_repr(self) -> str:
        """Return the arguments for ``repr``."""
        return f"{self.n_classes}, ordered={self.ordered}"


BiasesLike: TypeAlias = Literal["ordered", "free"] | Biases


def make_biases(biases: BiasesLike, n_classes: int) -> Biases:
    """Return the biases of a loss, given by name or as a module.

    Examples
    --------
    >>> make_biases("free", 3)
    Biases(3, ordered=False)
    """
    if isinstance(biases, Biases):
        if biases.n_classes != n_classes:
            raise ValueError(
                f"biases must be made for {n_classes} classes, got some for {biases.n_classes}."
            )
        return biases
    if biases not in KINDS:
        raise unknown_name("biases", biases, KINDS)
    return Biases(n_classes, ordered=biases == "ordered")


def check_n_classes(n_classes: int) -> None:
    """Raise an error unless there are at least two classes."""
    if int(n_classes) != n_classes or n_classes < 2:
        raise ValueError(f"n_classes must be a whole number of at least 2, got {n_classes!r}.")


def at_least_float32(values: Tensor) -> Tensor:
    """Return values in float64 if they are float64, else in float32.

    Half precision has three digits: too few for a sum over thresholds, let alone over a batch.

    Examples
    --------
    >>> at_least_float32(torch.ones(1, dtype=torch.bfloat16)).dtype
    torch.float32
    """
    return values if values.dtype == torch.float64 else values.float()
