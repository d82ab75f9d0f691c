"""The best start of a segment for each of its ends, against trying every start."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordcut._core.solvers.best_starts import (
    best_by_level,
    best_in_window,
    best_of_lowest_levels,
    rank_levels,
)
from ordcut._core.solvers.windows import SegmentWindow, _best_starts

pytestmark = pytest.mark.usefixtures("as_python")

SEEDS = range(300)


class Case:
    """A window over few candidates, with values that often tie."""

    def __init__(self, seed):
        random = np.random.default_rng(seed)
        self.n_candidates = n = int(random.integers(2, 12))
        self.starts, self.ends = (
            range(*np.sort(random.choice(n + 1, 2, replace=False)).tolist()) for _ in range(2)
        )
        self.values = random.integers(-3, 3, len(self.starts))
        self.curve = random.integers(-3, 3, len(self.ends))
        self.is_reached = random.random(len(self.starts)) < 0.8
        self.is_open = random.random(len(self.ends)) < 0.8
        self.low, self.high = (np.sort(random.integers(-1, n + 1, len(self.ends))) for _ in "lh")
        self.level = random.integers(0, 4, n)

    def first_best(self, end, *, low=False, high=False, level=False):
        """The first start of least value that an end allows, counted from the first; -1 if none."""
        at = end - self.ends.start
        allowed = [
            start - self.starts.start
            for start in self.starts
            if start <= end
            and (not low or start >= self.low[at])
            and (not high or start <= self.high[at])
            and (not level or self.level[start] <= self.level[end])
            and self.is_reached[start - self.starts.start]
        ]
        return min(allowed, key=lambda one: (self.values[one], one), default=-1)

    def expected(self, **limits):
        starts = [self.first_best(end, **limits) for end in self.ends]
        is_next = [one >= 0 and bool(ok) for one, ok in zip(starts, self.is_open, strict=True)]
        totals = [
            int(self.curve[e] + self.values[one]) if is_next[e] else 0
            for e, one in enumerate(starts)
        ]
        return starts, totals, is_next


@pytest.mark.parametrize("exact", [False, True], ids=["int64", "fractions"])
@pytest.mark.parametrize("level", [False, True], ids=["any level", "levels"])
@pytest.mark.parametrize("high", [False, True], ids=["any high", "high"])
@pytest.mark.parametrize("low", [False, True], ids=["any low", "low"])
def test_the_first_start_of_least_value_is_found_for_each_end(low, high, level, exact):
    for seed in SEEDS:
        case = Case(seed)
        window = SegmentWindow(
            case.starts,
            case.ends,
            case.low if low else None,
            case.high if high else None,
            case.level if level else None,
        )
        values, curve = case.values, case.curve
        if exact:
            third = Fraction(1, 3)
            values, curve = values.astype(object) * third, curve.astype(object) * third
        starts, totals, is_next = _best_starts(values, case.is_reached, window, curve, case.is_open)
        expected = case.expected(low=low, high=high, level=level)
        assert starts.tolist() == expected[0]
        assert (totals * 3 if exact else totals).tolist() == expected[1]
        assert is_next.tolist() == expected[2]


def test_levels_are_ranked_in_their_order_with_the_ends_that_allow_them():
    for seed in SEEDS:
        case = Case(seed)
        order = np.argsort(case.level, kind="stable")
        rank = np.full(len(case.starts), -9)
        top = np.full(len(case.ends), -9)
        first = case.starts.start, case.ends.start
        rank_levels(case.level[order], order, *first, rank, top)
        own = case.level[case.starts.start : case.starts.stop]
        assert rank.tolist() == np.argsort(np.argsort(own, kind="stable")).tolist()
        assert top.tolist() == [(own <= case.level[end]).sum() for end in case.ends]


# Propositions 13 and 14 of docs/theory.md


numbers = st.integers(0, 4)


@st.composite
def moving_windows(draw):
    """Values, which starts are open, windows whose ends do not fall, and where the first end is."""
    m, n_ends = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    offset = draw(st.integers(0, m + 1))
    every = {"min_size": m, "max_size": m}
    values = np.array(draw(st.lists(numbers, **every)))
    is_open = np.array(draw(st.lists(st.booleans(), **every)))
    bounds = st.lists(st.integers(-2, m + 1), min_size=n_ends, max_size=n_ends)
    low, high = (np.sort(draw(bounds)) for _ in range(2))
    return values, is_open, low, high, offset


def allowed_between(low, high, offset, end, m):
    """The starts from low to high that are not after an end."""
    return range(max(0, low), min(high, end + offset, m - 1) + 1)


def first_best(values, starts):
    return min(starts, key=lambda start: (values[start], start), default=-1)


@given(case=moving_windows())
def test_proposition_13_a_queue_finds_the_first_best_start_of_each_window(case):
    values, is_open, low, high, offset = case
    m = len(values)
    result, queue = np.empty(len(low), np.int64), np.empty(m, np.int64)
    best_in_window(values, is_open, low, high, offset, queue, result)
    for end, start in enumerate(result):
        allowed = allowed_between(low[end], high[end], offset, end, m)
        assert start == first_best(values, [s for s in allowed if is_open[s]])


@given(case=moving_windows(), data=st.data())
def test_proposition_14_a_tree_finds_the_first_best_start_of_the_lowest_levels(case, data):
    values, is_open, low, high, offset = case
    m, n_ends = len(values), len(low)
    level = np.array(data.draw(st.lists(numbers, min_size=m, max_size=m)))
    at_end = data.draw(st.lists(numbers, min_size=n_ends, max_size=n_ends))
    rank = np.argsort(np.argsort(level, kind="stable"))
    top = np.array([(level <= one).sum() for one in at_end])
    tree, result = np.full(2 << (m - 1).bit_length(), -1), np.empty(n_ends, np.int64)
    best_by_level(values, is_open, low, high, offset, rank, top, tree, result)
    for end, start in enumerate(result):
        allowed = allowed_between(low[end], high[end], offset, end, m)
        some = [s for s in allowed if is_open[s] and level[s] <= at_end[end]]
        assert start == first_best(values, some)
    least, best = np.empty(m + 1, values.dtype), np.full(m + 1, -1)
    best_of_lowest_levels(values, is_open, high, offset, rank, top, least, best, result)
    for end, start in enumerate(result):
        allowed = allowed_between(0, high[end], offset, end, m)
        some = [s for s in allowed if is_open[s] and level[s] <= at_end[end]]
        assert start == first_best(values, some)
