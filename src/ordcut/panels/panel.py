"""A panel: the ratings of items by several people, which can be passed as labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import lcm
from typing import Any, ClassVar, Literal, NoReturn, TypeAlias

import numpy as np

from ordcut._core.data import Groups, Labels, check_aligned, codes_of, encode
from ordcut._core.errors import unknown_name
from ordcut._core.numerics.exact import EXACT
from ordcut._core.numerics.threads import cached_property
from ordcut._core.objectives import Objective, ObjectiveLike, resolve_objective
from ordcut._core.protocols import LabelSource
from ordcut._core.typing import Array, ArrayLike, Floats, Ints
from ordcut._core.views import view
from ordcut.panels.agreement import (
    COEFFICIENTS,
    Agreement,
    compares_ratings,
    judge_agreement,
    people_agreement,
)
from ordcut.panels.alternative import AlternativeTest, alternative_test
from ordcut.panels.ratings import Ratings, loaded_frame

Raters: TypeAlias = Literal["identified", "anonymous"]
Per: TypeAlias = Literal["item", "rating"]


class Panel(LabelSource):
    """Ratings of items by several raters, with gaps, to be passed as labels.

    Each item counts once, with a share of it for each of its ratings, so that the thresholds of a
    score agree best with a rater drawn at random. The sample size is the number of items.

    Parameters
    ----------
    ratings : array-like or dataframe of shape (n_items, n_raters)
        The class that each rater gave each item; NaN, None or null where there is none. The index
        of a dataframe of pandas names the items, and scores with an index must have the same one.
    classes : sequence, optional
        All classes, lowest first. By default the classes that occur, in ascending order, or the
        order that a categorical states.
    raters : {"identified", "anonymous"}
        Whether each column is one rater, or just one more rating by anybody.
    per : {"item", "rating"}
        What counts once: each item, or each rating.

    Attributes
    ----------
    classes : ndarray of shape (K,)
        The ordered classes.
    items, rater_names : ndarray
        The names of the items, in the order of the rows, and of the raters.
    n_ratings : ndarray of shape (n_items,)
        The number of ratings of each item.
    counts : ndarray of shape (n_items, K)
        How often each item got each class.

    Examples
    --------
    >>> import ordcut
    >>> panel = ordcut.Panel([[1, 1, 2], [2, None, 2], [3, 3, None], [2, 3, 3]])
    >>> panel
    Panel(4 items, 3 raters, 10 ratings, classes 1 < 2 < 3)
    >>> ordcut.optimal_thresholds([0.1, 0.5, 0.7, 0.8], panel).thresholds
    array([0.3, 0.6])
    """

    #: How labels are smoothed unless the caller says so: the items of a panel are few.
    default_smoothing: ClassVar[Literal["auto"]] = "auto"

    def __init__(
        self,
        ratings: Any,
        *,
        classes: Sequence[Any] | Array | None = None,
        raters: Raters = "identified",
        per: Per = "item",
    ) -> None:
        self._set(Ratings.of_table(ratings, classes), raters, per)

    @classmethod
    def from_long(
        cls,
        frame: Any,
        *,
        item: str,
        rater: str,
        rating: str,
        classes: Sequence[Any] | Array | None = None,
        per: Per = "item",
    ) -> Panel:
        """Return the panel of a table with a row for each rating.

        Parameters
        ----------
        frame : dataframe or dict of columns
            A frame of pandas, Polars or Arrow, or a mapping of names to columns.
        item, rater, rating : str
            The names of the columns with the item, the rater and the class.
        classes, per
            As in :class:`ordcut.Panel`.

        Returns
        -------
        Panel
            Its ``items`` are in the order in which they first occur. Scores must be in that order;
            a series of pandas whose index names the items in another order is an error.

        Examples
        --------
        >>> rows = {"text": ["b", "b", "a"], "who": ["x", "y", "x"], "stars": [1, 2, 5]}
        >>> panel = Panel.from_long(rows, item="text", rater="who", rating="stars")
        >>> panel.items.tolist(), panel.n_ratings
        (['b', 'a'], array([2, 1]))
        """
        items, who, given = _columns(frame, [item, rater, rating])
        panel = cls.__new__(cls)
        panel._set(Ratings.of_rows(items, who, given, classes), "identified", per)
        return panel

    def _set(self, ratings: Ratings, raters: str, per: str) -> None:
        for name, value, known in (
            ("raters", raters, ("identified", "anonymous")),
            ("per", per, ("item", "rating")),
        ):
            if value not in known:
                raise unknown_name(name, value, known)
        self._ratings, self.raters, self.per = ratings, raters, per

    @property
    def classes(self) -> Array:
        """The ordered classes."""
        return self._ratings.classes

    @property
    def items(self) -> Array:
        """The names of the items, or their positions."""
        return self._ratings.items

    @property
    def row_names(self) -> Array | None:
        """The names of the items, or None if these have no names but their positions."""
        return self.items if self._ratings.has_names else None

    @property
    def rater_names(self) -> Array:
        """The names of the raters, or their positions."""
        return self._ratings.raters

    @cached_property
    def n_ratings(self) -> Ints:
        """The number of ratings of each item; an item without any is left out wherever it is used.

        Examples
        --------
        >>> Panel([[1, 2], [None, None], [2, None]]).n_ratings
        array([2, 0, 1])
        """
        return np.bincount(self._ratings.item, minlength=len(self))

    @property
    def n_unrated(self) -> int:
        """The number of items without a rating, which are left out wherever the panel is used."""
        return int((self.n_ratings == 0).sum())

    @property
    def counts(self) -> Ints:
        """How often each item got each class, (n_items, K).

        Examples
        --------
        >>> Panel([[1, 2, 2], [2, None, 1]]).counts.tolist()
        [[1, 2], [1, 1]]
        """
        return self._ratings.counts()

    @cached_property
    def mean_ratings(self) -> Floats:
        """The mean of each item's ratings; of positions, if the classes are not numbers.

        Examples
        --------
        >>> Panel([[1, 2], [None, None], [5, None]]).mean_ratings
        array([1.5, nan, 5. ])
        """
        ratings = self._ratings
        is_numeric = self.classes.dtype.kind in "iuf"
        values = self.classes if is_numeric else np.arange(len(self.classes))
        sums = np.bincount(ratings.item, values[ratings.code], len(self))
        with np.errstate(invalid="ignore"):
            return np.asarray(sums / np.where(self.n_ratings > 0, self.n_ratings, np.nan))

    def __len__(self) -> int:
        return self._ratings.n_items

    def __repr__(self) -> str:
        shown = " < ".join(map(str, self.classes[:10].tolist()))
        more = " < ..." if len(self.classes) > 10 else ""
        left_out = f" ({self.n_unrated} of them without a rating)" if self.n_unrated else ""
        return (
            f"Panel({len(self)} items{left_out}, {len(self.rater_names)} raters, "
            f"{len(self._ratings.item)} ratings, classes {shown}{more})"
        )

    def _repr_html_(self) -> str:
        counts = np.bincount(self._ratings.code, minlength=len(self.classes)).tolist()
        rows = zip(map(str, self.classes.tolist()), map(str, counts), strict=True)
        sizes = f"{len(self)} items, {len(self.rater_names)} raters"
        left_out = f"{self.n_unrated} items have no rating." if self.n_unrated else ""
        return view("Panel", ["class", "ratings"], rows, value=sizes, notes=[left_out])

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(
            "a Panel has several ratings of each item, and one label of each row is needed here. "
            "Find scores first, and pass them to ordcut.optimal_thresholds(scores, panel)."
        )

    def named(self, items: ArrayLike) -> Panel:
        """Return the panel with names for its items, one each.

        Examples
        --------
        >>> Panel([[1, 2], [2, 2]]).named(["first", "second"]).items.tolist()
        ['first', 'second']
        """
        given = np.asarray(items, dtype=object).tolist()
        if len(given) != len(self) or len(set(given)) < len(given):
            twice = [name for name, count in Counter(given).items() if count > 1]
            came = f"{twice[0]!r} more than once" if twice else f"{len(given)} names"
            raise ValueError(
                f"items must hold a different name for each of the {len(self)} items, got {came}."
            )
        names = np.empty(len(self), dtype=object)
        names[:] = given
        panel = Panel.__new__(Panel)
        panel._set(replace(self._ratings, items=names, has_names=True), self.raters, self.per)
        return panel

    def with_classes(self, classes: Sequence[Any] | Array) -> Panel:
        """Return the panel with all classes, lowest first, also classes that nobody gave.

        Examples
        --------
        >>> Panel([[1, 2], [2, 2]]).with_classes([1, 2, 3])
        Panel(2 items, 2 raters, 4 ratings, classes 1 < 2 < 3)
        """
        known, ratings = encode(self.classes, classes), self._ratings
        assert known.codes is not None
        code = known.codes[ratings.code].astype(np.int64)
        panel = Panel.__new__(Panel)
        panel._set(replace(ratings, classes=known.classes, code=code), self.raters, self.per)
        return panel

    def take(self, items: ArrayLike) -> Panel:
        """Return the panel of the items at the given positions, or where a mask is true.

        Examples
        --------
        >>> Panel([[1, 2], [2, 2], [3, 1]]).take([2, 0]).mean_ratings
        array([2. , 1.5])
        """
        ratings = self._ratings
        kept = np.arange(len(self))[np.asarray(items)]
        numbers = self.n_ratings[kept]
        item = np.repeat(np.arange(len(kept)), numbers)
        # Ratings are in the order of their items, which start here and in the new panel.
        starts, new_starts = (
            np.cumsum(self.n_ratings) - self.n_ratings,
            np.cumsum(numbers) - numbers,
        )
        chosen = np.arange(len(item)) + (starts[kept] - new_starts)[item]
        panel = Panel.__new__(Panel)
        part = replace(
            ratings,
            item=item,
            rater=ratings.rater[chosen],
            code=ratings.code[chosen],
            items=ratings.items[kept],
        )
        panel._set(part, self.raters, self.per)
        return panel

    def as_labels(
        self, classes: Sequence[Any] | Array | None = None, n_classes: int | None = None
    ) -> Labels:
        """Return the ratings as soft labels, in whole numbers where sums of these are exact.

        Each item has the weight of the least common multiple of the numbers of ratings; a weight
        of that much stands for 1. ``classes`` and ``n_classes`` are those that an objective or
        thresholds require.

        Examples
        --------
        >>> labels = Panel([[1, 1, 2], [2, None, None]]).as_labels()
        >>> labels.soft.tolist(), labels.unit
        ([[2.0, 1.0], [0.0, 3.0]], 0.3333333333333333)
        """
        ordered = self.classes
        if classes is not None or n_classes not in (None, len(ordered)):
            return self.with_classes(encode(ordered, classes, n_classes).classes).as_labels()
        counts = self.counts.astype(np.float64)
        if self.per == "rating":
            return Labels(ordered, soft=counts)
        numbers = np.maximum(self.n_ratings, 1)[:, None]
        multiple = lcm(*np.unique(numbers).tolist())
        if multiple * len(self) >= EXACT / 1024:
            return Labels(ordered, soft=counts / numbers)
        return Labels(ordered, soft=counts * (multiple // numbers), unit=1 / multiple)

    def agreement(
        self,
        objective: ObjectiveLike = "quadratic_kappa",
        *,
        coefficient: str = "fair",
        groups: ArrayLike | None = None,
    ) -> Agreement:
        """Return how well the raters agree with each other.

        Parameters
        ----------
        objective : str, array-like of shape (K, K), callable, Kappa or Objective
            A kappa, or a loss, of which the mean over pairs of ratings is returned.
        coefficient : {"fair", "alpha", "gwet", "fleiss"}
            What a kappa takes for chance. ``"fair"`` pairs ratings by different raters of
            different items, each item counting once, and can be compared with
            :meth:`agreement_with`. The others are Krippendorff's alpha, Gwet's AC1 or AC2, and
            Fleiss' kappa in Gwet's general form.
        groups : array-like of shape (n_items,), optional
            The group of each item: items of a group depend on each other, such as the turns of a
            dialogue, and the interval is over groups.

        Returns
        -------
        Agreement
            Over the items with at least two ratings.

        Examples
        --------
        >>> panel = Panel([[1, 1, 2], [2, None, 2], [3, 3, None], [2, 3, 3], [1, None, None]])
        >>> round(panel.agreement("quadratic_kappa").value, 3)
        0.735
        >>> round(panel.agreement("quadratic_kappa", coefficient="alpha").value, 3)
        0.679
        """
        if coefficient not in COEFFICIENTS:
            raise unknown_name("coefficient", coefficient, list(COEFFICIENTS))
        resolved = self._square(objective)
        codes = Groups.codes_of(groups, self)
        is_identified = self.raters == "identified"
        return people_agreement(self._ratings, resolved, coefficient, is_identified, codes)

    def agreement_with(
        self,
        labels: ArrayLike,
        objective: ObjectiveLike = "quadratic_kappa",
        *,
        groups: ArrayLike | None = None,
    ) -> Agreement:
        """Return how well labels agree with the raters, on the scale of :meth:`agreement`.

        Labels from one more rater of the same kind would agree as well as the raters do with each
        other.

        Parameters
        ----------
        labels : array-like of shape (n_items,)
            The class of each item, by a judge or by thresholds.
        objective : str, array-like of shape (K, K), callable, Kappa or Objective
            A kappa or a loss.
        groups : array-like of shape (n_items,), optional
            As in :meth:`agreement`.

        Returns
        -------
        Agreement
            Over the items with at least one rating.

        Examples
        --------
        >>> panel = Panel([[1, 1, 2], [2, None, 2], [3, 3, None], [2, 3, 3], [1, None, None]])
        >>> round(panel.agreement_with([1, 2, 3, 3, 1]).value, 3)
        0.926
        """
        codes = Groups.codes_of(groups, self)
        return judge_agreement(self._ratings, self._codes(labels), self._square(objective), codes)

    def alternative_test(
        self, labels: ArrayLike, objective: ObjectiveLike = "zero_one", *, epsilon: float = 0.2
    ) -> AlternativeTest:
        """Test whether labels can stand in for a rater: the alternative annotator test.

        Each rater in turn is compared with the labels by the mean cost to the other raters of an
        item. The labels get a bonus of ``epsilon``, for being cheaper: 0.2 for experts, 0.1 for
        crowd workers (arXiv 2501.10970).

        Parameters
        ----------
        labels : array-like of shape (n_items,)
            The class of each item.
        objective : str, array-like of shape (K, K), callable, Kappa or Objective
            The cost of two ratings.
        epsilon : float, default=0.2
            By how much the labels may lose more often than they win.

        Examples
        --------
        >>> panel = Panel([[0, 0, 1], [1, 1, 1], [0, 1, 1], [0, 0, 0]] * 20)
        >>> panel.alternative_test([0, 1, 1, 0] * 20).winning_rate
        1.0
        """
        if self.raters != "identified":
            raise ValueError('the alternative annotator test needs raters="identified".')
        cost = self._square(objective).cost
        return alternative_test(self._ratings, self._codes(labels), cost, epsilon)

    def _square(self, objective: ObjectiveLike) -> Objective:
        """Return an objective that compares classes with classes."""
        resolved = resolve_objective(objective, self.classes)
        if not compares_ratings(resolved):
            raise ValueError(
                "objective must compare two ratings, neither of which is the truth: a kappa, or a "
                f"cost of classes, got {resolved.name!r}."
            )
        return resolved

    def _codes(self, labels: ArrayLike) -> Array:
        check_aligned(labels=labels, panel=self)
        try:
            codes = codes_of(labels, self.classes, "labels")
        except ValueError as error:
            if np.asarray(labels).dtype.kind != "f":
                raise
            raise ValueError(f"{error} For scores, pass result.predict(scores).") from error
        if len(codes) != len(self):
            raise ValueError(
                f"labels must hold one class for each of the {len(self)} items, got {len(codes)}."
            )
        return codes


def _columns(frame: Any, names: Sequence[str]) -> list[Any]:
    """Return columns of a dataframe or of a mapping."""
    loaded = None if isinstance(frame, Mapping) else loaded_frame(frame)
    known = list(frame if loaded is None else loaded.columns)
    for name in names:
        if name not in known:
            raise ValueError(f"item, rater and rating must name columns of {known}, got {name!r}.")
    return [frame[name] if loaded is None else loaded[name].to_native() for name in names]
