"""Scores are labelled a stretch at a time, as if they were labelled at once."""

import numpy as np
import pytest

import ordcut
from ordcut.thresholds.codes import STRETCH

RULE = ordcut.Thresholds.from_values([-np.inf, 0.25, 0.5, np.inf], ["a", "b", "c", "d", "e"])


@pytest.mark.parametrize("n", [0, 1, STRETCH - 1, STRETCH, 2 * STRETCH + 1])
def test_any_number_of_scores_gets_the_labels_of_a_search(n):
    scores = np.random.default_rng(n).normal(size=n)
    scores[::7] = 0.25
    scores[::11] = np.inf
    codes = np.sum(scores[:, None] >= RULE.thresholds[None, :3], axis=1)
    assert (RULE.codes(scores) == codes).all()
    assert (RULE.predict(scores) == RULE.classes[codes]).all()
    assert RULE.predict(scores).dtype == RULE.classes.dtype


def test_a_nan_is_reported_where_it_is():
    scores = np.zeros(3 * STRETCH)
    scores[2 * STRETCH + 5] = np.nan
    with pytest.raises(ValueError, match=f"got nan at position {2 * STRETCH + 5} "):
        RULE.predict(scores)
