import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordcut
from ordcut import report
from tests.ordinal_rows import ratings
from tests.strategies import problems
from tests.tables import OBJECTIVES


def naive_value(result, k, position, scores, labels, **options):
    """Predict every row again with threshold k at the position."""
    moved = result.thresholds.copy()
    moved[k] = position
    codes = [sum(score >= cut for cut in moved if cut < np.inf) for score in scores]
    return ordcut.evaluate(labels, result.classes[codes], result.objective, **options)


@given(
    problem=problems(most_rows=14, most_scores=8).filter(
        lambda p: len({y for _, y, _ in p.rows}) > 1
    ),
    objective=st.sampled_from(OBJECTIVES),
    weighs_classes=st.booleans(),
)
@settings(max_examples=60)
def test_each_value_of_a_curve_is_that_of_predicting_again(problem, objective, weighs_classes):
    options = {
        "classes": problem.classes,
        "sample_weight": problem.weights,
        "class_weight": np.arange(1.0, problem.n_classes + 1) if weighs_classes else None,
    }
    result = ordcut.optimal_thresholds(
        problem.scores, problem.labels, objective=objective, **options
    )
    for k, curve in enumerate(report.curves(result)):
        assert curve.threshold == result.thresholds[k]
        for position, value in zip(curve.positions, curve.values, strict=True):
            naive = naive_value(result, k, position, problem.scores, problem.labels, **options)
            assert value == pytest.approx(naive, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_best_value_of_every_curve_is_at_the_optimum(objective):
    result = ordcut.optimal_thresholds(*ratings(300), objective=objective)
    curves = report.curves(result)
    assert len(curves) == 3
    for curve in curves:
        best = curve.values.max() if curves.is_maximised else curve.values.min()
        reached = curve.values[curve.positions.tolist().index(curve.threshold)]
        assert reached == best == pytest.approx(result.value, rel=1e-12)


def test_a_threshold_moves_between_its_neighbours_and_the_ends():
    result = ordcut.optimal_thresholds(*ratings(300))
    edges = [-np.inf, *result.thresholds, np.inf]
    for k, curve in enumerate(report.curves(result)):
        assert (curve.positions[0], curve.positions[-1]) == (edges[k], edges[k + 2])
        assert (np.diff(curve.positions[1:-1]) > 0).all()


def test_few_positions_are_some_of_all_positions_with_the_same_values():
    result = ordcut.optimal_thresholds(*ratings(2000), objective="quadratic_kappa")
    for few, every in zip(report.curves(result, 50), report.curves(result, None), strict=True):
        assert len(few.positions) < 60
        known = dict(zip(every.positions.tolist(), every.values.tolist(), strict=True))
        assert few.values.tolist() == [known[position] for position in few.positions.tolist()]


def test_smoothed_thresholds_are_judged_by_the_observed_labels():
    scores, labels = ratings(300)
    result = ordcut.optimal_thresholds(scores, labels, smoothing=0.8)
    for curve in report.curves(result):
        reached = curve.values[curve.positions.tolist().index(curve.threshold)]
        assert reached == pytest.approx(ordcut.evaluate(labels, result.predict(scores)))


def test_columns_make_a_frame():
    import polars as pl

    classes = ["poor", "fair", "good"]
    scores, labels = ratings(50, 3)
    result = ordcut.optimal_thresholds(scores, np.array(classes)[labels], classes=classes)
    curves = report.curves(result)
    frame = pl.DataFrame(curves.to_dict())
    assert frame.columns == ["threshold", "lower", "upper", "position", "value"]
    second = frame.filter(pl.col("lower") == "fair", pl.col("upper") == "good")
    assert second["threshold"].unique().to_list() == [1]
    assert second["position"].to_list() == curves[1].positions.tolist()
    assert second["value"].to_list() == curves[1].values.tolist()


def test_thresholds_without_rows_are_refused():
    result = ordcut.optimal_thresholds([1.0, 2.0], [0, 1])
    with pytest.raises(ValueError, match=r"curves needs the rows .*optimal_thresholds"):
        report.curves(ordcut.Thresholds.from_json(result.to_json()))


def test_rows_that_have_changed_are_refused():
    scores, labels = ratings(50, 3)
    result = ordcut.optimal_thresholds(scores, labels)
    scores[:] = -scores
    with pytest.raises(ValueError, match="as they were when the thresholds were found"):
        report.curves(result)


def test_a_number_of_positions_below_1_is_refused():
    with pytest.raises(ValueError, match="n_positions must be at least 1"):
        report.curves(ordcut.optimal_thresholds([1.0, 2.0], [0, 1]), 0)
