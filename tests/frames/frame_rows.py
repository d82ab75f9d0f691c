"""Rows that tests of frames share, and what it means that two results are the same."""

import numpy as np

from tests.hard_rows import LABELS, N

SCORES = (LABELS + np.random.default_rng(5).normal(size=N)).astype(np.float32)


def assert_same(result, expected):
    assert result.thresholds.tolist() == expected.thresholds.tolist()
    assert result.ranges.tolist() == expected.ranges.tolist()
    assert result.value == expected.value
    assert result.classes.tolist() == expected.classes.tolist()
