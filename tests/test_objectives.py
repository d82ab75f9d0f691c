"""Objectives: what each name, matrix and callable costs, and what is refused."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import ordcut
from ordcut import Kappa, Objective, resolve_objective
from ordcut._core.decisions import read_costs, with_review
from ordcut._core.numerics.exact import ExactCost, as_exact
from ordcut._core.objectives.named import n_classes_of
from tests.naive import exact_kappa
from tests.tables import BALANCED, KAPPAS


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("highest", [5, 2**30 - 1, 2**30, 3 * 2**29, 2**31, 2**40, 2**52])
def test_distances_of_integers_of_any_size_are_exact_or_refused(highest, sign):
    for classes in ([0, 1, highest], [-highest, 0, highest], [-highest, -2, 1]):
        values = sorted(sign * value for value in classes)
        at = np.array(values)
        absolute = [[abs(a - b) for b in values] for a in values]
        squared = [[(a - b) ** 2 for b in values] for a in values]
        assert resolve_objective("absolute", at).cost.tolist() == absolute
        if all(float(cost) == cost for row in squared for cost in row):
            assert resolve_objective("squared", at).cost.tolist() == squared
        else:
            with pytest.raises(ValueError, match="squared distances that are exact in float64"):
                resolve_objective("squared", at)


def test_distances_are_of_values_where_classes_ascend_and_of_positions_elsewhere():
    assert resolve_objective("absolute", [0.5, 1.5, 4.0]).cost[0].tolist() == [0, 1, 3.5]
    for classes in ([5, 1, 2], [1, 5, 2], ["a", "b", "c"], 3, np.int64(3)):
        assert resolve_objective("absolute", classes).cost[0].tolist() == [0, 1, 2]
    assert resolve_objective("quadratic_kappa", [1, 2, 5]).cost[0].tolist() == [0, 1, 4]
    assert resolve_objective("zero_one", [1, 2, 5]).cost[0].tolist() == [0, 1, 1]
    assert resolve_objective("macro_mae", [1, 2, 5]).cost[0].tolist() == [0, 1, 4]


@given(
    cost=st.integers(2, 4).flatmap(
        lambda k: hnp.arrays(np.float64, (k, k), elements=st.integers(0, 2))
    )
)
def test_a_kappa_has_convex_steps_where_all_truths_bend_alike_and_upwards(cost):
    np.fill_diagonal(cost, 0)
    bends = np.diff(cost, 2, axis=0)
    are_alike = all((row == row[0]).all() and (row >= 0).all() for row in bends)
    kappa = resolve_objective(Kappa(cost), len(cost))
    assert kappa.has_convex_steps == are_alike
    assert not kappa.is_convex
    plain = resolve_objective(cost, len(cost))
    assert plain.is_convex == ExactCost.of(cost).is_convex


@pytest.mark.parametrize("scale", [1.0, 1e-170, 1e-300, 1e160, 1e300])
@pytest.mark.parametrize("cost_scale", [1.0, 1e-300, 1e250])
def test_a_kappa_is_that_of_fractions_however_large_or_small_weights_and_costs_are(
    scale, cost_scale
):
    table = np.array([[3.0, 1.0, 0.5], [2.0, 4.0, 0.25], [0.0, 1.0, 5.0]]) * scale
    for name in KAPPAS:
        cost = resolve_objective(name, 3).cost * cost_scale
        result = Objective("mine", cost, is_kappa=True).value(table)
        expected = exact_kappa(as_exact(cost).tolist())(as_exact(table).tolist())
        assert result == pytest.approx(float(expected), rel=1e-12)


def test_a_kappa_of_one_cell_is_undefined_for_the_class_that_is_predicted():
    table = np.zeros((3, 3))
    table[2, 2] = 5.0
    with pytest.raises(ValueError, match="position 2 is predicted for every row"):
        resolve_objective("kappa", 3).value(table)


def test_names_of_objectives_are_those_of_functions():
    def too_far(k, truth):
        return abs(k - truth) > 1

    assert resolve_objective(too_far, 3).name == "too_far"
    assert resolve_objective(partial(too_far), 3).name == "callable"
    assert resolve_objective(lambda k, truth: k != truth, 3).name == "custom cost"
    assert resolve_objective([[0, 1], [1, 0]], 2).name == "custom cost"
    assert resolve_objective(Kappa(too_far), 3).name == "kappa (too_far)"
    assert resolve_objective(Kappa("absolute"), 3).name == "kappa (absolute)"
    assert repr(Kappa("absolute")) == "Kappa('absolute')"
    decided = resolve_objective([[0, 1], [1, 0]], 2, ["a", "b"])
    assert repr(decided) == "Additive(name='custom cost')"


def test_objectives_are_compared_by_identity():
    matrix = [[0, 1], [2, 0]]
    one, other = Objective("mine", matrix), Objective("mine", matrix)
    assert len({one, other, one}) == 2
    assert one != other
    reviewed = [with_review(one, 0.5, np.array([0, 1])) for _ in range(2)]
    assert len({*reviewed, reviewed[0]}) == 2
    priced = [read_costs([1.0, 2.0], matrix, None, None)[1] for _ in range(2)]
    assert len({*priced, priced[0]}) == 2


def test_a_callable_gives_the_cost_of_each_decision_for_each_class():
    result = resolve_objective(lambda d, truth: 10 * d + truth, 2, ["a", "b", "c"])
    assert result.cost.tolist() == [[0, 1], [10, 11], [20, 21]]
    assert (result.n_decisions, result.n_classes, result.largest_cost) == (3, 2, 21)
    assert resolve_objective([[0, -7], [1, 0]], 2).largest_cost == 7


def test_the_number_of_classes_is_that_of_columns():
    assert n_classes_of(np.ones((3, 2)), has_decisions=True) == 2
    assert n_classes_of(Kappa(np.ones((4, 4)))) == 4
    assert n_classes_of(resolve_objective("absolute", 5)) == 5
    for any_number in ("absolute", Kappa("kappa"), lambda k, truth: k != truth):
        assert n_classes_of(any_number) is None
    with pytest.raises(ValueError, match=r"got shape \(3, 2\). If its rows are decisions"):
        n_classes_of(np.ones((3, 2)))
    with pytest.raises(ValueError, match=r"got shape \(3, 2\)"):
        n_classes_of(Kappa(np.ones((3, 2))))


@pytest.mark.parametrize("shape", [(2,), (1, 1), (1, 2), (2, 1), (0, 0), (2, 2, 2)])
def test_a_matrix_has_two_dimensions_of_two_or_more(shape):
    with pytest.raises(ValueError, match=r"objective must be a \(K, K\) matrix with K >= 2"):
        resolve_objective(np.zeros(shape), 2)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_the_place_of_a_cost_that_is_not_finite_is_named(bad):
    matrix = np.zeros((3, 3))
    matrix[2, 1] = bad
    with pytest.raises(ValueError, match=rf"must be finite, got {bad} at position \[2, 1\]"):
        resolve_objective(matrix, 3)


def test_costs_of_an_objective_cannot_be_changed():
    given = np.array([[0.0, 1.0], [1.0, 0.0]])
    result = resolve_objective(given, 2)
    given[0, 1] = 9
    assert result.cost.tolist() == [[0, 1], [1, 0]]
    with pytest.raises(ValueError, match="read-only"):
        result.cost[0, 1] = 9


def test_an_objective_with_rows_for_other_classes_is_refused():
    with pytest.raises(
        ValueError, match=r"a \(3, 3\) matrix for 3 classes, got shape \(2, 2\).*predicted class"
    ):
        resolve_objective([[0, 1], [1, 0]], 3)
    with pytest.raises(
        ValueError, match=r"a \(3, 2\) matrix for 2 classes, got shape \(2, 2\).*each decision"
    ):
        resolve_objective([[0, 1], [1, 0]], 2, ["a", "b", "c"])
    with pytest.raises(ValueError, match="decisions cannot be used with the kappa 'kappa'"):
        resolve_objective("kappa", 2, ["a", "b"])
    with pytest.raises(ValueError, match=r"square matrix, got shape \(3, 2\)"):
        Objective("mine", np.zeros((3, 2)), is_kappa=True)
    with pytest.raises(TypeError, match=r"two positions.*and len failed"):
        resolve_objective(len, 3)


def test_predictions_that_are_too_high_cost_a_multiple():
    absolute = resolve_objective("absolute", 3)
    assert absolute.asymmetric(0).cost.tolist() == [[0, 1, 2], [0, 0, 1], [0, 0, 0]]
    assert absolute.asymmetric(2.5).name == "absolute, too high 2.5-fold"
    assert resolve_objective("kappa", 3).asymmetric(2).is_maximised
    for bad in (-0.1, np.inf, np.nan):
        with pytest.raises(ValueError, match="asymmetry must be a finite number"):
            absolute.asymmetric(bad)
    with pytest.raises(ValueError, match="asymmetry needs predictions that are classes"):
        resolve_objective("absolute", 2, ["a", "b"]).asymmetric(2)


@pytest.mark.parametrize("name", BALANCED)
def test_balanced_objectives_take_no_class_weights_of_any_kind(name):
    for class_weight in ("balanced", [1, 1, 1], {0: 2}):
        with pytest.raises(
            ValueError, match=r"class_weight must be None.*use objective='(abs|zero)"
        ):
            ordcut.optimal_thresholds(
                [1, 2, 3], [0, 1, 2], objective=name, class_weight=class_weight
            )


def test_objectives_that_are_not_balanced_weigh_classes_as_they_are_told():
    absolute, macro = (resolve_objective(name, 3) for name in ("absolute", "macro_mae"))
    assert absolute.class_weight is None
    assert absolute.weighted([1, 2, 3], np.arange(3)).class_weight.tolist() == [1, 2, 3]
    assert macro.class_weight == "balanced"
    assert macro.cost.tolist() == absolute.cost.tolist()
