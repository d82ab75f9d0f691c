"""Intervals and draws of the bootstrap from numbers made up so that results are known exactly."""

import dataclasses

import numpy as np
import pytest

import ordcut
from tests.small_sizes import set_sizes
from tests.tables import KAPPAS
from tests.uncertainty.uncertainty_rows import hand_made, noisy, same

INF = np.inf


def bounds_with(good, bad, overfitted, least, most, is_kappa):
    """Bounds with draws that are made up."""
    drawn = {"good": good, "bad": bad, "overfitted": overfitted}
    bounds = found_with().bootstrap(n=2).value_bounds
    return dataclasses.replace(bounds, **drawn, least=least, most=most, is_maximised=is_kappa)


def found_with(constraints=None, **options):
    return ordcut.optimal_thresholds([1, 2], [0, 1], constraints=constraints, **options)


# Intervals


def made_up(result, thresholds, size, n_rows):
    every = np.array(thresholds, float)[:, None]
    return hand_made(result, every, np.linspace(-8, 8, 1601), size, float(n_rows))


@pytest.mark.parametrize(
    ("constraints", "scale"),
    [
        ([], 0.5 / np.sqrt(1 + 0.5**2)),
        (["share 1 <= 1"], 0.5),
        (["gap >= 0", "share 0 <= 1"], 0.5),
        (["allowed 1.5"], 1),
        (["digits 1"], 1),
        (["share 1 <= 1", "digits 1"], 1),
    ],
)
def test_distances_are_scaled_by_the_cube_root_of_the_share_of_rows_or_not_at_all(
    constraints, scale
):
    boot = made_up(found_with(constraints), 1.5 + np.array([0, 1, -2, 3, 4]), 100, 800)
    for level, distance in ((0.1, 1), (0.25, 1), (0.26, 2), (0.75, 3), (0.76, 4), (0.99, 4)):
        low, high = boot.intervals(level)[0]
        assert low == pytest.approx(1.5 - distance * scale, abs=0.011)
        assert high == pytest.approx(1.5 + distance * scale, abs=0.011)


def test_the_level_is_95_percent_by_default():
    boot = ordcut.optimal_thresholds(*noisy(200)).bootstrap(n=200)
    assert boot.intervals().tolist() == boot.intervals(0.95).tolist()
    assert boot.intervals().tolist() != boot.intervals(0.8).tolist()
    assert boot.value_interval().tolist() == boot.value_interval(0.95).tolist()
    assert boot.value_interval().tolist() != boot.value_interval(0.8).tolist()
    for level in (1e-9, 1 - 1e-9):
        assert boot.intervals(level).shape == (3, 2)


def values_of(numbers, optimism=0.0, is_kappa=False, good=0.5, bad=0.5, least=-9, most=9):
    """A bootstrap of 9 of 36 rows whose value is 0.5, with values of its own."""
    result = dataclasses.replace(found_with(), value=0.5)
    bounds = bounds_with(*(np.full(1, x) for x in (good, bad, bad)), least, most, is_kappa)
    boot = dataclasses.replace(found_with().bootstrap(n=2), result=result, size=9, n_rows=36.0)
    return dataclasses.replace(
        boot, values=np.array(numbers), optimism=optimism, value_bounds=bounds
    )


def test_values_stray_by_half_as_much_for_four_times_as_many_rows():
    numbers = np.array([0.1, 0.9, 0.4, 0.6, 0.5])
    for level, stray in ((0.49, 0.1), (0.51, 0.4), (0.99, 0.4)):
        expected = [0.5 - stray / 2, 0.5 + stray / 2]
        np.testing.assert_allclose(values_of(numbers).value_interval(level), expected)
    moved = values_of(numbers, optimism=-0.125).value_interval(0.99)
    np.testing.assert_allclose(moved, [0.5 - 0.2 + 0.125, 0.5 + 0.2 + 0.125])


def test_values_stray_no_more_for_more_rows_than_there_effectively_are():
    numbers = np.array([0.1, 0.9, 0.4, 0.6, 0.5])
    few = dataclasses.replace(values_of(numbers), n_rows=4.0)  # of which 9 are drawn
    np.testing.assert_allclose(few.value_interval(0.99), [0.1, 0.9])


def test_values_stay_within_the_costs_and_hold_both_intervals():
    numbers = np.array([0.1, 0.9])
    assert values_of(numbers, least=0.4, most=0.6).value_interval().tolist() == [0.4, 0.6]
    wide = values_of(numbers, good=0.0, bad=2.0).value_interval()
    assert wide.tolist() == [0, 2]


def test_a_bootstrap_is_written_with_its_intervals():
    boot = dataclasses.replace(
        made_up(found_with(), [1.5, 1.5], 3, 24),
        scores=np.array([1.0, 2.0]),
        values=np.array([0.25, 0.75]),
        value_bounds=bounds_with(*(np.full(1, 0.25),) * 3, 0.0, 0.5, False),
    )
    low, high = boot.value_interval()
    assert low < high
    assert repr(boot) == (
        f"Bootstrap(95 % intervals: 1.5 [1, 2]; absolute on new rows [{low:.6g}, {high:.6g}]; "
        "2 replicates of 3 rows)"
    )


# Bounds


@pytest.mark.parametrize("is_kappa", [False, True])
def test_bounds_are_quantiles_of_the_draws_and_the_bad_end_is_moved_by_optimism(is_kappa):
    good, bad = np.arange(11.0), np.arange(11.0) + 100
    if is_kappa:
        good, bad = bad, good
    sign = -1 if is_kappa else 1
    bounds = bounds_with(good, bad, bad + sign * 5, -INF, INF, is_kappa)
    best, worst = (good[::sign], bad[::-sign])

    def interval(level, optimism):
        return bounds.interval(level, optimism)[::sign]

    # Of eleven draws, a tail of 10 % leaves out the last one at an end, and one of 5 % none.
    assert interval(0.8, 0.0) == (best[1], worst[1] + sign * 5)
    assert interval(0.9, 0.0) == (best[0], worst[0] + sign * 5)
    assert interval(0.8, -sign * 7.0) == (best[1], worst[1] + sign * 7)
    assert interval(0.8, -sign * 3.0) == (best[1], worst[1] + sign * 5)
    assert interval(0.8, sign * 7.0) == (best[1], worst[1] + sign * 5)


@pytest.mark.parametrize("is_kappa", [False, True])
def test_a_bad_end_beyond_all_thresholds_is_moved_by_the_optimism_alone(is_kappa):
    draws = np.arange(11.0)
    bounds = bounds_with(draws, draws, draws, -INF, INF, is_kappa)
    sign = -1 if is_kappa else 1
    for optimism, moved in ((0.0, 0), (-sign * 3.0, 3), (sign * 3.0, 0)):
        expected = (1 - moved, 9) if is_kappa else (1, 9 + moved)
        assert bounds.interval(0.8, optimism) == expected


@pytest.mark.parametrize("n_decisions", [2, 3, 4])
def test_costs_of_rows_have_one_more_row_on_the_wrong_side_of_each_threshold(n_decisions):
    random = np.random.default_rng(n_decisions)
    scores = random.random(600)
    best = (scores * n_decisions).astype(int)
    costs = np.abs(best[:, None] - np.arange(n_decisions)) + random.random((600, n_decisions)) / 9
    result = ordcut.optimal_thresholds(scores, costs=costs)
    assert np.isfinite(result.thresholds).all()
    bounds = result.bootstrap(n=2).value_bounds
    assert len(bounds.good) == 2**21 // (602 + n_decisions - 1)
    assert not bounds.is_maximised
    low, high = bounds.interval(0.9, 0.0)
    assert low < result.value < high
    assert low == bounds.good[int(0.05 * (len(bounds.good) - 1))]


def test_groups_of_rows_have_the_mean_of_their_costs():
    random = np.random.default_rng(1)
    for n in (500, 6000):
        costs = np.stack([random.exponential(size=n), 9 + random.random(n)], axis=1)
        result = ordcut.optimal_thresholds(np.zeros(n), costs=costs)
        assert result.thresholds.tolist() == [INF]  # every row pays its first cost
        bounds = result.bootstrap(n=2, size=2).value_bounds
        assert np.mean(bounds.good) == pytest.approx(costs[:, 0].mean(), abs=0.01)
        spread = costs[:, 0].std() / np.sqrt(n)
        assert np.std(bounds.good) == pytest.approx(spread, rel=0.1)
        assert (bounds.least, bounds.most) == (costs.min(), costs.max())
        assert bounds.bad.tolist() == bounds.overfitted.tolist()  # no threshold is finite


def test_draws_in_parts_are_as_those_at_once(monkeypatch):
    result = ordcut.optimal_thresholds(*noisy(80))
    whole = result.bootstrap(n=2).value_bounds
    for most in (1, 100, 1500):
        set_sizes(monkeypatch, draws_at_once=most)
        parts = result.bootstrap(n=2).value_bounds
        for name in ("good", "bad", "overfitted"):
            one, other = getattr(whole, name), getattr(parts, name)
            quantiles = [0.05, 0.5, 0.95]
            np.testing.assert_allclose(
                np.quantile(other, quantiles), np.quantile(one, quantiles), atol=0.02
            )


def test_the_limits_of_values_are_the_costs_or_those_of_a_kappa():
    scores, labels = noisy(50)
    result = ordcut.optimal_thresholds(scores, labels, objective=np.arange(16).reshape(4, 4) - 3)
    bounds = result.bootstrap(n=2).value_bounds
    assert (bounds.least, bounds.most, bounds.is_maximised) == (-3, 12, False)
    bounds = (
        ordcut.optimal_thresholds(scores, labels, objective="kappa").bootstrap(n=2).value_bounds
    )
    assert (bounds.least, bounds.most, bounds.is_maximised) == (-INF, 1, True)


# Replicates


def test_so_many_replicates_and_rows_are_the_fewest_and_the_most():
    result = ordcut.optimal_thresholds([1, 2, 3, 4], [0, 0, 1, 1])
    assert len(result.bootstrap(n=2).values) == 2
    for size in (1, 4, np.int64(3)):
        assert result.bootstrap(n=2, size=size).size == size
    for wrong in (True, 2.0):
        with pytest.raises(ValueError, match="size must be a whole number of rows from 1 to 4"):
            result.bootstrap(n=2, size=wrong)
    with pytest.raises(ValueError, match="n must be a whole number of replicates"):
        result.bootstrap(n=True)


@pytest.mark.parametrize(("n", "size"), [(1, 1), (10, 6), (100, 40), (1000, 251)])
def test_a_replicate_draws_the_rows_to_the_power_of_0_8(n, size):
    result = ordcut.optimal_thresholds(np.arange(n), np.arange(n) % 2, classes=[0, 1])
    assert result.bootstrap(n=2).size == size


def test_more_rows_than_there_effectively_are_count_as_all():
    scores, labels, weights = [1, 2], [0, 1], [1.0, 0.6]
    result = ordcut.optimal_thresholds(scores, labels, sample_weight=weights)
    boot = result.bootstrap(n=30)
    assert boot.n_rows < boot.size == 2
    changes = [
        np.average(
            np.abs(result.codes(scores) - np.searchsorted(at, scores, "right")), weights=weights
        )
        for at in boot.thresholds
    ]
    assert boot.label_change == pytest.approx(np.mean(changes))
    wide = np.sort(boot.values)[[0, -1]] - boot.optimism
    low, high = boot.value_interval(0.999)
    assert low <= max(0, wide[0])
    assert min(1, wide[1]) <= high


def test_constraints_that_hold_in_just_the_least_share_are_no_error(monkeypatch):
    scores, labels = np.repeat([1.0, 2.0, 3.0], 20), np.repeat([0, 1, 1], 20)
    result = ordcut.optimal_thresholds(scores, labels, constraints=["share 0 >= 0.25 and <= 0.4"])
    boot = result.bootstrap(n=40)
    share = 1 - boot.n_infeasible / 40
    assert 0 < boot.n_infeasible < 20
    set_sizes(monkeypatch, least_feasible_share=share)
    assert result.bootstrap(n=40).n_infeasible == boot.n_infeasible
    set_sizes(monkeypatch, least_feasible_share=np.nextafter(share, 1))
    with pytest.raises(ValueError, match=f"in only {share:.0%} of 40 samples of {boot.size} rows"):
        result.bootstrap(n=40)


@pytest.mark.parametrize("objective", KAPPAS)
def test_two_rows_of_two_classes_have_a_kappa(objective):
    result = ordcut.optimal_thresholds(*noisy(40, n_classes=2), objective=objective)
    assert np.isfinite(result.bootstrap(n=10, size=2).values).all()


def test_samples_without_a_class_that_counts_are_drawn_anew():
    scores, labels = noisy(40, n_classes=2)
    result = ordcut.optimal_thresholds(scores, labels, class_weight=[0, 1])
    boot = result.bootstrap(n=30, size=1)
    assert np.isfinite(boot.values).all()


def test_replicates_are_judged_on_all_rows_in_parts_as_at_once(monkeypatch):
    result = ordcut.optimal_thresholds(*noisy(100))
    whole = result.bootstrap(n=11)
    for most in (1, 48, 64):
        set_sizes(monkeypatch, replicates_at_once=most)
        assert same(result.bootstrap(n=11), whole)


def test_the_rows_near_a_threshold_are_those_between_tenths_of_its_replicates():
    scores, labels = noisy(300)
    weights = np.random.default_rng(1).random(300)
    boot = ordcut.optimal_thresholds(scores, labels, sample_weight=weights).bootstrap(n=60)
    order = np.argsort(scores)
    for k, drawn in enumerate(boot.plain_thresholds.T):
        low, high = np.quantile(drawn[np.isfinite(drawn)], [0.1, 0.9])
        inside = np.flatnonzero((scores[order] >= low) & (scores[order] <= high))
        near = weights[order][inside[0] - 1 : inside[-1] + 2]
        expected = weights.sum() * near.sum() / (near**2).sum()
        assert boot.n_rows_near[k] == pytest.approx(expected)


# Draws


def test_rows_of_one_score_are_in_the_order_of_their_classes_however_many_there_are():
    scores, labels = np.array([2.0, 2.0, 1.0, 1.0, 1.0]), np.array([0, 999, 998, 7, 999])
    order = [4, 0, 3, 2, 1]
    first, other = (
        ordcut.optimal_thresholds(scores[some], labels[some], classes=range(1000)).bootstrap(n=9)
        for some in (slice(None), order)
    )
    assert same(first, other)
