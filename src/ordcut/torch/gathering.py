"""Rows of many batches, and of all processes in distributed training."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, distributed
from torch.utils.data.distributed import DistributedSampler

from ordcut.torch.batches import read_batch, read_weights
from ordcut.torch.coding import LabelCoding

#: Floating-point dtypes, which processes exchange by their index; a wider dtype has a higher index.
DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


class LabelledScores(NamedTuple):
    """Scores (n,), labels (n,) or soft labels (n, K), and weights (n,) or None.

    While rows are collected, their labels are the positions of classes.
    """

    scores: Tensor
    labels: Tensor
    weights: Tensor | None = None

    def at(self, index: slice | Tensor) -> LabelledScores:
        """Return the rows at an index, a slice or a mask."""
        weights = None if self.weights is None else self.weights[index]
        return LabelledScores(self.scores[index], self.labels[index], weights)

    def restored(self, coding: LabelCoding) -> LabelledScores:
        """Return the collected rows with labels as they were given, without ignored rows.

        Soft labels are never ignored.
        """
        labels = coding.restore(self.labels)
        if coding.ignored is None or self.labels.dim() == 2:
            return self._replace(labels=labels)
        keep = self.labels != coding.ignored
        return self.at(keep)._replace(labels=labels[keep.to(labels.device)])


class RowStore:
    """Collect the rows of batches, without computing anything or waiting for a device.

    Examples
    --------
    >>> from ordcut.torch.coding import read_coding
    >>> store = RowStore(read_coding(3, None, ignore_index=-100))
    >>> store.append(torch.tensor([0.1, 0.9]), torch.tensor([0, 2]))
    >>> store.append(torch.tensor([0.4, 0.5]), torch.tensor([-100, 1]))
    >>> store.gathered(torch.device("cpu")).labels
    tensor([0, 2, 1])
    """

    def __init__(self, coding: LabelCoding) -> None:
        self.coding = coding
        self._batches: list[LabelledScores] = []

    def append(self, scores: Tensor, labels: Tensor, weights: Tensor | None = None) -> None:
        """Store copies of the rows of a batch."""
        scores, labels = read_batch(scores, labels, self.coding, names=("scores", "labels"))
        if self._batches and self._batches[0].labels.dim() != labels.dim():
            kinds = {1: "classes", 2: "soft labels"}
            raise ValueError(
                f"labels must be {kinds[3 - labels.dim()]} as in the batches before, got "
                f"{kinds[labels.dim()]}. Call reset() to start anew."
            )
        if weights is not None:
            weights = read_weights(weights, scores).detach().clone()
        labels = labels.detach().to(scores.device, copy=True)
        self._batches.append(LabelledScores(scores.detach().clone(), labels, weights))

    def clear(self) -> None:
        """Drop all rows."""
        self._batches.clear()

    def gathered(self, device: torch.device, n_samples: int | None = None) -> LabelledScores:
        """Return the rows of all processes, without the rows that are ignored.

        ``device`` is used if there are no rows. Rows beyond ``n_samples`` are left out.
        """
        rows = gather_rows(self.joined(device)).at(slice(n_samples))
        return rows.restored(self.coding)

    def joined(self, device: torch.device) -> LabelledScores:
        """Return the rows of this process, with the positions of their classes."""
        if not self._batches:
            empty = torch.empty(0, device=device)
            return LabelledScores(empty, empty.long())
        scores, labels, weights = zip(*self._batches, strict=True)
        joined = None
        if any(batch is not None for batch in weights):  # each row of the others counts 1
            joined = torch.cat(
                [
                    torch.ones_like(rows, dtype=torch.float32) if batch is None else batch
                    for rows, batch in zip(scores, weights, strict=True)
                ]
            )
        return LabelledScores(torch.cat(scores), torch.cat(labels), joined)


def n_own_rows(loader: Any) -> int | None:
    """Return how many rows of a loader are this process's own; None if all are.

    A ``DistributedSampler`` repeats rows to give all processes the same number. Row ``i`` of
    process ``r`` is row ``i * n_processes + r`` of the data set; where there is none, it is a
    repeat.
    """
    sampler = getattr(loader, "sampler", None)
    if not isinstance(sampler, DistributedSampler):
        return None
    n_rows = len(sampler.dataset)  # type: ignore[arg-type]
    return len(range(sampler.rank, n_rows, sampler.num_replicas))


class OwnRows:
    """Return the rows of a loader, batch by batch, without repeats.

    Examples
    --------
    >>> loader = torch.utils.data.DataLoader(range(5), 2)  # nothing is repeated
    >>> OwnRows(loader)((torch.zeros(2), torch.zeros(2)))[0].shape
    torch.Size([2])
    """

    def __init__(self, loader: Any) -> None:
        self._left = n_own_rows(loader)

    def __call__(self, rows: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """Return the rows of a batch without repeats."""
        if self._left is None:
            return rows
        rows = tuple(part[: self._left] for part in rows)
        self._left -= len(rows[0])
        return rows


def n_processes() -> int:
    """Return how many processes train together; 1 where ``torch.distributed`` is not in use."""
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_world_size()
    return 1


def gather_rows(rows: LabelledScores) -> LabelledScores:
    """Return the rows of all processes, the same in each of them.

    ``torch.utils.data.DistributedSampler`` gives rows to processes in turn: row ``i`` of process
    ``r`` is row ``i * n_processes + r`` of the data set. They come back in that order, so that rows
    which it repeated to give all processes the same number are the last ones. Processes may hold
    different numbers of rows, or none.

    Examples
    --------
    >>> rows = LabelledScores(torch.tensor([0.5]), torch.tensor([1]))
    >>> gather_rows(rows).scores  # a single process
    tensor([0.5000])
    """
    if n_processes() == 1:
        return rows
    scores, labels, weights = rows
    device = _device_of_messages(scores.device)
    n_columns = labels.shape[1] if labels.dim() == 2 else 0
    shape = [len(scores), DTYPES.index(scores.dtype), n_columns, int(weights is not None)]
    shapes = _all_gather(torch.tensor(shape, device=device))
    lengths, dtypes, columns, weighted = shapes.unbind(dim=1)
    widest, longest = DTYPES[int((dtypes * (lengths > 0)).max())], int(lengths.max())
    is_row = torch.arange(longest, device=device) < lengths[:, None]

    def gathered(values: Tensor, dtype: torch.dtype, n_columns: int = 0) -> Tensor:
        shape = (longest, n_columns) if n_columns else (longest,)
        padded = torch.zeros(shape, dtype=dtype, device=device)
        if len(values):
            padded[: len(values)] = values
        return _all_gather(padded).transpose(0, 1)[is_row.T].to(scores.device)

    dtype_of_labels = torch.float64 if bool(columns.any()) else torch.int64
    all_labels = gathered(labels, dtype_of_labels, int(columns.max()))
    all_weights = None
    if bool(weighted.any()):
        own_weights = torch.ones_like(scores, dtype=torch.float64) if weights is None else weights
        all_weights = gathered(own_weights, torch.float64)
    return LabelledScores(gathered(scores, widest), all_labels, all_weights)


def broadcast_buffers(module: torch.nn.Module) -> None:
    """Give the buffers of all processes the values of the first, whose state is saved.

    Running means of batch normalisation differ between processes after a training step. They are
    sent as bytes, since backends do not take every dtype.

    Examples
    --------
    >>> broadcast_buffers(torch.nn.BatchNorm1d(2))  # a single process: nothing to do
    """
    if n_processes() == 1:
        return
    for buffer in module.buffers():
        if buffer.numel() == 0 or buffer.is_meta or hasattr(buffer, "to_local"):
            continue
        device = _device_of_messages(buffer.device)
        values = buffer.detach().to(device, copy=True).reshape(-1)
        distributed.broadcast(values.view(torch.uint8), src=0)
        with torch.no_grad():
            buffer.copy_(values.reshape(buffer.shape))


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
