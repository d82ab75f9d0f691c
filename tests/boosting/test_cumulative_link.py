"""Gradients, Hessians and biases of CumulativeLink, judged by arithmetic of many digits."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from ordcut._core.numerics.jit import running_kernels_as
from ordcut.boosting import CumulativeLink, rows
from ordcut.estimators import ProportionalOddsModel
from tests.tables import BOOSTED_LINKS as LINKS


def distribution(link):
    """F of a link, in as many digits as mpmath computes with."""
    return {
        "logit": lambda z: 1 / (1 + mpmath.exp(-z)),
        "probit": lambda z: mpmath.ncdf(z),
        "cloglog": lambda z: 1 - mpmath.exp(-mpmath.exp(z)),
    }[link]


def negative_log_likelihood(link, biases, label, score):
    """That of one row, as a difference of two distribution functions, in the nearer tail."""
    cdf, edges = distribution(link), [-mpmath.inf, *map(mpmath.mpf, biases), mpmath.inf]
    upper, lower = edges[label + 1] - score, edges[label] - score
    if link != "cloglog" and lower > 0:  # the others are symmetric
        upper, lower = -lower, -upper
    above = mpmath.mpf(1) if upper == mpmath.inf else cdf(upper)
    below = mpmath.mpf(0) if lower == -mpmath.inf else cdf(lower)
    return -mpmath.log(above - below)


def ordinal_rows(n, n_classes, seed, spread=1.0):
    """Scores, and labels that rise with them; every class occurs."""
    rng = np.random.default_rng(seed)
    scores = spread * rng.normal(size=n)
    latent = scores + rng.logistic(size=n)
    labels = np.searchsorted(np.quantile(latent, np.arange(1, n_classes) / n_classes), latent)
    return scores, labels


@pytest.mark.parametrize("link", LINKS)
def test_gradient_and_hessian_are_the_derivatives_of_the_likelihood(link):
    scores, labels = ordinal_rows(60, 4, seed=0, spread=2.0)
    objective = CumulativeLink(link=link)
    gradients, hessians = objective(labels, scores)
    with mpmath.workdps(60):
        for label, score, gradient, hessian in zip(
            labels.tolist(), scores.tolist(), gradients, hessians, strict=True
        ):

            def loss(a, label=label):
                return negative_log_likelihood(link, objective.biases_, label, a)

            assert gradient == pytest.approx(float(mpmath.diff(loss, score)), rel=2e-6, abs=1e-7)
            expected = max(float(mpmath.diff(loss, score, 2)), rows.LEAST_HESSIAN)
            assert hessian == pytest.approx(expected, rel=2e-6)


@pytest.mark.parametrize("link", LINKS)
def test_gradients_agree_with_finite_differences_of_the_likelihood(link):
    scores, labels = ordinal_rows(200, 5, seed=1)
    objective = CumulativeLink(link=link)
    gradients, _ = objective(labels, scores)

    def losses(shifted):
        return -np.log(objective.probabilities(shifted)[np.arange(len(labels)), labels])

    slopes = (losses(scores + 1e-5) - losses(scores - 1e-5)) / 2e-5
    np.testing.assert_allclose(gradients, slopes, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("far", [40.0, 1000.0, -1000.0])
def test_derivatives_far_from_the_class_have_the_limits_of_the_link(link, far):
    labels = np.array([0, 1, 2, 0, 1, 2])
    objective = CumulativeLink(3, link)
    objective.fit([-1.0, 0.0, 1.0, -0.5, 0.2, 0.7], labels)
    model = objective._model
    given = rows.BoostedRows.read(objective, labels, np.full(6, far), None)
    gradients, hessians = given.derivatives(model.biases)
    assert np.isfinite(gradients).all()
    assert (hessians >= rows.LEAST_HESSIAN).all()
    with mpmath.workdps(1000):
        for label, gradient in zip(labels.tolist(), gradients, strict=True):
            if link == "cloglog" and far < 0:
                continue  # the likelihood is exp(-exp(1000)): see the next test
            slope = mpmath.diff(
                lambda a, label=label: negative_log_likelihood(link, model.biases, label, a), far
            )
            assert gradient == pytest.approx(float(slope), rel=1e-5, abs=1e-6)


def test_steps_of_cloglog_stay_finite_where_its_gradients_would_not():
    labels, scores = np.array([0, 1, 0, 1]), np.array([-1000.0, -1000.0, 0.0, 1.0])
    gradients, hessians = CumulativeLink(link="cloglog")(labels, scores)
    assert np.isfinite(gradients).all()
    assert np.isfinite(hessians).all()
    assert -gradients[1] / hessians[1] == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize("width", [1.0, 5.0, 15.5, 30.0, 300.0])
def test_the_quick_formula_of_the_logit_agrees_with_the_plain_one(width):
    biases = np.array([-width, 0.0, 0.9 * width])
    scores = np.tile(np.append(np.linspace(-2 * width, 2 * width, 41), [-1000.0, 1000.0]), 4)
    labels = np.repeat(np.arange(4), 43)
    edges = np.concatenate([[-np.inf], biases, [np.inf]])
    above = expit(scores - edges[1:][labels])
    below = expit(edges[:-1][labels] - scores)
    given = rows.BoostedRows.read(CumulativeLink(4), labels, scores, None)
    gradients, hessians = given.derivatives(biases)
    np.testing.assert_allclose(gradients, above - below, rtol=1e-5, atol=1e-7)
    expected = np.maximum(above * (1 - above) + below * (1 - below), rows.LEAST_HESSIAN)
    np.testing.assert_allclose(hessians, expected, rtol=1e-5)


@pytest.mark.parametrize("link", LINKS)
def test_biases_reach_the_least_negative_log_likelihood(link):
    scores, labels = ordinal_rows(300, 4, seed=2, spread=1.5)
    weights = np.random.default_rng(2).integers(1, 4, size=300).astype(float)

    def loss(gaps):
        model = ProportionalOddsModel(
            link, np.cumsum(np.append(gaps[0], np.exp(gaps[1:]))), 1.0, np.arange(4), 4
        )
        return -weights @ np.log(model.probabilities(scores)[np.arange(300), labels])

    oracle = minimize(loss, [-1.0, 0.0, 0.0], method="Nelder-Mead", tol=1e-10)
    expected = np.cumsum(np.append(oracle.x[0], np.exp(oracle.x[1:])))
    fitted = CumulativeLink(link=link).fit(scores, labels, weights).biases_
    np.testing.assert_allclose(fitted, expected, atol=1e-4)


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize(("n_classes", "tolerance"), [(3, 2e-4), (50, 0.02)])
def test_biases_of_cells_are_close_to_those_of_rows(link, n_classes, tolerance, monkeypatch):
    scores, labels = ordinal_rows(20_000, n_classes, seed=3, spread=2.0)
    in_cells = CumulativeLink(link=link).fit(scores, labels).biases_
    monkeypatch.setattr(rows, "MOST_ROWS_TO_FIT", 20_000)
    exact = CumulativeLink(link=link).fit(scores, labels).biases_
    np.testing.assert_allclose(in_cells, exact, atol=tolerance)


@settings(max_examples=40, deadline=None)
@given(
    link=st.sampled_from(LINKS),
    n_classes=st.integers(2, 50),
    spread=st.sampled_from([0.0, 1e-3, 1.0, 1000.0]),
    seed=st.integers(0, 10**6),
)
def test_any_scores_give_finite_gradients_and_ascending_biases(link, n_classes, spread, seed):
    rng = np.random.default_rng(seed)
    labels = np.append([0, n_classes - 1], rng.integers(n_classes, size=100))
    scores = spread * rng.uniform(-1, 1, size=102)
    objective = CumulativeLink(n_classes, link)
    gradients, hessians = objective(labels, scores)
    assert np.isfinite(gradients).all()
    assert np.isfinite(hessians).all()
    assert (hessians > 0).all()
    assert (np.diff(objective.biases_) >= 0).all()
    assert np.isfinite(objective.probabilities(scores)).all()


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("n", [300, 5000])
def test_a_weight_of_2_equals_a_repeated_row(link, n):
    scores, labels = ordinal_rows(n, 4, seed=4)
    weights = np.random.default_rng(4).integers(0, 3, size=n)
    repeated = CumulativeLink(link=link).fit(np.repeat(scores, weights), np.repeat(labels, weights))
    objective = CumulativeLink(link=link)
    gradients, hessians = objective(labels, scores, weights)
    # Cells are laid out by the moments of all rows, so that they differ if rows are repeated.
    np.testing.assert_allclose(objective.biases_, repeated.biases_, atol=1e-8 if n < 2048 else 1e-4)
    alone, curved = objective(labels, scores, np.ones(n))
    if n == 300:
        objective._model = repeated._model
        given = rows.BoostedRows.read(objective, labels, scores, None)
        alone, curved = given.derivatives(repeated.biases_)
        np.testing.assert_allclose(gradients, weights * alone, rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(hessians, weights * curved, rtol=1e-5)


@pytest.mark.parametrize("n", [300, 5000])
def test_the_order_of_rows_does_not_matter(n):
    scores, labels = ordinal_rows(n, 4, seed=5)
    order = np.random.default_rng(5).permutation(n)
    gradients, _ = CumulativeLink()(labels, scores)
    shuffled, _ = CumulativeLink()(labels[order], scores[order])
    np.testing.assert_allclose(shuffled, gradients[order], rtol=1e-5, atol=1e-7)


def test_a_common_shift_of_scores_shifts_the_biases():
    scores, labels = ordinal_rows(300, 4, seed=6)
    biases = CumulativeLink().fit(scores, labels).biases_
    np.testing.assert_allclose(CumulativeLink().fit(scores + 7, labels).biases_, biases + 7)


def test_gradients_sum_to_zero_over_all_rows():
    # A shift of all scores is undone by the biases, so that the profile likelihood is flat.
    scores, labels = ordinal_rows(400, 5, seed=7)
    gradients, _ = CumulativeLink()(labels, scores)
    assert abs(float(gradients.sum(dtype=np.float64))) < 1e-4


def test_a_class_that_does_not_occur_lies_between_equal_biases():
    scores, labels = ordinal_rows(300, 3, seed=8)
    inner = CumulativeLink().fit(scores, labels)
    wider = CumulativeLink(7).fit(scores, np.array([1, 2, 4])[labels])
    low, high = inner.biases_
    np.testing.assert_allclose(wider.biases_, [-np.inf, low, high, high, np.inf, np.inf])
    probabilities = wider.probabilities(scores)
    assert (probabilities[:, [0, 3, 5, 6]] == 0).all()
    np.testing.assert_allclose(probabilities[:, [1, 2, 4]], inner.probabilities(scores))
    np.testing.assert_allclose(
        CumulativeLink(7)(np.array([1, 2, 4])[labels], scores)[0], inner(labels, scores)[0]
    )


@pytest.mark.parametrize("link", LINKS)
def test_a_class_whose_rows_have_no_weight_does_not_occur(link):
    scores, labels = ordinal_rows(300, 4, seed=9)
    weights = (labels != 1).astype(float)
    objective = CumulativeLink(link=link)
    gradients, hessians = objective(labels, scores, weights)
    assert (gradients[labels == 1] == 0).all()
    assert np.isfinite(hessians).all()
    assert objective.biases_[0] == objective.biases_[1]


def test_the_first_round_starts_at_the_shares_of_the_classes():
    labels = np.repeat([0, 1, 2], [20, 30, 50])
    objective = CumulativeLink()
    objective(labels, np.full(100, 0.5))
    np.testing.assert_allclose(objective.biases_, 0.5 + np.log([0.2 / 0.8, 0.5 / 0.5]))
    np.testing.assert_allclose(objective.probabilities([0.5]), [[0.2, 0.3, 0.5]])


def test_the_number_of_threads_does_not_change_a_bit(monkeypatch):
    monkeypatch.setattr(rows, "ROWS_PER_PIECE", 1000)
    scores, labels = ordinal_rows(9500, 5, seed=10)
    alone = CumulativeLink(n_jobs=1)(labels, scores)
    together = CumulativeLink(n_jobs=3)(labels, scores)
    np.testing.assert_array_equal(alone, together)


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kernels_give_the_same_bits_as_plain_python(link, dtype):
    scores, labels = ordinal_rows(120, 4, seed=11)
    scores[:2] = [60.0, -60.0]
    scores = scores.astype(dtype)
    results = []
    for mode in ["python", "compiled"]:
        with running_kernels_as(mode):
            results.append(CumulativeLink(link=link)(labels, scores, np.arange(120) % 3))
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_counting_kernels_give_the_same_bits_as_plain_python(is_weighted):
    scores, labels = ordinal_rows(3000, 4, seed=13)
    weights = np.arange(3000) % 3 if is_weighted else None
    results = []
    for mode in ["python", "compiled"]:
        with running_kernels_as(mode):
            results.append(CumulativeLink()(labels, scores, weights))
    np.testing.assert_array_equal(*results)


def test_the_order_of_rows_does_not_change_biases():
    # More rows than the kernel takes at once, and not a multiple of that: none is left out.
    scores, labels = ordinal_rows(2500, 4, seed=14)
    weights = np.random.default_rng(14).integers(0, 5, size=2500)
    forwards = CumulativeLink().fit(scores, labels, weights).biases_
    backwards = CumulativeLink().fit(scores[::-1], labels[::-1], weights[::-1]).biases_
    np.testing.assert_allclose(forwards, backwards, rtol=1e-9)


def test_scores_of_float32_are_taken_as_they_are():
    scores, labels = ordinal_rows(300, 4, seed=12)
    rounded = scores.astype(np.float32)
    np.testing.assert_array_equal(
        CumulativeLink()(labels, rounded), CumulativeLink()(labels, rounded.astype(np.float64))
    )
