"""The bootstrap: its draws, its replicates against calls of their own, and its laws."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordcut
from tests.strategies import problems
from tests.tables import OBJECTIVES
from tests.uncertainty.uncertainty_rows import draw_samples, noisy, same

# Weights


@pytest.mark.parametrize(
    ("weights", "worth"), [(None, 4), ([2, 3, 1, 1], 7), ([0.5] * 4, 4), ([0.1, 0.1, 0, 0], 2)]
)
def test_whole_weights_are_repeats_and_others_are_worth_fewer_rows(weights, worth):
    result = ordcut.optimal_thresholds([1, 2, 3, 4], [0, 1, 0, 1], sample_weight=weights)
    assert result.bootstrap(n=5).n_rows == pytest.approx(worth)


# Replicates


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("weights", [None, "whole", "fractions"])
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.usefixtures("either_way")
def test_a_replicate_is_solved_and_judged_like_any_data(objective, weights, ties):
    scores, labels = noisy(ties=ties)
    whole = np.random.default_rng(1).integers(1, 5, len(scores))
    weights = {None: None, "whole": whole, "fractions": whole / 7}[weights]
    factors = [1, 2, 0.5, 3]
    find = partial(
        ordcut.optimal_thresholds, objective=objective, classes=range(4), class_weight=factors
    )
    result = find(scores, labels, sample_weight=weights)
    boot = result.bootstrap(n=5)
    samples = draw_samples(scores, labels, boot, 5, weights)
    judge = partial(ordcut.evaluate, objective=objective, classes=range(4), class_weight=factors)
    gained = []
    for drawn, thresholds, value in zip(samples, boot.thresholds, boot.values, strict=True):
        again = find(drawn.scores, drawn.codes)
        assert thresholds.tolist() == again.thresholds.tolist()
        assert value == pytest.approx(judge(drawn.codes, result.predict(drawn.scores)), abs=1e-14)
        on_all = judge(labels, again.predict(scores), sample_weight=weights)
        gained.append(again.value - value + result.value - on_all)
    share = boot.size / boot.n_rows
    assert boot.optimism == pytest.approx(share ** (2 / 3) * np.mean(gained), abs=1e-13)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_replicate_of_soft_labels_draws_whole_rows(objective):
    rng = np.random.default_rng(0)
    scores, labels = noisy(100)
    soft = np.eye(4)[labels] + rng.integers(0, 3, (100, 4)) / 2
    result = ordcut.optimal_thresholds(scores, soft, objective=objective)
    boot = result.bootstrap(n=5)
    order = np.argsort(scores)
    seeds = np.random.SeedSequence(0).spawn(5)
    for seed, thresholds in zip(seeds, boot.thresholds, strict=True):
        gaps = np.random.default_rng(seed).standard_exponential(boot.size + 1)
        drawn = order[(np.cumsum(gaps)[:-1] * (100 / gaps.sum())).astype(int)]
        again = ordcut.optimal_thresholds(scores[drawn], soft[drawn], objective=objective)
        assert thresholds.tolist() == again.thresholds.tolist()


def test_labels_change_by_as_many_classes_as_predicting_again_shows():
    scores, labels = noisy()
    result = ordcut.optimal_thresholds(scores, labels)
    boot = result.bootstrap(n=20)
    changes = [
        np.abs(np.searchsorted(some, scores, side="right") - result.codes(scores)).mean()
        for some in boot.thresholds
    ]
    share = boot.size / boot.n_rows
    assert boot.label_change == pytest.approx(share ** (1 / 3) * np.mean(changes))


def test_balanced_classes_are_balanced_anew_where_a_replicate_is_judged():
    scores, labels = noisy(200)
    labels = np.minimum(labels, 2)
    result = ordcut.optimal_thresholds(scores, labels, class_weight="balanced")
    boot = result.bootstrap(n=3)
    for drawn, value in zip(draw_samples(scores, labels, boot, 3), boot.values, strict=True):
        predicted = result.predict(drawn.scores)
        judged = ordcut.evaluate(drawn.codes, predicted, classes=[0, 1, 2], class_weight="balanced")
        assert value == pytest.approx(judged)


# Laws


@settings(max_examples=60)
@given(
    problem=problems(most_rows=20).filter(lambda p: len({y for _, y, _ in p.rows}) > 1),
    objective=st.sampled_from(OBJECTIVES[:3]),
    random=st.randoms(use_true_random=False),
)
def test_order_repeats_threads_and_one_hot_labels_are_irrelevant(problem, objective, random):
    find = partial(ordcut.optimal_thresholds, objective=objective, classes=problem.classes)
    weights = np.ones(len(problem.scores), int) if problem.weights is None else problem.weights
    scores, labels = problem.scores, problem.labels
    boot = find(scores, labels, sample_weight=weights).bootstrap(n=20)
    order = list(range(len(scores)))
    random.shuffle(order)
    shuffled = find(scores[order], labels[order], sample_weight=weights[order])
    assert same(boot, shuffled.bootstrap(n=20))
    assert same(boot, find(np.repeat(scores, weights), np.repeat(labels, weights)).bootstrap(n=20))
    assert same(boot, find(scores, labels, sample_weight=weights).bootstrap(n=20, n_jobs=2))
    one_hot = np.eye(problem.n_classes)[labels]
    soft = find(scores, one_hot, sample_weight=weights)
    assert soft.bootstrap(n=20).thresholds.tolist() == boot.thresholds.tolist()


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_threads_and_methods_are_irrelevant(objective):
    scores, labels = noisy(3000)
    results = [
        ordcut.optimal_thresholds(scores, labels, objective=objective, method=method).bootstrap(
            n=40, n_jobs=n_jobs
        )
        for method, n_jobs in [("dp", 1), ("pruned", 2), ("auto", 5)]
    ]
    assert same(results[0], results[1])
    assert same(results[0], results[2])


def test_fractional_weights_count_by_their_ratios_whatever_the_order_of_the_rows():
    scores, labels = noisy(ties=True)
    weights = np.random.default_rng(0).random(len(scores))
    order = np.random.default_rng(1).permutation(len(scores))
    result = ordcut.optimal_thresholds(scores, labels, sample_weight=weights)
    boot = result.bootstrap(n=30)
    quarter = ordcut.optimal_thresholds(scores, labels, sample_weight=weights / 4)
    shuffled = ordcut.optimal_thresholds(scores[order], labels[order], sample_weight=weights[order])
    for other in (quarter, shuffled):
        again = other.bootstrap(n=30)
        assert again.thresholds.tolist() == boot.thresholds.tolist()
        np.testing.assert_allclose(again.values, boot.values)


def test_moving_and_stretching_the_scores_moves_and_stretches_the_intervals():
    scores, labels = noisy()
    scores = np.round(scores * 64) / 64
    boot = ordcut.optimal_thresholds(scores, labels).bootstrap(n=50)
    moved = ordcut.optimal_thresholds(scores * 4 + 32, labels).bootstrap(n=50)
    np.testing.assert_allclose(moved.intervals(), boot.intervals() * 4 + 32)
    assert moved.values.tolist() == boot.values.tolist()


def test_a_seed_gives_one_result_and_generators_go_on():
    result = ordcut.optimal_thresholds(*noisy())
    boot = result.bootstrap(n=10, random_state=3)
    assert same(boot, result.bootstrap(n=10, random_state=3))
    assert same(boot, result.bootstrap(n=10, random_state=np.int64(3)))
    assert not same(boot, result.bootstrap(n=10, random_state=4))
    assert not same(boot, result.bootstrap(n=10, random_state=None))
    for kind in (np.random.default_rng, np.random.RandomState):
        rng = kind(0)
        first, second = (result.bootstrap(n=10, random_state=rng) for _ in range(2))
        assert not same(first, second)
        assert same(first, result.bootstrap(n=10, random_state=kind(0)))


def test_groups_of_one_row_give_the_intervals_of_rows_and_copies_add_nothing():
    rng = np.random.default_rng(3)
    scores = rng.normal(size=120)
    labels = np.digitize(scores + 0.4 * rng.normal(size=120), [-0.4, 0.6])
    result = ordcut.optimal_thresholds(scores, labels)
    rows, alone = result.bootstrap(300), result.bootstrap(300, groups=np.arange(120))
    assert (alone.size, alone.n_rows, alone.unit) == (rows.size, 120, "groups")
    assert alone.intervals() == pytest.approx(rows.intervals(), abs=0.35)
    copies = np.repeat(np.arange(120), 6)
    many = ordcut.optimal_thresholds(scores[copies], labels[copies])
    grouped = many.bootstrap(300, groups=copies)
    assert grouped.intervals().tolist() == alone.intervals().tolist()
    assert grouped.value_interval() == pytest.approx(alone.value_interval(), abs=0.02)
    shuffled = rng.permutation(len(copies))
    again = ordcut.optimal_thresholds(scores[copies][shuffled], labels[copies][shuffled])
    other = again.bootstrap(300, groups=copies[shuffled])
    assert other.thresholds.tolist() == grouped.thresholds.tolist()
    narrow = many.bootstrap(300)
    assert (np.ptp(narrow.intervals(), axis=1) < np.ptp(grouped.intervals(), axis=1)).all()
    assert np.ptp(narrow.value_interval()) < np.ptp(grouped.value_interval())


@pytest.mark.parametrize("kind", ["weights", "soft", "smoothed", "constrained", "kappa"])
def test_groups_are_drawn_for_every_kind_of_rows(kind):
    rng = np.random.default_rng(4)
    scores = rng.normal(size=90).astype(np.float32).round(1)
    labels = np.digitize(scores + 0.4 * rng.normal(size=90), [-0.4, 0.6])
    options = {
        "weights": {"sample_weight": rng.random(90)},
        "soft": {},
        "smoothed": {"smoothing": "auto"},
        "constrained": {"constraints": ["recall 2 >= 0.5"]},
        "kappa": {"objective": "quadratic_kappa"},
    }[kind]
    truth = np.eye(3)[labels] + 0.1 if kind == "soft" else labels
    result = ordcut.optimal_thresholds(scores, truth, **options)
    boot = result.bootstrap(60, groups=np.arange(90) // 3)
    low, high = boot.value_interval()
    assert low < result.value < high
    assert (boot.intervals()[:, 0] < boot.intervals()[:, 1]).all()
