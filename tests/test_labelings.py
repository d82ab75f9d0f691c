"""Labelings: each rule against its definition, row by row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordcut
from ordcut._core.data import Rows
from ordcut._core.objectives.named import resolve_objective
from ordcut._core.pruning import ArraySource
from ordcut.estimators import ProportionalOddsModel
from ordcut.report import compare
from ordcut.studies.labelings import (
    LABELINGS,
    LabelingProblem,
    bias_thresholds,
    find_labeling,
    likelihood_thresholds,
    line_thresholds,
    rounding_thresholds,
)
from tests import naive
from tests.strategies import enough_classes, problems
from tests.tables import COSTS, KAPPAS, OBJECTIVES

NAMES = ["optimal", "biases", "likelihood", "rounding"]


def labels_of(thresholds, scores):
    return np.searchsorted(thresholds, scores, side="right")


def noisy(n=300, n_classes=4, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n)
    cuts = np.linspace(-1, 1, n_classes - 1)
    return scores, np.digitize(scores + 0.5 * rng.logistic(size=n), cuts)


def labeling_problem(scores, labels, n_classes, objective, weights=None, **known):
    rows = Rows.read(scores, labels, classes=range(n_classes), weights=weights)
    factors = known.pop("factors", np.ones(n_classes))
    return LabelingProblem(rows, resolve_objective(objective, n_classes), factors, **known)


def test_the_labelings_have_these_names():
    assert list(LABELINGS) == NAMES


@given(
    classes=st.lists(st.integers(-20, 20), min_size=2, max_size=6, unique=True).map(sorted),
    score=st.integers(-100, 100).map(lambda quarters: quarters / 4),
)
def test_rounding_gives_the_nearest_class_and_the_higher_of_two(classes, score):
    values = np.array(classes)
    away = np.abs(values - score)
    nearest = np.flatnonzero(away == away.min())[-1]
    assert labels_of(rounding_thresholds(values), score) == nearest


def test_rounding_to_positions_is_rounding_to_the_first_whole_numbers():
    assert rounding_thresholds(5).tolist() == rounding_thresholds(range(5)).tolist()


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=5), st.integers(-4, 4))
def test_biases_in_any_order_label_by_how_many_are_at_or_below_the_score(biases, score):
    counted = sum(bias <= score for bias in biases)
    assert labels_of(bias_thresholds(np.array(biases, float)), score) == counted


def test_a_rounded_line_is_that_of_least_squares():
    scores, labels = noisy()
    weights = np.arange(len(scores)) % 3 + 1.0
    slope, level = np.polyfit(scores, labels, 1, w=np.sqrt(weights))
    rounded = np.clip(np.floor(slope * scores + level + 0.5), 0, 3)
    thresholds = line_thresholds(scores, labels, weights, 4)
    assert (labels_of(thresholds, scores) == rounded).all()


def test_a_line_that_does_not_rise_gives_every_row_one_class():
    scores, labels = noisy()
    for some in (-scores, np.ones(len(scores))):
        thresholds = line_thresholds(some, labels, np.ones(len(labels)), 4)
        assert set(labels_of(thresholds, some)) == {round(labels.mean())}


@pytest.mark.parametrize("objective", COSTS)
def test_likelihood_thresholds_are_exact_to_the_last_bit(objective):
    scores, labels = noisy()
    model = ProportionalOddsModel.fit(scores, labels, np.ones(len(scores)), 4)
    cost = resolve_objective(objective, 4).cost
    thresholds = likelihood_thresholds(model, cost)
    (k,) = np.nonzero(np.isfinite(thresholds))
    assert len(k) >= 2  # an outer class that is never best has a threshold at infinity
    edges = thresholds[k]
    for edge, expected in ((edges, k + 1), (np.nextafter(edges, -np.inf), k)):
        assert (model.probabilities(edge) @ cost.T).argmin(axis=1).tolist() == expected.tolist()


def expected_kappa(cuts, soft, disagreement):
    """The kappa of the confusion to expect of cuts, from the weight of each class at each score."""
    confusion = np.zeros_like(disagreement)
    for j, weights in enumerate(soft):
        confusion[naive.label_by(cuts, j)] += weights
    by_chance = np.outer(confusion.sum(axis=1), confusion.sum(axis=0)) / confusion.sum()
    return 1 - (disagreement * confusion).sum() / (disagreement * by_chance).sum()


@given(problem=problems().filter(enough_classes), kappa=st.sampled_from(KAPPAS))
def test_likelihood_thresholds_of_a_kappa_are_best_for_the_expected_confusion(problem, kappa):
    k = problem.n_classes
    weights = np.ones(len(problem.scores)) if problem.weights is None else problem.weights
    model = ProportionalOddsModel.fit(problem.scores, problem.labels, weights.astype(float), k)
    given_rows = problem.scores, problem.labels, k, kappa, problem.weights
    result = find_labeling(labeling_problem(*given_rows, model=model), "likelihood")
    distinct = np.unique(problem.scores[weights > 0])
    totals = np.array([weights[problem.scores == score].sum() for score in distinct])
    soft = model.probabilities(distinct) * totals[:, None]
    disagreement = resolve_objective(kappa, k).cost
    best = max(
        expected_kappa(cuts, soft, disagreement) for cuts in naive.every_labeling(len(distinct), k)
    )
    cuts = np.searchsorted(distinct, result.thresholds)
    assert expected_kappa(cuts, soft, disagreement) == pytest.approx(best, abs=1e-9)
    assert result.certificate.startswith("greatest value of the confusion")


@given(
    problem=problems().filter(enough_classes),
    objective=st.sampled_from(OBJECTIVES),
    labeling=st.sampled_from(NAMES),
)
def test_the_value_of_every_labeling_is_that_of_its_predictions(problem, objective, labeling):
    k = problem.n_classes
    weights = np.ones(len(problem.scores)) if problem.weights is None else problem.weights
    model = ProportionalOddsModel.fit(problem.scores, problem.labels, weights.astype(float), k)
    factors = np.arange(1.0, k + 1)
    given_rows = problem.scores, problem.labels, k, objective, problem.weights
    result = find_labeling(labeling_problem(*given_rows, factors=factors, model=model), labeling)
    predicted = result.predict(problem.scores)
    judged = {"classes": range(k), "sample_weight": problem.weights, "class_weight": factors}
    value = ordcut.evaluate(problem.labels, predicted, objective, **judged)
    assert result.value == pytest.approx(value, abs=1e-12)


@given(problem=problems(), labeling=st.sampled_from(["biases", "rounding"]))
def test_thresholds_can_move_within_their_ranges_without_changing_a_label(problem, labeling):
    k = problem.n_classes
    biases = np.linspace(1.5, -1.5, k - 1)
    given_rows = problem.scores, problem.labels, k, "absolute", problem.weights
    result = find_labeling(labeling_problem(*given_rows, biases=biases), labeling)
    weights = np.ones(len(problem.scores)) if problem.weights is None else problem.weights
    scores = problem.scores[weights > 0]
    low, high = result.ranges.T
    assert ((low <= result.thresholds) & (result.thresholds <= high)).all()
    labels = labels_of(result.thresholds, scores)
    assert (labels_of(high, scores) == labels).all()
    assert (labels_of(np.nextafter(low, np.inf), scores) == labels).all()


@pytest.mark.parametrize("smoothing", [0, 0.5, "auto"])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_optimal_labeling_is_that_of_optimal_thresholds(objective, smoothing):
    scores, labels = noisy()
    weights, factors = np.arange(len(scores)) % 4, np.array([1.0, 2.0, 1.0, 3.0])
    problem = labeling_problem(
        scores, labels, 4, objective, weights, factors=factors, smoothing=smoothing
    )
    options = {"sample_weight": weights, "class_weight": factors, "smoothing": smoothing}
    best = ordcut.optimal_thresholds(scores, labels, objective=objective, **options)
    assert find_labeling(problem, "optimal") == best


# Labelings of counts


def compared(scores, labels, classes, objective="absolute"):
    """The comparison of a report, which has labelings of counts between its candidates."""
    rows = Rows.read(scores, labels, classes=classes)
    return compare(ArraySource(rows), resolve_objective(objective, rows.classes))


def labelings_in(comparison, objective="absolute"):
    return {labeling.name: labeling.thresholds[objective] for labeling in comparison.labelings}


def test_class_means_are_halfway_between_the_means_of_the_rows():
    scores, labels = noisy(2000)
    means = np.array([scores[labels == k].mean() for k in range(4)])
    result = labelings_in(compared(scores, labels, range(4)))["class means"]
    np.testing.assert_allclose(result, (means[:-1] + means[1:]) / 2, atol=0.02)


def test_class_means_of_classes_that_do_not_occur_are_interpolated():
    scores, labels = noisy(500, n_classes=3)
    with_gap = labelings_in(compared(scores, np.array([0, 2, 3])[labels], range(4)))["class means"]
    plain = labelings_in(compared(scores, labels, range(3)))["class means"]
    assert with_gap[:2].mean() == pytest.approx(plain[0], abs=0.02)
    assert with_gap[2] == pytest.approx(plain[1], abs=0.02)


def test_class_means_are_at_candidates():
    comparison = compared(*noisy(), range(4))
    means = labelings_in(comparison)["class means"]
    assert np.isin(means, comparison.candidates.positions).all()


def test_class_shares_give_each_class_as_many_rows_as_have_it():
    scores, labels = noisy()
    result = labelings_in(compared(scores, labels, range(4)))["class shares"]
    predicted = labels_of(result, scores)
    np.testing.assert_allclose(np.bincount(predicted), np.bincount(labels), atol=2)


@pytest.mark.parametrize("objective", COSTS)
def test_the_likelihood_of_counts_is_close_to_that_of_the_rows(objective):
    scores, labels = noisy(2000)
    model = ProportionalOddsModel.fit(scores, labels, np.ones(len(scores)), 4)
    of_rows = likelihood_thresholds(model, resolve_objective(objective, 4).cost)
    comparison = compared(scores, labels, range(4), objective)
    result = labelings_in(comparison, objective)["ordinal logistic model"]
    ends = scores.min(), scores.max()  # beyond them, a threshold changes no label
    np.testing.assert_allclose(np.clip(result, *ends), np.clip(of_rows, *ends), atol=0.02)


@pytest.mark.parametrize("kappa", KAPPAS)
def test_the_likelihood_of_counts_is_best_for_the_kappa_that_the_model_expects(kappa):
    scores, labels = noisy(12, n_classes=3, seed=2)
    comparison = compared(scores, labels, range(3), kappa)
    known = comparison.candidates
    result = labelings_in(comparison, kappa)["ordinal logistic model"]
    counts = np.diff(np.vstack([0 * known.totals, known.below, known.totals]), axis=0)
    edges = np.concatenate([known.positions[:1], known.positions, known.positions[-1:]])
    centres = (edges[:-1] + edges[1:]) / 2  # an outer bin has the position next to it
    some, codes = np.nonzero(counts)
    model = ProportionalOddsModel.fit(centres[some], codes, counts[some, codes], 3)
    soft = model.probabilities(centres) * counts.sum(axis=1, keepdims=True)
    cost = resolve_objective(kappa, 3).cost
    every = naive.every_labeling(len(soft), 3)
    best = max(expected_kappa(cuts, soft, cost) for cuts in every)
    assert np.isin(result, [-np.inf, *known.positions, np.inf]).all()
    cuts = np.searchsorted([-np.inf, *known.positions], result)
    assert expected_kappa(cuts, soft, cost) == pytest.approx(best, abs=1e-6)


def test_only_numbers_in_ascending_order_can_be_rounded_to():
    scores, labels = noisy(n_classes=3)
    for classes, is_rounded in (([1, 2, 5], True), ([5, 2, 1], False), (["a", "b", "c"], False)):
        comparison = compared(scores, np.array(classes)[labels], classes, np.ones((3, 3)))
        assert ("rounding" in labelings_in(comparison, "custom cost")) == is_rounded


def test_without_positions_only_rounding_is_left():
    comparison = compared([1.0] * 7, [0, 1] * 3 + [1], [0, 1])
    assert list(labelings_in(comparison)) == ["rounding"]
