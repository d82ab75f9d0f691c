"""Exact for every finite input: against a brute force in fractions."""

from fractions import Fraction

import numpy as np
import pytest

import ordcut
from ordcut._core.numerics import exact
from ordcut._core.solvers import METHODS
from tests import naive
from tests.solvers.adversarial import check_additive, check_balanced, check_kappa, check_row_costs
from tests.tables import BALANCED, KAPPAS

# `make bench-exact` runs 20 000 of each.


@pytest.mark.parametrize("part", range(4))
def test_every_method_finds_the_lowest_optimum_in_exact_arithmetic_or_refuses(part):
    outcomes = [check_additive(seed) for seed in range(100 * part, 100 * (part + 1))]
    assert np.count_nonzero(outcomes) > 70  # refusals are the exception


@pytest.mark.parametrize("part", range(2))
def test_kappas_are_maximal_and_lowest_in_exact_arithmetic(part):
    outcomes = [check_kappa(seed) for seed in range(10**6 + 60 * part, 10**6 + 60 * (part + 1))]
    assert np.count_nonzero(outcomes) > 30


def test_costs_of_each_row_are_added_up_without_rounding_below_0_too():
    n_solved = [check_row_costs(seed) for seed in range(150)]
    assert np.count_nonzero(n_solved) > 100
    costs = [[-1e17, -1e17], [0, 1], [0, 1], [1, 0], [1, 0]]
    assert ordcut.optimal_thresholds(range(5), costs=costs).thresholds.tolist() == [2.5]


@pytest.mark.parametrize("seed", [3_001_124, 3_002_360])
def test_weights_times_costs_are_not_rounded(seed):
    assert check_row_costs(seed) > 0


@pytest.mark.parametrize("part", range(2))
def test_balanced_classes_count_the_same_in_exact_arithmetic(part):
    n_solved = [check_balanced(seed) for seed in range(120 * part, 120 * (part + 1))]
    assert np.count_nonzero(n_solved) > 70


def test_a_tie_of_balanced_classes_is_not_decided_by_rounding():
    labels = np.repeat([0, 1], [1_000_003, 1_500_007])
    result = ordcut.optimal_thresholds(np.zeros(len(labels)), labels, objective="balanced_accuracy")
    assert result.thresholds.tolist() == [-np.inf]


@pytest.mark.parametrize("objective", BALANCED)
def test_the_value_of_balanced_classes_is_that_of_predicting_again_to_the_last_bit(objective):
    for seed in range(40):
        random = np.random.default_rng(seed)
        labels = np.append(random.integers(0, 3, 40), [0, 1, 2])
        scores, weights = labels + random.normal(size=43), random.random(43)
        result = ordcut.optimal_thresholds(
            scores, labels, objective=objective, sample_weight=weights
        )
        predicted = result.predict(scores)
        again = ordcut.evaluate(labels, predicted, objective, sample_weight=weights)
        assert result.value == again


def test_costs_that_mean_never_do_not_hide_the_others():
    labels = [0, 1, 1, 1, 2, 2, 2]
    options = [
        {"sample_weight": [1e17, 1, 1, 1, 1, 1, 1]},
        {"class_weight": {0: 1e17}},
        {"objective": [[0, 1, 2], [1e16, 0, 1], [2e16, 1, 0]]},
    ]
    for given in options:
        for method in set(METHODS) - {"zero_one", "segments"}:
            result = ordcut.optimal_thresholds(range(7), labels, method=method, **given)
            assert result.thresholds.tolist() == [0.5, 3.5]


def test_a_matrix_that_is_not_convex_is_not_taken_for_one_that_is():
    cost = [[0, 1, 2e18], [1, 0, 1e18], [1, 1, 0]]
    rows = range(10), [1] + [0] * 9
    result = ordcut.optimal_thresholds(*rows, objective=cost, classes=[0, 1, 2])
    assert result.value == 0.1
    assert result.certificate == "dynamic programme over all ordered labelings"
    with pytest.raises(ordcut.CrossedThresholdsError):
        ordcut.optimal_thresholds(*rows, objective=cost, classes=[0, 1, 2], method="io")


def test_pruning_is_exact_where_sums_exceed_what_floats_hold():
    n = 120_000
    scores = np.concatenate([np.linspace(0, 1, n), [20, 40, 40.001], np.linspace(100, 101, n)])
    labels = np.concatenate([np.zeros(n, int), [1, 0, 1], np.ones(n, int)])
    cost = [[0, 1e11], [1e11 + 1, 0]]
    for method in ("auto", "nested", "pruned", "dp"):
        result = ordcut.optimal_thresholds(scores, labels, objective=cost, method=method)
        assert result.thresholds.tolist() == [40.0005]


@pytest.mark.parametrize("name", KAPPAS)
@pytest.mark.parametrize("factor", [3e9, 7e8, 0.1, 1 / 3, 1e-30])
def test_a_common_factor_of_all_weights_changes_no_kappa(name, factor):
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 4, 60)
    scores = np.round(labels + rng.normal(size=60), 1)
    plain = ordcut.optimal_thresholds(scores, labels, objective=name)
    for method in ("auto", "dp", "pruned"):
        result = ordcut.optimal_thresholds(
            scores, labels, objective=name, sample_weight=np.full(60, factor), method=method
        )
        assert result.thresholds.tolist() == plain.thresholds.tolist()


def test_an_objective_made_by_hand_is_checked_like_a_kappa():
    with pytest.raises(ValueError, match="must not be negative"):
        ordcut.Objective("mine", np.array([[0.0, -1.0], [1.0, 0.0]]), is_kappa=True)
    with pytest.raises(ValueError, match="must be 0 on the diagonal"):
        ordcut.Objective("mine", np.eye(2), is_kappa=True)


def test_a_kappa_that_some_prediction_leaves_undefined_says_which():
    forgiving = ordcut.Kappa(lambda k, truth: max(0, abs(k - truth) - 1))
    with pytest.raises(ValueError, match="if the class at position 1 is predicted for every row"):
        ordcut.optimal_thresholds([1, 2, 3, 4], [0, 1, 2, 1], objective=forgiving)
    result = ordcut.optimal_thresholds(
        [1, 2, 3, 4], [0, 0, 3, 3], objective=forgiving, classes=range(4)
    )
    assert result.value == 1.0


def test_weights_that_differ_beyond_the_range_of_floats_are_refused():
    with pytest.raises(ValueError, match="must not differ too much in magnitude"):
        ordcut.optimal_thresholds([1, 2], [0, 1], sample_weight=[1e-300, 1e300])
    with pytest.raises(ValueError, match="must not differ too much in magnitude to be balanced"):
        ordcut.optimal_thresholds(
            [1, 2], [0, 1], sample_weight=[1e-250, 1e59], objective="balanced_accuracy"
        )


@pytest.mark.parametrize("n_values", [50, 6000])
def test_exact_sums_of_weights_are_those_of_fractions(n_values):
    # Few distinct weights are looked at one by one; many count as the floats that they are.
    random = np.random.default_rng(n_values)
    weights = random.choice(random.random(n_values) * 2.0 ** random.integers(-9, 9, n_values), 9000)
    keys = random.integers(0, 3, len(weights))
    expected = [Fraction(0)] * 3
    for key, weight in zip(keys.tolist(), weights.tolist(), strict=True):
        expected[key] += naive.meaning(weight, 10_000) if n_values <= 4096 else Fraction(weight)
    assert exact.exact_totals(keys, 3, weights).tolist() == expected
    multiples, unit = exact.exact_multiples(weights)
    assert [int(multiples[keys == key].sum()) * unit for key in range(3)] == expected


def test_pruning_keeps_rows_whose_weights_vanish_next_to_others():
    rows = [1, 1, 4, 1, 1, 2, 4], [1, 2, 2, 1, 2, 1, 2]
    weights = [2.4e-14, 2.2e-146, 1.3e49, 6e-290, 9.7e-274, 1.6e-294, 2.2e-205]
    options = {"objective": ordcut.Kappa([[0, 2, 3], [4, 0, 3], [4, 2, 0]]), "classes": range(3)}
    result, expected = (
        ordcut.optimal_thresholds(*rows, sample_weight=weights, method=method, **options)
        for method in ("pruned", "dp")
    )
    assert result.thresholds.tolist() == expected.thresholds.tolist()


@pytest.mark.parametrize("objective", KAPPAS)
def test_whole_class_weights_of_a_kappa_are_those_of_the_rows_up_to_any_size(objective):
    for seed in range(30):
        random = np.random.default_rng(seed)
        labels = random.permutation(np.arange(random.choice([50, 200, 1000, 4000])) % 5)
        scores = np.round(labels + random.normal(size=len(labels)), 2)
        factors = random.integers(1, [10, 100, 1000][seed % 3], 5)
        options = {"objective": objective}
        by_class = ordcut.optimal_thresholds(scores, labels, class_weight=factors, **options)
        by_row = ordcut.optimal_thresholds(scores, labels, sample_weight=factors[labels], **options)
        assert by_class.thresholds.tolist() == by_row.thresholds.tolist()


@pytest.mark.parametrize("objective", KAPPAS)
@pytest.mark.parametrize("factor", [0, 0.3, 1e10, 1e30, 1e300])
def test_what_a_class_counts_that_does_not_occur_is_irrelevant_for_a_kappa(objective, factor):
    random = np.random.default_rng(0)
    labels = random.permutation(np.arange(200) % 3)
    scores = np.round(labels + random.normal(size=200), 1)
    options = {"objective": objective, "classes": range(4)}
    result = ordcut.optimal_thresholds(scores, labels, class_weight={3: factor}, **options)
    expected = ordcut.optimal_thresholds(scores, labels, **options)
    assert result.thresholds.tolist() == expected.thresholds.tolist()
    assert result.value == expected.value
