"""Agreement: judged by double loops over ratings, by krippendorff, and by values of irrCAC."""

from math import atanh, nan, sqrt, tanh

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordcut
from tests.panels.panel_rows import panels
from tests.tables import KAPPAS

#: Twelve items, and what irrCAC 0.4.4 says about them with the categories 1 to 4.
RATINGS = [
    [4, None, None, None],
    [2, None, 2, None],
    [4, None, None, 2],
    [None, 2, None, None],
    [None, 3, 3, 3],
    [4, 4, None, 4],
    [4, None, 4, 4],
    [1, 1, 2, 1],
    [2, None, 1, None],
    [2, None, 1, None],
    [3, 2, 3, 3],
    [None, 4, 4, 4],
]
IRRCAC = {
    "kappa": {"fleiss": 0.433210332, "gwet": 0.476958002, "alpha": 0.529616725},
    "linear_kappa": {"fleiss": 0.589158345, "gwet": 0.630532393, "alpha": 0.667351129},
    "quadratic_kappa": {"fleiss": 0.715254237, "gwet": 0.757254666, "alpha": 0.781155015},
}


def ratings_of(rows):
    """Return (item, rater, class) of each rating, with the weight 1 / number of ratings."""
    return [
        (i, r, c, 1 / sum(x is not None for x in row))
        for i, row in enumerate(rows)
        for r, c in enumerate(row)
        if c is not None
    ]


def naive_fair(rows, cost, anonymous=False):
    rows = [row for row in rows if sum(x is not None for x in row) > 1]
    observed = []
    for row in rows:
        rated = [x for x in row if x is not None]
        m = len(rated)
        pairs = [cost[a, b] for i, a in enumerate(rated) for j, b in enumerate(rated) if i != j]
        observed.append(sum(pairs) / (m * (m - 1)))
    chance = weight = 0
    for i, r, a, u in ratings_of(rows):
        for j, s, b, v in ratings_of(rows):
            if i != j and (anonymous or r != s):
                chance, weight = chance + u * v * cost[a, b], weight + u * v
    return np.mean(observed), (chance / weight if weight else nan)


def naive_judge(rows, labels, cost):
    observed, chance, weight = 0, 0, 0
    for j, _, b, v in ratings_of(rows):
        observed += v * cost[labels[j], b]
        for i, label in enumerate(labels):
            if i != j:
                chance, weight = chance + v * cost[label, b], weight + v
    return observed / len(rows), chance / weight


@pytest.mark.parametrize("name", IRRCAC)
@pytest.mark.parametrize("coefficient", ["fleiss", "gwet", "alpha"])
def test_coefficients_are_those_of_irrcac(name, coefficient):
    panel = ordcut.Panel(RATINGS)
    value = panel.agreement(name, coefficient=coefficient).value
    assert value == pytest.approx(IRRCAC[name][coefficient], abs=1e-8)


@pytest.mark.parametrize(
    ("name", "level"),
    [("kappa", "nominal"), ("quadratic_kappa", "interval")],
)
@given(rows=panels())
def test_alpha_is_that_of_krippendorff(name, level, rows):
    panel = ordcut.Panel(rows)
    table = np.array(rows, dtype=float).T
    if not ((~np.isnan(table)).sum(axis=0) > 1)[1:].any():
        return  # a single item has no agreement by chance
    expected = krippendorff.alpha(table, level_of_measurement=level)
    assert panel.agreement(name, coefficient="alpha").value == pytest.approx(expected, abs=1e-9)


@given(panels(), st.sampled_from(KAPPAS), st.booleans())
def test_fair_chance_is_that_of_different_raters_and_different_items(rows, name, anonymous):
    cost = ordcut.resolve_objective(name, 3).cost
    panel = ordcut.Panel(rows, raters="anonymous" if anonymous else "identified")
    if sum(sum(x is not None for x in row) > 1 for row in rows) < 2:
        with pytest.raises(ValueError, match="at least two items with two ratings"):
            panel.agreement(name)
        return
    observed, chance = naive_fair(rows, cost, anonymous)
    if not chance > 0:
        with pytest.raises(ValueError, match="undefined for these ratings"):
            panel.agreement(name)
        return
    agreement = panel.agreement(name)
    assert agreement.value == pytest.approx(1 - observed / chance, abs=1e-9)
    for left in np.flatnonzero(agreement.counts):
        rest = [row for i, row in enumerate(rows) if i != left]
        if sum(sum(x is not None for x in row) > 1 for row in rest) > 1:
            observed, chance = naive_fair(rest, cost, anonymous)
            if chance > 1e-9:
                assert agreement.left_out[left] == pytest.approx(1 - observed / chance, abs=1e-9)


@given(panels(), st.sampled_from(["kappa", "quadratic_kappa"]), st.data())
def test_labels_are_compared_as_one_more_rater(rows, name, data):
    labels = data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    cost = ordcut.resolve_objective(name, 3).cost
    observed, chance = naive_judge(rows, labels, cost)
    panel = ordcut.Panel(rows)
    if chance < 1e-9:
        with pytest.raises(ValueError, match="undefined for these ratings"):
            panel.agreement_with(labels, name)
        return
    agreement = panel.agreement_with(labels, name)
    assert agreement.value == pytest.approx(1 - observed / chance, abs=1e-9)
    for left in range(len(rows)):
        rest = [row for i, row in enumerate(rows) if i != left]
        observed, chance = naive_judge(rest, [*labels[:left], *labels[left + 1 :]], cost)
        if chance > 1e-9:
            assert agreement.left_out[left] == pytest.approx(1 - observed / chance, abs=1e-9)


def test_losses_are_means_over_pairs_and_items():
    panel = ordcut.Panel([[1, 2], [2, 4], [3, None]])
    assert panel.agreement("absolute").value == 1.5
    assert panel.agreement_with([1, 3, 1], "absolute").value == pytest.approx((0.5 + 1 + 2) / 3)
    low, high = panel.agreement("absolute").interval()
    assert 0 <= low < 1.5 < high


def test_classes_that_are_text_have_positions():
    numbers = ordcut.Panel([[0, 1], [1, 1], [2, 1]])
    text = ordcut.Panel([["no", "so"], ["so", "so"], ["yes", "so"]], classes=["no", "so", "yes"])
    assert text.agreement().value == numbers.agreement().value


def test_the_interval_is_the_jackknife_on_fishers_scale():
    agreement = ordcut.Panel(RATINGS).agreement()
    values = agreement.left_out[agreement.counts]
    n = len(values)
    assert agreement.n_items == n == 10
    error = sqrt((n - 1) / n * ((values - values.mean()) ** 2).sum())
    assert agreement.standard_error == pytest.approx(error)
    half = 2.2621571628 * error / (1 - agreement.value**2)  # Student's quantile, 9 degrees
    expected = tanh(atanh(agreement.value) - half), tanh(atanh(agreement.value) + half)
    assert agreement.interval() == pytest.approx(expected)
    narrow, wide = agreement.interval(0.5), agreement.interval(0.99)
    assert wide[0] < narrow[0] < agreement.value < narrow[1] < wide[1]
    with pytest.raises(ValueError, match="level must be"):
        agreement.interval(95)


def test_full_agreement_has_an_interval_of_some_width():
    agreement = ordcut.Panel([[1, 1], [2, 2]] * 10).agreement()
    assert agreement.value == 1
    low, high = agreement.interval()
    assert 0.2 < low < 0.9
    assert high == 1


def test_the_difference_is_that_of_the_values_left_out():
    panel = ordcut.Panel(RATINGS)
    judge = panel.agreement_with([4, 2, 3, 2, 3, 4, 4, 1, 1, 2, 3, 4])
    value, low, high = judge.difference(panel.agreement())
    assert value == judge.value - panel.agreement().value
    assert low < value < high
    with pytest.raises(ValueError, match="the same items"):
        judge.difference(ordcut.Panel(RATINGS[4:]).agreement())


def test_attainable_is_the_square_root_for_people_with_people():
    panel = ordcut.Panel(RATINGS)
    people = panel.agreement()
    assert people.attainable == sqrt(people.value)
    with pytest.raises(ValueError, match="attainable is known for a kappa of people"):
        _ = panel.agreement("absolute").attainable
    with pytest.raises(ValueError, match="attainable is known for a kappa of people"):
        _ = panel.agreement_with([1] * 11 + [4]).attainable


def test_a_further_rater_agrees_as_well_as_the_raters_do_with_each_other():
    rng = np.random.default_rng(5)
    fair, pooled = [], []
    for _ in range(400):
        quality = rng.normal(size=60)
        leniency = rng.normal(size=4) * 0.5
        table = np.clip(
            np.rint(2 + quality[:, None] + leniency + 0.7 * rng.normal(size=(60, 4))), 0, 4
        ).astype(int)
        panel = ordcut.Panel(table[:, :3], classes=range(5))
        judge = panel.agreement_with(table[:, 3]).value
        fair.append(judge - panel.agreement().value)
        pooled.append(judge - panel.agreement(coefficient="fleiss").value)
    assert abs(np.mean(fair)) < 0.01
    assert np.mean(pooled) > 0.02


def test_mistakes_are_named():
    panel = ordcut.Panel(RATINGS)
    with pytest.raises(ValueError, match="coefficient must be one of"):
        panel.agreement(coefficient="cohen")
    with pytest.raises(ValueError, match="labels must hold one class for each of the 12 items"):
        panel.agreement_with([1, 2])
    with pytest.raises(ValueError, match="labels must be among the classes 1, 2, 3, 4, got 5"):
        panel.agreement_with([5] * 12)
    with pytest.raises(ValueError, match="objective must compare two ratings"):
        panel.agreement("macro_mae")
    with pytest.raises(ValueError, match="at least two items with two ratings each, got 0 of 2"):
        ordcut.Panel([[1], [2]]).agreement()
    with pytest.raises(ValueError, match="undefined for these ratings"):
        ordcut.Panel([[1, 1], [1, 1]], classes=[1, 2]).agreement()
