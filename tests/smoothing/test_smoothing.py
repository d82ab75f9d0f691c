"""Thresholds on observed labels blended with the probabilities of a model of the scores."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

import ordcut
from ordcut._core.data import Rows
from ordcut._core.objectives.named import resolve_objective
from ordcut._core.smoothing import smooth
from tests.smoothing.smoothed_rows import MOST_CELLS, counted, modelled, noisy, standardised
from tests.strategies import enough_classes, find, problems
from tests.tables import COSTS, OBJECTIVES
from tests.uncertainty.uncertainty_rows import draw_samples

AMOUNTS = st.sampled_from([0.3, 0.75, 1, "auto"])


@given(problem=problems().filter(enough_classes), objective=st.sampled_from(OBJECTIVES))
def test_no_smoothing_is_the_plain_optimum(problem, objective):
    rows = problem.scores, problem.labels, problem.n_classes, objective
    assert find(*rows, smoothing=0) == find(*rows)


@settings(max_examples=30)
@given(
    problem=problems().filter(enough_classes),
    objective=st.sampled_from(OBJECTIVES),
    smoothing=AMOUNTS,
    random=st.randoms(use_true_random=False),
)
def test_the_order_of_the_rows_is_irrelevant(problem, objective, smoothing, random):
    order = list(range(len(problem.scores)))
    random.shuffle(order)
    options = {"objective": objective, "smoothing": smoothing}
    straight = find(problem.scores, problem.labels, problem.n_classes, **options)
    shuffled = find(problem.scores[order], problem.labels[order], problem.n_classes, **options)
    assert straight == shuffled


@settings(max_examples=30)
@given(
    problem=problems().filter(enough_classes),
    objective=st.sampled_from(OBJECTIVES),
    smoothing=AMOUNTS,
)
def test_a_whole_weight_equals_that_many_repeats(problem, objective, smoothing):
    weights = np.ones(len(problem.scores), int) if problem.weights is None else problem.weights
    options = {"objective": objective, "smoothing": smoothing}
    weighted = find(
        problem.scores, problem.labels, problem.n_classes, sample_weight=weights, **options
    )
    scores, labels = np.repeat(problem.scores, weights), np.repeat(problem.labels, weights)
    assert weighted == find(scores, labels, problem.n_classes, **options)


@settings(max_examples=30)
@given(
    problem=problems(most_rows=20).filter(enough_classes),
    objective=st.sampled_from(COSTS),
    smoothing=st.sampled_from([0.3, 0.75, 1]),
)
def test_thresholds_are_optimal_for_the_blend(problem, objective, smoothing):
    rows = problem.scores, problem.labels, problem.n_classes
    at, counts = counted(*rows)
    result = find(*rows, objective, smoothing=smoothing)
    chances = modelled(*rows).probabilities
    blend = (1 - smoothing) * counts + smoothing * chances * counts.sum(axis=1, keepdims=True)
    best = ordcut.optimal_thresholds(at, blend, objective=objective).value
    cost = resolve_objective(objective, problem.n_classes).cost
    reached = (cost[result.codes(at)] * blend).sum() / blend.sum()
    assert reached == pytest.approx(best, abs=1e-4)  # weights are counted in millionths


def test_smoothing_by_1_is_the_least_expected_cost_under_the_model():
    scores, labels = noisy(500, 5)
    model = modelled(scores, labels, 5)
    for objective in OBJECTIVES:
        by_model = ordcut.optimal_thresholds(model.scores, model.probabilities, objective=objective)
        result = find(scores, labels, 5, objective, smoothing=1)
        np.testing.assert_array_equal(result.thresholds, by_model.thresholds)


@pytest.mark.parametrize("smoothing", [0.6, "auto"])
def test_all_methods_return_the_same_thresholds(smoothing):
    scores, labels = noisy(3000, 6)
    first = find(scores, labels, 6, smoothing=smoothing)
    for method in ("dp", "io", "pio", "blocks", "pruned"):
        other = find(scores, labels, 6, smoothing=smoothing, method=method)
        np.testing.assert_array_equal(other.thresholds, first.thresholds)


@settings(max_examples=30)
@given(problem=problems().filter(enough_classes), smoothing=AMOUNTS)
def test_the_value_is_that_on_the_labels_as_observed(problem, smoothing):
    result = find(problem.scores, problem.labels, problem.n_classes, "squared", smoothing=smoothing)
    off = result.codes(problem.scores) - problem.labels
    assert result.value == pytest.approx((off**2).mean())


def test_how_far_thresholds_can_move_is_judged_on_the_labels_as_observed():
    scores, labels = noisy(300, 4)
    result = find(scores, labels, 4, smoothing="auto")
    for k, edges in enumerate(result.near_optimal(tolerance=0.02)):
        moved = result.thresholds.copy()
        moved[k] = edges[0] / 2 + np.nextafter(edges[1], edges[0]) / 2
        loss = np.abs(np.searchsorted(moved, scores, side="right") - labels).mean()
        assert loss <= 1.02 * result.value + 1e-12


@pytest.mark.parametrize("objective", ["absolute", "quadratic_kappa"])
def test_a_bootstrap_smooths_each_sample_as_the_thresholds_were(objective):
    scores, labels = noisy(300, 4)
    result = find(scores, labels, 4, objective, smoothing=0.75)
    sample = result.bootstrap(n=20)
    drawn = draw_samples(scores, labels, sample, 20)
    for rows, thresholds in zip(drawn, sample.thresholds, strict=True):
        again = find(rows.scores, rows.codes, 4, objective, smoothing=0.75)
        assert thresholds.tolist() == again.thresholds.tolist()
    plain = find(scores, labels, 4, objective).bootstrap(n=20)
    assert sample.thresholds.std(axis=0).sum() < plain.thresholds.std(axis=0).sum()


def test_the_scale_of_fractional_weights_is_irrelevant():
    scores, labels = noisy(300, 4)
    weights = np.random.default_rng(1).random(300)
    first = find(scores, labels, 4, sample_weight=weights, smoothing="auto")
    for scale in (1 / weights.sum(), 1e6):
        other = find(scores, labels, 4, sample_weight=weights * scale, smoothing="auto")
        np.testing.assert_allclose(other.thresholds, first.thresholds)
        assert other.certificate == first.certificate


def test_the_value_with_class_weights_does_not_depend_on_the_order_of_the_rows():
    random = np.random.default_rng(0)
    for _ in range(20):
        y = random.integers(0, 5, 300)
        scores, weights, order = y + random.normal(size=300), y % 4, random.permutation(300)
        options = {"objective": "quadratic_kappa", "class_weight": "balanced", "smoothing": 0.5}
        one = ordcut.optimal_thresholds(scores, y, sample_weight=weights, **options)
        other = ordcut.optimal_thresholds(
            scores[order], y[order], sample_weight=weights[order], **options
        )
        assert (one.thresholds.tolist(), one.value) == (other.thresholds.tolist(), other.value)


@pytest.mark.parametrize("weights", [1, np.random.default_rng(4).integers(1, 5, 300)])
def test_class_weights_equal_the_row_weights_they_stand_for(weights):
    scores, labels = noisy(300, 4)
    weights = np.broadcast_to(weights, 300)
    factors = np.array([1.0, 2.5, 0.5, 3.0])
    options = {"sample_weight": weights, "class_weight": factors}
    by_class = find(scores, labels, 4, **options, smoothing="auto")
    by_row = find(scores, labels, 4, sample_weight=factors[labels] * weights, smoothing="auto")
    np.testing.assert_array_equal(by_class.thresholds, by_row.thresholds)
    assert by_class.value == pytest.approx(by_row.value)


def test_soft_labels_of_one_class_each_equal_plain_labels():
    scores, labels = noisy(300, 4)
    soft = find(scores, np.eye(4)[labels], 4, smoothing="auto")
    assert soft == find(scores, labels, 4, smoothing="auto")


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_scores_of_low_precision_keep_it(kind):
    scores, labels = noisy(400, 3)
    result = find(scores.astype(kind), labels, 3, smoothing=0.5)
    inside = np.isfinite(result.ranges).all(axis=1)
    assert np.isin(result.ranges[inside], scores.astype(kind).astype(float)).all()


@pytest.mark.parametrize("smoothing", [-1e-9, 1 + 1e-9, np.nan, "AUTO", True, [0.5]])
def test_an_amount_that_is_none_is_refused(smoothing):
    with pytest.raises(ValueError, match="smoothing must be a number from 0 to 1"):
        find([1.0, 2.0], [0, 1], 2, smoothing=smoothing)


# The model


def assert_sound(probabilities):
    assert np.isfinite(probabilities).all()
    assert (probabilities >= 0).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)


@given(problem=problems(most_rows=30))
def test_probabilities_add_up(problem):
    model = modelled(problem.scores, problem.labels, problem.n_classes)
    assert_sound(model.probabilities)
    occurs = np.bincount(problem.labels, minlength=problem.n_classes) > 0
    assert not model.probabilities[:, ~occurs].any()


HARD = {
    "separable": lambda z: (z, np.searchsorted([-0.5, 0.5], z)),
    "Cauchy": lambda z: (np.tan(1.5 * np.tanh(z)) ** 3, np.searchsorted([-0.5, 0.5], z)),
    "an outlier": lambda z: (np.append(z[1:], 1e300), np.searchsorted([-0.5, 0.5], z)),
    "beyond float64": lambda z: (np.sign(z) * 1.7e308, (z > 0).astype(int)),
    "constant": lambda z: (0 * z, (z > 0).astype(int)),
    "mostly one score": lambda z: (np.where(z < 1.5, 0.0, z), (z > 0.5).astype(int)),
    "backwards": lambda z: (-z, np.searchsorted([-0.5, 0.5], z)),
    "50 classes": lambda z: (z, np.clip(np.rint(12 * z + 25), 0, 49).astype(int)),
}


@pytest.mark.filterwarnings("ignore::ordcut.ReversedScoresWarning")
@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("n", [60, 6000])
def test_the_model_survives(name, n):
    scores, labels = HARD[name](np.random.default_rng(0).normal(size=n))
    assert_sound(modelled(scores, labels, 50).probabilities)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ordcut.ReversedScoresWarning)  # of the backward ones
        assert np.isfinite(find(scores, labels, 50, smoothing="auto").value)


def test_two_classes_and_many_rows_give_logistic_regression():
    scores, labels = noisy(2000, 2)
    model = modelled(scores, labels, 2)
    assert len(model.scores) <= MOST_CELLS
    order = np.argsort(scores)
    z = standardised(scores[order], np.ones(2000))[:, None]
    plain = LogisticRegression(C=1e6).fit(z, labels[order])
    at = z[np.searchsorted(scores[order], model.scores)]
    np.testing.assert_allclose(model.probabilities, plain.predict_proba(at), atol=3e-3)


#: A weight with which rows are so heavy that they are counted in equal steps of the scores.
HEAVY = 1 << 19


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("spread", [0, 20], ids=["plain", "heavy tails"])
def test_heavy_rows_have_nearly_the_model_of_light_ones(dtype, spread):
    scores, labels = noisy(20_000, 5)
    scores = (np.sinh(spread * scores) if spread else scores).astype(dtype)
    light = modelled(scores, labels, 5, np.full(20_000, HEAVY // 20_000))
    heavy = modelled(scores, labels, 5, np.full(20_000, HEAVY // 20_000 + 1))
    assert np.isin(heavy.scores, scores).all()
    assert len(heavy.scores) <= MOST_CELLS
    at = np.minimum(np.searchsorted(light.scores, heavy.scores), len(light.scores) - 1)
    np.testing.assert_allclose(heavy.probabilities, light.probabilities[at], atol=0.02)


def test_heavy_rows_of_one_score_have_the_shares_of_the_classes():
    labels = np.arange(30) % 3
    model = modelled(np.zeros(30), labels, 3, np.full(30, HEAVY))
    np.testing.assert_allclose(model.probabilities, [[1 / 3] * 3], atol=1e-3)


def test_smoothing_of_heavy_rows_depends_on_neither_their_order_nor_repeats():
    scores, labels = noisy(3000, 4)
    times = np.random.default_rng(5).integers(150, 250, 3000)
    order = np.random.default_rng(6).permutation(3000)
    assert times.sum() > HEAVY
    results = [
        ordcut.optimal_thresholds(*rows, smoothing="auto", weight_type="repeats", **weights)
        for rows, weights in (
            ((scores, labels), {"sample_weight": times}),
            ((scores[order], labels[order]), {"sample_weight": times[order]}),
            ((np.repeat(scores, times), np.repeat(labels, times)), {}),
        )
    ]
    assert results[0].certificate == results[1].certificate == results[2].certificate
    for other in results[1:]:
        assert other.thresholds.tolist() == results[0].thresholds.tolist()
        assert other.value == results[0].value


# The amount


def test_the_amount_is_named_and_the_same_every_time():
    scores, labels = noisy(300, 4)
    first, second = (find(scores, labels, 4, smoothing="auto") for _ in range(2))
    assert first == second
    assert "of labels smoothed by 0." in first.certificate


def test_smoothed_thresholds_do_better_on_new_rows_from_the_model():
    new, truth = noisy(20_000, 5, seed=99)
    gains = []
    for seed in range(20):
        scores, labels = noisy(150, 5, seed)
        plain, smoothed = (
            ordcut.evaluate(truth, find(scores, labels, 5, smoothing=s).predict(new), "absolute")
            for s in (0, "auto")
        )
        gains.append(plain - smoothed)
    assert np.mean(gains) > 0
    assert np.mean(np.array(gains) > 0) > 0.6


def test_the_share_of_the_model_is_the_amount_at_any_scale_of_whole_weights():
    scores, labels = noisy(300, 4)
    for scale in (1, 10**6, 10**9, 3 * 10**10, 10**12, 10**13):
        rows = Rows.read(scores, labels, weights=np.full(300, scale))
        for amount in (0.3, 0.75, 0.99):
            blended = smooth(rows, resolve_objective("absolute", 4), amount).rows.weights
            total = blended.sum()
            assert blended.dtype == np.float64 or 0 < total < 2**53  # sums of whole ones are exact
            assert blended[:300].sum() / total == pytest.approx(1 - amount, abs=0.002)


@pytest.mark.parametrize("smoothing", [0.75, 1, "auto"])
def test_thresholds_do_not_depend_on_the_unit_of_whole_weights(smoothing):
    scores, labels = noisy(300, 4)
    weights = np.random.default_rng(3).integers(1, 9, 300)
    options = {"smoothing": smoothing, "weight_type": "repeats"}
    first = find(scores, labels, 4, sample_weight=weights * 10**9, **options)
    for unit in (10**11, 10**12):
        other = find(scores, labels, 4, sample_weight=weights * unit, **options)
        assert other.thresholds.tolist() == first.thresholds.tolist()


@pytest.mark.filterwarnings("ignore::ordcut.ReversedScoresWarning")
def test_scores_that_run_the_wrong_way_leave_the_shares_of_the_classes():
    scores, labels = noisy(500, 4)
    chances = modelled(-scores, labels, 4).probabilities
    shares = np.bincount(labels) / len(labels)
    np.testing.assert_allclose(chances, np.tile(shares, (len(chances), 1)), atol=1e-6)


def test_a_class_that_is_never_the_likeliest_leaves_a_kappa_to_smooth():
    scores = np.arange(400.0)
    labels = np.zeros(400, int)
    labels[::100] = 1
    result = ordcut.optimal_thresholds(
        scores, labels, objective="quadratic_kappa", smoothing="auto"
    )
    assert np.isfinite(result.value)
    assert result.predict(scores).shape == (400,)


@pytest.mark.parametrize("factor", [3, 0.5])
def test_a_common_factor_of_class_weights_changes_no_smoothed_threshold(factor):
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 3, 200)
    scores = labels + rng.normal(size=200)
    results = [
        ordcut.optimal_thresholds(scores, labels, smoothing="auto", class_weight=class_weight)
        for class_weight in ([1, 2, 4], [factor, 2 * factor, 4 * factor])
    ]
    assert results[0].thresholds.tolist() == results[1].thresholds.tolist()
    assert results[0].certificate == results[1].certificate
