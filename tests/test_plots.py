import matplotlib as mpl
import numpy as np
import pytest
from sklearn.linear_model import Ridge

import ordcut
from ordcut.estimators import OrdinalLogisticRegression, OrdinalThresholdClassifierCV
from ordcut.plots import ThresholdDisplay

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def ordinal_data(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.digitize(X @ [1.0, -0.5, 0.2] + rng.logistic(size=n), [-1.0, 1.0])


@pytest.mark.parametrize("kind", ["density", "risk"])
@pytest.mark.parametrize(
    "estimator",
    [
        OrdinalLogisticRegression("absolute"),
        OrdinalLogisticRegression(),
        OrdinalThresholdClassifierCV(Ridge(), objective="quadratic_kappa"),
    ],
    ids=repr,
)
def test_the_display_of_an_estimator_shows_its_thresholds(estimator, kind):
    X, y = ordinal_data()
    estimator.fit(X, y)
    shown = ThresholdDisplay.from_estimator(estimator, X, y, kind=kind)
    at = {line.get_xdata()[0] for line in shown.ax_.get_lines() if len(line.get_xdata()) == 2}
    assert set(estimator.thresholds_) <= at


def test_the_minima_of_the_risk_curves_of_a_convex_objective_are_its_thresholds():
    X, y = ordinal_data()
    scores = X[:, 0]
    shown = ThresholdDisplay.from_predictions(y, scores, objective="squared", kind="risk")
    places, risks = shown.risk_curves()
    best = ordcut.optimal_thresholds(scores, y, objective="squared")
    assert (places[risks.argmin(axis=1)] == best.thresholds).all()


def test_a_risk_curve_is_the_mean_cost_of_cutting_there():
    scores, y = np.array([0.1, 0.4, 0.4, 0.9]), np.array([0, 0, 2, 2])
    shown = ThresholdDisplay.from_predictions(y, scores, classes=[0, 1, 2], kind="risk")
    places, risks = shown.risk_curves()
    cost = ordcut.resolve_objective("absolute", 3).cost
    for k in range(2):
        naive = [
            np.mean([cost[k + (s >= t), truth] for s, truth in zip(scores, y, strict=True)])
            for t in places
        ]
        np.testing.assert_allclose(risks[k], naive)


def test_every_class_has_a_colour_and_a_name():
    X, y = ordinal_data()
    names = np.array(["poor", "fair", "good"])
    shown = ThresholdDisplay.from_predictions(names[y], X[:, 0], classes=names, cmap="cividis")
    assert [text.get_text() for text in shown.ax_.get_legend().get_texts()] == names.tolist()


def test_weights_change_the_densities():
    X, y = ordinal_data()
    weights = np.where(y == 0, 5.0, 0.5)
    shown = ThresholdDisplay.from_predictions(y, X[:, 0], sample_weight=weights)
    area = sum(
        (stairs.get_data().values * np.diff(stairs.get_data().edges)).sum()
        for stairs in shown.ax_.patches
        if hasattr(stairs, "get_data") and not stairs.get_fill()
    )
    assert area == pytest.approx(1)


def test_a_display_draws_on_given_axes():
    import matplotlib.pyplot as plt

    _, axes = plt.subplots()
    X, y = ordinal_data()
    assert ThresholdDisplay.from_predictions(y, X[:, 0], ax=axes).ax_ is axes


def test_without_matplotlib_the_error_says_what_to_install(without):
    without("matplotlib")
    with pytest.raises(ImportError, match=r'pip install "ordcut\[plots\]"'):
        ThresholdDisplay.from_predictions([0, 1], [0.1, 0.9])


def test_an_unknown_kind_is_named_with_those_that_exist():
    with pytest.raises(ValueError, match='kind must be one of "density", "risk"'):
        ThresholdDisplay.from_predictions([0, 1], [0.1, 0.9], kind="risks")
