"""The table of sorted scores: its distinct scores, candidates and sums of losses."""

import numpy as np
import pytest

import ordcut

LABELS = np.array([2, 0, 1, 1, 0, 2, 2, 0])
SCORES = np.array([3.0, 1.0, 2.0, 1.0, 1.0, 3.0, 5.0, 2.0])


@pytest.mark.parametrize(
    "weights",
    [None, np.arange(8), np.arange(8) / 10 + 0.05, np.sqrt(np.arange(8)), np.arange(8) * 1e80],
)
@pytest.mark.parametrize("n_jobs", [None, 1, 2, 3, 9])
def test_losses_of_each_score_are_added_up_over_its_rows(weights, n_jobs):
    table = ordcut.ScoreTable(SCORES, LABELS, sample_weight=weights)
    cost = np.array([[0, 3, 1], [2, 0, 2], [1, 5, 0]])
    own = np.ones(8) if weights is None else weights
    expected = [
        (cost[:, LABELS[score == SCORES]] * own[score == SCORES]).sum(axis=1)
        for score in table.scores
    ]
    np.testing.assert_allclose(table.loss_sums(cost, n_jobs=n_jobs), expected)
    np.testing.assert_allclose(table.totals, np.bincount(LABELS, own))


def test_a_table_describes_itself_and_its_candidates():
    table = ordcut.ScoreTable(SCORES, LABELS)
    assert repr(table) == "ScoreTable(8 rows, 4 distinct scores, 3 classes)"
    assert table.scores.tolist() == [1, 2, 3, 5]
    assert table.candidates.tolist() == [-np.inf, 1.5, 2.5, 4, np.inf]
    assert table.totals.tolist() == [3, 2, 3]
    assert table.classes.tolist() == [0, 1, 2]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_candidates_separate_scores_that_are_neighbours_in_their_precision(dtype):
    low = dtype(1)
    high = np.nextafter(low, dtype(2))
    candidate = ordcut.ScoreTable(np.array([low, high]), [0, 1]).candidates[1]
    assert low < dtype(candidate) <= high


@pytest.mark.parametrize("method", ["auto", "dp", "io", "blocks"])
def test_a_table_solves_with_the_options_of_a_call(method):
    table = ordcut.ScoreTable(SCORES, LABELS)
    options = {"class_weight": {0: 1, 1: 4, 2: 1}, "n_jobs": 2, "block_size": 3}
    result = table.solve("squared", method, **options)
    expected = ordcut.optimal_thresholds(
        SCORES, LABELS, objective="squared", method=method, **options
    )
    assert result == expected
    for wrong in ({"n_jobs": 0}, {"block_size": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            table.solve("squared", method, **wrong)
