"""How often intervals contain what they should, in simulations with little doubt about the result.

`python -m benchmarks coverage` has many more designs and data sets.
"""

from dataclasses import replace

import numpy as np
import pytest

import ordcut
from benchmarks.coverage import LEVEL, TOLERANCE, simulate, values_of_replicates
from benchmarks.populations import POPULATIONS
from ordcut._core.numerics.jit import running_kernels_as

BY_NAME = {population.name: population for population in POPULATIONS}


@pytest.fixture(autouse=True)
def compiled():
    """Small problems would run as plain Python until compiling pays off."""
    with running_kernels_as("compiled"):
        yield


def boots(population, n, n_data, n_replicates=10):
    """Return the bootstraps of many data sets of n rows."""
    data = (population.draw(n, np.random.default_rng([seed, n])) for seed in range(n_data))
    return [ordcut.optimal_thresholds(**some).bootstrap(n_replicates) for some in data]


def coverage(intervals, values):
    pairs = zip(intervals, values, strict=True)
    return np.mean([(low <= value) & (value <= high) for (low, high), value in pairs])


@pytest.mark.parametrize("name", ["fewer errors", "kappa, few errors"])
def test_the_interval_for_the_value_holds_where_errors_are_few(name):
    population = BY_NAME[name]
    results = boots(population, n=200, n_data=100)
    risks = [population.risk(boot.result.thresholds) for boot in results]
    intervals = [boot.value_interval(LEVEL) for boot in results]
    assert coverage(intervals, risks) >= LEVEL - TOLERANCE
    # The replicates alone do not do it, so that this is no easy design; and nobody needs an
    # interval that holds because it is wide.
    assert coverage([values_of_replicates(boot) for boot in results], risks) < 0.8
    assert np.median(np.diff(intervals)) < 0.1


def test_intervals_hold_where_scores_are_few():
    population = BY_NAME["seven scores"]
    results = boots(population, n=200, n_data=100, n_replicates=40)
    best = [population.best] * len(results)
    assert coverage([boot.intervals(LEVEL).T for boot in results], best) >= LEVEL - TOLERANCE
    # Ends between scores, as close as scaled deviations are, would leave out too much.
    fine = [replace(boot, scores=np.arange(-4, 4, 0.001)) for boot in results]
    assert coverage([boot.intervals(LEVEL).T for boot in fine], best) < LEVEL - TOLERANCE


def test_intervals_of_smoothed_thresholds_hold_where_the_model_does_not_fit():
    population = replace(BY_NAME["smoothed, model does not fit"], options={"smoothing": 1.0})
    (held,) = simulate(population, 1000, n_data=25, ways=["m of n"], n_replicates=20)
    assert held["thresholds"] >= LEVEL - TOLERANCE


@pytest.mark.parametrize("name", ["normal scores", "quadratic kappa", "random weights", "ties"])
def test_intervals_hold_in_ordinary_designs(name):
    (row,) = simulate(BY_NAME[name], 200, n_data=60, ways=["m of n"], n_replicates=40)
    # The standard error is 0.03 at most, so that this has a margin of three of them.
    assert row["thresholds"] >= LEVEL - 0.09
    assert row["value"] >= LEVEL - 0.09
    assert row["median width"] < 1.2


def test_the_best_thresholds_of_populations_are_those_known_in_closed_form():
    low, high = np.exp(3 * np.array([-0.5, 0.7]))
    modes = np.array([-np.log(1 / low - 2 / high), np.log(high - 2 * low)]) / 3
    known = {
        "normal scores": [-1, -0.2, 0.4, 1.2],
        "exponential scores": np.array([0.4, 1, 2]) + np.log(3) / 3,
        "uniform scores": modes,
        "coinciding thresholds": [0, 0],
        "a kink": [-0.6, 0.6],
    }
    for name, best in known.items():
        np.testing.assert_allclose(BY_NAME[name].best, best, atol=1e-3)
