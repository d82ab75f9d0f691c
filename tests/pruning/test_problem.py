"""What pruning leaves over: all weight, all cuts that can be optimal, and exact sums."""

from fractions import Fraction

import numpy as np
import pytest

import ordcut
from ordcut.data import Rows
from ordcut.exact import ExactCost
from ordcut.pruning import ArraySource, CurveLimit, PrunedRows, halving_order
from ordcut.pruning import bounds as judging
from ordcut.pruning import cells as layout
from ordcut.pruning.bounds import judge_cells
from ordcut.pruning.pruned import count_located, starts_in, sum_runs


@pytest.fixture(autouse=True)
def few_cells(monkeypatch, as_python):
    """Lay out few cells, and run kernels as plain Python."""
    monkeypatch.setattr(layout, "N_COUNTERS", 64)
    monkeypatch.setattr(layout, "LEAST_CELLS", 12)


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
    found = [Fraction(0)] * 3
    for score, code, weight in zip(rows.scores, rows.codes, weights.tolist(), strict=True):
        if score < value or (inclusive and score == value):
            found[code] += Fraction(weight).limit_denominator(10) if weight > 1e-3 else weight
    return found


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
        found = ordcut.optimal_thresholds(rows.scores, rows.codes, method="dp", **options)
        for low, high in found.ranges:
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
            found = problem.exact_weights(left, cuts)
            sums = np.diff(np.array(expected, dtype=object), axis=0).tolist()
            assert found.tolist() == sums
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


@pytest.mark.parametrize("with_weights", [False, True])
def test_soft_rows_in_known_cells_are_added_up(with_weights):
    random = np.random.default_rng(0)
    soft, located = random.random((50, 3)), random.integers(0, 4, 50)
    weights = random.random(50) if with_weights else None
    rows = Rows.read(np.arange(50), soft, weights=weights)
    own = rows.soft if weights is None else rows.soft * weights[:, None]
    expected = np.zeros((6, 3))
    np.add.at(expected, located, own)
    np.testing.assert_allclose(count_located(rows, located, 6), expected)


def test_runs_and_their_starts_are_those_of_one_cell_after_the_other():
    for seed in range(200):
        random = np.random.default_rng(seed)
        n_cells = int(random.integers(1, 8))
        counts, chosen = random.integers(0, 9, (n_cells, 2)), random.random(n_cells) < 0.5
        runs = []
        for c in range(n_cells):
            if not chosen[c]:
                if c == 0 or chosen[c - 1]:
                    runs.append(np.zeros(2, int))
                runs[-1] = runs[-1] + counts[c]
        assert sum_runs(counts, chosen).tolist() == [one.tolist() for one in runs]
        scores = np.sort(random.integers(0, n_cells, random.integers(1, 20)))
        some = np.flatnonzero(chosen)
        found = starts_in(lambda scores: scores, scores, some)
        assert found.tolist() == np.searchsorted(scores, some).tolist()


def test_rows_are_fetched_once_and_more_of_them_only_for_other_costs(monkeypatch):
    rows = draw_rows(0, n=3000)
    problem = PrunedRows(ArraySource(rows))
    fetched = []
    fetch = layout.CountedRows.fetch
    monkeypatch.setattr(
        layout.CountedRows, "fetch", lambda *a: fetched.append(a[1].copy()) or fetch(*a)
    )
    first, again = (problem.rows_for(ExactCost.of(CONVEX)) for _ in range(2))
    assert len(fetched) == 1
    assert again.codes.tolist() == first.codes.tolist()
    problem.rows_for(ExactCost.of(CONVEX * [1, 1, 9]))
    assert np.sum(fetched, axis=0).max() == 1


def draw_cells(seed):
    """Rows in ascending cells, their classes, and the counts of cells, some of which are empty."""
    random = np.random.default_rng(seed)
    n_classes, n_cells = int(random.integers(2, 5)), int(random.integers(1, 9))
    cell_of = np.sort(random.integers(0, n_cells, 25))
    codes = random.integers(0, n_classes, 25)
    is_in_order = random.random(25) < random.random()
    codes = np.where(is_in_order, cell_of * n_classes // n_cells, codes)
    counts = np.zeros((n_cells, n_classes), np.int64)
    np.add.at(counts, (cell_of, codes), 1)
    return random, cell_of, codes, counts


@pytest.mark.parametrize("unit", [1, 0.1], ids=["whole", "rounded"])
def test_cells_next_to_the_first_minima_within_limits_can_hold_a_threshold(unit):
    n_limited = 0
    for seed in range(400):
        random, cell_of, codes, counts = draw_cells(seed)
        n_classes = counts.shape[1]
        values = np.arange(n_classes)
        cost = np.abs(values[:, None] - values) ** int(random.integers(1, 3))
        allowed = np.ones((n_classes - 1, 26), np.bool_)
        limits = []
        for _ in range(random.integers(1, 4)):
            k, which = int(random.integers(n_classes - 1)), random.random(n_classes) < 0.7
            below = np.append(0, np.cumsum(which[codes]))
            least, most = np.sort(random.integers(0, 15, 2)).tolist()
            least, most = (least, None) if random.random() < 0.5 else (None, most)
            if least is not None:
                allowed[k:] &= below >= least
            if most is not None:
                allowed[: k + 1] &= below <= most
            scaled = (None if one is None else one * unit for one in (least, most))
            limits.append(CurveLimit(k, which, *scaled))
        verdict = judge_cells(counts * unit, ExactCost.of(cost), 25, limits)
        assert verdict.can_hold.any()
        assert not verdict.can_hold[~counts.any(axis=1)].any()
        assert (verdict.first == verdict.can_hold).all()
        for curve, is_allowed in zip((cost[:-1] - cost[1:])[:, codes], allowed, strict=True):
            cuts = np.flatnonzero(is_allowed)
            if len(cuts) == 0:
                continue
            n_limited += len(cuts) < 26
            cut = int(cuts[np.argmin(np.append(0, np.cumsum(curve))[cuts])])
            assert verdict.can_hold[cell_of[max(cut - 1, 0) : cut + 1]].all()
    assert n_limited > 200


@pytest.mark.parametrize("unit", [1, 0.25], ids=["whole", "rounded"])
@pytest.mark.parametrize(
    ("least", "most", "cells"),
    [
        (72, None, {6, 7, 8}),
        (70, None, {5, 6, 7}),
        (None, 28, {1, 2, 3}),
        (None, 32, {2, 3, 4}),
        (10, None, {0, 1, 4, 5}),
        (None, 90, {4, 5, 8, 9}),
    ],
)
def test_only_cells_next_to_a_limit_and_to_the_best_allowed_cut_can_hold_a_threshold(
    unit, least, most, cells
):
    counts = np.repeat([[10, 0], [0, 10]], 5, axis=0) * unit
    scaled = (None if one is None else one * unit for one in (least, most))
    limit = CurveLimit(0, np.array([1, 1]), *scaled)
    verdict = judge_cells(counts, ExactCost.of(1 - np.eye(2)), 100, [limit])
    assert set(np.flatnonzero(verdict.can_hold).tolist()) == cells


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


def test_closed_cells_hold_no_threshold():
    for seed in range(50):
        random, _, _, counts = draw_cells(seed)
        n_classes = counts.shape[1]
        is_closed = random.random(len(counts)) < 0.5
        for cost in (np.abs(np.arange(n_classes)[:, None] - np.arange(n_classes)), None):
            given = random.integers(0, 5, (n_classes, n_classes)) if cost is None else cost
            verdict = judge_cells(counts, ExactCost.of(given), 25, (), is_closed)
            assert not (verdict.can_hold & is_closed).any()
            assert not (verdict.first & ~verdict.can_hold).any()


@pytest.mark.parametrize("unit", [1, 0.1, 1e-300], ids=["whole", "rounded", "tiny"])
def test_the_unit_of_weights_does_not_change_which_cells_can_hold_a_threshold(unit):
    n_judged = 0
    for seed in range(150):
        random, _, _, counts = draw_cells(seed)
        n_classes = counts.shape[1]
        cost = ExactCost.of(random.integers(0, 5, (n_classes, n_classes)))
        exact, rounded = (judge_cells(some, cost, 25) for some in (counts, counts * unit))
        assert not (exact.can_hold & ~rounded.can_hold).any()
        if cost.convexity == "no":
            n_judged += not exact.can_hold.all()
            assert exact.can_hold.tolist() == rounded.can_hold.tolist()
            assert exact.first.tolist() == rounded.first.tolist()
    assert n_judged > 20


@pytest.mark.parametrize("most", [1, 2, 3, 128])
def test_simpler_bounds_for_many_decisions_lead_to_the_same_cuts(most, monkeypatch):
    monkeypatch.setattr(judging, "MOST_DECISIONS", most)
    for seed in range(8):
        rows = draw_rows(seed)
        options = {"classes": range(3), "objective": OTHER}
        found, expected = (
            ordcut.optimal_thresholds(rows.scores, rows.codes, method=method, **options)
            for method in ("pruned", "dp")
        )
        assert found.thresholds.tolist() == expected.thresholds.tolist()
