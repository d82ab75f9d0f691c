"""How often limits with a confidence are broken on the population, where its chances are known.

The scores of each class have a given distribution, so that the share that thresholds reach on the
population can be computed. `broken` is the share of data sets whose thresholds break any of their
limits, `allowed` the joint risk of all limits, and `excess` the difference in standard errors:
above 3 would be too many. `of the count` is the risk that is left after the number of rows which
may break a limit is rounded down to a whole one: the binomial probability of at most that number,
mean over data sets. `no promise` is the share of data sets with too few rows for any promise,
which break nothing. Scores of `normal` and `skewed` have no ties; those of `rounded` and `votes`
have many. `loss` is the mean absolute loss on the population. `order statistics` is that of
hierarchical Neyman-Pearson classification (the rule of R's HNPclassifier), which takes the highest
threshold that it may for each class, and `worse` counts the data sets in which the optimum within
the same limits has a higher loss than that rule on the rows at hand.

`python -m benchmarks guarantees` repeats the simulations.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import stats

import ordcut
from ordcut._core.limits import (
    Constraint,
    Form,
    Guarantee,
    Names,
    Ratio,
    limits_for,
    read_constraints,
)

N_DATA = 2000


@dataclass(frozen=True)
class Model:
    """The chances of the classes, and the distribution of the scores of each."""

    below: Callable[[np.ndarray], np.ndarray]  # (m,) thresholds -> (m, K) chances of scores below
    draw_scores: Callable[[np.random.Generator, np.ndarray], np.ndarray]
    shares: np.ndarray

    def draw(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        labels = rng.choice(len(self.shares), n, p=self.shares)
        return self.draw_scores(rng, labels), labels

    def table(self, thresholds: np.ndarray) -> np.ndarray:
        """Return the chance of each decision and class."""
        k = len(self.shares)
        below = np.vstack([np.zeros(k), self.below(thresholds), np.ones(k)])
        return np.diff(below, axis=0) * self.shares


def model(kind: str, n_classes: int, is_skewed: bool) -> Model:
    """Return a model by the name of its scores; with skew, each class is half as common."""
    shares = 0.5 ** np.arange(n_classes) if is_skewed else np.ones(n_classes)
    at = np.arange(n_classes)
    if kind == "votes":  # of 20 judges
        chance = (at + 1) / (n_classes + 1)
        below = lambda t: stats.binom.cdf(np.ceil(t)[:, None] - 1, 20, chance)  # noqa: E731
        draw = lambda rng, labels: rng.binomial(20, chance[labels]).astype(float)  # noqa: E731
    elif kind == "skewed":
        below = lambda t: stats.gamma.cdf(t[:, None] - at, 1.2)  # noqa: E731
        draw = lambda rng, labels: labels + rng.gamma(1.2, size=len(labels))  # noqa: E731
    else:
        step = 0.25 if kind == "rounded" else 0.0

        def below(t: np.ndarray) -> np.ndarray:
            edge = t if step == 0 else np.ceil(t / step) * step - step / 2
            return stats.norm.cdf((edge[:, None] - at) / 0.7)

        def draw(rng: np.random.Generator, labels: np.ndarray) -> np.ndarray:
            scores = labels + 0.7 * rng.normal(size=len(labels))
            return scores if step == 0 else np.rint(scores / step) * step

    return Model(below, draw, shares / shares.sum())


@dataclass(frozen=True)
class Missed(Constraint):
    """A limit on the share of the rows of a class that get a lower decision."""

    k: int
    at_most: float
    confidence: float

    def lower(self, names: Names) -> Ratio:
        own = slice(self.k, self.k + 1)
        part = names.cells(decisions=slice(0, self.k), classes=own)
        return Ratio(part, names.cells(classes=own), None, self.at_most, self.confidence)


def by_order_statistics(
    scores: np.ndarray, labels: np.ndarray, limits: list[Missed]
) -> np.ndarray | None:
    """Return the highest thresholds with a guarantee for each class; None if a class has none."""
    highest = []
    for limit in limits:
        own = np.sort(scores[labels == limit.k])
        share, risk = Fraction(str(limit.at_most)), 1 - Fraction(str(limit.confidence))
        _, count = Guarantee(len(own), None, share, risk, "binomial").counts
        if count is None or not 0 <= count < len(own):
            return None
        highest.append(own[count])
    return np.minimum.accumulate(highest[::-1])[::-1]


#: The scores, the number of classes, whether these are skewed, the number of rows, and the limits.
#: A number stands for a limit on what is missed of each class.
SETTINGS: list[tuple[str, int, bool, int, Any]] = [
    ("normal", 3, False, 60, ["under 2 <= 0.3 with 90 %"]),
    ("normal", 3, False, 200, ["under 2 <= 0.1 with 95 %"]),
    ("normal", 3, False, 1000, ["under 2 <= 0.1 with 95 %"]),
    ("normal", 5, False, 5000, ["under 4 <= 0.1 with 95 %"]),
    ("normal", 3, True, 1000, ["under 2 <= 0.1 with 95 %"]),
    ("normal", 7, True, 5000, ["under 3 <= 0.1 with 95 %"]),
    ("normal", 3, False, 500, ["over 0 <= 0.1 with 90 %"]),
    ("normal", 4, False, 500, ["recall 3 >= 0.9 with 95 %"]),
    ("normal", 4, True, 1000, ["share 3 <= 0.05 with 95 %"]),
    ("normal", 4, False, 300, ["count 3 <= 60 with 90 %"]),
    ("normal", 3, False, 400, ["share 2 >= 0.35 and <= 0.45 with 80 %"]),
    ("normal", 3, False, 400, ["share 1 <= 0.25 with 90 %"]),
    ("normal", 3, False, 2000, ["recall 1 >= 0.6 with 90 %"]),
    ("normal", 5, False, 2000, ["under 4 <= 0.1 with 95 %", "over 0 <= 0.1 with 95 %"]),
    ("skewed", 3, False, 200, ["under 2 <= 0.1 with 95 %"]),
    ("skewed", 5, True, 2000, ["under 2 <= 0.1 with 95 %"]),
    ("skewed", 7, False, 5000, ["over 2 <= 0.2 with 90 %"]),
    ("skewed", 3, False, 1000, ["share 1 >= 0.4 with 90 %"]),
    ("rounded", 3, False, 200, ["under 2 <= 0.1 with 95 %"]),
    ("rounded", 5, True, 1000, ["under 3 <= 0.2 with 90 %"]),
    ("votes", 3, False, 200, ["under 2 <= 0.1 with 95 %"]),
    ("votes", 4, True, 2000, ["share 2 <= 0.1 with 90 %"]),
    ("normal", 4, False, 1000, 0.1),
    ("skewed", 5, False, 2000, 0.1),
]


def run(quick: bool) -> Iterator[dict[str, Any]]:
    for number, setting in enumerate(SETTINGS):
        yield simulate(*setting, seed=number, n_data=20 if quick else N_DATA)


def simulate(
    kind: str, n_classes: int, is_skewed: bool, n: int, limits: Any, *, seed: int, n_data: int
) -> dict[str, Any]:
    """Return how often limits are broken on the population, over many data sets of n rows."""
    population, classes = model(kind, n_classes, is_skewed), np.arange(n_classes)
    every = isinstance(limits, float)
    constraints = (
        tuple(Missed(k, limits, 0.95) for k in range(1, n_classes)) if every
        else read_constraints(limits)
    )  # fmt: skip
    objective = ordcut.resolve_objective("absolute", classes)
    forms = limits_for(constraints, objective, classes).forms
    broken, losses, rivals, tails, n_worse, allowed = [], [], [], [], 0, 0.0
    for data in range(n_data):
        scores, labels = population.draw(n, np.random.default_rng([seed, data]))
        try:
            result = ordcut.optimal_thresholds(
                scores, labels, classes=classes, constraints=constraints
            )
        except ordcut.InfeasibleConstraintsError:
            broken.append(False)
            continue
        allowed = 1 - result.joint_confidence
        tails.append(sum(tail_of(form, np.bincount(labels, minlength=n_classes)) for form in forms))
        table = population.table(result.thresholds)
        broken.append(any(breaks(form, table, n) for form in forms))
        losses.append((objective.cost * table).sum())
        if every:
            thresholds = by_order_statistics(scores, labels, constraints)
            rivals.append((objective.cost * population.table(thresholds)).sum())
            judged = ordcut.Thresholds.from_values(thresholds, classes)
            n_worse += result.value > ordcut.judge(judged, scores, labels).value + 1e-12
    share = float(np.mean(broken))
    error = np.sqrt(allowed * (1 - allowed) / n_data)
    return {
        "scores": kind,
        "K": n_classes,
        "skew": "yes" if is_skewed else "no",
        "n": n,
        "limits": f"missed of each class <= {limits} with 95 %" if every else "; ".join(limits),
        "data sets": n_data,
        "no promise": 1 - len(losses) / n_data,
        "broken": share,
        "allowed": float(allowed),
        "of the count": None if np.isnan(tails).any() else float(np.mean(tails)),
        "excess": float((share - allowed) / error) if losses else None,
        "loss": float(np.mean(losses)) if losses else None,
        "order statistics": float(np.mean(rivals)) if every else None,
        "worse": n_worse if every else None,
    }


def tail_of(form: Ratio, totals: np.ndarray) -> float:
    """Return the probability of the counts that promise a limit, at the limit; NaN for Kuiper's."""
    bound = form.guarantee((form.counted * totals).sum(), Fraction(1))
    if bound.bound != "binomial":
        return float("nan")
    n, (least, most), tail = bound.n_rows, bound.counts, 0.0
    if least is not None:
        tail += stats.binom.cdf(n - least, n, 1 - float(bound.at_least))
    return float(tail if most is None else tail + stats.binom.cdf(most, n, float(bound.at_most)))


def breaks(form: Form, table: np.ndarray, n: int) -> bool:
    """Return whether chances of decisions and classes break a limit; n rows are counted."""
    ratio = form.without_confidence
    whole = 1 / n if ratio.whole is None else (ratio.whole * table).sum()
    share = (ratio.part * table).sum() / whole if whole else np.nan
    least, most = ratio.at_least, ratio.at_most
    return bool(
        (least is not None and share < least - 1e-12) or (most is not None and share > most + 1e-12)
    )
