"""Thresholds in PyTorch: losses that learn a score, and exact thresholds for it in training."""

from typing import TYPE_CHECKING, Any

try:
    import torch as _torch  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "ordcut.torch needs torch, which is not installed. "
        'Install it with: pip install "ordcut[torch]".',
        name="torch",
    ) from error

from ordcut.torch.biases import Biases
from ordcut.torch.labelings import (
    bias_thresholds,
    every_labeling,
    likelihood_labels,
    rounding_thresholds,
    threshold_labels,
)
from ordcut.torch.links import class_probabilities
from ordcut.torch.losses import (
    AbsoluteLoss,
    AllThresholdLoss,
    CumulativeLinkLoss,
    ImmediateThresholdLoss,
)
from ordcut.torch.optimal import optimal_thresholds
from ordcut.torch.resnet import ResNet, resnet18, resnet34
from ordcut.torch.tracker import ThresholdTracker

if TYPE_CHECKING:
    from ordcut.torch.callback import OptimalThresholds as OptimalThresholds

__all__ = [
    "AbsoluteLoss",
    "AllThresholdLoss",
    "Biases",
    "CumulativeLinkLoss",
    "ImmediateThresholdLoss",
    "ResNet",
    "ThresholdTracker",
    "bias_thresholds",
    "class_probabilities",
    "every_labeling",
    "likelihood_labels",
    "optimal_thresholds",
    "resnet18",
    "resnet34",
    "rounding_thresholds",
    "threshold_labels",
]


def __getattr__(name: str) -> Any:
    """Import the callback, and Lightning with it, when it is first used."""
    if name == "OptimalThresholds":
        from ordcut.torch.callback import OptimalThresholds

        return OptimalThresholds
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
