"""The optimiser, the schedules of its learning rate, and mixed precision."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import nn
from torch.optim.lr_scheduler import ConstantLR, CosineAnnealingLR, LRScheduler, StepLR

#: The epsilon of Adam in the earlier study (Yamasaki 2023); other parameters are Adam's defaults.
EPSILON = 1e-6

#: For the schedule of steps: the learning rate falls to a tenth after each third of the epochs.
N_STEPS, STEP_FACTOR = 3, 0.1

#: Functions that return a schedule for an optimiser and a number of epochs, by name.
SCHEDULES: dict[str, Callable[[torch.optim.Optimizer, int], LRScheduler]] = {
    "none": lambda optimiser, _: ConstantLR(optimiser, factor=1.0, total_iters=1),
    "cosine": lambda optimiser, epochs: CosineAnnealingLR(optimiser, T_max=epochs),
    "step": lambda optimiser, epochs: StepLR(optimiser, max(1, epochs // N_STEPS), STEP_FACTOR),
}


def make_optimiser(
    modules: Iterable[nn.Module], lr: float, weight_decay: float
) -> torch.optim.Optimizer:
    """Return Adam or, with a weight decay, AdamW, which decays no biases and no normalisations.

    Examples
    --------
    >>> layer = nn.Linear(2, 1)
    >>> type(make_optimiser([layer], 0.01, 0)).__name__
    'Adam'
    >>> [group["weight_decay"] for group in make_optimiser([layer], 0.01, 0.1).param_groups]
    [0.1, 0.0]
    """
    parameters = [values for module in modules for values in module.parameters()]
    if weight_decay == 0:
        return torch.optim.Adam(parameters, lr=lr, eps=EPSILON)
    groups: list[dict[str, Any]] = [
        {"params": [values for values in parameters if values.dim() > 1]},
        {"params": [values for values in parameters if values.dim() <= 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=lr, eps=EPSILON, weight_decay=weight_decay)


class Precision:
    """Mixed precision on a device: bfloat16, or float16 with scaled losses on older GPUs.

    Examples
    --------
    >>> with Precision(torch.device("cpu"), is_mixed=True).context():
    ...     (torch.ones(2, 2) @ torch.ones(2, 2)).dtype
    torch.bfloat16
    """

    def __init__(self, device: torch.device, is_mixed: bool) -> None:
        self.device, self.is_mixed = device, is_mixed
        has_bfloat16 = device.type != "cuda" or torch.cuda.is_bf16_supported()
        self.dtype = torch.bfloat16 if has_bfloat16 else torch.float16
        self.scaler = torch.amp.GradScaler(
            device.type, enabled=is_mixed and self.dtype == torch.float16
        )

    def context(self) -> torch.autocast:
        """Return the context manager in which the network computes."""
        return torch.autocast(self.device.type, self.dtype, enabled=self.is_mixed)
