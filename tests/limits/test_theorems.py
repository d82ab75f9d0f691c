"""What docs/theory.md states about constraints, in its own words, against brute force."""

from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ordcut
from ordcut._core.data import Rows
from ordcut._core.limits import Names, lower_all, region_of
from ordcut._core.solvers import SegmentWindow, Windows
from tests import naive
from tests.limits.segments import (
    allowed_starts,
    constraint_of_decision_1,
    cuts_at,
    is_window_that_moves_one_way,
    kept_cuts,
    some_constraints,
)
from tests.limits.within_limits import (
    KINDS,
    best_within,
    holds,
    midpoints,
    random_problem,
    table_of,
)
from tests.solvers.ordered_cuts import (
    decision_costs,
    loss_of,
    lowest,
    optima_among,
    paid_and_expected,
    risk_curves,
    whole,
)
from tests.strategies import problems

#: Limits on the segment of a decision whose windows move one way.
OF_SEGMENTS = ["recall", "least share", "most share", "both shares", "count", "gap"]
OF_THRESHOLDS = ["under", "over", "fixed", "between"]

fewer = settings(max_examples=80)
seeds = st.integers(0, 10**6)


# Limits on one threshold


@st.composite
def ranges_of_cuts(draw, n_curves, n_scores):
    """A lowest and a highest cut for each threshold, in any order."""
    cut = st.integers(0, n_scores)
    pairs = draw(st.lists(st.tuples(cut, cut), min_size=n_curves, max_size=n_curves))
    return [(min(pair), max(pair)) for pair in pairs]


def made_to_ascend(ranges):
    """Ranges whose ends ascend: from the largest end before, up to the smallest end after."""
    return [
        (max(low for low, _ in ranges[: d + 1]), min(high for _, high in ranges[d:]))
        for d in range(len(ranges))
    ]


def is_within(cuts, ranges):
    return all(low <= cut <= high for cut, (low, high) in zip(cuts, ranges, strict=True))


@given(n_scores=st.integers(1, 5), n_decisions=st.integers(2, 4), data=st.data())
def test_proposition_11_ranges_that_are_made_to_ascend_exclude_no_ordered_cuts(
    n_scores, n_decisions, data
):
    ranges = data.draw(ranges_of_cuts(n_decisions - 1, n_scores))
    for cuts in naive.every_labeling(n_scores, n_decisions):
        assert is_within(cuts, ranges) == is_within(cuts, made_to_ascend(ranges))


@given(problem=problems(), data=st.data())
def test_proposition_11_first_minima_within_ranges_are_in_order(problem, data):
    cost = whole(data.draw(decision_costs(problem.n_classes, convex=True)))
    ranges = made_to_ascend(data.draw(ranges_of_cuts(len(cost) - 1, problem.n_scores)))
    assume(all(low <= high for low, high in ranges))
    curves = risk_curves(problem.rows, problem.n_scores, cost)
    minima = tuple(
        min(range(low, high + 1), key=lambda cut: (curve[cut], cut))
        for curve, (low, high) in zip(curves, ranges, strict=True)
    )
    every = [
        cuts
        for cuts in naive.every_labeling(problem.n_scores, len(cost))
        if is_within(cuts, ranges)
    ]
    optima = optima_among(every, lambda cuts: loss_of(cuts, problem, cost))
    assert minima == lowest(optima)


def naive_cost(cost):
    """How good a table is: less cost is better."""
    return naive.exact_loss([[Fraction(value) for value in row] for row in cost])


def solve_within(problem, constraints, cost):
    return ordcut.optimal_thresholds(
        problem["scores"],
        problem["labels"],
        classes=range(problem["n_classes"]),
        objective=cost,
        sample_weight=problem["weights"],
        constraints=constraints,
    )


@fewer
@given(seed=seeds)
def test_proposition_11_convex_costs_are_minimised_within_the_range_of_each_threshold(seed):
    random = np.random.default_rng(seed)
    problem = random_problem(random, weighted=False)
    constraints = some_constraints(random, OF_THRESHOLDS, problem["n_classes"])
    every = range(problem["n_classes"])
    cost = [[(k - truth) ** 2 for truth in every] for k in every]
    best = best_within(problem, constraints, naive_cost(cost))
    assume(best is not None)
    result = solve_within(problem, constraints, cost)
    assert [-cut for cut in reversed(cuts_at(problem, result.thresholds))] == best[1]
    assert result.certificate == "convex objective (Theorem 2), within the range of each threshold"


# Limits on one decision


@fewer
@given(seed=seeds, n_constraints=st.integers(1, 3))
def test_proposition_12_the_programme_covers_all_cuts_that_keep_the_constraints(
    seed, n_constraints
):
    random = np.random.default_rng(seed)
    problem = random_problem(random, weighted=seed % 2 == 1)
    constraints = some_constraints(random, KINDS, problem["n_classes"], n_constraints)
    cost = random.integers(-3, 5, (problem["n_classes"],) * 2).tolist()
    best = best_within(problem, constraints, naive_cost(cost))
    if best is None:
        with pytest.raises(ordcut.InfeasibleConstraintsError):
            solve_within(problem, constraints, cost)
    else:
        result = solve_within(problem, constraints, cost)
        assert [-cut for cut in reversed(cuts_at(problem, result.thresholds))] == best[1]


@pytest.mark.parametrize("kind", OF_SEGMENTS)
@settings(max_examples=40)
@given(seed=seeds)
def test_proposition_13_the_starts_of_a_segment_are_a_window_that_moves_one_way(kind, seed):
    random = np.random.default_rng(seed)
    problem = random_problem(random, weighted=seed % 2 == 1, n_classes=3)
    constraint = constraint_of_decision_1(kind, random)
    assert is_window_that_moves_one_way(allowed_starts(problem, [constraint]))


@fewer
@given(seed=seeds)
def test_proposition_14_a_floor_on_precision_is_a_prefix_sum_that_must_not_fall(seed):
    random = np.random.default_rng(seed)
    problem = random_problem(random, weighted=seed % 2 == 1, n_classes=3)
    constraint = constraint_of_decision_1("precision", random)
    floor = naive.meaning(constraint.at_least)
    level = [
        sum(
            weight * ((label == 1) * floor.denominator - floor.numerator)
            for score, label, weight in problem["rows"]
            if score < value
        )
        for value in midpoints(score for score, *_ in problem["rows"])
    ]
    assert allowed_starts(problem, [constraint]) == [
        [start for start in range(end + 1) if level[start] <= level[end]]
        for end in range(len(level))
    ]


@given(seed=seeds)
def test_proposition_21_cuts_that_keep_limits_on_segments_are_within_reach(seed):
    random = np.random.default_rng(seed)
    problem = random_problem(random, weighted=seed % 2 == 1, n_classes=3)
    constraints = some_constraints(random, ["recall", "least share", "most share"], 3, most=3)
    scores, labels, weights = zip(*problem["rows"], strict=True)
    rows = Rows.read(scores, labels, classes=range(3), weights=[float(one) for one in weights])
    limits = lower_all(constraints, Names([0, 1, 2], [0, 1, 2]))
    windows = region_of(rows.summable().sorted(), limits).windows
    for cuts in kept_cuts(problem, constraints):
        for cut, candidates in zip(cuts, windows.ranges, strict=True):
            assert cut + 1 in candidates  # before the cuts comes the first candidate, for no cut


@fewer
@given(seed=seeds)
def test_proposition_15_windows_of_several_constraints_intersect_to_a_window(seed):
    random = np.random.default_rng(seed)
    problem = random_problem(random, weighted=False, n_classes=3)
    kinds = random.choice(OF_SEGMENTS, 3)
    constraints = [constraint_of_decision_1(kind, random) for kind in kinds]
    each = [allowed_starts(problem, [constraint]) for constraint in constraints]
    together = [sorted(set.intersection(*map(set, some))) for some in zip(*each, strict=True)]
    assert together == allowed_starts(problem, constraints)
    assert is_window_that_moves_one_way(together)


@fewer
@given(seed=seeds)
def test_proposition_15_of_several_floors_on_a_precision_the_largest_counts(seed):
    random = np.random.default_rng(seed)
    problem = random_problem(random, weighted=False, n_classes=3)
    floors = [constraint_of_decision_1("precision", random) for _ in range(3)]
    largest = max(floors, key=lambda one: one.at_least)
    assert allowed_starts(problem, floors) == allowed_starts(problem, [largest])


# The optimum that is returned


WITHOUT_PRECISION = [*OF_SEGMENTS, "under", "over", "between"]


@fewer
@given(seed=seeds)
def test_proposition_16_componentwise_minima_and_maxima_keep_the_constraints(seed):
    random = np.random.default_rng(seed)
    problem = random_problem(random, weighted=False, n_classes=3)
    kept = kept_cuts(problem, some_constraints(random, WITHOUT_PRECISION, 3))
    for one, other in combinations_with_replacement(kept, 2):
        assert tuple(map(min, one, other)) in kept
        assert tuple(map(max, one, other)) in kept


@fewer
@given(seed=seeds)
def test_proposition_16_there_is_a_lowest_optimum_and_it_is_returned(seed):
    random = np.random.default_rng(seed)
    problem = random_problem(random, weighted=False, n_classes=3)
    constraints = some_constraints(random, OF_SEGMENTS, 3)
    kept = kept_cuts(problem, constraints)
    assume(kept)
    cost = random.integers(0, 2, (3, 3)).tolist()  # many ties
    at = midpoints(score for score, *_ in problem["rows"])

    def loss(cuts):
        return -naive_cost(cost)(table_of(problem, [at[cut] for cut in cuts]))

    result = solve_within(problem, constraints, cost)
    cuts = tuple(np.searchsorted(np.unique(problem["scores"]), result.thresholds).tolist())
    assert cuts == lowest(optima_among(kept, loss))


def test_proposition_16_does_not_hold_for_a_floor_on_precision():
    rows = [(1.0, 0, Fraction(1)), (2.0, 1, Fraction(1))]
    problem = {"rows": rows, "n_classes": 3, "n_decisions": 3, "weights": None,
               "scores": [1.0, 2.0], "labels": [0, 1]}  # fmt: skip
    floor = ordcut.Precision(1, at_least=0.5)
    cost = [[0, 1, 1], [0, 0, 0], [1, 0, 0]]
    at = midpoints([1.0, 2.0])

    def loss(cuts):
        return -naive_cost(cost)(table_of(problem, [at[cut] for cut in cuts]))

    optima = optima_among(kept_cuts(problem, [floor]), loss)
    assert sorted(optima) == [(0, 2), (1, 1), (1, 2)]
    assert lowest(optima) not in optima
    # The highest threshold is the lowest that it is in any optimum, then the next one.
    result = solve_within(problem, [floor], cost)
    assert tuple(at.index(value) for value in result.thresholds) == (1, 1)


OF_DECISIONS = ["recall", "precision", "most share", "count", "under", "over"]


@fewer
@given(seed=seeds)
def test_proposition_17_a_lowest_optimum_that_keeps_the_constraints_is_returned(seed):
    random = np.random.default_rng(seed)
    problem = random_problem(random, weighted=False)
    cost = random.integers(0, 4, (problem["n_classes"],) * 2).tolist()
    free = solve_within(problem, [], cost)
    table = table_of(problem, free.thresholds.tolist())
    constraints = some_constraints(random, OF_DECISIONS, problem["n_classes"], most=6)
    kept = [
        constraint
        for constraint in constraints
        if holds(constraint, table, free.thresholds.tolist())
    ]
    assume(kept)
    best = best_within(problem, kept, naive_cost(cost))
    result = solve_within(problem, kept, cost)
    assert [-cut for cut in reversed(cuts_at(problem, result.thresholds))] == best[1]
    assert result.thresholds.tolist() == free.thresholds.tolist()


# Kappas


@fewer
@given(
    problem=problems(most_classes=3), guess=st.fractions(-3, 3, max_denominator=5), data=st.data()
)
def test_theorem_5_the_ratio_falls_to_the_least_of_any_set_of_cuts_from_any_guess(
    problem, guess, data
):
    assume(len({truth for _, truth, _ in problem.rows}) > 1)
    every = list(naive.every_labeling(problem.n_scores, problem.n_classes))
    some = data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=9, unique=True))
    weights = [[abs(k - truth) for truth in problem.classes] for k in problem.classes]
    both = {cuts: paid_and_expected(cuts, problem, weights) for cuts in some}
    ratio = guess
    for _ in range(len(some) + 2):
        cuts = min(some, key=lambda cuts: both[cuts][0] - ratio * both[cuts][1])
        paid, expected = both[cuts]
        if paid == ratio * expected:
            break
        ratio = paid / expected
    assert ratio == min(paid / expected for paid, expected in both.values())


def test_theorem_5_the_highest_kappa_under_constraints_can_be_negative():
    scores, labels = [1, 2, 3, 4], [1, 0, 1, 0]
    within = {"constraints": [ordcut.Between(0, 1.5, 1.5), ordcut.Count(1, at_least=3)]}
    result = ordcut.optimal_thresholds(scores, labels, objective="kappa", **within)
    assert result.value == ordcut.evaluate(labels, [0, 1, 1, 1], "kappa") == -0.5


# Where thresholds are placed


def nearest(allowed, below, above):
    """The allowed value above one score and up to the next that is nearest to their middle."""
    inside = [value for value in allowed if below < value <= above]
    return min(inside, key=lambda value: (abs(value - (below + above) / 2), value), default=None)


@given(
    scores=st.lists(st.integers(-20, 20), min_size=2, max_size=8, unique=True),
    allowed=st.lists(st.integers(-40, 40), min_size=1, max_size=12, unique=True),
    cut=st.integers(1, 7),
)
def test_proposition_18_a_threshold_gets_the_allowed_value_nearest_to_the_middle(
    scores, allowed, cut
):
    ordered = sorted(score / 4 for score in scores)
    assume(cut < len(ordered))
    labels = (np.arange(len(ordered)) >= cut).astype(int)
    for values, constraint in [
        ([value / 8 for value in sorted(allowed)], None),
        ([float(value) for value in range(-6, 7)], ordcut.Digits(0)),
        ([value / 10 for value in range(-60, 61)], ordcut.Digits(1)),
    ]:
        expected = nearest(values, ordered[cut - 1], ordered[cut])
        limits = [ordcut.Allowed(values) if constraint is None else constraint]
        if expected is None:  # no allowed value leaves the rows as they are
            if constraint is not None:
                result = ordcut.optimal_thresholds(ordered, labels, constraints=limits)
                assert result.value > 0
        else:
            result = ordcut.optimal_thresholds(ordered, labels, constraints=limits)
            assert result.thresholds.tolist() == [expected]


@fewer
@given(seed=seeds, gap=st.sampled_from([0.0, 0.1, 0.7, 1.0, 2.5]))
def test_proposition_22_labels_that_any_thresholds_a_gap_apart_give_are_covered(seed, gap):
    random = np.random.default_rng(seed)
    problem = random_problem(random, weighted=False)
    limits = [ordcut.Gap(gap), ordcut.Between(0, -0.35, 3.1)]
    kept = kept_cuts(problem | {"n_decisions": 4}, limits)
    distinct = np.unique(problem["scores"])
    for _ in range(30):
        first = random.uniform(-0.35, 3.1)
        thresholds = np.cumsum([first, *(gap + random.exponential(0.5, 2))])
        assert tuple(np.searchsorted(distinct, thresholds).tolist()) in kept


def test_proposition_18_only_a_gap_is_about_the_values_themselves():
    scores, labels = [0.0, 1.0, 2.0, 3.0], [0, 1, 1, 2]
    digits, gap = ordcut.Digits(1), ordcut.Gap(at_least=2.8)
    one = ordcut.optimal_thresholds(scores, labels, constraints=[digits])
    both = ordcut.optimal_thresholds(scores, labels, constraints=[digits, gap])
    assert one.thresholds.tolist() == [0.5, 2.5]
    assert both.thresholds.tolist() == [0.1, 2.9]
    assert both.value == one.value == 0


# Exact arithmetic


def test_exact_arithmetic_limits_count_as_plain_fractions():
    scores = np.arange(30.0)
    for rows in range(31):
        labels = (scores >= 30 - rows).astype(int)
        limit = rows / 30
        result = ordcut.optimal_thresholds(
            scores, labels, classes=[0, 1], constraints=[ordcut.Share(1, limit, limit)]
        )
        assert (result.predict(scores) == labels).all()


def test_proposition_12_windows_of_reversed_rows_allow_the_same_segments():
    low, high = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 3])
    level = np.array([0, 2, 1, 3])
    for starts, ends in [(range(4), range(4)), (range(1, 3), range(2, 4)), (range(2), range(1, 3))]:
        window = SegmentWindow(
            starts, ends, low[ends.start : ends.stop], high[ends.start : ends.stop], level
        )
        back = Windows(np.arange(4), [], [window]).mirrored().segments[0]
        assert [3 - one for one in back.starts] == [*reversed(ends)]
        assert [3 - one for one in back.ends] == [*reversed(starts)]
        for start, end in product(starts, ends):
            forward = low[end] <= start <= high[end] and level[start] <= level[end]
            a, b = 3 - end, 3 - start
            at = b - back.ends.start
            is_within = back.low[at] <= a <= back.high[at]
            assert forward == (is_within and back.level[a] <= back.level[b])
