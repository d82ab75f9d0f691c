"""Bounds for the value, against Clopper and Pearson's interval and against draws row by row."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

import ordcut
from tests.tables import OBJECTIVES
from tests.uncertainty.uncertainty_rows import noisy


def bounds_of(scores, labels, objective, thresholds, **options):
    """The bounds for the value of given thresholds: no others are allowed."""
    fixed = [ordcut.Fixed(k, value) for k, value in enumerate(thresholds)]
    result = ordcut.optimal_thresholds(
        scores, labels, objective=objective, constraints=fixed, **options
    )
    return result.bootstrap(n=2).value_bounds


# Few errors


def check_against_clopper_and_pearson(bounds, n_errors, n_rows):
    for level in (0.5, 0.9, 0.99):
        tail = (1 - level) / 2
        close = 5 * np.sqrt(tail * (1 - tail) / len(bounds.good))
        if n_errors > 0:
            low = beta.ppf(tail, n_errors, n_rows - n_errors + 1)
            assert np.mean(bounds.good < low) == pytest.approx(tail, abs=close)
        if n_errors < n_rows:
            high = beta.ppf(1 - tail, n_errors + 1, n_rows - n_errors)
            assert np.mean(bounds.bad > high) == pytest.approx(tail, abs=close)


@given(n_rows=st.integers(1, 300), share=st.floats(0, 1))
@settings(max_examples=40)
def test_the_bounds_of_a_rate_of_errors_are_those_of_clopper_and_pearson(n_rows, share):
    n_errors = round(share * n_rows)
    labels = (np.arange(n_rows) < n_errors).astype(int)
    # Every row is labelled 0.
    bounds = bounds_of(np.zeros(n_rows), labels, "zero_one", [1.0], classes=[0, 1])
    check_against_clopper_and_pearson(bounds, n_errors, n_rows)


@pytest.mark.parametrize(("n_rows", "n_errors"), [(1, 0), (2, 0), (2, 1), (3, 1), (20, 4)])
def test_few_rows_with_costs_of_their_own_have_the_bounds_of_clopper_and_pearson(n_rows, n_errors):
    costs = [[1, 0]] * n_errors + [[0, 1]] * (n_rows - n_errors)
    result = ordcut.optimal_thresholds(np.zeros(n_rows), costs=costs)
    assert result.value == n_errors / n_rows
    check_against_clopper_and_pearson(result.bootstrap(n=5).value_bounds, n_errors, n_rows)


@pytest.mark.parametrize("n_rows", [3, 200, 10_000])
def test_the_interval_of_separated_classes_starts_at_0_and_ends_beyond_the_exact_one(n_rows):
    labels = np.arange(n_rows) > n_rows // 2
    boot = ordcut.optimal_thresholds(np.arange(n_rows), labels, objective="zero_one").bootstrap(5)
    low, high = boot.value_interval(0.95)
    assert boot.result.value == low == 0
    exact = 1 - 0.025 ** (1 / n_rows)
    assert exact * 0.97 <= high <= min(1, 3 * exact)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("class_weight", [None, "balanced", [1, 0.5, 2]])
def test_no_interval_is_of_no_width_where_all_labels_are_right(objective, class_weight):
    scores = np.arange(30.0)
    result = ordcut.optimal_thresholds(
        scores, scores // 10, objective=objective, class_weight=class_weight
    )
    low, high = result.bootstrap(n=5).value_interval()
    perfect = 1.0 if result.value == 1 else 0.0
    assert result.value == perfect
    assert low < high
    assert perfect in (low, high)


def test_an_objective_that_balances_the_classes_has_the_interval_of_balanced_weights():
    scores, labels = noisy(120)
    by_name, by_weight = (
        ordcut.optimal_thresholds(scores, labels, **options).bootstrap(n=20, random_state=0)
        for options in (
            {"objective": "macro_mae"},
            {"objective": "absolute", "class_weight": "balanced"},
        )
    )
    assert by_name.value_interval() == pytest.approx(by_weight.value_interval(), rel=1e-12)


def test_the_worst_cost_counts_even_if_no_row_shows_it():
    labels = np.arange(200) // 100
    exact = 1 - 0.025 ** (1 / 200)  # the rate of what none of 200 rows shows, at most
    for cost in (1, 100):
        objective = [[0, 1, cost], [1, 0, 1], [1, 1, 0]]
        result = ordcut.optimal_thresholds(range(200), labels, objective=objective)
        high = result.bootstrap(n=5).value_interval()[1]
        assert 0.97 * cost * exact <= high <= 3 * cost * exact


# Draws


def naive_draws(labels, predicted, objective, extra, class_weight, n_draws=600):
    """Give each row an exponential weight, those of some more rows and then judge the labels."""
    rng = np.random.default_rng(1)
    more = np.array(extra)
    labels, predicted = np.append(labels, more[:, 1]), np.append(predicted, more[:, 0])
    n_classes = int(max(labels.max(), predicted.max())) + 1
    return [
        ordcut.evaluate(
            labels,
            predicted,
            objective,
            classes=range(n_classes),
            sample_weight=rng.exponential(size=len(labels)),
            class_weight=class_weight,
        )
        for _ in range(n_draws)
    ]


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("class_weight", [None, "balanced", [6, 0.5, 4, 1]])
def test_draws_are_those_of_rows_with_exponential_weights(objective, class_weight):
    scores, labels = noisy(80)
    thresholds = [0.4, 1.5, 2.5]
    predicted = np.searchsorted(thresholds, scores, side="right")
    bounds = bounds_of(scores, labels, objective, thresholds, class_weight=class_weight)

    def loss(entry):
        value = ordcut.evaluate(
            np.append(labels, entry[1]),
            np.append(predicted, entry[0]),
            objective,
            class_weight=class_weight,
        )
        return -value if bounds.is_maximised else value

    best, *_, worst = sorted(np.ndindex(4, 4), key=loss)
    wrong = [max((k, k + 1), (k + 1, k), key=loss) for k in range(3)]  # one at each threshold
    for drawn, extra in (
        (bounds.good, [best]),
        (bounds.bad, [worst]),
        (bounds.overfitted, [worst, *wrong]),
    ):
        naive = naive_draws(labels, predicted, objective, extra, class_weight)
        for level in (0.05, 0.5, 0.95):
            # 600 draws have a standard error of 0.02 at most in the share below a quantile.
            assert np.mean(naive <= np.quantile(drawn, level)) == pytest.approx(level, abs=0.08)


#: Costs of decisions about three classes, and thresholds between the decisions.
OTHER_DECISIONS = {
    "all cost less below": ([[0, 0, 5], [1, 2, 6]], [1.0]),
    "all cost less above": ([[3, 7, 2], [1, 1, 1]], [1.0]),
    "the classes around": ([[0, 1, 5], [5, 1, 0]], [1.0]),
    "two thresholds": ([[0, 4, 9], [3, 0, 3], [9, 4, 0]], [0.5, 1.5]),
    "equal thresholds": ([[0, 4, 9], [3, 0, 3], [9, 4, 0]], [1.0, 1.0]),
}


@pytest.mark.parametrize("name", OTHER_DECISIONS)
def test_draws_for_other_decisions_have_a_row_on_the_wrong_side_of_each_threshold(name):
    cost, thresholds = OTHER_DECISIONS[name]
    cost = np.array(cost, float)
    scores, labels = noisy(80, n_classes=3)
    decided = np.searchsorted(thresholds, scores, side="right")
    names = [f"decision {k}" for k in range(len(cost))]
    bounds = bounds_of(scores, labels, cost, thresholds, decisions=names)
    wrong = []
    for k in range(len(thresholds)):
        if k > 0 and thresholds[k] == thresholds[k - 1]:
            continue
        below, above = np.flatnonzero(cost[k] < cost[k + 1]), np.flatnonzero(cost[k + 1] < cost[k])
        lower = below[-1] if len(below) else cost[k + 1].argmax()
        upper = above[0] if len(above) else cost[k].argmax()
        wrong.append(max((k, upper), (k + 1, lower), key=lambda entry: cost[entry]))
    worst = np.unravel_index(cost.argmax(), cost.shape)
    random = np.random.default_rng(1)
    paid = np.array([*cost[decided, labels], *(cost[entry] for entry in [worst, *wrong])])
    weights = random.exponential(size=(600, len(paid)))
    naive = weights @ paid / weights.sum(axis=1)
    for level in (0.05, 0.5, 0.95):
        quantile = np.quantile(bounds.overfitted, level)
        assert np.mean(naive <= quantile) == pytest.approx(level, abs=0.08)


# Laws


def same_draws(one, other):
    return all(
        getattr(one, name).tolist() == getattr(other, name).tolist()
        for name in ("good", "bad", "overfitted")
    )


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_weight_of_3_is_three_rows(objective):
    scores, labels = noisy(40)
    weights = np.random.default_rng(0).integers(1, 4, 40)
    find = ordcut.optimal_thresholds
    weighted = find(scores, labels, objective=objective, sample_weight=weights).bootstrap(n=5)
    repeated = find(np.repeat(scores, weights), np.repeat(labels, weights), objective=objective)
    assert same_draws(weighted.value_bounds, repeated.bootstrap(n=5).value_bounds)


def test_only_ratios_of_fractional_weights_count_and_constant_ones_are_none():
    scores, labels = noisy(60)
    weights = np.random.default_rng(0).random(60)
    ends = [
        ordcut.optimal_thresholds(scores, labels, sample_weight=some)
        .bootstrap(n=5)
        .value_interval()
        for some in (weights, weights / 4, np.full(60, 0.3), None)
    ]
    np.testing.assert_allclose(ends[0], ends[1])
    np.testing.assert_allclose(ends[2], ends[3])


def test_unequal_weights_spread_the_draws_as_much_as_the_rows_do():
    scores, labels = noisy(300)
    weights = np.random.default_rng(0).exponential(size=300)
    result = ordcut.optimal_thresholds(scores, labels, sample_weight=weights)
    loss = np.abs(result.codes(scores) - labels)
    spread = np.sqrt(np.sum((weights * (loss - result.value)) ** 2)) / weights.sum()
    assert np.std(result.bootstrap(n=5).value_bounds.good) == pytest.approx(spread, rel=0.05)


def test_costs_of_rows_are_bounded_like_those_of_a_cost_matrix():
    scores, labels = noisy(300)
    for weights in (None, np.random.default_rng(0).exponential(size=300)):
        plain = ordcut.optimal_thresholds(scores, labels, sample_weight=weights)
        costs = np.abs(np.arange(4) - labels[:, None])
        by_row = ordcut.optimal_thresholds(scores, costs=costs, sample_weight=weights)
        assert by_row.thresholds.tolist() == plain.thresholds.tolist()
        one, other = (result.bootstrap(n=5).value_bounds for result in (plain, by_row))
        for name in ("good", "bad"):
            middle, spread = np.mean(getattr(one, name)), np.std(getattr(one, name))
            assert np.mean(getattr(other, name)) == pytest.approx(middle, rel=0.02)
            assert np.std(getattr(other, name)) == pytest.approx(spread, rel=0.1)


def test_one_hot_labels_are_labels():
    scores, labels = noisy(60)
    plain = ordcut.optimal_thresholds(scores, labels).bootstrap(n=5)
    soft = ordcut.optimal_thresholds(scores, np.eye(4)[labels]).bootstrap(n=5)
    assert same_draws(plain.value_bounds, soft.value_bounds)


def test_better_thresholds_have_better_bounds_and_all_stay_within_the_costs():
    rows = noisy(100)
    for objective in ("squared", "quadratic_kappa"):
        good, poor = (bounds_of(*rows, objective, at) for at in ([0.5, 1.5, 2.5], [5, 6, 7]))
        sign = -1 if good.is_maximised else 1
        assert sign * good.interval(0.9, 0.0)[0] < sign * poor.interval(0.9, 0.0)[0]
        assert good.least <= good.good[0]
        assert good.bad[-1] <= good.most
