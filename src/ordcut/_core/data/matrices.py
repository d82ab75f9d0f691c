"""Cost matrices: numbers with a row for each decision and a column for each true class."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from ordcut._core.data.values import as_floats, plain_value
from ordcut._core.errors import depth_of_caller, listed
from ordcut._core.typing import Array, Floats

#: Words in the names of axes and parameters that say what is predicted, or what is true.
PREDICTED = {"pred", "predicted", "prediction", "decision", "decided", "estimate", "estimated"}
PREDICTED |= {"hat", "yhat"}
TRUE = {"true", "truth", "actual", "observed", "target", "gold", "reference"}
LABEL = {"label", "labels"}


def as_matrix(cost: Any, argument: str) -> Floats:
    """Return a cost matrix as a read-only array of finite numbers.

    Examples
    --------
    >>> as_matrix([[0, 1], [5, 0]], "objective")
    array([[0., 1.],
           [5., 0.]])
    """
    try:
        matrix = as_floats(cost, argument).copy()
    except TypeError as error:
        raise ValueError(
            f"{argument} must be a name, a (K, K) matrix of numbers or a callable "
            f"(k, l) -> cost, got {type(cost).__name__}: {error}"
        ) from error
    if matrix.ndim != 2 or min(matrix.shape) < 2:
        raise ValueError(
            f"{argument} must be a (K, K) matrix with K >= 2, a row for each predicted class and "
            f"a column for each true class, got shape {matrix.shape}."
        )
    bad = np.argwhere(~np.isfinite(matrix))
    if len(bad):
        k, truth = (int(index) for index in bad[0])
        raise ValueError(
            f"{argument} must be finite, got {matrix[k, truth]} at position [{k}, {truth}]."
        )
    matrix.flags.writeable = False
    return matrix


def warn_if_gains(matrix: Floats) -> None:
    """Warn if the right prediction costs most in every column of a square cost matrix.

    Examples
    --------
    >>> warn_if_gains(np.array([[0.0, 1], [5, 0]]))
    """
    if matrix.shape[0] != matrix.shape[1]:
        return
    highest, lowest = matrix.max(axis=0), matrix.min(axis=0)
    if ((np.diag(matrix) == highest) & (lowest < highest)).all():
        warnings.warn(
            "objective seems to have gains instead of costs: in every column, the right class has "
            "the highest entry, and thresholds of least cost avoid it. If these are gains, pass "
            "-objective.",
            UserWarning,
            stacklevel=depth_of_caller(),
        )


def role_of(name: Any) -> Literal["predicted", "true"] | None:
    """Return whether an axis or a parameter is named for what is predicted or for what is true.

    Examples
    --------
    >>> role_of("y_pred"), role_of("True label"), role_of("k")
    ('predicted', 'true', None)
    """
    words = set(re.findall("[a-z]+", str(name).lower()))
    if words & PREDICTED:
        return None if words & TRUE else "predicted"
    return "true" if words & (TRUE | LABEL) else None


def predicted_in_rows(matrix: Any) -> Any:
    """Return a cost matrix with predictions in its rows, by the names of a frame's axes.

    Anything whose axes have no such names is returned as it is.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame([[0, 5], [1, 0]]).rename_axis(index="true", columns="predicted")
    >>> predicted_in_rows(frame).to_numpy()
    array([[0, 1],
           [5, 0]])
    """
    if not (hasattr(matrix, "index") and hasattr(matrix, "columns")):
        return matrix
    rows, columns = (
        role_of(getattr(axis, "name", None)) for axis in (matrix.index, matrix.columns)
    )
    if rows is not None and rows == columns:
        raise ValueError(
            "objective must have rows for what is predicted and columns for the true classes, got "
            f"{matrix.index.name!r} in rows and {matrix.columns.name!r} in columns. Rename the "
            "axes, or pass the values alone: objective.to_numpy()."
        )
    return matrix.T if rows == "true" or columns == "predicted" else matrix


def in_order(matrix: Any, classes: Sequence[Any], decisions: Array | None = None) -> Any:
    """Return a cost matrix in the order of the classes and decisions, if it is a frame with names.

    The index of a frame names what is predicted, its columns the true classes. Anything without
    names is returned as it is. ``decisions`` is None if they are the classes.

    Examples
    --------
    >>> import pandas as pd
    >>> named = pd.DataFrame([[5, 0], [0, 1]], index=["high", "low"], columns=["low", "high"])
    >>> in_order(named, ["low", "high"])
    array([[0, 1],
           [5, 0]])
    """
    rows, columns = row_names(matrix), column_names(matrix)
    if rows is None and columns is None:
        return matrix
    remedy = (
        "Rows are what is predicted, columns the true classes. Rename them, or pass the values "
        "alone, which are read by position: objective.to_numpy()."
    )
    values = np.asarray(matrix)
    if columns is not None:
        values = values[:, positions_of(columns, classes, "objective", "column", "class", remedy)]
    if rows is not None:
        each, known = ("class", classes) if decisions is None else ("decision", decisions)
        other = " For decisions other than the classes, pass decisions=." if each == "class" else ""
        return values[positions_of(rows, known, "objective", "row", each, remedy + other)]
    if decisions is None and [*map(_key, columns or ())] != [*map(_key, classes)]:
        raise ValueError(
            "objective must name its rows as well as its columns, which are in another order than "
            f"the classes: {listed(columns or ())}. {remedy}"
        )
    return values


def matrix_of(
    costs: Mapping[Any, Any], classes: Sequence[Any], decisions: Sequence[Any] | Array | None = None
) -> list[list[Any]]:
    """Return costs by name as a matrix: of pairs of what is predicted and true, or nested.

    Costs of right predictions are 0 unless they are given. ``decisions`` is None if they are the
    classes.

    Examples
    --------
    >>> matrix_of({("low", "high"): 5, ("high", "low"): 1}, ["low", "high"])
    [[0, 5], [1, 0]]
    >>> matrix_of({"low": {"high": 5}, "high": {"low": 1}}, ["low", "high"])
    [[0, 5], [1, 0]]
    """
    chosen = [*(classes if decisions is None else decisions)]
    predicted, truth = [*map(_key, chosen)], [*map(_key, classes)]
    given: dict[Any, Any] = {}
    for key, cost in costs.items():
        is_nested = isinstance(cost, Mapping)
        for pair, paid in (
            [((key, true), cost[true]) for true in cost] if is_nested else [(key, cost)]
        ):
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise ValueError(
                    "objective must have pairs as keys, (predicted, true), or a dict of costs by "
                    f"true class for each that is predicted, got the key {pair!r}."
                )
            k, true = map(_key, pair)
            if k not in predicted or true not in truth:
                raise ValueError(
                    "objective must have costs of pairs (predicted, true) of known classes, "
                    f"{listed(classes)}, got {pair!r}."
                )
            given[k, true] = paid
    missing = [
        (name, true)
        for name in chosen
        for true in classes
        if (_key(name), _key(true)) not in given and _key(name) != _key(true)
    ]
    if missing:
        raise ValueError(
            "objective must have the cost of each pair (predicted, true) of different classes; "
            f"{listed(missing)} {'is' if len(missing) == 1 else 'are'} missing. Right predictions "
            "cost 0 unless they are given."
        )
    return [[given.get((k, true), 0) for true in truth] for k in predicted]


def positions_of(
    names: Sequence[Any],
    known: Sequence[Any] | Array,
    argument: str,
    part: str,
    each: str,
    remedy: str,
) -> list[int]:
    """Return the position of each known class or decision among the names of rows or columns."""
    positions = {_key(name): position for position, name in enumerate(names)}
    wanted = [_key(name) for name in known]
    if not are_same_names(names, known):
        raise ValueError(
            f"{argument} must have a {part} for each {each}, {listed(known)}, got {part}s named "
            f"{listed(names)}. {remedy}"
        )
    return [positions[name] for name in wanted]


def numbers_by_class(
    numbers: Any, classes: Array, argument: str, default: float | None = None
) -> Floats:
    """Return a number that is not negative for each class, given by class or in their order.

    Where a mapping leaves out a class, its number is the default.

    Examples
    --------
    >>> numbers_by_class({"high": 3}, np.array(["low", "high"]), "class_weight", default=1)
    array([1., 3.])
    """
    names = classes.tolist()
    if isinstance(numbers, Mapping):
        numbers = {plain_value(name): number for name, number in numbers.items()}
        unknown = [key for key in numbers if key not in names]
        if unknown:
            raise ValueError(
                f"{argument} must name known classes, {listed(names)}; got {unknown[0]!r}."
            )
        left_out = [name for name in names if name not in numbers]
        if default is None and left_out:
            raise ValueError(f"{argument} must name each class; {left_out[0]!r} is missing.")
        numbers = [numbers.get(name, default) for name in names]
    index: Any = getattr(numbers, "index", None)
    if hasattr(numbers, "iloc") and type(index).__name__ != "RangeIndex":
        remedy = f"Or pass the numbers alone, in the order of the classes: {argument}.to_numpy()."
        order = positions_of(list(index), classes, argument, "number", "class", remedy)
        numbers = np.asarray(numbers)[order]
    array = as_floats(numbers, argument)
    if array.shape != (len(names),):
        raise ValueError(
            f"{argument} must hold one number for each of the {len(names)} classes "
            f"(not of the {len(names) - 1} thresholds), got shape {array.shape}."
        )
    if not np.isfinite(array).all() or (array < 0).any():
        raise ValueError(f"{argument} must be finite and not negative, got {array.tolist()}.")
    return array


def are_same_names(names: Sequence[Any], known: Sequence[Any] | Array) -> bool:
    """Return whether names are the known classes or decisions, in any order.

    Examples
    --------
    >>> are_same_names(["2", 1], [1, 2]), are_same_names([1, 1], [1, 2])
    (True, False)
    """
    return len(names) == len(known) and {*map(_key, names)} == {*map(_key, known)}


def column_names(frame: Any) -> list[Any] | None:
    """Return the names of the columns of a frame; None if it has none but the default ones."""
    if isinstance(frame, np.ndarray):
        return None
    columns = getattr(frame, "column_names", getattr(frame, "columns", None))
    names = _names(columns)
    return None if names == [f"column_{i}" for i in range(len(names or ()))] else names  # of Polars


def row_names(frame: Any) -> list[Any] | None:
    """Return the index of a frame of pandas; None if it has none but the default one."""
    return _names(frame.index) if hasattr(frame, "columns") and hasattr(frame, "index") else None


def _names(labels: Any) -> list[Any] | None:
    is_default = type(labels).__name__ == "RangeIndex" and [*labels] == [*range(len(labels))]
    return None if labels is None or is_default else list(labels)


def _key(name: Any) -> float | str:
    """Return a name as a number if it can be read as one, otherwise as text."""
    name = plain_value(name)
    try:
        return float(name)
    except (TypeError, ValueError):
        return str(name)
