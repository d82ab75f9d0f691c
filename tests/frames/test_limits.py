"""Decisions and constraints in engines: what the arrays give, bit for bit, in few passes."""

import numpy as np
import pytest

import ordcut
from ordcut import frames
from ordcut._core.data import Rows
from tests.frames.frame_rows import SCORES, assert_same
from tests.hard_rows import HARD, LABELS, N
from tests.tables import OBJECTIVES

K = int(LABELS.max()) + 1
MIDDLE = K // 2
SINGLE = [
    [ordcut.Under(MIDDLE, at_most=0.05)],
    [ordcut.Over(MIDDLE, at_most=0.02), ordcut.Under(1, at_most=0.1)],
    [ordcut.Fixed(0, 0.75)],
    [ordcut.Between(MIDDLE, 1.0, 1.5), ordcut.Under(1, at_most=0.01)],
]
OTHERS = [
    [ordcut.Recall(MIDDLE, at_least=0.7)],
    [ordcut.Share(0, at_most=0.1), ordcut.Digits(4)],
    [ordcut.Precision(1, at_least=0.6), ordcut.Gap(at_least=0.5)],
]


def both(frame, constraints, **options):
    free = frames.optimal_thresholds(frame, score="s", label="y", **options)
    result = frames.optimal_thresholds(
        frame, score="s", label="y", constraints=constraints, **options
    )
    return free, result


@pytest.mark.parametrize("constraints", SINGLE, ids=str)
def test_limits_on_single_thresholds_take_at_most_one_pass_more(
    quick_frames_of, few_cells, constraints
):
    frame = quick_frames_of(s=SCORES, y=LABELS)
    expected = ordcut.optimal_thresholds(SCORES, LABELS, constraints=constraints)
    free, result = both(frame, constraints, max_rows=N // 2)  # so that not all can be taken out
    assert_same(result, expected)
    assert result.passes <= free.passes + 1
    assert result.thresholds.tolist() != free.thresholds.tolist()
    assert [constraint.reached for constraint in result.constraints] == [
        constraint.reached for constraint in expected.constraints
    ]


@pytest.mark.parametrize("constraints", SINGLE, ids=str)
def test_fractional_weights_take_at_most_one_pass_more_as_well(
    quick_frames_of, few_cells, constraints
):
    weights = np.random.default_rng(5).integers(1, 9, N) / 4
    frame = quick_frames_of(s=SCORES, y=LABELS, w=weights)
    expected = ordcut.optimal_thresholds(
        SCORES, LABELS, sample_weight=weights, constraints=constraints
    )
    free, result = both(frame, constraints, weight="w", max_rows=N // 2)
    assert result.thresholds.tolist() == expected.thresholds.tolist()
    assert result.value == pytest.approx(expected.value)
    assert result.passes <= free.passes + 1


LISTED = [
    [ordcut.Digits(0)],
    [ordcut.Digits(1), ordcut.Recall(MIDDLE, at_least=0.6)],
    [ordcut.Allowed([0.25, 1.5, 2.5, 3.75]), ordcut.Share(0, at_most=0.25)],
]


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("constraints", LISTED, ids=str)
def test_values_that_are_listed_stay_in_the_engine(quick_frames_of, constraints, objective):
    frame = quick_frames_of(s=SCORES, y=LABELS)
    options = {"objective": objective, "constraints": constraints}
    expected = ordcut.optimal_thresholds(SCORES, LABELS, **options)
    result = frames.optimal_thresholds(frame, score="s", label="y", max_rows=N // 100, **options)
    assert_same(result, expected)
    assert result.passes <= 3


def test_limits_give_the_same_in_all_engines(frames_of, few_cells):
    weights = np.random.default_rng(3).integers(1, 4, N)
    frame = frames_of(s=SCORES, y=LABELS, w=weights)
    for constraints in (SINGLE[1], SINGLE[3], OTHERS[0], LISTED[1], LISTED[2]):
        result = frames.optimal_thresholds(
            frame, score="s", label="y", weight="w", constraints=constraints
        )
        expected = ordcut.optimal_thresholds(
            SCORES, LABELS, sample_weight=weights, constraints=constraints
        )
        assert_same(result, expected)


def test_limits_do_not_depend_on_the_unit_of_the_weights(quick_frames_of):
    # Eighths, which engines add up without rounding.
    some = np.random.default_rng(4).choice(N, 300, replace=False)
    scores, labels = SCORES[some], LABELS[some]
    weights = np.random.default_rng(5).integers(1, 9, len(some)) / 8
    frame = quick_frames_of(s=scores, y=labels, w=weights)
    count = ordcut.Count(K - 1, at_most=5)
    for constraints in ([count], [count, ordcut.Digits(1)], SINGLE[3], OTHERS[2]):
        result = frames.optimal_thresholds(
            frame, score="s", label="y", weight="w", constraints=constraints, classes=range(K)
        )
        expected = ordcut.optimal_thresholds(
            scores, labels, sample_weight=weights, constraints=constraints, classes=range(K)
        )
        assert_same(result, expected)
        assert [constraint.reached for constraint in result.constraints] == [
            constraint.reached for constraint in expected.constraints
        ]
        if constraints[0] is count:
            kept = weights[scores >= result.thresholds[-1]].sum()
            assert 1 < kept == result.constraints[0].reached <= 5


@pytest.mark.parametrize("constraints", OTHERS, ids=str)
def test_other_limits_are_those_of_arrays_up_to_max_rows(quick_frames_of, constraints):
    frame = quick_frames_of(s=SCORES, y=LABELS)
    expected = ordcut.optimal_thresholds(SCORES, LABELS, constraints=constraints)
    _, result = both(frame, constraints)
    assert_same(result, expected)
    with pytest.raises(ValueError, match="max_rows"):
        both(frame, constraints, max_rows=N // 100)


@pytest.mark.parametrize("name", ["heavy ties", "log-normal"])
def test_limits_on_hard_data(quick_frames_of, few_cells, name):
    scores = np.nan_to_num(HARD[name].astype(np.float64))
    constraints = [ordcut.Under(MIDDLE, at_most=0.1)]
    frame = quick_frames_of(s=scores, y=LABELS)
    result = frames.optimal_thresholds(frame, score="s", label="y", constraints=constraints)
    assert_same(result, ordcut.optimal_thresholds(scores, LABELS, constraints=constraints))


def test_decisions_and_review_are_predicted_and_judged(local_frames_of):
    frame = local_frames_of(s=SCORES, y=LABELS)
    result = frames.optimal_thresholds(frame, score="s", label="y", review=0.3)
    expected = ordcut.optimal_thresholds(SCORES, LABELS, review=0.3)
    assert_same(result, expected)
    assert result.decisions.tolist() == expected.decisions.tolist()
    assert result.review_share == expected.review_share
    judged = frames.evaluate(frame, result, score="s", label="y")
    assert judged.value == pytest.approx(result.value)
    assert judged.confusion.shape == (K, 2 * K - 1)


@pytest.mark.parametrize(
    "options",
    [
        {"review_share": 0.1},
        {"review_share": 0.1, "constraints": ["share 1 or lower <= 0.4"]},
        {"constraints": ["share 2 or higher <= 0.3"]},
        {"constraints": ["recall 2 or higher >= 0.95"]},
        {"review": 0.3, "constraints": [f"recall {K - 1} or its review >= 0.95"]},
    ],
    ids=str,
)
def test_groups_of_decisions_and_shares_of_reviews_are_those_of_arrays(quick_frames_of, options):
    frame = quick_frames_of(s=SCORES, y=LABELS)
    result = frames.optimal_thresholds(frame, score="s", label="y", **options)
    expected = ordcut.optimal_thresholds(SCORES, LABELS, **options)
    assert_same(result, expected)
    assert result.review_share == expected.review_share
    assert [constraint.reached for constraint in result.constraints] == [
        constraint.reached for constraint in expected.constraints
    ]


def test_decisions_that_are_fewer_than_classes(quick_frames_of):
    frame = quick_frames_of(s=SCORES, y=LABELS)
    cost = np.abs(np.arange(K)[None] - np.array([[0], [K - 1]]))
    options = {"objective": cost, "decisions": ["wait", "act"]}
    result = frames.optimal_thresholds(frame, score="s", label="y", **options)
    assert_same(result, ordcut.optimal_thresholds(SCORES, LABELS, **options))
    assert Rows.read(SCORES, LABELS).confusion(result.thresholds).shape == (2, K)
