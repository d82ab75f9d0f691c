"""Scores of batches outside a training step: the content of a batch, and calls of a module."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor, nn

from ordcut._core.errors import InfeasibleConstraintsError
from ordcut._core.objectives import Objective

#: A function of a module and a batch that returns the scores and labels of its rows, and optionally
#: their weights.
ScoreFunction: TypeAlias = Callable[..., tuple[Tensor, ...]]

LABEL_KEYS = ("labels", "label", "targets", "target", "y")
WEIGHT_KEY = "sample_weight"


def score_batch(module: nn.Module, batch: Any) -> tuple[Tensor, ...]:
    """Return the scores and labels of a batch, and the weights of its rows, if any.

    A batch is a pair of inputs and labels; or a dictionary with ``"labels"`` (or ``"label"``,
    ``"targets"``, ``"target"``, ``"y"``), maybe ``"sample_weight"``, and inputs. A module gets a
    single input as it is, and several by their names. It returns scores, or a dictionary that has
    them as ``"scores"`` or ``"logits"``.

    Examples
    --------
    >>> layer = nn.Linear(2, 1)
    >>> scores, labels = score_batch(layer, {"x": torch.zeros(3, 2), "label": torch.arange(3)})
    >>> scores.shape
    torch.Size([3, 1])
    """
    if isinstance(batch, Mapping):
        keys = [key for key in LABEL_KEYS if key in batch]
        if len(keys) == 1:
            inputs = {name: batch[name] for name in batch if name not in (keys[0], WEIGHT_KEY)}
            outputs = module(*inputs.values()) if len(inputs) == 1 else module(**inputs)
            weights = [batch[WEIGHT_KEY]] if WEIGHT_KEY in batch else []
            return (scores_of(outputs), batch[keys[0]], *weights)
    elif isinstance(batch, tuple | list) and len(batch) == 2:
        return scores_of(module(batch[0])), batch[1]
    kind = type(batch).__name__ + (f" with {sorted(batch)}" if isinstance(batch, Mapping) else "")
    raise TypeError(
        f'a batch must be a pair of inputs and labels, or a dictionary with "labels", got {kind}. '
        "Pass score=, a function of the module and a batch that returns scores and labels."
    )


def scores_of(outputs: Any) -> Tensor:
    """Return the scores in the outputs of a module: a tensor, or an entry of a dictionary.

    Examples
    --------
    >>> scores_of({"logits": torch.zeros(2)})
    tensor([0., 0.])
    """
    if isinstance(outputs, Mapping):
        outputs = next((outputs[key] for key in ("scores", "logits") if key in outputs), outputs)
    if not isinstance(outputs, Tensor):
        raise TypeError(
            'a module must return scores as a tensor, or in a dictionary as "scores" or "logits", '
            f"got {type(outputs).__name__}. Pass score=, a function of the module and a batch that "
            "returns scores and labels."
        )
    return outputs


def metric_name(objective: Objective) -> str:
    """Return what values of an objective are called in logs, where names must be plain.

    Examples
    --------
    >>> from ordcut._core.objectives import resolve_objective
    >>> metric_name(resolve_objective("squared", 3))
    'squared'
    >>> metric_name(resolve_objective([[0, 1], [5, 0]], 2))
    'cost'
    """
    if objective.name.isidentifier():
        return objective.name
    return objective.noun


@contextmanager
def evaluating(module: nn.Module) -> Iterator[None]:
    """Put a module into evaluation mode, and each of its parts back into its own mode afterwards.

    Examples
    --------
    >>> layer = nn.Dropout()
    >>> with evaluating(layer):
    ...     print(layer.training)
    False
    >>> layer.training
    True
    """
    modes = [(part, part.training) for part in module.modules()]
    module.eval()
    try:
        yield
    finally:
        for part, mode in modes:
            part.training = mode


@contextmanager
def naming_epoch(epoch: float | None) -> Iterator[None]:
    """Add the epoch to an error that is raised in the block.

    Examples
    --------
    >>> with naming_epoch(3):
    ...     raise ValueError("scores must be finite.")
    Traceback (most recent call last):
    ...
    ValueError: scores must be finite. This was in epoch 3.
    """
    try:
        yield
    except InfeasibleConstraintsError as error:
        error.add_note(
            f"This was in epoch {epoch}. Constraints often cannot hold before a network is "
            "trained. Train without them, and pass them to ordcut.torch.optimal_thresholds for the "
            "scores of the trained network."
        )
        raise
    except ValueError as error:
        raise ValueError(f"{error} This was in epoch {epoch}.") from error


@contextmanager
def same_random_state(*loaders: Any) -> Iterator[None]:
    """Leave the random state of Python, NumPy, PyTorch and data loaders as it was.

    A loader that shuffles draws from it, and so do random crops: without this, a training with
    thresholds would see other batches than a training without.

    Examples
    --------
    >>> _ = torch.manual_seed(0)
    >>> with same_random_state():
    ...     first = torch.rand(1)
    >>> first == torch.rand(1)
    tensor([True])
    """
    has_cuda = torch.cuda.is_initialized()  # type: ignore[no-untyped-call]
    devices = list(range(torch.cuda.device_count())) if has_cuda else []
    generators = [generator for loader in loaders for generator in _generators(loader)]
    states = [generator.get_state() for generator in generators]
    python, numpy = random.getstate(), np.random.get_state()  # noqa: NPY002 (the global state)
    try:
        with torch.random.fork_rng(devices):
            yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)  # noqa: NPY002
        for generator, state in zip(generators, states, strict=True):
            generator.set_state(state)


def _generators(loader: Any) -> list[torch.Generator]:
    """Return the generators of a data loader and of its samplers, each once."""
    sampler, batches = (getattr(loader, name, None) for name in ("sampler", "batch_sampler"))
    parts = (loader, sampler, batches, getattr(batches, "sampler", None))
    generators = [getattr(part, "generator", None) for part in parts]
    return list({id(g): g for g in generators if isinstance(g, torch.Generator)}.values())
