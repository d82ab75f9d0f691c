"""Limits that hold in a group of rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

import numpy as np

from ordcut._core.data import Groups, Rows
from ordcut._core.errors import depth_of_caller
from ordcut._core.limits.constraints import Constraint
from ordcut._core.limits.forms import Limits, Ratio
from ordcut._core.typing import ArrayLike

#: A share of fewer rows than this says little about new rows.
FEW_ROWS = 10


def read_groups(
    groups: ArrayLike, scores: ArrayLike, constraints: Iterable[Constraint], *, has_classes: bool
) -> Groups:
    """Return the group of each row; an error if no constraint is about a group."""
    if not has_classes:
        raise ValueError(
            "groups needs a label for each row: it cannot be combined with costs or with ratings."
        )
    check_groups_used(constraints)
    return Groups.read(groups, scores)


def check_groups_used(constraints: Iterable[Constraint]) -> None:
    """Raise an error if no constraint is about a group."""
    if all(constraint.group is None for constraint in constraints):
        raise ValueError(
            "groups must be used by a constraint, such as 'recall 1 >= 0.9 where F', and none of "
            "the constraints names a group. Name one, or leave out groups."
        )


def warn_if_few(limits: Limits, rows: Rows) -> None:
    """Warn of limits on a share of few rows of a group, whose classes the rows have refined."""
    assert limits.names is not None
    totals = rows.totals
    for constraint, form in zip(limits.constraints, limits.forms, strict=True):
        plain = form.without_confidence
        if constraint.group is None or not isinstance(plain, Ratio):
            continue
        counted = (plain.part if plain.whole is None else plain.whole).any(axis=0)
        n_rows = totals[counted].sum() * rows.unit
        if 0 < n_rows < FEW_ROWS:
            warnings.warn(
                f"constraint {str(constraint)!r} is about "
                f"{limits.names.rows_text(np.asarray(counted))}, of which there are {n_rows:g}: "
                "they say little about new rows.",
                UserWarning,
                stacklevel=depth_of_caller(),
            )
