"""Cells of frames are in the order of the scores, at any depth."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from ordcut.data import Rows
from ordcut.frames.grid import (
    ArrayBackend,
    NestedCells,
    Root,
    Window,
    Zoom,
    descend,
    enter,
    first_cells,
)
from ordcut.frames.source import CountedFrame

FINITE = st.floats(allow_nan=False, allow_infinity=False)


FAR = [0.0] * 3 + [-5.617791046444738e307] * 3 + [-5.617791046444739e307]


@example(scores=FAR, n_cells=10)
@given(scores=st.lists(FINITE, min_size=1, max_size=60), n_cells=st.integers(8, 64))
def test_cells_and_their_parts_are_in_the_order_of_the_scores(scores, n_cells):
    scores = np.sort(np.array(scores))
    root = first_cells(scores[::3], n_cells)
    backend = ArrayBackend()
    with np.errstate(over="ignore", invalid="ignore"):
        location = enter(root, scores, backend)
    is_inside = root.is_inside(scores)
    key = np.where(is_inside, location.key, root.end_of(scores, backend))
    assert (np.diff(key) >= 0).all()
    assert set(key[~is_inside]) <= set(root.ends)
    assert (key[is_inside] < root.ends[1]).all()
    assert (key[is_inside] > root.ends[0]).all()
    with np.errstate(over="ignore", invalid="ignore"):
        parts = descend(Zoom(8, 8), location, scores, backend).key[is_inside]
    assert (np.diff(parts) >= 0).all()
    assert (parts // 8 == key[is_inside]).all()


@given(low=FINITE, high=FINITE, most_parts=st.integers(4, 1024))
def test_windows_have_about_as_many_parts_as_asked_for(low, high, most_parts):
    low, high = sorted([low, high])
    window = Window.over(low, high, most_parts)
    assert 1 <= window.n_parts <= most_parts
    parts = np.floor(window.part_of(np.array([low, high])))
    assert parts.tolist() == [0, window.n_parts - 1]


def test_rows_are_located_at_any_depth():
    # Cell 1 of three is split into two parts; scores in front of the window go to the lower end.
    root = Root((), (Window(0.0, 2.5, 1.0),))
    depth, key = np.array([0, 0, 1, 1, 0]), np.array([-1, 0, 2, 3, 2])
    unknown = np.full(5, np.nan)
    cells = NestedCells(root, (Zoom(2, 2),), depth, key, np.ones(5, int), unknown, unknown)
    scores = np.array([-7.0, 0.5, 1.25, 1.5, 1.75, 2.0])
    assert cells.locate(scores).tolist() == [0, 1, 2, 3, 3, 4]
    counted = CountedFrame(None, cells, np.ones((5, 2)), np.zeros(5, bool))
    rows = Rows(scores, np.arange(2), np.zeros(6, int))
    parts = counted.split(np.array([False, False, True, False, False]), rows)
    assert parts.is_run.tolist() == [True, False, True]
    assert parts.located.tolist() == parts.locate(scores).tolist() == [0, 0, 1, 2, 2, 2]
    assert cells.ancestors(np.array([2, 3]), 0).tolist() == [1]


def test_cells_of_several_windows_are_not_widened():
    skewed = first_cells(np.exp(np.arange(1000.0) / 50), 100)
    assert len(skewed.windows) > 1
    assert skewed.widened() is None
    even = first_cells(np.arange(1000.0), 100).widened()
    assert even.is_whole
    assert even.windows[0].low < 0 < 999 < even.windows[0].high
