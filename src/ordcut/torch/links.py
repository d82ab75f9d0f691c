"""The cumulative model over tensors: its links, and the probability of each class given the score.

A row of score ``a`` has a class of at most ``k`` with the probability ``F(b_k - a)``, where the
link names the distribution ``F``. So class ``k`` has the probability ``F(above) - F(below)``, where
``above`` and ``below`` are its two biases less the score. It is computed in logarithms and from
whichever tail of ``F`` is nearer, so that neither a distant score nor a narrow class underflows,
in float32 as well. Links have the names and the distributions of those in ``ordcut.estimators``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log, pi, sqrt
from typing import Literal, TypeAlias

import torch
from torch import Tensor
from torch.nn import functional

from ordcut._core.errors import unknown_name
from ordcut.torch.batches import one_per_row
from ordcut.torch.biases import Biases, at_least_float32

Curve: TypeAlias = Callable[[Tensor], Tensor]

LinkName: TypeAlias = Literal["logit", "probit", "cloglog", "loglog", "cauchit"]


def class_probabilities(scores: Tensor, biases: Biases, link: LinkName = "logit") -> Tensor:
    """Return the probability of each class, (n, K), under a cumulative model."""
    check_link(link)
    scores = one_per_row(scores)
    classes = torch.arange(biases.n_classes, device=scores.device)
    rows = at_least_float32(scores)[:, None].expand(-1, biases.n_classes)
    logs = log_probabilities(rows, biases, classes.expand_as(rows), link)
    return torch.softmax(logs, dim=1)


def log_probabilities(scores: Tensor, biases: Biases, target: Tensor, link: str) -> Tensor:
    """Return the log-probability of the class ``target`` for each score; shapes broadcast."""
    edges, gaps = biases(), biases.gaps()
    last = biases.n_classes - 1
    is_first, is_last = target == 0, target == last
    # The bias above the class; for the last class, which has none above, the bias below.
    edge = pick(edges, target.clamp(max=last - 1)) - scores
    gap = torch.ones_like(edge)
    if last > 1:
        gap = pick(gaps, (target - 1).clamp(0, last - 2)).expand_as(edge)
    floored = gap.clamp(min=biases.least_gap)
    below = torch.where(is_last, edge, edge - floored)
    logs = log_probability(LINKS[link], edge, below, floored, is_first, is_last)
    if biases.ordered:
        return logs
    # Where free biases come too close or cross, the logarithm continues as its tangent.
    tangent = (gap - floored) / biases.least_gap
    return logs + torch.where(is_first | is_last, torch.zeros_like(tangent), tangent)


def check_link(link: str) -> None:
    """Raise an error for a link that is not known."""
    if link not in LINKS:
        raise unknown_name("link", link, LINKS)


def pick(values: Tensor, indices: Tensor) -> Tensor:
    """Return ``values[indices]``; an index below 0 is an error and does not count from the end.

    Examples
    --------
    >>> pick(torch.tensor([5.0, 7.0]), torch.tensor([[1], [0]]))
    tensor([[7.],
            [5.]])
    """
    return values.index_select(0, indices.reshape(-1)).reshape(indices.shape)


@dataclass(frozen=True)
class Tail:
    """A distribution function by its logarithm, and its hazard, the slope of that logarithm.

    Both must be finite, with finite derivatives, wherever they are evaluated; the hazard is
    evaluated at or below 0 only.
    """

    log_cdf: Curve
    hazard: Curve


@dataclass(frozen=True)
class Link:
    """A distribution by its two tails: ``F(z)`` on the left and ``1 - F(-z)`` on the right.

    ``quantile`` is the inverse of ``F``.
    """

    left: Tail
    right: Tail
    quantile: Curve

    def log_cdf(self, z: Tensor, is_left: Tensor) -> Tensor:
        """Return the logarithm of the tail that each entry belongs to."""
        if self.left is self.right:
            return self.left.log_cdf(z)
        return torch.where(is_left, self.left.log_cdf(z), self.right.log_cdf(z))

    def hazard(self, z: Tensor, is_left: Tensor) -> Tensor:
        """Return the hazard of the tail that each entry belongs to."""
        if self.left is self.right:
            return self.left.hazard(z)
        return torch.where(is_left, self.left.hazard(z), self.right.hazard(z))


def log_probability(
    link: Link, above: Tensor, below: Tensor, gap: Tensor, is_first: Tensor, is_last: Tensor
) -> Tensor:
    """Return ``log(F(above) - F(below))``, where ``above`` is ``below + gap``.

    The first class has no bias below it, the last none above: the values given for those are
    ignored, but must be finite.
    """
    # In the tail that is nearer to the interval, nothing cancels.
    is_left = is_first | (~is_last & (above <= -below))
    outer = torch.where(is_left, above, -below)
    inner = torch.where(is_left, below, -above)
    middle = torch.clamp(0.5 * (outer + inner), min=-1e4, max=0.0)
    larger = link.log_cdf(outer, is_left)
    # How far the logarithm rises over the interval. If that is narrow, the difference of two
    # logarithms is mostly rounding, and hazard times width is more accurate.
    rise = gap * link.hazard(middle, is_left)
    narrow = torch.finfo(above.dtype).eps ** (1 / 3)
    by_difference = larger - link.log_cdf(inner, is_left)
    by_difference = by_difference.clamp(min=narrow)  # the interval is wide, despite rounding
    rise = torch.where((gap < narrow) | (rise < narrow), rise, by_difference)
    is_end = is_first | is_last
    share = torch.log(-torch.expm1(-torch.where(is_end, torch.ones_like(rise), rise)))
    return larger + torch.where(is_end, torch.zeros_like(share), share)


def _exp(z: Tensor) -> Tensor:
    """Return ``exp``, continued as a straight line where its square would overflow.

    Optimisers square gradients.
    """
    most = log(torch.finfo(z.dtype).max) / 2 - 4
    return torch.exp(torch.clamp(z, max=most)) * (1 + torch.clamp(z - most, min=0.0))


def _normal_log_cdf(z: Tensor) -> Tensor:
    """Return ``torch.special.log_ndtr``, with derivatives that are accurate far below 0."""
    below, above = torch.clamp(z, max=0.0), torch.clamp(z, min=0.0)
    left = torch.log(torch.special.erfcx(-below / sqrt(2)) / 2) - below * below / 2
    return torch.where(z < 0, left, torch.log1p(-torch.special.erfc(above / sqrt(2)) / 2))


def _normal_hazard(z: Tensor) -> Tensor:
    scaled: Tensor = torch.special.erfcx(-z / sqrt(2))
    return sqrt(2 / pi) / scaled


def _gumbel_log_cdf(z: Tensor) -> Tensor:
    """Return ``log(1 - exp(-exp(z)))``, which is ``z`` far below 0."""
    far = log(torch.finfo(z.dtype).eps)
    size = torch.exp(torch.clamp(z, min=far, max=10.0))
    return torch.where(z < far, z, torch.log(-torch.expm1(-size)))


def _gumbel_hazard(z: Tensor) -> Tensor:
    size = torch.exp(torch.clamp(z, min=log(torch.finfo(z.dtype).eps)))
    return size / torch.expm1(size)


def _cauchy_log_cdf(z: Tensor) -> Tensor:
    return torch.log(torch.atan2(torch.ones_like(z), -z) / pi)


def _cauchy_hazard(z: Tensor) -> Tensor:
    return 1 / ((1 + z * z) * torch.atan2(torch.ones_like(z), -z))


_LOGISTIC = Tail(functional.logsigmoid, lambda z: torch.sigmoid(-z))
_NORMAL = Tail(_normal_log_cdf, _normal_hazard)
_CAUCHY = Tail(_cauchy_log_cdf, _cauchy_hazard)
_GUMBEL = Tail(_gumbel_log_cdf, _gumbel_hazard)
_MIRRORED_GUMBEL = Tail(lambda z: -_exp(-z), lambda z: _exp(-z))

#: Links by name, as in ``ordcut.estimators``.
LINKS: dict[str, Link] = {
    "logit": Link(_LOGISTIC, _LOGISTIC, torch.logit),
    "probit": Link(_NORMAL, _NORMAL, torch.special.ndtri),
    "cloglog": Link(_GUMBEL, _MIRRORED_GUMBEL, lambda p: torch.log(-torch.log1p(-p))),
    "loglog": Link(_MIRRORED_GUMBEL, _GUMBEL, lambda p: -torch.log(-torch.log(p))),
    "cauchit": Link(_CAUCHY, _CAUCHY, lambda p: torch.tan(pi * (p - 0.5))),
}
