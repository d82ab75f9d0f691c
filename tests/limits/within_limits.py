"""The best thresholds within limits, by trying all of them, one row at a time."""

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


def holds(constraint, table, thresholds):
    """Whether a constraint holds, by its definition; decisions are the classes 0..K-1."""
    if isinstance(constraint, ordcut.Recall):
        k = constraint.decision
        reached = share(table[k][k], sum(row[k] for row in table))
    elif isinstance(constraint, ordcut.Precision):
        k = constraint.decision
        reached = share(table[k][k], sum(table[k]))
    elif isinstance(constraint, ordcut.Lift):
        k, every = constraint.decision, sum(map(sum, table))
        reached = share(table[k][k] * every, sum(table[k]) * sum(row[k] for row in table))
    elif isinstance(constraint, ordcut.F1):
        k = constraint.decision
        reached = share(2 * table[k][k], sum(table[k]) + sum(row[k] for row in table))
    elif isinstance(constraint, ordcut.Share):
        reached = share(sum(table[constraint.decision]), sum(map(sum, table)))
    elif isinstance(constraint, ordcut.Count):
        reached = sum(table[constraint.decision])
    elif isinstance(constraint, ordcut.Over):
        k = constraint.cls
        rows = [(d, row[t]) for d, row in enumerate(table) for t in range(k + 1)]
        reached = share(sum(w for d, w in rows if d > k), sum(w for _, w in rows))
    elif isinstance(constraint, ordcut.Under):
        k = constraint.cls
        rows = [(d, row[t]) for d, row in enumerate(table) for t in range(k, len(row))]
        reached = share(sum(w for d, w in rows if d < k), sum(w for _, w in rows))
    elif isinstance(constraint, ordcut.Fixed):
        return thresholds[constraint.threshold_index] == constraint.value
    elif isinstance(constraint, ordcut.Between):
        return constraint.low <= thresholds[constraint.threshold_index] <= constraint.high
    elif isinstance(constraint, ordcut.Allowed):
        return all(one in constraint.values for one in thresholds)
    elif isinstance(constraint, ordcut.Digits):
        return all(abs(one) == INF or round(one, constraint.n) == one for one in thresholds)
    else:
        assert isinstance(constraint, ordcut.Gap)
        return all(
            b - a >= constraint.at_least or is_written_apart(a, b, constraint.at_least)
            for a, b in pairwise(thresholds)
            if abs(a) < INF and abs(b) < INF
        )
    if reached is None:
        return True
    least, most = getattr(constraint, "at_least", None), getattr(constraint, "at_most", None)
    return (least is None or reached >= meaning(least)) and (
        most is None or reached <= meaning(most)
    )


def interval_of(constraints, k):
    """The ends of threshold ``k``; what is below a threshold is below all that follow."""
    low, high = -INF, INF
    for one in constraints:
        if isinstance(one, ordcut.Fixed | ordcut.Between):
            ends = (one.low, one.high) if isinstance(one, ordcut.Between) else (one.value,) * 2
            low = max(low, ends[0]) if one.threshold_index <= k else low
            high = min(high, ends[1]) if one.threshold_index >= k else high
    return low, high


def values_of(problem, constraints, k):
    """Every value that threshold ``k`` can have."""
    distinct = sorted({row[0] for row in problem["rows"]})
    values = midpoints(distinct)
    for one in constraints:
        if isinstance(one, ordcut.Allowed):
            return list(one.values)
    for one in constraints:
        if isinstance(one, ordcut.Digits):
            # Beyond all scores, and all intervals that are drawn.
            low, high = min(0, int(distinct[0])) - 2, max(6, int(distinct[-1])) + 3
            unit = 10**one.n
            return [-INF, *(n / unit for n in range(low * unit, high * unit + 1)), INF]
    low, high = interval_of(constraints, k)
    # Halfway if that is allowed, and else the end that is between the same scores.
    found = []
    for below, middle, above in zip([-INF, *distinct], values, [*distinct, INF], strict=True):
        value = min(max(middle, low), high)
        if (below < value or below == -INF) and value <= above:
            found.append(value)
    return found


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
    gaps = [one.at_least for one in constraints if isinstance(one, ordcut.Gap)]
    if gaps and not any(isinstance(one, ordcut.Allowed | ordcut.Digits) for one in constraints):
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
        if not all(holds(one, table, thresholds) for one in constraints):
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


def random_constraint(kind, random, n_classes):
    k = int(random.integers(n_classes))
    limit = float(random.choice([0, 0.1, 0.25, 0.3, 1 / 3, 0.5, 0.6, 2 / 3, 0.75, 0.9, 1]))
    threshold = int(random.integers(n_classes - 1))
    value = float(random.choice([0.2, 0.5, 1, 2, 2.25, 3.5, 4.8]))
    return {
        "recall": lambda: ordcut.Recall(k, at_least=limit),
        "precision": lambda: ordcut.Precision(k, at_least=limit),
        "least share": lambda: ordcut.Share(k, at_least=limit / 2),
        "most share": lambda: ordcut.Share(k, at_most=limit),
        "both shares": lambda: ordcut.Share(k, at_least=limit / 4, at_most=limit / 2),
        "count": lambda: ordcut.Count(k, at_least=float(random.integers(3))),
        "under": lambda: ordcut.Under(k, at_most=limit / 2),
        "over": lambda: ordcut.Over(k, at_most=limit / 2),
        "fixed": lambda: ordcut.Fixed(threshold, value),
        "between": lambda: ordcut.Between(threshold, value, value + limit * 2),
        "allowed": lambda: ordcut.Allowed(sorted(random.choice(np.arange(-1, 7, 0.4), 4))),
        "digits": lambda: ordcut.Digits(0),
        "gap": lambda: ordcut.Gap(at_least=limit * 3),
        "lift": lambda: ordcut.Lift(k, at_least=limit * 3),
        "f1": lambda: ordcut.F1(k, at_least=limit),
    }[kind]()


def can_be_combined(constraints):
    """Whether no decision has a limit on its F1 and another one on its precision or its lift."""
    shares = {c.decision for c in constraints if isinstance(c, ordcut.Precision | ordcut.Lift)}
    return shares.isdisjoint(c.decision for c in constraints if isinstance(c, ordcut.F1))


def random_constraints(kinds, random, n_classes):
    """A constraint of each kind that can be combined with those before it."""
    constraints = []
    for kind in kinds:
        constraint = random_constraint(kind, random, n_classes)
        if can_be_combined([*constraints, constraint]):
            constraints.append(constraint)
    return constraints


KINDS = [
    "recall", "precision", "least share", "most share", "both shares", "count", "under", "over",
    "fixed", "between", "allowed", "digits", "gap", "lift", "f1",
]  # fmt: skip
