"""Weights of rows and classes: what they are checked for, and what they stand for."""

from fractions import Fraction

import numpy as np
import pytest

import ordcut
from ordcut._core.data import Rows, check_weights, class_factors, effective_rows, unit_of

WEIGHTS = {
    "whole": [3, 1, 0, 2],
    "ones": [1, 1, 1, 1],
    "twos": [2, 2, 2, 2],
    "equal fractions": [0.3] * 4,
    "equal fractions or none": [0.0, 0.3, 0.3, 0.0],
    "fractions": [0.5, 0.25, 1.0, 3.0],
    "large": [2.0**53, 1.0, 2.0, 3.0],
    "huge": [2.0**900, 2.0**890, 0.0, 3 * 2.0**898],
    "tiny": [2.0**-900, 2.0**-905, 0.0, 3 * 2.0**-901],
}


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
def test_checked_weights_times_their_unit_are_the_weights(weights):
    checked = check_weights(weights, 4)
    unit = unit_of(weights, checked)
    each = np.ones(4) if checked is None else checked
    assert (each * unit).tolist() == weights


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
def test_rows_with_exact_sums_keep_what_a_weight_stands_for(weights):
    rows = Rows.read([1.0, 2.0, 3.0, 4.0], [0, 1, 2, 2], weights=weights)
    given = [weight for weight in weights if weight > 0]
    for some in (rows, rows.summable()):
        each = np.ones(some.n_rows) if some.weights is None else some.weights
        assert (each * some.unit).tolist() == pytest.approx(given, rel=1e-15)


def test_weights_are_whole_numbers_where_they_and_their_sum_are_exact():
    for weights, kind in (
        ([2, 3], np.int64),
        ([2.0**53 - 2, 1.0], np.int64),
        ([2.0**53 - 1, 1.0], np.float64),
        ([0.5, 1.0], np.float64),
        ([0.0, 0.5], np.int64),
    ):
        assert check_weights(weights, 2).dtype == kind
    assert check_weights([1, 1], 2) is None
    assert check_weights([0.5, 0.5], 2) is None
    assert check_weights([2, 2], 2).tolist() == [2, 2]
    assert check_weights([0.0, 0.5], 2).tolist() == [0, 1]
    assert check_weights(None, 2) is None


@pytest.mark.parametrize("first", [1.0, 0.5])
def test_one_fraction_among_many_weights_is_found_wherever_it_is(first):
    weights = np.full(3000, first)
    weights[::2] = 0.0
    for position in (0, 998, 1500, 2999):
        some = weights.copy()
        some[position] = 0.375
        assert check_weights(some, 3000).tolist() == some.tolist()


def test_weights_are_scaled_where_the_exponent_of_their_sum_is_beyond_200():
    for given, is_scaled in (
        ([2.0**199, 2.0**198], False),
        ([2.0**199, 2.0**199 + 2.0**190], True),
        ([2.0**-201, 2.0**-203], False),
        ([2.0**-202, 2.0**-203], True),
    ):
        checked = check_weights(given, 2)
        assert (checked.tolist() != given) == is_scaled
        assert checked[0] / checked[1] == given[0] / given[1]
        assert not is_scaled or 0.5 <= checked.sum() < 1


@pytest.mark.parametrize("kept", [1, 3])
def test_scaled_weights_keep_all_digits_or_are_refused(kept):
    weights = [1.0, 2.0**1000, kept * 5e-324]
    with pytest.raises(ValueError, match=f"from {kept * 5e-324:g} to 1.07151e"):
        check_weights(weights, 3)
    assert check_weights([1.0, 2.0**1000, 0.0], 3)[2] == 0


@pytest.mark.parametrize(
    ("weights", "bad", "position"),
    [
        ([1, -1, np.nan], "-1.0", 1),
        ([np.nan, -1, 1], "nan", 0),
        ([1, 0, np.inf], "inf", 2),
        ([1, -np.inf, 1], "-inf", 1),
    ],
)
def test_the_first_bad_weight_is_named(weights, bad, position):
    with pytest.raises(ValueError, match=f"not negative, got {bad} at position {position}"):
        check_weights(weights, 3)


@pytest.mark.parametrize("shape", [(), (2,), (4,), (3, 1), (1, 3)])
def test_weights_are_one_number_for_each_row(shape):
    with pytest.raises(ValueError, match="one number for each of the 3 rows, got shape"):
        check_weights(np.ones(shape), 3)


# Classes

CLASSES = np.array(["low", "mid", "high"])
TOTALS = np.array([30.0, 0.0, 12.0])


def test_balanced_factors_give_every_class_that_occurs_the_weight_of_the_commonest():
    assert class_factors("balanced", CLASSES, TOTALS).tolist() == [1, 1, 2.5]
    assert class_factors(None, CLASSES, TOTALS).tolist() == [1, 1, 1]


def test_classes_that_are_not_named_have_the_factor_1():
    assert class_factors({"high": 3, "low": 0}, CLASSES, TOTALS).tolist() == [0, 1, 3]
    assert class_factors({}, CLASSES, TOTALS).tolist() == [1, 1, 1]
    assert class_factors([0.5, 0, 2], CLASSES, TOTALS).tolist() == [0.5, 0, 2]


@pytest.mark.parametrize(
    ("factors", "error", "message"),
    [
        ({"low": 1, "top": 2}, ValueError, "known classes, low, mid, high; got 'top'"),
        (
            "balance",
            ValueError,
            "must be \"balanced\", 3 numbers or a dict of numbers by class, got 'balance'",
        ),
        ([1, 2], ValueError, r"3 classes \(not of the 2 thresholds\), got shape \(2,\)"),
        ([[1, 2, 3]], ValueError, r"got shape \(1, 3\)"),
        ([1, np.nan, 1], ValueError, "finite and not negative, got .1.0, nan, 1.0"),
        ([1, np.inf, 1], ValueError, "finite and not negative"),
        ([1, 1, -0.5], ValueError, "finite and not negative"),
        ([0, 1, 0], ValueError, "must not be 0 for every class that occurs"),
        ({"low": "much"}, TypeError, "class_weight must be numbers"),
    ],
)
def test_bad_factors_of_classes_are_refused(factors, error, message):
    with pytest.raises(error, match=message):
        class_factors(factors, CLASSES, TOTALS)


@pytest.mark.parametrize("class_weight", [{0: 2, 2: 3}, [2, 1, 3], [0.5, 0.25, 0.75], [1, 0, 2]])
@pytest.mark.parametrize("weights", [None, [1, 2, 3, 1, 2, 3], [0.5, 0.1, 0.3, 0.4, 0.2, 0.7]])
@pytest.mark.parametrize("soft", [False, True])
def test_rows_weighted_by_class_have_their_weight_times_the_factor(class_weight, weights, soft):
    labels = np.array([0, 1, 2, 2, 1, 0])
    given = np.eye(3)[labels] if soft else labels
    rows = Rows.read(np.arange(6.0), given, classes=[0, 1, 2], weights=weights)
    factors = class_factors(class_weight, rows.classes, rows.totals)
    weighted = rows.class_weighted(factors)
    each = np.ones(6) if weights is None else np.array(weights)
    expected = np.bincount(labels, each * factors[labels], 3)
    scale = weighted.totals.sum() / expected.sum()
    assert weighted.totals == pytest.approx(expected * scale)
    assert weighted.scores.tolist() == [s for s in range(6) if factors[labels[s]] > 0]


def test_factors_of_1_leave_rows_as_they_are():
    rows = Rows.read([1.0, 2.0], [0, 1])
    assert rows.class_weighted(np.ones(2)) is rows


def test_the_effective_number_of_rows_is_that_of_kish():
    weights = [Fraction(1), Fraction(1, 2), Fraction(5, 2), Fraction(3)]
    expected = sum(weights) ** 2 / sum(weight**2 for weight in weights)
    for order in ([0, 1, 2, 3], [3, 1, 0, 2]):
        given = np.array([float(weights[i]) for i in order])
        assert effective_rows(given) == pytest.approx(float(expected), rel=1e-15)
        assert effective_rows(given) == effective_rows(given[::-1])


def test_a_class_whose_weight_is_0_is_as_good_as_not_there():
    scores, labels = [1, 2, 3, 4, 5], [0, 1, 0, 2, 2]
    result = ordcut.optimal_thresholds(scores, labels, class_weight={1: 0})
    without = ordcut.optimal_thresholds([1, 3, 4, 5], [0, 0, 2, 2], classes=[0, 1, 2])
    assert result.value == without.value == 0
