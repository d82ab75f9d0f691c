"""How often promises about precisions, groups and other populations are broken.

As in `guarantees`, the chances of the classes at every score are known. `precision` has a least
precision of the lowest or the highest decision, alone, at both ends, or next to a limit of another
kind; `group` has limits for groups of rows, which differ in their scores and in how common classes
are; and `population` has rows with equal numbers of each class, and limits on the rates of a class
in a population with other shares. Scores of `normal` and `skewed` have no ties, those of `rounded`
and `votes` have many, and in `outliers` 1 % of the lowest class have the highest scores, so that
the precision falls again towards the end. `objective` is what is optimised among the thresholds
that promise the limits. With `misses`, a row that is decided too low costs 20 times as much as one
that is decided too high, and with `alarms` the other way round, so that thresholds go as far as the
limits allow.

`broken` is the share of data sets whose thresholds break any of their limits on the population,
`allowed` the joint risk of all limits, and `excess` the difference in standard errors: above 3
would be too many. `no promise` is the share of data sets with too few rows, which break nothing.

`python -m benchmarks promises` repeats the simulations.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy import stats

import ordcut
from benchmarks.guarantees import Model, breaks, model
from ordcut._core.data import Groups
from ordcut._core.limits import limits_for, read_constraints
from ordcut._core.limits.conflicts import Conflict

N_DATA = 2000

#: The groups of rows: how much their scores are higher, and how common each next class is.
GROUPS = {"a": (0.0, 1.0), "b": (0.4, 0.6)}

#: The shares of the classes in the population, of rows that have as many of each class.
SHARES = {2: [0.9, 0.1], 3: [0.8, 0.15, 0.05], 4: [0.7, 0.2, 0.07, 0.03]}

#: What a row costs that is decided too high, and too low.
COSTS = {"misses": (1, 20), "alarms": (20, 1)}


@dataclass(frozen=True)
class Design:
    """What is drawn, what is promised, and what is optimised."""

    about: str
    scores: str
    n_classes: int
    n: int
    limits: list[str]
    objective: str = "absolute"
    is_skewed: bool = False

    @property
    def population(self) -> Model:
        """The chances of classes, of classes and groups, or of classes in a population."""
        if self.scores == "outliers":
            return _with_outliers(model("normal", self.n_classes, self.is_skewed))
        if self.about == "group":
            return _in_groups(model(self.scores, self.n_classes, self.is_skewed))
        return model(self.scores, self.n_classes, self.is_skewed)


def _with_outliers(plain: Model) -> Model:
    top, lowest = len(plain.shares) + 0.5, np.arange(len(plain.shares)) == 0

    def below(t: np.ndarray) -> np.ndarray:
        share = 0.01 * lowest
        return (1 - share) * plain.below(t) + share * stats.norm.cdf(t[:, None] - top)

    def draw(rng: np.random.Generator, labels: np.ndarray) -> np.ndarray:
        is_outlier = lowest[labels] & (rng.random(len(labels)) < 0.01)
        others = top + rng.normal(size=len(labels))
        return np.where(is_outlier, others, plain.draw_scores(rng, labels))

    return replace(plain, below=below, draw_scores=draw)


def _in_groups(plain: Model) -> Model:
    """Return a model whose classes are pairs of a class and a group."""
    shifts, skews = map(np.array, zip(*GROUPS.values(), strict=True))
    n_groups, n_classes = len(GROUPS), len(plain.shares)

    def below(t: np.ndarray) -> np.ndarray:
        by_group = [plain.below(t - shift) for shift in shifts]
        return np.stack(by_group, axis=2).reshape(len(t), -1)

    def draw(rng: np.random.Generator, pairs: np.ndarray) -> np.ndarray:
        return plain.draw_scores(rng, pairs // n_groups) + shifts[pairs % n_groups]

    shares = skews ** np.arange(n_classes)[:, None] * [0.7, 0.3]
    return Model(below, draw, shares.ravel() / shares.sum())


ENDS = ["precision 0 >= 0.8 with 95 %", "precision {} >= 0.8 with 95 %"]

PRECISIONS = [
    ("normal", 2, 60, ["precision 1 >= 0.6 with 80 %"], "misses", False),
    ("normal", 2, 100, ["precision 1 >= 0.7 with 90 %"], "absolute", False),
    ("normal", 2, 300, ["precision 1 >= 0.9 with 90 %"], "misses", False),
    ("normal", 2, 1000, ["precision 1 >= 0.9 with 90 %"], "misses", False),
    ("normal", 2, 1000, ["precision 1 >= 0.8 with 95 %"], "misses", True),
    ("normal", 2, 3000, ["precision 0 >= 0.95 with 95 %"], "absolute", False),
    ("normal", 2, 1000, ["precision 0 >= 0.9 with 95 %", "precision 1 >= 0.9 with 95 %"],
     "review", False),
    ("normal", 3, 100, ["precision 2 >= 0.6 with 80 %"], "misses", False),
    ("normal", 3, 400, ["precision 2 >= 0.75 with 90 %"], "zero_one", False),
    ("normal", 3, 1000, ["precision 0 >= 0.8 with 95 %"], "squared", False),
    ("normal", 3, 1000, ["precision 1 or higher >= 0.9 with 95 %"], "misses", False),
    ("normal", 3, 1000, [each.format(2) for each in ENDS], "quadratic_kappa", False),
    ("normal", 4, 1000, ["precision 3 >= 0.6 with 90 %", "under 1 <= 0.2 with 95 %"],
     "misses", False),
    ("normal", 4, 1000, ["precision 0 >= 0.7 with 90 %"], "absolute", True),
    ("skewed", 2, 500, ["precision 1 >= 0.55 with 90 %"], "misses", False),
    ("skewed", 3, 1000, ["precision 0 >= 0.9 with 90 %"], "absolute", True),
    ("rounded", 2, 300, ["precision 1 >= 0.8 with 90 %"], "misses", False),
    ("rounded", 3, 1000, [each.format(2) for each in ENDS], "absolute", False),
    ("votes", 2, 300, ["precision 1 >= 0.85 with 95 %"], "misses", False),
    ("votes", 3, 1000, ["precision 0 >= 0.85 with 90 %"], "absolute", True),
    ("votes", 4, 1000, ["precision 3 >= 0.7 with 90 %"], "misses", False),
    ("outliers", 2, 300, ["precision 1 >= 0.7 with 90 %"], "misses", False),
    ("outliers", 2, 1000, ["precision 1 >= 0.75 with 95 %"], "misses", False),
    ("outliers", 3, 1000, ["precision 2 >= 0.6 with 90 %"], "misses", False),
]  # fmt: skip

#: Limits for each group; those that a group has alone come with one for all rows.
IN_GROUPS = [
    ("alarms", [f"recall 2 >= 0.7 with 95 % where {group}" for group in GROUPS]),
    ("alarms", [f"under 1 <= 0.15 with 90 % where {group}" for group in GROUPS]),
    ("misses", [f"over 0 <= 0.25 with 95 % where {group}" for group in GROUPS]),
    ("misses", [f"share 2 <= 0.3 with 90 % where {group}" for group in GROUPS]),
    ("misses", [f"precision 2 >= 0.6 with 90 % where {group}" for group in GROUPS]),
    ("alarms", ["recall 0 >= 0.7 with 95 % where a", "under 1 <= 0.25 with 95 %"]),
    ("misses", ["precision 1 or higher >= 0.75 with 95 % where b", "recall 2 >= 0.4 with 95 %"]),
    ("absolute", ["share 1 <= 0.35 with 90 % where b"]),
]

#: Limits on rates within a class.
WITHIN_CLASSES = [
    (2, "alarms", ["recall 1 >= 0.8 with 95 %"]),
    (2, "misses", ["specificity 1 >= 0.8 with 90 %"]),
    (3, "absolute", ["recall 2 >= 0.7 with 90 %"]),
    (3, "alarms", ["under 2 <= 0.4 with 95 %", "over 0 <= 0.5 with 95 %"]),
    (4, "misses", ["over 0 <= 0.3 with 90 %"]),
    (3, "alarms", ["recall 1 >= 0.3 with 90 %"]),
]

DESIGNS = [
    *(Design("precision", *setting) for setting in PRECISIONS),
    *(
        Design("group", scores, 3, n, limits, objective)
        for objective, limits in IN_GROUPS
        for scores, n in (("normal", 300), ("normal", 1500), ("rounded", 800))
    ),
    *(
        Design("population", scores, k, n, limits, objective)
        for k, objective, limits in WITHIN_CLASSES
        for scores, n in (("normal", 120), ("skewed", 1000), ("rounded", 500), ("votes", 300))
    ),
]


def without_explanations() -> Any:
    """Return a context in which errors do not look for limits that could be promised instead."""
    return patch.object(Conflict, "explained", return_value=([], {}, {}))


def run(quick: bool) -> Iterator[dict[str, Any]]:
    for number, design in enumerate(DESIGNS):
        yield simulate(design, seed=number, n_data=5 if quick else N_DATA)


def options_of(design: Design) -> dict[str, Any]:
    """Return the arguments of ``optimal_thresholds`` for all data sets of a design."""
    classes = np.arange(design.n_classes)
    options: dict[str, Any] = {"classes": classes, "objective": design.objective}
    if design.objective == "review":
        options |= {"objective": "absolute", "review": 0.3}
    if design.objective in COSTS:
        too_high, too_low = COSTS[design.objective]
        steps = np.subtract.outer(classes, classes)
        options["objective"] = np.where(steps > 0, too_high * steps, -too_low * steps)
    if design.about == "population":
        options["class_shares"] = SHARES[design.n_classes]
    return options | {"constraints": design.limits}


def simulate(design: Design, *, seed: int, n_data: int) -> dict[str, Any]:
    """Return how often limits are broken on the population, over many data sets."""
    population, options, in_groups = design.population, options_of(design), design.about == "group"
    risks = [1 - limit.confidence for limit in read_constraints(design.limits)]
    drawn = population
    if design.about == "population":
        population = replace(population, shares=np.array(SHARES[design.n_classes]))
    groups = Groups(np.array([*GROUPS]), np.empty(0, np.int64)) if in_groups else None
    broken, n_solved = 0, 0
    for data in range(n_data):
        scores, pairs = drawn.draw(design.n, np.random.default_rng([seed, data]))
        labels, given = pairs, {}
        if in_groups:
            labels, given = pairs // len(GROUPS), {"groups": np.array([*GROUPS])[pairs % 2]}
        try:
            with without_explanations(), warnings.catch_warnings():
                warnings.filterwarnings("ignore", "constraint .* say little about new rows")
                result = ordcut.optimal_thresholds(scores, labels, **options, **given)
        except ordcut.InfeasibleConstraintsError:
            continue
        n_solved += 1
        forms = limits_for(
            read_constraints(design.limits), result.origin.objective, result.classes, groups
        ).forms
        table = population.table(result.thresholds)
        broken += any(breaks(form, table, design.n) for form in forms)
    share, allowed = broken / n_data, sum(risks)
    return {
        "limits on": design.about,
        "scores": design.scores,
        "K": design.n_classes,
        "n": design.n,
        "limits": "; ".join(design.limits),
        "objective": design.objective,
        "data sets": n_data,
        "no promise": 1 - n_solved / n_data,
        "broken": share,
        "allowed": float(round(allowed, 12)),
        "excess": float((share - allowed) / np.sqrt(allowed * (1 - allowed) / n_data)),
    }
