"""The bootstrap and near-optimal ranges of thresholds that keep constraints."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordcut
from tests import naive
from tests.strategies import enough_classes, find, problems
from tests.tables import OBJECTIVES
from tests.uncertainty.uncertainty_rows import draw_samples, noisy

CONSTRAINTS = [
    ["recall 3 >= 0.7"],
    ["precision 0 >= 0.6", "share 3 <= 0.2"],
    ["under 2 <= 0.1"],
    ["digits 0"],
    ["gap >= 1", "recall 1 >= 0.3"],
    ["fixed 1 1.25"],
]


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=" and ".join)
def test_a_replicate_keeps_the_constraints_as_a_call_of_its_own_does(objective, constraints):
    scores, labels = noisy()
    options = {"objective": objective, "classes": range(4), "constraints": constraints}
    boot = ordcut.optimal_thresholds(scores, labels, **options).bootstrap(n=6)
    assert boot.n_infeasible == 0
    for drawn, thresholds in zip(
        draw_samples(scores, labels, boot, 6), boot.thresholds, strict=True
    ):
        again = ordcut.optimal_thresholds(drawn.scores, drawn.codes, **options)
        assert thresholds.tolist() == again.thresholds.tolist()


def test_counts_are_in_proportion_to_the_rows_drawn():
    scores, labels = noisy()
    boot = ordcut.optimal_thresholds(scores, labels, constraints=["count 3 <= 40"]).bootstrap(
        n=6, size=100
    )
    for drawn, thresholds in zip(
        draw_samples(scores, labels, boot, 6), boot.thresholds, strict=True
    ):
        again = ordcut.optimal_thresholds(
            drawn.scores, drawn.codes, classes=range(4), constraints=["count 3 <= 10"]
        )
        assert thresholds.tolist() == again.thresholds.tolist()


@pytest.mark.parametrize("constraints", [["share 1 <= 0.1"], ["precision 2 >= 0.5"], ["digits 0"]])
def test_a_smoothed_replicate_within_limits_is_a_call_of_its_own(constraints):
    scores, labels = noisy()
    options = {"classes": range(4), "smoothing": 0.5, "constraints": constraints}
    boot = ordcut.optimal_thresholds(scores, labels, **options).bootstrap(n=6)
    for drawn, thresholds in zip(
        draw_samples(scores, labels, boot, 6), boot.thresholds, strict=True
    ):
        again = ordcut.optimal_thresholds(drawn.scores, drawn.codes, **options)
        assert thresholds.tolist() == again.thresholds.tolist()


def test_limits_that_never_bind_leave_every_replicate_as_it_is():
    scores, labels = noisy()
    free = ordcut.optimal_thresholds(scores, labels).bootstrap(n=20)
    loose = ordcut.optimal_thresholds(
        scores, labels, constraints=["recall 3 >= 0.01", "share 0 <= 1", "gap >= 0"]
    ).bootstrap(n=20)
    assert loose.thresholds.tolist() == free.thresholds.tolist()
    assert loose.values.tolist() == free.values.tolist()
    assert loose.optimism == free.optimism
    # Nobody knows that they never bind, so that intervals are the wider ones.
    assert (loose.intervals()[:, 0] <= free.intervals()[:, 0]).all()
    assert (loose.intervals()[:, 1] >= free.intervals()[:, 1]).all()


def barely_feasible(limit, n=60):
    """Few scores, and a class that must have nearly all of the rows of one of them."""
    scores = np.repeat([1.0, 2.0, 3.0], n // 3)
    labels = np.repeat([0, 1, 1], n // 3)
    return ordcut.optimal_thresholds(scores, labels, constraints=[f"share 0 >= {limit} and <= 0.4"])


def test_replicates_that_rule_out_the_constraints_are_left_out_and_counted():
    result = barely_feasible(0.2)
    boot = result.bootstrap(n=100)
    assert 0 < boot.n_infeasible < 50
    assert len(boot.thresholds) == len(boot.plain_thresholds) == 100 - boot.n_infeasible
    assert len(boot.values) == 100
    assert np.isfinite(boot.optimism)
    low, high = boot.intervals()[0]
    assert low < result.thresholds[0] < high
    assert np.isfinite(boot.value_interval()).all()


def test_constraints_that_few_replicates_can_keep_are_an_error():
    with pytest.raises(ValueError, match=r"hold in at least 50% .*Relax them, or draw more"):
        barely_feasible(0.33).bootstrap(n=100)


def test_a_fixed_threshold_has_no_spread():
    scores, labels = noisy()
    result = ordcut.optimal_thresholds(scores, labels, constraints=["fixed 1 1.25"])
    boot = result.bootstrap(n=30)
    assert (boot.thresholds[:, 1] == 1.25).all()
    assert boot.intervals()[1].tolist() == result.ranges[1].tolist()


def test_intervals_hold_the_best_thresholds_that_keep_the_constraints():
    constraints = ["recall 3 >= 0.7", "share 0 <= 0.2"]
    best = ordcut.optimal_thresholds(*noisy(100_000, seed=99), constraints=constraints)
    hits = []
    for seed in range(12):
        result = ordcut.optimal_thresholds(*noisy(400, seed=seed), constraints=constraints)
        low, high = result.bootstrap(n=60).intervals(level=0.9).T
        hits.append((low <= best.thresholds) & (best.thresholds <= high))
    assert np.mean(hits) >= 0.85


def test_smoothed_thresholds_with_class_weights_and_constraints_are_refused():
    scores, labels = noisy()
    result = ordcut.optimal_thresholds(
        scores, labels, smoothing=0.5, class_weight=[1, 2, 1, 1], constraints=["recall 3 >= 0.7"]
    )
    with pytest.raises(ValueError, match=r"bootstrap cannot draw rows .*Leave out smoothing"):
        result.bootstrap()


def test_class_weights_do_not_count_in_the_limits_of_replicates():
    scores, labels = noisy()
    find_it = partial(
        ordcut.optimal_thresholds,
        classes=range(4),
        class_weight=[1, 5, 1, 1],
        constraints=["share 1 <= 0.3"],
    )
    boot = find_it(scores, labels).bootstrap(n=5)
    for drawn, thresholds in zip(
        draw_samples(scores, labels, boot, 5), boot.thresholds, strict=True
    ):
        assert thresholds.tolist() == find_it(drawn.scores, drawn.codes).thresholds.tolist()


# Near-optimal ranges

LIMITS = {
    "recall": lambda k, limit: ordcut.Recall(k, at_least=limit),
    "precision": lambda k, limit: ordcut.Precision(k, at_least=limit),
    "share": lambda k, limit: ordcut.Share(k, at_most=max(limit, 0.3)),
    "least share": lambda k, limit: ordcut.Share(k, at_least=limit / 4),
    "under": lambda k, limit: ordcut.Under(k, at_most=limit / 2),
    "over": lambda k, limit: ordcut.Over(k, at_most=limit / 2),
}


def naive_range(problem, result, k, tolerance, constraint):
    """Move a cut by one score at a time until the value is too bad or a limit is broken."""
    weights = np.ones(len(problem.scores)) if problem.weights is None else problem.weights
    distinct = np.unique(problem.scores[weights > 0])
    cuts = np.searchsorted(distinct, result.thresholds).tolist()
    goal = ordcut.resolve_objective(result.objective, problem.n_classes)

    def table_of(some):
        return np.array(naive.confusion_of(some, problem.rows, problem.n_classes))

    def loss(some):
        value = goal.value(table_of(some).astype(float))
        return 1 - value if goal.is_maximised else value

    def is_kept(some):
        table, c = table_of(some), constraint
        if isinstance(c, ordcut.Recall):
            part, whole = table[c.decision, c.decision], table[:, c.decision].sum()
        elif isinstance(c, ordcut.Precision):
            part, whole = table[c.decision, c.decision], table[c.decision].sum()
        elif isinstance(c, ordcut.Share):
            part, whole = table[c.decision].sum(), table.sum()
        elif isinstance(c, ordcut.Over):
            part, whole = table[c.cls + 1 :, : c.cls + 1].sum(), table[:, : c.cls + 1].sum()
        else:
            part, whole = table[: c.cls, c.cls :].sum(), table[:, c.cls :].sum()
        least, most = getattr(c, "at_least", None), getattr(c, "at_most", None)
        is_enough = least is None or part >= naive.meaning(least) * int(whole)
        return is_enough and (most is None or part <= naive.meaning(most) * int(whole))

    allowed = loss(cuts) * (1 + tolerance) + 1e-11
    edges, ends = [0, *cuts, len(distinct)], []
    for step, border in ((-1, edges[k]), (1, edges[k + 2])):
        last = cuts[k]
        while last != border:
            some = [*cuts[:k], last + step, *cuts[k + 1 :]]
            if not is_kept(some) or loss(some) > allowed:
                break
            last += step
        ends.append(last)
    padded = np.concatenate([[-np.inf], distinct, [np.inf]])
    return [padded[ends[0]], padded[ends[1] + 1]]


@settings(max_examples=100)
@given(
    problem=problems(most_rows=14, most_scores=8).filter(enough_classes),
    objective=st.sampled_from(OBJECTIVES),
    kind=st.sampled_from(list(LIMITS)),
    k=st.integers(0, 1),
    limit=st.sampled_from([0, 0.25, 1 / 3, 0.5, 0.75]),
    tolerance=st.sampled_from([0, 0.1, 3]),
)
def test_every_position_of_a_near_optimal_range_keeps_the_limits(
    problem, objective, kind, k, limit, tolerance
):
    constraint = LIMITS[kind](k, limit)
    try:
        result = find(
            problem.scores,
            problem.labels,
            problem.n_classes,
            objective,
            sample_weight=problem.weights,
            constraints=[constraint],
        )
    except ordcut.InfeasibleConstraintsError:
        return
    ranges = result.near_optimal(tolerance)
    for i, span in enumerate(ranges.tolist()):
        assert span == naive_range(problem, result, i, tolerance, constraint)


def test_a_moved_threshold_and_curves_are_those_of_the_rows_whatever_the_limits():
    scores, labels = noisy()
    result = ordcut.optimal_thresholds(scores, labels, constraints=["recall 3 >= 0.9"])
    moved = result.moved(2, 9.0)
    assert moved.value == ordcut.evaluate(labels, moved.predict(scores))
    assert moved.constraints == ()
    curve = result.curves()[2]
    assert curve.values[curve.positions == curve.threshold] == pytest.approx(result.value)
    assert curve.values.min() < result.value
