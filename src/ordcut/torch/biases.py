"""The biases between ordered classes, as a module."""

from __future__ import annotations

from typing import Literal, TypeAlias

import torch
from torch import Tensor, nn

from ordcut._core.errors import unknown_name

KINDS = ("ordered", "free", "ordered_from_zero")

#: Free biases can cross. Below this gap a likelihood, which would be 0, continues as a straight
#: line.
LEAST_FREE_GAP = 1e-3


class Biases(nn.Module):
    """The K - 1 biases between K ordered classes, which a loss learns together with the network.

    Ordered biases are ``b_1`` and ``b_k = b_{k-1} + theta_k ** 2``, so they never cross. Free
    biases are the parameters themselves. Both start at 0, 1, ..., K - 2.

    Parameters
    ----------
    n_classes : int
        The number of classes, K, at least 2.
    ordered : bool
        Whether the biases must ascend.
    from_zero : bool
        Whether the first of ordered biases stays at 0, as in the paper, instead of being learned.
        The last layer of the network then needs a bias, so that scores can shift to the range of
        the biases.

    Examples
    --------
    >>> Biases(4)().tolist()
    [0.0, 1.0, 2.0]
    >>> [name for name, _ in Biases(4).named_parameters()]
    ['first', 'theta']
    >>> [name for name, _ in Biases(4, ordered=False).named_parameters()]
    ['free']
    """

    def __init__(self, n_classes: int, ordered: bool = True, from_zero: bool = False) -> None:
        super().__init__()
        check_n_classes(n_classes)
        if from_zero and not ordered:
            raise ValueError(
                "from_zero is for ordered biases, got ordered=False. Leave one of them out."
            )
        self.n_classes = int(n_classes)
        self.ordered = bool(ordered)
        self.from_zero = bool(from_zero)
        if ordered:
            if not from_zero:
                self.first = nn.Parameter(torch.zeros(1))
            self.theta = nn.Parameter(torch.ones(n_classes - 2))
        else:
            self.free = nn.Parameter(torch.arange(n_classes - 1, dtype=torch.get_default_dtype()))

    # A module that has biases can be scripted for its labels, which do not depend on them.
    __jit_unused_properties__ = ("least_gap",)

    @torch.jit.unused
    def forward(self) -> Tensor:
        """Return the biases, (K - 1,), in float32 at least."""
        if not self.ordered:
            return at_least_float32(self.free)
        gaps = self.gaps()
        first = gaps.new_zeros(1) if self.from_zero else at_least_float32(self.first)
        return torch.cat([first, first + torch.cumsum(gaps, 0)])

    def gaps(self) -> Tensor:
        """Return the gaps between neighbouring biases, (K - 2,).

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

    def start_at(self, values: Tensor) -> None:
        """Set the biases to ascending values; if the first stays at 0, set only their gaps.

        Examples
        --------
        >>> biases = Biases(3)
        >>> biases.start_at(torch.tensor([-1.0, 3.0]))
        >>> biases().tolist()
        [-1.0, 3.0]
        """
        with torch.no_grad():
            if not self.ordered:
                self.free.copy_(values)
                return
            if not self.from_zero:
                self.first.copy_(values[:1])
            self.theta.copy_(torch.diff(values).sqrt())

    def extra_repr(self) -> str:
        """Return the arguments for ``repr``."""
        zero = ", from_zero=True" if self.from_zero else ""
        return f"{self.n_classes}, ordered={self.ordered}{zero}"


BiasesLike: TypeAlias = Literal["ordered", "free", "ordered_from_zero"] | Biases


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
                f"biases must be made for {n_classes} classes, got biases for {biases.n_classes}."
            )
        return biases
    if biases not in KINDS:
        raise unknown_name("biases", biases, KINDS)
    return Biases(n_classes, biases != "free", biases == "ordered_from_zero")


def check_n_classes(n_classes: int) -> None:
    """Raise an error unless there are at least two classes."""
    is_number = hasattr(n_classes, "__int__")
    if not is_number or int(n_classes) != n_classes or n_classes < 2:
        hint = "" if is_number else " For labels that are values of classes, pass classes=."
        raise ValueError(
            f"n_classes must be a whole number of at least 2, got {n_classes!r}.{hint}"
        )


def at_least_float32(values: Tensor) -> Tensor:
    """Return values in float64 if they are float64, else in float32.

    Half precision has three digits: too few for a sum over thresholds, let alone over a batch.

    Examples
    --------
    >>> at_least_float32(torch.ones(1, dtype=torch.bfloat16)).dtype
    torch.float32
    """
    return values if values.dtype == torch.float64 else values.float()
