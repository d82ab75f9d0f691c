"""Errors for rows that cannot be used: missing values, infinite scores, weights below 0."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal, TypeAlias

import numpy as np

from ordcut.data import check_classes_found, is_missing
from ordcut.frames.columns import Columns

Nulls: TypeAlias = Literal["raise", "drop"]

#: A sample of at least this many fractional labels that are all different is an error.
FEWEST_TO_REFUSE = 2000


def refuse(problems: dict[str, int], names: dict[str, str | None], nulls: Nulls) -> None:
    """Raise an error for rows that are not valid, unless they may be dropped."""
    if problems["infinite"]:
        raise ValueError(
            f"score must name a column of finite numbers, got {problems['infinite']} rows "
            f"with an infinite score in {names['score']!r}. Drop or fix those rows."
        )
    if problems.get("bad weight"):
        raise ValueError(
            "weight must name a column of finite numbers that are not negative, "
            f"got {problems['bad weight']} rows with others in {names['weight']!r}."
        )
    if problems["any"] and nulls == "raise":
        of_columns = {"score": "x", "label": "label", "weight": "weight"}
        listed = ", ".join(
            f"{problems[column]} in {names[argument]!r}"
            for argument, column in of_columns.items()
            if problems.get(column)
        )
        raise ValueError(
            f"frame must not have missing values, got {listed}. "
            'Fill them in, or leave those rows out with nulls="drop".'
        )


def check_sample(sample: Columns) -> None:
    """Raise an error if no label occurs twice, before an engine counts the rows of each."""
    if sample["label"].dtype.kind not in "fO":
        return
    is_there = np.isfinite(sample["x"]) & ~is_missing(sample["label"])
    scores, labels = sample["x"][is_there], sample["label"][is_there]
    is_decimal = labels.dtype.kind == "O" and all(isinstance(label, Decimal) for label in labels)
    if len(labels) < FEWEST_TO_REFUSE or not (labels.dtype.kind == "f" or is_decimal):
        return
    distinct = np.unique(labels)
    if len(distinct) == len(labels):
        check_classes_found(distinct.astype(np.float64), scores)
