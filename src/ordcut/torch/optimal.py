"""Optimal thresholds of tensors: the solvers of arrays on the CPU, scans on other devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from torch import Tensor

import ordcut
from ordcut._core.data import ClassWeight, WeightType
from ordcut._core.errors import unknown_name
from ordcut._core.limits import Constraints, read_constraints
from ordcut._core.objectives import ObjectiveLike, n_classes_of, resolve_objective
from ordcut._core.smoothing import Smoothing, check_smoothing
from ordcut._core.solvers import METHODS, Plan, Task, choose_method
from ordcut._core.thresholds import Thresholds
from ordcut._core.typing import Array, ArrayLike
from ordcut.torch.batches import check_tensor, one_per_row
from ordcut.torch.scan import scan
from ordcut.torch.tensors import has_float64, on_host, read_rows

Method: TypeAlias = Literal[
    "auto", "scan", "dp", "io", "pio", "blocks", "nested", "zero_one", "pruned"
]


def optimal_thresholds(
    scores: Tensor,
    labels: Tensor,
    objective: ObjectiveLike = "absolute",
    *,
    classes: Sequence[Any] | Array | None = None,
    sample_weight: Tensor | ArrayLike | None = None,
    weight_type: WeightType | None = None,
    class_weight: ClassWeight | None = None,
    constraints: Constraints = (),
    smoothing: Smoothing = 0.0,
    method: Method = "auto",
    n_jobs: int | None = None,
    block_size: int | None = None,
) -> Thresholds:
    """Find the thresholds of least empirical loss, or of the highest kappa, for tensors.

    The arguments and the thresholds are as in :func:`ordcut.optimal_thresholds`. On the CPU, its
    solvers read the memory of the tensors. On another device, the rows are sorted and scanned
    there, and only the thresholds and their value are copied back.

    Parameters
    ----------
    scores : tensor of shape (n_samples,) or (n_samples, 1)
        Finite scores of any floating-point dtype; higher means a higher class.
    labels : tensor of shape (n_samples,) or (n_samples, n_classes)
        The true classes as numbers; or soft labels, a non-negative weight for each row
        and class.
    objective, classes, class_weight
        As in :func:`ordcut.optimal_thresholds`.
    sample_weight : tensor of shape (n_samples,), optional
        How much each row counts. A weight of 2 repeats the row, a weight of 0 drops it.
    weight_type, constraints, smoothing
        As in :func:`ordcut.optimal_thresholds`. With constraints, or smoothing above 0, rows on
        another device are copied to the CPU.
    method : {"auto", "scan", "dp", "io", "pio", "blocks", "nested", "zero_one", "pruned"}
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
    For losses, ``"scan"`` returns the same thresholds as the other methods, to the last bit, also
    for fractional weights, unless these lie extremely far apart. Kappas are computed in whole
    numbers for up to about 10 000 rows of few classes. Beyond, and for weights without a common
    unit, they are computed in float64, without the exact comparison of near ties that the other
    methods have. The certificate then ends with "up to rounding of float64 sums".

    Examples
    --------
    >>> import torch
    >>> from ordcut.torch import optimal_thresholds
    >>> scores, labels = torch.tensor([0.1, 0.4, 0.5, 0.9]), torch.tensor([0, 0, 1, 2])
    >>> optimal_thresholds(scores, labels)
    Thresholds([0.45, 0.7], classes=[0, 1, 2], absolute=0, method='nested')
    >>> optimal_thresholds(scores, labels, objective="kappa", method="scan").certificate
    "Dinkelbach's fixed point after 2 steps, each by dynamic programme over all ordered labelings"
    """
    for name, values in (("scores", scores), ("labels", labels)):
        check_tensor(values, name, "; for arrays, use ordcut.optimal_thresholds")
    Plan(n_jobs=n_jobs, block_size=block_size).check()
    check_smoothing(smoothing)
    scores = one_per_row(scores)
    limits = read_constraints(constraints)
    for name, given, is_used in (
        ("smoothing", smoothing, smoothing != 0),
        ("constraints", constraints, bool(limits)),
    ):
        if is_used and method == "scan":
            raise ValueError(
                f"{name} needs a method that runs on the CPU, got {name}={given!r} and "
                'method="scan". Use method="auto".'
            )
    is_of_rows = resolve_objective(objective, n_classes_of(objective) or 2).kind != "segments"
    needs_cpu = smoothing != 0 or bool(limits) or not is_of_rows
    on_cpu = scores.device.type == "cpu" or not has_float64(scores.device) or needs_cpu
    if _resolve_method(method, on_cpu) == "scan":
        rows, ordered = read_rows(
            scores, labels, classes=classes, n_classes=n_classes_of(objective),
            weights=sample_weight,
        )  # fmt: skip
        resolved = resolve_objective(objective, ordered).weighted(class_weight, ordered)
        return scan(rows, ordered, resolved)
    if not on_cpu:
        raise ValueError(
            f'method="{method}" runs on the CPU, got scores on {scores.device}. '
            'Use method="auto", or pass scores.cpu() and labels.cpu().'
        )
    weights = on_host(sample_weight) if isinstance(sample_weight, Tensor) else sample_weight
    return ordcut.optimal_thresholds(
        on_host(scores),
        on_host(labels),
        objective=objective,
        classes=classes,
        sample_weight=weights,
        weight_type=weight_type,
        class_weight=class_weight,
        constraints=limits,
        smoothing=smoothing,
        method=method,  # type: ignore[arg-type]
        n_jobs=n_jobs,
        block_size=block_size,
    )


def _resolve_method(method: str, on_cpu: bool) -> str:
    """Return the method for a device; on the CPU, "auto" is left to the function for arrays."""
    names = ("scan", *METHODS)
    if method not in names:
        raise unknown_name("method", method, names)
    if method == "scan" or on_cpu:
        return method
    # On a device, what "auto" means does not depend on the costs.
    return choose_method(method, Task("other", where="device"))
