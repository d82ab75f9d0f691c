"""Limits solved without sorting all rows give what sorting them gives, bit for bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordcut
from ordcut._core import solve
from ordcut._core.limits.region import SegmentLimit, SegmentLimits
from ordcut._core.numerics.jit import running_kernels_as
from tests.tables import OBJECTIVES

N = 200_500  # from 200 000 rows on, rows are counted by cells


def found_by(scores, labels, **options):
    try:
        return ordcut.optimal_thresholds(scores, labels, **options)
    except ordcut.InfeasibleConstraintsError as error:
        return error


def assert_same(one, other):
    if isinstance(one, ordcut.InfeasibleConstraintsError):
        assert str(one) == str(other)
        return
    assert one.thresholds.tolist() == other.thresholds.tolist()
    assert one.ranges.tolist() == other.ranges.tolist()
    assert one.value == other.value
    assert [a.reached for a in one.constraints] == [b.reached for b in other.constraints]
    assert [a.cost for a in one.constraints] == [b.cost for b in other.constraints]


@pytest.mark.parametrize("seed", range(12))
def test_limits_on_single_thresholds_of_counted_rows(seed):
    random = np.random.default_rng(seed)
    n_classes = int(random.integers(2, 6))
    scores = random.normal(size=N)
    scores = scores.round(3) if seed % 2 else scores.astype(np.float32)
    labels = np.digitize(scores + random.logistic(size=N) / 3, np.linspace(-1, 1, n_classes)[1:])
    constraints = []
    for kind in random.integers(0, 4, random.integers(1, 4)):
        k, share = int(random.integers(n_classes)), round(float(random.uniform(0, 0.2)), 3)
        t, value = int(random.integers(n_classes - 1)), round(float(random.normal()), 2)
        constraints.append(
            [
                ordcut.Under(k, at_most=share),
                ordcut.Over(k, at_most=share),
                ordcut.Fixed(t, value),
                ordcut.Between(t, value, value + 0.3),
            ][kind]
        )
    options = {
        "objective": "squared" if seed % 3 else "absolute",
        "classes": range(n_classes),
        "sample_weight": [random.integers(1, 5, N), None, random.integers(1, 5, N) / 4, None][
            seed % 4
        ],
        "constraints": constraints,
    }
    counted = found_by(scores, labels, **options)
    assert_same(counted, found_by(scores, labels, method="nested", **options))


@pytest.mark.parametrize("seed", range(30))
def test_values_that_are_listed_need_no_sort(seed, monkeypatch):
    random = np.random.default_rng(seed)
    n, n_classes = int(random.integers(100, 3000)), int(random.integers(2, 5))
    scores = random.normal(size=n)
    scores = [scores, scores.round(1), scores.astype(np.float32), scores.astype(np.float16)][
        seed % 4
    ]
    labels = random.integers(0, n_classes, n)
    labels[:2] = [0, n_classes - 1]
    constraints = [
        [ordcut.Digits(0)],
        [ordcut.Digits(1), ordcut.Share(0, at_most=0.3)],
        [ordcut.Allowed(random.normal(size=5).round(2)), ordcut.Under(1, at_most=0.4)],
        [ordcut.Allowed([-np.inf, 0.25, 1, np.inf])],
        [ordcut.Allowed([0.5])],
    ][seed % 5]
    options = {
        "objective": OBJECTIVES[seed % len(OBJECTIVES)],
        "sample_weight": None if seed % 2 else random.integers(1, 4, n),
        "constraints": constraints,
    }
    counted = found_by(scores, labels, **options)
    monkeypatch.setattr(solve, "MOST_VALUES", 0)
    assert_same(counted, found_by(scores, labels, **options))


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize(
    "constraint", ["share 1 <= 0.9", "recall 1 >= 0.1", ordcut.Digits(3)], ids=str
)
def test_limits_that_the_best_thresholds_keep_change_nothing_but_the_constraints(
    objective, constraint
):
    random = np.random.default_rng(0)
    labels = random.integers(0, 3, 300)
    scores = np.round(labels + random.normal(size=300), 2)
    free = ordcut.optimal_thresholds(scores, labels, objective=objective)
    result = ordcut.optimal_thresholds(
        scores, labels, objective=objective, constraints=[constraint]
    )
    assert (result.method, result.certificate) == (free.method, free.certificate)
    # A middle of two floats can differ from its decimal, which has three digits, by a rounding.
    assert result.thresholds.tolist() == pytest.approx(free.thresholds.tolist(), abs=1e-12)
    assert result.value == free.value
    assert not result.constraints[0].binds


WEIGHTS = {
    "whole": lambda random: random.integers(1, 2**50, 60),
    "fractions": lambda random: random.random(60),
    "of all sizes": lambda random: random.random(60) * 2.0 ** random.integers(-30, 30, 60),
}


@pytest.mark.parametrize("constraint", ["precision 1 >= 0.45", "precision 2 >= 0.5"])
@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
def test_compiled_kernels_keep_a_precision_of_weights_of_any_size(weights, constraint):
    for seed in range(4):
        random = np.random.default_rng(seed)
        labels = random.integers(0, 4, 60)
        scores = np.round(labels + random.normal(size=60), 1)
        options = {"sample_weight": weights(random), "constraints": [constraint]}
        with running_kernels_as("python"):
            expected = found_by(scores, labels, **options)
        with running_kernels_as("compiled"):
            assert_same(found_by(scores, labels, **options), expected)


@given(
    sizes=st.lists(st.integers(0, 3), min_size=40, max_size=60),
    scale=st.sampled_from([1, 2**70, 2**70 + 1, 2**1010]),
    least=st.integers(0, 30),
    rest=st.integers(-1, 1),
)
def test_limits_on_sums_beyond_int64_are_exact(sizes, scale, least, rest):
    sums = np.cumsum([0, *(size * scale for size in sizes)], dtype=object)
    ends, limit = range(3, len(sums)), least * scale + rest
    window = SegmentLimits([SegmentLimit(sums, limit, limit)]).window(range(len(sums)), ends, None)
    for end, low, high in zip(ends, window.low, window.high, strict=True):
        assert low == sum(total < sums[end] - limit for total in sums)
        assert high == sum(total <= sums[end] - limit for total in sums) - 1
