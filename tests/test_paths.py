"""Every point of a path is what a call of its own finds."""

from contextlib import suppress

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordcut
from ordcut.studies.paths import LimitedBy
from tests.small_sizes import prune_from
from tests.strategies import enough_classes, problems
from tests.tables import OBJECTIVES

mpl.use("Agg")

FACTORS = [0, 1 / 7, 0.5, 1, 3, 1.1, np.sqrt(2)]


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


TEMPLATES = [
    (ordcut.Recall(1, at_least=0), [0, 0.5, 1, 0.9, 1 / 3]),
    ("recall 0 >=", [1, 0.25]),
    ("precision 1 >=", [0, 1, 0.5, 0.6]),
    ("share 0 <= 0.3", [0, 1, 0.5, 0.25]),
    ("share 1 >=", [0.3, 0, 0.6]),
    ("count 1 <=", [0, 3, 2, 100]),
    ("under 1 <=", [0, 0.5, 0.2]),
    ("over 0 <=", [0, 0.5, 0.2]),
    ("gap >=", [0, 3, 1]),
    ("digits", [1, 0, -1]),
    (ordcut.Fixed(0, 0), [0.5, -1.25, 9]),
]


@settings(max_examples=100)  # a path is many calls
@given(
    problem=problems().filter(enough_classes),
    objective=st.sampled_from(OBJECTIVES),
    template=st.sampled_from(TEMPLATES),
    others=st.sampled_from([(), ("digits 0",), ("recall 1 >= 0.5", "gap >= 0.5")]),
)
def test_a_point_of_a_constraint_path_equals_a_call_of_its_own(
    problem, objective, template, others
):
    constraint, limits = template
    one = constraint if not isinstance(constraint, str) else LimitedBy.read(constraint).constraint
    options = {"objective": objective, **options_of(problem)}
    expected = {}
    for limit in limits:
        changed = LimitedBy.read(one).at(limit)
        with suppress(ordcut.InfeasibleConstraintsError):
            expected[limit] = ordcut.optimal_thresholds(
                problem.scores, problem.labels, constraints=[changed, *others], **options
            )

    def path():
        return ordcut.constraint_path(
            problem.scores, problem.labels, constraint, limits, constraints=others, **options
        )

    if not expected:
        with pytest.raises(ordcut.InfeasibleConstraintsError):
            path()
        return
    result = path()
    assert result.grid.tolist() == list(expected)
    assert sorted([*result.grid, *result.infeasible]) == sorted(limits)
    for point, own in zip(result.points, expected.values(), strict=True):
        assert point.thresholds.tolist() == own.thresholds.tolist()
        assert point.ranges.tolist() == own.ranges.tolist()
        assert point.value == own.value
        assert [str(constraint) for constraint in point.constraints] == [
            str(constraint) for constraint in own.constraints
        ]


def test_a_limit_that_the_thresholds_of_a_looser_one_keep_still_costs_what_it_costs():
    scores, labels = [1, 2, 3, 4, 5, 6], [0, 1, 0, 0, 1, 1]
    path = ordcut.constraint_path(scores, labels, "recall 1 >=", [0.5, 0.7, 0.9])
    assert path.thresholds.ravel().tolist() == [4.5, 1.5, 1.5]
    assert [point.constraints[0].binds for point in path.points] == [False, True, True]


def test_the_price_of_recall_rises_with_the_limit():
    path = ordcut.constraint_path(*noisy(), "recall 2 >=", objective="squared")
    assert path.grid.tolist() == (np.arange(21) / 20).tolist()
    assert (np.diff(path.values) >= 0).all()
    assert path.values[0] == ordcut.optimal_thresholds(*noisy(), objective="squared").value
    assert path.values[-1] > path.values[0]


def test_limits_that_cannot_be_kept_are_left_out_and_listed():
    path = ordcut.constraint_path(
        [1, 2, 3, 4], [0, 1, 0, 1], "share 0 >=", [0.9, 0.5, 1], constraints=["share 1 >= 0.25"]
    )
    assert path.grid.tolist() == [0.5]
    assert path.infeasible.tolist() == [0.9, 1]
    assert repr(path).endswith("in 1 points, 2 infeasible, absolute)")


def test_a_constraint_path_takes_decisions_and_review():
    scores, labels = noisy(300)
    cost = np.abs(np.arange(0, 5, 2)[:, None] - np.arange(5))
    options = {"objective": cost, "decisions": ["no", "perhaps", "yes"]}
    path = ordcut.constraint_path(scores, labels, "share yes <=", [0.1, 0.2], **options)
    own = ordcut.optimal_thresholds(scores, labels, constraints=["share yes <= 0.2"], **options)
    assert path.points[1] == own
    path = ordcut.constraint_path(scores, labels, "share 1 or 2 <=", [0], review=0.25)
    own = ordcut.optimal_thresholds(scores, labels, constraints=["share 1 or 2 <= 0"], review=0.25)
    assert path.points[0] == own


def test_a_path_of_limits_is_drawn_on_a_linear_scale():
    import matplotlib.pyplot as plt

    path = ordcut.constraint_path(*noisy(300), "recall 2 >=", [0.9, 0.5], review=0.25)
    ax = path.plot(kind="value")
    assert (ax.get_xscale(), ax.get_xlabel()) == ("linear", "recall 2, at least")
    assert ax.get_lines()[0].get_ydata().tolist() == path.values[::-1].tolist()
    names = [text.get_text() for text in path.plot().artists[0].texts]
    assert names[0] == "0 | 0 or 1"
    plt.close("all")


def noisy(n=5000, n_classes=5, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, n)
    return (labels + rng.normal(scale=2, size=n)).astype(np.float32), labels


@pytest.mark.parametrize("objective", ["squared", "quadratic_kappa", "zero_one"])
def test_points_of_many_rows_are_those_of_calls_of_their_own(monkeypatch, objective):
    prune_from(monkeypatch, 100)
    scores, labels = noisy(20_000)
    path = ordcut.asymmetry_path(scores, labels, [1 / 3, 1, 5], objective=objective)
    base = ordcut.resolve_objective(objective, 5)
    for factor, point in zip(path.grid, path.points, strict=True):
        own = ordcut.optimal_thresholds(scores, labels, objective=base.asymmetric(factor))
        assert own.thresholds.tolist() == point.thresholds.tolist()
        assert own.ranges.tolist() == point.ranges.tolist()
        assert own.value == point.value


@pytest.mark.parametrize("weight_type", ["repeats", "importance"])
def test_points_of_a_path_count_weights_as_their_type_says(weight_type):
    random = np.random.default_rng(0)
    labels = random.integers(0, 3, 80)
    scores = labels + random.normal(0, 1, 80)
    options = {"sample_weight": random.integers(1, 6, 80), "weight_type": weight_type}
    rows = {"scores": scores, "labels": labels, **options}
    n_rows = ordcut.optimal_thresholds(**rows).bootstrap(n=20, random_state=0).n_rows
    for path in (
        ordcut.asymmetry_path(**rows, factors=[1, 2]),
        ordcut.class_weight_path(**rows, name=1, weights=[1, 2]),
        ordcut.constraint_path(**rows, constraint="recall 2 >=", limits=[0.5, 0.9]),
    ):
        for point in path.points:
            assert point.bootstrap(n=20, random_state=0).n_rows == n_rows


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
    assert ax.get_xlabel() == "cost factor of predictions that are too high"
    assert path.plot(kind=kind, ax=ax) is ax
    plt.close("all")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ordcut.asymmetry_path([1, 2], [0, 1], [-1]), "asymmetry must be a finite number"),
        (lambda: ordcut.asymmetry_path([1, 2], [0, 1], []), "factors must be a flat list"),
        (lambda: ordcut.asymmetry_path([1, 2], [0, 1], 3), "factors must be a flat list"),
        (
            lambda: ordcut.class_weight_path([1, 2], [0, 1], 7, [1]),
            "class_weight must name known classes",
        ),
        (
            lambda: ordcut.class_weight_path([1, 2], [0, 1], 1, [np.nan]),
            "class_weight must be finite",
        ),
        (
            lambda: ordcut.constraint_path([1, 2], [0, 1], "between 0 1 2", [1]),
            "constraint must have one number as its limit",
        ),
        (
            lambda: ordcut.constraint_path([1, 2], [0, 1], ordcut.Share(0, 0.1, 0.9), [0.5]),
            "constraint must have one number as its limit",
        ),
        (
            lambda: ordcut.constraint_path([1, 2], [0, 1], "recall 0 >=", [1.5]),
            "at_least of Recall must be a number from 0 to 1",
        ),
        (
            lambda: ordcut.constraint_path([1, 2], [0, 1], "recall 7 >="),
            "must name a class, one of 0, 1",
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
