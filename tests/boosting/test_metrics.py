"""Evaluation metrics of each round: their values, and early stopping in the libraries."""

import pickle

import lightgbm
import numpy as np
import pytest
import xgboost

import ordcut
from ordcut.boosting import CumulativeLink, LikelihoodMetric, ThresholdMetric, metrics
from tests.boosting.boosted import LIBRARIES, LIGHT, REGRESSORS, XGB, make_rows
from tests.tables import BOOSTED_LINKS

#: Rows are few here, and nothing depends on when training stops.
pytestmark = pytest.mark.filterwarnings("ignore:ThresholdMetric needs at least")

OBJECTIVES = ["absolute", "squared", "zero_one", "quadratic_kappa", "macro_mae"]


def naive_halves(labels):
    """Deal the rows of each class in turn to two halves, of odd classes to the other one first."""
    seen = {label: label % 2 for label in set(labels)}
    halves = [[], []]
    for row, label in enumerate(labels):
        halves[seen[label] % 2].append(row)
        seen[label] += 1
    return halves


def naive_loss(labels, scores, objective, weights=None):
    """Label each half by the thresholds that are optimal for the other."""
    labels, classes = np.asarray(labels), np.arange(max(labels) + 1)
    first, second = naive_halves(labels.tolist())
    predicted = np.empty_like(labels)
    for fitted, judged in [(first, second), (second, first)]:
        thresholds = ordcut.optimal_thresholds(
            scores[fitted],
            labels[fitted],
            objective=objective,
            classes=classes,
            sample_weight=None if weights is None else weights[fitted],
        )
        predicted[judged] = thresholds.predict(scores[judged])
    value = ordcut.evaluate(labels, predicted, objective, classes=classes, sample_weight=weights)
    return 1 - value if "kappa" in objective else value


def noisy_scores(seed=0, n=301, n_classes=5):
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_classes, size=n)
    return labels, labels + rng.normal(size=n), rng.integers(1, 4, size=n).astype(float)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_each_half_is_judged_by_the_thresholds_of_the_other(objective, is_weighted):
    labels, scores, weights = noisy_scores()
    weights = weights if is_weighted else None
    value = ThresholdMetric(objective)(labels, scores, weights)
    assert value == pytest.approx(naive_loss(labels, scores, objective, weights))


def test_the_value_is_honest_where_scores_know_nothing():
    # Thresholds on all rows would find something in scores that are noise.
    rng = np.random.default_rng(1)
    labels, scores = np.arange(60) % 6, rng.normal(size=60)
    optimistic = ordcut.optimal_thresholds(scores, labels, objective="zero_one").value
    assert ThresholdMetric("zero_one")(labels, scores) > optimistic


def test_costs_of_numeric_classes_with_gaps_are_those_of_their_values():
    labels, scores, _ = noisy_scores(n_classes=3)
    cost = np.abs(np.subtract.outer([1, 2, 9], [1, 2, 9]))
    by_values = ThresholdMetric("absolute", classes=[1, 2, 9])(labels, scores)
    assert by_values == ThresholdMetric(cost)(labels, scores)
    assert by_values != ThresholdMetric("absolute")(labels, scores)


def test_smoothing_is_passed_on():
    labels, scores, _ = noisy_scores()
    plain, smooth = (ThresholdMetric("squared", smoothing=s)(labels, scores) for s in (0.0, 1.0))
    assert plain != smooth


@pytest.mark.parametrize("link", BOOSTED_LINKS)
@pytest.mark.parametrize("spread", [1.0, 100.0])
def test_likelihood_is_judged_by_the_biases_of_the_other_half(link, spread):
    labels, scores, _ = noisy_scores()
    scores = scores * spread
    labels[labels == 3] = 2
    labels[7] = 3  # which then occurs in one half only
    losses = np.empty(len(labels))
    first, second = naive_halves(labels.tolist())
    for fitted, judged in [(first, second), (second, first)]:
        model = CumulativeLink(5, link).fit(scores[fitted], labels[fitted])
        probabilities = model.probabilities(scores[judged])[np.arange(len(judged)), labels[judged]]
        losses[judged] = -np.log(np.maximum(probabilities, 1e-15))
    value = LikelihoodMetric(link=link)(labels, scores)
    assert value == pytest.approx(losses.mean())


@pytest.mark.parametrize("far", [30.0, 60.0, 1000.0])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_likelihood_of_far_scores_is_limited(far, is_weighted):
    labels, scores, _ = noisy_scores(n=200, n_classes=2)
    labels, scores = np.append(np.repeat(labels, 2), 0), np.append(np.repeat(scores, 2), far)
    weights = np.ones(401) if is_weighted else None
    first, second = naive_halves(labels.tolist())
    losses = np.empty(401)
    for fitted, judged in [(first, second), (second, first)]:
        bias = CumulativeLink(2).fit(scores[fitted], labels[fitted]).biases_[0]
        signs = np.where(labels[judged] == 0, 1, -1)
        losses[judged] = np.minimum(
            np.logaddexp(0, -signs * (bias - scores[judged])), -np.log(1e-15)
        )
    assert LikelihoodMetric()(labels, scores, weights) == pytest.approx(losses.mean(), rel=1e-12)


def test_metrics_of_many_rows_do_not_depend_on_threads(monkeypatch):
    labels, scores, weights = noisy_scores(n=2000)
    several = LikelihoodMetric(), ThresholdMetric("quadratic_kappa")
    alone = [metric(labels, scores, weights) for metric in several]
    monkeypatch.setattr(metrics, "FEWEST_FOR_THREADS", 0)
    assert [metric(labels, scores, weights) for metric in several] == alone


def metric_of_name(name):
    return LikelihoodMetric() if name == "likelihood" else ThresholdMetric(name)


def fit_with_metric(library, metric, weights=None, **params):
    """Fit on 300 rows, evaluate on 100, and return the model and the values of each round."""
    X, y, _ = make_rows()
    given = {}
    if library == "LightGBM":
        given = {"eval_metric": metric, "eval_X": X[300:], "eval_y": y[300:]}
        given["eval_sample_weight"] = None if weights is None else [weights]
        model = REGRESSORS[library](CumulativeLink(), **params).fit(X[:300], y[:300], **given)
        return model, model.evals_result_["valid_0"][metric.__name__]
    model = REGRESSORS[library](CumulativeLink(), eval_metric=metric, **params)
    model.fit(
        X[:300],
        y[:300],
        eval_set=[(X[300:], y[300:])],
        sample_weight_eval_set=None if weights is None else [weights],
        verbose=False,
    )
    return model, model.evals_result()["validation_0"][metric.__name__]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", ["absolute", "quadratic_kappa", "likelihood"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_value_of_each_round_is_that_of_its_scores(library, name, is_weighted):
    X, y, weights = make_rows()
    weights = weights[300:] if is_weighted else None
    metric = metric_of_name(name)
    model, values = fit_with_metric(library, metric, weights)
    for n_rounds in (1, 8):
        limit = {"num_iteration": n_rounds} if library == "LightGBM" else {
            "iteration_range": (0, n_rounds)
        }  # fmt: skip
        scores = model.predict(X[300:], **limit)
        expected = metric(y[300:], scores, weights)
        assert values[n_rounds - 1] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", ["quadratic_kappa", "likelihood"])
def test_early_stopping_keeps_the_round_with_the_lowest_value(library, name):
    stopping = "early_stopping_round" if library == "LightGBM" else "early_stopping_rounds"
    params = {"n_estimators": 300, "learning_rate": 0.3, stopping: 5}
    model, values = fit_with_metric(library, metric_of_name(name), **params)
    assert len(values) < 300
    best = model.best_iteration_ - 1 if library == "LightGBM" else model.best_iteration
    assert best == int(np.argmin(values))


@pytest.mark.parametrize("name", ["absolute", "likelihood"])
def test_native_interfaces_stop_early_too(name):
    X, y, _ = make_rows()
    metric = metric_of_name(name)
    train, valid = lightgbm.Dataset(X[:300], y[:300]), lightgbm.Dataset(X[300:], y[300:])
    params = {**LIGHT, "objective": CumulativeLink(), "learning_rate": 0.3}
    record = {}
    booster = lightgbm.train(
        params,
        train,
        300,
        valid_sets=[valid],
        feval=metric,
        callbacks=[
            lightgbm.early_stopping(5, verbose=False),
            lightgbm.record_evaluation(record),
        ],
    )
    assert booster.best_iteration == np.argmin(record["valid_0"][metric.__name__]) + 1
    train, valid = xgboost.DMatrix(X[:300], y[:300]), xgboost.DMatrix(X[300:], y[300:])
    record = {}
    booster = xgboost.train(
        {**XGB, "disable_default_eval_metric": True},
        train,
        300,
        obj=CumulativeLink(),
        custom_metric=metric,
        evals=[(valid, "valid")],
        early_stopping_rounds=5,
        evals_result=record,
        verbose_eval=False,
    )
    assert booster.best_iteration == np.argmin(record["valid"][metric.__name__])


@pytest.mark.parametrize("metric", [ThresholdMetric("quadratic_kappa"), LikelihoodMetric()])
def test_the_methods_that_catboost_calls_give_the_same_value(metric):
    labels, scores, weights = noisy_scores()
    error, weight = metric.evaluate([scores.tolist()], labels.tolist(), weights.tolist())
    value = metric(labels, scores, weights)
    assert metric.get_final_error(error, weight) == pytest.approx(value)
    assert metric.get_final_error(*metric.evaluate((scores,), labels, None)) == pytest.approx(
        metric(labels, scores)
    )
    assert not metric.is_max_optimal()


def test_metrics_are_pickled_and_have_names_without_spaces():
    for metric in [ThresholdMetric(name) for name in OBJECTIVES] + [LikelihoodMetric()]:
        loaded = pickle.loads(pickle.dumps(metric))
        assert loaded.__name__ == metric.__name__
        assert " " not in loaded.__name__
    assert " " not in ThresholdMetric(ordcut.Kappa([[0, 1], [1, 0]])).__name__


@pytest.mark.parametrize("metric", [ThresholdMetric(), LikelihoodMetric()])
def test_labels_that_are_no_positions_are_refused(metric):
    with pytest.raises(ValueError, match=r"must be the positions.*0\.5 at position 1"):
        metric(np.array([0, 0.5, 1]), np.zeros(3))


def test_a_single_evaluation_row_is_refused():
    with pytest.raises(ValueError, match="at least 2, to be split in halves, got 1"):
        ThresholdMetric()(np.array([1]), np.zeros(1))


def test_an_unknown_objective_is_refused():
    with pytest.raises(ValueError, match='Did you mean "absolute"'):
        ThresholdMetric("absolut")(np.array([0, 1]), np.zeros(2))


def test_an_unknown_link_is_refused():
    with pytest.raises(ValueError, match='Did you mean "logit"'):
        LikelihoodMetric(link="logits")(np.array([0, 1]), np.zeros(2))


@pytest.mark.filterwarnings("error:ThresholdMetric needs at least")
def test_few_evaluation_rows_warn_unless_the_metric_is_only_watched():
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 3, size=1000), rng.normal(size=1000)
    with pytest.warns(UserWarning, match="at least 1000 evaluation rows to stop.*, got 999"):
        ThresholdMetric()(labels[:999], scores[:999])
    ThresholdMetric()(labels, scores)
    ThresholdMetric(few_rows="ignore")(labels[:10], scores[:10])
    with pytest.raises(ValueError, match="few_rows must be"):
        ThresholdMetric(few_rows="silent")
