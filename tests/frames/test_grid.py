"""Cells of frames are in the order of the scores, at any depth."""

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ordcut.frames import FrameSource
from ordcut.frames.spread import spread_of
from tests.hard_rows import HARD, LABELS

polars = pytest.importorskip("polars")

FINITE = st.floats(allow_nan=False, allow_infinity=False)
FAR = [0.0] * 3 + [-5.617791046444738e307] * 3 + [-5.617791046444739e307]


def check_cells(scores, codes, chosen_share):
    """Compare the cells of a source, and parts of some of them, with the rows one by one."""
    source = FrameSource(polars.DataFrame({"s": scores, "y": codes}), score="s", label="y")
    counted = source.count()
    ordered = np.sort(scores)
    located = counted.at_or_after(ordered)
    assert (np.diff(located) >= 0).all()
    cell = counted.at_or_after(scores)
    for k, counts in enumerate(counted.counts.T):
        own = np.bincount(cell[codes == source.classes[k]], minlength=len(counts))
        assert counts.tolist() == own.tolist()
    random = np.random.default_rng(0)
    chosen = random.random(len(counted.counts)) < chosen_share
    chosen[[0, -1]] = True
    rows = counted.fetch(chosen)
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    assert weights.sum() == counted.counts[chosen].sum()
    parts = counted.split(chosen, rows, is_last=True)
    assert parts.located.tolist() == parts.locate(rows.scores).tolist()
    assert not parts.is_run[parts.located].any()
    assert (np.diff(parts.locate(ordered)) >= 0).all()


@example(scores=FAR, share=1.0)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(scores=st.lists(FINITE, min_size=2, max_size=60), share=st.sampled_from([0.3, 1.0]))
def test_cells_and_their_parts_are_in_the_order_of_any_scores(few_cells, scores, share):
    check_cells(np.array(scores), np.arange(len(scores)) % 2, share)


@given(st.lists(st.floats(-1e307, 1e307), min_size=20, max_size=60))
def test_a_map_of_scores_never_reverses_two_of_them(scores):
    scores = np.sort(scores)
    between = np.concatenate(
        [scores, np.nextafter(scores, np.inf), scores[:-1] + np.diff(scores) / 2]
    )
    assert (np.diff(spread_of(scores).of(np.sort(between.clip(scores[0], scores[-1])))) >= 0).all()


@pytest.mark.parametrize("name", ["log-normal", "negative log-normal", "cauchy"])
def test_a_map_spreads_heavy_tails(name):
    scores = np.sort(HARD[name])
    spread = spread_of(scores)
    values = spread.of(scores)
    share = np.histogram(values, 100, (values[0], values[-1]))[0].max() / len(scores)
    assert 1 <= spread.n_terms <= 8
    assert share < 0.1


@pytest.mark.parametrize("name", list(HARD))
def test_cells_and_their_parts_are_in_the_order_of_hard_scores(few_cells, name):
    check_cells(HARD[name], LABELS, 0.3)
