"""Optimal thresholds for tensors: the fast solvers on the CPU, prefix scans on other devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import torch
from torch import Tensor

import ordcut
from ordcut.arrays import Array, ArrayLike, Floats
from ordcut.checks import ClassWeight, class_factors
from ordcut.errors import unknown_name
from ordcut.objectives import (
    Objective,
    ObjectiveLike,
    in_whole_numbers,
    is_convex,
    n_classes_of,
    resolve_objective,
)
from ordcut.placing import place_between
from ordcut.solvers import METHODS, check_costs
from ordcut.thresholds import Thresholds
from ordcut.torch.labelings import has_float64
from ordcut.torch.ratio import STEPS_AT_ONCE, KappaSearch
from ordcut.torch.scan import find_cuts
from ordcut.torch.tensors import TensorRows, on_host, read_rows

Method: TypeAlias = Literal["auto", "scan", "dp", "io", "pio", "blocks", "nested", "pruned"]


def optimal_thresholds(
    scores: Tensor,
    labels: Tensor,
    *,
    objective: ObjectiveLike = "absolute",
    classes: Sequence[Any] | Array | None = None,
    sample_weight: Tensor | ArrayLike | None = None,
    class_weight: ClassWeight | None = None,
    method: Method = "auto",
    n_jobs: int | None = None,
    block_size: int | None = None,
) -> Thresholds:
    """Find the thresholds of least empirical loss, or of the highest kappa, for tensors.

    The contract, and the thresholds, are those of :func:`ordcut.optimal_thresholds`. On the CPU
    its solvers read the memory of the tensors. On another device the rows stay where they are:
    they are sorted and scanned there, and only the thresholds and what they reach come back.

    Parameters
    ----------
    scores : tensor of shape (n_samples,)
        Finite scores; higher means a higher class. Half precision will do.
    labels : tensor of shape (n_samples,) or (n_samples, n_classes)
        The true classes as numbers; or soft labels, a weight that is not negative for each row
        and class.
    objective : str, array-like of shape (K, K), callable, Kappa or Objective
        A loss to minimise or a kappa to maximise.
    classes : sequence, optional
        All classes, lowest first, those that do not occur included. By default those that occur.
    sample_weight : tensor of shape (n_samples,), optional
        How much each row counts. A weight of 2 equals the row twice, a weight of 0 no row.
    class_weight : "balanced", dict or array-like of shape (n_classes,), optional
        How much the rows of each class count.
    method : {"auto", "scan", "dp", "io", "pio", "blocks", "nested", "pruned"}
        ``"scan"`` sorts and scans on the device of the scores, whichever it is. The others run on
        the CPU. ``"auto"`` takes the fastest on the CPU, and ``"scan"`` on other devices.
    n_jobs, block_size : int, optional
        For the methods that run on the CPU.

    Returns
    -------
    Thresholds
        The thresholds, their value, and why they are optimal.

    Notes
    -----
    Where costs and weights are whole numbers, ``"scan"`` returns the thresholds of the other
    methods to the last bit. A kappa is whole up to some 10 000 rows of few classes, and in
    float64 beyond.

    Examples
    --------
    >>> import torch
    >>> from ordcut.torch import optimal_thresholds
    >>> scores, labels = torch.tensor([0.1, 0.4, 0.5, 0.9]), torch.tensor([0, 0, 1, 2])
    >>> optimal_thresholds(scores, labels)
    Thresholds(0 < 0.45 <= 1 < 0.7 <= 2, absolute=0, method='nested')
    >>> optimal_thresholds(scores, labels, objective="kappa", method="scan").certificate
    "Dinkelbach's fixed point after 2 steps, each by dynamic programme over all ordered labelings"
    """
    _check_tensors(scores=scores, labels=labels)
    on_cpu = scores.device.type == "cpu" or not has_float64(scores.device)
    if method not in (*METHODS, "scan"):
        raise unknown_name("method", method, ["scan", *METHODS])
    if method == "scan" or (method == "auto" and not on_cpu):
        rows, ordered = read_rows(
            scores, labels, classes=classes, n_classes=n_classes_of(objective),
            weights=sample_weight,
        )  # fmt: skip
        return scan(rows, ordered, resolve_objective(objective, len(ordered)), class_weight)
    if not on_cpu:
        raise ValueError(
            f'method="{method}" runs on the CPU, got scores on {scores.device}. '
            'Use method="auto", or pass scores.cpu() and labels.cpu().'
        )
    return ordcut.optimal_thresholds(
        on_host(scores),
        on_host(labels),
        objective=objective,
        classes=classes,
        sample_weight=on_host(sample_weight)
        if isinstance(sample_weight, Tensor)
        else sample_weight,
        class_weight=class_weight,
        method=method,
        n_jobs=n_jobs,
        block_size=block_size,
    )


def scan(
    rows: TensorRows, classes: Array, objective: Objective, class_weight: ClassWeight | None
) -> Thresholds:
    """Return the optimal thresholds of sorted rows, found on their device."""
    totals = on_host(rows.totals()).astype(np.float64)
    factors = class_factors(class_weight, classes, totals)
    check_costs(objective, float(totals.sum() * factors.max()))
    if objective.is_kappa:
        search = KappaSearch(rows, objective, totals, factors)
        step = search.start()
        while not bool(step.is_over):
            for _ in range(STEPS_AT_ONCE):
                step = search.after(step)
        cuts, why = step.cuts, _why(search.is_convex)
        why = f"Dinkelbach's fixed point after {int(step.n_steps)} steps, each by {why}"
    else:
        # Scans add up differences of costs, which can be twice as large.
        numbers = in_whole_numbers(objective.cost * factors, 2 * float(totals.sum()))
        convex = is_convex(numbers)
        kind = np.int64 if rows.is_whole and numbers.dtype == np.int64 else np.float64
        cost = torch.as_tensor(numbers.astype(kind)).to(rows.scores.device)
        cuts, why = find_cuts(rows, cost, convex), _why(convex)
    around = _scores_around(rows.scores, cuts)
    confusion: Floats = on_host(rows.confusion(cuts)).astype(np.float64)
    return Thresholds(
        thresholds=place_between(*around),
        classes=classes,
        value=objective.value(confusion * factors),
        objective=objective.name,
        method="scan",
        certificate=why,
        ranges=around.T.astype(np.float64) + 0.0,
    )


def _why(convex: bool) -> str:
    if convex:
        return "convex objective (Theorem 2)"
    return "dynamic programme over all ordered labelings"


def _scores_around(scores: Tensor, cuts: Tensor) -> Array:
    """Return the scores on both sides of each cut, (2, K - 1), infinite at the ends."""
    end = scores.new_full((1,), torch.inf)
    padded = torch.cat([-end, scores, end])
    return on_host(torch.stack([padded.index_select(0, cuts), padded.index_select(0, cuts + 1)]))


def _check_tensors(**given: object) -> None:
    for name, value in given.items():
        if not isinstance(value, Tensor):
            raise TypeError(
                f"{name} must be a tensor, got {type(value).__name__}. "
                "For arrays there is ordcut.optimal_thresholds."
            )
