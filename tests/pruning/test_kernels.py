"""What kernels count, fetch and mark, against one line of NumPy or against trying everything."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ordcut
from ordcut._core.numerics.exact import ExactCost
from ordcut._core.numerics.limbs import Limbs
from ordcut._core.pruning import CurveLimit, halving_order
from ordcut._core.pruning.arrays import count_rows, count_soft_rows, fetch_rows
from ordcut._core.pruning.bounds import FIRST_SHARE, bound_paths, judge_cells, mark_near_minima
from ordcut._core.pruning.cells import locate_parts
from ordcut._core.pruning.pruned import add_weights, index_kept
from ordcut._core.pruning.steps import lowest_in_slots
from tests.solvers.ordered_cuts import borders_of_cells, optima_of, whole
from tests.strategies import cost_matrices, problems

pytestmark = pytest.mark.usefixtures("as_python")

#: Kernels take 512 rows at a time.
SIZES = [1, 2, 511, 512, 513, 1300]

NO_SLOTS = np.empty(0, np.uint16)
NO_SCORES = np.empty(0)

#: Weights are added up as they are, and not by limbs.
AS_THEY_ARE = 0, 1.0, 1.0


class Case:
    """Scores on both sides of a table of slots, and some of them on its borders."""

    def __init__(self, n, dtype=np.float64, n_slots=7, n_classes=3):
        random = np.random.default_rng(n)
        self.low, self.scale = dtype(-1.5), dtype(2)
        self.scores = random.integers(-12, 12, n).astype(dtype) / dtype(4)
        self.scores[: n // 2] += random.random(n // 2).astype(dtype)
        self.scores[-1] = 99
        self.codes = random.integers(0, n_classes, n).astype(np.uint8)
        self.weights = random.integers(1, 9, n)
        self.soft = random.integers(0, 5, (n, n_classes))
        self.cell_of = np.array([0, 0, 1, 2, 2, 3, 3])[:n_slots]
        self.base_of = (self.cell_of * n_classes).astype(np.uint32)
        self.table = self.low, self.scale
        self.slots = np.clip((self.scores - self.low) * self.scale, 0, n_slots - 1).astype(int)
        self.n_classes, self.n_slots = n_classes, n_slots

    def counts(self, rows):
        """The weights of each cell and class, given those of each row and class."""
        counts = np.zeros((self.cell_of[-1] + 1, self.n_classes), rows.dtype)
        np.add.at(counts, self.cell_of[self.slots], rows)
        return counts.ravel().tolist()


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("slots", ["not stored", "stored", "given"])
def test_rows_are_counted_by_cell_and_class(n, dtype, is_weighted, slots):
    case = Case(n, dtype)
    weights = case.weights if is_weighted else np.ones(n, np.int64)
    given = (weights, 1) if is_weighted else (np.ones(1, np.int64), 0)
    one_hot = np.eye(case.n_classes, dtype=np.int64)[case.codes]
    for labels, rows, count, common in [
        (case.codes, one_hot, count_rows, (NO_SCORES, 3)),
        (case.soft, case.soft, count_soft_rows, ()),
    ]:
        counts = np.zeros(len(case.counts(rows)) + 1, np.int64)
        located = np.zeros(0 if slots == "not stored" else n, np.uint16)
        table = case.table
        if slots == "given":
            located[:], table = case.slots, (dtype(0), dtype(0))
        table = *table, case.base_of, *common
        count(case.scores, labels, *given, *AS_THEY_ARE, *table, located, slots == "given", counts)
        assert counts.tolist() == [*case.counts(rows * weights[:, None]), 0]
        assert located.tolist() == ([] if slots == "not stored" else case.slots.tolist())


@pytest.mark.parametrize("is_weighted", [False, True])
def test_a_slot_with_a_common_score_has_a_cell_for_it_and_one_on_either_side(is_weighted):
    case = Case(1300)
    weights = case.weights if is_weighted else np.ones(1300, np.int64)
    given = (weights, 1) if is_weighted else (np.ones(1, np.int64), 0)
    first_cell = np.array([0, 1, 4, 5, 6, 7, 8])
    common = np.full(7, np.nan)
    common[1], common[6] = -0.75, 2.0
    side = (case.scores >= common[case.slots]).astype(int) + (case.scores > common[case.slots])
    expected = np.zeros((11, 3), np.int64)
    np.add.at(expected, (first_cell[case.slots] + side, case.codes), weights)
    counts = np.zeros(34, np.int64)
    table = *case.table, (3 * first_cell).astype(np.uint32), common, 3
    count_rows(case.scores, case.codes, *given, *AS_THEY_ARE, *table, NO_SLOTS, False, counts)
    assert counts[:-1].tolist() == expected.ravel().tolist()
    assert expected[[1, 2, 3, 8, 9, 10]].any(axis=1).all()


@pytest.mark.parametrize("has_common", [False, True])
def test_fractional_weights_are_counted_by_their_limbs(has_common):
    case = Case(1300)
    weights = np.random.default_rng(0).random(1300)
    common = np.full(7, np.nan) if has_common else NO_SCORES
    first_cell, side = np.arange(7), 0
    if has_common:
        first_cell, common[1] = np.array([0, 1, 4, 5, 6, 7, 8]), -0.75
        side = (case.scores >= common[case.slots]).astype(int) + (case.scores > common[case.slots])
    limbs = Limbs.of(weights)
    split = limbs.split(weights)
    expected = np.zeros((11, 3, limbs.n_limbs), np.int64)
    np.add.at(expected, (first_cell[case.slots] + side, case.codes), split)
    counts = np.zeros(expected.size + 1, np.int64)
    by = limbs.n_limbs, *limbs.factors
    table = *case.table, (3 * first_cell).astype(np.uint32), common, 3
    count_rows(case.scores, case.codes, weights, 1, *by, *table, NO_SLOTS, False, counts)
    assert counts[:-1].tolist() == expected.ravel().tolist()
    soft = np.random.default_rng(1).random((1300, 3))
    expected = np.zeros((11, 3, limbs.n_limbs), np.int64)
    np.add.at(expected, first_cell[case.slots], limbs.split(soft))
    counts[:] = 0
    ones = np.ones(1), 0
    count_soft_rows(case.scores, soft, *ones, *by, *table[:3], NO_SLOTS, False, counts)
    assert counts[:-1].tolist() == expected.ravel().tolist()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_scores_that_are_not_finite_are_counted_apart(bad):
    case = Case(1300)
    case.scores[[3, 600, 601]] = bad
    counts = np.zeros(len(case.counts(case.soft)) + 1, np.int64)
    ones = np.ones(1, np.int64), 0, *AS_THEY_ARE
    for slots, is_located in ((NO_SLOTS, False), (np.zeros(1300, np.uint16), True)):
        counts[:] = 0
        table = *case.table, case.base_of, NO_SCORES, 3
        count_rows(case.scores, case.codes, *ones, *table, slots, is_located, counts)
        assert counts[-1] == 3
        assert counts[:-1].sum() == 1300


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_each_slot_has_its_lowest_score(dtype):
    case = Case(600, dtype)
    case.scores = case.scores[case.slots != 4]
    lowest = np.full(case.n_slots, np.inf)
    lowest_in_slots(case.scores, *case.table, lowest)
    slots = case.slots[case.slots != 4]
    expected = [min(case.scores[slots == s].tolist(), default=np.inf) for s in range(case.n_slots)]
    assert lowest.tolist() == expected
    assert lowest[4] == np.inf


@pytest.mark.parametrize("is_weighted", [False, True])
def test_rows_in_known_cells_are_counted(is_weighted):
    case = Case(600)
    weights = case.weights if is_weighted else np.ones(600, np.int64)
    counts = np.zeros((4, 3), np.int64)
    some = (weights, 1) if is_weighted else (np.ones(1, np.int64), 0)
    add_weights(case.cell_of[case.slots].astype(np.int32), case.codes, *some, counts)
    assert counts.ravel().tolist() == case.counts(
        np.eye(3, dtype=int)[case.codes] * weights[:, None]
    )


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("is_located", [False, True])
@pytest.mark.parametrize("with_codes", [False, True])
@pytest.mark.parametrize("with_indices", [False, True])
def test_rows_of_wanted_slots_are_fetched_except_the_commonest_scores(
    n, is_located, with_codes, with_indices
):
    case = Case(n)
    is_wanted = np.array([1, 0, 1, 0, 0, 1, 1], np.uint8)
    commonest = np.array([-1.5, np.nan, 0.0, 0.5, 0.75, np.nan, 99.0])
    located = case.slots.astype(np.uint16) if is_located else NO_SLOTS
    codes = case.codes if with_codes else np.full(1, 7, np.uint8)
    for common in (np.empty(0), commonest):
        kept = is_wanted[case.slots] == 1
        if len(common):
            kept &= case.scores != common[case.slots]
        indices = np.empty(n if with_indices else 0, np.uint32)
        scores, some_codes, n_found = np.empty(n), np.empty(n, np.uint8), np.zeros(1, np.int64)
        result = indices, scores, some_codes, n_found
        table = *case.table, located, is_wanted, common
        fetch_rows(case.scores, codes, int(with_codes), *table, *result)
        size = int(n_found[0])
        assert size == kept.sum()
        assert scores[:size].tolist() == case.scores[kept].tolist()
        expected = case.codes[kept].tolist() if with_codes else [7] * size
        assert some_codes[:size].tolist() == expected
        if with_indices:
            assert indices[:size].tolist() == np.flatnonzero(kept).tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_parts", [1, 2, 5])
def test_parts_divide_a_slot_into_equal_lengths(dtype, n_parts):
    first_part = np.array([4, 10, 20, 30], np.int32)
    within = np.arange(0, 1, 1 / 64)
    slots = np.repeat(np.arange(4), 64)
    scores = (slots + np.tile(within, 4)).astype(dtype) * dtype(0.5) - dtype(3)
    located = np.empty(len(scores), np.int32)
    parts = np.full(4, n_parts, np.int32)
    locate_parts(scores, dtype(-3), dtype(2), scores[:0], first_part, parts, located)
    is_inside = (slots < 3) | (np.tile(within, 4) == 0)  # beyond the last slot, scores are clipped
    expected = first_part[slots] + (np.tile(within, 4) * n_parts).astype(int)
    assert located[is_inside].tolist() == expected[is_inside].tolist()
    assert (located[~is_inside] == 30).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_last_score_of_a_slot_is_in_its_last_part(dtype):
    scores = np.nextafter(np.array([1, 2], dtype), dtype(0))
    for n_parts in range(1, 33):
        located = np.empty(2, np.int32)
        table = dtype(0), dtype(1), scores[:0], np.array([0, 40, 80], np.int32)
        locate_parts(scores, *table, np.full(3, n_parts, np.int32), located)
        assert located.tolist() == [n_parts - 1, 40 + n_parts - 1]


def test_indices_of_rows_in_kept_cells_are_written_in_order():
    case = Case(600)
    is_kept = np.array([True, False, False, True])
    indices, n_found = np.empty(601, np.uint32), np.zeros(1, np.int64)
    located = case.cell_of[case.slots].astype(np.int32)
    index_kept(located, is_kept, indices, n_found)
    expected = np.flatnonzero(is_kept[located])
    assert indices[: n_found[0]].tolist() == expected.tolist()


def cells_of_one_curve(seed):
    """Weights of cells, some of them empty, and what a row of each class changes."""
    random = np.random.default_rng(seed)
    n_cells, n_classes = int(random.integers(1, 9)), int(random.integers(2, 4))
    counts = random.integers(0, 3, (n_cells, n_classes)) * (random.random((n_cells, 1)) < 0.7)
    return counts, random.integers(-3, 4, (1, n_classes))


def next_to(border, has_rows):
    """The last cell with rows before a border, and the first one after it."""
    filled = np.flatnonzero(has_rows).tolist()
    before, after = [c for c in filled if c < border], [c for c in filled if c >= border]
    return {*before[-1:], *after[:1]}


@pytest.mark.parametrize("slack", [0, 1, 2])
@pytest.mark.parametrize("unit", [1, 0.25])
def test_cells_are_marked_where_a_curve_can_be_lowest(slack, unit):
    slack *= unit
    for seed in range(300):
        counts, gain = cells_of_one_curve(seed)
        gain = gain * unit
        has_rows = counts.any(axis=1)
        changes = counts * gain[0]
        border = np.append(0, np.cumsum(changes.sum(axis=1)))
        is_single = np.random.default_rng(seed).random(len(counts)) < 0.3
        falls = np.where(is_single, np.minimum(changes.sum(axis=1), 0), 0)
        falls[~is_single] = np.minimum(changes, 0).sum(axis=1)[~is_single]
        floor = border[:-1] + falls
        most, where = border.min() + slack, int(np.argmin(border))
        near = [where] if slack == 0 else np.flatnonzero(border <= most).tolist()
        expected = set().union(*(next_to(b, has_rows) for b in near))
        for c in np.flatnonzero(has_rows).tolist():
            if floor[c] < most or (floor[c] == most and (slack > 0 or c < where)):
                expected.add(c)
        chosen = np.zeros(len(counts), np.bool_)
        order, slacks = halving_order(1), np.full(1, slack)
        mark_near_minima(counts, has_rows, is_single, gain, order, slacks, chosen)
        assert set(np.flatnonzero(chosen & has_rows).tolist()) == expected


@pytest.mark.parametrize("unit", [1, 0.1], ids=["whole", "rounded"])
def test_cells_next_to_every_first_minimum_of_convex_costs_are_marked(unit):
    for seed in range(400):
        random = np.random.default_rng(seed)
        n_classes, n_cells = int(random.integers(3, 7)), int(random.integers(2, 9))
        cell_of = np.sort(random.integers(0, n_cells, 30))
        codes = random.integers(0, n_classes, 30)
        is_in_order = random.random(30) < random.random()
        codes = np.where(is_in_order, cell_of * n_classes // n_cells, codes)
        values = np.arange(n_classes)
        cost = np.abs(values[:, None] - values) ** int(random.integers(1, 3))
        counts = np.zeros((n_cells, n_classes), np.int64)
        np.add.at(counts, (cell_of, codes), 1)
        chosen = judge_cells(counts * unit, ExactCost.of(cost), 30).can_hold
        for curve in np.cumsum((cost[:-1] - cost[1:])[:, codes], axis=1):
            cut = int(np.argmin([0, *curve]))
            neighbours = {*cell_of[max(cut - 1, 0) : cut], *cell_of[cut : cut + 1]}
            assert chosen[list(neighbours)].all()
        assert not chosen[~counts.any(axis=1)].any()


def bounds_by_trying_all(counts, cost, is_closed, is_single):
    """For each cell, the least bound of all labelings that change inside of it; and of all."""

    def cost_of(c, a, b):
        if is_single[c]:
            return min(counts[c] @ cost[d] for d in range(a, b + 1))
        return counts[c] @ cost[a : b + 1].min(axis=0)

    n_cells, n_decisions = len(counts), len(cost)
    inside, least, at_borders = np.full(n_cells, np.inf), np.inf, np.inf
    for path in product(range(n_decisions), repeat=n_cells + 1):
        steps = list(pairwise(path))
        if any(a > b for a, b in steps):
            continue
        at_borders = min(at_borders, sum(counts[c] @ cost[d] for c, d in enumerate(path[1:])))
        if any(a < b and is_closed[c] for c, (a, b) in enumerate(steps)):
            continue
        total = sum(cost_of(c, a, b) for c, (a, b) in enumerate(steps))
        least = min(least, total)
        for c, (a, b) in enumerate(steps):
            if a < b:
                inside[c] = min(inside[c], total)
    return inside, least, at_borders


@pytest.mark.parametrize("slack", [0.0, 2.0])
def test_bounds_of_cells_are_the_least_of_all_labelings_that_change_there(slack):
    for seed in range(120):
        random = np.random.default_rng(seed)
        n_cells, n_classes = int(random.integers(1, 5)), int(random.integers(2, 4))
        n_decisions = int(random.integers(2, 4))
        counts = random.integers(0, 4, (n_cells, n_classes)).astype(float)
        cost = random.integers(0, 4, (n_decisions, n_classes)).astype(float)
        is_closed, is_single = random.random((2, n_cells)) < 0.3
        least_cost = np.zeros((n_decisions, n_decisions, n_classes))
        for a, b in product(range(n_decisions), repeat=2):
            least_cost[a, b] = cost[a : b + 1].min(axis=0) if a <= b else 0
        lowest, ends = np.empty(n_cells), np.empty(3)
        cells = is_closed, is_single
        bound_paths(counts, cost, least_cost, *cells, slack, 10**9, lowest, ends)
        inside, least, most = bounds_by_trying_all(counts, cost, *cells)
        if least > most + slack:
            least = np.inf  # closed cells leave nothing
        is_near = inside <= most + slack
        assert ends[:2].tolist() == [least, most]
        assert lowest[is_near].tolist() == inside[is_near].tolist()
        assert (lowest[~is_near] > most + slack).all()
        assert (lowest[is_closed] == np.inf).all()


def test_bounds_that_take_too_many_steps_rule_out_no_cell():
    counts, cost = np.ones((4, 3)), 1 - np.eye(3)
    least_cost, lowest, ends = np.zeros((3, 3, 3)), np.zeros(4), np.zeros(3)
    cells = np.zeros((2, 4), np.bool_)  # neither closed nor of a single score
    bound_paths(counts, cost, least_cost, *cells, 0.0, 3, lowest, ends)
    assert (lowest == -np.inf).all()
    random = np.random.default_rng(0)
    scores, labels = random.normal(size=300), random.integers(0, 60, 300)
    options = {"objective": "zero_one", "classes": range(60)}
    pruned = ordcut.optimal_thresholds(scores, labels, method="pruned", **options)
    quick = ordcut.optimal_thresholds(scores, labels, method="zero_one", **options)
    assert pruned.thresholds.tolist() == quick.thresholds.tolist()


def test_cells_whose_bound_is_near_the_least_are_looked_into_first():
    n_judged = 0
    for seed in range(120):
        random = np.random.default_rng(seed)
        n_cells, n_classes = int(random.integers(1, 6)), int(random.integers(3, 5))
        counts = random.integers(0, 4, (n_cells, n_classes))
        cost = random.integers(0, 4, (n_classes, n_classes))
        exact = ExactCost.of(cost)
        if exact.convexity != "no" or not counts.any():
            continue
        verdict = judge_cells(counts, exact, int(counts.sum()))
        no_cells = np.zeros((2, n_cells), np.bool_)
        inside, least, most = bounds_by_trying_all(counts, cost, *no_cells)
        can_hold = counts.any(axis=1) & (inside <= most)
        near = least + FIRST_SHARE / (n_classes - 1) * (most - least)
        assert verdict.can_hold.tolist() == can_hold.tolist()
        assert verdict.first.tolist() == (can_hold & (inside <= near)).tolist()
        n_judged += bool((verdict.first != can_hold).any())
    assert n_judged > 3


# Which cells can hold a threshold


@given(problem=problems(most_rows=14, most_scores=7), data=st.data())
def test_proposition_5b_bounds_of_cells_are_never_above_an_optimum_with_a_change_there(
    problem, data
):
    cost = data.draw(cost_matrices(problem.n_classes))
    borders = data.draw(borders_of_cells(problem.n_scores))
    counts = np.zeros((len(borders) - 1, problem.n_classes), np.int64)
    for j, truth, weight in problem.rows:
        counts[np.searchsorted(borders, j, "right") - 1, truth] += weight
    exact = ExactCost.of(np.array(cost, float))
    assume(exact.convexity == "no")
    verdict = judge_cells(counts, exact, len(problem.rows))
    assert not (verdict.first & ~verdict.can_hold).any()
    has_rows = counts.any(axis=1)
    for cuts in optima_of(problem, whole(cost)):
        for cut in cuts:
            for cell, (left, right) in enumerate(pairwise(borders)):
                if has_rows[cell] and left <= cut <= right and 0 < cut < problem.n_scores:
                    assert verdict.can_hold[cell]


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
