"""The links of the cumulative model over tensors: the names, and the curves, of the estimators.

Class ``k`` has the probability ``F(upper) - F(lower)``, where ``upper`` and ``lower`` are its two
biases less the score. It is computed in logarithms and from whichever tail of ``F`` is nearer, so
that neither a distant score nor a narrow class underflows, in float32 as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log, pi, sqrt
from typing import TypeAlias

import torch
from torch import Tensor
from torch.nn import functional

Curve: TypeAlias = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Tail:
    """A distribution function by its logarithm, and its hazard, the slope of that logarithm.

    Both must be finite, with finite derivatives, wherever they are asked; the hazard is asked at
    or below 0 only.
    """

    log_cdf: Curve
    hazard: Curve


@dataclass(frozen=True)
class Link:
    """A distribution by its two tails: ``F(z)``, and ``1 - F(-z)``, which is the other one's."""

    left: Tail
    right: Tail

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

    The first class has no bias below it, the last none above: what stands there is not read, but
    must be finite.
    """
    # The tail that holds less of the interval; there, nothing cancels.
    is_left = is_first | (~is_last & (above <= -below))
    outer = torch.where(is_left, above, -below)
    inner = torch.where(is_left, below, -above)
    middle = torch.clamp(0.5 * (outer + inner), min=-1e4, max=0.0)
    larger = link.log_cdf(outer, is_left)
    # How far the logarithm rises over the interval. Over a narrow one two logarithms differ by
    # little but their rounding, and hazard times width is the better answer.
    rise = gap * link.hazard(middle, is_left)
    narrow = torch.finfo(above.dtype).eps ** (1 / 3)
    by_difference = larger - link.log_cdf(inner, is_left)
    by_difference = by_difference.clamp(min=narrow)  # it is wide, whatever rounding says
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
    """Return what ``torch.special.log_ndtr`` returns, with derivatives that hold far below 0."""
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
    "logit": Link(_LOGISTIC, _LOGISTIC),
    "probit": Link(_NORMAL, _NORMAL),
    "cloglog": Link(_GUMBEL, _MIRRORED_GUMBEL),
    "loglog": Link(_MIRRORED_GUMBEL, _GUMBEL),
    "cauchit": Link(_CAUCHY, _CAUCHY),
}
