"""Rows that cannot be used: what is missing in them, and what to do about it."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from ordcut.arrays import Array, Bools
from ordcut.sources.asking import Columns
from ordcut.sources.engine import Engine
from ordcut.sources.zooming import NOWHERE, WEIGHTLESS

Nulls: TypeAlias = Literal["raise", "drop"]


def leave_out(engine: Engine, counted: Columns, nulls: Nulls) -> tuple[Columns, int]:
    """Leave out what was counted of rows with missing values, and of rows with weight 0.

    Returns what is left, and how many rows had something missing. Only if there is a row that
    cannot be used, the engine is asked once more, for the reasons.
    """
    no_label = is_missing(counted["label"])
    cannot_be_used = no_label | (counted["key"] == NOWHERE)
    is_out = cannot_be_used | (counted["key"] == WEIGHTLESS)
    n_missing = 0
    engine.all_rows_count = not is_out.any()
    if cannot_be_used.any():
        troubles = engine.troubles()
        _refuse(engine, troubles, nulls)
        n_missing = troubles["any"]
        if no_label.any():
            engine.drop_rows_without_label()
    if is_out.all():
        raise ValueError(
            "frame must hold at least one row with a score, a label and a weight above 0, got none."
        )
    return {name: values[~is_out] for name, values in counted.items()}, n_missing


def _refuse(engine: Engine, troubles: dict[str, int], nulls: Nulls) -> None:
    names = engine.names
    if troubles["infinite"]:
        raise ValueError(
            f"score must name a column of finite numbers, got {troubles['infinite']} rows "
            f"with an infinite one in {names['score']!r}. Drop or mend those rows."
        )
    if troubles.get("bad weight"):
        raise ValueError(
            "weight must name a column of finite numbers that are not negative, "
            f"got {troubles['bad weight']} rows with others in {names['weight']!r}."
        )
    if troubles["any"] and nulls == "raise":
        of_columns = {"score": "x", "label": "label", "weight": "weight"}
        listed = ", ".join(
            f"{troubles[column]} in {names[argument]!r}"
            for argument, column in of_columns.items()
            if troubles.get(column)
        )
        raise ValueError(
            f"frame must not have missing values, got {listed}. "
            'Mend those rows, or leave them out with nulls="drop".'
        )


def is_missing(labels: Array) -> Bools:
    """Return which labels are None or NaN.

    Examples
    --------
    >>> is_missing(np.array(["a", None], dtype=object))
    array([False,  True])
    """
    if labels.dtype.kind == "f":
        return np.isnan(labels)
    if labels.dtype.kind != "O":
        return np.zeros(len(labels), np.bool_)
    flat = labels.tolist()
    # pandas.NA has no truth value, so it is known by its type.
    return np.array(
        [v is None or type(v).__name__ == "NAType" or v != v for v in flat], dtype=np.bool_
    )


def check_nulls(nulls: Nulls) -> None:
    """Raise an error if a choice is not one of those there are."""
    if nulls not in ("raise", "drop"):
        raise ValueError(f'nulls must be "raise" or "drop", got {nulls!r}.')
