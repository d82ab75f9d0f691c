"""Every point of a path is what a call of its own finds."""

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordcut
from strategies import OBJECTIVES, problems

mpl.use("Agg")

FACTORS = [0, 1 / 7, 0.5, 1, 3, 1.1, np.sqrt(2)]


def enough_classes(problem):
    return len({truth for _, truth, _ in problem.rows}) > 1


def options_of(problem):
    return {"classes": problem.classes, "sample_weight": problem.weights}


@settings(max_examples=60)  # a path is many calls
@given(problem=problems().filter(enough_classes), objective=st.sampled_from(OBJECTIVES))
def test_a_point_of_an_asymmetry_path_equals_a_call_of_its_own(problem, objective):
    factors = FACTORS if objective in OBJECTIVES[:3] else FACTORS[1:]
    path = ordcut.asymmetry_path(
        problem.scores, problem.labels, factors, objective=objective, **options_of(problem)
    )
    base = ordcut.resolve_objective(objective, problem.n_classes)
    for factor, point in zip(factors, path.points, strict=True):
        assert point == ordcut.optimal_thresholds(
            problem.scores,
            problem.labels,
            objective=base.asymmetric(factor),
            **options_of(problem),
        )


@settings(max_examples=60)  # a path is many calls
@given(problem=problems().filter(enough_classes), objective=st.sampled_from(OBJECTIVES))
def test_a_point_of_a_class_weight_path_equals_a_call_of_its_own(problem, objective):
    name = problem.n_classes - 1
    weights = FACTORS[1:]
    path = ordcut.class_weight_path(
        problem.scores, problem.labels, name, weights, objective=objective, **options_of(problem)
    )
    for weight, point in zip(weights, path.points, strict=True):
        assert point == ordcut.optimal_thresholds(
            problem.scores,
            problem.labels,
            objective=objective,
            class_weight={name: weight},
            **options_of(problem),
        )


def noisy(n=5000, n_classes=5, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, n)
    return (labels + rng.normal(scale=2, size=n)).astype(np.float32), labels


@pytest.mark.parametrize("objective", ["squared", "quadratic_kappa", "zero_one"])
def test_points_of_many_rows_are_those_of_calls_of_their_own(monkeypatch, objective):
    for limit in ("MOST_ROWS_TO_SORT", "MOST_ROWS_PER_PAIR", "MOST_CHOICES"):
        monkeypatch.setattr(f"ordcut.solvers.choose.{limit}", 100)
    scores, labels = noisy(20_000)
    path = ordcut.asymmetry_path(scores, labels, [1 / 3, 1, 5], objective=objective)
    assert path.points[0].method == ("nested" if objective == "squared" else "pruned")
    base = ordcut.resolve_objective(objective, 5)
    for factor, point in zip(path.grid, path.points, strict=True):
        own = ordcut.optimal_thresholds(scores, labels, objective=base.asymmetric(factor))
        assert own.method == "pruned"
        assert own.thresholds.tolist() == point.thresholds.tolist()
        assert own.ranges.tolist() == point.ranges.tolist()
        assert own.value == point.value


def test_the_number_of_threads_is_irrelevant():
    scores, labels = noisy()
    one, two = (ordcut.asymmetry_path(scores, labels, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert one.points == two.points


def test_thresholds_rise_with_the_cost_of_a_prediction_that_is_too_high():
    path = ordcut.asymmetry_path(*noisy())
    assert (np.diff(path.thresholds, axis=0) >= 0).all()
    assert path.thresholds[0].sum() < path.thresholds[-1].sum()
    assert (np.diff(path.values) >= 0).all()


def test_a_class_that_weighs_more_is_predicted_more():
    scores, labels = noisy()
    path = ordcut.class_weight_path(scores, labels, 2)
    shares = [(point.predict(scores) == 2).mean() for point in path.points]
    assert (np.diff(shares) >= 0).all()
    assert shares[0] < shares[-1]


@pytest.mark.parametrize("kind", ["thresholds", "value"])
def test_a_path_is_drawn_over_its_parameter(kind):
    import matplotlib.pyplot as plt

    path = ordcut.asymmetry_path(*noisy(), [4, 1, 2])
    ax = path.plot(kind=kind)
    lines = ax.get_lines()
    drawn = np.array([line.get_ydata() for line in lines])
    expected = path.values[None] if kind == "value" else path.thresholds.T
    assert drawn.tolist() == expected[:, [1, 2, 0]].tolist()
    assert all(line.get_xdata().tolist() == [1, 2, 4] for line in lines)
    assert ax.get_xlabel() == "asymmetry"
    assert path.plot(kind=kind, ax=ax) is ax
    plt.close("all")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ordcut.asymmetry_path([1, 2], [0, 1], [-1]), "asymmetry must be a finite number"),
        (lambda: ordcut.asymmetry_path([1, 2], [0, 1], []), "factors must be one or more numbers"),
        (lambda: ordcut.asymmetry_path([1, 2], [0, 1], 3), "factors must be one or more numbers"),
        (
            lambda: ordcut.class_weight_path([1, 2], [0, 1], 7, [1]),
            "class_weight must name known classes",
        ),
        (
            lambda: ordcut.class_weight_path([1, 2], [0, 1], 1, [np.nan]),
            "class_weight must be finite",
        ),
        (
            lambda: ordcut.asymmetry_path([1, 2], [0, 1]).plot(kind="values"),
            'Did you mean "value"',
        ),
    ],
)
def test_a_path_that_cannot_be_says_why(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_drawing_a_path_without_matplotlib_says_what_to_install(without):
    path = ordcut.asymmetry_path([1, 2], [0, 1])
    without("matplotlib")
    with pytest.raises(ImportError, match=r"ThresholdPath.plot needs matplotlib"):
        path.plot()


@pytest.mark.parametrize("factor", [np.inf, -1.0, np.nan])
def test_an_asymmetry_must_be_finite_and_not_negative(factor):
    with pytest.raises(ValueError, match="asymmetry must be a finite number"):
        ordcut.resolve_objective("absolute", 3).asymmetric(factor)
