"""Thresholds in a training loop: collect scores, solve once per epoch, store the result."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from ordcut._core.data import ClassWeight, WeightType
from ordcut._core.errors import ReversedScoresWarning
from ordcut._core.limits import Constraints, limits_for, read_constraints, refuse_confidence
from ordcut._core.objectives import ObjectiveLike, canonical_name, resolve_objective
from ordcut._core.smoothing import Smoothing, check_smoothing
from ordcut._core.thresholds import Thresholds
from ordcut.studies.metrics import evaluate
from ordcut.torch.batches import check_tensor, one_per_row, read_batch
from ordcut.torch.coding import Classes, look_up, read_coding
from ordcut.torch.gathering import LabelledScores, RowStore
from ordcut.torch.labelings import count_thresholds, every_labeling, threshold_labels
from ordcut.torch.optimal import Method, optimal_thresholds
from ordcut.torch.state import digest, mark_of, pack, unpack
from ordcut.torch.tensors import has_float64, on_host
from ordcut.torch.tracing import is_traced

#: Why the rows that chose an epoch promise nothing for new rows.
CHOSEN = (
    "the rows also choose the best epoch. Pass the scores of other rows, after training, to "
    "ordcut.optimal_thresholds."
)


class ThresholdTracker(nn.Module):
    """Collect scores batch by batch, find the optimal thresholds, and label with them.

    ``state_dict`` and checkpoints contain the thresholds, as tensors. They stay in float64 when the
    module is cast to another dtype. They are not a buffer, because they are valid only for the
    weights that computed the scores: a module with averaged weights, such as
    ``torch.optim.swa_utils.AveragedModel``, refuses the thresholds that it had before it was
    averaged, until it has thresholds for its own scores. With several processes, ``compute``
    gathers the rows of all of them, and finds the same thresholds in each.

    Parameters
    ----------
    n_classes : int, optional
        The number of classes, K; labels are 0..K-1.
    objective : str, array-like of shape (K, K), callable, Kappa or Objective
        The objective, as in :func:`ordcut.optimal_thresholds`.
    classes : sequence of numbers, optional
        The values of the classes, in ascending order, instead of their number. Labels are then
        these values, as integers or floats, and the tracker returns them. Costs are distances of
        the values, as in :func:`ordcut.optimal_thresholds`. Values that are not among the classes
        are an error: at once on the CPU, in ``compute`` on other devices.
    class_weight : "balanced", dict or array-like of shape (n_classes,), optional
        How much the rows of each class count.
    constraints : sequence of constraints or str
        Constraints, as in :func:`ordcut.optimal_thresholds`; an error is raised if they cannot hold
        on the rows.
    smoothing : float from 0 to 1, "auto" or "bagging"
        The amount of smoothing, as in :func:`ordcut.optimal_thresholds`. Use ``"auto"`` if there
        are few rows.
    weight_type : {"repeats", "importance"}, optional
        Whether weights of rows say how often a row occurs or how much it matters, for smoothing; as
        in :func:`ordcut.optimal_thresholds`.
    ignore_index : int, optional
        The label of rows to ignore, such as -100.
    method : str
        The solver, as in :func:`ordcut.torch.optimal_thresholds`.

    Attributes
    ----------
    thresholds : float64 tensor of shape (n_classes - 1,)
        The thresholds; NaN before the first search.
    result : Thresholds or None
        The thresholds with their value and certificate.

    Examples
    --------
    >>> import torch
    >>> from ordcut.torch import ThresholdTracker
    >>> tracker = ThresholdTracker(n_classes=3)
    >>> tracker.update(torch.tensor([0.1, 0.9]), torch.tensor([0, 2]))
    >>> tracker.update(torch.tensor([0.4, 0.5]), torch.tensor([0, 1]))
    >>> tracker.compute()
    Thresholds([0.45, 0.7], classes=[0, 1, 2], absolute=0, method='nested')
    >>> tracker(torch.tensor([0.3, 0.6]))
    tensor([0, 1])
    >>> tracker.state_dict()["thresholds"]
    tensor([0.4500, 0.7000], dtype=torch.float64)

    Labels that are values of classes:

    >>> ages = ThresholdTracker(classes=range(18, 71))
    >>> ages.update(torch.tensor([18.9, 20.2, 70.1]), torch.tensor([18, 20, 70]))
    >>> ages.compute().value
    0.0
    >>> ages(torch.tensor([18.2, 69.0]))
    tensor([18, 70])
    """

    def __init__(
        self,
        n_classes: int | None = None,
        objective: ObjectiveLike = "absolute",
        *,
        classes: Classes | None = None,
        class_weight: ClassWeight | None = None,
        constraints: Constraints = (),
        smoothing: Smoothing = 0.0,
        weight_type: WeightType | None = None,
        ignore_index: int | None = None,
        method: Method = "auto",
    ) -> None:
        super().__init__()
        check_smoothing(smoothing)
        self.coding = read_coding(n_classes, classes, ignore_index)
        self.classes = self.coding.classes
        self.n_classes = len(self.classes)
        self.objective = resolve_objective(objective, self.classes)
        self.class_weight = class_weight
        self.constraints = read_constraints(constraints)
        refuse_confidence(self.constraints, CHOSEN)
        limits_for(self.constraints, self.objective, self.classes)  # raises errors
        self.smoothing = smoothing
        self.weight_type = weight_type
        self.ignore_index = ignore_index
        self.method = method
        self.result: Thresholds | None = None
        self.thresholds: Tensor = self._no_thresholds()
        self._lookup = self.coding.lookup()
        # Modules are made on the meta device to be loaded later, value by value.
        self._is_virtual = torch.empty(0).is_meta
        self._store = RowStore(self.coding)
        # Tools that average weights also average or copy buffers in place, which is how they are
        # detected.
        self._mark: Tensor
        zero = torch.zeros((), dtype=torch.float64, device="cpu")
        self.register_buffer("_mark", zero, persistent=False)
        self._own_mark = self._mark

    def update(self, scores: Tensor, labels: Tensor, sample_weight: Tensor | None = None) -> None:
        """Store the scores and labels of a batch, without computing anything or waiting.

        Parameters
        ----------
        scores : tensor of shape (n_samples,) or (n_samples, 1)
            One score per row, of any floating-point dtype, on any device.
        labels : tensor of shape (n_samples,), or tensor of shape (n_samples, n_classes)
            The true classes, 0..K-1 or values of ``classes``; or soft labels, a weight for each row
            and class.
        sample_weight : tensor of shape (n_samples,), optional
            How much each row counts; 1 by default.
        """
        self._store.append(scores, labels, sample_weight)

    def rows(self, n_samples: int | None = None) -> tuple[Tensor, Tensor]:
        """Return the scores and labels collected since ``reset``, from all processes.

        In distributed training, every process must call it; otherwise processes wait forever.

        Parameters
        ----------
        n_samples : int, optional
            The number of rows in the data set. A ``DistributedSampler`` repeats rows to give all
            processes the same number; the repeats beyond ``n_samples`` are left out.
        """
        rows = self._store.gathered(self.thresholds.device, n_samples)
        return rows.scores, rows.labels

    def compute(self, n_samples: int | None = None) -> Thresholds:
        """Find the optimal thresholds for all rows since ``reset``, and store them.

        Parameters
        ----------
        n_samples : int, optional
            The number of rows in the data set; see ``rows``. With it, the thresholds are the same
            for any number of processes.

        Returns
        -------
        Thresholds
            The thresholds, their value, and why they are optimal.
        """
        rows = self._store.gathered(self.thresholds.device, n_samples)
        if len(rows.scores) == 0:
            raise RuntimeError(
                "there are no scores to find thresholds for. Call update(scores, labels) for "
                "each batch before compute()."
            )
        result = self.solve(rows)
        self.keep(result)
        return result

    def solve(self, rows: LabelledScores) -> Thresholds:
        """Return the optimal thresholds of rows, without storing them."""
        try:
            with warnings.catch_warnings():
                # An untrained network can have scores that fall as classes rise.
                warnings.simplefilter("ignore", ReversedScoresWarning)
                return optimal_thresholds(
                    rows.scores,
                    rows.labels,
                    objective=self.objective,
                    classes=self.classes,
                    sample_weight=rows.weights,
                    class_weight=self.class_weight,
                    constraints=self.constraints,
                    smoothing=self.smoothing,
                    weight_type=self.weight_type,
                    method=self.method,
                )
        except ValueError as error:
            if bool(torch.isfinite(rows.scores).all()):
                raise
            raise ValueError(
                f"{error} Training has probably diverged: use a lower learning rate, or clip the "
                "gradients."
            ) from error

    def keep(self, thresholds: Thresholds) -> None:
        """Store thresholds from elsewhere as this tracker's own."""
        self.coding.check_thresholds(thresholds)
        self._store_result(thresholds, self.thresholds.device)

    def reset(self) -> None:
        """Drop the rows; the thresholds stay."""
        self._store.clear()

    def forward(self, scores: Tensor) -> Tensor:
        """Return the class of each score by the current thresholds.

        Parameters
        ----------
        scores : tensor of shape (n_samples,) or (n_samples, 1)
            One score per row. In a graph that was exported or compiled, the label of NaN is -1, or
            a whole number below all classes; otherwise NaN is an error.

        Returns
        -------
        tensor of shape (n_samples,)
            The classes, on the device of the scores: 0..K-1 or values of ``classes``, int64 or, for
            classes that are floats, float64.
        """
        if torch.jit.is_scripting():  # type: ignore[attr-defined]
            positions = count_thresholds(scores, self.thresholds)
            return self._lookup.to(positions.device)[positions + 1]
        self._require_thresholds()
        return look_up(self._lookup, threshold_labels(scores, self.thresholds))

    def _require_thresholds(self) -> None:
        if self.result is None:
            raise RuntimeError(
                "there are no thresholds yet. Call update(scores, labels) for each batch, then "
                "compute(); or load a state_dict with thresholds. Averaged weights need thresholds "
                "of their own: find them with the scores of the averaged module."
            )
        if self._is_averaged():
            raise RuntimeError(
                "the thresholds belong to other weights: the module's weights have been averaged "
                "since they were found. Call reset(), update(scores, labels) with the scores of "
                "the averaged module, and compute()."
            )

    def _disown(self) -> None:
        """Refuse to label from now on: weights were averaged after the thresholds were found."""
        with torch.no_grad():
            self._mark.add_(0.5)

    def _is_averaged(self) -> bool:
        """Return whether the module has been averaged since the last search."""
        mark = self._mark
        if is_traced() or mark.is_meta or mark is not self._own_mark:  # transformers makes new ones
            return False
        return abs(float(mark) - mark_of(self.result)) > 0.25  # averages of equal marks round

    def __prepare_scriptable__(self) -> ThresholdTracker:
        """Raise an error for ``torch.jit.script`` before the first search."""
        self._require_thresholds()
        return self

    def evaluate(
        self, labels: Tensor, predicted: Tensor, sample_weight: Tensor | None = None
    ) -> float:
        """Return the mean loss, or the kappa, of predicted classes, by the tracker's objective.

        Examples
        --------
        >>> import torch
        >>> from ordcut.torch import ThresholdTracker
        >>> ThresholdTracker(3).evaluate(torch.tensor([0, 1, 2, 2]), torch.tensor([0, 1, 1, 2]))
        0.25
        """
        check_tensor(labels, "labels")
        check_tensor(predicted, "predicted")
        weights = sample_weight
        if self.ignore_index is not None and labels.dim() == 1:
            counts = labels != self.ignore_index
            labels, predicted = labels[counts], predicted[counts.to(predicted.device)]
            weights = None if weights is None else weights[counts.to(weights.device)]
        predicted = one_per_row(predicted, "predicted")
        objective = self.objective
        value: float = evaluate(
            on_host(self.coding.canonical(labels, "labels")),
            on_host(self.coding.canonical(predicted, "predicted")),
            canonical_name(objective) if isinstance(objective, str) else objective,
            classes=self.classes,
            sample_weight=None if weights is None else on_host(weights),
            class_weight=self.class_weight,
        )
        return value

    def compare(
        self,
        scores: Tensor,
        labels: Tensor,
        loss: nn.Module | None = None,
        sample_weight: Tensor | None = None,
    ) -> dict[str, float]:
        """Return the value of each labeling that Yamasaki (2023) compares, by the objective.

        Parameters
        ----------
        scores : tensor of shape (n_samples,) or (n_samples, 1)
            One score per row.
        labels : tensor of shape (n_samples,), or tensor of shape (n_samples, n_classes)
            The true classes, 0..K-1 or values of ``classes``; or soft labels, a weight for each row
            and class.
        loss : module, optional
            The loss that the scores were learned by, for the labelings that use its biases.
        sample_weight : tensor of shape (n_samples,), optional
            How much each row counts; 1 by default.

        Examples
        --------
        >>> import torch
        >>> from ordcut.torch import CumulativeLinkLoss, ThresholdTracker
        >>> tracker = ThresholdTracker(n_classes=3)
        >>> scores, labels = torch.tensor([0.1, 0.4, 0.5, 0.9]), torch.tensor([0, 0, 1, 2])
        >>> tracker.update(scores, labels)
        >>> _ = tracker.compute()
        >>> tracker.compare(scores, labels, CumulativeLinkLoss(n_classes=3))
        {'optimal': 0.0, 'biases': 0.75, 'likelihood': 0.75, 'rounding': 0.25}
        """
        self._require_thresholds()
        scores, _ = read_batch(scores, labels, self.coding, names=("scores", "labels"))
        labelings = every_labeling(scores, self.thresholds, loss, self.objective, self.classes)
        return {
            name: self.evaluate(labels, self.coding.decode(positions), sample_weight)
            for name, positions in labelings.items()
        }

    def extra_repr(self) -> str:
        """Return the arguments for ``repr``."""
        return f"{self.coding}, objective={self.objective.name!r}"

    def get_extra_state(self) -> Tensor:
        """Return what ``state_dict`` contains besides the thresholds: the whole result, as JSON."""
        if self._is_virtual:
            return torch.empty(0, dtype=torch.uint8, device="meta")
        result = None if self._is_averaged() else self.result
        return pack(result, self.objective).to(self.thresholds.device)

    def set_extra_state(self, state: Any) -> None:
        """Restore the result from a ``state_dict``."""
        if not isinstance(state, Tensor):
            return  # torch.distributed.checkpoint marks a part of a state without it by an object
        result, costs = unpack(state)
        device = state.device if self._is_virtual else self.thresholds.device
        if result is None:
            self._store_result(None, device)
            return
        self.coding.check_thresholds(result)
        if result.objective != self.objective.name or costs != digest(self.objective):
            name = self.objective.name
            objective = "other costs" if result.objective == name else name
            warnings.warn(
                f"the thresholds in the state_dict are optimal for {result.objective}, but this "
                f"tracker is for {objective}. They are used until compute() finds new ones.",
                stacklevel=2,
            )
        self._store_result(result, device)

    def _store_result(self, result: Thresholds | None, device: torch.device) -> None:
        with torch.inference_mode(False):  # a validation runs in it, and a training does not
            empty = self._no_thresholds(device)
            self.thresholds = empty if result is None else empty.new_tensor(result.thresholds)
            self._mark = self._own_mark = empty.new_tensor(mark_of(result))
        self.result, self._is_virtual = result, False

    def _no_thresholds(self, device: torch.device | None = None) -> Tensor:
        device = _device_for(torch.empty(0, device=device).device)
        return torch.full((self.n_classes - 1,), torch.nan, dtype=torch.float64, device=device)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        if not self._is_virtual:
            # A copy: averages of states that are computed in place must not move the thresholds.
            saved = self.thresholds.clone()
            if self._is_averaged():
                saved.fill_(torch.nan)
            destination[f"{prefix}thresholds"] = saved
        super()._save_to_state_dict(destination, prefix, keep_vars)

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool,
        missing_keys: list[str], unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        key = f"{prefix}thresholds"
        given = state_dict.get(key)
        if given is not None and given.shape != self.thresholds.shape:
            error_msgs.append(
                f"size mismatch for {key}: copying a param with shape {given.shape} from "
                f"checkpoint, the shape in current model is {self.thresholds.shape}."
            )
            return
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )
        if key in unexpected_keys:
            unexpected_keys.remove(key)
        if given is not None and self.result is not None:
            # A state may have been cast to another dtype; the result has all digits.
            stored = torch.tensor(self.result.thresholds).to(given.dtype)
            if given.tolist() != stored.tolist():
                raise ValueError(
                    "thresholds in a state_dict must equal the thresholds of the result that is "
                    f"stored with them, got {given.tolist()} and {stored.tolist()}. The state_dict "
                    "is damaged, or something has computed with its values, such as an average of "
                    "states."
                )

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> ThresholdTracker:
        """Move to another device, but keep float64: rounding would move the thresholds."""
        mark = float(self._mark) if self._is_averaged() else mark_of(self.result)
        self._buffers["_mark"] = None
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        device = fn(torch.empty(0, device=self.thresholds.device)).device
        if device.type == "meta":
            self._store_result(None, device)
            self._is_virtual = True
            return self
        self._is_virtual = False
        self.thresholds = self.thresholds.to(_device_for(device))
        self._lookup = self._lookup.to(_device_for(device))
        self._mark = self._own_mark = self.thresholds.new_tensor(mark)
        return self


def _device_for(device: torch.device) -> torch.device:
    """Return a device for thresholds: the same, or the CPU if it has no float64 or no values."""
    return device if has_float64(device) and device.type != "meta" else torch.device("cpu")
