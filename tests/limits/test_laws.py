"""Laws of constraints: what limits that change nothing, or everything, must lead to."""

import pickle
from dataclasses import fields, replace
from itertools import combinations_with_replacement, pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ordcut
from ordcut._core.limits import read_constraints
from tests import naive
from tests.limits.within_limits import (
    KINDS,
    can_be_combined,
    holds,
    random_constraint,
    random_constraints,
    table_of,
)
from tests.strategies import enough_classes, find, problems
from tests.tables import OBJECTIVES

seeds = st.integers(0, 10**6)
some_problems = problems().filter(enough_classes)
objectives = st.sampled_from(OBJECTIVES)


def some_constraints(seed, n_classes, most=3):
    random = np.random.default_rng(seed)
    kinds = random.choice(KINDS, random.integers(1, most + 1))
    return random_constraints(kinds, random, n_classes)


def find_or_none(problem, objective, constraints):
    """What is found, or None where the constraints cannot hold."""
    try:
        return find(
            problem.scores,
            problem.labels,
            problem.n_classes,
            objective,
            sample_weight=problem.weights,
            constraints=constraints,
        )
    except ordcut.InfeasibleConstraintsError:
        return None


def table_at(problem, thresholds):
    """The exact weight of each (decision, class)."""
    weights = [1] * len(problem.scores) if problem.weights is None else problem.weights.tolist()
    rows = list(zip(problem.scores.tolist(), problem.labels.tolist(), weights, strict=True))
    given = {"rows": rows, "n_classes": problem.n_classes}
    return table_of(given, thresholds.tolist())


def all_hold(problem, result, constraints):
    table = table_at(problem, result.thresholds)
    return all(holds(constraint, table, result.thresholds.tolist()) for constraint in constraints)


def loss_of(result):
    return -result.value if "kappa" in result.objective else result.value


def same(one, other):
    """Whether two results are the same to the last bit, infeasible ones included."""
    if one is None or other is None:
        return one is other
    return one == other and one.ranges.tolist() == other.ranges.tolist()


# Limits that change nothing


def share(part, whole):
    return float(part / whole) if whole else None


def tightest_limits(result, table):
    """For each kind of constraint, the strictest one that these thresholds keep."""
    thresholds, total = result.thresholds.tolist(), sum(map(sum, table))
    kept = []
    for k in range(len(table)):
        decided, true = sum(table[k]), sum(row[k] for row in table)
        low = [row[k:] for row in table]
        high = [row[: k + 1] for row in table]
        kept += [
            ordcut.Recall(k, at_least=share(table[k][k], true) or 0 if true else 1),
            ordcut.Precision(k, at_least=share(table[k][k], decided) or 0 if decided else 1),
            ordcut.Lift(k, at_least=share(table[k][k] * total, decided * true) or 0),
            ordcut.F1(k, at_least=share(2 * table[k][k], decided + true) or 0),
            ordcut.Share(k, at_least=share(decided, total), at_most=share(decided, total)),
            ordcut.Count(k, at_least=float(decided), at_most=float(decided)),
            ordcut.Under(k, at_most=share(sum(map(sum, low[:k])), sum(map(sum, low))) or 0),
            ordcut.Over(k, at_most=share(sum(map(sum, high[k + 1 :])), sum(map(sum, high))) or 0),
        ]
    finite = [value for value in thresholds if np.isfinite(value)]
    kept += [ordcut.Fixed(k, value) for k, value in enumerate(thresholds)]
    kept += [ordcut.Between(k, value, value) for k, value in enumerate(thresholds)]
    kept += [ordcut.Between(k, min(value, -9), value + 1) for k, value in enumerate(thresholds)]
    kept += [ordcut.Allowed(thresholds), ordcut.Allowed([-7.5, *thresholds, 9]), ordcut.Digits(2)]
    kept += [ordcut.Gap(at_least=float(np.diff(finite).min(initial=9)))]
    return kept


@settings(max_examples=60)
@given(problem=some_problems, objective=objectives, seed=seeds)
def test_limits_that_do_not_bind_change_nothing_to_the_last_bit(problem, objective, seed):
    free = find_or_none(problem, objective, ())
    every = tightest_limits(free, table_at(problem, free.thresholds))
    assert all_hold(problem, free, every)
    order = np.random.default_rng(seed).permutation(len(every))
    for limits in ([every[order[0]]], [every[i] for i in order[:4]], every):
        result = find_or_none(problem, objective, limits)
        assert result.thresholds.tolist() == free.thresholds.tolist()
        assert result.ranges.tolist() == free.ranges.tolist()
        assert result.value == free.value
        assert not any(outcome.binds for outcome in result.constraints)


@settings(max_examples=30)
@given(problem=some_problems, objective=objectives)
def test_limits_at_the_loose_edge_change_nothing(problem, objective):
    every = range(problem.n_classes)
    n_rows = float(sum(weight for *_, weight in problem.rows))
    loose = [
        *(limit(k, at_least=0) for k in every for limit in (ordcut.Recall, ordcut.Precision)),
        *(ordcut.Share(k, at_least=0, at_most=1) for k in every),
        *(ordcut.Count(k, at_least=0, at_most=n_rows) for k in every),
        *(limit(k, at_most=1) for k in every for limit in (ordcut.Under, ordcut.Over)),
        *(ordcut.Between(k, -np.inf, np.inf) for k in every[:-1]),
        ordcut.Gap(at_least=0),
    ]
    result, free = (find_or_none(problem, objective, limits) for limits in (loose, ()))
    assert result.thresholds.tolist() == free.thresholds.tolist()
    assert result.ranges.tolist() == free.ranges.tolist()
    assert result.value == free.value


# Limits that change something


@settings(max_examples=60)
@given(
    problem=some_problems,
    objective=objectives,
    kind=st.sampled_from([kind for kind in KINDS if kind not in ("fixed", "between", "allowed")]),
    seed=seeds,
)
def test_tightening_a_limit_never_improves_the_value(problem, objective, kind, seed):
    random = np.random.default_rng(seed)
    loose = random_constraint(kind, random, problem.n_classes)
    tighter = {
        "at_least": lambda value: (
            value + 1 if kind in ("count", "gap", "lift") else (value + 1) / 2
        ),
        "at_most": lambda value: value / 2,
        "n": lambda value: value - 1,
    }
    if kind == "both shares":
        tighter.pop("at_least")
        tighter["at_most"] = lambda value: (value + loose.at_least) / 2
    changed = {
        name: change(getattr(loose, name))
        for name, change in tighter.items()
        if getattr(loose, name, None) is not None
    }
    strict = replace(loose, **changed)
    others = some_constraints(seed, problem.n_classes, most=2) if seed % 2 else []
    assume(can_be_combined([loose, *others]))
    first = find_or_none(problem, objective, [loose, *others])
    second = find_or_none(problem, objective, [strict, *others])
    if second is not None:
        assert first is not None
        assert loss_of(second) >= loss_of(first) - 1e-12


@settings(max_examples=30)
@given(problem=some_problems, objective=objectives, seed=seeds)
def test_one_constraint_more_never_improves_the_value(problem, objective, seed):
    constraints = some_constraints(seed, problem.n_classes)
    results = [
        find_or_none(problem, objective, constraints[:n]) for n in range(len(constraints) + 1)
    ]
    losses = [np.inf if result is None else loss_of(result) for result in results]
    assert (np.diff(np.nan_to_num(losses, posinf=1e9)) >= -1e-12).all()


@settings(max_examples=30)
@given(problem=some_problems, k=st.integers(0, 1), objective=objectives)
def test_limits_at_the_strict_edge_hold(problem, k, objective):
    for strict in (
        ordcut.Recall(k, at_least=1),
        ordcut.Precision(k, at_least=1),
        ordcut.Share(k, at_most=0),
        ordcut.Share(k, at_least=1),
        ordcut.Count(k, at_most=0),
        ordcut.Under(k, at_most=0),
        ordcut.Over(k, at_most=0),
    ):
        result = find_or_none(problem, "absolute" if "kappa" in objective else objective, [strict])
        assert all_hold(problem, result, [strict])


@pytest.mark.parametrize("limit", [1 / 3, 5 / 6])
def test_a_share_that_ties_reach_exactly_holds(limit):
    exactly = ordcut.Share(1, at_least=limit, at_most=limit)
    result = ordcut.optimal_thresholds(
        [1, 2, 2, 2, 3, 3], [0, 0, 1, 1, 0, 1], constraints=[exactly]
    )
    assert result.constraints[0].reached == limit


def test_a_share_that_ties_step_over_cannot_hold():
    exactly = ordcut.Share(1, at_least=2 / 3, at_most=2 / 3)
    with pytest.raises(ordcut.InfeasibleConstraintsError, match="cannot hold on these rows"):
        ordcut.optimal_thresholds([1, 2, 2, 2, 3, 3], [0, 0, 1, 1, 0, 1], constraints=[exactly])


# Rows


@settings(max_examples=40)
@given(problem=some_problems, objective=objectives, seed=seeds)
def test_weights_equal_repeats_and_the_order_of_rows_is_irrelevant(problem, objective, seed):
    constraints = some_constraints(seed, problem.n_classes)
    result = find_or_none(problem, objective, constraints)
    weights = np.ones(len(problem.scores), int) if problem.weights is None else problem.weights
    again = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(weights)), weights))
    repeated = replace(
        problem, scores=problem.scores[again], labels=problem.labels[again], weights=None
    )
    other = find_or_none(repeated, objective, constraints)
    assert same(result, other)
    if result is not None:
        assert [str(constraint) for constraint in result.constraints] == [
            str(constraint) for constraint in other.constraints
        ]


def test_a_class_without_rows_satisfies_a_floor_on_its_recall():
    result = ordcut.optimal_thresholds(
        [1, 2, 3], [0, 2, 2], classes=[0, 1, 2], constraints=["recall 1 >= 1"]
    )
    free = ordcut.optimal_thresholds([1, 2, 3], [0, 2, 2], classes=[0, 1, 2])
    assert result.thresholds.tolist() == free.thresholds.tolist()
    assert np.isnan(result.constraints[0].reached)


def test_a_decision_that_nobody_gets_satisfies_a_floor_on_its_precision():
    result = ordcut.optimal_thresholds(
        [1, 2, 3, 4], [0, 1, 0, 0], constraints=["precision 1 >= 0.9"]
    )
    assert result.thresholds.tolist() == [np.inf]
    assert np.isnan(result.constraints[0].reached)


@settings(max_examples=30)
@given(problem=some_problems, objective=objectives, seed=seeds)
def test_a_score_table_finds_what_a_call_of_its_own_finds(problem, objective, seed):
    constraints = some_constraints(seed, problem.n_classes)
    table = ordcut.ScoreTable(
        problem.scores, problem.labels, classes=problem.classes, sample_weight=problem.weights
    )
    own = find_or_none(problem, objective, constraints)
    try:
        result = table.solve(objective, constraints=constraints)
    except ordcut.InfeasibleConstraintsError:
        result = None
    assert same(result, own)


# Text


@settings(max_examples=100)
@given(seed=seeds, name=st.sampled_from([0, "urgent", "1 or 2", "a >= b", "x and y"]))
def test_text_and_objects_mean_the_same(seed, name):
    for constraint in some_constraints(seed, 4):
        named = {
            field.name: name
            if field.name in ("decision", "cls")
            else getattr(constraint, field.name)
            for field in fields(constraint)
        }
        constraint = type(constraint)(**named)
        (read,) = read_constraints([str(constraint)])
        as_text = {key: str(value) for key, value in named.items() if key in ("decision", "cls")}
        assert read == replace(constraint, **as_text)
        assert str(read) == str(constraint)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("recall a >= 95%", ordcut.Recall("a", at_least=0.95)),
        ("Share a b >= 10 % and <= 29 %", ordcut.Share("a b", at_least=0.1, at_most=0.29)),
        ("under 9% <= 0.5%", ordcut.Under("9%", at_most=0.005)),
        ("share 50 % <= 1", ordcut.Share("50 %", at_most=1)),
    ],
)
def test_shares_can_be_percentages(text, meant):
    assert read_constraints(text) == (meant,)


@pytest.mark.parametrize("text", ["count a <= 5%", "recall a > 0.5", "between 0 2 1", "allowed"])
def test_text_that_cannot_be_read_is_an_error_that_shows_how_it_looks(text):
    with pytest.raises(ValueError, match=r"cannot be read: .*[^.]\. Write it like"):
        read_constraints(text)


def test_limits_can_be_numbers_of_numpy():
    limits = [ordcut.Recall(np.int64(1), at_least=np.float32(0.5)), ordcut.Count(0, np.int64(1))]
    result = ordcut.optimal_thresholds([1, 2, 3], [0, 1, 1], constraints=limits)
    assert result.thresholds.tolist() == [1.5]


@settings(max_examples=30)
@given(problem=some_problems, objective=objectives, seed=seeds)
def test_text_leads_to_what_objects_lead_to(problem, objective, seed):
    constraints = some_constraints(seed, problem.n_classes)
    as_text = [str(constraint) for constraint in constraints]
    assert same(
        find_or_none(problem, objective, constraints), find_or_none(problem, objective, as_text)
    )


# What came of them


@settings(max_examples=30)
@given(problem=some_problems, objective=objectives, seed=seeds)
def test_what_a_constraint_costs_is_what_solving_without_it_gains(problem, objective, seed):
    constraints = some_constraints(seed, problem.n_classes)
    result = find_or_none(problem, objective, constraints)
    assume(result is not None)
    for i, outcome in enumerate(result.constraints):
        without = find_or_none(problem, objective, constraints[:i] + constraints[i + 1 :])
        gain = loss_of(result) - loss_of(without)
        assert outcome.cost == pytest.approx(gain, abs=1e-12)
        assert outcome.binds == (outcome.cost > 0)
        assert outcome.limit == str(constraints[i])


@settings(max_examples=30)
@given(problem=some_problems, objective=objectives, seed=seeds)
def test_a_pickle_holds_what_came_of_the_constraints(problem, objective, seed):
    result = find_or_none(problem, objective, some_constraints(seed, problem.n_classes))
    assume(result is not None)
    again = pickle.loads(pickle.dumps(result))
    assert again == result
    assert [str(constraint) for constraint in again.constraints] == [
        str(constraint) for constraint in result.constraints
    ]


# Constraints that cannot hold


def raised_for(problem, constraints):
    with pytest.raises(ordcut.InfeasibleConstraintsError) as raised:
        find(
            problem.scores,
            problem.labels,
            problem.n_classes,
            sample_weight=problem.weights,
            constraints=constraints,
        )
    return raised.value


@settings(max_examples=20)
@given(problem=some_problems, seed=seeds)
def test_the_set_that_cannot_hold_is_a_smallest_one(problem, seed):
    constraints = some_constraints(seed, problem.n_classes, most=5)
    assume(find_or_none(problem, "absolute", constraints) is None)
    core = raised_for(problem, constraints).constraints
    assert set(core) <= {str(constraint) for constraint in constraints}
    assert find_or_none(problem, "absolute", core) is None
    for text in core:
        others = [other for other in core if other != text]
        assert not others or find_or_none(problem, "absolute", others) is not None


@settings(max_examples=20)
@given(problem=some_problems, seed=seeds)
def test_the_nearest_limit_can_hold_and_a_stricter_one_cannot(problem, seed):
    constraints = some_constraints(seed, problem.n_classes, most=5)
    assume(find_or_none(problem, "absolute", constraints) is None)
    error = raised_for(problem, constraints)
    for text, limit in error.nearest.items():
        (constraint,) = read_constraints(text)
        others = [other for other in error.constraints if other != text]
        if isinstance(constraint, ordcut.Digits):
            side, most = "n", 22
        else:
            least, most = (
                getattr(constraint, "at_least", None),
                getattr(constraint, "at_most", None),
            )
            side = (
                "at_least" if most is None or (least is not None and limit < least) else "at_most"
            )
        nearest = replace(constraint, **{side: int(limit) if side == "n" else limit})
        assert find_or_none(problem, "absolute", [nearest, *others]) is not None
        if side == "n":
            continue
        towards = naive.meaning(getattr(constraint, side)) - naive.meaning(limit)
        stricter = replace(constraint, **{side: float(naive.meaning(limit) + towards / 1000)})
        assert find_or_none(problem, "absolute", [stricter, *others]) is None


def test_gaps_where_sums_are_rounded_and_thresholds_are_infinite():
    scores, weights = [0, 6, 6, 0, 8, 3, 0], np.sqrt([2, 3, 5, 7, 11, 13, 17])
    costs = np.sqrt(np.arange(28).reshape(7, 4) * 37 % 29)
    options = {"costs": costs, "sample_weight": weights, "constraints": ["gap >= 3"]}
    result = ordcut.optimal_thresholds(scores, **options)
    middles = [-np.inf, 1.5, 4.5, 7, np.inf]
    allowed = [
        at
        for at in combinations_with_replacement(middles, 3)
        if all(np.isinf([a, b]).any() or b - a >= 3 for a, b in pairwise(at))
    ]
    decided = [np.searchsorted(at, scores, side="right") for at in allowed]
    values = [np.average(costs[np.arange(7), each], weights=weights) for each in decided]
    assert result.value == pytest.approx(min(values))


@pytest.mark.parametrize("value", [-np.inf, np.inf])
@pytest.mark.parametrize("method", ["nested", "pruned"])
def test_a_threshold_can_be_fixed_at_infinity(value, method):
    options = {"constraints": [ordcut.Fixed(0, value)], "method": method, "classes": [0, 1, 2]}
    result = ordcut.optimal_thresholds([1, 2, 3, 4], [0, 1, 1, 2], **options)
    assert result.thresholds.tolist() == ([value, 3.5] if value < 0 else [value, value])


def test_round_numbers_some_distance_apart_can_be_beyond_all_scores():
    result = ordcut.optimal_thresholds(
        [3, 4, 6], [3, 3, 3], classes=[0, 1, 2, 3],
        constraints=["digits 1", "gap >= 0.5", "between 0 -100 3"],
    )  # fmt: skip
    assert result.value == 0
    assert result.thresholds.max() <= 3
    assert np.diff(result.thresholds).min() >= 0.5


def test_a_constraint_that_costs_nothing_but_rounding_does_not_bind():
    result = ordcut.optimal_thresholds(
        [0.3, 0.8, 0.7, 0.6],
        [1, 2, 2, 1],
        classes=[0, 1, 2],
        objective=[[2, 5, 2.6], [1.1, 5, 1.8], [1.8, 3.0, 0]],
        sample_weight=[0.1, 1.7, 0.4, 0.8],
        class_weight="balanced",
        constraints=["over 1 <= 0", "between 0 0.6 100"],
    )
    assert [constraint.binds for constraint in result.constraints] == [True, False]


def test_the_error_survives_a_pickle():
    problem = ordcut.InfeasibleConstraintsError(["share 1 <= 0.1"], {"share 1 <= 0.1": 0.25})
    again = pickle.loads(pickle.dumps(problem))
    assert (str(again), again.constraints, again.nearest) == (
        str(problem),
        problem.constraints,
        problem.nearest,
    )


def test_gaps_hold_between_thresholds_of_many_rows():
    scores = np.arange(30_000) / 7
    result = ordcut.optimal_thresholds(
        scores, np.arange(30_000) // 10_000, constraints=["gap >= 2000"]
    )
    assert np.diff(result.thresholds) >= 2000
