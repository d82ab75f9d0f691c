"""The optimal value as a torchmetrics metric."""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor

try:
    from torchmetrics import Metric
    from torchmetrics.utilities import dim_zero_cat
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "ThresholdMetric needs torchmetrics, which is not installed. "
        "Install it with: pip install torchmetrics.",
        name="torchmetrics",
    ) from error

from ordcut._core.data import ClassWeight
from ordcut._core.errors import unknown_name
from ordcut._core.objectives import ObjectiveLike
from ordcut._core.thresholds import Thresholds
from ordcut.torch.coding import Classes
from ordcut.torch.gathering import LabelledScores, RowStore
from ordcut.torch.labelings import threshold_labels
from ordcut.torch.tensors import has_float64
from ordcut.torch.tracker import ThresholdTracker

OUTPUTS = ("both", "optimal", "current")


class ThresholdMetric(Metric):
    """The best value that any thresholds reach on the rows, and the value of current thresholds.

    ``compute`` returns a dictionary of ``"optimal"``, the exact optimum over all thresholds on the
    rows since ``reset``, and ``"current"``, the value of the given thresholds, if any. Their
    difference is what better thresholds could gain. With ``output``, it returns one of them as a
    scalar, as ``self.log`` of a ``LightningModule`` needs it.

    Parameters
    ----------
    n_classes : int, optional
        The number of classes, K; labels are 0..K-1.
    objective : str, array-like of shape (K, K), callable, Kappa or Objective
        The objective, as in :func:`ordcut.optimal_thresholds`.
    classes : sequence of numbers, optional
        The values of the classes instead of their number, as in :class:`ThresholdTracker`.
    thresholds : Thresholds or ThresholdTracker, optional
        The current thresholds. A tracker gives the thresholds that it has when ``compute`` is
        called.
    class_weight : "balanced", dict or array-like of shape (n_classes,), optional
        How much the rows of each class count.
    ignore_index : int, optional
        The label of rows to ignore, such as -100.
    output : {"both", "optimal", "current"}
        Whether ``compute`` returns both values, or one of them as a scalar. The current value is
        NaN as long as a tracker has no thresholds.
    **kwargs : Any
        Options of ``torchmetrics.Metric``.

    Examples
    --------
    >>> import torch
    >>> from ordcut import Thresholds, optimal_thresholds
    >>> from ordcut.torch import ThresholdMetric
    >>> current = optimal_thresholds([0.1, 0.3, 0.9], [0, 1, 2])
    >>> metric = ThresholdMetric(n_classes=3, thresholds=current)
    >>> metric.update(torch.tensor([0.1, 0.4, 0.5, 0.9]), torch.tensor([0, 0, 1, 2]))
    >>> {name: value.item() for name, value in metric.compute().items()}
    {'optimal': 0.0, 'current': 0.25}
    >>> scalar = ThresholdMetric(n_classes=3, objective="quadratic_kappa", output="optimal")
    >>> scalar.update(torch.tensor([0.1, 0.4, 0.5, 0.9]), torch.tensor([0, 0, 1, 2]))
    >>> scalar.compute().item()
    1.0
    """

    is_differentiable = False
    full_state_update = False
    __jit_unused_properties__ = [*Metric.__jit_unused_properties__, "higher_is_better"]  # noqa: RUF012

    def __init__(
        self,
        n_classes: int | None = None,
        objective: ObjectiveLike = "absolute",
        *,
        classes: Classes | None = None,
        thresholds: Thresholds | ThresholdTracker | None = None,
        class_weight: ClassWeight | None = None,
        ignore_index: int | None = None,
        output: Literal["both", "optimal", "current"] = "both",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if output not in OUTPUTS:
            raise unknown_name("output", output, OUTPUTS)
        if output == "current" and thresholds is None:
            raise ValueError('output="current" needs thresholds, got none. Pass thresholds=.')
        self.output = output
        tracker = ThresholdTracker(
            n_classes,
            objective,
            classes=classes,
            class_weight=class_weight,
            ignore_index=ignore_index,
        )
        self._tracker, self._current = _Shared(tracker), _Shared(thresholds)
        for name in ("scores", "labels", "weights"):
            self.add_state(name, default=[], dist_reduce_fx="cat")

    @property
    def higher_is_better(self) -> bool:  # type: ignore[override]
        """Whether a higher value is better: true for a kappa, false for a loss."""
        tracker: ThresholdTracker = self._tracker.value
        return tracker.objective.is_maximised

    def update(self, preds: Tensor, target: Tensor, sample_weight: Tensor | None = None) -> None:
        """Store the scores and labels of a batch.

        Parameters
        ----------
        preds : tensor of shape (n_samples,) or (n_samples, 1)
            One score per row.
        target : tensor of shape (n_samples,), or tensor of shape (n_samples, n_classes)
            The true classes, 0..K-1 or values of ``classes``; or soft labels, a weight for each row
            and class.
        sample_weight : tensor of shape (n_samples,), optional
            How much each row counts; 1 by default.
        """
        tracker: ThresholdTracker = self._tracker.value
        store = RowStore(tracker.coding)
        weights = torch.ones(len(preds)) if sample_weight is None else sample_weight
        store.append(preds, target, weights)
        for name, values in zip(LabelledScores._fields, store.joined(preds.device), strict=True):
            getattr(self, name).append(values)

    def compute(self) -> dict[str, Tensor] | Tensor:
        """Return the optimum of all rows and the value of the current thresholds, or one of them.

        See ``output``.
        """
        tracker: ThresholdTracker = self._tracker.value
        rows = LabelledScores(
            *(dim_zero_cat(getattr(self, name)) for name in LabelledScores._fields)
        )
        rows = rows.restored(tracker.coding)
        values = {}
        if self.output != "current":
            values["optimal"] = tracker.solve(rows).value
        current = self._current.value
        if isinstance(current, ThresholdTracker):
            current = current.result
        if current is not None and self.output != "optimal":
            positions = threshold_labels(rows.scores, current)
            labels = tracker.coding.restore(positions)
            values["current"] = tracker.evaluate(rows.labels, labels, rows.weights)
        device = rows.scores.device
        dtype = torch.float64 if has_float64(device) else torch.float32
        tensors = {n: torch.tensor(values[n], dtype=dtype, device=device) for n in values}
        if self.output == "both":
            return tensors
        return tensors.get(self.output, torch.tensor(torch.nan, dtype=dtype, device=device))


class _Shared:
    """Refers to a value that copies of a metric share: a copy of a tracker would never change."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __deepcopy__(self, memo: Any) -> _Shared:
        return self
