"""Thresholds in PyTorch: losses that learn a score, and optimal thresholds during training."""

from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

try:
    import torch as _torch  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "ordcut.torch needs torch, which is not installed. Install it with: pip install torch.",
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

#: What other libraries, or other people, call these classes, in lower case.
_ELSEWHERE = {
    "coralloss": "AllThresholdLoss",
    "coral_loss": "AllThresholdLoss",
    "coral": "AllThresholdLoss",
    "corn_loss": "CornLoss",
    "lightning": "OptimalThresholds",
    "callback": "OptimalThresholds",
    "thresholdcallback": "OptimalThresholds",
    "ordinalloss": "CumulativeLinkLoss",
    "predict": "threshold_labels",
}


def __getattr__(name: str) -> Any:
    """Import a name that needs another package."""
    if name in _OPTIONAL:
        return getattr(import_module(_OPTIONAL[name]), name)
    near = get_close_matches(name, [*__all__, *_OPTIONAL], n=1)
    other = _ELSEWHERE.get(name.lower(), near[0] if near else None)
    hint = "" if other is None else f" Did you mean {other!r}?"
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}.{hint}")
