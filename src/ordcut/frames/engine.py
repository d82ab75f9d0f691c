"""The queries that an engine runs, as narwhals expressions: the same code for all engines.

Queries are reported and counted, and errors of an engine get a note that names the query.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np

from ordcut._core.data import is_missing
from ordcut._core.pruning import SAMPLE_SIZE, spread_indices
from ordcut._core.typing import Array, Ints
from ordcut.frames import dialects
from ordcut.frames.columns import (
    LEAST,
    Columns,
    as_float64,
    as_integers,
    as_number,
    column_with_nan,
    from_columns,
    has_lost_digits,
    inexact,
    key_and_label,
    location_columns,
    open_columns,
    split_pairs,
)
from ordcut.frames.dialects import MOST_CACHED, CachedRows
from ordcut.frames.grid import (
    NOWHERE,
    WEIGHTLESS,
    ExpressionBackend,
    Location,
    NestedCells,
    Root,
    Zoom,
    descend,
    enter,
)
from ordcut.frames.validation import Nulls, changed, refuse
from ordcut.frames.weights import Summands, with_multiples

Frame: TypeAlias = Any
Progress: TypeAlias = bool | Callable[[str], None]

#: The maximum number of classes that can be predicted.
MOST_PREDICTIONS = 1 << 16

#: Decimals of at most this many digits differ in float64 if they differ.
EXACT_DIGITS = 15

#: Weights are added up as they are.
AS_THEY_ARE = Summands()


def announcer(progress: Progress) -> Callable[[str], None]:
    """Return a function that says what is about to be computed, as a caller asks for it.

    Examples
    --------
    >>> announcer(print)("fetching rows")
    fetching rows
    """
    if callable(progress):
        return progress
    return _print if progress else lambda _: None


def _print(description: str) -> None:
    print(f"ordcut: {description}", file=sys.stderr)


_EXTREMES = [nw.col("x").min().alias("low"), nw.col("x").max().alias("high")]


class Engine:
    """A frame of any engine, with the columns of a problem.

    Parameters
    ----------
    frame
        Any frame that narwhals supports.
    score, label, weight
        The names of its columns.
    nulls
        Whether rows with missing values raise an error or are dropped.
    progress
        Whether to write a line to standard error after each pass; or a function to call before
        each, with a description of it.
    """

    def __init__(
        self,
        frame: Any,
        score: str,
        label: str,
        weight: str | None,
        *,
        nulls: Nulls = "raise",
        progress: Progress = False,
    ) -> None:
        if nulls not in ("raise", "drop"):
            raise ValueError(f'nulls must be "raise" or "drop", got {nulls!r}.')
        self.names = {"score": score, "label": label, "weight": weight}
        frame, _ = open_columns(frame, self.names)
        frame, plain = dialects.with_plain_names(frame)
        score, label = plain[score], plain[label]
        weight = None if weight is None else plain[weight]
        schema = frame.collect_schema()
        self._label_dtype = schema[label]
        #: The dtype that the scores have, or get.
        self.dtype = np.dtype(np.float32 if schema[score] == nw.Float32 else np.float64)
        self.is_weighted = weight is not None
        self._score = as_number(frame, score, schema[score], "score").alias("x")
        is_category = isinstance(self._label_dtype, nw.Categorical | nw.Enum)
        #: The order of the classes if the type of the labels states it, or None.
        self.stated_order = (
            dialects.stated_order(frame, label, self._label_dtype) if is_category else None
        )
        #: The intervals that are classes, by the text that the engine has for them.
        self.intervals: dict[str, Any] = {}
        if is_category:
            self.intervals = dialects.intervals_of(frame, label)
            frame = dialects.with_values(frame, label)
            self._label_dtype = frame.collect_schema()[label]
            is_category = isinstance(self._label_dtype, nw.Categorical | nw.Enum)
        labels = column_with_nan(frame, label, self._label_dtype)
        self._label = (labels.cast(nw.String) if is_category else labels).alias("label")
        self._expressions = [self._score, self._label]
        if weight is not None:
            weights = as_number(frame, weight, schema[weight], "weight").alias("weight")
            self._expressions.append(weights)
        self._columns = ["x", "label", "weight"][: len(self._expressions)]
        lost = has_lost_digits(frame, score, schema[score])
        #: The columns that the first count adds up, to check rows.
        self._checks = [] if lost is None else ["lost"]
        self._least_label = LEAST.get(type(self._label_dtype))
        self._eager = frame if isinstance(frame, nw.DataFrame) else None
        try:
            checks = [] if lost is None else [lost.alias("lost")]
            self._given: Frame = frame.lazy().select(*self._expressions, *checks)
        except ValueError as error:
            if lost is not None and "not in range" in str(error):  # PyArrow, of unsigned integers
                raise inexact(score, "larger ones") from error
            raise
        #: The scores with their statistics, by which an engine may find extreme ones faster.
        self._bare: Frame = frame.lazy().select(nw.col(score).alias("x"))
        self._decimal = self._counts_of_decimals(frame, score, schema[score])
        self._frame = self._given
        self._cached: list[CachedRows] = []
        self._summands = AS_THEY_ARE
        self._name = frame.implementation.name.lower()
        self._nulls, self._progress = nulls, progress
        self._all_rows_count = False  # until it is known that no row is to be left out
        self.passes = 0  # how many times the engine has gone through the frame

    def _counts_of_decimals(self, frame: Any, score: str, dtype: Any) -> Frame | None:
        """Return the numbers of distinct decimals and floats, as a query; None if they agree."""
        if not dtype.is_decimal() or (dtype.precision or EXACT_DIGITS + 1) <= EXACT_DIGITS:
            return None
        numbers = {"scores": nw.col(score), "floats": as_float64(frame, score, dtype)}
        counts = [number.n_unique().alias(name) for name, number in numbers.items()]
        return frame.lazy().select(*counts)

    def sample(self) -> Columns:
        """Return a sample of rows: the first ones of a lazy frame, otherwise spread out.

        If the first ones ascend or descend, rows are sorted, and a sample is drawn instead.
        """
        description = "a sample of the rows"
        names = self._columns
        rows = dialects.first_rows(self._frame.select(*names), SAMPLE_SIZE)
        if self._eager is not None and len(self._eager) > SAMPLE_SIZE:
            indices = spread_indices(len(self._eager)).tolist()
            rows = self._eager[indices].lazy().select(*self._expressions)
        sample = self._collect(rows, description, is_pass=False)
        if len(sample["x"]) == 0:  # perhaps only the first partition is empty
            first = self._frame.select(*names).head(SAMPLE_SIZE)
            sample = self._collect(first, description, is_pass=False)
        before, after = sample["x"][:-1], sample["x"][1:]
        is_sorted = (before <= after).all() or (before >= after).all()
        if is_sorted and len(sample["x"]) == SAMPLE_SIZE:
            drawn = dialects.drawn_rows(self._frame.select(*names), SAMPLE_SIZE)
            return sample if drawn is None else self._collect(drawn, description)
        return sample

    def check_distinct(self) -> None:
        """Raise an error if decimal scores that differ are equal in float64."""
        if self._decimal is None:
            return
        counts = self._collect(self._decimal, "the number of distinct scores")
        n_scores, n_floats = (int(counts[name][0]) for name in ("scores", "floats"))
        if n_floats < n_scores:
            raise ValueError(
                "score must name a column of numbers that differ in float64, which holds about 16 "
                f"digits, got {n_scores} different decimals in {self.names['score']!r} that are "
                f"{n_floats} different floats. Subtract a common offset first, or round them."
            )

    def extent_of_weights(self) -> tuple[float, float, float, int]:
        """Return the least and the largest weight above 0, about their sum, and their number."""
        weight = nw.col("weight")
        sums = weight.min().alias("low"), weight.max().alias("high"), weight.sum(), nw.len()
        frame = self._given.filter(weight.is_finite() & (weight > 0))
        frame = frame.select(*sums[:3], sums[3].alias("rows"))
        columns = self._collect(frame, "the least and the largest weight")
        low, high, total = (float(columns[name][0]) for name in ("low", "high", "weight"))
        return low, high, total, int(columns["rows"][0])

    def distinct_weights(self, most: int) -> Array:
        """Return the distinct weights above 0, or as many of them as asked for."""
        frame = self._given.filter(self._is_valid).select("weight").unique().head(most)
        return self._collect(frame, "the distinct weights")["weight"]

    def widen(self, root: Root) -> Root:
        """Return wider cells that contain all scores, if that saves time.

        DuckDB knows from file statistics whether there are scores beyond them.
        """
        wide = root.widened()
        if wide is None or self.is_weighted or not dialects.is_slow_at_conditions(self._frame):
            return root
        beyond = (nw.col("x") < wide.low) | (nw.col("x") > wide.high)
        frame = self._bare.filter(beyond).head(1)
        outliers = self._collect(frame, "a score that lies far out", is_pass=False)
        return root if len(outliers["x"]) else wide

    def count_first(self, root: Root, summands: Summands = AS_THEY_ARE) -> tuple[Columns, int]:
        """Return the counts of valid rows, and the number of rows with nulls.

        Rows are counted, and their weights added up, for each of the root's cells and label.
        """
        self._frame, self._summands = self._given, summands
        self._checks = [name for name in ("lost",) if name in self._given.collect_schema()]
        if self.is_weighted and summands.limbs.n_limbs == 0:
            self._frame = with_multiples(self._given, summands.scale)
            self._checks.append("fractions")
        description = "the rows of each cell and label"
        frame, location = self._locate(self._frame, root)
        counted = self._count(frame, location.key, self._sums, description, int(root.ends[1]) + 1)
        keys = counted["key"][counted["key"] != NOWHERE]
        if root.is_whole and ((keys < 0) | (keys >= root.n_keys)).any():
            raise changed("scores lie beyond the scores that it had returned before")
        return self.usable(counted)

    def keep(self, cells: NestedCells, chosen: Ints) -> None:
        """Make the engine cache the rows of chosen cells, all at the same depth, if it can."""
        n_rows = int(cells.n_rows[chosen].sum())
        n_cached = n_rows + sum(entry.n_rows for entry in self._cached)
        if n_cached > MOST_CACHED or self._is_cached(cells, chosen):
            return
        frame, _ = self._in_cells(cells, chosen)
        depth = int(cells.depth[chosen[0]])
        frame = frame.select(*self._frame.collect_schema().names())  # without their location
        materialise = dialects.materialiser(frame)
        if materialise is not None:
            frame = self._run(materialise, f"the rows of {len(chosen)} cells, to be kept")
            self._cached.append(CachedRows(frame, n_rows, depth, cells.key[chosen]))

    @property
    def is_in_memory(self) -> bool:
        """Whether the frame holds its rows in memory, as in pandas."""
        return self._eager is not None

    def release(self) -> None:
        """Let the engine free the rows that it caches."""
        while self._cached:
            dialects.release(self._cached.pop().frame)

    def _find_cached(self, cells: NestedCells, chosen: Ints) -> CachedRows | None:
        """Return cached rows that include all rows of chosen cells, at the same depth."""
        return next((entry for entry in self._cached if entry.holds(cells, chosen)), None)

    def _is_cached(self, cells: NestedCells, chosen: Ints) -> bool:
        return self._find_cached(cells, chosen) is not None

    def count_in_parts(
        self, cells: NestedCells, chosen: Ints, zoom: Zoom, *, extremes: bool
    ) -> Columns:
        """Return the number of rows and their weight for each part of chosen cells and label.

        The cells must be at the same depth. With ``extremes``, also the lowest and highest score.
        """
        self.keep(cells, chosen)
        frame, location = self._zoomed(*self._in_cells(cells, chosen), zoom)
        sums = [*self._sums, *(_EXTREMES if extremes else [])]
        description = f"the rows of each part of {len(chosen)} cells and label"
        most_keys = (int(cells.key[chosen].max()) + 1) * zoom.n_keys
        is_pass = not self._is_cached(cells, chosen)
        return self._count(frame, location.key, sums, description, most_keys, is_pass=is_pass)

    def extremes(self, cells: NestedCells, chosen: Ints) -> Columns:
        """Return the extreme scores and the sums of each of the chosen cells and label."""
        frame, location = self._in_cells(cells, chosen)
        sums, description = [*self._sums, *_EXTREMES], f"the extremes of {len(chosen)} cells"
        most_keys, is_pass = int(cells.key[chosen].max()) + 1, not self._is_cached(cells, chosen)
        return self._count(frame, location.key, sums, description, most_keys, is_pass=is_pass)

    def count_distinct(self, cells: NestedCells, chosen: Ints) -> int:
        """Return the number of distinct pairs of score and label in chosen cells."""
        frame, _ = self._in_cells(cells, chosen)
        pairs = frame.group_by("x", "label").agg(nw.len().alias("n")).select(nw.len().alias("n"))
        description = f"the number of distinct rows of {len(chosen)} cells"
        columns = self._collect(pairs, description, is_pass=not self._is_cached(cells, chosen))
        return int(columns["n"][0])

    def fetch(self, cells: NestedCells, chosen: Ints, merge_up_to: int | None = None) -> Columns:
        """Return the rows of chosen cells at the same depth.

        With ``merge_up_to``, add up equal rows, and return at most this many of the sums.
        """
        frame, _ = self._in_cells(cells, chosen)
        if merge_up_to is not None:
            sums = self._weights if self.is_weighted else [nw.len().alias("weight")]
            frame = self._summands.added_to(frame).group_by("x", "label").agg(*sums)
            frame = frame.head(merge_up_to)
        is_pass = not self._is_cached(cells, chosen)
        return self._take(frame, f"the rows of {len(chosen)} cells", is_pass=is_pass)

    def fetch_all(self) -> Columns:
        """Return every row that counts."""
        frame = self._frame if self._all_rows_count else self._frame.filter(self._is_valid)
        return self._take(frame, "all rows")

    def _take(self, frame: Frame, description: str, *, is_pass: bool = True) -> Columns:
        """Return the score, the label and the weight of rows."""
        columns = self._collect(frame, description, is_pass=is_pass)
        columns["score"] = columns.pop("x").astype(self.dtype)
        return columns

    def count_labels(self, predicted: Any, *, extremes: bool = False) -> Columns:
        """Return the rows and the weight by an expression over the score ``x``, and by label.

        With ``extremes``, also the lowest and the highest score.
        """
        key = nw.when(self._is_valid).then(predicted).otherwise(self._no_cell)
        description = "the rows of each prediction and label"
        sums = [*self._sums, *_EXTREMES] if extremes else self._sums
        return self._count(self._frame, key, sums, description, MOST_PREDICTIONS)

    def extent(self) -> tuple[float, float]:
        """Return the lowest and the highest score."""
        frame = self._frame if self._all_rows_count else self._frame.filter(self._is_valid)
        columns = self._collect(frame.select(*_EXTREMES), "the lowest and the highest score")
        return float(columns["low"][0]), float(columns["high"][0])

    def _count(
        self,
        frame: Frame,
        key: Any,
        sums: list[Any],
        description: str,
        most_keys: int,
        *,
        is_pass: bool = True,
    ) -> Columns:
        """Return sums by key and label."""
        frame = self._summands.added_to(frame)
        if self._least_label is None:
            groups = frame.with_columns(key.alias("key")).group_by("key", "label")
            return self._collect(groups.agg(*sums), description, is_pass=is_pass)
        pair = key_and_label(frame, key, most_keys).alias("pair")
        groups = frame.with_columns(pair).group_by("pair")
        columns = self._collect(groups.agg(*sums), description, is_pass=is_pass)
        return split_pairs(columns, self._least_label)

    def usable(self, counted: Columns) -> tuple[Columns, int]:
        """Return the counts of valid rows, and the number of rows with nulls.

        If there are rows that are not valid, the engine runs another query for the reasons. From
        then on, these rows are left out.
        """
        counted = self._checked(counted)
        no_label = is_missing(counted["label"])
        cannot_be_used = no_label | (counted["key"] == NOWHERE)
        is_out = cannot_be_used | (counted["key"] == WEIGHTLESS)
        n_missing = 0
        self._all_rows_count = not is_out.any()
        if cannot_be_used.any():
            problems = self._count_problems()
            refuse(problems, self.names, self._nulls)
            n_missing = problems["any"]
            if n_missing != counted["rows"][cannot_be_used].sum():
                raise changed("rows had missing values in one of two queries only")
            if no_label.any():
                self._frame = self._frame.filter(~self._is_missing("label"))
        if is_out.all():
            raise ValueError(
                "frame must hold at least one row with a score, a label and a weight above 0, "
                "got none."
            )
        valid = {name: values[~is_out] for name, values in counted.items()}
        if self._label_dtype.is_integer() and valid["label"].dtype.kind == "f":
            column = str(self.names["label"])
            valid["label"] = as_integers(valid["label"], column, self._name)
        return valid, n_missing

    def _checked(self, counted: Columns) -> Columns:
        """Return the counts after checking that scores have not lost digits in float64."""
        n_lost = int(np.nansum(counted["lost"].astype(np.float64))) if "lost" in counted else 0
        if n_lost:
            raise inexact(str(self.names["score"]), f"{n_lost} rows with others")
        if self._checks:
            self._frame = self._frame.drop(*self._checks)
            self._checks = []
        return {name: values for name, values in counted.items() if name != "lost"}

    def _count_problems(self) -> dict[str, int]:
        """Return the number of rows with missing or invalid values."""
        is_null = {name: self._is_missing(name) for name in self._columns}
        problems = dict(is_null)
        problems["any"] = nw.any_horizontal(*is_null.values(), ignore_nulls=True)
        problems["infinite"] = ~is_null["x"] & ~nw.col("x").is_finite()
        if self.is_weighted:
            weight = nw.col("weight")
            problems["bad weight"] = ~is_null["weight"] & (~weight.is_finite() | (weight < 0))
        frame = self._frame.select(
            *(is_it.cast(nw.Int64).sum().alias(name) for name, is_it in problems.items())
        )
        numbers = self._collect(frame, "the number of missing values")
        return {name: int(values[0] or 0) for name, values in numbers.items()}

    def _is_missing(self, name: str) -> Any:
        is_null = nw.col(name).is_null()
        is_float = name != "label" or self._label_dtype.is_float()
        return is_null | nw.col(name).is_nan() if is_float else is_null

    @property
    def _is_valid(self) -> Any:
        is_valid = nw.col("x").is_finite()
        if self.is_weighted:
            is_valid = is_valid & nw.col("weight").is_finite() & (nw.col("weight") > 0)
        return is_valid

    @property
    def _no_cell(self) -> Any:
        """The key of a row that is in no cell."""
        if not self.is_weighted:
            return NOWHERE
        weighs_nothing = nw.col("x").is_finite() & (nw.col("weight") == 0)
        return nw.when(weighs_nothing).then(WEIGHTLESS).otherwise(NOWHERE)

    @property
    def _sums(self) -> list[Any]:
        weighted = self._weights if self.is_weighted else []
        return [nw.len().alias("rows"), *weighted, *(nw.col(name).sum() for name in self._checks)]

    @property
    def _weights(self) -> list[Any]:
        """The sums of the weights of rows."""
        return [nw.col(name).sum() for name in self._summands.names]

    def _locate(
        self, frame: Frame, root: Root, *, with_ends: bool = True
    ) -> tuple[Frame, Location]:
        """Return rows with the map of their scores, and their location among the root's cells.

        Without ends, which saves time, rows that lie in no window have the key of no cell.
        """
        x, backend = nw.col("x"), ExpressionBackend()
        value = x
        if root.spread.arms:  # a column, since the expression is long and is needed several times
            frame, value = frame.with_columns(root.value_of(x).alias("value")), nw.col("value")
        location = enter(root, value, backend)
        if root.is_whole or (self._all_rows_count and not with_ends):
            return frame, location
        is_inside, is_valid = root.is_inside(x), self._is_valid
        if self.is_weighted:
            is_inside = is_inside & is_valid
        # Most rows are inside: the others are judged by themselves.
        end = nw.when(is_valid).then(root.end_of(x, backend)).otherwise(self._no_cell)
        key = nw.when(is_inside).then(location.key).otherwise(end)
        return frame, replace(location, key=key)

    def _in_cells(self, cells: NestedCells, chosen: Ints) -> tuple[Frame, Location]:
        """Return the rows of cells at the same depth, and their location."""
        depth = int(cells.depth[chosen[0]])
        keys_by_depth = [cells.ancestors(chosen, d) for d in range(depth + 1)]
        has_ends = cells.root.has_other_rows(keys_by_depth[0])
        cached = self._find_cached(cells, chosen)
        frame = self._frame if cached is None else cached.frame
        frame, location = self._locate(frame, cells.root, with_ends=has_ends)
        for d, keys in enumerate(keys_by_depth):
            if cached is None or not cached.needs_no_filter(d, depth, keys):
                frame = dialects.filter_by_key(frame, location.key, keys)
            if d < depth:
                frame, location = self._zoomed(frame, location, cells.zooms[d])
        return frame, location

    def _zoomed(self, frame: Frame, location: Location, zoom: Zoom) -> tuple[Frame, Location]:
        """Return the rows with their location before a zoom as columns, and that after it."""
        frame = frame.with_columns(*location_columns(location))
        return frame, descend(zoom, from_columns(location), nw.col("x"), ExpressionBackend())

    def _run(self, query: Callable[[], Any], description: str, *, is_pass: bool = True) -> Any:
        """Return the result of a query; errors of the engine get a note that names the query."""
        if callable(self._progress) and is_pass:
            self._progress(description)
        try:
            result = query()
        except Exception as error:
            error.add_note(f"ordcut was computing {description} with {self._name}.")
            raise
        self.passes += is_pass
        if self._progress is True and is_pass:
            is_fetched = isinstance(result, dict)
            size = f": {len(next(iter(result.values())))} rows" if is_fetched else ""
            print(f"ordcut: pass {self.passes}: {description}{size}", file=sys.stderr)
        return result

    def _collect(self, frame: Frame, description: str, *, is_pass: bool = True) -> Columns:
        """Return the rows of a lazy frame as arrays."""
        columns: Columns = self._run(
            lambda: dialects.fetch_columns(frame), description, is_pass=is_pass
        )
        if "key" in columns:  # a whole number in float64, which saves engines a cast of all rows
            keys = columns["key"]
            columns["key"] = np.where(keys == keys, keys, NOWHERE).astype(np.int64)
        return columns
