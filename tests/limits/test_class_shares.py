"""Another population: thresholds, values and limits where classes have given shares."""

import numpy as np
import polars as pl
import pytest

import ordcut
from tests.limits.adversarial_populations import check_populations


@pytest.mark.parametrize("seeds", [range(start, start + 25) for start in (0, 25, 50)])
def test_the_best_thresholds_within_limits_of_a_population(seeds):
    assert sum(check_populations(seed) == 2 for seed in seeds) > 5


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    scores = random.normal(size=2000).round(2)
    labels = np.digitize(scores + random.normal(size=2000), [-1, 1])
    return scores, labels


def test_shares_equal_rows_in_these_numbers(rows):
    scores, labels = rows
    n = np.bincount(labels)
    numbers = np.lcm.reduce(n) // n * np.array([7, 2, 1])
    constraints = ["precision 2 >= 0.5", "share 1 <= 0.2"]
    shares = {0: 0.7, 1: 0.2, 2: 0.1}
    for smoothing in (0, 0.5):
        result = ordcut.optimal_thresholds(
            scores, labels, class_shares=shares, constraints=constraints, smoothing=smoothing
        )
        if smoothing:
            assert result.constraints[0].reached >= 0.5
            continue
        repeated = ordcut.optimal_thresholds(
            scores,
            labels,
            sample_weight=numbers[labels],
            weight_type="repeats",
            constraints=constraints,
        )
        assert result.thresholds.tolist() == repeated.thresholds.tolist()
        assert result.value == pytest.approx(repeated.value, abs=1e-14)
        reached = [outcome.reached for outcome in repeated.constraints]
        assert [outcome.reached for outcome in result.constraints] == pytest.approx(reached)


def test_a_frame_gives_the_result_of_arrays(rows):
    scores, labels = rows
    arguments = {"class_shares": [0.7, 0.2, 0.1], "constraints": ["precision 2 >= 0.5"]}
    expected = ordcut.optimal_thresholds(scores, labels, **arguments)
    frame = pl.LazyFrame({"s": scores, "y": labels})
    result = ordcut.frames.optimal_thresholds(frame, score="s", label="y", **arguments)
    assert result.thresholds.tolist() == expected.thresholds.tolist()
    assert result.value == pytest.approx(expected.value, abs=1e-14)


def test_a_table_of_scores_gives_the_result_of_arrays(rows):
    arguments = {"class_shares": [0.7, 0.2, 0.1], "constraints": ["precision 2 >= 0.5"]}
    result = ordcut.ScoreTable(*rows).solve(**arguments)
    assert result == ordcut.optimal_thresholds(*rows, **arguments)


def test_a_recall_keeps_its_confidence(rows):
    scores, labels = rows
    limit = ["recall 2 >= 0.5 with 95 %"]
    plain, shared = (
        ordcut.optimal_thresholds(scores, labels, constraints=limit, class_shares=shares)
        for shares in (None, [0.7, 0.2, 0.1])
    )
    assert plain.constraints[0].promised == shared.constraints[0].promised


def test_the_result_says_which_population_it_is_for(rows):
    result = ordcut.optimal_thresholds(*rows, class_shares=[0.7, 0.2, 0.1])
    assert "where the shares of the classes are 70 %, 20 %, 10 %." in result.explain()
    low, high = result.bootstrap(n=30).value_interval()
    assert low < result.value < high


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"class_shares": {0: 0.9, 1: 0.1}}, "2 is missing"),
        ({"class_shares": {0: 0.9, 1: 0.1, 7: 0}}, "known classes"),
        ({"class_shares": [0.5, 0.5, 0.5]}, "add up to 1, got 1.5"),
        ({"class_shares": [0.5, 0.6, -0.1]}, "not negative"),
        ({"class_shares": [0.5, 0.3, 0.2], "class_weight": "balanced"}, "Leave out one"),
        ({"class_shares": [0.5, 0.3, 0.2], "objective": "macro_mae"}, "Leave out one"),
        ({"class_shares": [0.5, 0.3, 0.2], "constraints": ["count 1 <= 3"]}, "Limit a share"),
        (
            {"class_shares": [0.5, 0.3, 0.2], "constraints": ["share 1 <= 0.9 with 90 %"]},
            "Limit the recall of a class",
        ),
        (
            {"class_shares": [0.5, 0.3, 0.2], "constraints": ["precision 2 >= 0.1 with 90 %"]},
            "Limit the recall of a class",
        ),
        (
            {"class_shares": [0.5, 0.2, 0.2, 0.1], "classes": [0, 1, 2, 3]},
            "0 for a class without rows",
        ),
    ],
)
def test_what_has_no_meaning_is_refused(rows, options, message):
    with pytest.raises(ValueError, match=message):
        ordcut.optimal_thresholds(*rows, **options)
