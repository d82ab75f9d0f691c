"""Validation of batches of scores and labels, for losses and trackers."""

from __future__ import annotations

import torch
from torch import Tensor

from ordcut.torch.coding import LabelCoding
from ordcut.torch.tracing import is_jit_tracing, is_traced


def check_tensor(values: object, name: str, instead: str = "") -> None:
    """Raise an error unless values are a tensor.

    Examples
    --------
    >>> check_tensor([0.5], "scores")
    Traceback (most recent call last):
    ...
    TypeError: scores must be a tensor, got list. Pass torch.as_tensor(scores).
    """
    if not isinstance(values, Tensor):
        raise TypeError(
            f"{name} must be a tensor, got {type(values).__name__}. "
            f"Pass torch.as_tensor({name}){instead}."
        )


def one_per_row(scores: Tensor, name: str = "scores") -> Tensor:
    """Return scores of shape (n,), given as (n,) or as a column (n, 1).

    Examples
    --------
    >>> one_per_row(torch.zeros(3, 1)).shape
    torch.Size([3])
    >>> one_per_row(torch.zeros(3, 2))
    Traceback (most recent call last):
    ...
    ValueError: scores must be of shape (n,) or (n, 1), got (3, 2). For logits of classes, ...
    """
    check_tensor(scores, name)
    # torch.jit.trace does not know the shape.
    if scores.dim() == 2 and (is_jit_tracing() or scores.shape[1] == 1):
        return scores.squeeze(1)
    if scores.dim() != 1:
        raise ValueError(
            f"{name} must be of shape (n,) or (n, 1), got {tuple(scores.shape)}. For logits of "
            "classes, pass the mean position: logits.softmax(1) @ torch.arange(n_classes).float()."
        )
    return scores


def read_batch(
    scores: Tensor,
    target: Tensor,
    coding: LabelCoding,
    *,
    names: tuple[str, str] = ("input", "target"),
    n_outputs: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Return the scores of a batch and the positions of its classes, after validating them.

    Parameters
    ----------
    scores : tensor of shape (n,) or (n, 1), or (n, n_outputs)
        Floats, a score per row; or several outputs per row, for a loss that has them.
    target : tensor of shape (n,), or tensor of shape (n, K)
        The classes, as the coding names them; or soft labels, a non-negative weight for each class.
    coding : LabelCoding
        The classes, and how labels name them.
    names : tuple of str
        The names of the arguments, for messages.
    n_outputs : int, optional
        The number of outputs per row; by default, a row has a single score.

    Returns
    -------
    tuple of tensor
        Scores of shape (n,), or (n, n_outputs); positions of shape (n,) as int64, or soft labels.

    Notes
    -----
    Values are checked on the CPU only: elsewhere the check would have to wait for the device. There
    the loss of an unknown class is NaN, and the search for thresholds raises the error.

    Examples
    --------
    >>> from ordcut.torch.coding import Values
    >>> read_batch(torch.zeros(2, 1), torch.tensor([18, 70]), Values(range(18, 71)))
    (tensor([0., 0.]), tensor([ 0, 52]))
    """
    of_scores, of_target = names
    check_tensor(target, of_target)
    if n_outputs is None:
        scores = one_per_row(scores, of_scores)
    else:
        check_tensor(scores, of_scores)
        if scores.dim() != 2 or scores.shape[1] != n_outputs:
            raise ValueError(
                f"{of_scores} must be of shape (n, {n_outputs}), got {tuple(scores.shape)}."
            )
    if not scores.is_floating_point():
        raise TypeError(f"{of_scores} must be floats, got {scores.dtype}.")
    if target.dim() == 2 and target.shape[1] > 1:
        _check_soft(target, len(scores), coding.n_classes, of_target)
        return scores, target
    if target.shape != scores.shape[:1]:
        hint = f" Pass {of_target}.squeeze(1)." if target.shape[1:] == (1,) else ""
        raise ValueError(
            f"{of_target} must hold one class for each of the {len(scores)} scores, "
            f"got shape {tuple(target.shape)}.{hint}"
        )
    return scores, coding.encode(target, of_target)


def read_weights(weights: Tensor, scores: Tensor) -> Tensor:
    """Return the weights of rows, (n,), on the device of their scores.

    Examples
    --------
    >>> read_weights(torch.ones(3), torch.zeros(2))
    Traceback (most recent call last):
    ...
    ValueError: sample_weight must hold one weight for each of the 2 scores, got shape (3,).
    """
    check_tensor(weights, "sample_weight")
    if weights.shape != scores.shape[:1]:
        raise ValueError(
            f"sample_weight must hold one weight for each of the {len(scores)} scores, got shape "
            f"{tuple(weights.shape)}."
        )
    if weights.device.type == "cpu" and not is_traced():
        check_not_negative(weights, "sample_weight must be finite and not negative.")
    return weights.to(scores.device)


def check_not_negative(values: Tensor, message: str) -> None:
    """Raise an error with a message unless all values are finite and at least 0."""
    if not bool((torch.isfinite(values) & (values >= 0)).all()):
        raise ValueError(message)


def _check_soft(target: Tensor, n_rows: int, n_classes: int | None, name: str) -> None:
    expected = (n_rows, target.shape[1] if n_classes is None else n_classes)
    if target.shape != expected:
        raise ValueError(
            f"{name} must be of shape ({n_rows},), or {expected} for soft labels, "
            f"got {tuple(target.shape)}."
        )
    if target.device.type == "cpu" and not is_traced():
        check_not_negative(
            target, f"{name} must be finite and not negative where they are soft labels."
        )
