"""Train in several processes on one machine, each on its own device."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Tensor, distributed, nn
from torch.multiprocessing.spawn import ProcessExitedException, ProcessRaisedException, spawn
from torch.nn.parallel import DistributedDataParallel

from experiments.orphans import end_with_parent
from experiments.pictures import Share
from experiments.settings import count_cores


@dataclass(frozen=True)
class Process:
    """The process of a run: the only one, or one of several that train together.

    Attributes
    ----------
    device : torch.device
        The device that the process trains on.
    share : Share
        The share of the process in each batch.

    Examples
    --------
    >>> alone = Process(torch.device("cpu"))
    >>> alone.is_main, alone.total(torch.ones(2))
    (True, tensor([1., 1.]))
    """

    device: torch.device
    share: Share = field(default_factory=Share)

    @property
    def is_main(self) -> bool:
        """Whether this is the process that writes files."""
        return self.share.rank == 0

    @property
    def is_on_gpu(self) -> bool:
        """Whether the process trains on an NVIDIA or AMD GPU."""
        return self.device.type == "cuda"

    @property
    def is_alone(self) -> bool:
        """Whether this is the only process."""
        return self.share.count == 1

    def connected(self, module: nn.Module) -> nn.Module:
        """Return a module whose gradients are averaged over all processes."""
        if self.is_alone:
            return module
        devices = None if self.device.type == "cpu" else [self.device]
        return DistributedDataParallel(module, devices)

    def total(self, values: Tensor) -> Tensor:
        """Return the sum of values over all processes."""
        if not self.is_alone:
            distributed.all_reduce(values)
        return values

    def gathered(self, values: Tensor) -> Tensor:
        """Return the values of all processes, one process after the other, on the CPU."""
        if self.is_alone:
            return values.cpu()
        parts: list[Any] = [None] * self.share.count
        distributed.all_gather_object(parts, values.cpu())
        return torch.cat(parts)

    def copy_buffers(self, module: nn.Module) -> None:
        """Copy the buffers of the main process, such as running means, to all others."""
        if not self.is_alone:
            for values in module.buffers():
                distributed.broadcast(values, src=0)


def choose_accelerator(name: str, n_processes: int) -> str:
    """Return the kind of devices to use: CUDA if there is one for each process, else the CPU.

    Examples
    --------
    >>> choose_accelerator("cpu", 2)
    'cpu'
    """
    n_devices = torch.cuda.device_count()
    if name == "cuda" and n_devices < n_processes:
        raise ValueError(
            f"--devices {n_processes} with --accelerator cuda needs as many CUDA devices, found "
            f"{n_devices}. Use fewer, or --accelerator cpu."
        )
    if name == "auto":
        return "cuda" if n_devices >= n_processes else "cpu"
    return name


def launch(
    n_processes: int, accelerator: str, function: Callable[..., object], *arguments: Any
) -> None:
    """Call a function in several processes of this machine at the same time.

    The function gets its :class:`Process` and the arguments, which must be picklable. The first
    error in a process ends the others, and is raised as a ``ValueError`` with its message.
    """
    kind = choose_accelerator(accelerator, n_processes)
    try:
        with TemporaryDirectory(prefix="ordcut-") as folder:
            store = (Path(folder) / "store").as_uri()
            spawn(  # type: ignore[no-untyped-call]
                _call, (n_processes, kind, store, function, arguments), n_processes
            )
    except ProcessRaisedException as error:
        last_line = str(error).strip().splitlines()[-1]
        raise ValueError(last_line.partition(": ")[2] or last_line) from error
    except ProcessExitedException as error:
        raise ChildProcessError(
            f"All processes of a training must reach its end, got one that did not: {error}. "
            "Continue the run with --resume."
        ) from error


def _call(
    rank: int,
    n_processes: int,
    kind: str,
    store: str,
    function: Callable[..., object],
    arguments: tuple[Any, ...],
) -> None:
    """Join the process group, which meets in a shared file, and call the function."""
    end_with_parent()
    if kind == "cuda":
        torch.cuda.set_device(rank)
    else:
        torch.set_num_threads(max(1, count_cores() // n_processes))
    backend = "nccl" if kind == "cuda" else "gloo"
    distributed.init_process_group(backend, store, rank=rank, world_size=n_processes)
    # If a process failed before all are connected, the others would report a lost connection.
    distributed.barrier()
    device = torch.device(kind, rank) if kind == "cuda" else torch.device(kind)
    function(Process(device, Share(rank, n_processes)), *arguments)
    distributed.destroy_process_group()
    sys.stdout.flush()
    sys.stderr.flush()
    # In a normal exit, a thread of torch that still holds Python objects can abort the process.
    os._exit(0)
