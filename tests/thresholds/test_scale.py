"""Scores on another scale than the thresholds are noticed, and the distribution is not."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ordcut
from ordcut._core.thresholds import NewScores, scale_problem

RNG = np.random.default_rng(0)


def probabilities(n):
    return 1 / (1 + np.exp(-2 * RNG.normal(size=n)))


SCORES = probabilities(2000)
LABELS = np.digitize(SCORES + 0.15 * RNG.normal(size=2000), [0.3, 0.7])
RESULT = ordcut.optimal_thresholds(SCORES, LABELS)
SAVED = ordcut.Thresholds.from_json(RESULT.to_json())
NEW = probabilities(1000)

#: Scores of the same rows on other scales.
OTHER = {
    "logits": np.log(NEW / (1 - NEW)),
    "percentages": 100 * NEW,
    "halves": NEW / 2,
    "log-probabilities": np.log(NEW),
    "classes": np.digitize(NEW, [0.3, 0.7]) + 1.0,
    "a constant": np.full(1000, 0.5),
}


@pytest.mark.parametrize("scale", OTHER)
def test_scores_on_another_scale_get_a_warning_or_an_error(scale):
    with pytest.warns(ordcut.DifferentScaleWarning, match="must be on the scale"):
        labels = SAVED.predict(OTHER[scale])
    assert labels.tolist() == RESULT.predict(OTHER[scale]).tolist()
    with pytest.raises(ValueError, match="Pass scores of the same model"):
        SAVED.predict(OTHER[scale], strict=True)
    with pytest.raises(ValueError, match="Pass scores of the same model"):
        RESULT.predict(OTHER[scale], strict=True)


@pytest.mark.parametrize("scale", OTHER)
def test_frames_get_the_warning_of_arrays(scale):
    for frame in (pd.DataFrame({"s": OTHER[scale]}), pl.DataFrame({"s": OTHER[scale]})):
        with pytest.warns(ordcut.DifferentScaleWarning):
            ordcut.frames.predict(frame, SAVED, "s")
    lazy = pl.LazyFrame({"s": OTHER[scale]})
    ordcut.frames.predict(lazy, SAVED, "s")
    with pytest.raises(ValueError, match="must be on the scale"):
        ordcut.frames.predict(lazy, SAVED, "s", strict=True)


def test_pickles_and_many_rows_are_checked_as_well():
    with pytest.warns(ordcut.DifferentScaleWarning):
        pickle.loads(pickle.dumps(RESULT)).predict(np.tile(100 * NEW, 10))


@pytest.mark.parametrize("function", [ordcut.gate, ordcut.judge, ordcut.update])
def test_labelled_rows_are_checked_as_well(function):
    labels = np.digitize(NEW, [0.3, 0.7])
    with pytest.warns(ordcut.DifferentScaleWarning):
        function(SAVED, OTHER["logits"], labels)
    with pytest.warns(ordcut.DifferentScaleWarning):
        SAVED.report(OTHER["logits"], labels)
    with pytest.warns(ordcut.DifferentScaleWarning):
        ordcut.diff(SAVED, SAVED, OTHER["logits"], labels)


def test_sorted_rows_are_not_taken_for_another_scale():
    ascending = np.sort(np.tile(NEW, 20))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SAVED.predict(ascending)
        ordcut.frames.predict(pl.LazyFrame({"s": ascending}), SAVED, "s", strict=True)
        ordcut.frames.predict(pl.DataFrame({"s": [*ascending, None, np.nan]}), SAVED, "s")


def test_few_rows_and_results_of_the_session_are_not_checked():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SAVED.predict(100 * NEW[:99])
        RESULT.predict(100 * NEW)


#: Distributions that have many ties, long tails, or rare values.
DISTRIBUTIONS = {
    "normal": lambda n: RNG.normal(size=n),
    "five values": lambda n: RNG.integers(0, 5, n) * 1.0,
    "mostly zero": lambda n: np.where(RNG.random(n) < 0.95, 0.0, RNG.random(n)),
    "rare": lambda n: np.where(RNG.random(n) < 0.998, 0.0, 1 + RNG.random(n)),
    "heavy tails": lambda n: RNG.standard_cauchy(n),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_the_same_distribution_raises_no_alarm(name):
    draw = DISTRIBUTIONS[name]
    for n in (20, 100, 1000):
        scores = draw(n)
        labels = np.digitize(scores, np.quantile(scores, [0.3, 0.6, 0.95]))
        result = ordcut.optimal_thresholds(scores, labels, classes=range(4))
        for _ in range(40):
            new = NewScores.of(result.thresholds, result.record, draw(1000))
            assert scale_problem(result, new) is None
