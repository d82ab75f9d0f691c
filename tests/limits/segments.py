"""Segments of decisions, and the cuts that keep constraints, by trying all of them."""

from itertools import combinations_with_replacement, pairwise

from tests.limits.within_limits import (
    all_thresholds,
    holds,
    midpoints,
    random_constraint,
    random_constraints,
    table_of,
)


def allowed_starts(problem, constraints):
    """For each cut at which the segment of decision 1 of 3 ends, the cuts at which it may start."""
    at = midpoints(score for score, *_ in problem["rows"])
    table = {
        (start, end): table_of(problem, [at[start], at[end]])
        for start, end in combinations_with_replacement(range(len(at)), 2)
    }
    return [
        [
            start
            for start in range(end + 1)
            if all(
                holds(constraint, table[start, end], [at[start], at[end]])
                for constraint in constraints
            )
        ]
        for end in range(len(at))
    ]


def constraint_of_decision_1(kind, random):
    """A constraint on the middle one of three decisions."""
    while True:
        one = random_constraint(kind, random, 3)
        if getattr(one, "decision", 1) == 1:
            return one


def is_window_that_moves_one_way(starts):
    """Whether starts are without holes, and neither their first nor their last one ever falls."""
    windows = [some for some in starts if some]
    has_holes = any(some != list(range(some[0], some[-1] + 1)) for some in windows)
    moves_back = any(a[0] > b[0] or a[-1] > b[-1] for a, b in pairwise(windows))
    return not has_holes and not moves_back


def kept_cuts(problem, constraints):
    """All ordered cuts between distinct scores at which some thresholds keep constraints."""
    distinct = {score for score, *_ in problem["rows"]}
    kept = set()
    for thresholds in all_thresholds(problem, constraints):
        table = table_of(problem, thresholds)
        if all(holds(constraint, table, thresholds) for constraint in constraints):
            kept.add(tuple(sum(score < value for score in distinct) for value in thresholds))
    return sorted(kept)


def cuts_at(problem, thresholds):
    return tuple(sum(score < value for score, *_ in problem["rows"]) for value in thresholds)


def some_constraints(random, kinds, n_classes, most=2):
    chosen = random.choice(kinds, random.integers(1, most + 1))
    return random_constraints(chosen, random, n_classes)
