"""What pruning leaves over: all weight, all cuts that can be optimal, and exact sums."""

from fractions import Fraction

import numpy as np
import pytest

import ordcut
from ordcut._core.data import Rows
from ordcut._core.numerics.exact import ExactCost
from ordcut._core.pruning import ArraySource, PrunedRows, halving_order
from tests.small_sizes import set_sizes


@pytest.fixture(autouse=True)
def few_cells(monkeypatch, as_python):
    """Lay out few cells, and run kernels as plain Python."""
    set_sizes(monkeypatch, counters=64, least_cells=12)


def draw_rows(seed, kind="plain", n=400):
    random = np.random.default_rng(seed)
    codes = random.integers(0, 3, n)
    scores = np.round(codes + random.normal(size=n) * random.choice([0.1, 0.5, 2]), 2)
    weights = {
        "plain": None,
        "narrow": None,
        "whole": random.integers(1, 5, n),
        "tenths": random.integers(1, 30, n) / 10,
        "floats": random.random(n),
    }[kind]
    scores = scores.astype(np.float32) if kind == "narrow" else scores
    return Rows.read(scores, codes, classes=range(3), weights=weights)


CONVEX = np.abs(np.arange(3)[:, None] - np.arange(3))
OTHER = np.array([[0, 3, 1], [2, 0, 2], [1, 3, 0]])


def exact_below(rows, value, *, inclusive):
    """The weight of each class below a score, in fractions."""
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    totals = [Fraction(0)] * 3
    for score, code, weight in zip(rows.scores, rows.codes, weights.tolist(), strict=True):
        if score < value or (inclusive and score == value):
            totals[code] += Fraction(weight).limit_denominator(10) if weight > 1e-3 else weight
    return totals


@pytest.mark.parametrize("kind", ["plain", "narrow", "whole", "tenths", "floats"])
@pytest.mark.parametrize("cost", [CONVEX, OTHER], ids=["convex", "other"])
def test_pruned_rows_hold_all_weight_in_order_and_the_optimal_cuts(kind, cost):
    n_pruned = 0
    for seed in range(12):
        rows = draw_rows(seed, kind)
        problem = PrunedRows(ArraySource(rows))
        left = problem.rows_for(ExactCost.of(cost))
        assert left.totals == pytest.approx(rows.totals, rel=1e-12)
        known = left.scores[~np.isnan(left.scores)]
        assert (np.diff(known) >= 0).all()
        n_pruned += len(left.codes) < rows.n_rows / 2
        options = {"classes": range(3), "objective": cost, "sample_weight": rows.weights}
        result = ordcut.optimal_thresholds(rows.scores, rows.codes, method="dp", **options)
        for low, high in result.ranges:
            assert low == -np.inf or low in known
            assert high == np.inf or high in known
    assert n_pruned >= 3


@pytest.mark.parametrize("kind", ["plain", "narrow", "whole", "tenths"])
@pytest.mark.parametrize("cost", [CONVEX, OTHER], ids=["convex", "other"])
def test_sums_between_cuts_of_pruned_rows_are_those_of_all_rows(kind, cost):
    for seed in range(4):
        rows = draw_rows(seed, kind, n=200)
        problem = PrunedRows(ArraySource(rows))
        left = problem.rows_for(ExactCost.of(cost))
        every = np.append(0, np.flatnonzero(left.ends) + 1)
        random = np.random.default_rng(seed)
        for cuts in (every, np.sort(random.choice(every, 3)), every[[0, -1]], every[1:-1][:1]):
            expected = [[Fraction(0)] * 3]
            for cut in cuts.tolist():
                if cut == 0:
                    below = [Fraction(0)] * 3
                elif not np.isnan(left.scores[cut - 1]):
                    below = exact_below(rows, left.scores[cut - 1], inclusive=True)
                elif cut < len(left.scores):
                    below = exact_below(rows, left.scores[cut], inclusive=False)
                else:
                    below = exact_below(rows, np.inf, inclusive=True)
                expected.append(below)
            expected.append(exact_below(rows, np.inf, inclusive=True))
            result = problem.exact_weights(left, cuts)
            sums = np.diff(np.array(expected, dtype=object), axis=0).tolist()
            assert result.tolist() == sums
            if kind == "tenths" and len(cuts) > 1:
                inside = problem.exact_weights(left, cuts, inside=True)
                assert inside[1:-1].tolist() == sums[1:-1]


@pytest.mark.parametrize("kind", ["plain", "whole", "tenths"])
def test_totals_without_rounding_are_those_of_the_rows(kind):
    rows = draw_rows(1, kind)
    totals = PrunedRows(ArraySource(rows)).exact_totals
    assert totals.tolist() == exact_below(rows, np.inf, inclusive=True)


@pytest.mark.parametrize("kind", ["plain", "tenths"])
def test_coarse_rows_are_the_borders_of_eight_cells_each(kind):
    problem = PrunedRows(ArraySource(draw_rows(2, kind)))
    counts = problem.cells.counts
    coarse = problem.coarse()
    groups = [counts[first : first + 8].sum(axis=0) for first in range(0, len(counts), 8)]
    filled = [one for one in groups if one.any()]
    assert len(groups) > 1
    cuts = np.flatnonzero(coarse.ends)[:-1] + 1
    np.testing.assert_allclose(coarse.between(cuts), filled)
    assert coarse.is_whole == (kind == "plain")


def test_rows_are_fetched_once_and_more_of_them_only_for_other_costs(monkeypatch):
    rows = draw_rows(0, n=3000)
    problem = PrunedRows(ArraySource(rows))
    fetched = []
    counted = type(problem.cells)
    fetch = counted.fetch
    monkeypatch.setattr(counted, "fetch", lambda *a: fetched.append(a[1].copy()) or fetch(*a))
    first, again = (problem.rows_for(ExactCost.of(CONVEX)) for _ in range(2))
    assert len(fetched) == 1
    assert again.codes.tolist() == first.codes.tolist()
    problem.rows_for(ExactCost.of(CONVEX * [1, 1, 9]))
    assert np.sum(fetched, axis=0).max() == 1


def test_orders_of_halving_are_shared_and_so_cannot_be_changed():
    for n_curves in range(1, 20):
        order = halving_order(n_curves)
        assert sorted(order[:, 0].tolist()) == list(range(n_curves))
        with pytest.raises(ValueError, match="read-only"):
            order[0, 0] = 0
        done = {-1, n_curves}
        for curve, low, high in order.tolist():
            assert low == max(one for one in done if one < curve)
            assert high == min(one for one in done if one > curve)
            done.add(curve)


@pytest.mark.parametrize("most", [1, 2, 3, 128])
def test_simpler_bounds_for_many_decisions_lead_to_the_same_cuts(most, monkeypatch):
    set_sizes(monkeypatch, most_decisions_bounded=most)
    for seed in range(8):
        rows = draw_rows(seed)
        options = {"classes": range(3), "objective": OTHER}
        result, expected = (
            ordcut.optimal_thresholds(rows.scores, rows.codes, method=method, **options)
            for method in ("pruned", "dp")
        )
        assert result.thresholds.tolist() == expected.thresholds.tolist()
