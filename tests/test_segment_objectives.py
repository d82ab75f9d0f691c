"""Scores that add up over decisions: brute force, scikit-learn's metrics, and laws."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score, recall_score

import ordcut
from ordcut._core.numerics.jit import running_kernels_as
from tests.hard_rows import HARD, LABELS
from tests.naive import GOODNESS, confusion_of, every_labeling, meaning
from tests.ordinal_rows import ratings
from tests.small_sizes import set_sizes
from tests.strategies import problems
from tests.tables import TERMS


def best_cuts(name, rows, n_scores, n_classes, is_allowed=bool):
    """The best cuts: of several, those with the lowest last cut, then the lowest next."""
    tables = [
        (cuts, confusion_of(cuts, rows, n_classes)) for cuts in every_labeling(n_scores, n_classes)
    ]
    allowed = [
        (GOODNESS[name](table), [-cut for cut in reversed(cuts)])
        for cuts, table in tables
        if is_allowed(table)
    ]
    return tuple(-cut for cut in reversed(max(allowed)[1])) if allowed else None


def cuts_of(result, problem):
    kept = slice(None) if problem.weights is None else problem.weights > 0
    return tuple(np.searchsorted(np.unique(problem.scores[kept]), result.thresholds).tolist())


def solve(problem, name, **options):
    return ordcut.optimal_thresholds(
        problem.scores, problem.labels, objective=name, classes=problem.classes,
        sample_weight=problem.weights, **options,
    )  # fmt: skip


@pytest.mark.parametrize("name", TERMS)
@pytest.mark.parametrize("method", ["auto", "pruned"])
@settings(max_examples=60, deadline=None)
@given(problem=problems())
def test_the_cuts_are_the_best_of_all(name, method, problem):
    best = best_cuts(name, problem.rows, problem.n_scores, problem.n_classes)
    assert cuts_of(solve(problem, name, method=method), problem) == best


@pytest.mark.parametrize("name", TERMS)
@pytest.mark.parametrize("mode", ["python", "compiled"])
@settings(max_examples=30, deadline=None)
@given(problem=problems())
def test_the_cuts_are_the_best_of_all_whatever_ranges_are_split(name, mode, problem):
    best = best_cuts(name, problem.rows, problem.n_scores, problem.n_classes)
    with pytest.MonkeyPatch.context() as patch, running_kernels_as(mode):
        set_sizes(patch, segment_ranges=2, segment_parts=2, most_segment_ranges=4)
        set_sizes(patch, many_segment_pairs=0, most_segment_points=3)
        assert cuts_of(solve(problem, name), problem) == best


@pytest.mark.parametrize("name", TERMS)
@pytest.mark.parametrize("few_pairs", [0, 40, 10**6])
@settings(max_examples=30, deadline=None)
@given(problem=problems(), step=st.integers(1, 3), method=st.sampled_from(["segments", "pruned"]))
def test_the_cuts_are_the_best_of_all_however_many_ranges_are_compared(
    name, few_pairs, problem, step, method
):
    best = best_cuts(name, problem.rows, problem.n_scores, problem.n_classes)
    with pytest.MonkeyPatch.context() as patch:
        set_sizes(patch, segment_ranges=2, segment_step=step, most_segment_cuts=0)
        set_sizes(patch, segment_pairs_per_row=0, few_segment_pairs=few_pairs)
        assert cuts_of(solve(problem, name, method=method), problem) == best


@pytest.mark.parametrize("name", TERMS)
@pytest.mark.parametrize("rows", list(HARD))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_pruned_rows_of_hard_scores_have_the_best_cuts(name, rows, dtype, monkeypatch):
    with np.errstate(over="ignore"):
        scores = np.nan_to_num(HARD[rows].astype(dtype))
    best = ordcut.optimal_thresholds(scores, LABELS, objective=name, method="segments")
    set_sizes(monkeypatch, counters=64, least_cells=64, most_segment_cuts=100)
    for method in ("segments", "pruned"):
        result = ordcut.optimal_thresholds(scores, LABELS, objective=name, method=method)
        assert result.thresholds.tolist() == best.thresholds.tolist()
        assert result.value == best.value


@pytest.mark.parametrize("name", TERMS)
@settings(max_examples=30, deadline=None)
@given(problem=problems(weighted=False), data=st.data())
def test_fractional_weights_are_exact(name, problem, data):
    weights = st.sampled_from([0.1, 0.2, 0.3, 1 / 3, 0.7, 1e-9, 3.1e7])
    drawn = data.draw(st.lists(weights, min_size=len(problem.scores), max_size=len(problem.scores)))
    rows = [
        (j, truth, meaning(weight, 10_000))
        for (j, truth, _), weight in zip(problem.rows, drawn, strict=True)
    ]
    best = best_cuts(name, rows, problem.n_scores, problem.n_classes)
    problem = replace(problem, weights=np.array(drawn))
    assert cuts_of(solve(problem, name), problem) == best


@pytest.mark.parametrize("name", [*TERMS, "absolute"])
@settings(max_examples=40, deadline=None)
@given(problem=problems(weighted=False), data=st.data())
def test_constraints_leave_the_best_of_what_they_allow(name, problem, data):
    ends = [0, problem.n_classes - 1]  # the smallest recall takes limits on single thresholds
    every = range(problem.n_classes)
    d = data.draw(st.sampled_from(ends if name == "min_recall" else every))
    limit = data.draw(st.sampled_from([0.25, 0.5, 0.75]))
    kind = data.draw(st.sampled_from(["recall", "precision", "f1", "share >=", "share <="]))

    def is_allowed(table):
        own, size = table[d][d], sum(table[d])
        total, weight = sum(row[d] for row in table), sum(map(sum, table))
        return {
            "recall": own >= Fraction(limit) * total,
            "precision": own >= Fraction(limit) * size,
            "f1": 2 * own >= Fraction(limit) * (total + size),
            "share >=": size >= Fraction(limit) * weight,
            "share <=": size <= Fraction(limit) * weight,
        }[kind]

    constraint = f"share {d} {kind[-2:]} {limit}" if "share" in kind else f"{kind} {d} >= {limit}"
    best = best_cuts(name, problem.rows, problem.n_scores, problem.n_classes, is_allowed)
    with pytest.MonkeyPatch.context() as patch:
        if data.draw(st.booleans()):
            set_sizes(patch, segment_ranges=2, segment_parts=2, most_segment_ranges=4)
        if best is None:
            with pytest.raises(ordcut.InfeasibleConstraintsError):
                solve(problem, name, constraints=[constraint])
        else:
            assert cuts_of(solve(problem, name, constraints=[constraint]), problem) == best


@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_value_is_that_of_scikit_learn(is_weighted):
    scores, labels = ratings()
    weights = np.random.default_rng(0).uniform(size=len(scores)) if is_weighted else None
    classes = np.arange(labels.max() + 2)  # the highest never occurs

    def metrics(predicted):
        options = {"labels": classes, "zero_division": 0, "sample_weight": weights}
        recalls = recall_score(labels, predicted, average=None, **options)
        return {
            "macro_f1": f1_score(labels, predicted, average="macro", **options),
            "weighted_f1": f1_score(labels, predicted, average="weighted", **options),
            "geometric_recall": np.prod(recalls) ** (1 / len(classes)),
            "min_recall": recalls.min(),
        }

    for name in TERMS:
        options = {"classes": classes, "sample_weight": weights}
        result = ordcut.optimal_thresholds(scores, labels, objective=name, **options)
        assert result.value == pytest.approx(metrics(result.predict(scores))[name], rel=1e-12)
        again = ordcut.evaluate(labels, result.predict(scores), name, **options)
        assert again == result.value


@pytest.mark.parametrize("name", TERMS)
def test_nobody_is_better_by_moving_a_threshold(name):
    scores, labels = ratings()
    result = ordcut.optimal_thresholds(scores, labels, objective=name)
    middles = np.unique(scores)[1:] - 1e-9
    for k in range(len(result.thresholds)):
        for middle in middles[:: len(middles) // 50]:
            moved = np.sort(np.append(np.delete(result.thresholds, k), middle))
            predicted = np.searchsorted(moved, scores, side="right")
            assert ordcut.evaluate(labels, predicted, name, classes=result.classes) <= result.value


@pytest.mark.parametrize("name", TERMS)
def test_rows_in_any_order_and_weights_as_repeats(name):
    scores, labels = ratings()
    weights = np.random.default_rng(1).integers(1, 4, len(scores))
    weighted = ordcut.optimal_thresholds(scores, labels, objective=name, sample_weight=weights)
    order = np.random.default_rng(2).permutation(weights.sum())
    repeated = [np.repeat(values, weights)[order] for values in (scores, labels)]
    again = ordcut.optimal_thresholds(*repeated, objective=name)
    assert again.thresholds.tolist() == weighted.thresholds.tolist()


@pytest.mark.parametrize("name", TERMS)
def test_monotone_transforms_leave_the_labels(name):
    scores, labels = ratings()
    result = ordcut.optimal_thresholds(scores, labels, objective=name)
    cubed = ordcut.optimal_thresholds(scores**3, labels, objective=name)
    assert (cubed.predict(scores**3) == result.predict(scores)).all()


@pytest.mark.parametrize("name", TERMS)
def test_cells_rows_and_frames_agree(name):
    rng = np.random.default_rng(3)
    scores = rng.normal(size=20_000).round(3)
    labels = np.searchsorted([-1, 0.2, 1.4], scores + rng.normal(size=20_000))
    by_rows, by_cells = (
        ordcut.optimal_thresholds(scores, labels, objective=name, method=method).thresholds
        for method in ("segments", "pruned")
    )
    assert by_rows.tolist() == by_cells.tolist()
    frame = pl.DataFrame({"score": scores, "label": labels}).lazy()
    in_engine = ordcut.frames.optimal_thresholds(
        frame, score="score", label="label", objective=name
    )
    assert in_engine.thresholds.tolist() == by_rows.tolist()


def f1_terms(weights, totals, decision):
    right = weights[..., decision]
    return 2 * right / np.maximum(totals[decision] + weights.sum(axis=-1), 1) / len(totals)


def f1_bound(most, least, totals, decision):
    right = most[..., decision]
    wrong = least.sum(axis=-1) - least[..., decision]
    return 2 * right / np.maximum(totals[decision] + right + wrong, 1) / len(totals)


@pytest.mark.parametrize("bound", [None, f1_bound])
def test_a_score_of_ones_own_is_searched_alike(bound):
    scores, labels = ratings()
    scores = scores.round(2)
    own = ordcut.SegmentObjective(f1_terms, bound)
    result = ordcut.optimal_thresholds(scores, labels, objective=own)
    best = ordcut.optimal_thresholds(scores, labels, objective="macro_f1")
    assert result.value == pytest.approx(best.value, rel=1e-12)
    assert "float64" in result.certificate


def test_without_a_bound_many_scores_are_refused():
    scores = np.arange(3000.0)
    own = ordcut.SegmentObjective(f1_terms)
    with pytest.raises(ValueError, match=r"at most 2000 different scores; got 3001.*bound="):
        ordcut.optimal_thresholds(scores, scores > 1500, objective=own)


def test_a_function_that_does_not_return_terms_is_refused():
    own = ordcut.SegmentObjective(lambda weights, _totals, decision: weights[0, 0, decision])
    with pytest.raises(ValueError, match=r"must return an array of shape"):
        ordcut.optimal_thresholds([1, 2, 3], [0, 1, 1], objective=own)
    with pytest.raises(TypeError, match="function must be a function, got str"):
        ordcut.SegmentObjective("macro_f1")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"review": 0.2}, "review needs an additive loss over the classes, got a score"),
        ({"method": "dp"}, 'method="dp" needs costs of rows'),
        ({"decisions": ["a", "b"]}, "decisions cannot be used"),
    ],
)
def test_what_needs_costs_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        ordcut.optimal_thresholds([1, 2, 3], [0, 1, 1], objective="macro_f1", **options)


def test_a_page_needs_a_score_with_a_name():
    own = ordcut.SegmentObjective(f1_terms)
    with pytest.raises(ValueError, match="pages about a score of your own need"):
        ordcut.report.page([1, 2, 3], [0, 1, 1], objective=own)


def test_the_search_needs_a_score_that_adds_up():
    with pytest.raises(ValueError, match='method="segments" needs a score that adds up'):
        ordcut.optimal_thresholds([1, 2, 3], [0, 1, 1], method="segments")


@pytest.mark.parametrize("constraint", ["share 1 <= 0.3", "gap 5"])
def test_the_smallest_recall_takes_constraints_on_single_thresholds_only(constraint):
    with pytest.raises(ValueError, match='with objective "min_recall" must be about single'):
        ordcut.optimal_thresholds(
            [1, 2, 3], [0, 1, 2], objective="min_recall", constraints=[constraint]
        )


@pytest.mark.parametrize("alias", ["f1_macro", "F1_MACRO", "macro_f1"])
def test_scikit_learns_names_are_known(alias):
    assert ordcut.resolve_objective(alias, 3).name == "macro_f1"


def test_the_nearest_f1_is_named():
    scores, labels = ratings()
    with pytest.raises(ordcut.InfeasibleConstraintsError, match=r"f1 1 >= 0\.99") as raised:
        ordcut.optimal_thresholds(scores, labels, constraints=["f1 1 >= 0.99"])
    nearest = raised.value.nearest["f1 1 >= 0.99"]
    reached = ordcut.optimal_thresholds(scores, labels, constraints=[ordcut.F1(1, nearest)])
    assert reached.constraints[0].reached == pytest.approx(nearest)
    with pytest.raises(ordcut.InfeasibleConstraintsError):
        ordcut.optimal_thresholds(scores, labels, constraints=[ordcut.F1(1, nearest + 1e-6)])


def test_a_decision_has_one_limit_on_a_share_of_its_rows():
    scores, labels = ratings()
    with pytest.raises(ValueError, match="only one share of the rows of a decision"):
        ordcut.optimal_thresholds(
            scores, labels, constraints=["f1 1 >= 0.1", "precision 1 >= 0.95"]
        )


def test_constraints_have_a_cost():
    scores, labels = ratings()
    free = ordcut.optimal_thresholds(scores, labels, objective="macro_f1")
    limited = ordcut.optimal_thresholds(
        scores, labels, objective="macro_f1", constraints=["digits 0"]
    )
    assert limited.constraints[0].cost == pytest.approx(free.value - limited.value)
