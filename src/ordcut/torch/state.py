"""The result of a search as a tensor, for checkpoints that hold only tensors."""

from __future__ import annotations

import json
from zlib import crc32

import numpy as np
import torch
from torch import Tensor

from ordcut._core.objectives import Objective
from ordcut._core.thresholds import Thresholds
from ordcut.torch.tensors import on_host


def capacity(n_classes: int) -> int:
    """Return how many bytes are reserved for a result.

    Tools that average, exchange or load states in place need tensors whose shapes never change.
    """
    return 2048 + 96 * n_classes


def pack(result: Thresholds | None, objective: Objective) -> Tensor:
    """Return a result as JSON in a uint8 tensor, filled up with zeros; all zeros for None.

    Examples
    --------
    >>> from ordcut._core.objectives import resolve_objective
    >>> pack(None, resolve_objective("absolute", 3)).sum()
    tensor(0)
    """
    data = b""
    if result is not None:
        record = {"result": json.loads(result.to_json(time=False)), "costs": digest(objective)}
        data = json.dumps(record, separators=(",", ":")).encode()
    values = np.zeros(max(capacity(objective.n_classes), len(data)), dtype=np.uint8)
    values[: len(data)] = np.frombuffer(data, dtype=np.uint8)
    return torch.from_numpy(values)


def unpack(packed: Tensor) -> tuple[Thresholds | None, int | None]:
    """Return the result in a tensor, and the digest of the costs of its objective.

    Examples
    --------
    >>> import ordcut
    >>> from ordcut._core.objectives import resolve_objective
    >>> result = ordcut.optimal_thresholds([1, 2, 3], [0, 1, 2])
    >>> unpack(pack(result, resolve_objective("absolute", 3)))[0] == result
    True
    """
    text = on_host(packed).astype(np.uint8).tobytes().rstrip(b"\0")
    if not text:
        return None, None
    try:
        record = json.loads(text.decode())
        return Thresholds.from_json(json.dumps(record["result"])), int(record["costs"])
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(
            "the state of a ThresholdTracker must be what its state_dict returned, got "
            f"something else: {error}. The state_dict is damaged, or something has computed with "
            "its values, such as an average of states."
        ) from error


def digest(objective: Objective) -> int:
    """Return a number that differs for objectives with different costs, also if the names agree.

    Examples
    --------
    >>> from ordcut._core.objectives import resolve_objective
    >>> kappa, squared = (resolve_objective(name, 4) for name in ("quadratic_kappa", "squared"))
    >>> digest(kappa) == digest(squared)
    False
    """
    return crc32(objective.fingerprint())


def mark_of(result: Thresholds | None) -> float:
    """Return a whole number that differs for different thresholds, and is 0 for none.

    Examples
    --------
    >>> mark_of(None)
    0.0
    """
    return 0.0 if result is None else 1.0 + crc32(result.thresholds.astype("<f8").tobytes()) % 2**20
