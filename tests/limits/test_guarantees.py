"""Limits with a confidence: the counts that promise them, and what is said of them."""

import pickle
from dataclasses import replace
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordcut
from ordcut._core.limits import Guarantee, read_constraints
from tests.tables import OBJECTIVES

CLASSES = [0, 1, 2]


def naive_tail(n, count, share):
    """The probability of at most a count of n rows, in fractions."""
    return sum(comb(n, i) * share**i * (1 - share) ** (n - i) for i in range(count + 1))


def naive_count(n, share, risk):
    """The largest count whose tail is at most the risk; -1 if there is none."""
    counts = [m for m in range(n + 1) if naive_tail(n, m, share) <= risk]
    return max(counts, default=-1) if share < 1 else n


def make_rows(n, seed=0, noise=0.8, n_classes=3):
    random = np.random.default_rng(seed)
    labels = random.integers(0, n_classes, n)
    return np.round(labels + noise * random.normal(size=n), 1), labels


def solve(scores, labels, constraints, **options):
    return ordcut.optimal_thresholds(
        scores, labels, classes=CLASSES, constraints=constraints, **options
    )


shares = st.fractions(0, 1, max_denominator=40)


@given(st.integers(0, 40), shares, st.fractions("1/1000", "999/1000", max_denominator=1000))
def test_the_count_that_promises_a_share_is_the_largest_whose_tail_is_within_the_risk(n, a, risk):
    assert Guarantee(n, None, a, risk, "binomial").counts == (None, naive_count(n, a, risk))
    assert Guarantee(n, a, None, risk, "binomial").counts == (n - naive_count(n, 1 - a, risk), None)


def test_a_tail_that_equals_the_risk_is_within_it():
    assert Guarantee(3, None, Fraction(1, 2), Fraction(1, 8), "binomial").counts[1] == 0
    assert Guarantee(1, None, Fraction(19, 20), Fraction(1, 20), "binomial").counts[1] == 0


@pytest.mark.parametrize("n", [10**4, 10**6, 10**9])
def test_counts_of_many_rows_are_those_of_the_beta_distribution(n):
    from scipy.stats import beta

    share, risk = Fraction(1, 20), Fraction(1, 20)
    _, most = Guarantee(n, None, share, risk, "binomial").counts
    assert beta.ppf(0.95, most + 1, n - most) <= 0.05 < beta.ppf(0.95, most + 2, n - most - 1)


@given(st.integers(1, 60), st.data())
def test_the_promise_of_a_count_is_the_least_share_that_its_tail_allows(n, data):
    count, risk = data.draw(st.integers(0, n - 1)), Fraction(1, 10)
    _, promised = Guarantee(n, None, None, risk, "binomial").best_promise(count)
    assert naive_tail(n, count, Fraction(promised)) <= risk
    assert naive_tail(n, count, Fraction(promised) - Fraction(1, 10**6)) > risk


@given(shares.filter(lambda share: 0 < share < 1), st.sampled_from([1, 5, 20]))
def test_fewer_rows_than_needed_promise_nothing_and_as_many_do(share, percent):
    risk = Fraction(percent, 100)
    needed = Guarantee(0, None, share, risk, "binomial").rows_needed
    assert Guarantee(needed, None, share, risk, "binomial").counts[1] >= 0
    assert Guarantee(needed - 1, None, share, risk, "binomial").counts[1] == -1


def test_kuipers_quantile_is_the_published_one_and_few_rows_exceed_it_less_often():
    random = np.random.default_rng(0)
    margin = Guarantee(10**6, None, None, Fraction(1, 20), "Kuiper").best_promise(0)[1]
    assert margin * 1000 == pytest.approx(1.747, abs=0.001)
    for n in (4, 10, 40):
        rows = np.sort(random.random((20_000, n)), axis=1)
        above = (np.arange(1, n + 1) / n - rows).max(axis=1)
        below = (rows - np.arange(n) / n).max(axis=1)
        margin = Guarantee(n, None, None, Fraction(1, 20), "Kuiper").best_promise(0)[1]
        assert (above + below > margin).mean() < 0.05


# Each constraint, and the rows that it is a share of.
ENDS = {
    "under": (ordcut.Under(1, at_most=0.25, confidence=0.9), [1, 2]),
    "over": (ordcut.Over(1, at_most=0.25, confidence=0.9), [0, 1]),
    "share": (ordcut.Share(2, at_most=0.4, confidence=0.9), CLASSES),
    "recall": (ordcut.Recall(2, at_least=0.7, confidence=0.9), [2]),
    "count": (ordcut.Count(0, at_least=30, confidence=0.9), CLASSES),
}


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("kind", ENDS)
def test_a_guarantee_is_the_plain_limit_on_the_count_that_promises_it(kind, objective):
    constraint, counted = ENDS[kind]
    for seed in range(4):
        scores, labels = make_rows(150, seed)
        n = int(np.isin(labels, counted).sum())
        side = "at_least" if hasattr(constraint, "decision") and constraint.at_least else "at_most"
        limit = Fraction(str(getattr(constraint, side))) / (n if kind == "count" else 1)
        share = limit if side == "at_most" else 1 - limit
        count = naive_count(n, share, Fraction(1, 10))
        count = count if side == "at_most" else n - count
        plain = replace(
            constraint, confidence=None, **{side: count / (1 if kind == "count" else n)}
        )
        guaranteed = solve(scores, labels, [constraint], objective=objective)
        expected = solve(scores, labels, [plain], objective=objective)
        assert guaranteed.thresholds.tolist() == expected.thresholds.tolist()
        assert guaranteed.constraints[0].promise.bound == "binomial"
        promised = guaranteed.constraints[0].promised / (n if kind == "count" else 1)
        assert (promised <= share) if side == "at_most" else (1 - promised <= share)


def test_a_decision_in_the_middle_keeps_the_margin_over_all_intervals():
    scores, labels = make_rows(400)
    result = solve(scores, labels, ["share 1 >= 0.3 and <= 0.6 with 90 %"])
    margin = 1.619656 / 20  # Kuiper's quantile for 10 %
    share = (result.codes(scores) == 1).mean()
    assert 0.3 + margin - 1e-6 <= share <= 0.6 - margin + 1e-6
    (outcome,) = result.constraints
    assert outcome.promise.bound == "Kuiper"
    assert outcome.promised == pytest.approx((share - margin, share + margin), abs=1e-5)


def test_two_limits_at_an_end_split_the_risk():
    scores, labels = make_rows(300)
    both = solve(scores, labels, ["share 2 >= 0.2 and <= 0.4 with 90 %"])
    each = solve(scores, labels, ["share 2 >= 0.2 with 95 %", "share 2 <= 0.4 with 95 %"])
    assert both.thresholds.tolist() == each.thresholds.tolist()
    assert both.constraints[0].promised == tuple(each.promised for each in each.constraints)
    assert both.joint_confidence == each.joint_confidence == 0.9


def test_whole_weights_count_as_rows():
    scores, labels = make_rows(60)
    weights = np.random.default_rng(1).integers(1, 4, 60)
    weighted = solve(scores, labels, ["under 2 <= 0.2 with 90 %"], sample_weight=weights)
    rows = np.repeat(np.arange(60), weights)
    repeated = solve(scores[rows], labels[rows], ["under 2 <= 0.2 with 90 %"])
    assert weighted.thresholds.tolist() == repeated.thresholds.tolist()
    assert weighted.constraints[0].promise == repeated.constraints[0].promise
    twice = solve(scores, labels, ["under 2 <= 0.2 with 90 %"], sample_weight=np.full(60, 2))
    rows = np.repeat(np.arange(60), 2)
    assert twice.constraints[0].promise == (
        solve(scores[rows], labels[rows], ["under 2 <= 0.2 with 90 %"]).constraints[0].promise
    )


@pytest.mark.parametrize("weights", [[0.5, 1], [0.5, 0.5], [0, 0.5], [1.5, 3]])
def test_weights_that_do_not_count_rows_are_refused(weights):
    scores, labels = make_rows(100)
    with pytest.raises(ValueError, match="sample_weight must be whole numbers"):
        solve(scores, labels, ["under 2 <= 0.3 with 90 %"], sample_weight=np.resize(weights, 100))


def test_soft_labels_are_refused_unless_they_count_rows():
    scores, labels = make_rows(100)
    one_hot = np.eye(3)[labels]
    limit = ["under 2 <= 0.3 with 90 %"]
    with pytest.raises(ValueError, match="sample_weight must be whole numbers"):
        solve(scores, 0.9 * one_hot + 0.1 / 3, limit)
    assert solve(scores, one_hot, limit).constraints[0].promise == (
        solve(scores, labels, limit).constraints[0].promise
    )


def test_too_few_rows_are_an_answer():
    scores, labels = np.arange(80.0), np.repeat([0, 2], 40)
    with pytest.raises(ordcut.InfeasibleConstraintsError) as caught:
        solve(scores, labels, ["under 1 <= 0.05 with 95 %"])
    assert "it takes 59 rows of class 1 or higher to promise it, and there are 40" in str(
        caught.value
    )
    (nearest,) = caught.value.nearest.values()
    assert nearest == pytest.approx(1 - 0.05 ** (1 / 40), abs=1e-8)
    assert pickle.loads(pickle.dumps(caught.value)).shortages == caught.value.shortages
    solve(scores, labels, [f"under 1 <= {nearest} with 95 %"])  # can be promised


def test_a_class_without_rows_keeps_a_limit_but_no_guarantee():
    scores, labels = np.arange(80.0), np.repeat([0, 1], 40)
    solve(scores, labels, ["recall 2 >= 0.5"])
    with pytest.raises(ordcut.InfeasibleConstraintsError, match=r"rows of class 2 .* there are 0"):
        solve(scores, labels, ["recall 2 >= 0.5 with 95 %"])


def test_nothing_is_lower_than_the_lowest_class():
    scores, labels = make_rows(50)
    (outcome,) = solve(scores, labels, ["under 0 <= 0 with 95 %"]).constraints
    assert outcome.promised == 0


def test_no_number_of_rows_can_promise_that_nothing_is_lower():
    scores, labels = make_rows(50)
    with pytest.raises(ordcut.InfeasibleConstraintsError, match="no number of rows"):
        solve(scores, labels, ["under 1 <= 0 with 95 %"])


@pytest.mark.parametrize("limit", ["f1 1 >= 0.1", "lift 1 >= 1"])
def test_other_ratios_of_two_moving_sums_cannot_have_a_confidence(limit):
    scores, labels = make_rows(50)
    with pytest.raises(ValueError, match="both numbers of its ratio change with the thresholds"):
        solve(scores, labels, [f"{limit} with 95 %"])


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 95, True, "95", float("nan")])
def test_a_confidence_is_between_0_and_1(confidence):
    with pytest.raises(ValueError, match="confidence must be a number"):
        ordcut.Under(1, at_most=0.1, confidence=confidence)


@pytest.mark.parametrize("confidence", [0.95, 0.999, 0.123456789, 1 / 3, 0.5])
def test_the_text_of_a_guarantee_is_read_back(confidence):
    constraint = ordcut.Share("help with x", at_least=0.1, at_most=0.25, confidence=confidence)
    assert read_constraints(str(constraint)) == (constraint,)
    assert f"confidence={confidence}" in repr(constraint)


def test_a_confidence_can_be_a_number_or_a_percentage():
    expected = (ordcut.Under("urgent", at_most=0.05, confidence=0.95),)
    for text in ("95 %", "95%", "0.95"):
        assert read_constraints(f"under urgent <= 5 % with {text}") == expected


def test_json_and_pickles_keep_what_is_promised():
    scores, labels = make_rows(200)
    result = solve(scores, labels, ["under 2 <= 0.2 with 95 %", "share 1 <= 0.9 with 90 %"])
    for copy in (ordcut.Thresholds.from_json(result.to_json()), pickle.loads(pickle.dumps(result))):
        assert [each.promise for each in copy.constraints] == (
            [each.promise for each in result.constraints]
        )
        assert copy.joint_confidence == result.joint_confidence == 0.85
    damaged = result.to_json().replace('"confidence": 0.95', '"confidence": 95')
    with pytest.raises(ValueError, match="confidence of a constraint"):
        ordcut.Thresholds.from_json(damaged)


def test_the_explanation_says_what_is_promised_and_when():
    scores, labels = make_rows(200)
    text = solve(scores, labels, ["under 2 <= 0.2 with 95 %"]).explain()
    assert "promised for new rows with 95 % confidence, by the exact binomial bound" in text
    assert "With at least 95 % confidence, all limits that have a confidence hold on" in text


def test_replicates_of_the_bootstrap_keep_the_count_as_a_share_of_their_rows():
    # 100 rows of class 1 allow one miss for 5 % at 95 %, a replicate with fewer of them none.
    scores = np.concatenate([0.5 * np.arange(100) - 20.25, np.arange(100)])
    labels = np.repeat([0, 1], 100)
    result = ordcut.optimal_thresholds(scores, labels, constraints=["under 1 <= 0.05 with 95 %"])
    assert result.thresholds.tolist() == [0.875]
    boot = result.bootstrap(n=40, size=80)
    assert boot.n_infeasible == 0
    plain = ordcut.optimal_thresholds(scores, labels, constraints=["under 1 <= 0.01"])
    assert boot.thresholds.tolist() == plain.bootstrap(n=40, size=80).thresholds.tolist()


def test_a_path_over_limits_keeps_the_confidence():
    scores, labels = make_rows(300)
    path = ordcut.constraint_path(scores, labels, "under 2 <= with 95 %", [0.1, 0.2])
    for limit, point in zip(path.grid, path.points, strict=True):
        expected = ordcut.optimal_thresholds(
            scores, labels, constraints=[f"under 2 <= {limit} with 95 %"]
        )
        assert point.thresholds.tolist() == expected.thresholds.tolist()


def test_new_rows_are_judged_by_the_limit_itself():
    from ordcut.cli.evaluate import outcomes_on

    scores, labels = make_rows(200)
    result = solve(scores, labels, ["under 2 <= 0.2 with 95 %"])
    kept, broken = np.array(
        [[[50, 0, 20], [0, 0, 0], [0, 50, 80]], [[50, 0, 21], [0, 0, 0], [0, 50, 79]]]
    )
    objective = ordcut.resolve_objective("absolute", 3)
    assert outcomes_on(kept.astype(float), result, objective)[0]["holds"]
    assert not outcomes_on(broken.astype(float), result, objective)[0]["holds"]
