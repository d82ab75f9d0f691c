"""Scores are labelled a stretch at a time, as if they were labelled at once."""

import numpy as np
import pytest

import ordcut

#: Scores are labelled this many at a time.
STRETCH = 1 << 15

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


def test_infinite_scores_are_no_part_of_the_complaint_about_a_nan():
    with pytest.raises(ValueError, match=r"must not be NaN, got nan at position 1 \(1 of 3 in"):
        RULE.predict([np.inf, np.nan, -np.inf])


@pytest.mark.parametrize("n_thresholds", [1, 2, 16, 17, 300])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64])
def test_codes_count_the_thresholds_at_or_below_a_score_however_many_there_are(n_thresholds, dtype):
    random = np.random.default_rng(n_thresholds)
    scores = (4 * random.normal(size=500)).astype(dtype)
    # Many of them at a score, and next to one where only float64 tells them apart.
    thresholds = np.sort(random.choice(scores, n_thresholds).astype(np.float64))
    thresholds[::3] = np.nextafter(thresholds[::3], np.inf)
    thresholds = np.sort(thresholds)
    rule = ordcut.Thresholds.from_values(thresholds, range(n_thresholds + 1))
    expected = [sum(t <= float(score) for t in thresholds.tolist()) for score in scores]
    assert rule.codes(scores).tolist() == expected
    assert rule.predict(scores).tolist() == expected
