"""Decisions that are not the classes: fewer, more, review, and costs of each row's own."""

import sqlite3

import formulas
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordcut
from ordcut._core.decisions import read_costs, with_review
from tests.naive import every_labeling, label_by
from tests.strategies import Problem, enough_classes, problems
from tests.tables import ANY_COST, COSTS

NAMES = ["reject", "ask", "it's fine", 'ship "now"', "5"]


@st.composite
def decision_problems(draw):
    """A problem, and whole-number costs of 2 to 5 decisions for its classes."""
    problem = draw(problems().filter(enough_classes))
    n_decisions = draw(st.integers(2, 5))
    row = st.lists(st.integers(0, 4), min_size=problem.n_classes, max_size=problem.n_classes)
    cost = draw(st.lists(row, min_size=n_decisions, max_size=n_decisions))
    return problem, np.array(cost, dtype=float)


def find(problem, cost, **options):
    return ordcut.optimal_thresholds(
        problem.scores,
        problem.labels,
        objective=cost,
        classes=problem.classes,
        decisions=NAMES[: len(cost)],
        sample_weight=problem.weights,
        **options,
    )


def naive_cuts(problem, cost):
    """The least cost over all ordered cuts, and the lowest cuts that reach it."""
    ranked = []
    for cuts in every_labeling(problem.n_scores, len(cost)):
        paid = sum(weight * cost[label_by(cuts, j)][truth] for j, truth, weight in problem.rows)
        ranked.append((paid, cuts[::-1], cuts))
    least, _, cuts = min(ranked)
    return least, list(cuts)


@settings(max_examples=150)
@given(given=decision_problems(), method=st.sampled_from(ANY_COST))
def test_thresholds_of_decisions_are_the_lowest_of_least_cost(given, method):
    problem, cost = given
    result = find(problem, cost, method=method)
    least, cuts = naive_cuts(problem, cost)
    weights = np.ones(len(problem.scores)) if problem.weights is None else problem.weights
    distinct = np.unique(problem.scores[weights > 0])
    assert np.searchsorted(distinct, result.thresholds).tolist() == cuts
    assert result.value == pytest.approx(least / weights.sum(), abs=1e-12)


@settings(max_examples=80)
@given(given=decision_problems())
def test_predicted_decisions_pay_what_the_value_says(given):
    problem, cost = given
    result = find(problem, cost)
    weights = np.ones(len(problem.scores)) if problem.weights is None else problem.weights
    decided = [NAMES.index(name) for name in result.predict(problem.scores).tolist()]
    paid = (weights * cost[decided, problem.labels]).sum() / weights.sum()
    assert result.value == pytest.approx(paid, abs=1e-12)
    assert result.decisions.tolist() == NAMES[: len(cost)]
    assert result.classes.tolist() == problem.classes


def scores_near(result):
    finite = result.thresholds[np.isfinite(result.thresholds)]
    return np.unique(np.concatenate([finite, finite - 0.25, finite + 0.25, [-99.5, 99.5]]))


@settings(max_examples=15)  # a formula takes long to compile
@given(given=decision_problems())
def test_sql_python_excel_and_json_return_the_same_decisions(given):
    problem, cost = given
    result = find(problem, cost)
    scores = scores_near(result)
    expected = result.predict(scores).tolist()
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE rows (s DOUBLE)")
        database.executemany("INSERT INTO rows VALUES (?)", [(s,) for s in scores.tolist()])
        rows = database.execute(f"SELECT {result.to_sql('s')} FROM rows").fetchall()
    database.close()
    assert [name for (name,) in rows] == expected
    namespace = {}
    exec(result.to_python(), namespace)
    assert [namespace["predict"](score) for score in scores] == expected
    formula = formulas.Parser().ast(result.to_excel("A2"))[1].compile()
    assert [formula(np.array([[score]])).item() for score in scores] == expected
    again = ordcut.Thresholds.from_json(result.to_json())
    assert again == result
    assert again.predict(scores).tolist() == expected


@settings(max_examples=60)
@given(given=decision_problems(), whole=st.booleans())
def test_a_score_table_finds_the_same_decisions_as_a_call(given, whole):
    problem, cost = given
    options = {"sample_weight": problem.weights, "classes": problem.classes}
    table = ordcut.ScoreTable(problem.scores, problem.labels, **options)
    result = table.solve(cost, decisions=NAMES[: len(cost)])
    assert result == find(problem, cost)
    review = 1 if whole else 0.3
    assert table.solve("squared", review=review) == ordcut.optimal_thresholds(
        problem.scores, problem.labels, objective="squared", review=review, **options
    )


def test_the_loss_matrix_has_one_column_per_decision():
    cost = ordcut.resolve_objective([[0, 2], [1, 1], [3, 0]], [0, 1], ["a", "b", "c"])
    sums = ordcut.ScoreTable([1, 2, 2], [0, 0, 1]).loss_sums(cost)
    assert sums.tolist() == [[0, 1, 3], [2, 2, 3]]


# Review


@settings(max_examples=80)
@given(
    problem=problems().filter(enough_classes),
    objective=st.sampled_from(COSTS),
    review=st.sampled_from([0, 0.25, 0.3, 1, 5]),
)
def test_review_is_a_cost_matrix_with_a_row_between_any_two_classes(problem, objective, review):
    options = {"classes": problem.classes, "sample_weight": problem.weights}
    plain = ordcut.resolve_objective(objective, problem.n_classes).cost
    matrix, names = [], []
    for k in range(problem.n_classes):
        matrix += [plain[k], [review] * problem.n_classes]
        names += [str(k), f"{k} or {k + 1}"]
    reviewed = ordcut.optimal_thresholds(
        problem.scores, problem.labels, objective=objective, review=review, **options
    )
    by_hand = ordcut.optimal_thresholds(
        problem.scores, problem.labels, objective=matrix[:-1], decisions=names[:-1], **options
    )
    assert reviewed.thresholds.tolist() == by_hand.thresholds.tolist()
    assert reviewed.decisions.tolist() == by_hand.decisions.tolist()
    assert reviewed.value == by_hand.value
    weights = np.ones(len(problem.scores)) if problem.weights is None else problem.weights
    handed = reviewed.is_review[reviewed.codes(problem.scores)]
    assert handed.tolist() == [" or " in str(k) for k in reviewed.predict(problem.scores).tolist()]
    kept = reviewed.predict(problem.scores)[~handed]
    assert set(map(type, kept.tolist())) <= {int}
    assert reviewed.review_share == pytest.approx((weights * handed).sum() / weights.sum())
    assert by_hand.review_share is None


def test_review_that_costs_nothing_is_never_worse_than_any_label():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 200)
    result = ordcut.optimal_thresholds(labels + rng.normal(size=200), labels, review=0)
    assert result.value == 0
    assert ordcut.Thresholds.from_json(result.to_json()).review_share == result.review_share


# Costs of each row


@settings(max_examples=80)
@given(given=decision_problems(), shift=st.sampled_from([0, -2, 0.5]))
def test_costs_of_rows_equal_labels_and_the_objective_that_they_come_from(given, shift):
    problem, cost = given
    by_labels = find(problem, cost)
    by_rows = ordcut.optimal_thresholds(
        problem.scores,
        costs=cost[:, problem.labels].T + shift,
        decisions=NAMES[: len(cost)],
        sample_weight=problem.weights,
    )
    assert by_rows.thresholds.tolist() == by_labels.thresholds.tolist()
    assert by_rows.ranges.tolist() == by_labels.ranges.tolist()
    assert by_rows.value == pytest.approx(by_labels.value + shift, abs=1e-12)
    assert by_rows.predict(problem.scores).tolist() == by_labels.predict(problem.scores).tolist()


def weighted_problem(n=300, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n)
    scores = labels + rng.normal(size=n)
    return Problem(scores, labels, 3, rng.integers(1, 4, n))


COST = np.array([[0, 1, 4], [1, 1, 1], [2, 1, 0], [5, 2, 0.0]])


def pairs_of_results():
    """A result by labels, and the same one by costs of rows."""
    problem = weighted_problem()
    by_rows = ordcut.optimal_thresholds(
        problem.scores,
        costs=COST[:, problem.labels].T,
        decisions=NAMES[:4],
        sample_weight=problem.weights,
    )
    return problem, find(problem, COST), by_rows


@pytest.mark.parametrize("method", ANY_COST)
def test_a_constant_on_all_costs_of_rows_moves_the_value_and_no_threshold(method):
    for seed in range(20):
        random = np.random.default_rng(seed)
        scores = np.round(random.normal(size=60), 1)
        costs = np.round(random.normal(size=(60, 3)), 3)
        result = ordcut.optimal_thresholds(scores, costs=costs, method=method)
        paid = costs[np.arange(60), result.codes(scores)]
        assert result.value == pytest.approx(paid.mean())
        for constant in (-10, 10):
            moved = ordcut.optimal_thresholds(scores, costs=costs + constant, method=method)
            assert moved.thresholds.tolist() == result.thresholds.tolist()
            assert moved.value == pytest.approx(result.value + constant)


def test_methods_of_a_result_by_costs_of_rows_agree_with_those_by_labels():
    problem, by_labels, by_rows = pairs_of_results()
    assert by_rows.near_optimal(0.1).tolist() == by_labels.near_optimal(0.1).tolist()
    for one, other in zip(by_rows.curves(), by_labels.curves(), strict=True):
        assert one.positions.tolist() == other.positions.tolist()
        np.testing.assert_allclose(one.values, other.values, atol=1e-12)
        assert (one.lower, one.upper) == (other.lower, other.upper)
    moved = by_rows.moved(0, -1.0)
    assert moved.value == pytest.approx(by_labels.moved(0, -1.0).value)
    assert moved.decisions.tolist() == NAMES[:4]
    assert moved.predict(problem.scores).tolist()[0] in NAMES


def test_the_bootstrap_by_costs_of_rows_agrees_with_that_by_labels():
    _, by_labels, by_rows = pairs_of_results()
    one, other = by_rows.bootstrap(n=50), by_labels.bootstrap(n=50)
    assert one.thresholds.tolist() == other.thresholds.tolist()
    np.testing.assert_allclose(one.values, other.values, atol=1e-12)
    assert one.optimism == pytest.approx(other.optimism, abs=1e-12)
    np.testing.assert_allclose(one.value_interval(), other.value_interval(), atol=0.1)


def test_judging_by_labels_what_was_found_for_costs_of_rows_is_an_error():
    problem, _, by_rows = pairs_of_results()
    labels = np.array(NAMES[:4])[problem.labels]
    with pytest.raises(ValueError, match=r"found for costs of each row.*codes\(scores\)"):
        ordcut.judge(by_rows, problem.scores, labels)


@pytest.mark.parametrize("review", [None, 0.25])
def test_judging_decisions_gives_the_value_that_was_found(review):
    problem = weighted_problem()
    options = {"sample_weight": problem.weights}
    if review is None:
        result = find(problem, COST)
    else:
        result = ordcut.optimal_thresholds(problem.scores, problem.labels, review=review, **options)
    judged = ordcut.judge(result, problem.scores, problem.labels, **options)
    assert judged.value == result.value
    assert judged.decisions.tolist() == result.decisions.tolist()
    assert judged.review_share == result.review_share
    moved = result.moved(0, result.thresholds[0])
    assert (moved.value, moved.review_share) == (result.value, result.review_share)


def test_decisions_read_from_json_are_judged_by_the_costs_that_are_passed():
    problem = weighted_problem()
    result = find(problem, COST)
    again = ordcut.Thresholds.from_json(result.to_json())
    options = {"sample_weight": problem.weights}
    judged = ordcut.judge(again, problem.scores, problem.labels, COST, **options)
    assert judged.value == result.value


@pytest.mark.parametrize("kind", ["density", "risk", "confusion"])
def test_decisions_and_review_are_drawn(kind):
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    problem = weighted_problem()
    result = ordcut.optimal_thresholds(problem.scores, problem.labels, review=0.3)
    shown = ordcut.plots.ThresholdDisplay.from_predictions(
        problem.labels, problem.scores, thresholds=result, kind=kind
    )
    if kind == "confusion":
        assert shown.confusion().shape == (3, 5)
        names = [text.get_text() for text in shown.ax_.get_xticklabels()]
        assert names == result.decisions.tolist()
    elif kind == "density":
        assert {"0", "0 or 1"} <= {text.get_text() for text in shown.ax_.texts}
    else:
        names = [text.get_text() for text in shown.ax_.get_legend().get_texts()]
        assert names[0] == "0 | 0 or 1"
    result.bootstrap(n=20).plot()
    plt.close("all")


def test_what_is_explained_names_the_decisions():
    text = find(weighted_problem(), COST).explain()
    assert "it's fine" in text
    assert "No other thresholds do better there" in text


@pytest.mark.parametrize(
    "given",
    [
        {"labels": [0, 1]},
        {"objective": "squared"},
        {"classes": [0, 1]},
        {"review": 0.2},
        {"class_weight": "balanced"},
        {"smoothing": 0.5},
    ],
    ids=lambda given: next(iter(given)),
)
def test_costs_of_rows_come_without_what_they_replace(given):
    costs = [[0, 1], [1, 0]]
    with pytest.raises(ValueError, match=f"costs cannot be combined with {next(iter(given))}"):
        ordcut.optimal_thresholds([1.0, 2.0], costs=costs, **given)


@pytest.mark.parametrize("review", [-0.1, np.inf, np.nan, True, "0.5", None])
def test_a_review_costs_a_finite_number_that_is_not_negative(review):
    objective = ordcut.resolve_objective("absolute", 3)
    with pytest.raises(ValueError, match="review must be a finite cost that is not negative, got"):
        with_review(objective, review, np.arange(3))


def test_a_review_is_between_the_classes_of_an_additive_loss():
    reviewed = with_review(ordcut.resolve_objective("squared", 3), 0, np.array(["a", "b", "c"]))
    assert reviewed.decisions.tolist() == ["a", "a or b", "b", "b or c", "c"]
    assert reviewed.cost.tolist() == [[0, 1, 4], [0, 0, 0], [1, 0, 1], [0, 0, 0], [4, 1, 0]]
    assert reviewed.name == "squared, review at 0"
    for objective, what in (
        (ordcut.resolve_objective("kappa", 2), "a kappa"),
        (ordcut.resolve_objective([[0, 1], [1, 0]], 2, ["x", "y"]), "decisions of your own"),
    ):
        with pytest.raises(ValueError, match=f"additive loss over the classes, got {what}"):
            with_review(objective, 0.5, np.array([0, 1]))


@pytest.mark.parametrize(
    ("costs", "error", "message"),
    [
        ([[0, 1], ["x", 0]], TypeError, "costs must be numbers"),
        ([0, 1], ValueError, r"got shape \(2,\) for 2 scores"),
        ([[0], [1]], ValueError, r"at least 2, got shape \(2, 1\) for 2 scores"),
        ([[0, 1]], ValueError, r"got shape \(1, 2\) for 2 scores"),
        ([[0, 1]] * 3, ValueError, r"got shape \(3, 2\) for 2 scores"),
        (np.zeros((2, 2, 2)), ValueError, r"got shape \(2, 2, 2\)"),
        ([[0, 1], [1, np.nan]], ValueError, r"costs must be finite, got nan at position \[1, 1\]"),
        (
            [[0, np.inf], [1, np.nan]],
            ValueError,
            r"costs must be finite, got inf at position \[0, 1\]",
        ),
    ],
)
def test_costs_of_rows_that_make_no_sense_are_refused(costs, error, message):
    with pytest.raises(error, match=message):
        ordcut.optimal_thresholds([1.0, 2.0], costs=costs)


def test_costs_of_no_rows_of_nan_or_with_other_names_are_refused():
    with pytest.raises(ValueError, match=r"got shape \(0, 2\) for 0 scores"):
        ordcut.optimal_thresholds([], costs=np.zeros((0, 2)))
    with pytest.raises(ValueError, match="scores must be finite, got nan at position 1"):
        ordcut.optimal_thresholds([1.0, np.nan], costs=[[0, 1], [1, 0]])
    for names in (["a", "b", "c"], ["a"]):
        with pytest.raises(ValueError, match="decisions must"):
            ordcut.optimal_thresholds([1.0, 2.0], costs=[[0, 1], [1, 0]], decisions=names)
    with pytest.raises(TypeError, match="labels must be given, or else costs"):
        ordcut.optimal_thresholds([1.0, 2.0])
    with pytest.raises(ValueError, match="combined with labels and review and smoothing: they"):
        ordcut.optimal_thresholds(
            [1, 2], [0, 1], costs=[[0, 1], [1, 0]], review=0.1, smoothing="auto"
        )


@pytest.mark.parametrize("weights", [None, [2, 2, 2], [1, 2, 3], [0.5, 0.25, 1.0], [1, 0, 2]])
@pytest.mark.parametrize("lowest", [0.0, 3.0, -3.0])
def test_the_mean_cost_of_rows_is_what_they_pay(weights, lowest):
    paid = np.array([[0.0, 2.0, 1.0], [3.0, 1.0, 2.0], [5.0, 4.0, 0.5]]) + lowest
    rows, objective = read_costs([0.1, 0.5, 0.9], paid, None, weights)
    each = np.ones(3) if weights is None else np.array(weights)
    assert objective.decisions.tolist() == [0, 1, 2]
    for thresholds in ([0.3, 0.7], [-np.inf, 0.5], [np.inf, np.inf]):
        decided = np.searchsorted(thresholds, [0.1, 0.5, 0.9], side="right")
        expected = (each * paid[range(3), decided]).sum() / each.sum()
        table = rows.confusion(np.array(thresholds))
        assert objective.value(table) == pytest.approx(expected)
        total = (objective.cost * table).sum()
        assert total / objective.row_weight(rows.totals) == pytest.approx(expected)
    assert rows.unit * rows.totals[-1] == pytest.approx(each.sum())
