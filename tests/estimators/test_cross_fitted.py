"""Thresholds for any estimator: the rows they are found on, and where metadata go."""

import lightgbm
import numpy as np
import pytest
import sklearn
import xgboost
from sklearn.base import clone
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

import ordcut
from ordcut.estimators import OrdinalLogisticRegression, OrdinalThresholdClassifierCV
from tests.ordinal_data import ordinal_data


@pytest.mark.parametrize("smoothing", [0, 0.5, "auto"])
def test_thresholds_are_optimal_for_cross_fitted_scores(smoothing):
    X, y = ordinal_data()
    folds = KFold(4, shuffle=True, random_state=0)
    model = OrdinalThresholdClassifierCV(
        Ridge(), objective="squared", smoothing=smoothing, cv=folds
    ).fit(X, y)
    held_out = cross_val_predict(Ridge(), X, y.astype(float), cv=folds)
    best = ordcut.optimal_thresholds(held_out, y, objective="squared", smoothing=smoothing)
    np.testing.assert_allclose(model.thresholds_, best.thresholds)
    assert model.labeler_.value == pytest.approx(best.value)


def test_the_record_has_the_value_on_folds_that_thresholds_were_not_found_on():
    X, y = ordinal_data()
    folds = KFold(4, shuffle=True, random_state=0)
    model = OrdinalThresholdClassifierCV(Ridge(), smoothing=0, cv=folds).fit(X, y)
    scores = cross_val_predict(Ridge(), X, y.astype(float), cv=folds)
    predicted = np.empty_like(y)
    for others, held_out in folds.split(X):
        fitted = ordcut.optimal_thresholds(scores[others], y[others])
        predicted[held_out] = fitted.predict(scores[held_out])
    value = model.labeler_.record.held_out
    assert value == pytest.approx(ordcut.evaluate(y, predicted))
    assert value >= model.labeler_.value
    assert "on rows left out" in str(model.labeler_.card())
    saved = ordcut.Thresholds.from_json(model.labeler_.to_json())
    assert saved.record.held_out == value
    for cv in (0.3, "prefit"):
        other = OrdinalThresholdClassifierCV(model.estimator_, cv=cv).fit(X, y)
        assert other.labeler_.record.held_out is None


def test_a_classifier_is_scored_by_the_mean_of_its_probabilities():
    X, y = ordinal_data()
    model = OrdinalThresholdClassifierCV(LogisticRegression()).fit(X, y)
    probabilities = LogisticRegression().fit(X, y).predict_proba(X)
    np.testing.assert_allclose(model.predict_score(X), probabilities @ [0, 1, 2], rtol=1e-6)


@pytest.mark.parametrize(
    "inner",
    [
        RandomForestClassifier(10, random_state=0),
        RidgeClassifier(),
        SVR(),
        OrdinalLogisticRegression(),
        make_pipeline(StandardScaler(), Ridge()),
        HistGradientBoostingRegressor(max_iter=10),
    ],
    ids=lambda inner: type(inner).__name__,
)
def test_any_estimator_can_be_inside(inner):
    X, y = ordinal_data()
    model = OrdinalThresholdClassifierCV(inner, cv=3).fit(X, y)
    assert model.score(X, y) > 0.5


def test_boosting_of_other_libraries_can_be_inside():
    X, y = ordinal_data()
    for inner in (
        xgboost.XGBRegressor(n_estimators=5),
        xgboost.XGBClassifier(n_estimators=5),
        lightgbm.LGBMClassifier(n_estimators=5, verbose=-1),
    ):
        # A gap in the classes, which these classifiers do not take themselves.
        model = OrdinalThresholdClassifierCV(inner, cv=3, classes=[0, 1, 1.5, 2]).fit(X, y)
        assert set(model.predict(X)) <= {0.0, 1.0, 2.0}
        assert model.score(X, y) > 0.4


def test_missing_values_pass_through():
    X, y = ordinal_data()
    X[::5, 0] = np.nan
    inner = HistGradientBoostingRegressor(max_iter=10)
    assert OrdinalThresholdClassifierCV(inner).fit(X, y).predict(X).shape == (200,)


def test_a_fitted_estimator_is_taken_as_it_is():
    X, y = ordinal_data()
    inner = Ridge().fit(X, y)
    model = OrdinalThresholdClassifierCV(inner, cv="prefit").fit(X, y)
    assert model.estimator_ is inner
    best = ordcut.optimal_thresholds(inner.predict(X), y, smoothing="auto")
    assert (model.thresholds_ == best.thresholds).all()


def test_a_fitted_classifier_knows_labels_not_positions():
    X, y = ordinal_data()
    names = np.array(["poor", "fair", "good"])
    inner = LogisticRegression().fit(X, names[y])
    model = OrdinalThresholdClassifierCV(inner, cv="prefit", classes=names).fit(X, names[y])
    by_position = inner.predict_proba(X) @ [names.tolist().index(c) for c in inner.classes_]
    np.testing.assert_allclose(model.predict_score(X), by_position)


def test_a_fitted_regressor_rounds_halfway_between_its_labels():
    X, y = ordinal_data()
    inner = Ridge().fit(X, 10 * y)
    model = OrdinalThresholdClassifierCV(inner, cv="prefit", labeling="rounding").fit(X, 10 * y)
    assert model.thresholds_.tolist() == [5.0, 15.0]


def test_a_hold_out_without_refit_keeps_the_estimator_of_its_training_rows():
    X, y = ordinal_data()
    model = OrdinalThresholdClassifierCV(
        Ridge(), cv=0.25, refit=False, random_state=0, store_cv_results=True
    ).fit(X, y)
    held_out = model.cv_results_["rows"]
    assert len(held_out) == 50
    rest = np.setdiff1d(np.arange(200), held_out)
    np.testing.assert_allclose(model.estimator_.coef_, Ridge().fit(X[rest], y[rest]).coef_)


def test_without_a_refit_the_scores_of_the_folds_are_averaged():
    X, y = ordinal_data()
    model = OrdinalThresholdClassifierCV(Ridge(), cv=KFold(4), refit=False).fit(X, y)
    fitted = [Ridge().fit(X[train], y[train]) for train, _ in KFold(4).split(X)]
    mean = np.mean([each.predict(X) for each in fitted], axis=0)
    np.testing.assert_allclose(model.predict_score(X), mean)
    assert len(model.estimators_) == 4
    assert not hasattr(model, "estimator_")
    one = model.set_params(refit=True).fit(X, y)
    assert one.estimators_ == [one.estimator_]
    assert not hasattr(one.set_params(refit=False).fit(X, y), "estimator_")


def test_the_probabilities_of_folds_are_averaged_before_they_are_calibrated():
    X, y = ordinal_data()
    model = OrdinalThresholdClassifierCV(
        LogisticRegression(), cv=4, refit=False, probabilities=True
    ).fit(X, y)
    mean = np.mean([each.predict_proba(X) for each in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict_score(X), mean @ [0, 1, 2])
    calibrated = model.predict_proba(X)
    assert (calibrated.argmax(axis=1) == mean.argmax(axis=1)).mean() > 0.95


def test_averaged_folds_promise_nothing_for_new_rows():
    X, y = ordinal_data()
    model = OrdinalThresholdClassifierCV(
        Ridge(), refit=False, constraints=["under 2 <= 0.5 with 90 %"]
    )
    with pytest.raises(ValueError, match="rows that trained the estimator have other scores"):
        model.fit(X, y)


def test_splits_may_overlap():
    X, y = ordinal_data()
    splits = ShuffleSplit(3, test_size=0.5, random_state=0)
    model = OrdinalThresholdClassifierCV(Ridge(), cv=splits, store_cv_results=True).fit(X, y)
    assert len(model.cv_results_["scores"]) == 300


def test_rare_classes_do_not_affect_whether_rows_can_be_split():
    X, y = ordinal_data()
    y = np.where(np.arange(200) == 7, 3, y)
    assert OrdinalThresholdClassifierCV(Ridge()).fit(X, y).classes_.tolist() == [0, 1, 2, 3]
    assert OrdinalThresholdClassifierCV(LogisticRegression()).fit(X, y).score(X, y) > 0.5


def test_rare_classes_are_spread_over_the_folds_with_their_neighbours():
    y = np.repeat(np.arange(6), [1, 9, 2, 2, 4, 1])
    model = OrdinalThresholdClassifierCV(Ridge(), cv=4, store_cv_results=True)
    rows = model.fit(np.arange(19.0)[:, None], y).cv_results_["rows"]
    folds = np.split(rows, np.flatnonzero(np.diff(rows) < 0) + 1)
    assert len(folds) == 4
    for low, high in ((0, 1), (2, 3), (4, 5)):  # too few rows of their own, except for class 1
        n_rows = [np.isin(y[fold], [low, high]).sum() for fold in folds]
        assert max(n_rows) - min(n_rows) <= 1


def test_groups_go_to_the_splitter():
    X, y = ordinal_data()
    groups = np.arange(200) % 10
    model = OrdinalThresholdClassifierCV(Ridge(), cv=GroupKFold(5), store_cv_results=True)
    by_hand = list(GroupKFold(5).split(X, y, groups))
    rows = model.fit(X, y, groups=groups).cv_results_["rows"]
    assert (rows == np.concatenate([test for _, test in by_hand])).all()


def test_routed_weights_and_groups_do_what_they_do_unrouted():
    X, y = ordinal_data()
    weights, groups = np.arange(200) % 3 + 1.0, np.arange(200) % 10
    plain = OrdinalThresholdClassifierCV(Ridge(), cv=GroupKFold(5))
    plain.fit(X, y, sample_weight=weights, groups=groups)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = OrdinalThresholdClassifierCV(
            Ridge().set_fit_request(sample_weight=True), cv=GroupKFold(5)
        ).fit(X, y, sample_weight=weights, groups=groups)
    assert (routed.thresholds_ == plain.thresholds_).all()


def test_routing_sends_weights_into_a_pipeline():
    X, y = ordinal_data()
    weights = np.arange(200) % 3 + 1.0
    with sklearn.config_context(enable_metadata_routing=True):
        steps = make_pipeline(Ridge().set_fit_request(sample_weight=True))
        routed = OrdinalThresholdClassifierCV(steps).fit(X, y, sample_weight=weights)
    plain = OrdinalThresholdClassifierCV(Ridge()).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(routed.thresholds_, plain.thresholds_)


def test_weights_that_cannot_reach_the_inner_estimator_warn():
    X, y = ordinal_data()
    model = OrdinalThresholdClassifierCV(make_pipeline(Ridge()))
    with pytest.warns(UserWarning, match="weights are used for the thresholds only"):
        model.fit(X, y, sample_weight=np.arange(200) % 5 + 1.0)


def test_other_arguments_reach_the_fit_of_the_inner_estimator():
    class Listening(Ridge):
        def fit(self, X, y, sample_weight=None, note=None):
            self.note_ = note
            return super().fit(X, y, sample_weight)

    X, y = ordinal_data()
    assert OrdinalThresholdClassifierCV(Listening()).fit(X, y, note="x").estimator_.note_ == "x"


def test_scores_without_information_predict_one_class():
    X, y = ordinal_data()
    for labeling in ("optimal", "biases", "likelihood", "rounding"):
        model = OrdinalThresholdClassifierCV(DummyRegressor(), labeling=labeling, cv=0.5)
        assert len(set(model.fit(X, y).predict(X))) == 1


@pytest.mark.filterwarnings("ignore::ordcut.ReversedScoresWarning")
def test_scores_in_the_wrong_direction_never_lower_the_class():
    class Backwards(Ridge):
        def predict(self, X):
            return -super().predict(X)

    X, y = ordinal_data()
    for labeling in ("optimal", "biases", "likelihood"):
        model = OrdinalThresholdClassifierCV(Backwards(), labeling=labeling).fit(X, y)
        scores = np.sort(model.predict_score(X))
        assert (np.diff(model.labeler_.codes(scores)) >= 0).all()


def test_fit_leaves_its_estimator_alone():
    inner = Ridge()
    X, y = ordinal_data()
    OrdinalThresholdClassifierCV(inner).fit(X, y)
    assert not hasattr(inner, "coef_")
    assert clone(inner).get_params() == inner.get_params()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cv": 1}, "cv must be at least 2 folds, got 1"),
        ({"cv": 1.5}, "cv must be a share between 0 and 1"),
        ({"cv": 500}, "more folds than there are rows, got 500 folds and n_samples=200"),
        ({"cv": "prefitted"}, 'Did you mean "prefit"'),
        ({"response_method": "proba"}, "response_method must be one of"),
        ({"response_method": "predict_proba"}, "needs an estimator with that method, got Ridge"),
    ],
)
def test_a_bad_parameter_is_named_with_what_must_hold(options, message):
    with pytest.raises(ValueError, match=message):
        OrdinalThresholdClassifierCV(Ridge(), **options).fit(*ordinal_data())


def test_cross_fitted_scores_cannot_have_a_confidence():
    limit = {"constraints": ["under 2 <= 0.5 with 90 %"]}
    for model in (
        OrdinalThresholdClassifierCV(Ridge(), **limit),
        OrdinalThresholdClassifierCV(Ridge(), cv=0.2, **limit),
        OrdinalLogisticRegression(labeling="optimal", **limit),
    ):
        with pytest.raises(ValueError, match=r"cannot have a confidence.*calibration=0\.2"):
            model.fit(*ordinal_data())


def test_rows_held_out_for_calibration_promise_limits():
    X, y = ordinal_data()
    limit = {"constraints": ["under 2 <= 0.5 with 90 %"]}
    model = OrdinalThresholdClassifierCV(
        Ridge(), calibration=0.5, random_state=0, store_cv_results=True, **limit
    ).fit(X, y)
    rows = model.cv_results_["rows"]
    others = np.setdiff1d(np.arange(len(y)), rows)
    assert len(rows) == len(y) / 2
    expected = Ridge().fit(X[others], y[others].astype(float)).predict(X[rows])
    np.testing.assert_allclose(model.cv_results_["scores"], expected)
    assert model.labeler_.constraints[0].confidence == 0.9
    prefit = OrdinalThresholdClassifierCV(model.estimator_, cv="prefit", **limit)
    prefit.fit(X[rows], y[rows])
    np.testing.assert_allclose(prefit.thresholds_, model.thresholds_)


@pytest.mark.parametrize(("calibration", "cv"), [(0.0, 5), (1, 5), ("half", 5), (0.2, "prefit")])
def test_a_calibration_is_a_share_of_rows_to_hold_out(calibration, cv):
    model = OrdinalThresholdClassifierCV(Ridge(), calibration=calibration, cv=cv)
    with pytest.raises(ValueError, match="calibration"):
        model.fit(*ordinal_data())


@pytest.mark.parametrize("params", [{"cv": 4}, {"cv": 0.3}, {"calibration": 0.3}], ids=str)
def test_rows_of_a_group_are_held_out_together(params):
    X, y = ordinal_data()
    groups = np.arange(len(y)) // 4
    model = OrdinalThresholdClassifierCV(
        Ridge(), random_state=0, store_cv_results=True, refit="cv" in params, **params
    ).fit(X, y, groups=groups)
    held_out = np.bincount(groups[model.cv_results_["rows"]], minlength=50)
    assert set(held_out) <= {0, 4}


def test_a_splitter_without_groups_says_how_to_pass_them():
    X, y = ordinal_data()
    model = OrdinalThresholdClassifierCV(Ridge(), cv=GroupKFold(3))
    with pytest.raises(ValueError, match=r"cv=GroupKFold needs.*fit\(X, y, groups=groups\)"):
        model.fit(X, y)
