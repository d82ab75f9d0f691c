"""Cells that rows are counted in, the amount that they lead to, and the blend."""

from dataclasses import replace
from itertools import accumulate, groupby

import numpy as np
import pytest

import ordcut
from ordcut.data import Rows
from ordcut.objectives import resolve_objective
from ordcut.smoothing import blending
from ordcut.smoothing.blending import (
    ScoreCounts,
    check_smoothing,
    choose_amount,
    count_in_steps,
    count_scores,
    smooth,
)
from ordcut.smoothing.partial_odds import partial_odds_probabilities
from strategies import OBJECTIVES


def noisy(n, n_classes, seed=0, digits=9):
    random = np.random.default_rng(seed)
    scores = random.normal(size=n).round(digits)
    edges = np.quantile(scores, np.linspace(0, 1, n_classes + 1)[1:-1])
    return scores, np.searchsorted(edges, scores + 0.4 * random.logistic(size=n))


@pytest.mark.parametrize("smoothing", [0, 1, 0.0, 1.0, np.float32(0.5), np.int64(1), "auto"])
def test_amounts_at_both_ends_and_numbers_of_numpy_are_allowed(smoothing):
    check_smoothing(smoothing)


@pytest.mark.parametrize("smoothing", [-1e-9, 1 + 1e-9, False, "AUTO", [0.5]])
def test_amounts_just_beyond_the_ends_are_refused(smoothing):
    with pytest.raises(ValueError, match='from 0 to 1, or "auto", got'):
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


@pytest.mark.parametrize("most", [1, 3, 7, 31, 32, 1000])
@pytest.mark.parametrize("weighted", [False, True])
def test_cells_are_equal_parts_of_the_weight_with_the_middle_one_of_their_scores(most, weighted):
    scores, labels = noisy(200, 4, digits=1)
    times = np.random.default_rng(1).integers(1, 9, 200)
    rows = Rows.read(scores, labels, weights=times if weighted else None)
    found = count_scores(rows, rows.sorted(), most=most)
    weights = times if weighted else np.ones(200)
    n_scores = len(np.unique(scores))
    expected = cells_one_by_one(scores, labels, weights, 4, most if n_scores > most else 10**9)
    assert (found.scores.tolist(), found.counts.tolist()) == expected


def test_rows_of_as_many_scores_as_cells_are_not_put_together():
    for n in (1024, 1025):
        rows = Rows.read(np.arange(n)[::-1] ** 2, np.arange(n) % 2)
        assert (len(count_scores(rows, rows.sorted()).scores) == n) is (n == 1024)


def test_fractional_weights_count_as_so_many_rows_of_equal_weight():
    scores, labels = noisy(300, 3)
    weights = np.random.default_rng(2).random(300)
    worth = weights.sum() ** 2 / (weights**2).sum()
    soft = np.random.default_rng(3).dirichlet(np.ones(3), 300) * 2
    for labels_, rest in ((labels, weights), (soft, weights)):
        rows = Rows.read(scores, labels_, weights=rest)
        found = count_scores(rows, rows.sorted())
        assert found.weights.sum() == pytest.approx(worth)
        by_class = (np.eye(3)[labels_] if labels_ is labels else soft).T @ weights
        np.testing.assert_allclose(found.counts.sum(axis=0) / by_class, worth / by_class.sum())
    rows = Rows.read(scores, soft)
    assert count_scores(rows, rows.sorted()).weights.sum() == pytest.approx(300)


@pytest.mark.parametrize("m", [8, 9, 12, 13])
def test_cells_are_joined_by_fours_only_where_there_are_too_many(m):
    random = np.random.default_rng(m)
    cells = ScoreCounts(np.arange(m) * 1.5, random.integers(1, 9, (m, 3)).astype(float))
    chances = random.dirichlet(np.ones(3), m)
    coarse, mean = cells.joined(chances, most=8)
    size = 4 if m > 8 else 1
    for i, score in enumerate(coarse.scores):
        some = slice(size * i, size * i + size)
        assert score == cells.scores[size * i]
        assert coarse.counts[i].tolist() == cells.counts[some].sum(axis=0).tolist()
        expected = np.average(chances[some], axis=0, weights=cells.counts[some].sum(axis=1))
        np.testing.assert_allclose(mean[i], expected)
    assert len(coarse.scores) == -(-m // size)


def test_cells_as_rows_have_the_weight_of_every_cell_and_class():
    counts = np.random.default_rng(0).integers(0, 5, (6, 3)).astype(float)
    cells = ScoreCounts(np.arange(6.0), counts)
    for weights in (counts, counts / 4 + 0.1):
        rows = cells.rows_with(weights)
        assert (rows.weights.dtype == np.int64) is (weights is counts)
        cuts = 3 * np.arange(1, 6)
        np.testing.assert_array_equal(rows.between(cuts), weights)
        assert rows.ends.tolist() == [False, False, True] * 6


# Steps


def test_only_so_many_whole_weights_are_counted_in_steps(monkeypatch):
    scores, labels = noisy(1200, 3)
    weights = np.random.default_rng(0).integers(1, 4, 1200)
    for weight, rows in (
        (1200, Rows.read(scores, labels)),
        (int(weights.sum()), Rows.read(scores, labels, weights=weights)),
    ):
        monkeypatch.setattr(blending, "FEWEST_FOR_STEPS", weight)
        found = count_in_steps(rows, most=16)
        assert found.weights.sum() == weight
        monkeypatch.setattr(blending, "FEWEST_FOR_STEPS", weight + 1)
        assert count_in_steps(rows, most=16) is None
    monkeypatch.setattr(blending, "FEWEST_FOR_STEPS", 1)
    assert count_in_steps(Rows.read(scores, labels, weights=weights / 2 + 0.1)) is None
    assert count_in_steps(Rows.read(scores, np.eye(3)[labels] / 2 + 0.1)) is None


def test_a_step_may_have_twice_the_weight_of_a_cell_and_no_more(monkeypatch):
    monkeypatch.setattr(blending, "FEWEST_FOR_STEPS", 1)
    scores = np.arange(100.0)
    for heaviest, is_counted in ((50, True), (51, False)):
        weights = np.append(np.ones(99, int), heaviest)
        weights[:50] += 51 - heaviest  # 200 in all, in 8 cells
        weights[0] += 200 - weights.sum()
        found = count_in_steps(Rows.read(scores, np.arange(100) % 2, weights=weights), most=8)
        assert (found is not None) is is_counted


@pytest.mark.parametrize("most", [2, 5, 8, 16])
def test_cells_of_steps_have_about_equal_weight_their_lowest_score_and_all_rows(monkeypatch, most):
    monkeypatch.setattr(blending, "FEWEST_FOR_STEPS", 1000)
    random = np.random.default_rng(most)
    scores, labels = random.random(4000), random.integers(0, 3, 4000)
    found = count_in_steps(Rows.read(scores, labels), most=most)
    assert len(found.scores) == most
    cell = np.searchsorted(found.scores, scores, side="right") - 1
    assert cell.min() == 0
    counts = np.zeros((most, 3))
    np.add.at(counts, (cell, labels), 1)
    np.testing.assert_array_equal(found.counts, counts)
    np.testing.assert_allclose(found.weights, 4000 / most, rtol=0.02)


# The amount


def gain(cells, table, by_model, objective):
    """By how much the best thresholds beat others on weights of cells and classes."""
    best = ordcut.optimal_thresholds(cells.scores, table, objective=objective)
    known = resolve_objective(objective, table.shape[1])

    def value(found):
        codes = found.codes(cells.scores)
        rows = [table[codes == k].sum(axis=0) for k in range(table.shape[1])]
        return known.value(np.array(rows))

    return abs(value(best) - value(by_model))


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("wrong", [False, True])
def test_the_amount_is_the_mean_gain_on_8_data_sets_from_the_model_over_that_on_the_data(
    objective, weighted, wrong
):
    scores, labels = noisy(150, 3, seed=5 if wrong else 7, digits=2)
    if wrong:  # the highest scores are of the middle class: no curve shows that
        labels = np.where(scores > 1, 1, labels)
    weights = np.random.default_rng(2).random(150) if weighted else None
    rows = Rows.read(scores, labels, weights=weights)
    cells = count_scores(rows, rows.sorted())
    chances = partial_odds_probabilities(cells.scores, cells.counts)
    found = choose_amount(cells, chances, resolve_objective(objective, 3))
    whole = cells.weights[:, None]
    by_model = ordcut.optimal_thresholds(cells.scores, chances * whole, objective=objective)
    n_rows = np.ceil(cells.weights - 1e-9).astype(int)
    random = np.random.default_rng(0)
    scale = whole / n_rows[:, None]
    drawn = [random.multinomial(n_rows, chances) * scale for _ in range(8)]
    gains = [gain(cells, some, by_model, objective) for some in (*drawn, cells.counts)]
    share = np.mean(gains[:8]) / gains[8]
    assert found == pytest.approx(min(share, 0.75) if share >= 0.05 else 0.0, rel=1e-9)


def test_the_amount_of_many_cells_is_that_of_cells_joined_by_fours():
    for n in (512, 513):
        scores, labels = noisy(n, 3, seed=1)
        labels = np.where((scores > 0.6) & (scores < 1.2), 0, labels)
        rows = Rows.read(scores, labels)
        cells = count_scores(rows, rows.sorted())
        chances = partial_odds_probabilities(cells.scores, cells.counts)
        objective = resolve_objective("absolute", 3)
        found = choose_amount(cells, chances, objective)
        joined = choose_amount(*cells.joined(chances, most=n - 1), objective)
        assert (found == joined) is (n == 513)


def test_a_share_below_the_least_amount_is_none_and_at_it_is_itself(monkeypatch):
    scores, labels = noisy(150, 3, seed=5, digits=2)
    labels = np.where(scores > 1, 1, labels)
    rows = Rows.read(scores, labels)
    cells = count_scores(rows, rows.sorted())
    chances = partial_odds_probabilities(cells.scores, cells.counts)
    objective = resolve_objective("absolute", 3)
    share = choose_amount(cells, chances, objective)
    assert 0.05 < share < 0.75
    for least, expected in ((share, share), (np.nextafter(share, 1), 0.0)):
        monkeypatch.setattr(blending, "LEAST", least)
        assert choose_amount(cells, chances, objective) == expected


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
    rows = Rows.read(scores, labels)
    cells = count_scores(rows, rows.sorted())
    chances = partial_odds_probabilities(cells.scores, cells.counts)
    found = smooth(rows, resolve_objective("absolute", 3), amount).rows
    kept = (1 - amount) * 2**20 if amount < 1 else 1
    assert found.weights[:60].tolist() == [kept] * 60
    assert found.weights.dtype == np.int64
    table = np.zeros((len(cells.scores), 3))
    at = np.searchsorted(cells.scores, found.scores[60:]), found.codes[60:]
    np.add.at(table, at, found.weights[60:])
    expected = amount * 2**20 * chances * cells.weights[:, None]
    np.testing.assert_allclose(table, expected, atol=0.5)
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
