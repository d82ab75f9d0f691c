"""Thresholds in PyTorch: losses that learn a score, and optimal thresholds during training."""

from importlib import import_module
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
from ordcut.torch.corn import CornLoss
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
from ordcut.torch.tracker import ThresholdTracker

if TYPE_CHECKING:
    from ordcut.torch.callback import OptimalThresholds as OptimalThresholds
    from ordcut.torch.hf_trainer import TransformersThresholds as TransformersThresholds
    from ordcut.torch.metric import ThresholdMetric as ThresholdMetric

__all__ = [
    "AbsoluteLoss",
    "AllThresholdLoss",
    "Biases",
    "CornLoss",
    "CumulativeLinkLoss",
    "ImmediateThresholdLoss",
    "ThresholdTracker",
    "bias_thresholds",
    "class_probabilities",
    "every_labeling",
    "likelihood_labels",
    "optimal_thresholds",
    "rounding_thresholds",
    "threshold_labels",
]


#: What needs another package, which is imported when the name is first used.
_OPTIONAL = {
    "OptimalThresholds": "ordcut.torch.callback",
    "ThresholdMetric": "ordcut.torch.metric",
    "TransformersThresholds": "ordcut.torch.hf_trainer",
}


#: Names that 0.1.0 had: the networks of the paper's experiment.
_REMOVED = ("ResNet", "resnet18", "resnet34")


def __getattr__(name: str) -> Any:
    """Import what needs Lightning, torchmetrics or transformers when it is first used."""
    if name in _OPTIONAL:
        return getattr(import_module(_OPTIONAL[name]), name)
    if name in _REMOVED:
        raise AttributeError(
            f"ordcut.torch.{name} was removed in 0.2.0. Use a network of torchvision with one "
            "output, or copy experiments/resnet.py from the source code of ordcut."
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
