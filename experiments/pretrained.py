"""Load pretrained parameters from files with torchvision's names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from experiments.splits import abbreviate

#: The last layer, which has another number of outputs in torchvision's networks.
LAST_LAYER = ("fc.weight", "fc.bias")

#: The ending of counters that files of older releases of torch do not have.
COUNTER = "num_batches_tracked"


def load_pretrained(network: nn.Module, file: Path) -> list[str]:
    """Load the parameters in a file into a network; return notes about parameters left out.

    Parameters
    ----------
    network : Module
        A network whose parameters have torchvision's names.
    file : Path
        A state dict that ``torch.save`` wrote, or a safetensors file (``.safetensors``). All
        parameters but those of the last layer must fit.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from experiments.resnet import resnet18
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "faces.pt"
    ...     torch.save(resnet18(5).state_dict(), file)
    ...     load_pretrained(resnet18(5), file)
    []
    """
    loaded, own = read_parameters(file), network.state_dict()
    misshapen = [name for name in own if name in loaded and _shape(loaded[name]) != own[name].shape]
    missing = [name for name in own if name not in loaded and not name.endswith(COUNTER)]
    notes, left_out = [], set()
    if any(name in LAST_LAYER for name in (*misshapen, *missing)):
        left_out = {*LAST_LAYER}
        shapes = [f"{name} {tuple(_shape(loaded[name]))}" for name in LAST_LAYER if name in loaded]
        notes.append(
            f"The last layer of {file.name} is left out, since it has another shape "
            f"({', '.join(shapes) or 'none'}); that of the network starts anew."
        )
    missing = [name for name in missing if name not in left_out]
    shapes = [
        f"{name} {tuple(_shape(loaded[name]))} instead of {tuple(own[name].shape)}"
        for name in misshapen
        if name not in left_out
    ]
    unknown = [name for name in loaded if name not in own]
    problems = [
        f"{len(names)} {problem}: {abbreviate(names)}"
        for names, problem in (
            (missing, "missing"),
            (shapes, "of another shape"),
            (unknown, "not of this network"),
        )
        if names
    ]
    if problems:
        nested = [name for name in unknown if isinstance(loaded[name], dict)]
        remedy = (
            f"Save {' or '.join(map(repr, nested))} of the file, a dictionary, to a file of its own"
            if nested
            else "Pass a file for this --network, or another --network"
        )
        raise ValueError(
            f"--pretrained {file} must hold the parameters of the network by torchvision's names, "
            f"got {'; '.join(problems)}. {remedy}."
        )
    used = {name: value for name, value in loaded.items() if name not in left_out}
    network.load_state_dict(used, strict=False)
    return notes


def _shape(value: Any) -> torch.Size:
    """Return the shape of a tensor, or one that no tensor has."""
    return value.shape if isinstance(value, Tensor) else torch.Size([-1])


def read_parameters(file: Path) -> dict[str, Any]:
    """Return the state dict in a file; no code in it is executed."""
    if not file.is_file():
        raise FileNotFoundError(f"--pretrained must be a file; {file} is not one.")
    try:
        if file.suffix == ".safetensors":
            state: Any = _read_safetensors(file)
        else:
            state = torch.load(file, map_location="cpu", weights_only=True)
    except ImportError:
        raise
    except Exception as error:
        raise ValueError(
            f"--pretrained {file} must be a state dict that torch.save wrote, or a safetensors "
            f"file named .safetensors, and cannot be read ({type(error).__name__}). If it holds a "
            "whole network, save network.state_dict() instead; files that could execute code are "
            "not loaded."
        ) from error
    if not isinstance(state, dict) or not all(isinstance(name, str) for name in state):
        raise ValueError(
            f"--pretrained {file} must be a state dict, parameters by name, got "
            f"{type(state).__name__}."
        )
    return state


def _read_safetensors(file: Path) -> dict[str, Tensor]:
    try:
        from safetensors.torch import load_file
    except ImportError as error:
        raise ImportError(
            f"{file.name} needs safetensors, which is not installed. Install it with: "
            "pip install safetensors."
        ) from error
    state: dict[str, Tensor] = load_file(file)
    return state
