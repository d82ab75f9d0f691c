"""The kernels that sort scores by their digits, against a stable sort."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ordcut._core.data.radix import sort_by_digits, sort_positions
from ordcut._core.numerics.jit import running_kernels_as

SCORES = {
    "normal": lambda random, n: random.normal(size=n),
    "negative": lambda random, n: -random.random(n),
    "ties": lambda random, n: np.round(random.normal(size=n), 1),
    "one value": lambda random, n: np.full(n, random.normal()),
    "two neighbours": lambda random, n: random.choice([1.0, np.nextafter(1.0, 2)], n),
    "spread evenly": lambda random, n: 1e-3 * random.permutation(n),
    "one far away": lambda random, n: np.append(random.normal(size=n - 1), 1e6),
    "magnitudes": lambda random, n: 10.0 ** random.uniform(-30, 30, n) * random.choice([-1, 1], n),
}


@given(
    scores=hnp.arrays(
        np.float32,
        st.integers(1, 40),
        elements=st.floats(width=32, allow_nan=False) | st.sampled_from([0.0, -0.0, 1.5, -1.5]),
    ),
    seed=st.integers(0, 99),
)
def test_scores_sorted_by_their_digits_keep_their_codes(scores, seed):
    codes = np.random.default_rng(seed).choice([0, 1, 65_534], len(scores))
    with running_kernels_as("python"):
        ordered, sorted_codes, ends = sort_by_digits(scores, codes)
    order = np.argsort(scores, kind="stable")
    assert ordered.tolist() == scores[order].tolist()
    assert not np.signbit(ordered[ordered == 0]).any()
    assert sorted_codes.tolist() == codes[order].tolist()
    assert ends.tolist() == [*(ordered[1:] != ordered[:-1]).tolist(), True]


@pytest.mark.parametrize("n", [1, 2, 256, 8192, 8193, 20_001])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("make", SCORES.values(), ids=SCORES)
def test_positions_sorted_by_digits_are_those_of_a_stable_sort(make, dtype, n):
    scores = make(np.random.default_rng(n), n).astype(dtype)
    with running_kernels_as("compiled"):
        positions, ordered, ends = sort_positions(scores)
    expected = np.argsort(scores, kind="stable")
    assert positions.tolist() == expected.tolist()
    assert ordered.tolist() == scores[expected].tolist()
    assert ends.tolist() == [*(ordered[1:] != ordered[:-1]).tolist(), True]


@pytest.mark.parametrize("n", [1, 2, 2049, 20_001])
@pytest.mark.parametrize("make", SCORES.values(), ids=SCORES)
def test_many_scores_sorted_by_their_digits_keep_the_order_of_a_stable_sort(make, n):
    scores, codes = make(np.random.default_rng(n), n).astype(np.float32), np.arange(n) % 65_535
    with running_kernels_as("compiled"):
        ordered, sorted_codes, ends = sort_by_digits(scores, codes)
    expected = np.argsort(scores, kind="stable")
    assert ordered.tolist() == scores[expected].tolist()
    assert sorted_codes.tolist() == codes[expected].tolist()
    assert ends.tolist() == [*(ordered[1:] != ordered[:-1]).tolist(), True]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_that_are_not_finite_end_up_first_or_last(dtype, bad):
    scores = np.random.default_rng(0).normal(size=20_001).astype(dtype)
    scores[77] = bad
    with running_kernels_as("compiled"):
        ordered = sort_positions(scores)[1]
        by_digits = sort_by_digits(scores.astype(np.float32), np.zeros(len(scores), np.uint8))[0]
    for ends in (ordered[[0, -1]], by_digits[[0, -1]]):
        assert not np.isfinite(ends).all()


def test_scores_that_agree_in_their_leading_bits_are_left_to_another_sort():
    scores = np.append(1e300, 1 + np.random.default_rng(0).random(30_000) * 1e-9)
    assert sort_positions(scores) is None
    assert sort_positions(np.append(1e300, np.sort(scores[1:]))) is not None
