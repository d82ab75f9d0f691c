"""Rows with a score and an outcome, sorted once, and sums over ranges of their scores."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ordcut._core.data import (
    WeightType,
    as_floats,
    as_scores,
    check_aligned,
    check_finite,
    effective_rows,
    is_missing,
    only_column,
    read_weights,
    sorted_order,
)
from ordcut._core.numerics.threads import cached_property
from ordcut._core.typing import Array, ArrayLike, Bools, Floats, Ints, Numbers

#: The largest outcome of which the squares of many rows can be added up.
LARGEST_OUTCOME = 1e100

#: Up to this many rows are shuffled for folds.
MOST_TO_SHUFFLE = 20_000_000


class Sums(NamedTuple):
    """Sums over rows: one for each range of scores, or up to each score.

    Attributes
    ----------
    rows : ndarray
        The weights.
    exposure : ndarray
        The weights times the exposures; the weights where there is no exposure.
    events : ndarray
        The weights times the outcomes.
    squares : ndarray
        The weights times the squares of the outcomes.
    """

    rows: Floats
    exposure: Floats
    events: Floats
    squares: Floats

    def at(self, index: Any) -> Sums:
        """Return the sums at the given positions."""
        return Sums(*(each[index] for each in self))

    def minus(self, other: Sums) -> Sums:
        """Return the differences of sums."""
        return Sums(*(own - each for own, each in zip(self, other, strict=True)))

    def with_events(self, events: Floats) -> Sums:
        """Return the sums with other events."""
        return self._replace(events=events)

    @property
    def rates(self) -> Floats:
        """The events per exposure."""
        with np.errstate(all="ignore"):
            return np.asarray(self.events / self.exposure)


@dataclass(frozen=True, eq=False)
class BandRows:
    """Rows in the order of their scores, and then of their outcomes.

    Attributes
    ----------
    scores, outcomes : ndarray of shape (n,)
        The scores in the dtype in which they came, and the outcomes as float64.
    exposures, weights : ndarray of shape (n,), optional
        The exposure of each row, and how much it counts; None where it is 1 for all rows.
    unit : float
        What a weight of 1 stands for, where weights were scaled.
    weight_type : {"repeats", "importance"}, optional
        What weights are, if that is known.

    Examples
    --------
    >>> rows = BandRows.read([0.5, 0.1, 0.5], [True, False, False])
    >>> rows.distinct, rows.sums.events
    (array([0.1, 0.5]), array([0., 0., 1.]))
    """

    scores: Array
    outcomes: Floats
    exposures: Floats | None = None
    weights: Numbers | None = None
    unit: float = 1.0
    weight_type: WeightType | None = None

    @classmethod
    def read(
        cls,
        scores: ArrayLike,
        outcome: ArrayLike,
        exposure: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        weight_type: WeightType | None = None,
    ) -> BandRows:
        """Validate and sort rows; rows of weight 0 are left out."""
        if "pandas" in sys.modules:
            given = {"scores": scores, "outcome": outcome, "exposure": exposure}
            check_aligned(**given, sample_weight=weights)
        array = as_scores(scores)
        if len(array) == 0:
            raise ValueError("scores must hold at least one row, got none.")
        check_finite(array)
        n = len(array)
        outcomes = _numbers(outcome, "outcome", n)
        exposures = None if exposure is None else _numbers(exposure, "exposure", n)
        if exposures is not None and not (exposures > 0).all():
            position = int(np.argmin(exposures))
            raise ValueError(
                f"exposure must be above 0 in every row, got {exposures[position]:g} at position "
                f"{position}. Drop rows that were not exposed."
            )
        largest = float(max(-outcomes.min(), outcomes.max()))
        if largest > LARGEST_OUTCOME:
            raise ValueError(
                f"outcome must be at most {LARGEST_OUTCOME:g}, so that its squares can be added "
                f"up, got {largest:g}. Use a larger unit."
            )
        checked, unit, kind = read_weights(weights, n, weight_type)
        if checked is not None and checked.min() == 0:
            kept: Any = np.flatnonzero(checked)
            array, outcomes, checked = array[kept], outcomes[kept], checked[kept]
            exposures = None if exposures is None else exposures[kept]
        order, ordered, ends = sorted_order(array)
        if not ends.all():  # so that nothing depends on the order of rows with the same score
            others = [each for each in (checked, exposures, outcomes) if each is not None]
            order = np.lexsort((*others, array))
        return cls(
            ordered,
            outcomes[order],
            None if exposures is None else exposures[order],
            None if checked is None else checked[order],
            unit,
            kind,
        )

    def take(self, index: Array) -> BandRows:
        """Return the rows at ascending positions."""
        parts = {
            name: None if getattr(self, name) is None else getattr(self, name)[index]
            for name in ("scores", "outcomes", "exposures", "weights")
        }
        return replace(self, **parts)  # type: ignore[arg-type]

    def reweighted(self, weights: Numbers | None) -> BandRows:
        """Return the rows with other weights; those of weight 0 are left out."""
        if weights is None:
            return replace(self, weights=None, unit=1.0, weight_type=None)
        kept = np.flatnonzero(weights)
        return replace(self.take(kept), weights=weights[kept])

    def folds(self, n_folds: int, rng: np.random.Generator) -> Iterator[tuple[BandRows, BandRows]]:
        """Yield all rows but those of a random fold, and those of the fold, for each fold.

        Rows that a weight repeats go to folds of their own, as if they were written out.
        """
        # Folds are random. With a part of every stretch of scores, they would share its noise.
        if self.weights is None or not self.is_repeated:
            fold = rng.permutation(self.n_rows) % n_folds
            for k in range(n_folds):
                yield self.take(fold != k), self.take(fold == k)
            return
        weights = self.weights.astype(np.int64)
        if weights.sum() <= MOST_TO_SHUFFLE:
            fold = rng.permutation(weights.sum()) % n_folds
            row = np.repeat(np.arange(self.n_rows), weights)
            parts: Any = (np.bincount(row[fold == k], None, self.n_rows) for k in range(n_folds))
        else:
            parts = rng.multinomial(weights, np.full(n_folds, 1 / n_folds)).T
        for part in parts:
            yield self.reweighted(weights - part), self.reweighted(part)

    @property
    def is_repeated(self) -> bool:
        """Whether a weight says how many rows a row stands for."""
        is_whole = self.weights is not None and bool((self.weights == np.rint(self.weights)).all())
        return is_whole and self.unit == 1.0 and self.weight_type != "importance"

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.scores)

    @cached_property
    def n_effective(self) -> float:
        """The effective number of rows; lower for rows of unequal importance."""
        if self.weights is None:
            return float(self.n_rows)
        if self.weight_type != "importance":
            return float(self.weights.sum())
        return effective_rows(self.weights.astype(np.float64))

    @cached_property
    def _ends(self) -> Bools:
        return np.append(self.scores[1:] > self.scores[:-1], True)

    @cached_property
    def distinct(self) -> Array:
        """The distinct scores, in ascending order."""
        return self.scores if self._ends.all() else np.asarray(self.scores[self._ends])

    @cached_property
    def sums(self) -> Sums:
        """The sums over all rows below each cut: from none to all distinct scores."""
        weights = self.weights
        weighted = self.outcomes if weights is None else self.outcomes * weights
        exposed = self.exposures if weights is None else weights
        if weights is not None and self.exposures is not None:
            exposed = weights * self.exposures
        rows = self._below(weights)
        exposure = rows if self.exposures is None else self._below(exposed)
        events = self._below(weighted)
        is_yes_no = weights is None and self.is_yes_no
        squares = events if is_yes_no else self._below(weighted * self.outcomes)
        return Sums(rows, exposure, events, squares)

    @cached_property
    def is_yes_no(self) -> bool:
        """Whether all outcomes are 0 or 1."""
        return bool(((self.outcomes == 0) | (self.outcomes == 1)).all())

    @property
    def total(self) -> Sums:
        """The sums over all rows."""
        return self.sums.at(-1)

    def between(self, cuts: Ints) -> Sums:
        """Return the sums of each band."""
        at = np.concatenate([[0], cuts, [len(self.distinct)]])
        return self.sums.at(at[1:]).minus(self.sums.at(at[:-1]))

    def _below(self, values: Array | None) -> Floats:
        """Return the sum of the values of all rows below each cut; values of None are 1."""
        below = np.zeros(self.n_rows + 1)
        if values is None:
            below = np.arange(self.n_rows + 1, dtype=np.float64)
        else:
            np.cumsum(values, out=below[1:])
        return below if self._ends.all() else below[np.append(0, np.flatnonzero(self._ends) + 1)]


def _numbers(values: Any, argument: str, n_rows: int) -> Floats:
    """Return a finite number for each row; booleans are 0 and 1."""
    array: Any = only_column(values, argument)
    given = np.asarray(array)
    if given.dtype.kind in "OUST":
        missing = is_missing(given)
        if missing.any():
            raise ValueError(
                f"{argument} must not be missing, got {given[missing][0]} at position "
                f"{int(missing.argmax())} ({int(missing.sum())} in total). Drop or fix those rows."
            )
        text = next((value for value in given.ravel().tolist() if isinstance(value, str)), None)
        if text is not None:
            raise TypeError(
                f"{argument} must be numbers or booleans, got the text {text!r}. For a yes or no, "
                f"pass a comparison, such as {argument} == {text!r}."
            )
    floats = as_floats(array, argument)
    if floats.shape != (n_rows,):
        raise ValueError(
            f"{argument} must hold one number for each of the {n_rows} rows, got shape "
            f"{floats.shape}."
        )
    if not np.isfinite([floats.min(initial=0.0), floats.max(initial=0.0)]).all():
        bad = np.flatnonzero(~np.isfinite(floats))
        raise ValueError(
            f"{argument} must be finite, got {floats[bad[0]]} at position {bad[0]} "
            f"({len(bad)} of {n_rows} in total). Drop or fix those rows."
        )
    return floats
