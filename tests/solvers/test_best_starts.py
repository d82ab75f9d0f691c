"""The best start of a segment for each of its ends, against trying every start."""

from fractions import Fraction

import numpy as np
import pytest

from ordcut.solvers.best_starts import rank_levels
from ordcut.solvers.windows import SegmentWindow, _best_starts

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
