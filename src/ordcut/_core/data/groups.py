"""Groups of rows, for limits that hold in a group."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ordcut._core.data.alignment import check_aligned
from ordcut._core.data.rows import Rows
from ordcut._core.data.values import check_not_masked, from_objects, is_missing, missing_error
from ordcut._core.errors import listed
from ordcut._core.numerics.threads import cached_property
from ordcut._core.typing import Array, ArrayLike, Ints

#: The maximum number of pairs of a class and a group, whose positions are uint16.
MOST_PAIRS = 1 << 16


@dataclass(frozen=True, eq=False)
class Groups:
    """The group of each row.

    Attributes
    ----------
    names : ndarray of shape (G,)
        The distinct groups.
    codes : ndarray of shape (n,)
        The position of each row's group.
    column : str, optional
        The name of the column that the groups came from.
    """

    names: Array
    codes: Ints
    column: str | None = None

    @classmethod
    def read(cls, groups: ArrayLike, scores: ArrayLike) -> Groups:
        """Validate and encode the group of each row.

        Examples
        --------
        >>> groups = Groups.read(["F", "M", "F"], [0.1, 0.2, 0.3])
        >>> groups.names.tolist(), groups.codes.tolist()
        (['F', 'M'], [0, 1, 0])
        """
        check_aligned(scores=scores, groups=groups)
        check_not_masked(groups, "groups")
        n_rows, values = len(np.asarray(scores)), np.asarray(groups)
        if values.shape != (n_rows,):
            raise ValueError(
                f"groups must hold one group for each of the {n_rows} rows, got shape "
                f"{values.shape}."
            )
        if values.dtype.kind == "O":
            values = from_objects(values, "groups")
        missing = np.flatnonzero(is_missing(values))
        if len(missing):
            index = int(missing[0])
            raise missing_error("groups", values[index], values, index)
        names, codes = np.unique(values, return_inverse=True)
        column = getattr(groups, "name", None)
        return cls(names, codes, column if isinstance(column, str) else None)

    @classmethod
    def codes_of(cls, groups: ArrayLike | None, rows: Any) -> Ints | None:
        """Return the number of each row's group, of rows that depend on each other in a group.

        Examples
        --------
        >>> Groups.codes_of(["b", "a", "b"], [0.1, 0.2, 0.3])
        array([1, 0, 1])
        """
        if groups is None:
            return None
        check_aligned(rows=rows, groups=groups)
        read = cls.read(groups, np.empty(len(rows)))
        if len(read.names) < 2:
            raise ValueError(
                "groups must hold at least two groups of rows, since intervals are over groups; "
                f"got {len(read.names)}."
            )
        return read.codes

    def refine(self, rows: Rows, weights: ArrayLike | None) -> Rows:
        """Return rows with each class refined by the group: class times G plus group.

        ``weights`` are the weights that the rows were read with, which left out rows of weight 0.
        """
        k, g = len(rows.classes), len(self.names)
        if k * g > MOST_PAIRS:
            raise ValueError(
                f"groups must make at most {MOST_PAIRS} pairs of a class and a group, got {g} "
                f"groups and {k} classes."
            )
        groups = self.codes
        if len(groups) != rows.n_rows:
            groups = groups[np.asarray(weights, np.float64) > 0]
        pairs = np.arange(k * g)
        if rows.codes is not None:
            return replace(rows, classes=pairs, codes=rows.codes.astype(np.int64) * g + groups)
        assert rows.soft is not None
        soft = np.zeros((rows.n_rows, k, g))
        soft[np.arange(rows.n_rows), :, groups] = rows.soft
        return replace(rows, classes=pairs, soft=soft.reshape(-1, k * g))

    def position(self, name: Any) -> int:
        """Return the position of a group, named by its value, its text, or as ``column = value``.

        Examples
        --------
        >>> Groups(np.array(["F", "M"]), np.array([0]), "sex").position("sex = M")
        1
        """
        if str(name) in self._positions:
            return self._positions[str(name)]
        column, is_named, value = str(name).replace("==", "=").partition("=")
        is_known = self.column is None or column.strip() in (self.column, "groups")
        text = _unquoted(value if is_named and is_known else str(name))
        if text not in self._positions:
            column = f"{self.column} = " if self.column else ""
            raise ValueError(
                f"must name a group, one of {listed(self.names.tolist())}, such as "
                f"'where {column}{next(iter(self._positions))}'; got {name!r}."
            )
        return self._positions[text]

    @cached_property
    def _positions(self) -> dict[str, int]:
        """The position of each name by its text: true and True are the same, and 1 and 1.0."""
        names = list(enumerate(self.names.tolist()))
        flags = {str(name).lower(): i for i, name in names if isinstance(name, bool)}
        whole = {f"{name:.0f}": i for i, name in names if isinstance(name, float) and name % 1 == 0}
        return flags | whole | {str(name): i for i, name in names}


def _unquoted(text: str) -> str:
    """Return text without the quotes around it, if there are any."""
    text = text.strip()
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if is_quoted else text
