"""Thresholds in PyTorch: losses that learn a score, and optimal thresholds during training."""

import warnings
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

from ordcut.torch.corn import CornLoss
from ordcut.torch.labelings import every_labeling, threshold_labels
from ordcut.torch.losses import AbsoluteLoss, CumulativeLinkLoss
from ordcut.torch.margins import AllThresholdLoss, ImmediateThresholdLoss
from ordcut.torch.optimal import optimal_thresholds
from ordcut.torch.tracker import ThresholdTracker

if TYPE_CHECKING:
    from ordcut.torch.callback import OptimalThresholds as OptimalThresholds
    from ordcut.torch.metric import ThresholdMetric as ThresholdMetric

__all__ = [
    "AbsoluteLoss",
    "AllThresholdLoss",
    "CornLoss",
    "CumulativeLinkLoss",
    "ImmediateThresholdLoss",
    "ThresholdTracker",
    "every_labeling",
    "optimal_thresholds",
    "threshold_labels",
]

#: Names that need another package, which is imported when they are first used.
_OPTIONAL = {
    "OptimalThresholds": "ordcut.torch.callback",
    "ThresholdMetric": "ordcut.torch.metric",
}

#: Names that will be removed in 0.3: where they are, and what replaces them.
_DEPRECATED = {
    "Biases": ("ordcut.torch.biases", 'biases="ordered" or "free" of a loss, and loss.biases,'),
    "bias_thresholds": ("ordcut.torch.labelings", "loss.thresholds()"),
    "class_probabilities": ("ordcut.torch.links", "CumulativeLinkLoss.probabilities(scores)"),
    "likelihood_labels": ("ordcut.torch.labelings", "CumulativeLinkLoss.labels(scores)"),
    "rounding_thresholds": ("ordcut.torch.labelings", "AbsoluteLoss(n_classes).thresholds()"),
}

_RESNET = "Use a network of torchvision with one output, or copy experiments/resnet.py"
#: Names that were removed, and what to use instead.
_REMOVED = {
    "ResNet": _RESNET,
    "resnet18": _RESNET,
    "resnet34": _RESNET,
    "TransformersThresholds": 'Copy the callback in docs/training.md, "With transformers",',
}


def __getattr__(name: str) -> Any:
    """Import a name that needs another package, and warn about a deprecated name."""
    if name in _OPTIONAL:
        return getattr(import_module(_OPTIONAL[name]), name)
    if name in _DEPRECATED:
        module, replacement = _DEPRECATED[name]
        warnings.warn(
            f"ordcut.torch.{name} is deprecated and will be removed in 0.3. Use {replacement} "
            "instead.",
            DeprecationWarning,
            stacklevel=2,
        )
        return getattr(import_module(module), name)
    if name in _REMOVED:
        raise AttributeError(
            f"ordcut.torch.{name} was removed in 0.2.0. {_REMOVED[name]} from the source code of "
            "ordcut."
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
