"""Cells that rows are counted in, the amount that they lead to, and the blend."""

from dataclasses import dataclass, replace
from itertools import accumulate, groupby

import numpy as np
import pytest
from smoothed_rows import MOST_CELLS, counted, modelled, noisy

import ordcut
from ordcut.data import Rows
from ordcut.objectives import resolve_objective
from ordcut.smoothing import check_smoothing, smooth
from small_sizes import set_sizes
from strategies import OBJECTIVES


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
    found = modelled(scores, labels, 3, times)
    most = MOST_CELLS if n_scores > MOST_CELLS else 10**9
    middles, counts = cells_one_by_one(scores, labels, times, 3, most)
    assert found.scores.tolist() == middles
    weights = np.sum(counts, axis=1)
    np.testing.assert_allclose(
        found.weights / found.weights.sum(), weights / weights.sum(), rtol=1e-4
    )


# The amount


@dataclass(frozen=True)
class Cells:
    """Ascending scores, and the weight of each class there."""

    scores: np.ndarray
    counts: np.ndarray


def gain(cells, table, by_model, objective):
    """By how much the best thresholds beat others on weights of cells and classes."""
    n_cells, k = table.shape
    best = ordcut.optimal_thresholds(
        np.repeat(cells.scores, k),
        np.tile(np.arange(k), n_cells),
        objective=objective,
        classes=range(k),
        sample_weight=table.ravel(),
    )
    known = resolve_objective(objective, table.shape[1])

    def value(found):
        codes = found.codes(cells.scores)
        rows = [table[codes == k].sum(axis=0) for k in range(table.shape[1])]
        return known.value(np.array(rows))

    return abs(value(best) - value(by_model))


def joined(at, counts, chances):
    """Four neighbouring cells as one, with the mean probabilities of their rows."""
    firsts = np.arange(0, len(at), 4)
    weights = counts.sum(axis=1, keepdims=True)
    sums = np.add.reduceat(chances * weights, firsts)
    return at[firsts], np.add.reduceat(counts, firsts), sums / np.add.reduceat(weights, firsts)


def naive_share(rows, weights, objective, is_joined=False):
    """The mean gain on 8 data sets drawn from the model over the gain on the data."""
    scores, labels = rows
    # Weights that are not whole leave the model without any rounding.
    chances = modelled(
        scores, labels, 3, np.full(len(scores), np.pi) if weights is None else weights
    )
    at, counts = counted(scores, labels, 3, weights)
    if weights is not None:
        counts *= weights.sum() / (weights**2).sum()  # as many rows as they are worth
    at, counts, chances = (at, counts, chances.probabilities)
    if is_joined:
        at, counts, chances = joined(at, counts, chances)
    cells = Cells(at, counts)
    whole = counts.sum(axis=1, keepdims=True)
    by_model = ordcut.optimal_thresholds(at, chances * whole, objective=objective)
    n_rows = np.ceil(whole[:, 0] - 1e-9).astype(int)
    random = np.random.default_rng(0)
    drawn = [random.multinomial(n_rows, chances) * (whole / n_rows[:, None]) for _ in range(8)]
    gains = [gain(cells, some, by_model, objective) for some in (*drawn, counts)]
    return np.mean(gains[:8]) / gains[8]


def amount_of(rows, weights, objective):
    read = Rows.read(*rows, classes=range(3), weights=weights)
    return smooth(read, resolve_objective(objective, 3), "auto").amount


def misfit(n, seed, digits=9):
    """Rows of which the highest are of the middle class: no curve of the model shows that."""
    scores, labels = noisy(n, 3, seed, digits)
    return scores, np.where(scores > 1, 1, labels)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("wrong", [False, True])
def test_the_amount_is_the_mean_gain_on_8_data_sets_from_the_model_over_that_on_the_data(
    objective, weighted, wrong
):
    rows = misfit(150, 5, 2) if wrong else noisy(150, 3, seed=7, digits=2)
    weights = np.random.default_rng(2).random(150) if weighted else None
    share = naive_share(rows, weights, objective)
    expected = min(share, 0.75) if share >= 0.05 else 0.0
    assert amount_of(rows, weights, objective) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n", [512, 513])
def test_the_amount_of_many_cells_is_that_of_cells_joined_by_fours(n):
    scores, labels = noisy(n, 3, seed=1)
    rows = scores, np.where((scores > 0.6) & (scores < 1.2), 0, labels)
    shares = [naive_share(rows, None, "absolute", is_joined) for is_joined in (False, True)]
    found = amount_of(rows, None, "absolute")
    assert 0.05 < found < 0.75
    assert [share == pytest.approx(found, rel=1e-9) for share in shares] == [n == 512, n == 513]


def test_a_share_below_the_least_amount_is_none_and_at_it_is_itself(monkeypatch):
    rows = misfit(150, 5, 2)
    share = amount_of(rows, None, "absolute")
    assert 0.05 < share < 0.75
    for least, expected in ((share, share), (np.nextafter(share, 1), 0.0)):
        set_sizes(monkeypatch, least_amount_of_smoothing=least)
        assert amount_of(rows, None, "absolute") == expected


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_rows_that_the_model_separates_are_smoothed_by_the_most(objective):
    rows = Rows.read(np.arange(40.0), np.arange(40) // 20)
    assert smooth(rows, resolve_objective(objective, 2), "auto").amount == 0.75


@pytest.mark.parametrize("objective", ["absolute", "kappa", "quadratic_kappa"])
@pytest.mark.parametrize("weight", [1e-9, 1e-12, 1e-15])
def test_a_class_of_next_to_no_weight_leaves_the_most_to_the_model(objective, weight):
    weights = np.where(np.arange(50) == 25, weight, 0.7)
    rows = Rows.read(np.arange(50.0), np.arange(50) == 25, weights=weights)
    assert smooth(rows, resolve_objective(objective, 2), "auto").amount == 0.75


def test_a_row_of_next_to_no_weight_leaves_an_amount():
    scores, labels = noisy(150, 3, seed=5, digits=2)
    labels = np.where(scores > 1, 1, labels)
    weights = np.append(np.random.default_rng(2).random(150), 1e-12)
    rows = Rows.read(np.append(scores, 9.0), np.append(labels, 2), weights=weights)
    assert 0.05 < smooth(rows, resolve_objective("absolute", 3), "auto").amount < 0.75


@pytest.mark.parametrize("n", range(3, 8))
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_data_sets_of_one_class_are_no_gain_and_no_error(objective, n):
    rows = Rows.read(np.arange(n), np.arange(n) % 2)
    assert 0.05 <= smooth(rows, resolve_objective(objective, 2), "auto").amount <= 0.75


def test_costs_that_cannot_be_added_up_are_refused_for_the_rows_as_they_are():
    objective = resolve_objective([[0, 1e307], [1e307, 0]], 2)
    with pytest.raises(ValueError, match="costs that can be added up over 6 rows, got 1e"):
        smooth(Rows.read(np.arange(6.0), [0, 1, 0, 1, 1, 1]), objective, "auto")


# The blend


def test_an_amount_of_0_gives_the_rows_themselves():
    rows = Rows.read([1.0, 2.0], [0, 1])
    found = smooth(rows, resolve_objective("absolute", 2), 0)
    assert found.rows is rows
    assert found.amount == 0


@pytest.mark.parametrize("amount", [0.25, 0.5, 1.0])
def test_the_blend_has_the_rows_and_a_row_of_the_model_for_each_cell_and_class(amount):
    scores, labels = noisy(60, 3, digits=1)
    model = modelled(scores, labels, 3, np.full(60, np.pi))
    at, counts = counted(scores, labels, 3)
    found = smooth(Rows.read(scores, labels), resolve_objective("absolute", 3), amount).rows
    kept = (1 - amount) * 2**20 if amount < 1 else 1
    assert found.weights[:60].tolist() == [kept] * 60
    assert found.weights.dtype == np.int64
    table = np.zeros((len(at), 3))
    entries = np.searchsorted(at, found.scores[60:]), found.codes[60:]
    np.add.at(table, entries, found.weights[60:])
    expected = amount * 2**20 * model.probabilities * counts.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(table, expected, atol=1.5)
    assert len(found.scores) == 60 + np.count_nonzero(np.rint(expected))


def test_labels_are_blended_in_whole_numbers_as_long_as_1024_parts_leave_sums_exact():
    scores, labels = noisy(64, 3)
    objective = resolve_objective("absolute", 3)
    most = 2**50 // 1024 // 64
    for weight, kind in ((most, np.int64), (most + 1, np.float64)):
        rows = Rows.read(scores, labels, weights=np.full(64, weight))
        for amount in (0.5, 1.0):
            found = smooth(rows, objective, amount).rows
            assert found.weights.dtype == kind
            share = found.weights[:64].sum() / found.weights.sum()
            assert share == pytest.approx(1 - amount, abs=0.001)
            assert (found.weights[:64] > 0).all()


def test_rows_of_fractional_weight_keep_a_millionth_where_the_model_has_all():
    scores, labels = noisy(64, 3)
    weights = np.random.default_rng(0).random(64) + 0.5
    rows = Rows.read(scores, labels, weights=weights)
    found = smooth(rows, resolve_objective("absolute", 3), 1.0).rows
    ordered = weights[np.argsort(scores)]
    ratio = found.weights[:64] / ordered
    np.testing.assert_allclose(ratio, ratio[0])
    assert found.weights[:64].sum() / found.weights.sum() == pytest.approx(2**-20, rel=1e-3)


def test_the_blend_of_fractional_weights_is_the_same_to_the_last_bit_in_any_order_of_the_rows():
    scores, labels = noisy(300, 3, digits=0)
    random = np.random.default_rng(1)
    weights = random.random(300)
    found = []
    for order in (np.arange(300), random.permutation(300)):
        rows = Rows.read(scores[order], labels[order], weights=weights[order])
        blend = smooth(rows, resolve_objective("absolute", 3), 0.5).rows
        found.append([column.tolist() for column in (blend.scores, blend.codes, blend.weights)])
    assert found[0] == found[1]


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
    found = smooth(rows, resolve_objective("absolute", 3), 0.25).rows
    assert found.soft is None
    n_observed = 64 * 3
    observed = found.weights[:n_observed]
    assert observed.sum() / found.weights.sum() == pytest.approx(0.75)
    by_class = np.bincount(found.codes[:n_observed], observed)
    np.testing.assert_allclose(by_class / observed.sum(), soft.sum(axis=0) / 64)
    assert replace(found, weights=None).n_rows == len(found.codes)
