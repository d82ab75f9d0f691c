"""Agreement of raters with each other, and of labels with raters, with intervals over items.

Disagreement is a cost between two ratings. The observed part is the mean cost of two ratings of an
item, each item counting once. A kappa compares it with chance: the mean cost of two ratings by
different raters of different items. The usual pooled chance also pairs raters with themselves,
which favours labels that come from elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ordcut._core.objectives import Additive, Objective, Ratio, title_of
from ordcut._core.typing import Array, Bools, Floats, Ints
from ordcut._core.uncertainty import Estimate
from ordcut._core.views import interval, view
from ordcut.panels.ratings import Ratings


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Estimate):
    """How well raters agree with each other, or labels with raters.

    It is an :class:`ordcut.Estimate` of which the rows are items: those with too few ratings do
    not count. Intervals are over items, for these raters: other raters may agree more, or less.

    Attributes
    ----------
    about : str
        Who is compared with whom.

    Examples
    --------
    >>> from ordcut import Panel
    >>> panel = Panel([[1, 1], [2, 2], [3, 2], [3, 3], [1, 2], [2, 2], [3, 3], [1, 1]])
    >>> panel.agreement("quadratic_kappa")
    Agreement(people with people, quadratic_kappa 0.821 [0.108, 0.976], 8 items, these raters)
    """

    about: str = field(kw_only=True)

    noun: ClassVar[str] = "items"

    @property
    def n_items(self) -> int:
        """The number of items that count."""
        return self.n_rows

    @property
    def attainable(self) -> float:
        """About the highest kappa that a judge without noise reaches with these people.

        It is the square root of people's kappa with each other, which a judge can therefore
        exceed. Exact for the quadratic kappa of a judge that follows what people have in common.

        Examples
        --------
        >>> from ordcut import Panel
        >>> round(Panel([[1, 1], [2, 3], [3, 3], [1, 2]]).agreement().attainable, 3)
        0.866
        """
        if not self.is_maximised or self.about != PEOPLE:
            raise ValueError(
                "attainable is known for a kappa of people with each other, got "
                f"{self.objective!r} of {self.about}."
            )
        return float(np.sqrt(max(self.value, 0.0)))

    def __repr__(self) -> str:
        low, high = self.interval()
        return (
            f"Agreement({self.about}, {self.objective} {self.value:.3f} [{low:.3f}, {high:.3f}], "
            f"{self.size}, these raters)"
        )

    def _repr_html_(self) -> str:
        row = (self.about, self.value, interval(*self.interval()), self.size)
        return view(
            f"Agreement by {title_of(self.objective)}",
            ["who", title_of(self.objective), "95 % interval", "items"],
            [row],
            notes=["Each item counts once. The interval holds for these raters."],
        )


#: Who is compared with whom.
PEOPLE, LABELS = "people with people", "labels with people"


@dataclass(frozen=True, eq=False)
class Items:
    """The rated items of a panel, as sums over them need them.

    Attributes
    ----------
    numbers : ndarray of shape (n,)
        The number of ratings of each item.
    shares : ndarray of shape (n, K)
        The share of each class in the ratings of an item.
    item, rater, code : ndarray of shape (n_ratings,)
        The position of the item among these, and the rater and class, of each rating.
    """

    numbers: Floats
    shares: Floats
    item: Ints
    rater: Ints
    code: Ints

    @classmethod
    def of(cls, ratings: Ratings, kept: Bools) -> Items:
        """Take the items that are kept."""
        is_kept = kept[ratings.item]
        counts = ratings.counts()[kept]
        numbers = counts.sum(axis=1).astype(np.float64)
        item = (np.cumsum(kept) - 1)[ratings.item[is_kept]]
        code, rater = ratings.code[is_kept], ratings.rater[is_kept]
        return cls(numbers, counts / numbers[:, None], item, rater, code)

    @property
    def weights(self) -> Floats:
        """The weight of each rating, so that each item counts once."""
        return 1 / self.numbers[self.item]

    def within(self, cost: Floats) -> Floats:
        """Return the mean cost of two ratings of each item; 0 for an item with one rating."""
        squares = np.einsum("ik,kl,il->i", self.shares, cost, self.shares)
        own = self.shares @ np.diag(cost) / self.numbers
        return np.asarray((squares - own) / np.maximum(1 - 1 / self.numbers, 0.5))

    def sum_items(self, values: Floats) -> Floats:
        """Add up a value of each rating by item."""
        sums: Floats = np.bincount(self.item, values, len(self.numbers)).astype(np.float64)
        return sums


def _with_each_left_out(parts: Floats) -> Floats:
    """Return the sum of the parts of all items, then the sum without each item."""
    total = parts.sum(axis=0)
    return np.concatenate([total[None], total - parts])


def _squared_sum(parts: Floats, cost: Floats) -> Floats:
    """Return the cost between the sum of all parts and itself, then without each item."""
    sums = _with_each_left_out(parts)
    return np.asarray(np.einsum("ik,kl,il->i", sums, cost, sums))


def _same_rater(items: Items, cost: Floats) -> Floats:
    """Return the cost between ratings of the same rater, then without each item."""
    n_classes = len(cost)
    by_rater = np.bincount(
        items.rater * n_classes + items.code,
        items.weights,
        (int(items.rater.max()) + 1) * n_classes,
    ).reshape(-1, n_classes)
    total = np.einsum("rk,kl,rl->", by_rater, cost, by_rater)
    weights, own = items.weights, np.diag(cost)[items.code]
    lost = 2 * weights * (by_rater @ cost)[items.rater, items.code] - weights**2 * own
    return np.append(total, total - items.sum_items(lost))


def _fair_sums(items: Items, cost: Floats, is_identified: bool) -> Floats:
    """Return the cost between ratings of different items and raters, then without each item."""
    same_item = _with_each_left_out(np.einsum("ik,kl,il->i", items.shares, cost, items.shares))
    sums = _squared_sum(items.shares, cost) - same_item
    if not is_identified:
        return sums
    own = items.sum_items(items.weights**2 * np.diag(cost)[items.code])
    return sums - _same_rater(items, cost) + _with_each_left_out(own)


def _fair(items: Items, cost: Floats, is_identified: bool) -> Floats:
    pairs = _fair_sums(items, np.ones_like(cost), is_identified)
    return _fair_sums(items, cost, is_identified) / np.where(pairs > 1e-9, pairs, np.nan)


def _pooled(items: Items, cost: Floats, _: bool) -> Floats:
    n = _with_each_left_out(np.ones(len(items.numbers)))
    return _squared_sum(items.shares, cost) / n**2


def _alpha(items: Items, cost: Floats, _: bool) -> Floats:
    counts = items.shares * items.numbers[:, None]
    n = _with_each_left_out(items.numbers)
    own = _with_each_left_out(counts @ np.diag(cost))
    return (_squared_sum(counts, cost) - own) / (n * (n - 1))


def _gwet(items: Items, cost: Floats, _: bool) -> Floats:
    k, worst = len(cost), cost.max()
    n = _with_each_left_out(np.ones(len(items.numbers)))
    shares = _with_each_left_out(items.shares) / n[:, None]
    by_chance = (1 - cost / worst).sum() / (k * (k - 1)) * (shares * (1 - shares)).sum(axis=1)
    return np.asarray(worst * (1 - by_chance))


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of agreement.

    Attributes
    ----------
    expected : callable
        Returns the cost by chance, then without each item.
    fewest : int
        The number of ratings that an item needs to count by chance.
    by_rating : bool
        Whether an item counts as often as it was rated.
    """

    expected: Callable[[Items, Floats, bool], Floats]
    fewest: int = 2
    by_rating: bool = False


#: Coefficients by name: ours; Krippendorff's alpha; Gwet's AC1 and, with weights, AC2; and Fleiss'
#: kappa as Gwet generalised it to weights and gaps.
COEFFICIENTS = {
    "fair": Coefficient(_fair),
    "alpha": Coefficient(_alpha, by_rating=True),
    "gwet": Coefficient(_gwet, fewest=1),
    "fleiss": Coefficient(_pooled, fewest=1),
}


def compares_ratings(objective: Objective) -> bool:
    """Return whether an objective compares two ratings, neither of which is the truth.

    Examples
    --------
    >>> from ordcut._core.objectives import resolve_objective
    >>> [compares_ratings(resolve_objective(name, 3)) for name in ("kappa", "macro_mae")]
    [True, False]
    """
    is_of_classes = objective.decisions is None and not objective.weighs_by_totals
    return is_of_classes and isinstance(objective, Additive | Ratio)


def people_agreement(
    ratings: Ratings,
    objective: Objective,
    coefficient: str,
    is_identified: bool,
    groups: Ints | None = None,
) -> Agreement:
    """Return how well raters agree with each other."""
    chosen = COEFFICIENTS[coefficient]
    cost = (objective.cost + objective.cost.T) / 2
    numbers = np.bincount(ratings.item, minlength=ratings.n_items)
    if (numbers > 1).sum() < 2:
        raise ValueError(
            "agreement needs at least two items with two ratings each, got "
            f"{(numbers > 1).sum()} of {ratings.n_items} items."
        )
    kept = numbers >= (chosen.fewest if objective.is_maximised else 2)
    items = Items.of(ratings, kept)
    pairable = (items.numbers > 1).astype(np.float64)
    weights = items.numbers * pairable if chosen.by_rating and objective.is_maximised else pairable
    paid = _with_each_left_out(weights * items.within(cost))
    observed = paid / _with_each_left_out(weights)
    expected = None
    if objective.is_maximised:
        expected = chosen.expected(items, cost, is_identified)
    return _agreement(observed, expected, objective, PEOPLE, kept, groups)


def judge_agreement(
    ratings: Ratings, labels: Array, objective: Objective, groups: Ints | None = None
) -> Agreement:
    """Return how well labels, a code of each item, agree with raters."""
    numbers = np.bincount(ratings.item, minlength=ratings.n_items)
    kept = numbers > 0
    if kept.sum() < 2:
        raise ValueError(f"agreement needs at least two rated items, got {kept.sum()}.")
    items, cost, judged = Items.of(ratings, kept), objective.cost, labels[kept]
    own = (items.shares * cost[judged]).sum(axis=1)
    paid, n = _with_each_left_out(own), _with_each_left_out(np.ones(len(own)))
    expected = None
    if objective.is_maximised:
        # The judge is a further rater, so only pairs of the same item have to be left out.
        chosen = _with_each_left_out(np.eye(len(cost))[judged])
        people = _with_each_left_out(items.shares)
        pairs = n * (n - 1)
        expected = (np.einsum("ik,kl,il->i", chosen, cost, people) - paid) / np.where(
            pairs > 0, pairs, np.nan
        )
    return _agreement(paid / n, expected, objective, LABELS, kept, groups)


def _agreement(
    observed: Floats,
    expected: Floats | None,
    objective: Objective,
    about: str,
    kept: Bools,
    groups: Ints | None,
) -> Agreement:
    values, limits = observed, (float(objective.cost.min()), float(objective.cost.max()))
    if expected is not None:
        if not expected[0] > 0:
            raise ValueError(
                f"objective {objective.name!r} is undefined for these ratings: different raters "
                "never differ on different items, so that there is no disagreement by chance. Use "
                'ratings in which other classes occur, or a loss such as objective="absolute".'
            )
        with np.errstate(invalid="ignore", divide="ignore"):
            values = 1 - observed / expected
        values = np.where(np.isfinite(values), values, values[0])
        limits = 1 - float(objective.cost.max() / expected[0]), 1.0
    left_out = np.full(len(kept), values[0])
    left_out[kept] = values[1:]
    return Agreement(
        float(values[0]),
        objective.name,
        left_out,
        kept,
        objective.is_maximised,
        limits,
        expected is not None,
        about=about,
        groups=groups,
    )
