"""Rows in memory: scores, encoded labels and weights, validated once and frozen."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from zlib import crc32

import numpy as np
from numpy import ma

from ordcut._core.data.alignment import check_aligned
from ordcut._core.data.confusion import count_between, count_confusion
from ordcut._core.data.labels import Labels, encode, only_column
from ordcut._core.data.scores import check_exact, check_finite, not_numbers, shape_hint, swapped
from ordcut._core.data.soft import weighted_labels
from ordcut._core.data.sorting import SortedRows, sort_rows, sorted_order
from ordcut._core.data.values import check_not_masked
from ordcut._core.data.weights import WeightType, check_weights, effective_rows, read_weights
from ordcut._core.errors import ReversedScoresWarning, depth_of_caller
from ordcut._core.numerics.exact import EXACT, distinct_values, exact_totals, summable_weights
from ordcut._core.numerics.limbs import AS_GIVEN, Limbs
from ordcut._core.typing import Array, ArrayLike, Bools, Floats, Numbers

#: Whether scores fall as classes rise is judged on a sample of about the first number of rows, if
#: there are at least the second number. A correlation is clear if it is this many times its
#: standard error.
MOST_TO_JUDGE, FEWEST_TO_JUDGE, STRONG = 256, 30, 4.0

#: A change of arrays is noticed by a checksum of at least this many rows, or of all.
FEWEST_TO_CHECK = 1 << 10

#: Up to this many segments, comparing a score with every threshold beats a binary search.
FEW_SEGMENTS = 16


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows with a score, a label and a weight above 0 each.

    Attributes
    ----------
    scores : ndarray of shape (n,)
        In the dtype in which they came.
    classes : ndarray of shape (K,)
        The ordered classes.
    codes : ndarray of shape (n,), optional
        The position of each row's class.
    soft : ndarray of shape (n, K), optional
        Weights of the classes instead of codes.
    weights : ndarray of shape (n,), optional
        How much each row counts, int64 if all are whole; None if each counts 1.
    is_finite : bool
        Whether the scores are known to be finite. If not, the first pass over them finds out.
    unit : float
        What a weight of 1 stands for, where weights were scaled.
    weight_type : "repeats" or "importance", optional
        What weights are; None for whole weights of which that was not stated.
    limbs : Limbs
        How fractional weights, or soft labels, are added up without rounding, if that is known.

    Examples
    --------
    >>> rows = Rows.read([0.5, 0.1], ["high", "low"], classes=["low", "high"])
    >>> rows.scores, rows.codes
    (array([0.5, 0.1]), array([1, 0]))
    """

    scores: Array
    classes: Array
    codes: Array | None = None
    soft: Floats | None = None
    weights: Numbers | None = None
    is_finite: bool = True
    unit: float = 1.0
    weight_type: WeightType | None = None
    limbs: Limbs = AS_GIVEN

    #: Whether every row has a single class and a weight that is a whole number.
    is_whole: bool = field(init=False, repr=False)

    #: Whether weights are added up without rounding: whole numbers, or floats with limbs.
    has_exact_sums: bool = field(init=False, repr=False)

    #: A checksum of arrays that may belong to the user, as they were when they were read.
    checksum: int | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        has_whole_weights = self.weights is None or self.weights.dtype == np.int64
        is_whole = self.soft is None and has_whole_weights
        has_exact_sums = is_whole or self.limbs.n_limbs > 0
        self.__dict__.update(is_whole=is_whole, has_exact_sums=has_exact_sums)

    @classmethod
    def read(
        cls,
        scores: ArrayLike,
        labels: ArrayLike,
        *,
        classes: Sequence[Any] | Array | None = None,
        n_classes: int | None = None,
        weights: ArrayLike | None = None,
        weight_type: WeightType | None = None,
    ) -> Rows:
        """Validate and encode scores, labels and weights; rows of weight 0 are left out.

        Without weights, whether scores are finite is left to the first pass over them, which
        sorting and counting make anyway. Scores that clearly fall as classes rise get a warning.
        """
        if "pandas" in sys.modules:
            check_aligned(scores=scores, labels=labels, sample_weight=weights)
        try:
            array = as_scores(scores)
            if len(array) == 0:
                raise ValueError("scores must hold at least one row, got none.")
            encoded = encode(labels, classes, n_classes, array)
        except (TypeError, ValueError) as error:
            raise (swapped(scores, labels, classes) or error) from None
        return cls.encoded(array, encoded, weights, weight_type)

    @classmethod
    def encoded(
        cls,
        scores: Array,
        labels: Labels,
        weights: ArrayLike | None = None,
        weight_type: WeightType | None = None,
    ) -> Rows:
        """Return rows of scores and labels that are encoded already; weights are checked."""
        checked, unit, stated = None, 1.0, weight_type
        if weights is not None or weight_type is not None:
            checked, unit, stated = read_weights(weights, len(scores), weight_type)
        each = labels.classes, labels.codes, labels.soft, checked
        rows = cls(scores, *each, is_finite=False, unit=labels.unit * unit, weight_type=stated)
        if weights is not None or labels.soft is not None:
            rows = rows._without_weightless()
        warn_if_reversed(rows)
        return rows.with_checksum()

    def with_checksum(self) -> Rows:
        """Return the rows, which from now on notice whether their arrays change."""
        self.__dict__["checksum"] = self._checksum()
        return self

    @property
    def has_changed(self) -> bool:
        """Whether arrays that were read have changed since, as far as a checksum shows.

        It is about all of a few thousand rows, and otherwise about rows that are evenly spaced.
        """
        return self.checksum is not None and self.checksum != self._checksum()

    def _checksum(self) -> int:
        step = len(self.scores) // FEWEST_TO_CHECK
        total = 0
        for column in (self.scores, self.codes, self.soft, self.weights):
            if column is not None:
                evenly_spaced = column[::step] if step > 1 else column
                total = crc32(np.ascontiguousarray(evenly_spaced).data, total)
        return total

    def _without_weightless(self) -> Rows:
        if self.soft is None and (self.weights is None or self.weights.min() > 0):
            return self
        self.require_finite()  # before rows without weight, and so their positions, are gone
        keep: Bools = np.ones(self.n_rows, np.bool_)
        if self.weights is not None:
            keep &= self.weights > 0
        if self.soft is not None:
            keep &= self.soft.any(axis=1)
        if not keep.any():
            raise ValueError("labels must have a weight above 0 in at least one row, got none.")
        rows = replace(self, is_finite=True)
        return rows if keep.all() else rows.take(keep)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype in which the scores came."""
        return self.scores.dtype

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.scores)

    @property
    def counts_rows(self) -> bool:
        """Whether weights are whole numbers as they were given, each a number of equal rows."""
        if self.soft is None:
            return self.is_whole and self.unit == 1 and self.has_repeats
        is_whole = bool((self.soft == np.rint(self.soft)).all())
        return is_whole and self.weights is None and self.unit == 1

    @property
    def _adds_up_exactly(self) -> bool:
        """Whether soft labels are whole numbers whose sum no float rounds, as in panels."""
        if self.soft is None or self.weights is not None or self.soft.sum() >= EXACT:
            return False
        return bool((self.soft == np.rint(self.soft)).all())

    @property
    def has_repeats(self) -> bool:
        """Whether weights are numbers of equal rows, and not how much rows matter."""
        if self.weights is None:
            return True
        return self.weights.dtype == np.int64 and self.weight_type != "importance"

    @property
    def n_effective(self) -> float:
        """The sample size: the sum of repeats, or by Kish's formula for weights of importance."""
        if self.weights is None:
            return float(self.n_rows)
        return float(self.weights.sum()) if self.has_repeats else effective_rows(self.weights)

    @property
    def totals(self) -> Floats:
        """The weight of each class."""
        return np.asarray(self._count(np.zeros(self.n_rows, np.int64), 1)[0])

    def confusion(self, thresholds: Floats) -> Floats:
        """Return the weight of each class between any number of ascending thresholds.

        Weights are added up in the order of the rows, as predicting them again would.
        """
        self.require_finite()
        n_between = len(thresholds) + 1
        if self.codes is not None and n_between <= FEW_SEGMENTS and self.dtype != np.float16:
            return count_between(self.scores, thresholds, self.codes, self.weights, self.classes)
        predicted = np.searchsorted(thresholds, self.scores, side="right")
        return self._count(predicted, n_between)

    def _count(self, predicted: Array, n_predicted: int) -> Floats:
        return count_confusion(
            predicted,
            len(self.classes),
            codes=self.codes,
            soft=self.soft,
            weights=self.weights,
            n_predicted=n_predicted,
        )

    def exact_between(self, thresholds: Floats, *, inside: bool = False) -> Array:
        """Return the exact weight of each class between thresholds, as int64 or as fractions.

        With ``inside``, only rows from the first to the last threshold are added up.
        """
        if self.is_whole or self._adds_up_exactly:
            return self.confusion(thresholds).astype(np.int64)
        if inside:
            self.require_finite()
            is_inside = (self.scores >= thresholds[0]) & (self.scores < thresholds[-1])
            return self.take(np.flatnonzero(is_inside)).exact_between(thresholds)
        n_classes = len(self.classes)
        segment = np.searchsorted(thresholds, self.scores, side="right")
        weights = np.ones(self.n_rows) if self.weights is None else self.weights
        if self.soft is None:
            assert self.codes is not None
            keys = segment * n_classes + self.codes
        else:
            rows, weights = weighted_labels(self.soft, weights)
            keys = (segment[rows, None] * n_classes + np.arange(n_classes)).ravel()
            weights = weights.ravel()
        counts = weights > 0
        totals = exact_totals(
            keys[counts], (len(thresholds) + 1) * n_classes, weights[counts].astype(np.float64)
        )
        return totals.reshape(-1, n_classes)

    def summable(self) -> Rows:
        """Return the rows with weights whose sums are exact.

        Weights become multiples of a common unit, where that makes them whole, or get limbs.
        """
        if self.has_exact_sums:
            return self
        if self.soft is not None:
            return self._with_soft_limbs()
        assert self.weights is not None
        weights, limbs = summable_weights(self.weights)
        if limbs.n_limbs or weights is self.weights:
            return replace(self, limbs=limbs)
        return replace(self, weights=weights, unit=self.unit * float(self.weights[0] / weights[0]))

    def _with_soft_limbs(self) -> Rows:
        """Return rows of soft labels multiplied by the weights, with the limbs of the products."""
        assert self.soft is not None
        rows = self
        if self.weights is not None:
            kept, products = weighted_labels(self.soft, self.weights)
            rows = replace(self.take(kept), soft=products, weights=None)
        assert rows.soft is not None
        if distinct_values(rows.soft.ravel()) is not None:
            return self
        return replace(rows, limbs=Limbs.of(rows.soft))

    def distinct_scores(self) -> Array:
        """Return the distinct scores in ascending order.

        Examples
        --------
        >>> Rows.read([0.5, 0.1, 0.5], [1, 0, 1]).distinct_scores()
        array([0.1, 0.5])
        """
        # NumPy 2.4 leaves equal negative half floats out of order on processors with AVX-512.
        is_half = self.dtype == np.float16
        scores = self.scores.astype(np.float32) if is_half else self.scores
        return np.unique(scores).astype(self.dtype, copy=False)

    def extent(self) -> tuple[float, float]:
        """Return the lowest and the highest score."""
        low, high = float(self.scores.min()), float(self.scores.max())
        if not (np.isfinite(low) and np.isfinite(high)):
            self.require_finite()
        return low, high

    def all_rows(self) -> Rows:
        """Return the rows themselves, which are in memory already."""
        return self

    def require_finite(self) -> None:
        """Raise an error if a score is NaN or infinite, unless that is known not to be so."""
        if not self.is_finite:
            check_finite(self.scores)

    def sorted(self) -> SortedRows:
        """Return all rows in the order of their scores."""
        each = self.scores, self.codes, self.soft, self.weights
        return sort_rows(*each, len(self.classes), self.limbs)

    def by_score(self) -> Rows:
        """Return the rows in the order of their scores, none of them merged."""
        return self.take(sorted_order(self.scores)[0])

    def take(self, rows: Array | slice) -> Rows:
        """Return the rows at the given positions."""
        return replace(
            self,
            scores=self.scores[rows],
            codes=None if self.codes is None else self.codes[rows],
            soft=None if self.soft is None else self.soft[rows],
            weights=None if self.weights is None else self.weights[rows],
        )

    @staticmethod
    def joined(parts: Sequence[Rows]) -> Rows:
        """Return the rows of all parts together; rows of a part without weights count 1 each.

        Examples
        --------
        >>> rows = Rows.read([0.5, 0.1, 0.3], [1, 0, 1])
        >>> Rows.joined([rows.take([0]), rows.take([1, 2])]).scores
        array([0.5, 0.1, 0.3])
        """
        if len(parts) == 1:
            return parts[0]
        first = parts[0]
        weights = None
        if any(part.weights is not None for part in parts):
            weights = np.concatenate(
                [np.ones(p.n_rows, np.int64) if p.weights is None else p.weights for p in parts]
            )
        codes = [part.codes for part in parts if part.codes is not None]
        soft = [part.soft for part in parts if part.soft is not None]
        return replace(
            first,
            scores=np.concatenate([part.scores for part in parts]),
            codes=np.concatenate(codes) if codes else None,
            soft=np.concatenate(soft) if soft else None,
            weights=weights,
        )

    def class_weighted(self, factors: Floats) -> Rows:
        """Return the rows with their weights multiplied by the factors of their classes.

        Examples
        --------
        >>> Rows.read([0.5, 0.1], [1, 0]).class_weighted(np.array([1.0, 3.0])).weights
        array([3, 1])
        """
        if (factors == 1).all():
            return self
        self.require_finite()
        rows = replace(self, is_finite=True)
        if self.codes is not None:
            weights = factors[self.codes]
            weights = weights if self.weights is None else weights * self.weights
            rows = replace(rows, weights=check_weights(weights, self.n_rows))
        else:
            assert self.soft is not None
            rows = replace(rows, soft=self.soft * factors)
        return rows._without_weightless()


def as_scores(scores: ArrayLike) -> Array:
    """Return scores as a one-dimensional float array, in the dtype they came in.

    Integers become float64. ``check_finite`` checks whether they are finite.

    Examples
    --------
    >>> as_scores([1, 2])
    array([1., 2.])
    """
    if isinstance(scores, ma.MaskedArray):
        check_not_masked(scores, "scores")
    try:
        given = np.asarray(scores)
        if given.dtype.kind == "c":
            raise TypeError("complex numbers have no order")
        if given.dtype.kind in "mM":
            raise TypeError(
                "dates and durations have a unit, which numbers lose. Convert them first, such as "
                "(dates - start) / numpy.timedelta64(1, 'D')"
            )
        is_float = given.dtype.kind == "f" and given.itemsize <= 8
        array = given if is_float else given.astype(np.float64)
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise not_numbers(scores, error) from None
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0] if hasattr(scores, "columns") else only_column(array, "scores")
        scores = np.asarray(scores).reshape(-1)
    if array.ndim != 1:
        raise ValueError(
            f"scores must be one-dimensional, got shape {array.shape}.{shape_hint(scores, array)}"
        )
    if not is_float or isinstance(scores, list | tuple):
        check_exact(scores, array)
    return array


def warn_if_reversed(rows: Rows) -> None:
    """Warn if scores clearly fall as classes rise, judged on a sample of evenly spaced rows."""
    if rows.n_rows < FEWEST_TO_JUDGE:
        return
    step = max(1, rows.n_rows // MOST_TO_JUDGE)
    scores = rows.scores[::step]
    if rows.codes is not None:
        codes = rows.codes[::step].astype(np.float64)
    else:  # the mean position of the classes, by the weights of each row
        assert rows.soft is not None
        soft = rows.soft[::step].astype(np.float64)
        codes = soft @ np.arange(soft.shape[1]) / soft.sum(axis=1)
    # Usually, classes rise where scores do, between neighbouring rows, which is quick to check.
    if 2 * np.dot(codes[1:] - codes[:-1], scores[1:] > scores[:-1]) >= codes[-1] - codes[0]:
        return
    if correlation(scores.astype(np.float64), codes) * np.sqrt(len(codes)) < -STRONG:
        warn_reversed()


def correlation(x: Floats, y: Floats) -> float:
    """Return the correlation of the ranks of ``x`` with ``y``; 0 if either is constant.

    Examples
    --------
    >>> round(correlation(np.array([3.0, 2.0, 1e300]), np.array([1.0, 0.0, 2.0])), 3)
    1.0
    """
    ranks = np.searchsorted(np.sort(x), x).astype(np.float64)
    ranks, y = ranks - ranks.mean(), y - y.mean()
    spread = np.sqrt((ranks @ ranks) * (y @ y))
    return float(ranks @ y / spread) if spread > 0 else 0.0


def warn_reversed() -> None:
    """Warn that scores fall as classes rise."""
    warnings.warn(
        "scores fall as classes rise, so thresholds on them cannot do well. If a low score means "
        "a high class, pass -scores; if the classes are in the wrong order, pass classes= with the "
        "lowest class first.",
        ReversedScoresWarning,
        stacklevel=depth_of_caller(),
    )
