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
from ordcut._core.objectives import title_of
from ordcut.estimators import OrdinalLogisticRegression, OrdinalThresholdClassifierCV
from ordcut.plots import ThresholdDisplay, ridges
from ordcut.plots.labels import SpreadLabels
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
    assert set(estimator.thresholds_) <= positions_of_lines(shown.ax_)


def positions_of_lines(axes):
    """The positions of vertical lines."""
    ends = [line.get_xydata() for line in axes.get_lines()]
    ends += [part for lines in axes.collections if isinstance(lines, mpl.collections.LineCollection)
             for part in lines.get_segments()]  # fmt: skip
    return {float(part[0][0]) for part in ends if len(part) == 2 and part[0][0] == part[1][0]}


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
    assert shown.ax_.get_ylabel() == title_of(objective)


def test_classes_that_are_never_predicted_are_named():
    names = ["poor", "fair", "good"]
    y, scores = ["poor", "poor", "good"], [1.0, 2.0, 3.0]
    shown = ThresholdDisplay.from_predictions(y, scores, classes=names)
    written = [text.get_text() for text in shown.ax_.get_yticklabels()]
    assert written == ["poor", "fair (never)", "good"]
    shown = ThresholdDisplay.from_predictions(y, scores, classes=names, kind="confusion")
    assert shown.ax_.get_xlabel() == "predicted (never: fair)"


def test_smoothed_thresholds_are_called_smoothed():
    scores, y = ratings(300, 3)
    result = ordcut.optimal_thresholds(scores, y, smoothing=0.8)
    shown = ThresholdDisplay.from_predictions(y, scores, thresholds=result)
    title = shown.ax_.get_title(loc="left").replace("\n", " ")
    assert title == "Smoothed thresholds for the lowest mean absolute error"


@pytest.mark.parametrize("kind", ["density", "risk"])
def test_everything_is_inside_the_figure_beside_long_names(kind):
    names = ["a name that is far too long for a legend " * 3, "b", "c"]
    scores, y = ratings(300, 3)
    shown = ThresholdDisplay.from_predictions(np.array(names)[y], scores, classes=names, kind=kind)
    shown.figure_.canvas.draw()
    assert shown.ax_.get_window_extent().width > 0.4 * shown.figure_.bbox.width
    drawn = shown.figure_.get_tightbbox()
    assert drawn.x0 >= 0
    assert drawn.x1 <= shown.figure_.get_figwidth()


@pytest.mark.parametrize("width", [3.3, 6.5])
@pytest.mark.parametrize("n_classes", [3, 8, 30])
def test_numbers_of_thresholds_do_not_collide(width, n_classes):
    import matplotlib.pyplot as plt

    y = np.random.default_rng(0).integers(0, n_classes, 2000)
    axes = plt.subplots(figsize=(width, 3), layout="constrained")[1]
    scores = 0.3 * y + np.random.default_rng(1).normal(size=2000)
    shown = ThresholdDisplay.from_predictions(y, scores, ax=axes)
    shown.figure_.canvas.draw()
    (labels,) = [child for child in axes.get_children() if isinstance(child, SpreadLabels)]
    boxes = [text.get_window_extent() for text in labels.texts]
    assert boxes
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
    assert all(box.y0 > axes.get_window_extent().y1 for box in boxes)


def test_a_ridge_is_solid_where_the_prediction_is_right():
    scores, y = ratings(300, 3)
    shown = ThresholdDisplay.from_predictions(y, scores)
    edges = [-np.inf, *shown.thresholds.thresholds, np.inf]
    areas = [part for part in shown.ax_.collections if hasattr(part, "get_paths")]
    solid = [part for part in areas if part.get_alpha() == ridges.SOLID]
    assert len(solid) == 3
    low, high = shown.xlim
    for k, part in enumerate(solid):
        at = part.get_paths()[0].vertices[:, 0]
        assert at.min() == max(low, edges[k])
        assert at.max() == min(high, edges[k + 1])
    written = [text.get_text() for text in shown.ax_.texts]
    table = shown.confusion()
    for k in range(3):
        assert f"{table[k, k] / table[k].sum():.0%}".replace("%", " %") in written


def test_the_objective_below_the_ridges_is_that_of_moving_one_threshold():
    scores, y = ratings(300, 3)
    shown = ThresholdDisplay.from_predictions(y, scores, objective="quadratic_kappa")
    lines = [line for line in shown.risk_ax_.get_lines() if line.get_marker() == "None"]
    for line, curve in zip(lines, shown.curves(), strict=True):
        assert line.get_ydata().tolist() == curve.values.tolist()
    low, high = shown.risk_ax_.get_ylim()
    assert low < shown.value < high


def test_weights_change_the_densities():
    scores, y = ratings(300, 3)
    weights = np.where(scores > 0, 5.0, 0.5)
    shown = ThresholdDisplay.from_predictions(y, scores, sample_weight=weights)
    _, counts = shown.histogram()
    assert counts.sum(axis=0) == pytest.approx(np.bincount(y, weights))


def test_thresholds_are_judged_by_the_objective_that_they_were_found_for():
    scores, y = ratings(300, 3)
    result = ordcut.optimal_thresholds(scores, y, objective="squared")
    shown = ThresholdDisplay.from_predictions(y, scores, thresholds=result, kind="risk")
    positions, risks = shown.risk_curves()
    assert shown.ax_.get_ylabel() == "mean squared error"
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
    for true, k in np.ndindex(3, 3):
        share = expected[true, k] / expected[true].sum()
        shares = "<1" if share < 0.005 else f"{100 * share:.0f}"
        count = expected[true, k]
        assert written[k, true] == (f"{count}\n{shares} %" if count else "0")


@pytest.mark.parametrize("objective", ["absolute", "quadratic_kappa", "f1_macro"])
def test_the_value_above_a_confusion_is_that_of_the_rows_in_it(objective):
    scores, y = ratings(300, 3)
    result = ordcut.optimal_thresholds(scores[:100], y[:100], objective=objective)
    rows = y[100:], scores[100:]
    shown = ThresholdDisplay.from_predictions(*rows, thresholds=result, kind="confusion")
    value = ordcut.evaluate(rows[0], result.predict(rows[1]), objective)
    title = title_of(result.objective)
    assert shown.ax_.get_title(loc="left") == f"{title[0].upper()}{title[1:]}: {value:.4g}"
    assert value != result.value


@pytest.mark.parametrize("kind", ["density", "risk", "confusion"])
def test_many_classes_have_space(kind):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 30, 2000)
    shown = ThresholdDisplay.from_predictions(y, y + rng.normal(size=2000), kind=kind)
    assert shown.ax_.get_legend() is None
    shown.figure_.canvas.draw()
    names = [text.get_window_extent() for text in shown.ax_.get_yticklabels() if text.get_text()]
    rows = sorted(names, key=lambda box: box.y0)
    assert all(lower.y1 <= upper.y0 + 2 for lower, upper in pairwise(rows))


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
    names = [text.get_text() for text in shown.ax_.get_yticklabels()]
    assert names == ["0", "1", "2"]
    assert set(result.thresholds) <= positions_of_lines(shown.ax_)


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
