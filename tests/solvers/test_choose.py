"""Which method "auto" is, what plans and costs are refused, and what certificates count."""

from fractions import Fraction
from functools import partial
from math import lcm
from types import SimpleNamespace
from typing import get_args

import numpy as np
import pytest

import ordcut
from ordcut._core.cuts import Cuts
from ordcut._core.data import Rows
from ordcut._core.numerics.exact import ExactCost
from ordcut._core.objectives import ExactRatio, Kind, TableTotals
from ordcut._core.pruning import ArraySource, PrunedRows
from ordcut._core.solvers import (
    METHODS,
    Minimiser,
    Plan,
    Task,
    choose_method,
    solve_freely,
)
from ordcut._core.thresholds import Certificate
from tests.small_sizes import set_sizes, size_of
from tests.tables import KAPPAS

FEWEST_STEPS_TO_PRUNE = size_of("steps_to_prune")


def auto(**options):
    return choose_method("auto", Task(**options))


@pytest.mark.parametrize("kind", list(FEWEST_STEPS_TO_PRUNE))
@pytest.mark.parametrize("n_classes", [2, 5, 30])
def test_auto_prunes_arrays_that_take_more_steps_to_sort_than_measured(kind, n_classes):
    least, for_each_pair = FEWEST_STEPS_TO_PRUNE[kind]
    limit = least + for_each_pair * n_classes * n_classes
    sizes = {"kind": kind, "n_classes": n_classes}
    few, many = ({**sizes, "n_steps": n} for n in (limit, limit + 1))
    assert auto(where="arrays", **few) != "pruned"
    assert auto(where="arrays", **many) == "pruned"
    assert auto(where="sorted", **many) == auto(where="arrays", **few) == auto(**many)


def test_auto_prunes_where_the_dynamic_programme_would_need_a_quarter_of_a_gigabyte():
    options = {"n_classes": 256, "where": "arrays"}
    assert auto(kind="other", n_rows=2**20, **options) == "pruned"
    assert auto(kind="other", n_rows=2**20 - 1, **options) == "dp"
    assert auto(kind="equal errors", n_rows=2**20, **options) == "zero_one"
    assert auto(kind="convex", n_rows=2**20, **options) == "nested"


def test_auto_sorts_rows_once_for_many_convex_problems():
    many = {"n_steps": 10**9, "where": "arrays", "n_problems": 2}
    assert auto(kind="convex", **many) == "nested"
    assert auto(kind="convex", **{**many, "n_problems": 1}) == "pruned"
    assert auto(kind="convex kappa", **many) == "pruned"
    assert auto(kind="other", **many) == "pruned"


def test_auto_counts_rows_labelled_right_where_all_errors_cost_the_same():
    for n_classes in (2, 7, 300):
        assert auto(kind="equal errors", n_classes=n_classes) == "zero_one"
        assert auto(kind="other", n_classes=n_classes) == "dp"
        assert auto(kind="convex", n_classes=n_classes) == "nested"


def test_auto_depends_on_where_rows_are_and_other_methods_do_not():
    for kind in get_args(Kind):
        assert auto(kind=kind, where="engine") == "pruned"
        assert auto(kind=kind, where="device") == "scan"
    for method in set(METHODS) - {"auto"}:
        for where in ("arrays", "sorted", "engine", "device"):
            assert choose_method(method, Task("convex", n_steps=10**9, where=where)) == method
    with pytest.raises(ValueError, match="method must be"):
        choose_method("scan", Task("convex"))


@pytest.mark.parametrize("size", [0, -1, True, False, 1.0, "3"])
def test_blocks_have_a_whole_number_of_cuts(size):
    with pytest.raises(ValueError, match="block_size must be a whole number of cuts, at least 1"):
        Plan(block_size=size).check()
    Plan(block_size=1).check()


@pytest.mark.parametrize("n_jobs", [0, -2, True, 1.0])
def test_a_plan_has_a_number_of_threads(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be a number of threads"):
        Plan(n_jobs=n_jobs).check()
    assert Plan().n_threads() == 1
    assert Plan().n_threads(default=5) == 5
    assert Plan(n_jobs=2).n_threads(default=5) == 2
    assert Plan(n_jobs=-1).n_threads() >= 1


@pytest.mark.parametrize(("weight", "divisor"), [(0.25, 4), (1, 4), (8, 32), (1024, 4096)])
def test_costs_are_refused_from_where_their_sums_could_exceed_floats(weight, divisor):
    largest = np.finfo(float).max / divisor
    for sign in (1, -1):
        cost = np.array([[0, sign * largest], [1, 0]])
        ordcut.resolve_objective(cost, 2).check_sums(weight)
        cost[0, 1] = sign * np.nextafter(largest, np.inf)
        with pytest.raises(ValueError, match=f"added up over {weight:g} rows, got"):
            ordcut.resolve_objective(cost, 2).check_sums(weight)


def test_a_certificate_says_how_many_steps_there_were():
    convex = "convex objective (Theorem 2)"
    assert str(Certificate("convex", 1)) == f"Dinkelbach's fixed point after 1 step by {convex}"
    twice = f"Dinkelbach's fixed point after 2 steps, each by {convex}"
    assert str(Certificate("convex", 2)) == twice


@pytest.mark.parametrize("kind", ["plain", "whole", "floats"])
@pytest.mark.parametrize("is_pruned", [False, True])
@pytest.mark.parametrize("name", KAPPAS)
def test_a_certificate_counts_every_additive_problem(kind, is_pruned, name, monkeypatch):
    set_sizes(monkeypatch, counters=64, least_cells=40)
    called = []
    call = Minimiser.__call__
    monkeypatch.setattr(Minimiser, "__call__", lambda *a: called.append(a[1]) or call(*a))
    random = np.random.default_rng(0)
    labels = random.integers(0, 4, 300)
    scores = labels + random.normal(size=300)
    weights = {"plain": None, "whole": random.integers(1, 5, 300), "floats": random.random(300)}
    result = ordcut.optimal_thresholds(
        scores,
        labels,
        objective=name,
        sample_weight=weights[kind],
        method="pruned" if is_pruned else "dp",
    )
    assert result.proof.n_steps == len(called)
    assert result.method == ("pruned" if is_pruned else "dp")
    assert all(isinstance(rows, PrunedRows) == is_pruned for rows in called)


def ordered_rows(n=200, step=1):
    random = np.random.default_rng(0)
    labels = random.integers(0, 4, n)
    return Rows.read(step * labels + random.normal(size=n), labels)


def test_a_kappa_starts_from_a_table_near_the_best():
    rows = ordered_rows().sorted()
    objective = ordcut.resolve_objective("quadratic_kappa", 4)
    arguments = rows, objective, Plan("nested")
    best = solve_freely(*arguments)
    again = solve_freely(*arguments, first=rows.between(best.cuts))
    assert again.cuts.tolist() == best.cuts.tolist()
    assert again.certificate.n_steps == 1


@pytest.mark.filterwarnings("ignore::ordcut.ReversedScoresWarning")
def test_a_kappa_never_starts_from_a_ratio_above_1_whose_steps_need_not_be_convex():
    objective = ordcut.resolve_objective("quadratic_kappa", 4)
    worst = np.eye(4)[::-1] * 50
    for step in (1, -1):  # scores that rise with the classes, and that fall
        rows = ordered_rows(step=step)
        for store in (rows.sorted(), PrunedRows(ArraySource(rows))):
            expected = solve_freely(store, objective, Plan("dp"))
            for first in (None, worst):
                solution = solve_freely(store, objective, Plan("nested"), first)
                assert solution.cuts.tolist() == expected.cuts.tolist()


def test_the_pair_that_crossed_is_the_first_one():
    n_crossed = set()
    for seed in range(200):
        random = np.random.default_rng(seed)
        cost, labels = random.integers(0, 4, (5, 5)), random.integers(0, 5, 12)
        curves = np.cumsum((cost[:-1] - cost[1:])[:, labels], axis=1)
        minima = np.argmin(np.insert(curves, 0, 0, axis=1), axis=1)
        crossed = np.flatnonzero(np.diff(minima) < 0)
        options = {"objective": cost, "classes": range(5), "method": "io"}
        if len(crossed):
            with pytest.raises(ordcut.CrossedThresholdsError) as caught:
                ordcut.optimal_thresholds(range(12), labels, **options)
            assert caught.value.pair == (crossed[0] + 1, crossed[0] + 2)
            n_crossed.add(caught.value.pair)
        else:
            ordcut.optimal_thresholds(range(12), labels, **options)
    assert n_crossed == {(1, 2), (2, 3), (3, 4)}


@pytest.mark.parametrize("total", [20, 10**6, 2**30, 2**31 + 5, 10**12, Fraction(10, 3)])
@pytest.mark.parametrize("most", [1, 3, 1000])
@pytest.mark.parametrize("factor", [1, 10**6])
def test_costs_of_a_kappa_are_those_of_fractions_at_any_size(total, most, factor):
    random = np.random.default_rng(most)
    n_classes = 3
    weights = random.integers(1, most + 1, (n_classes, n_classes)).astype(float)
    np.fill_diagonal(weights, 0)
    weights[0, 1] = most
    factors = random.permutation([1.0, 2.0, 3.0 * factor])
    parts = [total * 2 / 5, total * 2 / 5, total / 5]
    if isinstance(total, int):
        parts = [total * 2 // 5, total * 2 // 5, total // 5]
    totals = np.array(parts, np.int64 if isinstance(total, int) else object)
    objective = ordcut.resolve_objective(ordcut.Kappa(weights), n_classes)
    kappa = objective.weighted(factors, np.arange(n_classes)).on(TableTotals(totals[None]))
    w, f = weights.astype(int).tolist(), factors.astype(int).tolist()
    share = [f[k] * Fraction(parts[k]) for k in range(n_classes)]
    chance = [sum(w[k][j] * share[j] for j in range(n_classes)) for k in range(n_classes)]
    unit = lcm(*(part.denominator for part in parts))
    assert kappa.costs[1].tolist() == [[unit * one * each for each in f] for one in chance]
    table = [[part // 2 for part in parts], [part // 4 for part in parts]]
    table.append([part - part // 2 - part // 4 for part in parts])
    cells = [(k, j) for k in range(n_classes) for j in range(n_classes)]
    paid = sum(w[k][j] * f[j] * Fraction(table[k][j]) for k, j in cells)
    expected = sum(chance[k] * f[j] * Fraction(table[k][j]) for k, j in cells)
    confusion = np.array(table, dtype=totals.dtype)
    ratio = kappa.ratio_of(confusion)
    assert type(ratio.numerator) is type(ratio.denominator) is int
    assert ratio == paid * sum(share) / expected
    for one in (ratio, Fraction(1), Fraction(1, 3), Fraction(10**9, 10**9 + 7), Fraction(3, 2**70)):
        exact = [(w[k][j] - one * chance[k] / sum(share)) * f[j] for k, j in cells]
        largest = max(range(len(cells)), key=lambda i: abs(exact[i]))
        for weight in (1.0, 1e6, 2.0**31):
            result = kappa.cost_at(one, weight)
            costs = result.integers.ravel().tolist()
            unit = costs[largest] / exact[largest]
            assert unit > 0
            assert costs == [unit * each for each in exact]
            if result.most_weight > 0:
                assert result.most_weight * abs(costs[largest]) < 2**62
            assert result.convexity == ExactCost.of(result.integers).convexity


@pytest.mark.parametrize(
    ("reached", "guess", "last", "n_steps"),
    [
        (["1/2", "1/2"], "1", 1, 2),
        (["1/2"], "1/2", 0, 1),
        (["3/4", "1/2", "1/2"], "1", 2, 3),
        (["1/2", "1/2"], "1/4", 1, 2),  # a guess may be lower than what can be reached
        (["1/2", "3/5"], "1", 0, 2),  # and a table that was rounded may lead upwards
        (["3/4", "1/2", "2/3"], "1", 1, 3),
    ],
)
def test_the_least_ratio_that_was_reached_is_returned(reached, guess, last, n_steps):
    ratios = [Fraction(one) for one in reached]
    steps, asked = iter(range(len(ratios))), []
    kappa = SimpleNamespace(
        cost_at=lambda one, _: asked.append(one), ratio_of=lambda step: ratios[step]
    )

    def minimise(_):
        return Cuts(None, "dp", Certificate("nothing"), partial(int, next(steps)), None)

    search = SimpleNamespace(minimise=minimise, weight=1.0)
    result = ExactRatio.highest(kappa, search, Fraction(guess))
    assert result.weigh() == last
    assert result.certificate.n_steps == n_steps
    assert asked == [Fraction(guess), *ratios[: n_steps - 1]]
