"""Cells that rows are counted in, the amount of smoothing, and the blend."""

from dataclasses import replace
from itertools import accumulate, groupby

import numpy as np
import pytest

import ordcut
from ordcut._core.data import Rows
from ordcut._core.objectives.named import resolve_objective
from ordcut._core.smoothing import check_smoothing, smooth
from tests.smoothing.smoothed_rows import MOST_CELLS, counted, modelled, noisy
from tests.tables import OBJECTIVES


@pytest.mark.parametrize("smoothing", [0, 1, 0.0, 1.0, np.float32(0.5), np.int64(1), "auto"])
def test_amounts_at_both_ends_and_numbers_of_numpy_are_allowed(smoothing):
    check_smoothing(smoothing)


# Cells


def cells_one_by_one(scores, labels, weights, n_classes, most):
    """Each distinct score by the middle of its weight, out of as many equal parts as cells."""
    known = {}
    for score, label, weight in zip(scores, labels, weights, strict=True):
        known.setdefault(score, np.zeros(n_classes))[label] += weight
    known = sorted(known.items())
    tops = list(accumulate(counts.sum() for _, counts in known))
    parts = [
        int((top - counts.sum() / 2) / tops[-1] * most)
        for (_, counts), top in zip(known, tops, strict=True)
    ]
    cells = [
        [one for _, one in some]
        for _, some in groupby(zip(parts, known, strict=True), lambda pair: pair[0])
    ]
    middles = [cell[(len(cell) - 1) // 2][0] for cell in cells]
    return middles, [sum(counts for _, counts in cell).tolist() for cell in cells]


@pytest.mark.parametrize("n_scores", [MOST_CELLS, MOST_CELLS + 1, 3000])
@pytest.mark.parametrize("weighted", [False, True])
def test_cells_are_equal_parts_of_the_weight_with_the_middle_one_of_their_scores(
    n_scores, weighted
):
    random = np.random.default_rng(n_scores)
    scores = np.append(np.arange(n_scores), random.integers(0, n_scores, 500)) ** 1.5
    labels = random.integers(0, 3, len(scores))
    times = random.integers(1, 9, len(scores)) if weighted else np.ones(len(scores), int)
    result = modelled(scores, labels, 3, times)
    most = MOST_CELLS if n_scores > MOST_CELLS else 10**9
    middles, counts = cells_one_by_one(scores, labels, times, 3, most)
    assert result.scores.tolist() == middles
    weights = np.sum(counts, axis=1)
    np.testing.assert_allclose(
        result.weights / result.weights.sum(), weights / weights.sum(), rtol=1e-4
    )


# The amount


def amount_of(rows):
    return smooth(rows, resolve_objective("absolute", 2), "auto").amount


@pytest.mark.parametrize("n", [2, 60, 4000, 36_000])
def test_the_model_counts_as_much_as_4000_rows(n):
    rows = Rows.read(np.arange(float(n)), np.arange(n) % 2)
    assert amount_of(rows) == 4000 / (4000 + n)


def test_an_amount_below_a_tenth_is_none():
    rows = Rows.read(np.arange(36_001.0), np.arange(36_001) % 2)
    assert amount_of(rows) == 0


def test_whole_weights_are_rows_and_others_are_worth_fewer():
    scores, labels = np.arange(4.0), [0, 1, 0, 1]
    assert amount_of(Rows.read(scores, labels, weights=[1, 2, 3, 4])) == 4000 / 4010
    worth = 10**2 / (1 + 4 + 9 + 16)
    result = amount_of(Rows.read(scores, labels, weights=np.array([1, 2, 3, 4]) / 7))
    assert result == pytest.approx(4000 / (4000 + worth))


def test_a_row_of_soft_labels_is_one_row():
    assert amount_of(Rows.read([1.0, 2.0], [[0.3, 0.1], [0.2, 0.7]])) == 4000 / 4002


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("weight", [1e-9, 1e-12, 1e-15])
def test_a_class_of_next_to_no_weight_leaves_thresholds(objective, weight):
    weights = np.where(np.arange(50) == 25, weight, 0.7)
    result = ordcut.optimal_thresholds(
        np.arange(50.0),
        np.arange(50) == 25,
        objective=objective,
        sample_weight=weights,
        smoothing="auto",
    )
    assert np.isfinite(result.value)


@pytest.mark.parametrize("n", range(3, 8))
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_few_rows_have_thresholds(objective, n):
    result = ordcut.optimal_thresholds(
        np.arange(n), np.arange(n) % 2, objective=objective, smoothing="auto"
    )
    assert np.isfinite(result.value)


def test_costs_that_cannot_be_added_up_are_refused():
    with pytest.raises(ValueError, match="costs that can be added up over"):
        ordcut.optimal_thresholds(
            np.arange(6.0),
            [0, 1, 0, 1, 1, 1],
            objective=np.array([[0, 1e307], [1e307, 0]]),
            smoothing="auto",
        )


# The blend


def test_an_amount_of_0_gives_the_rows_themselves():
    rows = Rows.read([1.0, 2.0], [0, 1])
    result = smooth(rows, resolve_objective("absolute", 2), 0)
    assert result.rows is rows
    assert result.amount == 0


@pytest.mark.parametrize("amount", [0.25, 0.5, 1.0])
def test_the_blend_has_the_rows_and_a_row_of_the_model_for_each_cell_and_class(amount):
    scores, labels = noisy(60, 3, digits=1)
    model = modelled(scores, labels, 3, np.full(60, np.pi))
    at, counts = counted(scores, labels, 3)
    result = smooth(Rows.read(scores, labels), resolve_objective("absolute", 3), amount).rows
    kept = (1 - amount) * 2**20 if amount < 1 else 1
    assert result.weights[:60].tolist() == [kept] * 60
    assert result.weights.dtype == np.int64
    table = np.zeros((len(at), 3))
    entries = np.searchsorted(at, result.scores[60:]), result.codes[60:]
    np.add.at(table, entries, result.weights[60:])
    expected = amount * 2**20 * model.probabilities * counts.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(table, expected, atol=1.5)
    assert len(result.scores) == 60 + np.count_nonzero(np.rint(expected))


def test_labels_are_blended_in_whole_numbers_as_long_as_1024_parts_leave_sums_exact():
    scores, labels = noisy(64, 3)
    objective = resolve_objective("absolute", 3)
    most = 2**50 // 1024 // 64
    for weight, kind in ((most, np.int64), (most + 1, np.float64)):
        rows = Rows.read(scores, labels, weights=np.full(64, weight))
        for amount in (0.5, 1.0):
            result = smooth(rows, objective, amount).rows
            assert result.weights.dtype == kind
            share = result.weights[:64].sum() / result.weights.sum()
            assert share == pytest.approx(1 - amount, abs=0.001)
            assert (result.weights[:64] > 0).all()


def test_rows_of_fractional_weight_keep_a_millionth_where_the_model_has_all():
    scores, labels = noisy(64, 3)
    weights = np.random.default_rng(0).random(64) + 0.5
    rows = Rows.read(scores, labels, weights=weights)
    result = smooth(rows, resolve_objective("absolute", 3), 1.0).rows
    ordered = weights[np.argsort(scores)]
    ratio = result.weights[:64] / ordered
    np.testing.assert_allclose(ratio, ratio[0])
    assert result.weights[:64].sum() / result.weights.sum() == pytest.approx(2**-20, rel=1e-3)


def test_the_blend_of_fractional_weights_is_the_same_to_the_last_bit_in_any_order_of_the_rows():
    scores, labels = noisy(300, 3, digits=0)
    random = np.random.default_rng(1)
    weights = random.random(300)
    blends = []
    for order in (np.arange(300), random.permutation(300)):
        rows = Rows.read(scores[order], labels[order], weights=weights[order])
        blend = smooth(rows, resolve_objective("absolute", 3), 0.5).rows
        blends.append([column.tolist() for column in (blend.scores, blend.codes, blend.weights)])
    assert blends[0] == blends[1]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_heavy_rows_that_the_model_does_not_fit_are_not_smoothed(objective):
    scores, labels = noisy(150, 3, seed=5, digits=2)
    labels = np.where((scores > 0.6) & (scores < 1.2), 0, labels)
    for weight in (10**6, 10**12, 10**13):
        rows = Rows.read(scores, labels, weights=np.full(150, weight) + labels)
        assert smooth(rows, resolve_objective(objective, 3), "auto").amount == 0


def test_soft_labels_are_blended_in_proportion():
    scores, _ = noisy(64, 3)
    soft = np.random.default_rng(0).dirichlet(np.ones(3), 64)
    rows = Rows.read(scores, soft)
    result = smooth(rows, resolve_objective("absolute", 3), 0.25).rows
    assert result.soft is None
    n_observed = 64 * 3
    observed = result.weights[:n_observed]
    assert observed.sum() / result.weights.sum() == pytest.approx(0.75)
    by_class = np.bincount(result.codes[:n_observed], observed)
    np.testing.assert_allclose(by_class / observed.sum(), soft.sum(axis=0) / 64)
    assert replace(result, weights=None).n_rows == len(result.codes)
