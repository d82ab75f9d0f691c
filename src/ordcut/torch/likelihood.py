"""Class probabilities from a score and biases, and the likelihood as a loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import torch
from torch import Tensor

from ordcut.errors import unknown_name
from ordcut.torch.biases import Biases, BiasesLike, at_least_float32, make_biases
from ordcut.torch.links import LINKS, log_probability
from ordcut.torch.losses import OrdinalLoss, Reduction

LinkName: TypeAlias = Literal["logit", "probit", "cloglog", "loglog", "cauchit"]


def log_probabilities(scores: Tensor, biases: Biases, target: Tensor, link: str) -> Tensor:
    """Return the log-probability of the class ``target`` for each score; shapes broadcast."""
    edges, gaps = biases(), biases.gaps()
    last = biases.n_classes - 1
    is_first, is_last = target == 0, target == last
    # The bias above the class; below the last class, which has none above it.
    edge = _pick(edges, target.clamp(max=last - 1)) - scores
    gap = torch.ones_like(edge)
    if last > 1:
        gap = _pick(gaps, (target - 1).clamp(0, last - 2)).expand_as(edge)
    floored = gap.clamp(min=biases.least_gap)
    below = torch.where(is_last, edge, edge - floored)
    found = log_probability(LINKS[link], edge, below, floored, is_first, is_last)
    if biases.ordered:
        return found
    # Where free biases come too near or cross, the logarithm goes on as its tangent.
    tangent = (gap - floored) / biases.least_gap
    return found + torch.where(is_first | is_last, torch.zeros_like(tangent), tangent)


def class_probabilities(scores: Tensor, biases: Biases, link: LinkName = "logit") -> Tensor:
    """Return the probability of each class, (n, K), under a cumulative model.

    A row of score ``a`` has a class of at most ``k`` with the probability ``F(b_k - a)``.

    Parameters
    ----------
    scores : tensor of shape (n_samples,)
        One score a row.
    biases : Biases
        The biases, such as ``loss.biases``.
    link : {"logit", "probit", "cloglog", "loglog", "cauchit"}
        The distribution ``F``.

    Returns
    -------
    tensor of shape (n_samples, n_classes)
        Rows that add up to 1.

    Examples
    --------
    >>> import torch
    >>> from ordcut.torch import Biases, class_probabilities
    >>> class_probabilities(torch.tensor([0.5]), Biases(3)).detach()
    tensor([[0.3775, 0.2449, 0.3775]])
    """
    check_link(link)
    classes = torch.arange(biases.n_classes, device=scores.device)
    rows = at_least_float32(scores)[:, None].expand(-1, biases.n_classes)
    logs = log_probabilities(rows, biases, classes.expand_as(rows), link)
    return torch.softmax(logs, dim=1)


class CumulativeLinkLoss(OrdinalLoss):
    """The negative log-likelihood of a cumulative model: ordinal logistic regression and its kin.

    A row of score ``a`` has a class of at most ``k`` with the probability ``F(b_k - a)``. The
    biases ``b`` are parameters of the loss: hand ``loss.parameters()`` to the optimiser as well.

    Parameters
    ----------
    n_classes : int
        The number of classes, K.
    link : {"logit", "probit", "cloglog", "loglog", "cauchit"}
        The distribution ``F``.
    biases : {"ordered", "free"} or Biases
        Ordered biases never cross. Free ones can; gaps below 0.001 then cost more the lower they
        are, as a straight line that pushes them back.
    weight : tensor or sequence of shape (n_classes,), optional
        How much the rows of each class count.
    reduction : {"mean", "sum", "none"}
        What is returned: the weighted mean, the weighted sum, or a loss for each row.

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
        """Return what ``repr`` shows."""
        return f"{super().extra_repr()}, link={self.link!r}"


def check_link(link: str) -> None:
    """Raise an error for a link that is not known."""
    if link not in LINKS:
        raise unknown_name("link", link, LINKS)


def _pick(values: Tensor, indices: Tensor) -> Tensor:
    """Return ``values[indices]``; an index below 0 is an error, not a place from the end."""
    return values.index_select(0, indices.reshape(-1)).reshape(indices.shape)
