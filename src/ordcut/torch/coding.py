"""How labels say the class of a row: by its position, 0..K-1, or by the value of the class.

All losses and trackers compute with positions. Labels become positions, and positions labels, here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import torch
from torch import Tensor

from ordcut._core.errors import listed
from ordcut._core.thresholds import Thresholds
from ordcut._core.typing import Array, ArrayLike
from ordcut.studies.labelings import rounding_thresholds
from ordcut.torch.biases import check_n_classes
from ordcut.torch.tensors import has_float64, on_host
from ordcut.torch.tracing import is_traced

#: Floating-point dtypes that labels can have.
DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)

Classes: TypeAlias = Sequence[float] | ArrayLike | Tensor

#: The position of rows to ignore, where labels are the values of classes.
IGNORED = -1


class LabelCoding(ABC):
    """The classes, and how labels name them.

    Attributes
    ----------
    n_classes : int or None
        The number of classes, K, if it is known.
    ignore_index : int or None
        The label of rows to ignore.
    """

    n_classes: int | None
    ignore_index: int | None

    @property
    @abstractmethod
    def ignored(self) -> int | None:
        """The position that rows to ignore get, if there are any."""

    @property
    @abstractmethod
    def classes(self) -> Array:
        """The classes in ascending order, (K,)."""

    @abstractmethod
    def encode(self, labels: Tensor, name: str = "labels") -> Tensor:
        """Return the positions of labels, (n,), on their device."""

    @abstractmethod
    def decode(self, positions: Tensor) -> Tensor:
        """Return the labels at positions, on their device."""

    @abstractmethod
    def numbers(self, positions: Tensor, dtype: torch.dtype) -> Tensor:
        """Return what scores estimate, for a loss that is the distance to it."""

    def canonical(self, labels: Tensor, name: str) -> Tensor:
        """Return labels as the very values of the classes; soft labels as they are."""
        return labels if labels.dim() == 2 else self.restore(self.encode(labels, name))

    def restore(self, positions: Tensor) -> Tensor:
        """Return labels after all rows are collected: soft labels as they are."""
        return positions if positions.dim() == 2 else self.decode(positions)

    def check_thresholds(self, thresholds: Thresholds) -> None:
        """Raise an error unless thresholds lie between these classes."""
        n_given = len(thresholds.thresholds)
        if n_given != len(self.classes) - 1:
            raise ValueError(
                f"thresholds must be {len(self.classes) - 1} for the {self.n_classes} classes of "
                f"the tracker, got {n_given}."
            )

    def midpoints(self) -> Tensor:
        """Return the thresholds that round a score to the nearest class, (K - 1,)."""
        return torch.from_numpy(rounding_thresholds(self.classes.astype(np.float64)))

    def lookup(self) -> Tensor:
        """Return the label at each position from -1, the position of NaN in a graph, to K - 1."""
        classes = self.classes
        of_nan = min(-1.0, np.floor(classes[0]) - 1)
        return torch.from_numpy(np.concatenate([np.array([of_nan], classes.dtype), classes]))


class Positions(LabelCoding):
    """Labels that are positions of classes, 0..K-1.

    Examples
    --------
    >>> Positions(3).encode(torch.tensor([2, 0], dtype=torch.uint8))
    tensor([2, 0])
    >>> Positions(3).midpoints()
    tensor([0.5000, 1.5000], dtype=torch.float64)
    """

    def __init__(self, n_classes: int | None, ignore_index: int | None = None) -> None:
        if n_classes is not None:
            check_n_classes(n_classes)
            n_classes = int(n_classes)
        self.n_classes = n_classes
        self.ignore_index = ignore_index

    @property
    def ignored(self) -> int | None:
        """The label of rows to ignore, which stays as it is."""
        return self.ignore_index

    @property
    def classes(self) -> Array:
        """The positions 0..K-1."""
        if self.n_classes is None:
            raise ValueError(
                "n_classes or classes must be given for thresholds, got neither. Pass n_classes= "
                "for labels 0..K-1, or classes= for values of classes."
            )
        return np.arange(self.n_classes)

    def encode(self, labels: Tensor, name: str = "labels") -> Tensor:
        """Return labels as int64, after checking their range on the CPU."""
        if labels.is_floating_point() or labels.dtype == torch.bool:
            raise TypeError(
                f"{name} must be whole numbers, the classes from 0, got {labels.dtype}. "
                f"Pass {name}.long(), or the values of the classes as classes= when you create it."
            )
        if labels.device.type == "cpu" and not is_traced():
            self._check_range(labels, name)
        return labels.long()

    def decode(self, positions: Tensor) -> Tensor:
        """Return positions as they are."""
        return positions

    def canonical(self, labels: Tensor, name: str) -> Tensor:
        """Return labels as they are."""
        del name
        return labels

    def numbers(self, positions: Tensor, dtype: torch.dtype) -> Tensor:
        """Return positions as they are."""
        del dtype
        return positions

    def __str__(self) -> str:
        return "" if self.n_classes is None else str(self.n_classes)

    def _check_range(self, target: Tensor, name: str) -> None:
        if self.ignored is not None:
            target = target[target != self.ignored]
        if len(target) == 0:
            return
        low, high = (int(value) for value in target.aminmax())
        n_classes = self.n_classes
        if low < 0 or (n_classes is not None and high >= n_classes):
            wrong = low if low < 0 else high
            most = "" if n_classes is None else f" to {n_classes - 1}"
            hint = ""
            if low < 0 and self.ignored != low:
                hint = f" To leave such rows out, pass ignore_index={low} when you create it."
            elif high == n_classes and low == 1:
                hint = f" If the classes are 1 to {high}, pass {name} - 1."
            elif low >= 0:
                hint = " For other values, pass all of them as classes= when you create it."
            raise ValueError(f"{name} must be classes from 0{most}, got {wrong}.{hint}")


class Values(LabelCoding):
    """Labels that are values of classes, such as ages, as integers or floats.

    An unknown value is an error on the CPU. On another device, where the check would have to wait,
    it gets the position K, and is an error once rows are collected.

    The classes are no buffer: a cast to half precision, an average of weights, or an empty module
    on the device "meta" would change them.

    Examples
    --------
    >>> ages = Values(range(18, 71))
    >>> ages.encode(torch.tensor([18.0, 70.0]))
    tensor([ 0, 52])
    >>> ages.decode(torch.tensor([0, 52]))
    tensor([18, 70])
    >>> Values([0, 10, 30]).midpoints()
    tensor([ 5., 20.], dtype=torch.float64)
    >>> Values([0, 10, 30]).encode(torch.tensor([30, 20]))
    Traceback (most recent call last):
    ...
    ValueError: labels must be among the classes 0, 10, 30, got 20 at position 1.
    """

    n_classes: int

    def __init__(self, classes: Classes, ignore_index: int | None = None) -> None:
        self._classes = _read_values(classes)
        self.n_classes = len(self._classes)
        self.ignore_index = ignore_index
        # On the CPU also where modules are created on another device, such as "meta".
        self._values = torch.from_numpy(self._classes.copy())
        self._lookup = self.lookup()
        rounded = {dtype: self._values.to(dtype) for dtype in DTYPES}
        self._too_coarse = {
            dtype for dtype, each in rounded.items() if bool((each[1:] == each[:-1]).any())
        }

    @property
    def ignored(self) -> int | None:
        """A position below all classes."""
        return None if self.ignore_index is None else IGNORED

    @property
    def classes(self) -> Array:
        """The values, in ascending order."""
        return self._classes

    def encode(self, labels: Tensor, name: str = "labels") -> Tensor:
        """Return the positions of labels, which are compared in their own precision."""
        if labels.dtype == torch.bool or labels.is_complex():
            raise TypeError(f"{name} must be values of classes, got {labels.dtype}.")
        values = self._values_like(labels, name)
        given = labels.to(values.dtype).contiguous()
        last = self.n_classes - 1
        nearest = torch.searchsorted(values, given).clamp(max=last)
        is_known = values[nearest] == given
        positions = torch.where(is_known, nearest, torch.full_like(nearest, self.n_classes))
        if self.ignore_index is not None:
            positions = positions.masked_fill(given == self.ignore_index, IGNORED)
        if labels.device.type == "cpu" and not is_traced():
            self._check_known(positions, name, labels)
        return positions

    def decode(self, positions: Tensor) -> Tensor:
        """Return the values at positions."""
        return look_up(self._lookup, positions)

    def restore(self, positions: Tensor) -> Tensor:
        """Return the values of all collected rows; an error if there are unknown values.

        Examples
        --------
        >>> Values([0, 10, 30]).restore(torch.tensor([2, 3]))
        Traceback (most recent call last):
        ...
        ValueError: labels must be among the classes 0, 10, 30, got another value at position 1.
        """
        if positions.dim() == 1:
            self._check_known(positions, "labels")
        return super().restore(positions if has_float64(positions.device) else positions.cpu())

    def numbers(self, positions: Tensor, dtype: torch.dtype) -> Tensor:
        """Return the values at positions."""
        values = self._values.to(positions.device, dtype)
        return values.index_select(0, positions.reshape(-1)).reshape(positions.shape)

    def check_thresholds(self, thresholds: Thresholds) -> None:
        """Raise an error unless thresholds lie between these very values."""
        super().check_thresholds(thresholds)
        if not np.array_equal(thresholds.classes, self.classes):
            raise ValueError(
                f"thresholds must be for the classes {listed(self.classes, 6)} of the tracker, got "
                f"thresholds for {listed(thresholds.classes, 6)}."
            )

    def _values_like(self, labels: Tensor, name: str) -> Tensor:
        """Return the values in a dtype in which they can be compared with labels."""
        if labels.is_floating_point():
            dtype = labels.dtype
        elif self._values.is_floating_point():
            dtype = torch.float64 if has_float64(labels.device) else torch.float32
        else:
            dtype = torch.int64
        if dtype in self._too_coarse:
            raise TypeError(
                f"{name} must have a dtype that tells all classes apart, got {labels.dtype}. "
                "Pass float64."
            )
        return self._values.to(labels.device, dtype)

    def _check_known(self, positions: Tensor, name: str, labels: Tensor | None = None) -> None:
        is_unknown = positions == self.n_classes
        if not bool(is_unknown.any()):
            return
        index = int(is_unknown.nonzero()[0, 0])
        value = "another value" if labels is None else f"{labels[index].item():g}"
        raise ValueError(
            f"{name} must be among the classes {listed(self.classes, 6)}, got {value} at position "
            f"{index}."
        )

    def __str__(self) -> str:
        return f"classes=[{listed(self.classes, 6)}]"


def read_coding(
    n_classes: int | None, classes: Classes | None, ignore_index: int | None = None
) -> LabelCoding:
    """Return how labels name classes, given their number or their values.

    Examples
    --------
    >>> read_coding(None, [0.5, 2.0]).encode(torch.tensor([2, 2]))
    tensor([1, 1])
    >>> read_coding(3, None).encode(torch.tensor([2, 2]))
    tensor([2, 2])
    """
    if classes is None:
        return Positions(n_classes, ignore_index)
    if n_classes is not None:
        raise ValueError(
            f"n_classes and classes must not both be given, got n_classes={n_classes!r} and "
            "classes. Leave out n_classes."
        )
    return Values(classes, ignore_index)


def look_up(lookup: Tensor, positions: Tensor) -> Tensor:
    """Return the labels at positions from -1.

    Examples
    --------
    >>> look_up(torch.tensor([-1, 18, 25]), torch.tensor([1, 0, -1]))
    tensor([25, 18, -1])
    """
    if lookup.is_floating_point() and not has_float64(positions.device):
        lookup = lookup.float()
    return lookup.to(positions.device)[positions + 1]


def _read_values(classes: Classes) -> Array:
    """Return the values of classes, int64 if all are whole numbers by their type, else float64."""
    if isinstance(classes, Tensor):
        classes = on_host(classes)
    values = np.asarray(classes)
    if values.ndim != 1 or len(values) < 2 or values.dtype.kind not in "iuf":
        raise ValueError(
            f"classes must be at least two numbers, the values that labels have, got {classes!r}. "
            "For other labels, pass n_classes=, and labels as positions of classes."
        )
    values = values.astype(np.float64 if values.dtype.kind == "f" else np.int64)
    if not (np.isfinite(values).all() and (np.diff(values) > 0).all()):
        raise ValueError(
            f"classes must be finite and in ascending order, each once, got {listed(values, 6)}. "
            "For another order, pass n_classes=, and labels as positions of classes."
        )
    values.flags.writeable = False
    return values
