"""Ratings of items by several raters, read from tables with gaps."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy import ma

from ordcut._core.data import (
    check_classes,
    encode,
    is_missing,
    numbers_in,
    row_names,
    stated_order,
)
from ordcut._core.errors import listed
from ordcut._core.numerics.exact import EXACT
from ordcut._core.typing import Array, Ints


@dataclass(frozen=True, eq=False)
class Ratings:
    """All ratings, in the order of their items.

    Attributes
    ----------
    classes : ndarray of shape (K,)
        The ordered classes.
    item, rater, code : ndarray of shape (n_ratings,)
        The positions of the item, the rater and the class of each rating.
    items, raters : ndarray
        The names of the items and of the raters.
    has_names : bool
        Whether the items have names, which may be the default index of pandas; otherwise they are
        numbered.
    """

    classes: Array
    item: Ints
    rater: Ints
    code: Ints
    items: Array
    raters: Array
    has_names: bool = False

    @classmethod
    def of_table(cls, table: Any, classes: Sequence[Any] | Array | None) -> Ratings:
        """Read a table with a row for each item and a column for each rater."""
        columns, raters = _columns_of(table)
        if len({len(column) for column in columns}) > 1:
            raise ValueError("ratings must have columns of the same length.")
        values = [_as_array(column) for column in columns]
        _check_wide(values, raters)
        if not values or len(values[0]) == 0:
            raise ValueError("ratings must hold at least one item and one rater, got none.")
        is_rated = np.stack([~is_missing(column) for column in values], axis=1)
        orders: list[Any] = [classes]
        if classes is None:
            orders = [stated_order(column) for column in columns]
        if any(order != orders[0] for order in orders[1:]):
            raise ValueError(
                "ratings must have the same ordered categories in all columns. Pass classes= with "
                "the lowest class first."
            )
        rater, item = np.nonzero(is_rated.T)
        given = [column[rated] for column, rated in zip(values, is_rated.T, strict=True)]
        ordered, code = _encode(_joined(given), orders[0])
        by_item = np.argsort(item, kind="stable")
        items, has_names = _items_of(table, len(is_rated))
        each = item[by_item], rater[by_item], code[by_item]
        return cls(ordered, *each, items, raters, has_names)

    @classmethod
    def of_rows(
        cls, item: Any, rater: Any, rating: Any, classes: Sequence[Any] | Array | None
    ) -> Ratings:
        """Read columns with a row for each rating; items keep the order of their first rows."""
        ratings = _as_array(rating)
        items, item_index = _first_seen(_as_array(item), "item")
        raters, rater_index = _first_seen(_as_array(rater), "rater")
        if not len(item_index) == len(rater_index) == len(ratings):
            raise ValueError("item, rater and rating must have the same length.")
        is_rated = ~is_missing(ratings)
        at, by = item_index[is_rated], rater_index[is_rated]
        pairs, counts = np.unique(at * max(1, len(raters)) + by, return_counts=True)
        if counts.max(initial=1) > 1:
            where, who = divmod(int(pairs[counts.argmax()]), len(raters))
            raise ValueError(
                f"a rater must rate an item at most once, but {raters[who]!r} has rated "
                f"{items[where]!r} {counts.max()} times. Keep one of these ratings, or give each "
                "a rater of its own."
            )
        stated = stated_order(rating) if classes is None else classes
        ordered, code = _encode(ratings[is_rated], stated)
        order = np.lexsort((by, at))
        return cls(ordered, at[order], by[order], code[order], items, raters, has_names=True)

    @property
    def n_items(self) -> int:
        """The number of items, those without a rating included."""
        return len(self.items)

    def counts(self) -> Ints:
        """Return how often each item got each class, (n_items, K)."""
        k = len(self.classes)
        return np.bincount(self.item * k + self.code, minlength=self.n_items * k).reshape(-1, k)


def loaded_frame(table: Any) -> Any | None:
    """Return a dataframe in memory, which may be given as a lazy one; None if it is none."""
    if isinstance(table, np.ndarray | list | tuple):
        return None
    import narwhals as nw

    frame: Any = nw.from_native(table, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        return frame.collect()
    return frame if isinstance(frame, nw.DataFrame) else None


def _columns_of(table: Any) -> tuple[list[Any], Array]:
    """Return the columns of an array, a list of rows or a dataframe, and their names."""
    if isinstance(table, Mapping):
        return list(table.values()), np.array(list(table), object)
    frame = loaded_frame(table)
    if frame is not None:
        names = frame.columns
        return [frame.get_column(name).to_native() for name in names], np.array(names, object)
    array = table if isinstance(table, np.ndarray) else np.array(table, dtype=object)
    array = _without_mask(array)
    if array.ndim != 2:
        raise ValueError(
            "ratings must have a row for each item and a column for each rater, all rows of the "
            f"same length, got shape {array.shape}. For a table with a row for each rating, use "
            "Panel.from_long."
        )
    return list(array.T), np.arange(array.shape[1])


def _check_wide(columns: list[Array], raters: Array) -> None:
    """Raise an error if columns seem to hold items, raters and ratings, with a row per rating."""
    are_text = {
        isinstance(next(iter(column[~is_missing(column)].tolist()), None), str)
        for column in columns
        if not is_missing(column).all()
    }
    is_named = {"item", "rater", "rating"} <= {str(name).lower() for name in raters}
    if is_named or len(are_text) > 1:
        raise ValueError(
            "ratings must have a row for each item and a column for each rater, got the columns "
            f"{listed(raters)}. For a table with a row for each rating, use "
            "Panel.from_long(frame, item=..., rater=..., rating=...)."
        )


def _items_of(table: Any, n_items: int) -> tuple[Array, bool]:
    """Return the names of items by the index of a table of pandas, and whether it has one.

    Without an index, items are numbered.
    """
    index = getattr(table, "index", None)
    if not (hasattr(table, "iloc") and index is not None):
        return np.arange(n_items), False
    if not index.is_unique:
        repeated = index[index.duplicated()].unique().tolist()
        raise ValueError(
            f"ratings must have an index that names each item once, got {listed(repeated)} more "
            "than once. If each row is an item, call reset_index(drop=True) on the ratings and the "
            "scores; if rows are single ratings, use Panel.from_long."
        )
    names = row_names(table)
    if names is None:
        return np.arange(n_items), True
    items = np.empty(n_items, dtype=object)
    items[:] = names
    return items, True


def _as_array(column: Any) -> Array:
    """Return a column of numbers, booleans or text; None, NaN or pandas.NA where one is missing."""
    numbers = numbers_in(column)
    if numbers is not None:
        return numbers
    for method in ("to_pylist", "to_list"):  # of Arrow, pandas and Polars
        if hasattr(column, method):
            return _plain(np.array(getattr(column, method)(), dtype=object))
    array = np.asarray(_without_mask(column))
    return _plain(array) if array.dtype.kind == "O" else array


def _without_mask(values: Any) -> Any:
    """Return a masked array as an array of objects, None where it is masked; others as they are."""
    if not isinstance(values, ma.MaskedArray):
        return values
    objects: Array = values.data.astype(object)
    objects[ma.getmaskarray(values)] = None
    return objects


def _plain(values: Array) -> Array:
    """Return objects as floats if all of them are numbers or missing, else as they are."""
    flat = values.tolist()
    is_number = all(
        isinstance(value, int | float | np.number) and not isinstance(value, bool)
        for value, missing in zip(flat, is_missing(values), strict=True)
        if not missing
    )
    if not is_number:
        return values
    pairs = zip(flat, is_missing(values).tolist(), strict=True)
    return np.array([np.nan if missing else value for value, missing in pairs], dtype=np.float64)


def _joined(columns: list[Array]) -> Array:
    kinds = {column.dtype.kind for column in columns if len(column)}
    if len(kinds) > 1 and not kinds <= set("iuf"):
        return np.concatenate([column.astype(object) for column in columns])
    return np.concatenate([column for column in columns if len(column)] or columns)


def _encode(values: Array, stated: Sequence[Any] | Array | None) -> tuple[Array, Ints]:
    """Return the classes of ratings and the code of each; whole numbers are classes of integers."""
    if len(values) == 0:
        raise ValueError("ratings must hold at least one rating, got none.")
    is_exact = values.dtype.kind == "f" and np.abs(values).max() < EXACT
    if is_exact and (values == np.rint(values)).all():
        values = values.astype(np.int64)
    if stated is not None:
        known = check_classes(stated).tolist()
        is_simple = values.dtype.kind in "biuf"
        given = np.unique(values).tolist() if is_simple else dict.fromkeys(values.tolist())
        unknown = [value for value in given if value not in known]
        if unknown:
            raise ValueError(
                f"ratings must be among the classes {listed(known)}, got {unknown[0]!r}."
            )
    encoded = encode(values, stated)
    assert encoded.codes is not None
    return encoded.classes, encoded.codes.astype(np.int64)


def _first_seen(values: Array, argument: str) -> tuple[Array, Ints]:
    """Return the distinct values in the order of their first rows, and the position of each row."""
    missing = np.flatnonzero(is_missing(values))
    if len(missing):
        raise ValueError(
            f"{argument} must not be missing, got {values[missing[0]]} at position {missing[0]}. "
            "Drop those rows."
        )
    positions: dict[Hashable, int] = {}
    index = [positions.setdefault(value, len(positions)) for value in values.tolist()]
    names = np.empty(len(positions), dtype=object)
    names[:] = list(positions)
    return names, np.array(index, dtype=np.int64)
