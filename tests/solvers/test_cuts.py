"""The cuts of every solver against NumPy's minima of whole risk curves, at sizes of its blocks."""

from dataclasses import replace

import numpy as np
import pytest

from ordcut._core.data import Rows
from ordcut._core.numerics.exact import ExactCost
from ordcut._core.solvers import SOLVERS, Minimiser, Plan, solve_nested_between

pytestmark = pytest.mark.usefixtures("as_python")

#: Solvers read 256 rows at a time.
SIZES = [1, 2, 256, 257, 520]


def draw_rows(seed, n, n_classes, is_weighted):
    """Return sorted rows of which some have equal scores."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, n_classes, n)
    scores = np.round(codes + random.normal(scale=2, size=n), seed % 3)
    weights = random.integers(1, 5, n) if is_weighted else None
    return Rows.read(scores, codes, classes=range(n_classes), weights=weights).sorted()


def curves_of(rows, cost):
    """Return the cuts that are possible, and every risk curve at these."""
    weights = np.ones(len(rows.codes), np.int64) if rows.weights is None else rows.weights
    changes = (cost[:-1] - cost[1:])[:, rows.codes] * weights
    curves = np.concatenate([np.zeros((len(cost) - 1, 1), np.int64), changes], axis=1)
    cuts = np.append(0, np.flatnonzero(rows.ends) + 1)
    return cuts, np.cumsum(curves, axis=1)[:, cuts]


def first_minima(rows, cost):
    cuts, curves = curves_of(rows, cost)
    return cuts[np.argmin(curves, axis=1)].tolist()


def lowest_path(rows, cost):
    """Return the lowest ordered cuts of least cost."""
    cuts, curves = curves_of(rows, cost)
    totals = []
    for curve in curves:
        totals.append(curve + (np.minimum.accumulate(totals[-1]) if totals else 0))
    lowest, last = [], len(cuts)
    for total in totals[::-1]:
        last = int(np.argmin(total[:last])) + 1
        lowest.append(int(cuts[last - 1]))
    return lowest[::-1]


def any_costs(seed, n_classes, largest):
    return np.random.default_rng(seed).integers(-largest, largest + 1, (n_classes, n_classes))


def convex_costs(seed, n_classes, largest):
    steps = np.sort(np.random.default_rng(seed).integers(-largest, largest, (n_classes, n_classes)))
    return np.cumsum(steps.T, axis=0)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("largest", [1, 60, 10**9])
def test_independent_solvers_find_the_first_minimum_of_each_curve(n, is_weighted, largest):
    for seed in range(4):
        n_classes = [2, 17, 33, 34][seed]
        rows, cost = (
            draw_rows(seed, n, n_classes, is_weighted),
            any_costs(seed, n_classes, largest),
        )
        expected = first_minima(rows, cost)
        whole = rows.whole_kernel_rows
        for name, plan in [
            ("io", Plan()),
            ("pio", Plan()),
            ("pio", Plan(n_jobs=3)),
            ("blocks", Plan()),
            ("blocks", Plan(n_jobs=2)),
            ("blocks", Plan(block_size=[1, 7, 256, 9999][seed], n_jobs=2)),
        ]:
            if plan.block_size == 1 and n > 10:
                continue
            assert SOLVERS[name].find_cuts(whole, cost, plan).tolist() == expected


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_nested_search_finds_the_first_minima_of_convex_costs(n, is_weighted):
    for seed in range(8):
        n_classes = 2 + seed
        rows, cost = draw_rows(seed, n, n_classes, is_weighted), convex_costs(seed, n_classes, 9)
        result = SOLVERS["nested"].find_cuts(rows.whole_kernel_rows, cost, Plan())
        assert result.tolist() == first_minima(rows, cost)


@pytest.mark.parametrize("n", [20, 257, 520])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_nested_search_keeps_between_two_cuts_of_each_curve(n, is_weighted):
    for seed in range(20):
        random = np.random.default_rng(seed)
        n_classes = 2 + seed % 5
        rows, cost = draw_rows(seed, n, n_classes, is_weighted), convex_costs(seed, n_classes, 9)
        cuts, curves = curves_of(rows, cost)
        both = np.sort(random.integers(0, len(cuts), (2, n_classes - 1)), axis=1)
        lowest, highest = both.min(axis=0), both.max(axis=0)
        result = solve_nested_between(rows.whole_kernel_rows, cost, cuts[lowest], cuts[highest])
        expected = [
            cuts[low + np.argmin(curve[low : high + 1])]
            for curve, low, high in zip(curves, lowest, highest, strict=True)
        ]
        assert result.tolist() == expected


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_dynamic_programme_finds_the_lowest_path_of_any_costs(n, is_weighted):
    for seed in range(10):
        n_classes = 2 + seed % 6
        rows, cost = draw_rows(seed, n, n_classes, is_weighted), any_costs(seed, n_classes, 4)
        result = SOLVERS["dp"].find_cuts(rows.whole_kernel_rows, cost, Plan())
        assert result.tolist() == lowest_path(rows, cost)


@pytest.mark.parametrize("n", [1, 2, 3, 30, 200])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 4, 9, 255, 256, 257])
def test_rows_labelled_right_are_counted_to_the_lowest_path(n, is_weighted, n_classes):
    for seed in range(6):
        random = np.random.default_rng(seed)
        rows = draw_rows(seed, n, n_classes, is_weighted)
        wrong = random.integers(0, 4, n_classes) if seed % 2 else np.full(n_classes, 1 + seed)
        right = np.minimum(random.integers(0, 3, n_classes), wrong) if seed % 2 else 0 * wrong
        cost = np.where(np.eye(n_classes, dtype=bool), right, wrong)
        result = SOLVERS["zero_one"].find_cuts(rows.whole_kernel_rows, cost, Plan())
        assert result.tolist() == lowest_path(rows, cost)


def cuts_by(method, cost, rows):
    """The cuts of a solver, or of exact comparisons where sums do not fit into its integers."""
    return Minimiser.choose(cost, Plan(method)).find_cuts(rows).tolist()


@pytest.mark.parametrize("is_weighted", [False, True])
def test_sums_that_do_not_fit_are_compared_as_those_that_do(is_weighted):
    """A factor of all costs changes nothing, and beyond int64 near ties decide."""
    for seed in range(60):
        n_classes = 2 + seed % 5
        rows = draw_rows(seed, 1 + seed, n_classes, is_weighted)
        is_convex = seed % 2 == 0
        cost = (convex_costs if is_convex else any_costs)(seed, n_classes, 2 if seed % 3 else 10**9)
        exact = ExactCost.of(cost.astype(object) * (10**30 + 1) + (seed % 7 == 0))
        for given in (ExactCost.of(cost), exact):
            assert cuts_by("io", given, rows) == first_minima(rows, cost)
            assert cuts_by("dp", given, rows) == lowest_path(rows, cost)


@pytest.mark.parametrize("unit", [2.0**-60, 2.0**-52])
@pytest.mark.parametrize("scale", [2.0**-300, 1, 2.0**300])
def test_differences_that_vanish_in_rounded_sums_decide(unit, scale):
    """Some weights are such that float64 cannot add them to the others."""
    for seed in range(40):
        random = np.random.default_rng(seed)
        n, n_classes = int(random.integers(2, 40)), int(random.integers(2, 5))
        codes, scores = random.integers(0, n_classes, n), random.integers(0, 20, n)
        is_tiny = random.random(n) < 0.5
        is_tiny[0] = True
        weights = np.where(is_tiny, unit * random.integers(1, 4, n), 1.0)
        rows = Rows.read(scores, codes, classes=range(n_classes), weights=weights).sorted()
        whole = [int(weight / unit) for weight in rows.weights.tolist()]
        exactly = replace(rows, weights=np.array(whole, dtype=object))
        rows = replace(rows, weights=rows.weights * scale)
        convex = np.abs(np.arange(n_classes)[:, None] - np.arange(n_classes))
        for cost in (convex, any_costs(seed, n_classes, 3)):
            assert cuts_by("io", ExactCost.of(cost), rows) == first_minima(exactly, cost)
            assert cuts_by("dp", ExactCost.of(cost), rows) == lowest_path(exactly, cost)


@pytest.mark.filterwarnings("ignore::ordcut.ReversedScoresWarning")
@pytest.mark.parametrize("n_classes", [3, 8, 40])
def test_rows_that_all_take_from_two_classes_are_counted(n_classes):
    """Each row outweighs the class below it, and takes the rest from the lowest one."""
    codes = np.arange(n_classes)[::-1]
    weights = np.append(np.arange(n_classes, 1, -1), n_classes**2)
    every = range(n_classes)
    rows = Rows.read(np.arange(n_classes), codes, classes=every, weights=weights).sorted()
    cost = 1 - np.eye(n_classes, dtype=np.int64)
    result = SOLVERS["zero_one"].find_cuts(rows.whole_kernel_rows, cost, Plan())
    assert result.tolist() == lowest_path(rows, cost)
