"""From scores to labels, as the paper compares: fixed, by biases, by likelihood, optimal."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from ordcut.checks import check_finite
from ordcut.objectives import ObjectiveLike, resolve_objective
from ordcut.thresholds import Thresholds
from ordcut.torch.biases import Biases, check_n_classes
from ordcut.torch.likelihood import CumulativeLinkLoss, LinkName, class_probabilities
from ordcut.torch.tensors import on_host


def threshold_labels(scores: Tensor, thresholds: Tensor | Thresholds) -> Tensor:
    """Return the position of each score's class: how many thresholds are at or below it.

    Parameters
    ----------
    scores : tensor of shape (n_samples,)
        Scores without NaN, of any precision and on any device.
    thresholds : Thresholds, or tensor of shape (n_classes - 1,)
        In ascending order.

    Returns
    -------
    int64 tensor of shape (n_samples,)
        Positions 0..K-1, on the device of the scores.

    Examples
    --------
    >>> import torch
    >>> from ordcut.torch import threshold_labels
    >>> threshold_labels(torch.tensor([0.2, 1.5, 9.0]), torch.tensor([0.5, 1.5]))
    tensor([0, 2, 2])
    """
    _check_not_nan(scores)
    if isinstance(thresholds, Thresholds):
        thresholds = torch.from_numpy(np.array(thresholds.thresholds))
    # Every score is exact in float64, and so is its place among thresholds that are float64.
    where = scores.device if has_float64(scores.device) else torch.device("cpu")
    edges = thresholds.detach().to(where, torch.float64)
    found = torch.searchsorted(edges, scores.detach().to(where, torch.float64), right=True)
    return found.to(scores.device)


def fixed_thresholds(n_classes: int) -> Tensor:
    """Return 0.5, 1.5, ..., K - 1.5: scores that estimate the class are rounded.

    Examples
    --------
    >>> from ordcut.torch import fixed_thresholds
    >>> fixed_thresholds(4)
    tensor([0.5000, 1.5000, 2.5000], dtype=torch.float64)
    """
    check_n_classes(n_classes)
    return torch.arange(n_classes - 1, dtype=torch.float64) + 0.5


def bias_thresholds(biases: Biases) -> Tensor:
    """Return learned biases as thresholds.

    Free biases may have crossed; how many are at or below a score knows no order, so that sorted
    ones give the same labels.

    Examples
    --------
    >>> from ordcut.torch import Biases, bias_thresholds
    >>> bias_thresholds(Biases(4))
    tensor([0., 1., 2.])
    """
    found: Tensor = biases().detach()
    return found.sort().values


def likelihood_labels(
    scores: Tensor, biases: Biases, objective: ObjectiveLike = "absolute", link: LinkName = "logit"
) -> Tensor:
    """Return the position of the class of least expected cost under a cumulative model.

    Parameters
    ----------
    scores : tensor of shape (n_samples,)
        One score a row.
    biases : Biases
        The biases, such as ``loss.biases``.
    objective : str, array-like of shape (K, K), callable, Kappa or Objective
        The cost, as in :func:`ordcut.optimal_thresholds`. A kappa is no expected cost; the cost
        that it is made of stands in for it.
    link : {"logit", "probit", "cloglog", "loglog", "cauchit"}
        The distribution of the model.

    Returns
    -------
    int64 tensor of shape (n_samples,)
        Positions 0..K-1, the lowest of those that are equally good.

    Examples
    --------
    >>> import torch
    >>> from ordcut.torch import Biases, likelihood_labels
    >>> likelihood_labels(torch.tensor([-3.0, 0.5, 4.0]), Biases(3))
    tensor([0, 1, 2])
    """
    _check_not_nan(scores)
    # Autocast would multiply in half precision.
    with torch.no_grad(), torch.autocast(scores.device.type, enabled=False):
        shares = class_probabilities(scores, biases, link)
        cost = torch.tensor(resolve_objective(objective, biases.n_classes).cost.T)
        return (shares @ cost.to(shares)).argmin(dim=1)


def every_labeling(
    scores: Tensor,
    thresholds: Tensor | Thresholds,
    loss: nn.Module | None = None,
    objective: ObjectiveLike = "absolute",
) -> dict[str, Tensor]:
    """Return the labels of each labeling that the paper compares, as positions 0..K-1.

    Parameters
    ----------
    scores : tensor of shape (n_samples,)
        One score a row.
    thresholds : Thresholds, or tensor of shape (n_classes - 1,)
        The optimal ones, for ``"optimal"``.
    loss : module, optional
        The loss that the scores were learned by. Its biases, if it has any, make the labeling
        ``"biases"``, and a likelihood makes ``"likelihood"``.
    objective : str, array-like of shape (K, K), callable, Kappa or Objective
        The cost that ``"likelihood"`` expects.

    Examples
    --------
    >>> import torch
    >>> from ordcut.torch import AllThresholdLoss, every_labeling
    >>> every_labeling(torch.tensor([0.7]), torch.tensor([0.2, 0.6]), AllThresholdLoss(3))
    {'optimal': tensor([2]), 'fixed': tensor([1]), 'biases': tensor([1])}
    """
    if isinstance(thresholds, Thresholds):
        thresholds = torch.from_numpy(np.array(thresholds.thresholds))
    labels = {
        "optimal": threshold_labels(scores, thresholds),
        "fixed": threshold_labels(scores, fixed_thresholds(len(thresholds) + 1)),
    }
    biases = getattr(loss, "biases", None)
    if isinstance(biases, Biases):
        labels["biases"] = threshold_labels(scores, bias_thresholds(biases))
    if isinstance(loss, CumulativeLinkLoss):
        labels["likelihood"] = likelihood_labels(scores, loss.biases, objective, loss.link)
    return labels


def _check_not_nan(scores: Tensor) -> None:
    """Raise an error for NaN, which would otherwise get the highest class."""
    if bool(torch.isnan(scores).any()):
        check_finite(on_host(scores), infinite=True)  # says where


def has_float64(device: torch.device) -> bool:
    """Return whether a kind of device has float64; Apple's GPUs have not."""
    return device.type != "mps"
