"""Gather the rows of all processes of a distributed training, in the order of the data set."""

from __future__ import annotations

import torch
from torch import Tensor, distributed

#: Floating-point dtypes, which processes exchange by their index; a wider one has a higher index.
DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def n_processes() -> int:
    """Return how many processes train together; 1 where ``torch.distributed`` is not in use."""
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_world_size()
    return 1


def gather_rows(scores: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Return the scores and labels of all processes, the same in each of them.

    ``torch.utils.data.DistributedSampler`` gives rows to processes in turn: row ``i`` of process
    ``r`` is row ``i * n_processes + r`` of the data set. They come back in that order, so that rows
    which it repeated to give all processes the same number are the last ones. Processes may hold
    different numbers of rows, or none.

    Examples
    --------
    >>> gather_rows(torch.tensor([0.5]), torch.tensor([1]))  # one process: nothing to do
    (tensor([0.5000]), tensor([1]))
    """
    if n_processes() == 1:
        return scores, labels
    home, device = scores.device, _device_of_messages(scores.device)
    own = torch.tensor([len(scores), DTYPES.index(scores.dtype)], device=device)
    lengths, dtypes = _all_gather(own).unbind(dim=1)
    widest, longest = DTYPES[int((dtypes * (lengths > 0)).max())], int(lengths.max())
    is_row = torch.arange(longest, device=device) < lengths[:, None]

    def gathered(values: Tensor, dtype: torch.dtype) -> Tensor:
        padded = torch.zeros(longest, dtype=dtype, device=device)
        padded[: len(values)] = values
        return _all_gather(padded).T[is_row.T].to(home)

    return gathered(scores, widest), gathered(labels, torch.int64)


def _all_gather(values: Tensor) -> Tensor:
    """Return the values of all processes, (n_processes, ...)."""
    parts = [torch.empty_like(values) for _ in range(n_processes())]
    distributed.all_gather(parts, values)
    return torch.stack(parts)


def _device_of_messages(device: torch.device) -> torch.device:
    """Return the device that messages must be on; NCCL does not take tensors on the CPU."""
    if device.type == "cpu" and distributed.get_backend() == "nccl":
        return torch.device("cuda", torch.cuda.current_device())
    return device
