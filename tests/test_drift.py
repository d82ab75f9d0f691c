"""Drift of scores without labels: against tests of SciPy, and laws."""

import numpy as np
import polars as pl
import pytest
from scipy.stats import ks_2samp

import ordcut
from ordcut.frames import score_counts
from ordcut.studies.drift import drift_of_counts

RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, 3, 2000)
SCORES = LABELS + RNG.normal(size=2000)
RESULT = ordcut.optimal_thresholds(SCORES, LABELS)
SAVED = ordcut.Thresholds.from_json(RESULT.to_json())
NEW = RNG.integers(0, 3, 1000) + RNG.normal(size=1000)


@pytest.mark.parametrize(
    ("new", "outcome"),
    [(NEW, "stable"), (NEW + 1, "shifted"), (2 * NEW, "shifted"), (NEW[:40] + 0.5, "undecided")],
)
def test_the_outcome_follows_from_the_interval_of_the_index(new, outcome):
    drift = SAVED.drift(new)
    low, high = drift.interval
    assert drift.outcome == outcome
    assert {"stable": high < 0.1, "shifted": low > 0.1, "undecided": low <= 0.1 <= high}[outcome]
    assert drift.exit_code == {"stable": 0, "undecided": 4, "shifted": 5}[outcome]
    assert (drift.n_needed is not None) == (outcome == "undecided")


def test_the_distance_is_kolmogorovs_at_the_quantiles():
    for new in (NEW, NEW + 0.2):
        drift, oracle = RESULT.drift(new), ks_2samp(SCORES, new)
        inner = np.array(RESULT.record.scores.scores[1:-1])
        below = [np.searchsorted(np.sort(x), inner, side="right") / len(x) for x in (SCORES, new)]
        assert drift.distance == pytest.approx(np.abs(below[0] - below[1]).max())
        assert drift.distance <= oracle.statistic + 1e-12
        assert (drift.p_values["distance"] < 0.05) == (oracle.pvalue < 0.05)


def test_the_index_is_the_usual_sum_over_deciles():
    inner = np.array(RESULT.record.scores.scores[2:-1:2])
    p, q = (
        np.bincount(np.searchsorted(inner, x, side="left"), minlength=10) + 0.5
        for x in (SCORES, NEW + 0.5)
    )
    p, q = p / p.sum(), q / q.sum()
    assert RESULT.drift(NEW + 0.5).index == pytest.approx(((p - q) * np.log(p / q)).sum())


def test_shares_are_those_of_predictions():
    drift = SAVED.drift(NEW)
    for rows, shares in ((SCORES, drift.expected), (NEW, drift.observed)):
        counts = np.bincount(RESULT.codes(rows), minlength=3)
        np.testing.assert_allclose(shares[:, 0], counts / len(rows), atol=1e-6)
        assert (shares[:, 1] < shares[:, 0]).all()
        assert (shares[:, 0] < shares[:, 2]).all()


def test_the_order_of_rows_and_where_they_are_change_nothing():
    drift = SAVED.drift(NEW)
    assert SAVED.drift(NEW[::-1]).as_dict() == drift.as_dict() == RESULT.drift(NEW).as_dict()
    frame = pl.LazyFrame({"s": [*NEW, None]})
    counted = drift_of_counts(SAVED, lambda at: score_counts(frame, at, score="s"))
    assert counted.as_dict() == drift.as_dict()


@pytest.mark.parametrize("values", [[1.0], [0.0, 1.0], [0.0, 0.0, 0.0, 1.0, 2.0]])
def test_scores_with_ties_are_stable_against_themselves(values):
    scores = np.array(values * 60)
    labels = np.arange(len(scores)) % 2
    result = ordcut.optimal_thresholds(scores, labels, classes=[0, 1, 2])
    drift = result.drift(scores)
    assert (drift.outcome, drift.index, drift.distance) == ("stable", 0.0, 0.0)
    assert drift.p_values == {"index": 1.0, "distance": 1.0}


def test_the_interval_holds_the_index_of_the_distributions():
    index, inside = 0.25**2, []  # of normal scores: the square of the shift
    for seed in range(100):
        rng = np.random.default_rng(seed)
        scores = rng.normal(size=1000)
        low, high = (
            ordcut.optimal_thresholds(scores, scores > 0).drift(rng.normal(0.25, size=500)).interval
        )
        inside.append(low <= 0.96 * index <= high)  # ten parts lose 4 % of it
    assert 0.88 <= np.mean(inside) <= 1


def test_the_number_of_rows_that_decide_follows_from_the_record():
    few = ordcut.optimal_thresholds(SCORES[:30], LABELS[:30]).drift(NEW)
    assert (few.outcome, few.n_needed) == ("undecided", None)
    assert "the record has too few rows" in str(few)
    short = RESULT.drift(NEW[:50])
    assert short.outcome == "undecided"
    assert RESULT.drift(np.resize(NEW, short.n_needed)).outcome == "stable"


def test_permutation_tests_reject_at_their_level():
    p_values = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        scores = rng.integers(0, 30, 300) / 10
        result = ordcut.optimal_thresholds(scores, scores > 2)
        p_values.append(result.drift(rng.integers(0, 30, 200) / 10).p_values["index"])
    assert np.mean(np.array(p_values) <= 0.1) < 0.2


def test_errors_say_what_is_missing():
    given = ordcut.Thresholds.from_values([0.5], [0, 1])
    with pytest.raises(ValueError, match="drift needs thresholds with a record"):
        given.drift(NEW)
    with pytest.raises(ValueError, match="limit must be a number above 0"):
        SAVED.drift(NEW, limit=0)
    with pytest.raises(ValueError, match="scores"):
        SAVED.drift([np.nan, 1.0])
    with pytest.raises(ValueError, match="at least one row"):
        SAVED.drift([])
    judged = ordcut.judge(given, SCORES, LABELS > 1)
    assert judged.drift(NEW).outcome == "stable"
