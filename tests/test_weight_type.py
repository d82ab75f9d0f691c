"""Weights of rows as repeats, or as importance: smoothing, intervals, standard errors."""

import warnings

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LinearRegression

import ordcut
from ordcut import frames
from ordcut.estimators import (
    LinearThresholdClassifier,
    OrdinalLogisticRegression,
    OrdinalThresholdClassifierCV,
)

FACTORS = [7, 1 / 7.3, 1e-4]


def draw(seed=0, n=150):
    random = np.random.default_rng(seed)
    labels = random.integers(0, 3, n)
    return labels + random.normal(0, 1.5, n), labels, random.integers(1, 6, n)


def amount(result):
    return result.proof.smoothing


def solve(scores, labels, **options):
    return ordcut.optimal_thresholds(scores, labels, **options)


def test_a_repeat_equals_the_row_twice_in_smoothing_and_intervals():
    scores, labels, weights = draw()
    options = {"smoothing": "auto", "objective": "quadratic_kappa"}
    weighted = solve(scores, labels, sample_weight=weights, weight_type="repeats", **options)
    repeated = solve(np.repeat(scores, weights), np.repeat(labels, weights), **options)
    assert amount(weighted) == amount(repeated) > 0
    assert weighted.thresholds.tolist() == repeated.thresholds.tolist()
    few, many = (each.bootstrap(n=50, random_state=1) for each in (weighted, repeated))
    assert few.n_rows == many.n_rows == weights.sum()
    np.testing.assert_allclose(few.intervals(), many.intervals())
    np.testing.assert_allclose(few.value_interval(), many.value_interval())


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("objective", ["absolute", "quadratic_kappa"])
def test_the_scale_of_importance_changes_neither_smoothing_nor_intervals(factor, objective):
    scores, labels, weights = draw(1)
    options = {"smoothing": "auto", "objective": objective, "weight_type": "importance"}
    plain = solve(scores, labels, sample_weight=weights, **options)
    scaled = solve(scores, labels, sample_weight=weights * factor, **options)
    assert amount(plain) > 0
    assert amount(scaled) == pytest.approx(amount(plain))
    assert scaled.thresholds.tolist() == plain.thresholds.tolist()
    before, after = (each.bootstrap(n=50, random_state=1) for each in (plain, scaled))
    n_effective = pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert before.n_rows == n_effective
    assert after.n_rows == n_effective
    np.testing.assert_allclose(after.intervals(), before.intervals())
    np.testing.assert_allclose(after.value_interval(), before.value_interval())


def test_the_scale_of_importance_changes_no_interval_of_row_costs():
    scores, labels, weights = draw(2)
    options = {"costs": (labels[:, None] != range(3)) * 1.0, "weight_type": "importance"}
    plain, scaled = (
        solve(scores, None, sample_weight=given, **options).bootstrap(n=50, random_state=0)
        for given in (weights, weights / 7.3)
    )
    np.testing.assert_allclose(plain.value_interval(), scaled.value_interval())
    assert plain.n_rows == pytest.approx(scaled.n_rows)


def test_votes_per_film_are_repeats_or_importance_as_the_user_says():
    random = np.random.default_rng(3)
    grade = random.integers(0, 4, 200)
    score = grade + random.normal(0, 1.2, 200)
    votes = random.lognormal(8, 1, 200).astype(int)

    def interval(**options):
        result = solve(score, grade, sample_weight=votes, smoothing="auto", **options)
        return amount(result), np.diff(result.bootstrap(n=50, random_state=0).value_interval())[0]

    with pytest.warns(ordcut.WeightTypeWarning, match='weight_type="importance"'):
        default = interval()
    assert default == interval(weight_type="repeats")
    amount_by_votes, width_by_votes = default
    amount_by_films, width_by_films = interval(weight_type="importance")
    assert amount_by_votes == 0
    assert amount_by_films > 0.2
    assert width_by_films > 20 * width_by_votes


def test_no_warning_comes_where_the_number_of_rows_does_not_matter():
    scores, labels, weights = draw(4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solve(scores, labels, sample_weight=100 * weights)
        solve(scores, labels, sample_weight=2 * weights, smoothing="auto")
        solve(scores, labels, class_weight=[100, 100, 100], smoothing="auto").bootstrap(n=10)
        model = OrdinalLogisticRegression(smoothing=0).fit(scores[:, None], labels, 100 * weights)
    with pytest.warns(ordcut.WeightTypeWarning):
        model.summary()


def test_repeats_must_be_whole_numbers():
    for weights in ([0.5, 1], [0.5, 0.5], [0, 0.5], [1e300, 1e300]):
        with pytest.raises(ValueError, match="needs whole weights"):
            solve([1, 2], [0, 1], sample_weight=weights, weight_type="repeats")
    frame = pl.DataFrame({"s": [1.0, 2.0], "y": [0, 1], "w": [0.5, 1.0]})
    with pytest.raises(ValueError, match="needs whole weights"):
        frames.optimal_thresholds(frame, score="s", label="y", weight="w", weight_type="repeats")
    with pytest.raises(ValueError, match="weight_type must be one of"):
        solve([1, 2], [0, 1], weight_type="frequency")


def test_guarantees_refuse_importance():
    scores, labels, weights = draw(5)
    limit = {"constraints": ["under 1 <= 0.5 with 90 %"]}
    solve(scores, labels, sample_weight=weights, weight_type="repeats", **limit)
    with pytest.raises(ValueError, match='weight_type not "importance"'):
        solve(scores, labels, sample_weight=weights, weight_type="importance", **limit)
    columns = {"score": "s", "label": "y", "weight": "w"}
    for unit, options in ((1, {"weight_type": "importance"}), (0.1, {})):
        frame = pl.DataFrame({"s": scores, "y": labels, "w": weights * unit})
        with pytest.raises(ValueError, match="must be whole numbers"):
            frames.optimal_thresholds(frame, **columns, **limit, **options)


@pytest.mark.parametrize("weight_type", ["repeats", "importance"])
@pytest.mark.parametrize("smoothing", [0, "auto"])
def test_frames_and_tables_have_the_weights_of_arrays(weight_type, smoothing):
    scores, labels, weights = draw(6)
    arrays = solve(
        scores, labels, sample_weight=weights, weight_type=weight_type, smoothing=smoothing
    )
    frame = pl.DataFrame({"s": scores, "y": labels, "w": weights})
    result = frames.optimal_thresholds(
        frame, score="s", label="y", weight="w", weight_type=weight_type, smoothing=smoothing
    )
    assert amount(result) == amount(arrays)
    n_rows = arrays.bootstrap(n=10, random_state=0).n_rows
    assert result.bootstrap(n=10, random_state=0).n_rows == pytest.approx(n_rows)
    table = ordcut.ScoreTable(scores, labels, sample_weight=weights, weight_type=weight_type)
    assert table.solve().bootstrap(n=10, random_state=0).n_rows == n_rows


def test_multiples_of_a_unit_are_importance_in_frames_too():
    scores, labels, weights = draw(7)
    frame = pl.DataFrame({"s": scores, "y": labels, "w": weights / 10})
    result = frames.optimal_thresholds(frame, score="s", label="y", weight="w")
    arrays = solve(scores, labels, sample_weight=weights / 10)
    n_rows = arrays.bootstrap(n=10, random_state=0).n_rows
    assert result.bootstrap(n=10, random_state=0).n_rows == pytest.approx(n_rows)
    assert n_rows < len(scores)


def test_standard_errors_follow_the_type_of_weights():
    scores, labels, weights = draw(8)
    features = scores[:, None]

    def statistics(rows, y, weights=None, weight_type=None):
        model = OrdinalLogisticRegression(alpha=1.0, weight_type=weight_type)
        summary = model.fit(rows, y, weights).summary()
        test = model.proportional_odds_test(rows, y, weights)
        return [*model.coef_, *summary["std_error"], *summary.statistics.values(), *test["chi2"]]

    repeated = statistics(np.repeat(features, weights, axis=0), np.repeat(labels, weights))
    given = statistics(features, labels, weights, "repeats")
    np.testing.assert_allclose(given, repeated, rtol=1e-5)
    plain = statistics(features, labels, weights, "importance")
    for factor in FACTORS:
        scaled = statistics(features, labels, weights * factor, "importance")
        np.testing.assert_allclose(scaled, plain, rtol=1e-5)
    unweighted = statistics(features, labels)
    equal = statistics(features, labels, np.full(len(labels), 40), "importance")
    np.testing.assert_allclose(equal, unweighted, rtol=1e-5)


@pytest.mark.parametrize(
    "model",
    [
        OrdinalLogisticRegression(weight_type="importance"),
        LinearThresholdClassifier(weight_type="importance"),
        LinearThresholdClassifier(surrogate="squared", weight_type="importance"),
        OrdinalThresholdClassifierCV(LinearRegression(), weight_type="importance"),
    ],
)
def test_the_scale_of_importance_changes_no_estimator(model):
    scores, labels, weights = draw(9)
    features = np.column_stack([scores, np.random.default_rng(0).normal(size=len(scores))])
    plain = model.fit(features, labels, weights)
    thresholds, predicted = plain.thresholds_, plain.predict(features)
    for factor in FACTORS:
        scaled = model.fit(features, labels, weights * factor)
        np.testing.assert_allclose(scaled.thresholds_, thresholds, rtol=1e-4)
        assert (scaled.predict(features) == predicted).all()
