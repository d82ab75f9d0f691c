"""Processes on one machine that train together, each on its own device."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing import parent_process
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import torch
from torch import Tensor, distributed, nn
from torch.multiprocessing.spawn import ProcessExitedException, ProcessRaisedException, spawn
from torch.nn.parallel import DistributedDataParallel

from experiments.pictures import Share
from experiments.settings import count_cores


@dataclass(frozen=True)
class Process:
    """The process that a run is in: the only one, or one of several that train together.

    Attributes
    ----------
    device : torch.device
        The device that the process trains on.
    share : Share
        Which rows of each batch are its own.

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
        """Whether this process writes the files."""
        return self.share.rank == 0

    @property
    def is_alone(self) -> bool:
        """Whether there is no other process."""
        return self.share.count == 1

    def connected(self, module: nn.Module) -> nn.Module:
        """Return a module whose gradients are the means over all processes."""
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
    """Return what processes run on: CUDA if there is a device for each, else the CPU.

    Examples
    --------
    >>> choose_accelerator("cpu", 2)
    'cpu'
    """
    n_found = torch.cuda.device_count()
    if name == "cuda" and n_found < n_processes:
        raise ValueError(
            f"--devices {n_processes} with --accelerator cuda needs as many CUDA devices, found "
            f"{n_found}. Use fewer, or --accelerator cpu."
        )
    if name == "auto":
        return "cuda" if n_found >= n_processes else "cpu"
    return name


def launch(
    n_processes: int, accelerator: str, function: Callable[..., object], *arguments: Any
) -> None:
    """Call a function of a process and arguments in several processes of this machine at once.

    The function and its arguments must be picklable. The first error of a process ends the others,
    and is raised as a ``ValueError`` with its message.
    """
    kind = choose_accelerator(accelerator, n_processes)
    try:
        with TemporaryDirectory(prefix="ordcut-") as folder:
            meeting = (Path(folder) / "store").as_uri()
            given = n_processes, kind, meeting, function, arguments
            spawn(_call, given, n_processes)  # type: ignore[no-untyped-call]
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
    meeting: str,
    function: Callable[..., object],
    arguments: tuple[Any, ...],
) -> None:
    """Join the process group by a shared file, and call the function."""
    Thread(target=_end_with_parent, daemon=True).start()
    if kind == "cuda":
        torch.cuda.set_device(rank)
    else:
        torch.set_num_threads(max(1, count_cores() // n_processes))
    backend = "nccl" if kind == "cuda" else "gloo"
    distributed.init_process_group(backend, meeting, rank=rank, world_size=n_processes)
    device = torch.device(kind, rank) if kind == "cuda" else torch.device(kind)
    function(Process(device, Share(rank, n_processes)), *arguments)
    distributed.destroy_process_group()


def _end_with_parent() -> None:
    """End this process when the one that started it ends, even if that was killed.

    Otherwise it would continue, and could write to the folder of a run that has been resumed.
    """
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
