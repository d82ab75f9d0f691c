"""Every loss with every option, and rows for them."""

import pytest
import torch

from ordcut.torch import (
    AbsoluteLoss,
    AllThresholdLoss,
    CornLoss,
    CumulativeLinkLoss,
    ImmediateThresholdLoss,
)
from ordcut.torch.links import LINKS
from ordcut.torch.margins import SURROGATES

K = 5


def some_rows(n=40, seed=0, spread=2.0):
    generator = torch.Generator().manual_seed(seed)
    scores = spread * torch.randn(n, generator=generator, dtype=torch.float64) + 1.5
    target = torch.randint(0, K, (n,), generator=generator)
    target[:K] = torch.arange(K)
    return scores, target


def all_losses(**options):
    yield AbsoluteLoss(K, **options)
    yield CornLoss(K, **options)
    for biases in ("ordered", "free"):
        for link in LINKS:
            yield CumulativeLinkLoss(K, link, biases, **options)
        for surrogate in SURROGATES:
            yield AllThresholdLoss(K, surrogate, biases, **options)
            yield ImmediateThresholdLoss(K, surrogate, biases, **options)


def inputs_for(loss, scores):
    """Scores; or, for a loss with several outputs per row, some that descend as biases ascend."""
    if not isinstance(loss, CornLoss):
        return scores
    return scores[:, None] - torch.arange(K - 1, device=scores.device)


def named(losses):
    return [pytest.param(loss, id=f"{type(loss).__name__}-{i}") for i, loss in enumerate(losses)]
