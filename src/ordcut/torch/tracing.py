"""Whether a compiler or an exporter records the operations on tensors."""

from __future__ import annotations

import torch
from torch.jit import is_tracing  # type: ignore[attr-defined]


def is_traced() -> bool:
    """Return whether a compiler or an exporter records the operations.

    In this case nothing may depend on the values of a tensor, so values are not checked.

    Examples
    --------
    >>> is_traced()
    False
    """
    return torch.compiler.is_compiling() or is_jit_tracing()


def is_jit_tracing() -> bool:
    """Return whether ``torch.jit.trace`` records the operations.

    Examples
    --------
    >>> is_jit_tracing()
    False
    """
    return bool(is_tracing())  # type: ignore[no-untyped-call]
