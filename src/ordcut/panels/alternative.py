"""The alternative annotator test: whether a judge can stand in for an annotator.

Calderon, Reichart and Dror (2025), "The Alternative Annotator Test for LLM-as-a-Judge",
arXiv:2501.10970.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from ordcut._core.typing import Array, Floats
from ordcut._core.views import view
from ordcut.panels.ratings import Ratings

#: A rater needs at least this many items that another rater has rated, too.
FEWEST_ITEMS = 30


@dataclass(frozen=True, eq=False)
class AlternativeTest:
    """The result of the alternative annotator test.

    Attributes
    ----------
    raters : ndarray of shape (n_raters,)
        The raters that could be compared: those with at least 30 items that others rated, too.
    advantages : ndarray of shape (n_raters,)
        For each rater, the share of items on which the judge is at least as close to the other
        raters as this rater is.
    p_values : ndarray of shape (n_raters,)
        For each rater, the p-value of "the judge is not as good, even with a bonus of epsilon".
    winning_rate : float
        The share of raters that the judge beats, at a false discovery rate of 5 %.
    """

    raters: Array
    advantages: Floats
    p_values: Floats
    winning_rate: float

    @property
    def passes(self) -> bool:
        """Whether the judge beats at least half of the raters."""
        return self.winning_rate >= 0.5

    def _repr_html_(self) -> str:
        names = map(str, self.raters.tolist())
        rows = zip(names, self.advantages.tolist(), self.p_values.tolist(), strict=True)
        return view(
            "Alternative annotator test",
            ["rater", "advantage of the judge", "p value"],
            rows,
            value=f"winning rate {self.winning_rate:.0%}".replace("%", " %"),
            notes=["The judge beats at least half of the raters." if self.passes else
                   "The judge beats fewer than half of the raters."],
        )  # fmt: skip


def alternative_test(
    ratings: Ratings, labels: Array, cost: Floats, epsilon: float, rate: float = 0.05
) -> AlternativeTest:
    """Compare labels, a code of each item, with each rater in turn by the cost to the others."""
    if not 0 <= epsilon < 1:
        raise ValueError(f"epsilon must be a number from 0 to 1, such as 0.2, got {epsilon!r}.")
    item, code, counts = ratings.item, ratings.code, ratings.counts()
    judged = labels[item]
    # The costs to the other raters of the item; its own rating is taken away again.
    own = counts[item]
    judge = (own * cost[judged]).sum(axis=1) - cost[judged, code]
    rater = (own * cost[code]).sum(axis=1) - cost[code, code]
    has_others = own.sum(axis=1) > 1
    names, advantages, p_values = [], [], []
    for index, name in enumerate(ratings.raters):
        rows = has_others & (ratings.rater == index)
        if rows.sum() < FEWEST_ITEMS:
            continue
        judge_wins, rater_wins = judge[rows] <= rater[rows], rater[rows] <= judge[rows]
        names.append(name)
        advantages.append(judge_wins.mean())
        p_values.append(_p_value(rater_wins.astype(np.float64) - judge_wins, epsilon))
    if not names:
        raise ValueError(
            f"the alternative annotator test needs a rater with at least {FEWEST_ITEMS} items that "
            "others have rated, too, and there is none."
        )
    p = np.array(p_values)
    return AlternativeTest(
        np.array(names), np.array(advantages), p, float(_rejected(p, rate).mean())
    )


def _p_value(losses: Floats, epsilon: float) -> float:
    """Return the p-value of a mean of at least epsilon, by Student's test."""
    n, spread = len(losses), float(losses.std(ddof=1))
    if spread == 0:
        return float(losses[0] >= epsilon)
    return float(stdtr(n - 1, (losses.mean() - epsilon) / (spread / np.sqrt(n))))


def _rejected(p_values: Floats, rate: float) -> Array:
    """Return which hypotheses are rejected at a false discovery rate (Benjamini and Yekutieli)."""
    m = len(p_values)
    order = np.argsort(p_values)
    limits = rate * np.arange(1, m + 1) / m / (1 / np.arange(1, m + 1)).sum()
    passing = np.flatnonzero(p_values[order] <= limits)
    rejected = np.zeros(m, np.bool_)
    rejected[order[: passing[-1] + 1 if len(passing) else 0]] = True
    return rejected
