"""Every theorem and proposition of docs/theory.md, in its own words, against brute force."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ordcut
from experiments import literal
from ordcut._core.data import Rows, place_cuts
from ordcut._core.numerics.exact import ExactCost
from ordcut._core.pruning import ArraySource, PrunedRows
from tests import naive
from tests.solvers.ordered_cuts import (
    all_optima,
    borders_of_cells,
    first_minima,
    highest,
    is_ordered,
    labels_of,
    library_cuts,
    loss_of,
    lowest,
    optima_of,
    paid_and_expected,
    risk_curves,
    whole,
)
from tests.strategies import cost_matrices, enough_classes, find, problems
from tests.tables import ANY_COST, CONVEX, ORDERED

#: For tests that run many methods on each example.
fewer = settings(max_examples=100)


def signed_costs(n_classes):
    """Costs of which some are negative."""
    return cost_matrices(n_classes).map(lambda cost: cost - 2)


# Assumptions


@given(problem=problems(), data=st.data())
def test_costs_count_by_their_differences_so_they_may_be_negative(problem, data):
    cost = data.draw(signed_costs(problem.n_classes))
    shift = data.draw(st.lists(st.integers(-9, 9), min_size=len(cost), max_size=len(cost)))
    expected = lowest(optima_of(problem, whole(cost)))
    assert library_cuts(problem, cost, "auto") == expected
    assert library_cuts(problem, cost + np.array(shift), "auto") == expected


def test_weights_must_not_be_negative():
    with pytest.raises(ValueError, match="not negative"):
        ordcut.optimal_thresholds([1, 2], [0, 1], sample_weight=[1, -1])


def test_theorem_2_does_not_hold_for_negative_weights():
    absolute = [[abs(k - truth) for truth in range(3)] for k in range(3)]
    first, second = first_minima(risk_curves([(0, 1, -1)], 1, absolute))
    assert first > second


# Risk curves


@given(problem=problems(), data=st.data())
def test_lemma_1_the_loss_of_ordered_cuts_is_a_sum_of_risk_curves(problem, data):
    cost = whole(data.draw(signed_costs(problem.n_classes)))
    curves = risk_curves(problem.rows, problem.n_scores, cost)
    all_highest = sum(w * cost[-1][truth] for _, truth, w in problem.rows)
    for cuts in naive.every_labeling(problem.n_scores, problem.n_classes):
        on_curves = sum(curve[cut] for curve, cut in zip(curves, cuts, strict=True))
        assert loss_of(cuts, problem, cost) == all_highest + on_curves


@fewer
@given(problem=problems(), data=st.data())
def test_theorem_1_minima_that_are_in_order_are_optimal(problem, data):
    cost = data.draw(signed_costs(problem.n_classes))
    minima = first_minima(risk_curves(problem.rows, problem.n_scores, whole(cost)))
    optima = optima_of(problem, whole(cost))
    assert (minima in optima) == is_ordered(minima)
    for method in ORDERED:
        if is_ordered(minima):
            assert library_cuts(problem, cost, method) == minima == lowest(optima)
        else:
            with pytest.raises(ordcut.CrossedThresholdsError):
                library_cuts(problem, cost, method)


@fewer
@given(problem=problems(), data=st.data())
def test_theorem_2_first_minima_of_a_convex_cost_are_in_order(problem, data):
    cost = data.draw(cost_matrices(problem.n_classes, convex=True))
    minima = first_minima(risk_curves(problem.rows, problem.n_scores, whole(cost)))
    assert is_ordered(minima)
    for method in CONVEX:
        assert library_cuts(problem, cost, method) == minima


@fewer
@given(problem=problems(most_classes=2), data=st.data())
def test_theorem_2_holds_for_every_cost_of_two_classes(problem, data):
    cost = data.draw(signed_costs(2))
    optima = optima_of(problem, whole(cost))
    for method in CONVEX:
        assert library_cuts(problem, cost, method) == lowest(optima)


# Convexity up to scale


@st.composite
def costs_convex_up_to_scale(draw, n_classes):
    """Differences of a convex cost, each row of them times a positive number of its own."""
    convex = draw(cost_matrices(n_classes, convex=True))
    scales = st.lists(st.integers(1, 5), min_size=n_classes - 1, max_size=n_classes - 1)
    steps = np.diff(convex, axis=0) * np.array(draw(scales))[:, None]
    return np.vstack([convex[:1], convex[0] + np.cumsum(steps, axis=0)])


@fewer
@given(problem=problems(), data=st.data())
def test_proposition_1_first_minima_of_a_cost_convex_up_to_scale_are_in_order(problem, data):
    cost = data.draw(costs_convex_up_to_scale(problem.n_classes))
    minima = first_minima(risk_curves(problem.rows, problem.n_scores, whole(cost)))
    optima = optima_of(problem, whole(cost))
    assert minima == lowest(optima)
    for method in [*ANY_COST, *ORDERED]:
        assert library_cuts(problem, cost, method) == minima


def scales_exist(cost):
    """Whether c_k > 0 exist with c_k (cost[k-1] - cost[k]) not increasing in k, by trying ratios.

    If some ratio of neighbours will do, so will one of these: a quotient of two differences, or a
    number next to 0 or far above all quotients.
    """
    steps = [[a - b for a, b in zip(*rows, strict=True)] for rows in pairwise(cost)]
    for here, after in pairwise(steps):
        quotients = [Fraction(g, h) for g, h in zip(here, after, strict=True) if h]
        tried = [Fraction(1, 1000), Fraction(1000), *(ratio for ratio in quotients if ratio > 0)]
        if not any(
            all(g >= ratio * h for g, h in zip(here, after, strict=True)) for ratio in tried
        ):
            return False
    return True


@given(data=st.data(), n_classes=st.integers(2, 4), is_scaled=st.booleans())
def test_proposition_1_is_decided_by_ratios_of_neighbouring_scales(data, n_classes, is_scaled):
    costs = costs_convex_up_to_scale(n_classes) if is_scaled else signed_costs(n_classes)
    cost = data.draw(costs)
    assert scales_exist(whole(cost)) or not is_scaled
    if scales_exist(whole(cost)):
        assert find([0.0, 1.0], [0, 1], n_classes, cost, method="nested").method == "nested"
    else:
        with pytest.raises(ValueError, match="needs a convex objective"):
            find([0.0, 1.0], [0, 1], n_classes, cost, method="nested")


@fewer
@given(problem=problems(), data=st.data(), power=st.sampled_from([1, 2]))
def test_corollary_distances_between_values_of_classes_are_convex_up_to_scale(problem, data, power):
    k = problem.n_classes
    gaps = data.draw(st.lists(st.integers(1, 9), min_size=k, max_size=k))
    values = np.cumsum(gaps)
    cost = np.abs(values[:, None] - values).astype(float) ** power
    optima = optima_of(problem, whole(cost))
    for method in [*ANY_COST, *ORDERED]:
        assert library_cuts(problem, cost, method) == lowest(optima)


# The lowest optimum


@given(problem=problems(), data=st.data())
def test_proposition_2_optimal_cuts_are_closed_under_minimum_and_maximum(problem, data):
    cost = data.draw(signed_costs(problem.n_classes))
    optima = optima_of(problem, whole(cost))
    for one in optima:
        for other in optima:
            assert tuple(map(min, one, other)) in optima
            assert tuple(map(max, one, other)) in optima
    assert lowest(optima) in optima


@given(problem=problems(), data=st.data())
def test_proposition_3_the_dynamic_programme_with_the_largest_label_is_the_lowest(problem, data):
    cost = data.draw(signed_costs(problem.n_classes))
    optima = optima_of(problem, whole(cost))
    assert library_cuts(problem, cost, "dp") == lowest(optima)


@given(problem=problems(weighted=False), data=st.data())
def test_proposition_3_the_paper_takes_the_smallest_label_and_so_the_highest_optimum(problem, data):
    cost = whole(data.draw(cost_matrices(problem.n_classes)))
    optima = optima_of(problem, cost)
    _, Y = literal.group(problem.scores.tolist(), (problem.labels + 1).tolist())
    M = literal.losses(Y, problem.n_classes, lambda k, truth: cost[k - 1][truth - 1])
    assert paper_labels(M, problem.n_classes) == labels_of(highest(optima), problem.n_scores)


def paper_labels(M, n_classes):
    """Algorithm 2 as printed, DP7 and DP10 with min(argmin): labels 1..K of the scores in order."""
    totals = [M[1][1:]]
    for row in M[2:]:
        before = totals[-1]
        totals.append([min(before[: k + 1]) + row[k + 1] for k in range(n_classes)])
    label, labels = n_classes, []
    for row in reversed(totals):
        allowed = row[:label]
        label = allowed.index(min(allowed)) + 1
        labels.append(label)
    return labels[::-1]


# Nested and pruned search


@given(problem=problems(most_classes=6), data=st.data())
def test_proposition_4_each_minimum_is_the_first_between_those_of_its_neighbours(problem, data):
    cost = data.draw(cost_matrices(problem.n_classes, convex=True))
    curves = risk_curves(problem.rows, problem.n_scores, whole(cost))
    minima = first_minima(curves)
    for k, curve in enumerate(curves):
        low = data.draw(st.sampled_from([0, *minima[:k]]))
        high = data.draw(st.sampled_from([problem.n_scores, *minima[k + 1 :]]))
        between = curve[low : high + 1]
        assert low + between.index(min(between)) == minima[k]
    assert library_cuts(problem, cost, "nested") == minima


@given(problem=problems(most_rows=20, most_scores=9), data=st.data())
def test_proposition_5_a_discarded_cell_does_not_contain_the_first_minimum(problem, data):
    cost = data.draw(signed_costs(problem.n_classes))
    borders = data.draw(borders_of_cells(problem.n_scores))
    for k, curve in enumerate(risk_curves(problem.rows, problem.n_scores, whole(cost)), start=1):
        at_borders = [curve[border] for border in borders]
        least, first = min(at_borders), borders[at_borders.index(min(at_borders))]
        where = curve.index(min(curve))
        for left, right in pairwise(borders):
            falls = [
                w * (cost[k - 1][truth] - cost[k][truth])
                for j, truth, w in problem.rows
                if left <= j < right
            ]
            bound = curve[left] + sum(fall for fall in falls if fall < 0)
            is_kept = bound <= least if left < first else bound < least
            assert is_kept or not left < where < right


@given(problem=problems(most_rows=20, most_scores=9), data=st.data(), convex=st.booleans())
def test_proposition_5_the_pruned_search_finds_the_lowest_optimum(problem, data, convex):
    cost = data.draw(cost_matrices(problem.n_classes, convex=convex))
    optima = optima_of(problem, whole(cost))
    assert library_cuts(problem, cost, "pruned") == lowest(optima)


def test_proposition_5_has_a_worst_case_in_which_no_row_is_discarded():
    rows = Rows.read(np.arange(2000.0), np.arange(2000) % 2)
    left = PrunedRows(ArraySource(rows)).rows_for(ExactCost.of(1 - np.eye(2)))
    assert len(left.codes) == 2000


# Kappas


@st.composite
def disagreements(draw, n_classes):
    """Weights of a kappa: 0 on the diagonal, and not negative; also off it they may be 0."""
    weights = draw(cost_matrices(n_classes))
    np.fill_diagonal(weights, 0)
    return weights


def chance_can_disagree(problem, weights):
    """Whether g[k] > 0 for every class k: it disagrees with some class that occurs."""
    occurring = {truth for _, truth, _ in problem.rows}
    return all(any(row[truth] > 0 for truth in occurring) for row in weights)


@given(problem=problems(), data=st.data())
def test_proposition_6_the_expected_cost_is_positive_for_all_cuts_or_kappa_is_refused(
    problem, data
):
    weights = data.draw(disagreements(problem.n_classes))
    every = naive.every_labeling(problem.n_scores, problem.n_classes)
    is_positive = all(paid_and_expected(cuts, problem, whole(weights))[1] > 0 for cuts in every)
    assert is_positive == chance_can_disagree(problem, whole(weights))
    if not is_positive:
        with pytest.raises(ValueError, match="undefined"):
            library_cuts(problem, ordcut.Kappa(weights), "auto")


@given(problem=problems(), data=st.data())
def test_proposition_6_constant_predictions_have_the_ratio_1(problem, data):
    weights = whole(data.draw(disagreements(problem.n_classes)))
    for k in range(problem.n_classes):
        constant = (0,) * k + (problem.n_scores,) * (problem.n_classes - 1 - k)
        paid, expected = paid_and_expected(constant, problem, weights)
        assert paid == expected


@fewer
@given(problem=problems(), data=st.data())
def test_theorem_3_every_step_lowers_the_ratio_until_it_is_the_least(problem, data):
    weights = whole(data.draw(disagreements(problem.n_classes)))
    assume(chance_can_disagree(problem, weights))
    ratios = {
        cuts: paid_and_expected(cuts, problem, weights)
        for cuts in naive.every_labeling(problem.n_scores, problem.n_classes)
    }
    ratio, least = Fraction(1), min(paid / expected for paid, expected in ratios.values())
    for _ in ratios:
        cuts = min(ratios, key=lambda cuts: ratios[cuts][0] - ratio * ratios[cuts][1])
        paid, expected = ratios[cuts]
        if paid == ratio * expected:
            break
        assert paid / expected < ratio
        ratio = paid / expected
    assert ratio == least


@fewer
@given(problem=problems(), data=st.data())
def test_theorem_4_optima_of_a_kappa_minimise_an_additive_cost_and_have_a_lowest(problem, data):
    weights = data.draw(disagreements(problem.n_classes))
    assume(chance_can_disagree(problem, whole(weights)))

    def ratio(cuts):
        paid, expected = paid_and_expected(cuts, problem, whole(weights))
        return paid / expected

    optima = all_optima(problem, ratio)
    least = ratio(optima[0])

    def additive(cuts):
        paid, expected = paid_and_expected(cuts, problem, whole(weights))
        return paid - least * expected

    assert optima == all_optima(problem, additive)
    assert lowest(optima) in optima
    for method in ANY_COST:
        assert library_cuts(problem, ordcut.Kappa(weights), method) == lowest(optima)


@given(
    n_classes=st.integers(3, 6),
    counts=st.lists(st.integers(0, 5), min_size=6, max_size=6),
    ratio=st.fractions(-2, 2, max_denominator=7),
)
def test_proposition_7_steps_of_the_quadratic_kappa_are_convex_up_to_the_ratio_1(
    n_classes, counts, ratio
):
    counts = counts[:n_classes]
    assume(sum(counts) > 0)
    shares = [Fraction(count, sum(counts)) for count in counts]
    every = range(n_classes)
    chance = [sum((k - truth) ** 2 * shares[truth] for truth in every) for k in every]
    cost = [[(k - truth) ** 2 - ratio * chance[k] for truth in every] for k in every]
    seconds = {
        cost[k][truth] - 2 * cost[k + 1][truth] + cost[k + 2][truth]
        for k in range(n_classes - 2)
        for truth in every
    }
    assert seconds == {2 * (1 - ratio)}


@fewer
@given(problem=problems().filter(enough_classes))
def test_proposition_7_all_methods_maximise_the_quadratic_kappa(problem):
    squared = [[(k - truth) ** 2 for truth in problem.classes] for k in problem.classes]

    def ratio(cuts):
        paid, expected = paid_and_expected(cuts, problem, squared)
        return paid / expected

    for method in CONVEX:
        result = library_cuts(problem, "quadratic_kappa", method)
        assert result == lowest(all_optima(problem, ratio))


# Exact arithmetic


@fewer
@given(problem=problems(), data=st.data(), unit=st.sampled_from([10, 7, 30]))
def test_exact_arithmetic_plain_fractions_count_as_those_fractions(problem, data, unit):
    cost = data.draw(cost_matrices(problem.n_classes))
    optima = optima_of(problem, whole(cost))
    weights = np.ones(len(problem.scores)) if problem.weights is None else problem.weights
    divided = replace(problem, weights=weights / unit)
    for method in ANY_COST:
        assert library_cuts(divided, cost / unit, method) == lowest(optima)


@fewer
@given(problem=problems(), data=st.data())
def test_exact_arithmetic_other_floats_count_as_the_numbers_that_they_are(problem, data):
    n_rows, n_classes = len(problem.scores), problem.n_classes
    numbers = st.floats(1e-20, 1e20, allow_subnormal=False)
    weights = np.array(data.draw(st.lists(numbers, min_size=n_rows, max_size=n_rows)))
    cost = data.draw(cost_matrices(n_classes))
    weighted = replace(problem, weights=weights)
    rows, n_scores, fractions = naive.exact_problem(weighted, cost)
    loss = naive.exact_loss(fractions)
    _, expected = naive.brute_force(rows, n_scores, n_classes, loss)
    for method in ANY_COST:
        assert library_cuts(weighted, cost, method) == expected


# Thresholds in floating point


def finite_floats(width):
    return st.floats(allow_nan=False, allow_infinity=False, width=width)


@given(data=st.data(), width=st.sampled_from([32, 64]))
def test_proposition_8_a_threshold_is_above_the_lower_score_and_not_above_the_upper(data, width):
    pair = sorted(data.draw(st.lists(finite_floats(width), min_size=2, max_size=2, unique=True)))
    scores = np.array(pair, dtype=f"float{width}")
    (threshold,) = place_cuts(scores, np.array([1]))
    assert scores[0] < threshold <= scores[1]


@given(data=st.data(), width=st.sampled_from([32, 64]))
def test_proposition_8_holds_for_floats_next_to_each_other(data, width):
    lower = np.array(data.draw(finite_floats(width)), dtype=f"float{width}")
    assume(lower < np.finfo(lower.dtype).max)
    upper = np.nextafter(lower, np.inf, dtype=lower.dtype)
    (threshold,) = place_cuts(np.array([lower, upper]), np.array([1]))
    assert lower < threshold <= upper
