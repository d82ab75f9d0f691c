"""The labelings of ``ordcut.studies`` for tensors, computed on the device of the scores."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from ordcut._core.data import check_finite
from ordcut._core.objectives import ObjectiveLike, resolve_objective
from ordcut._core.thresholds import Thresholds
from ordcut.studies import labelings
from ordcut.torch.batches import one_per_row
from ordcut.torch.biases import Biases
from ordcut.torch.coding import Classes, read_coding
from ordcut.torch.links import LinkName, class_probabilities
from ordcut.torch.tensors import has_float64, on_host
from ordcut.torch.tracing import is_traced


def threshold_labels(scores: Tensor, thresholds: Tensor | Thresholds) -> Tensor:
    """Return the position of each score's class: how many thresholds are at or below it.

    Parameters
    ----------
    scores : tensor of shape (n_samples,) or (n_samples, 1)
        Scores without NaN, of any dtype and on any device.
    thresholds : Thresholds, or tensor of shape (n_classes - 1,)
        In ascending order.

    Returns
    -------
    int64 tensor of shape (n_samples,)
        Positions 0..K-1, on the device of the scores.

    Notes
    -----
    ``torch.export``, ``torch.onnx``, ``torch.jit`` and ``torch.compile`` get the same labels. Their
    graphs cannot raise an error for a score that is NaN, and label it -1.

    Examples
    --------
    >>> import torch
    >>> from ordcut.torch import threshold_labels
    >>> threshold_labels(torch.tensor([0.2, 1.5, 9.0]), torch.tensor([0.5, 1.5]))
    tensor([0, 2, 2])
    """
    scores, edges = one_per_row(scores), _as_tensor(thresholds)
    device = scores.device if has_float64(scores.device) else torch.device("cpu")
    if is_traced():
        return count_thresholds(scores.to(device), edges).to(scores.device)
    check_not_nan(scores)
    if bool(torch.isnan(edges).any()):
        raise ValueError(
            f"thresholds must not be NaN, got {edges.tolist()}. Find them with "
            "ThresholdTracker.compute or optimal_thresholds."
        )
    # Scores of every dtype are exact in float64, and so are comparisons with float64 thresholds.
    edges = edges.detach().to(device, torch.float64)
    # No score reaches a threshold at infinity, not even an infinite score.
    finite = scores.detach().to(device, torch.float64).clamp(max=torch.finfo(torch.float64).max)
    return torch.searchsorted(edges, finite, right=True).to(scores.device)


def count_thresholds(scores: Tensor, thresholds: Tensor) -> Tensor:
    """Return the labels of ``threshold_labels`` by operations that every exporter supports.

    A graph cannot raise an error for NaN; its label is -1.

    Examples
    --------
    >>> count_thresholds(torch.tensor([0.2, 1.5, torch.nan]), torch.tensor([0.5, 1.5]))
    tensor([ 0,  2, -1])
    """
    values = scores.detach().double()
    if values.dim() == 2:
        values = values.squeeze(1)
    edges = thresholds.detach().to(values.device).double()
    is_reached = (values.unsqueeze(1) >= edges) & (edges < float("inf"))
    labels = is_reached.to(torch.int64).sum(dim=1)
    return torch.where(torch.isnan(values), torch.full_like(labels, -1), labels)


def bias_thresholds(biases: Biases) -> Tensor:
    """Return learned biases as thresholds, in ascending order.

    A label is the number of biases at or below the score, whatever their order. So free biases
    that crossed can be sorted without changing any label.
    """
    values: Tensor = biases().detach()
    return values.sort().values


def likelihood_labels(
    scores: Tensor, biases: Biases, objective: ObjectiveLike = "absolute", link: LinkName = "logit"
) -> Tensor:
    """Return the position of the class of least expected cost under a cumulative model."""
    scores = one_per_row(scores)
    check_not_nan(scores)
    # Autocast would compute in half precision.
    with torch.no_grad(), torch.autocast(scores.device.type, enabled=False):
        return cheapest_labels(class_probabilities(scores, biases, link), objective)


def cheapest_labels(probabilities: Tensor, objective: ObjectiveLike) -> Tensor:
    """Return the lowest class of least expected cost for each row of probabilities, (n, K).

    A kappa is not an expected cost; its weights are used as the cost instead.

    Examples
    --------
    >>> cheapest_labels(torch.tensor([[0.4, 0.3, 0.3]]), "absolute")
    tensor([1])
    """
    cost = torch.tensor(resolve_objective(objective, probabilities.shape[1]).cost.T)
    with torch.no_grad(), torch.autocast(probabilities.device.type, enabled=False):
        return (probabilities @ cost.to(probabilities)).argmin(dim=1)


def every_labeling(
    scores: Tensor,
    thresholds: Tensor | Thresholds,
    loss: nn.Module | None = None,
    objective: ObjectiveLike = "absolute",
    classes: Classes | None = None,
) -> dict[str, Tensor]:
    """Return the labels of each labeling that Yamasaki (2023) compares, as positions 0..K-1.

    Parameters
    ----------
    scores : tensor of shape (n_samples,) or (n_samples, 1)
        The score of each row.
    thresholds : Thresholds, or tensor of shape (n_classes - 1,)
        The optimal thresholds, for ``"optimal"``.
    loss : module, optional
        The loss that the scores were learned by. ``"biases"`` needs a loss with biases, and
        ``"likelihood"`` also probabilities; otherwise they are left out.
    objective : str, array-like of shape (K, K), callable, Kappa or Objective
        The cost whose expectation ``"likelihood"`` minimises.
    classes : sequence of K numbers, optional
        The values of the classes, in ascending order; 0..K-1 by default. ``"rounding"`` takes the
        class of the nearest value, and costs are distances of values.

    Returns
    -------
    dict of str to int64 tensor of shape (n_samples,)
        The labels by the name of the labeling.

    Examples
    --------
    >>> import torch
    >>> from ordcut.torch import AllThresholdLoss, every_labeling
    >>> every_labeling(torch.tensor([0.7]), torch.tensor([0.2, 0.6]), AllThresholdLoss(3))
    {'optimal': tensor([2]), 'biases': tensor([1]), 'rounding': tensor([1])}
    """
    n_classes = len(_as_tensor(thresholds)) + 1
    coding = read_coding(n_classes if classes is None else None, classes)
    labels = {
        "optimal": threshold_labels(scores, thresholds),
        "rounding": threshold_labels(scores, coding.midpoints()),
    }
    biases = getattr(loss, "biases", None)
    if isinstance(biases, Biases):
        labels["biases"] = threshold_labels(scores, bias_thresholds(biases))
        link = getattr(loss, "link", None)
        if link is not None:
            cost = resolve_objective(objective, coding.classes)
            labels["likelihood"] = likelihood_labels(scores, biases, cost, link)
    return {name: labels[name] for name in labelings.LABELINGS if name in labels}


def _as_tensor(thresholds: Tensor | Thresholds) -> Tensor:
    if isinstance(thresholds, Thresholds):
        return torch.from_numpy(np.array(thresholds.thresholds))
    return thresholds


def check_not_nan(scores: Tensor) -> None:
    """Raise an error for a score that is NaN, which would otherwise get the highest class."""
    if bool(torch.isnan(scores).any()):
        check_finite(on_host(scores), infinite=True)  # raises the error, with the position
