"""Ordered classes and the codes 0..K-1 that stand for them inside the library."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy import ma

from ordcut._core.data.categories import (
    check_text,
    listed_order,
    order_of_text,
    stated_order,
    warn_unordered,
)
from ordcut._core.data.distinct import distinct_labels
from ordcut._core.data.intervals import are_intervals, intervals_as_text
from ordcut._core.data.matrices import are_same_names, column_names, positions_of
from ordcut._core.data.soft import check_soft_labels
from ordcut._core.data.values import (
    check_no_reviews,
    check_not_masked,
    from_objects,
    is_tensor,
    missing_error,
    not_single,
    of_tensor,
)
from ordcut._core.errors import ColumnVectorWarning, depth_of_caller, listed
from ordcut._core.protocols import LabelSource
from ordcut._core.typing import Array, ArrayLike, Floats

#: Codes are stored in 16 bits once the scores are sorted.
MOST_CLASSES = 65_535

#: Up to this many rows, scores and labels are always checked for having been swapped.
MOST_ROWS_TO_COMPARE = 10_000

#: From this many rows on, fractions that are all different are not classes. So are other labels
#: from more than the second number of rows on.
FEWEST_TO_DIFFER, MOST_TO_DIFFER = 6, 20

#: What arrays of other types than numbers hold.
_KINDS = {"U": "text", "O": "intervals"}

#: More classes than the first number, for fractions, or the second need some rows each, on average.
MOST_FRACTIONS, MOST_WHOLE, FEWEST_PER_CLASS = 20, 50, 3


@dataclass(frozen=True)
class Labels:
    """Labels as codes into ordered classes: a code per row, or a weight per row and class.

    ``unit`` is what a weight of 1 stands for.
    """

    classes: Array
    codes: Array | None = None
    soft: Floats | None = None
    unit: float = 1.0

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        each = self.codes if self.soft is None else self.soft
        assert each is not None
        return len(each)


def encode(
    labels: ArrayLike,
    classes: Sequence[Any] | Array | None = None,
    n_classes: int | None = None,
    scores: Array | None = None,
) -> Labels:
    """Turn labels into codes, in the order of ``classes`` or in the order that they state.

    ``n_classes`` is the number of classes of the cost matrix, if the objective is a matrix. Text
    without an order is an error. So are labels that do not belong to the ``scores``, if these are
    given: labels of another number of rows, or labels that look like scores.

    Examples
    --------
    >>> encode([1, 5, 3]).codes
    array([0, 2, 1])
    >>> encode(["good", "bad"], classes=["bad", "fair", "good"]).codes
    array([2, 0])
    """
    encoded = _encode_any(labels, classes, n_classes)
    if scores is not None:
        each = encoded.codes if encoded.soft is None else encoded.soft
        assert each is not None
        if len(each) != len(scores):
            raise ValueError(
                "scores and labels must have the same length, "
                f"got {len(scores)} scores and {len(each)} labels."
            )
        if classes is None and n_classes is None and encoded.soft is None:
            check_plausible_classes(encoded.classes, scores)
    return encoded


def _encode_any(
    labels: ArrayLike, classes: Sequence[Any] | Array | None, n_classes: int | None
) -> Labels:
    """Turn labels in any container into codes, in the order of classes or in a stated order."""
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "biuf":
        return _encode(labels, classes, n_classes)
    if isinstance(labels, LabelSource):
        return labels.as_labels(classes, n_classes)
    labels = only_column(labels)
    stated = classes
    if stated is None:
        stated = stated_order(labels) or listed_order(labels)
    if isinstance(labels, ma.MaskedArray):
        check_not_masked(labels, "labels")
    distinct = distinct_labels(labels)
    if distinct is not None:
        try:
            encoded = _encode(distinct.values, stated, n_classes)
        except (TypeError, ValueError):
            pass  # encoding all labels below raises the error with the position in it
        else:
            assert encoded.codes is not None
            return Labels(encoded.classes, encoded.codes.astype(np.int32)[distinct.codes])
    return _encode(labels, stated, n_classes)


def _encode(labels: Any, stated: Any, n_classes: int | None) -> Labels:
    """Turn labels into codes, in the stated order of classes or, if None, ordered by value."""
    values = only_column(as_values(labels))
    if values.ndim == 2:
        return _soft_labels(values, column_names(labels) or [], stated, n_classes)
    if values.ndim != 1:
        raise ValueError(
            f"labels must be one-dimensional, or of shape (n, K) for soft labels, "
            f"got shape {values.shape}."
        )
    if len(values) == 0:
        raise ValueError("labels must hold at least one row, got none.")
    if stated is not None:
        ordered = check_classes(stated)
        return Labels(ordered, _codes_among(values, ordered))
    return _with_count(_encode_by_value(values), n_classes)


def check_classes(classes: Sequence[Any] | Array, argument: str = "classes") -> Array:
    """Return ordered classes, or decisions, as an array of at least two distinct values.

    Examples
    --------
    >>> check_classes(["low", "high"]).tolist()
    ['low', 'high']
    """
    if isinstance(classes, set | frozenset | dict):
        raise TypeError(
            f"{argument} must be in order, lowest first, got a {type(classes).__name__}, "
            "which has none. Pass a list."
        )
    if not np.iterable(classes) or isinstance(classes, str):
        raise TypeError(
            f"{argument} must be a list of all {argument}, lowest first, got {classes!r}."
        )
    ordered = as_values(list(classes), argument)
    check_text(ordered, argument)
    if ordered.ndim != 1 or len(ordered) < 2:
        raise ValueError(
            f"{argument} must list at least two {argument}, lowest first, got {classes!r}."
        )
    if len(ordered) > MOST_CLASSES:
        raise ValueError(f"there must be at most {MOST_CLASSES} {argument}, got {len(ordered)}.")
    if ordered.dtype.kind == "f" and not np.isfinite(ordered).all():
        infinite = ordered[~np.isfinite(ordered)][0]
        raise ValueError(f"{argument} must be finite, got {infinite}. Name them as text instead.")
    distinct, counts = np.unique(ordered, return_counts=True)
    if len(distinct) < len(ordered):
        twice = distinct[counts > 1].tolist()[0]
        raise ValueError(f"{argument} must be distinct, got {twice!r} more than once.")
    return ordered


def check_plausible_classes(classes: Array, scores: Array, n_rows: int | None = None) -> None:
    """Raise an error if labels look like scores or ids: nearly all different, or many and swapped.

    Numbers with few distinct values are classes, and so are ratings in halves or quarters. The
    scores may be a sample of the scores of ``n_rows`` rows.

    Examples
    --------
    >>> check_plausible_classes(np.array([0.1, 0.4, 0.9]), np.array([0.0, 0.0, 1.0]))
    Traceback (most recent call last):
    ...
    ValueError: labels hold 3 different values and scores only 2 whole numbers: they seem to be ...
    """
    if len(classes) < 3 or (classes.dtype.kind != "f" and len(classes) <= MOST_TO_DIFFER):
        return
    has_fractions = _are_fractions(classes)
    if not has_fractions and len(classes) <= MOST_TO_DIFFER:
        return
    n_rows = len(scores) if n_rows is None else n_rows
    most = len(classes) - 1 if has_fractions else len(classes) // 4
    are_all_few = len(scores) >= n_rows and n_rows <= MOST_ROWS_TO_COMPARE
    if not has_fractions or are_all_few or len(classes) > n_rows / 2:
        sample = scores[:: (len(scores) - 1) // MOST_ROWS_TO_COMPARE + 1]
        are_whole = all((part == np.rint(part)).all() for part in (sample[:100], sample))
        distinct = np.unique(sample) if are_whole else sample[:0]
        if 1 < len(distinct) <= most:
            raise ValueError(
                f"labels hold {len(classes)} different values and scores only {len(distinct)} "
                "whole numbers: they seem to be swapped. Exchange them; or, if the labels are "
                "right, list them in classes=."
            )
    check_not_continuous(classes, n_rows, "labels")


def check_not_continuous(
    values: Array, n_rows: int, argument: str, remedy: str | None = None
) -> None:
    """Raise an error if ``n_rows`` rows have too many distinct values for these to be classes.

    Examples
    --------
    >>> check_not_continuous(np.arange(100) / 7, 100, "y")
    Traceback (most recent call last):
    ...
    ValueError: y must hold classes, and these look continuous: 100 different values in 100 rows...
    """
    has_fractions = _are_fractions(values)
    most = MOST_FRACTIONS if has_fractions else MOST_WHOLE
    fewest_to_differ = FEWEST_TO_DIFFER if has_fractions else MOST_TO_DIFFER + 1
    is_each_different = len(values) == n_rows >= fewest_to_differ
    if not (len(values) > max(most, n_rows / FEWEST_PER_CLASS) or is_each_different):
        return
    looks = "look continuous" if values.dtype.kind == "f" else "look like ids or measurements"
    default = (
        "Name the column of classes; bin measurements first, for example with np.digitize or "
        "pandas.cut; or, if each value is a class, list them in classes=."
    )
    raise ValueError(
        f"{argument} must hold classes, and these {looks}: {len(values)} different values "
        f"in {n_rows} rows. {default if remedy is None else remedy}"
    )


def _are_fractions(values: Array) -> bool:
    """Return whether any value is not a multiple of a quarter, as ratings are."""
    return values.dtype.kind == "f" and not bool((4 * values == np.rint(4 * values)).all())


def codes_of(values: ArrayLike, classes: Array, argument: str, *, in_order: bool = True) -> Array:
    """Return the codes of values that must be among known classes.

    Unless the values are ``in_order`` of the rows, an error does not mention their positions.

    Examples
    --------
    >>> codes_of(["b", "a"], np.array(["a", "b"]), "predictions")
    array([1, 0])
    """
    array = only_column(as_values(only_column(values, argument), argument), argument)
    if array.ndim != 1:
        raise ValueError(f"{argument} must be one-dimensional, got shape {array.shape}.")
    return _codes_among(array, classes, argument, in_order=in_order)


def only_column(values: Any, argument: str = "labels") -> Any:
    """Return the column of an (n, 1) array, with a warning, or of a frame; others as they are.

    Examples
    --------
    >>> with warnings.catch_warnings(action="ignore"):
    ...     only_column(np.array([[1], [2]]))
    array([1, 2])
    """
    if len(getattr(values, "shape", ())) != 2 or values.shape[1] != 1:
        return values
    if not isinstance(values, np.ndarray):
        import narwhals as nw

        frame: Any = nw.from_native(values, eager_only=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            return frame.get_column(frame.columns[0]).to_native()  # whose name may be a number
    warnings.warn(
        f"{argument} should be one-dimensional, got shape {tuple(values.shape)}: its only column "
        "is used. Pass it as a flat array, for example with ravel().",
        ColumnVectorWarning,
        stacklevel=depth_of_caller(),
    )
    return values.reshape(-1)


def as_values(labels: Any, argument: str = "labels") -> Array:
    """Return labels as an array of numbers, booleans, text or intervals, with none missing.

    Examples
    --------
    >>> as_values(["good", "bad"]), as_values((1, 2.5))
    (array(['good', 'bad'], dtype='<U4'), array([1. , 2.5]))
    """
    if isinstance(labels, ma.MaskedArray):
        check_not_masked(labels, argument)
    if not isinstance(labels, np.ndarray | list):
        dtype = str(getattr(labels, "dtype", ""))
        if dtype.lower().startswith(("list", "struct", "map", "array(")):
            raise TypeError(
                f"{argument} must be numbers, booleans or text, got {dtype}. Each row has a single "
                "class: pass one field, or the ratings of several raters as ordcut.Panel(labels)."
            )
    try:
        values = np.asarray(labels)
        if values.dtype.kind == "U" and not isinstance(labels, np.ndarray):
            # NumPy turns a list of text and anything else into text, a missing value into "nan".
            values = np.asarray(labels, dtype=object)
        is_list = values.dtype.kind == "f" and isinstance(labels, list | tuple)
        if is_list and np.abs(values).max(initial=0) >= 2.0**63:  # integers that NumPy rounds
            values = np.asarray(labels, dtype=object)
    except (ValueError, TypeError, RuntimeError) as error:
        if is_tensor(labels):
            raise of_tensor(argument, error) from None
        rows = list(labels) if np.iterable(labels) else []
        nested = (i for i, row in enumerate(rows) if np.iterable(row) and not isinstance(row, str))
        position = next(nested, None)
        if position is not None:
            raise not_single(argument, rows[position], position) from None
        raise ValueError(f"{argument} must be a flat list or array: {error}") from error
    if values.dtype.kind in "OT":
        values = from_objects(values, argument)
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise missing_error(argument, "nan", values, int(np.flatnonzero(np.isnan(values))[0]))
    if values.dtype.kind not in "biufU" and not are_intervals(values):
        raise TypeError(
            f"{argument} must be numbers, booleans or text, got values of type "
            f"{_type_of(values)}. Convert them first: dates, for example, to years, or to text "
            "with an order, as an ordered categorical or with classes=."
        )
    return values


def _encode_by_value(values: Array) -> Labels:
    """Encode labels in the order of their values; text must be numbers."""
    if values.dtype.kind in "iu":
        dense = _encode_small_integers(values)
        if dense is not None:
            return dense
    distinct, codes = np.unique(values, return_inverse=True)
    if distinct.dtype.kind == "f" and not np.isfinite(distinct).all():
        raise ValueError(
            f"labels must be finite, got {distinct[~np.isfinite(distinct)][0]}. "
            "Drop those rows, or give them a class."
        )
    if distinct.dtype.kind == "U":
        order = order_of_text(distinct)
        return Labels(distinct[order], np.argsort(order)[codes])
    return Labels(distinct, codes)


def _encode_small_integers(values: Array) -> Labels | None:
    """Encode integers of a small range without sorting them, nor copying where they are codes."""
    most = max(1024, len(values))
    # As unsigned integers, negative numbers exceed all others, so that a single pass is enough.
    unsigned = values.view(values.dtype.str.replace("i", "u"))
    highest = unsigned.item(unsigned.argmax())
    is_negative = values.dtype.kind == "i" and highest >> (8 * values.itemsize - 1)
    if highest <= most and not is_negative and _all_occur(values, highest):
        return Labels(np.arange(highest + 1, dtype=values.dtype), values)
    low, high = int(values.min()), int(values.max())
    if high - low > most or high > np.iinfo(np.int64).max:
        return None
    shifted = values if low == 0 else values.astype(np.int64) - low
    counts = np.bincount(shifted.astype(np.int64, copy=False))
    rank = np.cumsum(counts > 0) - 1
    return Labels((np.flatnonzero(counts) + low).astype(values.dtype), rank[shifted])


def _all_occur(values: Array, high: int) -> bool:
    """Return whether all of 0..high occur; a few thousand rows are usually enough to tell."""
    for step in (max(1, len(values) // 4096), 1):
        counts = np.bincount(values[::step].astype(np.int64, copy=False), minlength=high + 1)
        if np.count_nonzero(counts) == high + 1:
            return True
    return False


def _with_count(labels: Labels, n_classes: int | None) -> Labels:
    """Make the classes that occur in the labels agree with the size of a cost matrix."""
    classes = labels.classes
    k = len(classes)
    if n_classes is None or k == n_classes:
        if k == 1:
            raise ValueError(
                f"labels must hold at least two classes, got only {classes.tolist()[0]!r}. "
                "If other classes exist but do not occur, list them all in classes=."
            )
        return labels
    if classes.dtype.kind in "iu" and classes[0] == 0:
        # A matrix of K classes and labels that count from 0: the other classes do not occur.
        all_classes = np.arange(n_classes, dtype=classes.dtype)
        values = classes[labels.codes]
        return Labels(all_classes, _codes_among(values, all_classes, matrix_of=n_classes))
    raise ValueError(
        f"objective is made for {n_classes} classes, but labels hold {k}: "
        f"{listed(classes)}. List all {n_classes} in classes=, lowest first."
    )


def _codes_among(
    values: Array,
    classes: Array,
    argument: str = "labels",
    matrix_of: int | None = None,
    in_order: bool = True,
) -> Array:
    if {values.dtype.kind, classes.dtype.kind} == {"U", "O"}:
        values, classes = intervals_as_text(values), intervals_as_text(classes)
    kind = _KINDS.get(values.dtype.kind, "numbers")
    if kind != _KINDS.get(classes.dtype.kind, "numbers"):
        if kind == "text":
            check_no_reviews(values.tolist(), argument)
        raise TypeError(
            f"{argument} and classes must be of the same type, got {kind} in {argument} "
            f"and {listed(classes.tolist())} in classes. Convert one of them, for example with "
            f"{argument}.astype({'int' if classes.dtype.kind in 'biuf' else 'str'})."
        )
    if _are_codes(values, classes):
        return values
    order = np.argsort(classes)
    rank = np.minimum(np.searchsorted(classes, values, sorter=order), len(classes) - 1)
    codes = order[rank]
    unknown = np.flatnonzero(classes[codes] != values)
    if len(unknown):
        position = int(unknown[0])
        known = (
            f"whole numbers from 0 to {matrix_of - 1} (the cost matrix has {matrix_of} classes)"
            if matrix_of is not None
            else f"among the classes {listed(classes)}"
        )
        value = values.tolist()[position]
        where = f" at position {position}" if in_order else ""
        raise ValueError(
            f"{argument} must be {known}, got {value!r}{where}.{_hint(value, classes)}"
        )
    return codes


def _type_of(values: Array) -> str:
    """Return the type of the values of an array, for messages."""
    if values.dtype.kind == "O" and values.size:
        return type(values.ravel()[0]).__name__
    return str(values.dtype)


def _hint(value: Any, classes: Array) -> str:
    """Return the class that a value seems to mean, if it differs in case or spaces only."""
    near = [name for name in classes.tolist() if _plain(name) == _plain(value)]
    return (
        f" Did you mean {near[0]!r}? Change the labels, or list both in classes=." if near else ""
    )


def _plain(name: Any) -> str:
    return str(name).strip().casefold()


def _are_codes(values: Array, classes: Array) -> bool:
    """Return whether integers are their own codes, since the classes are 0..K-1."""
    if values.dtype.kind not in "iu" or classes.dtype.kind not in "iu" or len(values) == 0:
        return False
    if not (classes == np.arange(len(classes))).all():
        return False
    return bool(values.min() >= 0 and values.max() < len(classes))


def _named_columns(values: Array, names: list[Any], classes: Any) -> tuple[Array, Any]:
    """Return soft labels in the order of the classes, which are the names of their columns."""
    if classes is None:
        if not all(isinstance(name, str) for name in names):
            order = np.argsort(check_classes(names, "the columns of labels"))  # numbers ascend
            return values[:, order], [names[column] for column in order]
        if names == sorted(names):  # as pandas.get_dummies has them
            warn_unordered(names, "one-hot columns")
        return values, names
    remedy = (
        "Rename them, or pass the values alone, with a column for each class in their order: "
        "labels.to_numpy()."
    )
    return values[:, positions_of(names, classes, "labels", "column", "class", remedy)], classes


def _soft_labels(values: Array, names: list[Any], stated: Any, n_classes: int | None) -> Labels:
    is_named = stated is not None and are_same_names(names, stated)
    soft = check_soft_labels(values, is_named=is_named)
    if names:
        soft, stated = _named_columns(soft, names, stated)
    k = soft.shape[1]
    if n_classes not in (None, k):
        raise ValueError(f"labels have {k} columns, but objective is made for {n_classes} classes.")
    classes = np.arange(k) if stated is None else check_classes(stated)
    if len(classes) != k:
        raise ValueError(f"labels have {k} columns, but classes lists {len(classes)} classes.")
    return Labels(classes, soft=soft)
