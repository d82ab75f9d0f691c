"""The best candidates that windows allow, against trying all of them in fractions."""

from fractions import Fraction
from itertools import combinations_with_replacement, pairwise

import numpy as np
import pytest

from ordcut._core.data import Rows
from ordcut._core.numerics.exact import ExactCost
from ordcut._core.solvers import SegmentWindow, Windows, best_candidates, is_feasible

pytestmark = pytest.mark.usefixtures("as_python")


def draw_windows(random, n_rows, n_decisions):
    """Return candidates of which some are the same cut, and limits of every kind on them."""
    inner = np.sort(random.integers(0, n_rows + 1, random.integers(0, 6)))
    cuts = np.concatenate([[0], inner, [n_rows]])
    m = len(cuts)
    bounds = np.sort(random.integers(0, m + 1, (2, n_decisions - 1)), axis=1)
    if random.random() < 0.7:
        bounds = np.repeat([[0], [m]], n_decisions - 1, axis=1)
    own = [range(low, high) for low, high in bounds.T.tolist()]
    segments = []
    for starts, ends in pairwise([range(1), *own, range(m - 1, m)]):
        low, high = (np.sort(random.integers(-1, m + 1, len(ends))) for _ in "lh")
        low, high = low.clip(0, m), high.clip(-1, m - 1)
        level = random.integers(0, 4, m)
        level[-1] = 3
        has = random.random(3) < 0.4
        segments.append(
            SegmentWindow(
                starts,
                ends,
                low // 2 if has[0] else None,
                (high + m) // 2 if has[1] else None,
                level if has[2] else None,
                int(random.integers(-1, 2)),
            )
        )
    is_open = [random.random(len(some)) < 0.9 for some in own]
    return Windows(cuts, is_open, segments)


def allows(window, start, end):
    if start not in window.starts or end not in window.ends or start > end:
        return False
    at = end - window.ends.start
    return (
        (window.low is None or start >= window.low[at])
        and (window.high is None or start <= window.high[at])
        and (window.level is None or window.level[start] + window.rise <= window.level[end])
    )


def every_choice(windows):
    """Return every choice of candidates that windows allow."""
    m = len(windows.cuts)
    choices = []
    for chosen in combinations_with_replacement(range(m), len(windows.is_open)):
        steps = zip(windows.segments, pairwise([0, *chosen, m - 1]), strict=True)
        is_open = all(
            one in some and is_open[one - some.start]
            for one, some, is_open in zip(chosen, windows.ranges, windows.is_open, strict=True)
        )
        if is_open and all(allows(segment, *both) for segment, both in steps):
            choices.append(chosen)
    return choices


def paid(rows, weights, cost, cuts):
    """Return the cost of cuts, row by row."""
    labels = np.searchsorted(cuts, np.arange(len(rows.codes)), "right")
    return sum(
        int(cost[label, truth]) * weight
        for label, truth, weight in zip(labels, rows.codes, weights, strict=True)
    )


@pytest.mark.parametrize("kind", ["plain", "whole", "thirds", "tiny", "large costs"])
def test_the_best_of_all_choices_that_windows_allow_is_found(kind):
    n_found = 0
    for seed in range(150):
        random = np.random.default_rng(seed)
        n, n_classes, n_decisions = (
            int(random.integers(*some)) for some in [(1, 9), (2, 4), (2, 5)]
        )
        cost = random.integers(0, 4, (n_decisions, n_classes))
        weights = {
            "plain": np.ones(n),
            "whole": random.integers(1, 4, n),
            "thirds": random.integers(1, 4, n) / 3,
            "tiny": np.where(random.random(n) < 0.5, 2.0**-60, 1.0) * random.integers(1, 3, n),
            "large costs": random.integers(1, 4, n),
        }[kind]
        exact = [Fraction(weight) for weight in weights.tolist()]
        if kind == "thirds":
            exact = [one.limit_denominator(3) for one in exact]
        rows = Rows.read(
            np.arange(n),
            random.integers(0, n_classes, n),
            classes=range(n_classes),
            weights=None if kind == "plain" else weights,
        ).sorted()
        windows = draw_windows(random, n, n_decisions)
        factor = 10**30 if kind == "large costs" else 1
        scaled = ExactCost.of(cost.astype(object) * factor + (factor > 1))
        result = best_candidates(rows, scaled, windows, n, rows.exact_between)
        every = every_choice(windows)
        assert is_feasible(windows) == bool(every)
        if not every:
            assert result is None
            continue
        n_found += 1
        totals = [paid(rows, exact, cost, windows.cuts[list(one)]) for one in every]
        best = [one for one, total in zip(every, totals, strict=True) if total == min(totals)]
        assert tuple(result.tolist()) == min(best, key=lambda one: one[::-1])
    assert n_found > 50


def test_windows_allow_the_choices_that_keep_each_of_their_limits():
    for seed in range(100):
        random = np.random.default_rng(seed)
        windows = draw_windows(random, 8, int(random.integers(2, 5)))
        every = set(every_choice(windows))
        candidates = np.indices((len(windows.cuts),) * len(windows.is_open))
        for chosen, is_allowed in zip(
            candidates.reshape(len(candidates), -1).T.tolist(),
            windows.allow(*candidates).ravel().tolist(),
            strict=True,
        ):
            assert is_allowed == (tuple(chosen) in every)


def test_windows_of_rows_in_reverse_order_and_back_are_the_same():
    for seed in range(100):
        random = np.random.default_rng(seed)
        windows = draw_windows(random, 8, int(random.integers(2, 5)))
        back = windows.mirrored()
        assert (back.cuts + windows.cuts[::-1]).tolist() == [8] * len(windows.cuts)
        mirrored = {tuple(len(back.cuts) - 1 - c for c in one[::-1]) for one in every_choice(back)}
        assert mirrored == set(every_choice(windows))
        again = back.mirrored()
        assert again.cuts.tolist() == windows.cuts.tolist()
        assert again.ranges == windows.ranges
