"""The best thresholds within limits, by trying all of them, one row at a time."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise
from math import nextafter

import numpy as np

import ordcut
from tests.naive import meaning

INF = float("inf")


def midpoints(scores):
    """Where thresholds stand by default: halfway between scores, or beyond them all."""
    distinct = sorted(set(scores))
    return [-INF, *((a + b) / 2 for a, b in pairwise(distinct)), INF]


def decide(thresholds, score):
    return sum(threshold <= score for threshold in thresholds)


def table_of(problem, thresholds):
    """The weight of each (decision, class), in exact fractions."""
    table = [[Fraction(0)] * problem["n_classes"] for _ in range(len(thresholds) + 1)]
    for score, label, weight in problem["rows"]:
        table[decide(thresholds, score)][label] += weight
    return table


def share(part, whole):
    return None if whole == 0 else Fraction(part) / whole


def is_written_apart(lower, upper, gap):
    """Whether numbers that somebody wrote down, such as 0.1 and 0.3, are a gap apart."""
    return meaning(upper) - meaning(lower) >= meaning(gap)


def totals(table):
    """The weight of each class."""
    return [sum(column) for column in zip(*table, strict=True)]


def share_of_lower_classes_decided_higher(table, k):
    rows = [(d, row[label]) for d, row in enumerate(table) for label in range(k + 1)]
    return share(sum(w for d, w in rows if d > k), sum(w for _, w in rows))


def share_of_higher_classes_decided_lower(table, k):
    rows = [(d, row[label]) for d, row in enumerate(table) for label in range(k, len(row))]
    return share(sum(w for d, w in rows if d < k), sum(w for _, w in rows))


#: What each kind of limit is on, by its definition, for a table of weights and a decision or class;
#: None where there is nothing to limit. A new constraint needs a row here or below.
REACHED = {
    ordcut.Recall: lambda table, k: share(table[k][k], totals(table)[k]),
    ordcut.Precision: lambda table, k: share(table[k][k], sum(table[k])),
    ordcut.Specificity: lambda table, k: share(
        sum(w for d, row in enumerate(table) for c, w in enumerate(row) if k not in (d, c)),
        sum(w for row in table for c, w in enumerate(row) if c != k),
    ),
    ordcut.Lift: lambda table, k: share(
        table[k][k] * sum(map(sum, table)), sum(table[k]) * totals(table)[k]
    ),
    ordcut.F1: lambda table, k: share(2 * table[k][k], totals(table)[k] + sum(table[k])),
    ordcut.Share: lambda table, k: share(sum(table[k]), sum(map(sum, table))),
    ordcut.Count: lambda table, k: sum(table[k]),
    ordcut.Over: share_of_lower_classes_decided_higher,
    ordcut.Under: share_of_higher_classes_decided_lower,
}


def is_gap_kept(constraint, thresholds):
    return all(
        b - a >= constraint.at_least or is_written_apart(a, b, constraint.at_least)
        for a, b in pairwise(thresholds)
        if abs(a) < INF and abs(b) < INF
    )


#: Whether each constraint on the values of thresholds holds.
KEPT = {
    ordcut.Fixed: lambda c, thresholds: thresholds[c.threshold_index] == c.value,
    ordcut.Between: lambda c, thresholds: c.low <= thresholds[c.threshold_index] <= c.high,
    ordcut.Allowed: lambda c, thresholds: all(value in c.values for value in thresholds),
    ordcut.Digits: lambda c, thresholds: all(
        abs(value) == INF or round(value, c.n) == value for value in thresholds
    ),
    ordcut.Gap: is_gap_kept,
}


def holds(constraint, table, thresholds):
    """Whether a constraint holds, by its definition; decisions are the classes 0..K-1."""
    kind = type(constraint)
    if kind in KEPT:
        return KEPT[kind](constraint, thresholds)
    reached = REACHED[kind](table, getattr(constraint, "decision", getattr(constraint, "cls", 0)))
    if reached is None:
        return True
    least, most = getattr(constraint, "at_least", None), getattr(constraint, "at_most", None)
    return (least is None or reached >= meaning(least)) and (
        most is None or reached <= meaning(most)
    )


def interval_of(constraints, k):
    """The ends of threshold ``k``; what is below a threshold is below all that follow."""
    low, high = -INF, INF
    for constraint in constraints:
        if isinstance(constraint, ordcut.Fixed | ordcut.Between):
            ends = (
                (constraint.low, constraint.high)
                if isinstance(constraint, ordcut.Between)
                else (constraint.value,) * 2
            )
            low = max(low, ends[0]) if constraint.threshold_index <= k else low
            high = min(high, ends[1]) if constraint.threshold_index >= k else high
    return low, high


def values_of(problem, constraints, k):
    """Every value that threshold ``k`` can have."""
    distinct = sorted({row[0] for row in problem["rows"]})
    values = midpoints(distinct)
    for constraint in constraints:
        if isinstance(constraint, ordcut.Allowed):
            return list(constraint.values)
    for constraint in constraints:
        if isinstance(constraint, ordcut.Digits):
            # Beyond all scores, and all intervals that are drawn.
            low, high = min(0, int(distinct[0])) - 2, max(6, int(distinct[-1])) + 3
            unit = 10**constraint.n
            return [-INF, *(n / unit for n in range(low * unit, high * unit + 1)), INF]
    low, high = interval_of(constraints, k)
    # Halfway if that is allowed, and else the end that is between the same scores.
    values_between = []
    for below, middle, above in zip([-INF, *distinct], values, [*distinct, INF], strict=True):
        value = min(max(middle, low), high)
        if (below < value or below == -INF) and value <= above:
            values_between.append(value)
    return values_between


def least_float_from(number):
    """The least float that is not below a fraction."""
    value = float(number)
    return value if Fraction(value) >= number else nextafter(value, INF)


def lowest_apart(cuts, distinct, intervals, gap):
    """The lowest thresholds with given numbers of distinct scores below them, or None.

    Real numbers a gap apart: each is as low as its scores, its interval and the one below allow.
    """
    thresholds = []
    for k, cut in enumerate(cuts):
        low, high = intervals[k]
        value = max(nextafter(distinct[cut - 1], INF), low) if cut else low
        above = distinct[cut] if cut < len(distinct) else INF
        if above == high == INF:
            value = INF  # beyond all scores, no distance need be kept
        elif k and abs(thresholds[-1]) < INF:
            before = thresholds[-1]
            is_fixed = low == high and intervals[k - 1] == (before, before)
            if not (is_fixed and is_written_apart(before, low, gap)):
                value = max(value, least_float_from(Fraction(before) + Fraction(gap)))
        if value > min(above, high):
            return None
        thresholds.append(value)
    return thresholds


def all_thresholds(problem, constraints):
    """All thresholds that can matter, and others that differ from them only between scores."""
    ks = range(problem["n_decisions"] - 1)
    gaps = [constraint.at_least for constraint in constraints if isinstance(constraint, ordcut.Gap)]
    if gaps and not any(
        isinstance(constraint, ordcut.Allowed | ordcut.Digits) for constraint in constraints
    ):
        distinct = sorted({row[0] for row in problem["rows"]})
        intervals = [interval_of(constraints, k) for k in ks]
        for cuts in combinations_with_replacement(range(len(distinct) + 1), len(ks)):
            thresholds = lowest_apart(cuts, distinct, intervals, max(gaps))
            if thresholds is not None:
                yield thresholds
        return
    choices = [values_of(problem, constraints, k) for k in ks]
    every = sorted({value for some in choices for value in some})
    for thresholds in combinations_with_replacement(every, len(ks)):
        if all(value in choices[k] for k, value in enumerate(thresholds)):
            yield thresholds


def best_within(problem, constraints, goodness):
    """The best goodness, and the labels of the best thresholds: the highest lowest, and so on."""
    best = None
    for thresholds in all_thresholds(problem, constraints):
        table = table_of(problem, thresholds)
        if not all(holds(constraint, table, thresholds) for constraint in constraints):
            continue
        cuts = [sum(score < value for score, *_ in problem["rows"]) for value in thresholds]
        key = (goodness(table), [-cut for cut in reversed(cuts)])
        best = key if best is None or key > best else best
    return best


def random_problem(random, weighted, n_classes=None):
    """Few rows, many ties."""
    n_classes = n_classes or int(random.integers(2, 5))
    n_rows = int(random.integers(3, 10))
    scores = random.integers(0, 6, n_rows).astype(float)
    labels = random.integers(0, n_classes, n_rows)
    labels[:2] = [0, n_classes - 1]
    weights = random.choice([0.5, 1.0, 2.0, 3.0, 0.1], n_rows) if weighted else np.ones(n_rows)
    rows = [
        (score, int(label), meaning(weight))
        for score, label, weight in zip(scores.tolist(), labels, weights.tolist(), strict=True)
    ]
    return {
        "rows": rows,
        "n_classes": n_classes,
        "n_decisions": n_classes,
        "scores": scores,
        "labels": labels,
        "weights": weights if weighted else None,
    }


@dataclass(frozen=True)
class Draw:
    """What a random constraint is made of."""

    decision: int
    limit: float
    threshold: int
    value: float
    random: np.random.Generator


#: Kinds of constraints, and one of each from random numbers. A new constraint needs a row here.
DRAWN = {
    "recall": lambda draw: ordcut.Recall(draw.decision, at_least=draw.limit),
    "precision": lambda draw: ordcut.Precision(draw.decision, at_least=draw.limit),
    "least share": lambda draw: ordcut.Share(draw.decision, at_least=draw.limit / 2),
    "most share": lambda draw: ordcut.Share(draw.decision, at_most=draw.limit),
    "both shares": lambda draw: ordcut.Share(
        draw.decision, at_least=draw.limit / 4, at_most=draw.limit / 2
    ),
    "count": lambda draw: ordcut.Count(draw.decision, at_least=float(draw.random.integers(3))),
    "under": lambda draw: ordcut.Under(draw.decision, at_most=draw.limit / 2),
    "over": lambda draw: ordcut.Over(draw.decision, at_most=draw.limit / 2),
    "fixed": lambda draw: ordcut.Fixed(draw.threshold, draw.value),
    "between": lambda draw: ordcut.Between(draw.threshold, draw.value, draw.value + draw.limit * 2),
    "allowed": lambda draw: ordcut.Allowed(sorted(draw.random.choice(np.arange(-1, 7, 0.4), 4))),
    "digits": lambda _: ordcut.Digits(0),
    "gap": lambda draw: ordcut.Gap(at_least=draw.limit * 3),
    "f1": lambda draw: ordcut.F1(draw.decision, at_least=draw.limit),
    "lift": lambda draw: ordcut.Lift(draw.decision, at_least=draw.limit * 3),
    "specificity": lambda draw: ordcut.Specificity(draw.decision, at_least=draw.limit),
    "most recall": lambda draw: ordcut.Recall(draw.decision, at_most=draw.limit),
    "most precision": lambda draw: ordcut.Precision(draw.decision, at_most=draw.limit),
}
KINDS = list(DRAWN)


def draw_one(kind):
    return random_constraint(kind, np.random.default_rng(0), 3)


def random_constraint(kind, random, n_classes):
    decision = int(random.integers(n_classes))
    limit = float(random.choice([0, 0.1, 0.25, 0.3, 1 / 3, 0.5, 0.6, 2 / 3, 0.75, 0.9, 1]))
    threshold = int(random.integers(n_classes - 1))
    value = float(random.choice([0.2, 0.5, 1, 2, 2.25, 3.5, 4.8]))
    return DRAWN[kind](Draw(decision, limit, threshold, value, random))


def share_of_decision(constraint):
    """What is limited, and from which side, if it is a share of the rows of a decision."""
    if isinstance(constraint, ordcut.F1):
        return "f1"
    return "at least" if constraint.at_most is None else "at most"


def can_be_combined(constraints):
    """Whether each decision has limits on one share of its rows, from one side."""
    kinds = ordcut.Precision | ordcut.Lift | ordcut.F1
    limited = [c for c in constraints if isinstance(c, kinds)]
    pairs = {(c.decision, share_of_decision(c)) for c in limited}
    return len({decision for decision, _ in pairs}) == len(pairs)


def random_constraints(kinds, random, n_classes):
    """A constraint of each kind that can be combined with those before it."""
    constraints = []
    for kind in kinds:
        constraint = random_constraint(kind, random, n_classes)
        if can_be_combined([*constraints, constraint]):
            constraints.append(constraint)
    return constraints
