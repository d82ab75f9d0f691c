"""Every solver against the paper's literal algorithms and against a brute force."""

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ordcut
from experiments import literal
from ordcut._core.solvers import METHODS
from tests import naive
from tests.solvers.adversarial import cuts_of
from tests.strategies import cost_matrices, enough_classes, problems
from tests.tables import ANY_COST, CONVEX, KAPPAS, ORDERED

both_ways = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def solve(problem, objective, method, **options):
    return ordcut.optimal_thresholds(
        problem.scores,
        problem.labels,
        objective=objective,
        classes=problem.classes,
        sample_weight=problem.weights,
        method=method,
        **options,
    )


def additive(cost):
    whole = np.asarray(cost).astype(int).tolist()
    return lambda table: (
        -sum(
            whole[k][truth] * weight
            for k, row in enumerate(table)
            for truth, weight in enumerate(row)
        )
    )


def kappa(weights):
    whole = np.asarray(weights).astype(int).tolist()

    def goodness(table):
        n = sum(map(sum, table))
        predicted = [sum(row) for row in table]
        true = [sum(column) for column in zip(*table, strict=True)]
        chance = sum(
            whole[k][truth] * predicted[k] * true[truth]
            for k in range(len(table))
            for truth in range(len(table))
        )
        return 1 + Fraction(additive(weights)(table) * n, chance)

    return goodness


@both_ways
@given(problem=problems(), data=st.data())
def test_every_method_finds_the_lowest_optimum_of_a_convex_cost(either_way, problem, data):
    cost = data.draw(cost_matrices(problem.n_classes, convex=True))
    best, lowest = naive.brute_force(
        problem.rows, problem.n_scores, problem.n_classes, additive(cost)
    )
    for method in CONVEX:
        result = solve(problem, cost, method)
        assert cuts_of(result, problem) == lowest, method
        total = sum(weight for _, _, weight in problem.rows)
        assert result.value == -best / total


@both_ways
@given(problem=problems(), data=st.data())
def test_dp_and_auto_find_the_lowest_optimum_of_any_cost(either_way, problem, data):
    cost = data.draw(cost_matrices(problem.n_classes))
    _, lowest = naive.brute_force(problem.rows, problem.n_scores, problem.n_classes, additive(cost))
    for method in ANY_COST:
        assert cuts_of(solve(problem, cost, method), problem) == lowest


@given(problem=problems(), data=st.data())
def test_independent_methods_are_optimal_or_say_that_thresholds_crossed(problem, data):
    cost = data.draw(cost_matrices(problem.n_classes))
    _, lowest = naive.brute_force(problem.rows, problem.n_scores, problem.n_classes, additive(cost))
    outcomes = []
    for method in ORDERED:
        try:
            result = solve(problem, cost, method)
        except ordcut.CrossedThresholdsError as error:
            outcomes.append(error.pair)
        else:
            assert cuts_of(result, problem) == lowest
            outcomes.append(result.certificate)
    assert len(set(outcomes)) == 1


@given(problem=problems(weighted=False), data=st.data())
def test_methods_equal_the_literal_algorithms_of_the_paper(problem, data):
    cost = data.draw(cost_matrices(problem.n_classes, convex=data.draw(st.booleans())))
    scores, labels = problem.scores.tolist(), (problem.labels + 1).tolist()

    def loss(k, truth):
        return int(cost[k - 1, truth - 1])

    a, Y = literal.group(scores, labels)
    M, c = literal.losses(Y, problem.n_classes, loss), literal.candidates(a)
    table = ordcut.ScoreTable(problem.scores, problem.labels, classes=problem.classes)
    assert table.scores.tolist() == a[1:]
    assert table.candidates.tolist() == c[1:]
    assert table.loss_sums(cost).tolist() == [row[1:] for row in M[1:]]
    assert sum(len(labels) for labels in Y[1:]) == table.totals.sum()
    expected = literal.dynamic_programme(M, c, problem.n_classes)
    assert solve(problem, cost, "dp").thresholds.tolist() == expected
    independent = literal.independent_optimisation(M, c, problem.n_classes)
    size = data.draw(st.integers(1, len(c)))
    assert literal.further_parallelised(M, c, problem.n_classes, size) == independent
    with ThreadPoolExecutor(2) as executor:
        assert literal.parallel_losses(Y, problem.n_classes, loss, executor) == M
        parallel = literal.parallel_optimisation(M, c, problem.n_classes, executor)
        blocks = literal.further_parallelised(M, c, problem.n_classes, size, executor)
    assert parallel == blocks == independent
    if independent == sorted(independent):
        assert independent == expected
        for method in ORDERED:
            assert solve(problem, cost, method, block_size=size).thresholds.tolist() == expected


@both_ways
@given(problem=problems().filter(enough_classes))
@pytest.mark.parametrize("name", KAPPAS)
def test_kappas_are_maximal_and_lowest(either_way, name, problem):
    weights = ordcut.resolve_objective(name, problem.n_classes).cost
    best, lowest = naive.brute_force(
        problem.rows, problem.n_scores, problem.n_classes, kappa(weights)
    )
    for method in CONVEX if name == "quadratic_kappa" else ANY_COST:
        result = solve(problem, name, method)
        assert cuts_of(result, problem) == lowest
        assert result.value == pytest.approx(float(best), abs=1e-14)
        assert result.certificate.startswith("Dinkelbach's fixed point")


@given(problem=problems().filter(enough_classes), data=st.data())
def test_kappas_with_weights_of_the_users_own_are_maximal(problem, data):
    weights = data.draw(cost_matrices(problem.n_classes)) + 1
    np.fill_diagonal(weights, 0)
    best, lowest = naive.brute_force(
        problem.rows, problem.n_scores, problem.n_classes, kappa(weights)
    )
    result = solve(problem, ordcut.Kappa(weights), "auto")
    assert cuts_of(result, problem) == lowest
    assert result.value == pytest.approx(float(best), abs=1e-14)


@given(problem=problems(most_rows=30, most_scores=12, most_classes=7), threads=st.integers(1, 5))
def test_threads_and_block_sizes_change_nothing(problem, threads):
    expected = solve(problem, "absolute", "dp").thresholds.tolist()
    for method in [*ORDERED, "auto"]:
        result = solve(problem, "absolute", method, n_jobs=threads, block_size=threads)
        assert result.thresholds.tolist() == expected


def test_crossed_thresholds_name_the_pair_and_the_remedy():
    with pytest.raises(ordcut.CrossedThresholdsError, match=r'1 and 2 crossed. Use method="dp"'):
        ordcut.optimal_thresholds(
            [1, 2], [2, 0], classes=[0, 1, 2], objective="zero_one", method="io"
        )


def test_nested_refuses_an_objective_that_is_not_convex():
    with pytest.raises(ValueError, match=r'method="nested" needs a convex objective'):
        ordcut.optimal_thresholds([1, 2, 3], [0, 1, 2], objective="zero_one", method="nested")


def test_certificates_say_why():
    def certificate(objective, method):
        result = ordcut.optimal_thresholds([1, 2, 3], [0, 1, 2], objective=objective, method=method)
        return result.certificate

    assert certificate("absolute", "io") == "convex objective (Theorem 2)"
    assert certificate("zero_one", "io") == "ordered minima (Theorem 1)"
    assert certificate("zero_one", "dp") == "dynamic programme over all ordered labelings"
    assert certificate("zero_one", "auto") == (
        "most rows labelled right, where all errors cost the same"
    )
    assert certificate("quadratic_kappa", "auto") == (
        "Dinkelbach's fixed point after 1 step by convex objective (Theorem 2)"
    )


@pytest.mark.parametrize("method", sorted(set(METHODS) - {"zero_one", "segments"}))
def test_a_larger_problem_gives_the_same_cuts_by_every_method(method):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 20, 5000)
    scores = np.round(labels + rng.normal(scale=3, size=5000), 2)
    expected = ordcut.optimal_thresholds(scores, labels, method="dp")
    result = ordcut.optimal_thresholds(scores, labels, method=method, n_jobs=2)
    assert result.thresholds.tolist() == expected.thresholds.tolist()
    assert result.value == expected.value == ordcut.evaluate(labels, result.predict(scores))


@pytest.mark.parametrize("largest", [126, 127, 128])  # the most that 16 bits hold 256 times is 127
def test_large_costs_of_many_equal_scores_are_added_up_without_overflow(either_way, largest):
    for seed in range(5):
        random = np.random.default_rng(seed)
        scores, labels = np.repeat([1, 2, 3], [400, 256, 300]), random.integers(0, 3, 956)
        labels[:400] = seed % 3
        cost = np.array([[0, largest, largest], [largest, 0, largest], [largest, largest, 0]])
        options = {"classes": range(3), "objective": cost * [1, 1, random.integers(0, 2)]}
        expected = ordcut.optimal_thresholds(scores, labels, method="dp", **options)
        for method in ORDERED:
            try:
                result = ordcut.optimal_thresholds(scores, labels, method=method, **options)
            except ordcut.CrossedThresholdsError:
                continue
            assert result.thresholds.tolist() == expected.thresholds.tolist()


@pytest.mark.parametrize("scale", [0.1, 1 / 3, 0.7])
def test_costs_that_are_fractions_are_solved_in_whole_numbers(scale):
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 6, 400)
    scores = rng.integers(0, 40, 400)
    cost = scale * ordcut.resolve_objective("absolute", 6).cost
    expected = ordcut.optimal_thresholds(scores, labels, method="dp").thresholds.tolist()
    for method in ("dp", *ORDERED):
        result = ordcut.optimal_thresholds(scores, labels, objective=cost, method=method)
        assert result.thresholds.tolist() == expected
