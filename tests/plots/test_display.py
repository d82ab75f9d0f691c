from itertools import pairwise

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ordcut
from ordcut.estimators import OrdinalLogisticRegression, OrdinalThresholdClassifierCV
from ordcut.plots import ThresholdDisplay
from ordcut.plots.drawing import ordered_colours
from tests.ordinal_data import ordinal_data
from tests.ordinal_rows import ratings
from tests.tables import KAPPAS


@pytest.mark.parametrize("kind", ["density", "risk"])
@pytest.mark.parametrize(
    "estimator",
    [
        OrdinalLogisticRegression(objective="absolute"),
        OrdinalLogisticRegression(),
        OrdinalThresholdClassifierCV(Ridge(), objective="quadratic_kappa"),
    ],
    ids=repr,
)
def test_the_display_of_an_estimator_shows_its_thresholds(estimator, kind):
    scores, y = ratings(300, 3)
    X = np.column_stack([scores, np.sin(np.arange(300))])
    estimator.fit(X, y)
    shown = ThresholdDisplay.from_estimator(estimator, X, y, kind=kind)
    at = {line.get_xdata()[0] for line in shown.ax_.get_lines() if len(line.get_xdata()) == 2}
    assert set(estimator.thresholds_) <= at


def test_the_minima_of_the_risk_curves_of_a_convex_objective_are_its_thresholds():
    scores, y = ratings(300, 3)
    shown = ThresholdDisplay.from_predictions(y, scores, objective="squared", kind="risk")
    positions, risks = shown.risk_curves()
    best = ordcut.optimal_thresholds(scores, y, objective="squared")
    assert (positions[risks.argmin(axis=1)] == best.thresholds).all()


def test_a_risk_curve_is_the_mean_cost_of_cutting_there():
    scores, y = np.array([0.1, 0.4, 0.4, 0.9]), np.array([0, 0, 2, 2])
    shown = ThresholdDisplay.from_predictions(y, scores, classes=[0, 1, 2], kind="risk")
    positions, risks = shown.risk_curves()
    cost = ordcut.resolve_objective("absolute", 3).cost
    for k in range(2):
        naive = [
            np.mean([cost[k + (s >= t), truth] for s, truth in zip(scores, y, strict=True)])
            for t in positions
        ]
        np.testing.assert_allclose(risks[k], naive)


@pytest.mark.parametrize("objective", KAPPAS)
def test_the_risk_picture_of_a_kappa_has_the_kappa_of_the_optimum_at_the_top(objective):
    scores, y = ratings(300, 3)
    shown = ThresholdDisplay.from_predictions(y, scores, objective=objective, kind="risk")
    best = ordcut.optimal_thresholds(scores, y, objective=objective)
    tops = [line for line in shown.ax_.get_lines() if line.get_marker() == "o"]
    assert [line.get_xdata()[0] for line in tops] == best.thresholds.tolist()
    assert [line.get_ydata()[0] for line in tops] == pytest.approx([best.value] * 2)
    assert shown.ax_.get_ylabel() == objective


def test_classes_that_are_never_predicted_are_named():
    names = ["poor", "fair", "good"]
    y, scores = ["poor", "poor", "good"], [1.0, 2.0, 3.0]
    shown = ThresholdDisplay.from_predictions(y, scores, classes=names)
    written = [text.get_text() for text in shown.ax_.get_legend().get_texts()]
    assert written == ["poor", "fair (never predicted)", "good"]
    shown = ThresholdDisplay.from_predictions(y, scores, classes=names, kind="confusion")
    assert shown.ax_.get_xlabel() == "predicted (never: fair)"


def test_smoothed_thresholds_are_called_smoothed():
    scores, y = ratings(300, 3)
    result = ordcut.optimal_thresholds(scores, y, smoothing=0.8)
    shown = ThresholdDisplay.from_predictions(y, scores, thresholds=result)
    assert "smoothed" in shown.ax_.get_title()


@pytest.mark.parametrize("kind", ["density", "risk"])
def test_no_line_runs_through_the_legend(kind):
    names = ["a name that is far too long for a legend " * 3, "b", "c"]
    scores, y = ratings(300, 3)
    shown = ThresholdDisplay.from_predictions(np.array(names)[y], scores, classes=names, kind=kind)
    shown.figure_.canvas.draw()
    legend = shown.ax_.get_legend().get_window_extent()
    assert legend.x0 >= shown.ax_.get_window_extent().x1
    assert legend.x1 <= shown.figure_.bbox.x1 + 1
    assert shown.ax_.get_window_extent().width > 0.4 * shown.figure_.bbox.width


def test_a_legend_inside_axes_of_a_fixed_layout_is_opaque():
    import matplotlib.pyplot as plt

    _, axes = plt.subplots()
    scores, y = ratings(300, 3)
    ThresholdDisplay.from_predictions(y, scores, ax=axes)
    assert axes.get_legend().get_frame().get_alpha() == 1


def test_weights_change_the_densities():
    scores, y = ratings(300, 3)
    weights = np.where(y == 0, 5.0, 0.5)
    shown = ThresholdDisplay.from_predictions(y, scores, sample_weight=weights)
    area = sum(
        (stairs.get_data().values * np.diff(stairs.get_data().edges)).sum()
        for stairs in shown.ax_.patches
        if hasattr(stairs, "get_data") and not stairs.get_fill()
    )
    assert area == pytest.approx(1)


def test_thresholds_are_judged_by_the_objective_that_they_were_found_for():
    scores, y = ratings(300, 3)
    result = ordcut.optimal_thresholds(scores, y, objective="squared")
    shown = ThresholdDisplay.from_predictions(y, scores, thresholds=result, kind="risk")
    positions, risks = shown.risk_curves()
    assert shown.ax_.get_ylabel() == "mean risk (squared)"
    assert (positions[risks.argmin(axis=1)] == result.thresholds).all()


def test_a_bad_number_of_threads_is_refused_before_the_data_are_read():
    with pytest.raises(ValueError, match="n_jobs must be a number of threads"):
        ThresholdDisplay.from_predictions(None, None, n_jobs="x")


@pytest.mark.parametrize("n", [300, 30_000])
def test_a_frame_is_drawn_from_its_counts(n):
    scores, y = ratings(n, 3)
    frame = pl.DataFrame({"$s$": scores, "y": y})
    shown = ThresholdDisplay.from_frame(frame, score="$s$", label="y", kind="risk")
    result = ordcut.optimal_thresholds(scores, y)
    positions, risks = shown.risk_curves()
    at = np.searchsorted(positions, result.thresholds)
    assert (positions[at] == result.thresholds).all()
    assert (risks[[0, 1], at] == risks.min(axis=1)).all()
    cost = ordcut.resolve_objective("absolute", 3).cost
    for index in range(0, len(positions), len(positions) // 10):
        predicted = (scores >= positions[index]).astype(int)
        assert risks[1, index] == pytest.approx(cost[1 + predicted, y].mean())
    edges, counts = shown.histogram()
    assert counts.sum() == n
    inner = np.concatenate([[-np.inf], edges[1:-1], [np.inf]])
    for k in range(3):
        assert counts[:, k].tolist() == naive_histogram(scores[y == k], inner)
    assert shown.ax_.get_xlabel() == "$s$"
    shown.figure_.canvas.draw()


def naive_histogram(scores, edges):
    return [int(np.sum((scores >= a) & (scores < b))) for a, b in pairwise(edges)]


def test_the_confusion_is_that_of_predicting():
    scores, y = ratings(300, 3)
    shown = ThresholdDisplay.from_predictions(y, scores, kind="confusion")
    predicted = shown.thresholds.predict(scores)
    expected = confusion_matrix(y, predicted)
    assert shown.confusion().tolist() == expected.tolist()
    written = {text.get_position(): text.get_text() for text in shown.ax_.texts}
    assert written == {(k, true): str(expected[true, k]) for k in range(3) for true in range(3)}


@pytest.mark.parametrize("objective", ["absolute", "quadratic_kappa", "f1_macro"])
def test_the_value_above_a_confusion_is_that_of_the_rows_in_it(objective):
    scores, y = ratings(300, 3)
    result = ordcut.optimal_thresholds(scores[:100], y[:100], objective=objective)
    rows = y[100:], scores[100:]
    shown = ThresholdDisplay.from_predictions(*rows, thresholds=result, kind="confusion")
    value = ordcut.evaluate(rows[0], result.predict(rows[1]), objective)
    assert shown.ax_.get_title() == f"{result.objective}: {value:.4g}"
    assert value != result.value


@pytest.mark.parametrize("cmap", ["viridis", "cividis"])
@pytest.mark.parametrize("n_classes", [2, 5, 50])
def test_colours_get_lighter_in_the_order_of_the_classes(cmap, n_classes):
    colours = ordered_colours(n_classes, cmap)
    lightness = colours[:, :3] ** 2.2 @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(lightness) > 0).all()
    assert lightness[-1] < 0.7  # to be seen on paper


@pytest.mark.parametrize("kind", ["density", "risk", "confusion"])
def test_many_classes_get_a_bar_of_colours_instead_of_a_legend(kind):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 30, 2000)
    shown = ThresholdDisplay.from_predictions(y, y + rng.normal(size=2000), kind=kind)
    assert shown.ax_.get_legend() is None
    assert len(shown.figure_.axes) == 2
    shown.figure_.canvas.draw()


@pytest.mark.parametrize("kind", ["density", "risk", "confusion"])
def test_a_dollar_in_a_name_is_a_dollar(kind):
    names = ["$0", "$\\frac$", "_"]
    shown = ThresholdDisplay.from_predictions(
        np.array(names)[[0, 1, 2, 1]], [0.1, 0.5, 0.9, 0.6], classes=names, kind=kind
    )
    shown.figure_.canvas.draw()
    texts = [text.get_text() for text in shown.figure_.findobj(mpl.text.Text)]
    assert any("$\\frac$" in text for text in texts)


@pytest.mark.parametrize("kind", ["density", "risk", "confusion"])
def test_one_score_can_be_drawn(kind):
    shown = ThresholdDisplay.from_predictions([0, 1, 1], [2.0, 2.0, 2.0], kind=kind)
    shown.figure_.canvas.draw()
    assert shown.confusion().tolist() == [[0, 1], [0, 2]]


def test_without_matplotlib_the_error_says_what_to_install(without):
    without("matplotlib")
    with pytest.raises(ImportError, match="pip install matplotlib"):
        ThresholdDisplay.from_predictions([0, 1], [0.1, 0.9])


def test_an_unknown_kind_is_named_with_those_that_exist():
    with pytest.raises(ValueError, match='kind must be one of "density", "risk", "confusion"'):
        ThresholdDisplay.from_predictions([0, 1], [0.1, 0.9], kind="risks")


@pytest.mark.parametrize("kind", ["density", "risk"])
def test_a_score_far_out_leaves_room_for_the_others(kind):
    scores = np.append(np.arange(1000.0), 1e6)
    labels = np.append(np.repeat([0, 1], 500), 1)
    shown = ThresholdDisplay.from_predictions(labels, scores, kind=kind)
    low, high = shown.ax_.get_xlim()
    assert low <= 499.5 <= high < 2000
    edges, counts = shown.histogram()
    assert edges[-1] == 1e6
    assert counts.sum() == 1001


def test_a_frame_has_the_display_of_its_columns():
    scores, y = ratings(300, 3)
    names = np.array(["poor", "fair", "good"])
    frame = pl.DataFrame({"s": [*scores, None], "y": [*names[y], "fair"], "w": [2.0] * 301})
    result = ordcut.optimal_thresholds(scores, names[y], classes=names, objective="squared")
    options = {"thresholds": result, "class_weight": "balanced"}
    weights = np.full(300, 2.0)
    shown = ThresholdDisplay.from_frame(
        frame, score="s", label="y", weight="w", nulls="drop", **options
    )
    same = ThresholdDisplay.from_predictions(
        names[y], scores, sample_weight=weights, score_name="s", **options
    )
    for one, other in zip(shown.risk_curves(), same.risk_curves(), strict=True):
        assert one.tolist() == other.tolist()
    assert shown.confusion().tolist() == same.confusion().tolist()
    assert shown.ax_.get_xlabel() == same.ax_.get_xlabel() == "s"


def decided(scores, y):
    """Thresholds between more decisions than classes, and between fewer."""
    cost = [[0, 1, 4], [3, 1, 0]]
    return {
        "review": ordcut.optimal_thresholds(scores, y, review=0.2),
        "fewer": ordcut.optimal_thresholds(scores, y, objective=cost, decisions=["wait", "act"]),
    }


@pytest.mark.parametrize("which", ["review", "fewer"])
def test_the_table_of_decisions_has_true_classes_in_its_rows(which):
    scores, y = ratings(300, 3)
    result = decided(scores, y)[which]
    shown = ThresholdDisplay.from_predictions(y, scores, thresholds=result, kind="confusion")
    pairs = np.zeros((3, len(result.decisions)))
    np.add.at(pairs, (y, result.codes(scores)), 1)
    assert shown.confusion().tolist() == pairs.tolist()
    names = [text.get_text() for text in shown.ax_.get_xticklabels()]
    assert names == [str(name) for name in result.decisions]
    assert [text.get_text() for text in shown.ax_.get_yticklabels()] == ["0", "1", "2"]


@pytest.mark.parametrize("which", ["review", "fewer"])
def test_risk_curves_are_named_by_decisions(which):
    scores, y = ratings(300, 3)
    result = decided(scores, y)[which]
    shown = ThresholdDisplay.from_predictions(y, scores, thresholds=result, kind="risk")
    names = [text.get_text() for text in shown.ax_.get_legend().get_texts()]
    assert names == [f"{low} | {high}" for low, high in pairwise(result.decisions)]


@pytest.mark.parametrize("which", ["review", "fewer"])
def test_densities_are_those_of_the_classes_whatever_is_decided(which):
    scores, y = ratings(300, 3)
    result = decided(scores, y)[which]
    shown = ThresholdDisplay.from_predictions(y, scores, thresholds=result)
    names = [text.get_text() for text in shown.ax_.get_legend().get_texts()]
    assert names == ["0", "1", "2"]
    at = {line.get_xdata()[0] for line in shown.ax_.get_lines()}
    assert set(result.thresholds) <= at


def test_costs_of_decisions_can_be_given_with_thresholds_that_were_read_from_json():
    scores, y = ratings(300, 3)
    result = decided(scores, y)["fewer"]
    read, cost = ordcut.Thresholds.from_json(result.to_json()), result.origin.objective.cost
    shown = ThresholdDisplay.from_predictions(
        y, scores, thresholds=read, objective=cost, kind="risk"
    )
    known = ThresholdDisplay.from_predictions(y, scores, thresholds=result, kind="risk")
    assert (shown.risk_curves()[1] == known.risk_curves()[1]).all()


def test_pipelines_searches_and_other_estimators_are_plotted():
    X, y = ordinal_data()
    own = OrdinalLogisticRegression(objective="squared")
    pipeline = make_pipeline(StandardScaler(), own).fit(X, y)
    search = GridSearchCV(pipeline, {"ordinallogisticregression__alpha": [0, 1]}, cv=2).fit(X, y)
    for estimator, last in [(pipeline, pipeline[-1]), (search, search.best_estimator_[-1])]:
        shown = ThresholdDisplay.from_estimator(estimator, X, y, kind="risk")
        assert shown.thresholds == last.labeler_
        assert shown.objective.name == "squared"
    regressor = make_pipeline(StandardScaler(), Ridge()).fit(X, y)
    shown = ThresholdDisplay.from_estimator(regressor, X, y)
    assert shown.thresholds.value == ordcut.optimal_thresholds(regressor.predict(X), y).value
    classifier = LogisticRegression().fit(X, y)
    shown = ThresholdDisplay.from_estimator(classifier, X, y)
    scores = classifier.predict_proba(X) @ np.arange(len(classifier.classes_))
    assert shown.thresholds.value == ordcut.optimal_thresholds(scores, y).value
    with pytest.raises(TypeError, match="from_predictions"):
        ThresholdDisplay.from_estimator(StandardScaler().fit(X), X, y)
