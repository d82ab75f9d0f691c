"""Balanced scores, near-optimal ranges within limits, and costs of constraints, in fractions."""

from fractions import Fraction

import numpy as np

import ordcut
from tests import naive
from tests.limits.within_limits import best_within, holds, random_constraint, table_of
from tests.tables import BALANCED, EVERY_OBJECTIVE, TERMS

#: Objectives that take class weights, and those that also take any constraint.
WEIGHTED = [name for name in EVERY_OBJECTIVE if name not in BALANCED]
TAKE_ALL = [name for name in EVERY_OBJECTIVE if name != "min_recall"]
CLASS_WEIGHTS = [0.1, 0.25, 0.3, 0.5, 0.75, 1.0, 2.0, 3.0, 1 / 3, 2 / 7]


def draw(rng):
    """Few rows in few scores, with whole weights, tenths, random ones, or none."""
    k = int(rng.integers(2, 5))
    n = int(rng.integers(k, 10))
    labels = np.append(np.arange(k), rng.integers(0, k, n - k))
    scores = rng.integers(0, 5, n).astype(float)
    families = [None, rng.integers(1, 5, n), rng.integers(1, 20, n) / 10, rng.random(n) + 0.01]
    return scores, labels, k, families[rng.integers(len(families))]


def as_rows(scores, labels, weights):
    weights = np.ones(len(scores)) if weights is None else weights
    columns = scores.tolist(), labels.tolist(), weights.tolist()
    return [(s, c, naive.meaning(w, 10_000)) for s, c, w in zip(*columns, strict=True)]


def weighed(table, factors):
    return [[w * f for w, f in zip(row, factors, strict=True)] for row in table]


def draw_factors(rng, rows, k):
    """Return class weights as they are passed, and in fractions."""
    if rng.random() < 0.5:
        totals = [sum(w for _, c, w in rows if c == label) for label in range(k)]
        return "balanced", [max(totals) / total for total in totals]
    given = rng.choice(CLASS_WEIGHTS, k)
    return given, [naive.meaning(value) for value in given.tolist()]


def check_balanced_scores(seed):
    """Assert that a score with class weights is the best of all labelings."""
    rng = np.random.default_rng(seed)
    scores, labels, k, weights = draw(rng)
    rows = as_rows(scores, labels, weights)
    class_weight, factors = draw_factors(rng, rows, k)
    problem = {"rows": rows, "n_classes": k, "n_decisions": k}
    names = list(TERMS)
    name = names[seed % len(names)]
    goodness = naive.GOODNESS[name]
    best, _ = best_within(problem, [], lambda table: goodness(weighed(table, factors)))
    result = ordcut.optimal_thresholds(
        scores, labels, objective=name, sample_weight=weights, class_weight=class_weight
    )
    table = weighed(table_of(problem, result.thresholds.tolist()), factors)
    assert goodness(table) == best, (name, problem, class_weight)
    assert np.isclose(result.value, naive.value_of(name, table), rtol=1e-9, atol=1e-12)
    return 1


def check_near_optimal(seed):
    """Assert that near-optimal ranges keep a minimum F1, and other limits, at every position."""
    rng = np.random.default_rng(seed)
    scores, labels, k, weights = draw(rng)
    rows = as_rows(scores, labels, weights)
    problem = {"rows": rows, "n_classes": k, "n_decisions": k}
    kinds = ["f1"] if seed % 3 else ["f1", rng.choice(["recall", "most share", "under"])]
    constraints = [random_constraint(kind, rng, k) for kind in kinds]
    try:
        result = ordcut.optimal_thresholds(
            scores,
            labels,
            objective=["absolute", "zero_one", "quadratic_kappa"][seed % 3],
            sample_weight=weights,
            constraints=constraints,
        )
        ranges = result.near_optimal(float(rng.choice([0.01, 0.3, 1.0, 5.0])))
    except ordcut.InfeasibleConstraintsError:
        return 0
    distinct = sorted(set(scores.tolist()))
    positions = [-np.inf, *distinct, np.nextafter(distinct[-1], np.inf)]
    for d, (low, high) in enumerate(ranges.tolist()):
        for position in positions:
            if low < position <= high or (position == low == -np.inf):
                moved = result.thresholds.tolist()
                moved[d] = position
                table = table_of(problem, moved)
                kept = all(holds(each, table, moved) for each in constraints)
                assert kept, (problem, constraints, d, position)
    return 1


def check_constraint_costs(seed):
    """Assert that a constraint costs the difference to the best value without it."""
    rng = np.random.default_rng(seed)
    scores, labels, k, weights = draw(rng)
    rows = as_rows(scores, labels, weights)
    name = TAKE_ALL[seed % len(TAKE_ALL)]
    class_weight, factors = None, [Fraction(1)] * k
    if name in WEIGHTED and rng.random() < 0.7:
        class_weight, factors = draw_factors(rng, rows, k)
    kinds = rng.choice(["recall", "precision", "most share", "fixed", "under", "f1"], 2, False)
    constraints = [random_constraint(kind, rng, k) for kind in kinds]
    problem = {"rows": rows, "n_classes": k, "n_decisions": k}
    goodness = naive.GOODNESS[name]

    def best_value(kept):
        best = best_within(problem, kept, lambda table: goodness(weighed(table, factors)))
        return None if best is None else best[0]

    try:
        result = ordcut.optimal_thresholds(
            scores,
            labels,
            objective=name,
            sample_weight=weights,
            class_weight=class_weight,
            constraints=constraints,
        )
    except ordcut.InfeasibleConstraintsError:
        assert best_value(constraints) is None, (problem, constraints)
        return 0
    except ValueError as error:
        if "can limit only one share" not in str(error):
            raise
        return 0
    for index, outcome in enumerate(result.constraints):
        others = [each for i, each in enumerate(constraints) if i != index]
        difference = value(name, best_value(others), k) - value(name, best_value(constraints), k)
        assert np.isclose(outcome.cost, abs(difference), rtol=1e-9, atol=1e-12), (
            problem, name, class_weight, constraints, index, outcome.cost, difference,
        )  # fmt: skip
    return 1


def value(name, goodness, n_classes):
    """The value of a goodness, as results state it."""
    if name == "geometric_recall":
        n_above, product = goodness
        return float(product) ** (1 / n_classes) if n_above == n_classes else 0.0
    return float(goodness)
