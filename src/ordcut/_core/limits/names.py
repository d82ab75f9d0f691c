"""The names of classes and decisions, and the cells of their table that constraints are about."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ordcut._core.data import Groups
from ordcut._core.errors import listed
from ordcut._core.numerics.threads import cached_property
from ordcut._core.objectives import Objective
from ordcut._core.typing import Array, Ints

ALL = slice(None)


@dataclass(frozen=True, eq=False)
class Names:
    """The names of classes and decisions, by position, and how they belong together.

    Attributes
    ----------
    classes, decisions : list
        Lowest first.
    has_reviews : bool
        Whether every second decision hands rows over for review.
    has_truth : bool
        Whether rows have a true class, and not only costs.
    groups : Groups, optional
        The groups that refine each class, if any limit is for a group.
    where : int, optional
        The position of the group that cells are about; None for all groups.

    Examples
    --------
    >>> names = Names(["low", "high"], ["low", "high"])
    >>> names.cells(decisions=names.decisions_below("high"), classes=names.classes_from("high"))
    array([[0, 1],
           [0, 0]])
    """

    classes: list[Any]
    decisions: list[Any]
    has_reviews: bool = False
    has_truth: bool = True
    groups: Groups | None = None
    where: int | None = None

    @classmethod
    def of(cls, objective: Objective, classes: Array, groups: Groups | None = None) -> Names:
        """Return the names that belong to an objective over classes, refined by groups."""
        names = classes.tolist()
        decisions = names if objective.decisions is None else objective.decisions.tolist()
        return cls(names, decisions, objective.has_reviews, objective.has_truth, groups)

    def within(self, group: Any) -> Names:
        """Return the names for cells of a group only."""
        if self.groups is None:
            raise ValueError("needs groups=, the group of each row.")
        return replace(self, where=self.groups.position(group))

    def cells(self, decisions: slice = ALL, classes: slice = ALL) -> Ints:
        """Return coefficients over the (decision, class) table: 1 in the named cells, else 0.

        All classes together stand for the rows, which costs of each row count in the last column.
        With groups, there is a column for each pair of a class and a group.
        """
        n_groups = 1 if self.groups is None else len(self.groups.names)
        table = np.zeros((len(self.decisions), len(self.classes), n_groups), np.int64)
        if not self.has_truth:
            classes = slice(-1, None)
        table[decisions, classes, ALL if self.where is None else self.where] = 1
        return table.reshape(len(table), -1)

    def cells_of(self, name: Any) -> tuple[Ints, Ints, Ints]:
        """Return the cells where a class gets its decision, of the class, and of the decision.

        ``name`` is the name of both, or of a group, such as ``"mid or higher"``.

        Examples
        --------
        >>> right, truth, decided = Names(["low", "high"], ["low", "high"]).cells_of("high")
        >>> right.tolist(), truth.tolist(), decided.tolist()
        ([[0, 0], [0, 1]], [[0, 1], [0, 1]], [[0, 0], [1, 1]])
        """
        truth, decision = self.true_class(name), self.decision(name)
        return self.cells(decision, truth), self.cells(classes=truth), self.cells(decision)

    def decision(self, name: Any) -> slice:
        """Return the positions of a decision, or of a group such as ``"mid or higher"``.

        Examples
        --------
        >>> names = Names(["a", "b"], ["a", "a or b", "b"], has_reviews=True)
        >>> [names.decision(name) for name in ("a or b", "a or lower", "b or its review")]
        [slice(1, 2, None), slice(None, 1, None), slice(1, 4, None)]
        """
        return self._group("decision", name)

    def true_class(self, name: Any) -> slice:
        """Return the positions of a class, or of the classes that a group is about."""
        self._require_truth()
        return self._group("class", name)

    def _group(self, kind: str, name: Any) -> slice:
        """Return the positions that a name, or else a group of names, stands for."""
        first, _, rest = str(name).rpartition(" or ")
        if (
            kind == "decision"
            and name in ("review", "reviews")
            and self._position(kind, name) is None
        ):
            return self._only_review()
        if self._position(kind, name) is not None or rest not in ("higher", "lower", "its review"):
            return _only(self._index(kind, name))
        index = self._index(kind, first)
        if rest == "higher":
            return slice(index, None)
        if rest == "lower":
            return slice(index + 1)
        if not self.has_reviews:
            raise ValueError(f"needs review=, which adds reviews to the decisions; got {name!r}.")
        return _only(index) if kind == "class" else slice(max(index - 1, 0), index + 2)

    def _only_review(self) -> slice:
        """Return the position of the review, if there is only one."""
        if not self.has_reviews:
            raise ValueError("needs review=, which adds reviews to the decisions; got 'review'.")
        if len(self.decisions) > 3:
            raise ValueError(
                "cannot be about all reviews together: that ties thresholds that are not "
                "neighbours, for which there is no exact search. Pass review_share= instead of "
                f"review=, or limit the reviews between two classes, such as {self.decisions[1]!r}."
            )
        return _only(1)

    def classes_from(self, name: Any) -> slice:
        """Return the positions of a class and all higher ones."""
        return slice(self._class_index(name), None)

    def classes_upto(self, name: Any) -> slice:
        """Return the positions of a class and all lower ones."""
        return slice(self._class_index(name) + 1)

    def decisions_below(self, name: Any) -> slice:
        """Return the positions of the decisions lower than a class; reviews next to it are not."""
        index = self._class_index(name)
        if self.has_reviews:
            return slice(max(0, 2 * index - 1))
        return slice(self._index("decision", name))

    def decisions_above(self, name: Any) -> slice:
        """Return the positions of the decisions higher than a class; reviews next to it are not."""
        index = self._class_index(name)
        if self.has_reviews:
            return slice(min(len(self.decisions) - 1, 2 * index + 1) + 1, None)
        return slice(self._index("decision", name) + 1, None)

    def rows_text(self, counted: Array) -> str:
        """Return the name of the rows of the classes that are counted, for messages.

        Examples
        --------
        >>> Names(["low", "mid", "high"], []).rows_text(np.array([0, 1, 1]))
        'rows of class mid or higher'
        """
        if self.groups is not None:
            return self._rows_text_in_groups(counted.reshape(len(self.classes), -1))
        classes = np.flatnonzero(counted).tolist()
        if len(classes) == len(self.classes) or not self.has_truth:
            return "rows"
        if len(classes) <= classes[-1] - classes[0]:
            others = np.flatnonzero(counted == 0).tolist()
            return f"rows of other classes than {listed(self.classes[k] for k in others)}"
        first, last = self.classes[classes[0]], self.classes[classes[-1]]
        if len(classes) == 1:
            return f"rows of class {first}"
        return f"rows of class {f'{last} or lower' if classes[0] == 0 else f'{first} or higher'}"

    def _rows_text_in_groups(self, counted: Array) -> str:
        assert self.groups is not None
        groups = np.flatnonzero(counted.any(axis=0))
        rows = replace(self, groups=None).rows_text(np.asarray(counted.any(axis=1)))
        in_all = len(groups) == len(self.groups.names)
        return rows if in_all else f"{rows} in group {self.groups.names[groups[0]]}"

    def threshold(self, index: int) -> int:
        """Return the index of a threshold; an error if there is no such threshold."""
        n_thresholds = len(self.decisions) - 1
        if index >= n_thresholds:
            raise ValueError(f"must name a threshold from 0 to {n_thresholds - 1}, got {index}.")
        return int(index)

    def _require_truth(self) -> None:
        if not self.has_truth:
            raise ValueError(
                "needs rows with a true class, and rows with costs of their own have none. Use a "
                "limit on shares, counts or thresholds."
            )

    def _class_index(self, name: Any) -> int:
        self._require_truth()
        return self._index("class", name)

    @cached_property
    def _positions(self) -> dict[str, dict[Any, int]]:
        """The position of each name, by its text and by its value; the first of equal names."""

        def positions(names: list[Any]) -> dict[Any, int]:
            order = range(len(names) - 1, -1, -1)
            return {_as_number(names[i]): i for i in order} | {str(names[i]): i for i in order}

        classes = positions(self.classes)
        are_classes = self.decisions is self.classes
        return {"class": classes, "decision": classes if are_classes else positions(self.decisions)}

    def _position(self, kind: str, name: Any) -> int | None:
        positions = self._positions[kind]
        position = positions.get(str(name), positions.get(_as_number(name)))
        if position is None and isinstance(name, str):  # as in "recall of severe"
            rest = name.removeprefix("of ").removeprefix("for ")
            position = positions.get(rest, positions.get(_as_number(rest)))
        return position

    def _index(self, kind: str, name: Any) -> int:
        position = self._position(kind, name)
        if position is None:
            names = self.classes if kind == "class" else self.decisions
            group = str(name).rpartition(" or ")[0]
            hint = f" Groups are written as {f'{group} or higher'!r} or lower." if group else ""
            raise ValueError(f"must name a {kind}, one of {listed(names)}; got {name!r}.{hint}")
        return position


def _only(position: int) -> slice:
    return slice(position, position + 1)


def _as_number(value: Any) -> float | str:
    """Return a value as a float if it is a number or the text of a number, otherwise as text."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)
