"""Scores, labels and weights that are tensors: validated and sorted without leaving their device.

Rows are checked like arrays, and copied to the CPU only if a check fails, for its message.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ordcut._core.data import (
    Rows,
    as_scores,
    check_finite,
    check_plausible_classes,
    check_weights,
    encode,
    only_column,
    warn_if_reversed,
)
from ordcut._core.data.rows import MOST_TO_JUDGE
from ordcut._core.numerics.exact import EXACT, MOST_DISTINCT, weight_scale
from ordcut._core.numerics.limbs import Limbs
from ordcut._core.typing import Array

#: Integer labels with a range smaller than this are looked up in a table instead of sorted.
WIDEST_LOOKUP = 1 << 16


@dataclass(frozen=True)
class TensorRows:
    """Rows with a weight above 0, in the order of their scores after ``sort_rows``.

    Attributes
    ----------
    scores : tensor of shape (n,)
        Floating-point scores.
    codes : int64 tensor of shape (n,), optional
        The position of each row's class.
    soft : tensor of shape (n, K), optional
        Weights of the classes instead of codes, multiplied by the weights of the rows.
    weights : tensor of shape (n,), optional
        How much each row counts, int64 if all are whole; None if each counts 1.
    unit : float
        What a weight of 1 stands for, where weights were scaled to whole numbers.
    is_cut : bool tensor of shape (n + 1,)
        Which of the cuts lie between two different scores.
    n_classes : int
        The number of classes, K.
    """

    scores: Tensor
    codes: Tensor | None
    soft: Tensor | None
    weights: Tensor | None
    is_cut: Tensor
    n_classes: int
    unit: float = 1.0

    @property
    def is_whole(self) -> bool:
        """Whether all weights are whole numbers."""
        return self._given is None or not self._given.is_floating_point()

    @property
    def _given(self) -> Tensor | None:
        """The weights of the rows, or of their classes."""
        return self.weights if self.soft is None else self.soft

    def _with(self, given: Tensor) -> TensorRows:
        """Return the rows with other weights."""
        return replace(self, weights=given) if self.soft is None else replace(self, soft=given)

    def in_multiples(self) -> TensorRows:
        """Return rows whose weights are multiples of a common unit, where that makes them whole."""
        given = self._given
        assert given is not None
        flat = given.flatten()
        step = max(1, len(flat) // MOST_DISTINCT)
        if len(torch.unique(flat[::step])) > MOST_DISTINCT // 4 and step > 1:
            return self
        distinct = torch.unique(flat)
        if len(distinct) > MOST_DISTINCT:
            return self
        scale = weight_scale(on_host(distinct).astype(np.float64), float(flat.sum()))
        if scale is None:
            return self
        multiples = torch.round(given.double() * scale).to(torch.int64)
        return replace(self._with(multiples), unit=self.unit / scale)

    def limbs(self, bits: int) -> Limbs:
        """Return how to split fractional weights, so that sums are below two to a power."""
        given = self._given
        assert given is not None
        positive = given[given > 0]
        low, high = (float(value) for value in positive.aminmax())
        return Limbs.between(low, high, given.numel(), bits)

    def split(self, limbs: Limbs) -> list[TensorRows]:
        """Return rows with whole weights for each limb of the weights."""
        given = self._given
        assert given is not None
        first, step = limbs.factors
        rest, parts = given.double() * first, []
        for _ in range(limbs.n_limbs):
            whole = rest.floor()
            parts.append(self._with(whole.to(torch.int64)))
            rest = (rest - whole) * step
        return parts

    def take(self, index: Tensor) -> TensorRows:
        """Return the rows at the given positions; where they can be cut is not known of these."""
        return replace(
            self,
            scores=self.scores[index],
            codes=None if self.codes is None else self.codes[index],
            soft=None if self.soft is None else self.soft[index],
            weights=None if self.weights is None else self.weights[index],
        )

    def changes(self, step: Tensor, out: Tensor) -> None:
        """Fill ``out`` with ``step[class] * weight`` for each row."""
        if self.soft is not None:
            torch.sum(self.soft * step, 1, out=out)
            return
        assert self.codes is not None
        torch.index_select(step, 0, self.codes, out=out)
        if self.weights is not None:
            out *= self.weights

    def confusion(self, cuts: Tensor) -> Tensor:
        """Return the (predicted, true) table of weights, (K, K), that cuts lead to."""
        n, k = len(self.scores), self.n_classes
        # Each cut raises the class of all rows from it on.
        raised = cuts.new_zeros(n + 1).scatter_add_(0, cuts, torch.ones_like(cuts))
        predicted = torch.cumsum(raised, 0)[:n]
        if self.soft is not None:
            return self.soft.new_zeros(k, k).index_add_(0, predicted, self.soft)
        assert self.codes is not None
        return self._sum_by(predicted * k + self.codes, k * k).view(k, k)

    def totals(self) -> Tensor:
        """Return the weight of each class, (K,)."""
        if self.soft is not None:
            return self.soft.sum(dim=0)
        assert self.codes is not None
        return self._sum_by(self.codes, self.n_classes)

    def _sum_by(self, index: Tensor, n_sums: int) -> Tensor:
        """Return the sum of the weights of the rows with each index."""
        weights = torch.ones_like(index) if self.weights is None else self.weights
        return weights.new_zeros(n_sums).scatter_add_(0, index, weights)


def read_rows(
    scores: Tensor,
    labels: Tensor,
    *,
    classes: Sequence[Any] | Array | None,
    n_classes: int | None,
    weights: Any,
) -> tuple[TensorRows, Array]:
    """Return validated rows in the order of their scores, and the ordered classes."""
    labels = only_column(labels)
    if scores.dim() != 1 or scores.is_complex():
        as_scores(on_host(scores))  # raises the error
    if labels.device != scores.device:
        raise ValueError(
            "scores and labels must be on the same device, "
            f"got scores on {scores.device} and labels on {labels.device}."
        )
    if len(scores) == 0:
        raise ValueError("scores must hold at least one row, got none.")
    if len(labels) != len(scores):
        raise ValueError(
            "scores and labels must have the same length, "
            f"got {len(scores)} scores and {len(labels)} labels."
        )
    scores = scores.detach()
    if not scores.is_floating_point():
        if float(scores.double().abs().max()) >= EXACT:
            as_scores(on_host(scores))  # raises an error if digits would be lost
        scores = scores.double()
    codes, soft, ordered = _encode(labels.detach(), classes, n_classes)
    checked = _read_weights(weights, scores)
    rows = TensorRows(scores, codes, soft, checked, torch.empty(0), len(ordered))
    rows = _without_weightless(rows)
    _check_sample(rows, ordered, are_found=classes is None and n_classes is None)
    return sort_rows(rows), ordered


def _check_sample(rows: TensorRows, classes: Array, *, are_found: bool) -> None:
    """Raise an error if labels look continuous or swapped; warn if scores fall as classes rise."""
    sampled = slice(None, None, max(1, len(rows.scores) // MOST_TO_JUDGE))
    sample = Rows(
        on_host(rows.scores[sampled]),
        classes,
        None if rows.codes is None else on_host(rows.codes[sampled]),
        None if rows.soft is None else on_host(rows.soft[sampled]),
    )
    if are_found and rows.soft is None:
        check_plausible_classes(classes, sample.scores, len(rows.scores))
    warn_if_reversed(sample)


def sort_rows(rows: TensorRows) -> TensorRows:
    """Sort rows by their scores, and mark where they can be cut."""
    scores, order = torch.sort(rows.scores)
    if not bool(torch.isfinite(scores[[0, -1]]).all()):  # NaN comes last
        check_finite(on_host(rows.scores))
    end = scores.new_ones(1, dtype=torch.bool)
    return replace(rows.take(order), is_cut=torch.cat([end, scores[1:] != scores[:-1], end]))


def on_host(values: Tensor) -> Array:
    """Return a tensor as an array, without a copy if it is on the CPU already.

    NumPy has no bfloat16; its values become float32, which holds them all.
    """
    values = values.detach().cpu()
    return np.asarray((values.float() if values.dtype == torch.bfloat16 else values).numpy())


def has_float64(device: torch.device) -> bool:
    """Return whether a device supports float64; Apple's GPUs do not."""
    return device.type != "mps"


def _encode(
    labels: Tensor, classes: Sequence[Any] | Array | None, n_classes: int | None
) -> tuple[Tensor | None, Tensor | None, Array]:
    """Return the codes or the soft labels, and the ordered classes."""
    if labels.dim() != 1:
        soft = labels.double()
        is_valid = soft.dim() == 2 and soft.shape[1] > 1
        if not is_valid or not bool((torch.isfinite(soft) & (soft >= 0)).all()):
            encode(on_host(labels), classes, n_classes)  # raises the error
        first = encode(on_host(labels[:1]), classes, n_classes)
        is_whole = bool((soft == soft.round()).all() & (soft.sum() < EXACT))
        return None, soft.to(torch.int64) if is_whole else soft, first.classes
    values, index = _distinct(labels)
    try:
        encoded = encode(on_host(values), classes, n_classes)
    except ValueError:
        encode(on_host(labels), classes, n_classes)  # the same error, with the row's position
        raise
    codes = torch.as_tensor(encoded.codes, dtype=torch.int64, device=labels.device)
    return codes.index_select(0, index), None, encoded.classes


def _distinct(labels: Tensor) -> tuple[Tensor, Tensor]:
    """Return the distinct labels in ascending order, and the index of each label among them."""
    if not labels.is_floating_point() and labels.dtype != torch.bool:
        wide = labels.to(torch.int64)
        low, high = (int(value) for value in wide.aminmax())
        if high - low < WIDEST_LOOKUP:
            shifted = wide - low
            occurs = torch.zeros(high - low + 1, dtype=torch.int64, device=labels.device)
            occurs.index_fill_(0, shifted, 1)
            rank = torch.cumsum(occurs, 0) - 1
            values = (occurs.nonzero().squeeze(1) + low).to(labels.dtype)
            return values, rank.index_select(0, shifted)
    values, index = torch.unique(labels, return_inverse=True)
    return values, index


def _read_weights(weights: Any, scores: Tensor) -> Tensor | None:
    """Return weights on the device of the scores, int64 if all are whole, None if all are 1."""
    if weights is None:
        return None
    given = weights if isinstance(weights, Tensor) else torch.as_tensor(np.asarray(weights))
    checked = given.detach().to(scores.device, torch.float64)
    total = float(checked.sum())
    is_valid = checked.shape == scores.shape and bool((checked >= 0).all())
    if not is_valid or not 0 < total < float("inf"):
        check_weights(on_host(checked), len(scores))  # raises the error
    if total >= EXACT or not bool((checked == checked.round()).all()):
        return checked
    return None if bool((checked == 1).all()) else checked.to(torch.int64)


def _without_weightless(rows: TensorRows) -> TensorRows:
    """Leave out rows of weight 0, and multiply soft labels by the weights."""
    soft, weights = rows.soft, rows.weights
    if soft is not None:
        soft, weights = (soft if weights is None else _weighted(soft, weights)), None
        keep = (soft != 0).any(dim=1)
    elif weights is not None:
        keep = weights > 0
    else:
        return rows
    rows = replace(rows, soft=soft, weights=weights)
    if bool(keep.all()):
        return rows
    if not bool(keep.any()):
        raise ValueError("labels must have a weight above 0 in at least one row, got none.")
    return rows.take(keep.nonzero().squeeze(1))


def _weighted(soft: Tensor, weights: Tensor) -> Tensor:
    """Return soft labels times the weights of their rows, in float64 where they do not fit."""
    product = soft * weights[:, None]
    if product.is_floating_point():
        return product
    wide = soft.double() * weights[:, None]
    return product if float(wide.sum()) < EXACT else wide
