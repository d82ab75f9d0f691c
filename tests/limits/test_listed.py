"""Rows counted between listed values, and conflicts of few and of many constraints."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordcut
from ordcut._core.data import Rows
from ordcut._core.limits import Names, lower_all
from ordcut._core.problem import Problem, Sample
from ordcut._core.pruning import LumpedRows, lump_rows
from ordcut._core.solve import store_of

INF = np.inf


def extent(low, high):
    return lambda: (low, high)


def limits_of(constraints, n_classes=2):
    return lower_all(constraints, Names(list(range(n_classes)), list(range(n_classes))))


def listed_values(constraints, ends, most):
    return limits_of(constraints).listed_values(ends, most)


def is_lumped(rows, constraints):
    objective = ordcut.resolve_objective("absolute", rows.classes)
    problem = Problem(Sample(rows), objective, limits_of(constraints))
    return isinstance(store_of(problem), LumpedRows)


# Which values


def test_values_are_listed_up_to_as_many_as_asked_for():
    values = [1.0, 2.5, INF]
    assert listed_values([ordcut.Allowed(values)], extent(0, 9), most=2).tolist() == [1, 2.5]
    assert listed_values([ordcut.Allowed(values)], extent(0, 9), most=1) is None
    assert listed_values([ordcut.Allowed([-INF, INF])], extent(0, 9), most=9) is None
    assert listed_values([ordcut.Share(0, 0.5)], extent(0, 9), most=9) is None
    assert listed_values([], extent(0, 9), most=9) is None


def test_digits_are_listed_where_the_scores_span_few_round_numbers():
    values = listed_values([ordcut.Digits(1)], extent(0.0, 1.0), most=14)
    assert values.tolist() == [n / 10 for n in range(-1, 13)]
    assert listed_values([ordcut.Digits(1)], extent(0.0, 1.0), most=13) is None  # 14 in all
    assert listed_values([ordcut.Digits(1)], extent(0.0, 1e9), most=10**6) is None
    tens = listed_values([ordcut.Digits(-1)], extent(-5.0, 25.0), most=99)
    assert tens.tolist() == [-20, -10, 0, 10, 20, 30, 40]


def test_values_of_several_lists_are_those_in_all_of_them():
    lists = [ordcut.Allowed([1, 2, 3.5]), ordcut.Digits(0), ordcut.Allowed([2, 3.5, 4, 1])]
    assert listed_values(lists, extent(0, 9), most=99).tolist() == [1, 2]
    assert listed_values([*lists, ordcut.Gap(0)], extent(0, 9), most=99) is None


@pytest.mark.parametrize("n_rows", [39, 40])
def test_rows_are_counted_between_values_from_20_rows_for_each_value_on(n_rows):
    rows = Rows.read(np.arange(n_rows), np.arange(n_rows) % 2)
    assert is_lumped(rows, [ordcut.Allowed([3.5, 8.5])]) is (n_rows == 40)


def test_rows_with_fractions_are_not_counted_between_values():
    scores, labels = np.arange(100.0), np.arange(100) % 2
    limits = [ordcut.Allowed([3.5])]
    assert is_lumped(Rows.read(scores, labels), limits)
    fractions = Rows.read(scores, labels, weights=np.sqrt(np.arange(2, 102)))
    assert not is_lumped(fractions, limits)
    assert not is_lumped(Rows.read(scores, np.eye(2)[labels]), limits)


@pytest.mark.parametrize(("highest", "is_few"), [(900_000.0, True), (1_100_000.0, False)])
def test_round_numbers_a_distance_apart_are_listed_up_to_a_million(highest, is_few):
    rows = [0.0, 1.0, 2.0, highest], [0, 1, 2, 2]
    limits = [ordcut.Digits(0), ordcut.Gap(5)]  # the best thresholds without the gap are closer
    if is_few:
        result = ordcut.optimal_thresholds(*rows, constraints=limits)
        assert np.diff(result.thresholds).item() >= 5
    else:
        with pytest.raises(ValueError, match=r"at most 1000000 round numbers .*, got 1100"):
            ordcut.optimal_thresholds(*rows, constraints=limits)


# Counts


LISTS = {
    "one": [0.5],
    "even": [-1.0, 0.0, 1.0],
    "uneven": [-3.0, -2.999, -1.0, 0.25, 0.5, 40.0],
    "beyond float64": [-1.7e308, 0.0, 1.7e308],
    "tiny": [0.0, 5e-324, 1.0],
}


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
def test_rows_are_counted_where_a_search_finds_them(name, dtype, weighted):
    values = np.array(LISTS[name])
    random = np.random.default_rng(0)
    inside = values[np.abs(values) < 6e4].astype(dtype)
    scores = np.concatenate([random.normal(size=300).astype(dtype), inside, [-50, 50]])
    scores = scores.astype(dtype)
    labels, times = random.integers(0, 3, len(scores)), random.integers(1, 5, len(scores))
    rows = Rows.read(scores, labels, weights=times if weighted else None)
    lumps = lump_rows(rows, values, grid=None)
    cell = np.searchsorted(values, scores.astype(np.float64), side="right")
    expected = np.zeros((len(values) + 1, 3), int)
    np.add.at(expected, (cell, labels), times if weighted else 1)
    assert lumps.scores.dtype == dtype
    cuts = np.searchsorted(lumps.scores.astype(np.float64), values, "left")
    assert lumps.between(cuts).tolist() == expected.tolist()
    inner = [scores[cell == i] for i in range(len(values) + 1) if (cell == i).any()]
    assert lumps.scores[lumps.ends].tolist() == [each.max() for each in inner]
    starts = np.append(0, np.flatnonzero(lumps.ends)[:-1] + 1)
    assert lumps.scores[starts].tolist() == [each.min() for each in inner]


@settings(max_examples=60)
@given(st.lists(st.integers(-9, 9), min_size=1, max_size=6, unique=True), st.integers(0, 999))
def test_lumps_have_the_weight_and_the_outermost_scores_of_their_rows(values, seed):
    values = np.sort(np.array(values)) / 2
    random = np.random.default_rng(seed)
    scores, labels = random.integers(-10, 11, 200) / 2, random.integers(0, 3, 200)
    rows = Rows.read(scores, labels, classes=range(3))
    lumps = lump_rows(rows, values, grid=None)
    cells = [scores[np.searchsorted(values, scores, "right") == i] for i in range(len(values) + 1)]
    cells = [cell for cell in cells if len(cell)]
    starts = np.append(0, np.flatnonzero(lumps.ends)[:-1] + 1)
    assert lumps.scores[lumps.ends].tolist() == [cell.max() for cell in cells]
    assert lumps.scores[starts].tolist() == [cell.min() for cell in cells]
    assert lumps.between(starts[1:]).sum(axis=1).tolist() == [len(cell) for cell in cells]
    for value in values:
        cut = np.searchsorted(lumps.scores, value)
        below = lumps.between(np.array([cut]))[0]
        assert below.tolist() == np.bincount(labels[scores < value], minlength=3).tolist()


# Conflicts


def conflict_of(n, *impossible):
    """The numbers of the constraints in the conflict that is found among n of them.

    Each set of impossible ones has a threshold of its own, which must be in disjoint intervals;
    one alone asks for more rows than there are. All others hold anyway.
    """
    constraints = [f"count 0 <= {1000 + i}" for i in range(n)]
    for k, some in enumerate(impossible):
        for number, i in enumerate(sorted(some)):
            constraints[i] = f"between {k} {10 * number} {10 * number + 1}"
        if len(some) == 1:
            constraints[min(some)] = f"count {k} >= 1000"
    with pytest.raises(ordcut.InfeasibleConstraintsError) as error:
        ordcut.optimal_thresholds(
            [1, 2, 3, 4], [0, 1, 2, 3], classes=range(5), constraints=constraints
        )
    return [constraints.index(text) for text in error.value.constraints]


def test_of_up_to_10_constraints_the_smallest_conflict_is_found():
    assert conflict_of(10, {7, 9}, {0}) == [0]
    assert conflict_of(10, {4, 6}) == [4, 6]
    assert conflict_of(10, {2, 9}, {3}) == [3]
    assert conflict_of(2, {0, 1}) == [0, 1]
    assert conflict_of(1, {0}) == [0]


def test_of_more_than_10_constraints_none_can_be_left_out_of_the_conflict():
    assert conflict_of(11, {7, 10}, {0}) in ([0], [7, 10])
    assert conflict_of(11, {4, 6}) == [4, 6]
    assert conflict_of(12, {11}) == [11]


def test_three_constraints_that_only_hold_in_pairs_are_the_conflict():
    constraints = ["between 0 2.5 9", "share 1 >= 0.5", "share 2 >= 0.25", "share 0 <= 1"]
    with pytest.raises(ordcut.InfeasibleConstraintsError) as error:
        ordcut.optimal_thresholds([1, 2, 3, 4], [0, 1, 1, 2], constraints=constraints)
    assert error.value.constraints == constraints[:3]


def test_the_widest_gap_that_is_left_is_said_in_round_numbers():
    with pytest.raises(ordcut.InfeasibleConstraintsError) as error:
        ordcut.optimal_thresholds(
            [1, 2, 3, 4],
            [0, 1, 1, 2],
            constraints=["fixed 0 1.25", "fixed 1 2.5", "gap >= 5"],
        )
    assert error.value.nearest["gap >= 5"] == 1.25
    with pytest.raises(ordcut.InfeasibleConstraintsError) as error:
        ordcut.optimal_thresholds(
            [1, 2, 3, 4],
            [0, 1, 1, 2],
            constraints=["allowed 1.5 2.8", "share 1 >= 0.1", "gap >= 2"],
        )
    assert error.value.nearest["gap >= 2"] == 1.3
