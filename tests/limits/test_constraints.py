"""Constraints on their own: which limits they take, how they are written and what they name."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest

import ordcut
from ordcut._core.limits import (
    Constraint,
    Distance,
    Form,
    Grid,
    Names,
    Outcome,
    Ratio,
    lower_all,
    read_constraints,
)
from ordcut._core.thresholds import ConstraintOutcome
from tests.tables import OBJECTIVES

INF = np.inf

# Limits


@pytest.mark.parametrize("make", [ordcut.Recall, ordcut.Precision, ordcut.Under, ordcut.Over])
@pytest.mark.parametrize("limit", [0, 1, 0.0, 1.0, np.float32(0.5)])
def test_a_share_can_be_0_and_1(make, limit):
    assert make("a", limit) == make("a", float(limit))


@pytest.mark.parametrize("make", [ordcut.Recall, ordcut.Precision, ordcut.Under, ordcut.Over])
@pytest.mark.parametrize("limit", [-1e-9, 1 + 1e-9, INF, -INF])
def test_a_share_beyond_0_and_1_is_refused(make, limit):
    side = "at_least" if make in (ordcut.Recall, ordcut.Precision) else "at_most"
    message = f"{side} of {make.__name__} must be a number from 0 to 1, got {limit!r}"
    with pytest.raises(ValueError, match=message.replace("+", r"\+")):
        make("a", limit)


@pytest.mark.parametrize("limit", [True, "0.5", np.nan, [0.5]])
def test_what_is_no_number_is_refused(limit):
    makers = (
        lambda: ordcut.Recall("a", at_least=limit),
        lambda: ordcut.Share("a", at_most=limit),
        lambda: ordcut.Count("a", at_least=limit),
        lambda: ordcut.Fixed(0, limit),
        lambda: ordcut.Between(0, limit, 2),
        lambda: ordcut.Between(0, 1, limit),
        lambda: ordcut.Gap(limit),
    )
    for make in makers:
        with pytest.raises(ValueError, match="must be a number, got"):
            make()


def test_shares_and_counts_need_one_limit_and_the_lower_one_first():
    for make in (ordcut.Share, ordcut.Count):
        with pytest.raises(ValueError, match=f"{make.__name__} must have at_least or at_most"):
            make("a")
        assert make("a", at_least=0.5, at_most=0.5).at_most == 0.5
        with pytest.raises(ValueError, match=r"must not be above at_most, got 0.5 and 0.4"):
            make("a", at_least=0.5, at_most=0.4)
    ordcut.Count("a", at_most=10**9)
    for limit in (-1, INF):
        with pytest.raises(ValueError, match="of Count must be a number that is not negative"):
            ordcut.Count("a", at_most=limit)


def test_limits_of_numpy_are_kept_as_plain_numbers():
    limit = ordcut.Share("a", at_least=np.float64(0.25), at_most=np.float32(0.5))
    assert (type(limit.at_least), type(limit.at_most)) == (float, float)
    assert type(ordcut.Count("a", at_most=np.int64(3)).at_most) is int


def test_ends_can_be_equal_and_infinite_and_not_the_other_way_round():
    assert ordcut.Between(0, 1.5, 1.5).high == 1.5
    ordcut.Between(0, -INF, INF)
    with pytest.raises(ValueError, match=r"low must not be above high, got 1.5 and 1.4"):
        ordcut.Between(0, 1.5, 1.4)
    assert ordcut.Gap(0).at_least == 0
    for gap in (-1e-9, INF):
        with pytest.raises(ValueError, match="at_least must be finite and not negative"):
            ordcut.Gap(gap)


@pytest.mark.parametrize("index", [-1, 0.0, True, "0", None])
def test_thresholds_are_named_by_whole_numbers_from_0(index):
    for make in (lambda: ordcut.Fixed(index, 1.0), lambda: ordcut.Between(index, 1.0, 2.0)):
        with pytest.raises(ValueError, match="threshold_index must be a whole number counted from"):
            make()
    assert ordcut.Fixed(np.int64(0), 1).threshold_index == 0


def test_digits_are_whole_numbers_from_minus_300_to_22():
    for n in (-300, 22, np.int64(3)):
        assert ordcut.Digits(n).n == n
    for n in (-301, 23, 1.0, True, "1"):
        with pytest.raises(ValueError, match="n must be a whole number of digits from -300 to 22"):
            ordcut.Digits(n)


@pytest.mark.parametrize("values", [[], [[1.0, 2.0]], 3.0, [1.0, np.nan]])
def test_values_are_at_least_one_number(values):
    with pytest.raises(ValueError, match="values must be a list of at least one number"):
        ordcut.Allowed(values)


def test_values_are_sorted_and_come_once():
    assert ordcut.Allowed([3, 1, 3, INF, -INF]).values == (-INF, 1.0, 3.0, INF)


# Text


@pytest.mark.parametrize(
    ("constraint", "text"),
    [
        (ordcut.Recall("a b", 0.9), "recall a b >= 0.9"),
        (ordcut.Precision(3, 1), "precision 3 >= 1"),
        (ordcut.Lift("a", 2), "lift a >= 2"),
        (ordcut.F1("a", 0.5), "f1 a >= 0.5"),
        (ordcut.Share("a", at_least=0.1, at_most=0.25), "share a >= 0.1 and <= 0.25"),
        (ordcut.Share("a", at_most=0.0), "share a <= 0"),
        (ordcut.Share("a", at_least=0), "share a >= 0"),
        (ordcut.Count("a", at_least=2), "count a >= 2"),
        (ordcut.Under("a", 0.05), "under a <= 0.05"),
        (ordcut.Over("a", 0.05), "over a <= 0.05"),
        (ordcut.Fixed(1, -INF), "fixed 1 -inf"),
        (ordcut.Between(0, 1.0, 2.5), "between 0 1 2.5"),
        (ordcut.Allowed([2, 1.5]), "allowed 1.5 2"),
        (ordcut.Digits(-2), "digits -2"),
        (ordcut.Gap(0.5), "gap >= 0.5"),
    ],
)
def test_constraints_are_written_as_they_are_read(constraint, text):
    assert str(constraint) == text
    assert str(read_constraints(text)[0]) == text


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("  RECALL  a >= .5 ", ordcut.Recall("a", 0.5)),
        ("gap 0.5", ordcut.Gap(0.5)),
        ("gap >= 0.5", ordcut.Gap(0.5)),
        ("fixed 0 = 1.5", ordcut.Fixed(0, 1.5)),
        ("between 0 = 1, 2", ordcut.Between(0, 1.0, 2.0)),
        ("allowed 1,2, 5", ordcut.Allowed([1, 2, 5])),
        ("share a<=0.1", ordcut.Share("a", at_most=0.1)),
        ("share a <= 20% and >= 10 %", ordcut.Share("a", at_least=0.1, at_most=0.2)),
        ("share a <= 0.7%", ordcut.Share("a", at_most=0.007)),
        ("recall(a) >= 0.5", ordcut.Recall("a", 0.5)),
        ("recall[a] ≥ 0.5", ordcut.Recall("a", 0.5)),
        ("recall (0, 2) >= 0.5", ordcut.Recall("(0, 2)", 0.5)),
        ("recall(0, 2] >= 0.5", ordcut.Recall("(0, 2]", 0.5)),
        ("recall a <= 0.5", ordcut.Recall("a", at_most=0.5)),
        ("sensitivity a >= 0.5", ordcut.Recall("a", 0.5)),
        ("TPR a >= 0.5", ordcut.Recall("a", 0.5)),
        ("ppv a >= 0.5", ordcut.Precision("a", 0.5)),
        ("tnr a >= 0.5", ordcut.Specificity("a", 0.5)),
        ("fnr a <= 0.1", ordcut.Recall("a", 0.9)),
        ("fpr a >= 0.1 and <= 0.3 with 95 %", ordcut.Specificity("a", 0.7, 0.9, 0.95)),
    ],
)
def test_text_can_be_written_in_several_ways(text, meant):
    assert read_constraints(text) == (meant,)
    assert read_constraints([meant, text]) == (meant, meant)


@pytest.mark.parametrize("joint", [" and ", " AND ", ", ", "; ", "\n", " & "])
def test_text_can_join_constraints(joint):
    text = joint.join(["share low and share >= 0.1 and <= 0.2", "fnr(b) <= 5 %", "digits 1"])
    assert read_constraints(text) == (
        ordcut.Share("low and share", 0.1, 0.2),
        ordcut.Recall("b", 0.95),
        ordcut.Digits(1),
    )


def test_a_limit_on_an_npv_says_which_precision_it_is():
    with pytest.raises(ValueError, match="the precision of the other classes together"):
        read_constraints("npv a >= 0.9")


def test_a_limit_on_the_accuracy_says_which_precisions_keep_it():
    with pytest.raises(ValueError, match="Limit the precision of each decision"):
        read_constraints("accuracy >= 0.9 with 95 %")


def test_no_constraints_and_a_single_one_are_lists_too():
    assert read_constraints(None) == read_constraints([]) == ()
    assert read_constraints(ordcut.Digits(1)) == read_constraints("digits 1") == (ordcut.Digits(1),)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("under a >= 0.5", "under has no >="),
        ("share a >= 0.1 and >= 0.2", ">= comes twice"),
        ("share a <= 0.1 and <= 0.2", "<= comes twice"),
        ("share >= 0.1", "it must have the name of a class, then >= or <=, then a number"),
        ("share a 0.1", "it must have the name of a class, then >= or <=, then a number"),
        ("count a >= 5 %", "a count cannot be a percentage; use share"),
        ("recall a >= much", "'much' is not a number"),
        ("recall a >= 101%", "at_least of Recall must be a number from 0 to 1, got 1.01"),
        ("fixed 0", "it takes 2 numbers, got 1"),
        ("fixed 0 1 2", "it takes 2 numbers, got 3"),
        ("fixed", "it takes 2 numbers, got 0"),
        ("fixed a 1", "'a' is not a whole number"),
        ("fixed 0 a", "'a' is not a number"),
        ("between 0 1", "it takes 3 numbers, got 2"),
        ("digits", "it takes 1 number, got 0"),
        ("digits 1 2", "it takes 1 number, got 2"),
        ("gap <= 1", "'<= 1' is not a number"),
    ],
)
def test_text_that_cannot_be_read_says_why(text, why):
    with pytest.raises(
        ValueError, match=rf"constraint '{text}' cannot be read: {why}.*Write it like"
    ):
        read_constraints(["digits 1", text])


def test_unknown_words_and_objects_are_refused():
    with pytest.raises(
        ValueError, match=r"must start with one of the words recall, .* For example"
    ):
        read_constraints("speed a >= 1")
    with pytest.raises(ValueError, match=r"Did you mean 'recall a >= 0.9'\?"):
        read_constraints("recal a >= 0.9")
    with pytest.raises(TypeError, match=r"such as ordcut.Recall or text, got 3"):
        read_constraints(["digits 1", 3])


# Names


def plain(names=("low", 1, 2.5)):
    return Names(list(names), list(names))


def with_review():
    return Names([0, 1, 2], [0, "0|1", 1, "1|2", 2], has_reviews=True)


@pytest.mark.parametrize(
    ("name", "position"),
    [("low", 0), (1, 1), ("1", 1), ("1.0", 1), (1.0, 1), (np.int64(1), 1), ("2.50", 2), (2.5, 2)],
)
def test_names_are_known_by_their_text_and_numbers_by_their_value(name, position):
    assert plain().decision(name) == slice(position, position + 1)
    assert plain().true_class(name) == slice(position, position + 1)


def test_a_text_is_itself_before_it_is_a_number():
    names = plain(["1", "1.0"])
    positions = [names.decision(name).start for name in ("1", "1.0", 1, 1.0, "1.00")]
    assert positions == [0, 1, 0, 1, 0]


def test_names_that_there_are_not_are_errors_that_list_those_there_are():
    names = "one of low, 1, 2.5; got"
    for one, what in (
        (ordcut.Recall("x", 0.5), "class"),
        (ordcut.Precision("x", 0.5), "class"),
        (ordcut.Lift("x", 2), "class"),
        (ordcut.F1("x", 0.5), "class"),
        (ordcut.Share("x", 0.5), "decision"),
        (ordcut.Count("x", 1), "decision"),
        (ordcut.Under("x", 0.5), "class"),
        (ordcut.Over("x", 0.5), "class"),
    ):
        with pytest.raises(ValueError, match=f"must name a {what}, {names} 'x'"):
            lower_all((ordcut.Digits(1), one), plain())
    with pytest.raises(ValueError, match=r"must name a decision, one of 0, 0\|1, 1"):
        lower_all((ordcut.Share("x", 0.5),), with_review())
    lower_all((ordcut.Share("1|2", 0.5), ordcut.Fixed(3, 1.0)), with_review())


@pytest.mark.parametrize("one", [ordcut.Fixed(2, 1.0), ordcut.Between(2, 1.0, 2.0)])
def test_thresholds_are_one_fewer_than_decisions(one):
    assert one.lower(with_review()).k == 2
    with pytest.raises(ValueError, match="must name a threshold from 0 to 1, got 2"):
        lower_all((one,), plain())


def test_a_review_next_to_a_class_is_neither_lower_nor_higher():
    names = with_review()
    assert [names.decisions_below(k) for k in range(3)] == [slice(0), slice(1), slice(3)]
    above = [names.decisions_above(k) for k in range(3)]
    assert above == [slice(2, None), slice(4, None), slice(5, None)]


# What is reached


def test_shares_are_sums_over_blocks_of_the_table():
    table = np.arange(1, 10).reshape(3, 3)
    outcome = Outcome(table, np.array([0.5, 2.0]), unit=Fraction(1, 4))
    for one, part, whole in (
        (ordcut.Recall(1, 0.5), 5, 2 + 5 + 8),
        (ordcut.Precision(1, 0.5), 5, 4 + 5 + 6),
        (ordcut.Lift(1, 2), 5 * 3, 4 + 5 + 6),
        (ordcut.F1(1, 0.5), 2 * 5, 4 + 5 + 6 + 2 + 5 + 8),
        (ordcut.Share(1, 0.5), 4 + 5 + 6, 45),
        (ordcut.Under(1, 0.5), 2 + 3, 2 + 3 + 5 + 6 + 8 + 9),
        (ordcut.Over(1, 0.5), 7 + 8, 1 + 2 + 4 + 5 + 7 + 8),
        (ordcut.Count(1, 0.5), Fraction(4 + 5 + 6, 4), 1),
    ):
        form = one.lower(plain(range(3)))
        assert form.sums(outcome) == (part, whole)
        assert form.reached(outcome) == pytest.approx(float(Fraction(part) / whole))


def test_shares_of_fractional_weights_are_exact_too():
    table = np.array([[Fraction(1, 2), Fraction(1, 3)], [Fraction(1, 4), Fraction(2, 3)]])
    outcome = Outcome(table, np.array([0.5]))
    for one, part, whole in (
        (ordcut.Recall(1, 0.5), Fraction(2, 3), 1),
        (ordcut.Precision(1, 0.5), Fraction(2, 3), Fraction(11, 12)),
        (ordcut.Lift(1, 2), Fraction(2, 3) * 7, Fraction(11, 12) * 4),
        (ordcut.Share(1, 0.5), Fraction(11, 12), Fraction(7, 4)),
        (ordcut.Count(1, 0.5), Fraction(11, 12), 1),
    ):
        assert one.lower(plain(range(2))).sums(outcome) == (part, whole)


def test_counts_and_shares_hold_from_one_limit_to_the_other():
    outcome = Outcome(np.array([[3, 2], [1, 4]]), np.array([0.5]))
    for make, reached in ((ordcut.Count, 5), (ordcut.Share, 0.5)):
        step = reached / 10
        for least, most, holds in (
            (reached, None, True),
            (reached + step, None, False),
            (None, reached, True),
            (None, reached - step, False),
            (reached, reached, True),
            (reached - step, reached - step / 2, False),
            (reached + step / 2, reached + step, False),
        ):
            form = make(1, at_least=least, at_most=most).lower(plain(range(2)))
            assert form.holds(outcome) is holds


def test_values_of_thresholds_hold_at_the_ends_and_not_beyond():
    outcome = Outcome(np.zeros((3, 3), int), np.array([0.5, 2.0]))

    def lowered(constraint):
        return constraint.lower(plain(range(3)))

    beyond = np.nextafter(2, 9)
    for one, holds in (
        (ordcut.Fixed(1, 2.0), True),
        (ordcut.Fixed(1, beyond), False),
        (ordcut.Between(1, 2.0, 3.0), True),
        (ordcut.Between(1, 1.0, 2.0), True),
        (ordcut.Between(1, beyond, 3.0), False),
        (ordcut.Between(1, 1.0, np.nextafter(2, 1)), False),
        (ordcut.Allowed([0.5, 2.0]), True),
        (ordcut.Allowed([0.5, 3.0]), False),
        (ordcut.Digits(1), True),
        (ordcut.Digits(0), False),
        (ordcut.Gap(1.5), True),
        (ordcut.Gap(1.5 + 1e-12), False),
    ):
        assert lowered(one).holds(outcome) is holds
    assert lowered(ordcut.Fixed(0, 9.0)).reached(outcome) == 0.5
    assert lowered(ordcut.Between(1, 5.0, 9.0)).reached(outcome) == 2.0
    assert lowered(ordcut.Digits(0)).reached(outcome) == (0.5, 2.0)
    assert lowered(ordcut.Gap(0)).reached(outcome) == 1.5
    assert np.isnan(lowered(ordcut.Recall(1, 0.5)).reached(outcome))


def test_the_least_gap_is_that_of_finite_thresholds_and_infinite_without_two_of_them():
    for at, gap in (([-INF, 1, 4], 3), ([1, 3, INF], 2), ([-INF, 1, INF], INF), ([0, 5, 6], 1)):
        outcome = Outcome(np.zeros((4, 4), int), np.array(at, float))
        assert Distance(0.0).reached(outcome) == gap
        assert Distance(2.0).holds(outcome) is (gap >= 2)


def test_distances_are_equal_up_to_a_rounding_of_the_largest_number_among_them():
    def is_apart(lower, upper, gap):
        return Distance(gap).keeps(np.array([lower]), np.array([upper])).item()

    ulp = 2.0**-52
    assert is_apart(0.1, 0.3, 0.2)
    assert is_apart(0.0, 1.0, 1 + ulp)
    assert is_apart(0.0, 1.0 - ulp, 1.0)
    assert is_apart(-1000.0, -1.0, 999 + 500 * ulp)
    assert not is_apart(0.0, 1.0, 1 + 8 * ulp)
    assert not is_apart(-1000.0, -1.0, 999 + 1e-11)
    assert not is_apart(1.0, 0.5, 0.1)
    for lower, upper in ((-INF, 1.0), (1.0, INF), (INF, INF), (-INF, INF)):
        assert is_apart(lower, upper, 9.0)


def test_infinite_numbers_are_round_and_others_by_their_decimals():
    assert Grid(n_digits=-300).has(INF)
    assert Grid(n_digits=2).has(-INF)
    for value, n in ((0.25, 2), (250.0, -1), (0.1 + 0.2, 17)):
        assert Grid(n_digits=n).has(value)
        assert not Grid(n_digits=n - 1 if n < 17 else 16).has(value)


def test_tables_are_whole_as_long_as_their_sums_fit():
    assert Outcome(np.array([[1, 2]]), np.empty(0)).is_whole
    assert Outcome(np.array([[1, 2]], object), np.empty(0)).is_whole
    assert not Outcome(np.array([[1, Fraction(2)]], object), np.empty(0)).is_whole
    assert not Outcome(np.array([[1, 2**62]], object), np.empty(0)).is_whole


def test_an_outcome_reads_well():
    for cost, end in ((0.25, "costs 0.25"), (0.0, "does not bind")):
        outcome = ConstraintOutcome("share 1 <= 0.5", 1 / 3, lambda cost=cost: cost)
        assert repr(outcome) == f"share 1 <= 0.5: reached 0.333333, {end}"
        assert outcome.binds is (cost > 0)
    outcome = ConstraintOutcome("digits 1", (0.5, INF), lambda: 0)
    assert repr(outcome) == "digits 1: reached (0.5, inf), does not bind"
    assert outcome.to_dict() == {"constraint": "digits 1", "reached": [0.5, "inf"], "cost": 0.0}
    assert outcome.to_dict(with_cost=False) == {"constraint": "digits 1", "reached": [0.5, "inf"]}
    gap = ConstraintOutcome("gap >= 1", INF, lambda: 0)
    assert gap.to_dict()["reached"] == "inf"


# A constraint of one's own


@dataclass(frozen=True)
class TooLow(Constraint):
    """Limit the share of the rows of the two highest classes that are decided as the lowest."""

    at_most: float

    def lower(self, names):
        highest = slice(-2, None)
        part = names.cells(decisions=slice(0, 1), classes=highest)
        return Ratio(part, names.cells(classes=highest), at_most=self.at_most)

    def __str__(self):
        return f"too low <= {self.at_most:g}"


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("at_most", [0, 0.1, 0.3])
def test_a_constraint_of_ones_own_is_one_class_that_lowers_itself(objective, at_most):
    random = np.random.default_rng(0)
    labels = np.append(random.integers(0, 4, 30), [0, 1, 2, 3])
    scores = np.round(labels / 2 + random.normal(size=34)) / 2
    limit = TooLow(at_most)
    result = ordcut.optimal_thresholds(scores, labels, objective=objective, constraints=[limit])

    def share(thresholds):
        return np.mean(scores[labels >= 2] < thresholds[0])

    def loss(thresholds):
        value = ordcut.evaluate(labels, np.searchsorted(thresholds, scores, "right"), objective)
        return -value if "kappa" in objective else value

    candidates = ordcut.ScoreTable(scores, labels).candidates
    allowed = [
        cuts for cuts in combinations_with_replacement(candidates, 3) if share(cuts) <= at_most
    ]
    assert share(result.thresholds) == pytest.approx(result.constraints[0].reached)
    assert share(result.thresholds) <= at_most
    assert loss(result.thresholds) == pytest.approx(min(map(loss, allowed)))
    assert result.bootstrap(n=10).thresholds.shape[1] == 3
    with pytest.raises(ordcut.InfeasibleConstraintsError, match="too low <= 0"):
        ordcut.optimal_thresholds(scores, labels, constraints=[TooLow(0), "fixed 0 99"])


def test_a_ratio_that_ties_thresholds_far_apart_is_refused_with_the_reason():
    part = np.zeros((4, 4), np.int64)
    part[1:3] = 1
    with pytest.raises(ValueError, match="depends on thresholds 0, 2 together"):
        Ratio(part, np.ones_like(part), at_most=0.5)


def test_a_comparison_of_two_decisions_is_refused_with_the_reason():
    first, second = np.zeros((2, 3, 3), np.int64)
    first[0], second[1] = 1, 1
    with pytest.raises(ValueError, match=r"not a comparison of two decisions\. Limit each"):
        Ratio(first, second, at_most=1)


@dataclass(frozen=True)
class Returns(Constraint):
    """A constraint that is lowered to anything."""

    form: object

    def lower(self, _):
        return self.form


class Unknown(Form):
    """A form that no search knows."""

    kind = "unknown"

    def reached(self, _):
        return 0

    def holds(self, _):
        return True


@pytest.mark.parametrize("form", [None, 0.5, Outcome(np.eye(2), np.zeros(1)), Unknown()])
def test_what_is_no_form_is_refused_with_the_forms_there_are(form):
    with pytest.raises(TypeError, match="must be lowered to one of the forms Ratio, Interval, "):
        ordcut.optimal_thresholds([1, 2], [0, 1], constraints=[Returns(form)])
