"""Bands of frames are those of arrays, whatever the engine."""

import numpy as np
import pandas as pd
import pytest

import ordcut


@pytest.fixture
def columns():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=900).round(2)
    default = rng.random(900) < 1 / (1 + np.exp(2 - scores))
    years = rng.integers(1, 4, 900) / 2
    return {
        "score": scores,
        "default": default,
        "paid": np.where(default, "no", "yes"),
        "years": years,
        "claims": rng.poisson(years * np.exp(scores - 1)),
        "weight": rng.random(900),
    }


def test_bands_of_a_frame_are_those_of_arrays(frames_of, columns):
    frame, scores = frames_of(**columns), columns["score"]
    bands = ordcut.frames.optimal_bands(frame, "score", "default", n_bands=4)
    expected = ordcut.optimal_bands(scores, columns["default"], n_bands=4)
    assert bands == expected
    pd.testing.assert_frame_equal(bands.table(), expected.table())
    assert bands.record.rows == 900
    named = ordcut.frames.optimal_bands(frame, "score", "paid", event="no", n_bands=4)
    assert named == expected


def test_exposures_and_weights_of_a_frame_are_those_of_arrays(quick_frames_of, columns):
    frame, scores = quick_frames_of(**columns), columns["score"]
    bands = ordcut.frames.optimal_bands(
        frame, "score", "claims", exposure="years", n_bands=3, constraints="share >= 0.2"
    )
    expected = ordcut.optimal_bands(
        scores, columns["claims"], exposure=columns["years"], n_bands=3, constraints="share >= 0.2"
    )
    np.testing.assert_array_equal(bands.thresholds, expected.thresholds)
    weighted = ordcut.frames.optimal_bands(frame, "score", "default", weight="weight", n_bands=3)
    expected = ordcut.optimal_bands(
        scores, columns["default"], sample_weight=columns["weight"], n_bands=3
    )
    np.testing.assert_array_equal(weighted.thresholds, expected.thresholds)


@pytest.mark.parametrize("values", ["digits 1", "allowed -1 -0.5 0 0.4 1.3"])
def test_many_scores_are_counted_between_the_values_of_thresholds(quick_frames_of, columns, values):
    frame = quick_frames_of(**columns)
    options = {"n_bands": 3, "constraints": values}
    counted = ordcut.frames.optimal_bands(frame, "score", "default", max_rows=100, **options)
    expected = ordcut.optimal_bands(columns["score"], columns["default"], **options)
    labels = expected.predict(columns["score"])
    np.testing.assert_array_equal(counted.predict(columns["score"]), labels)
    assert counted.value == pytest.approx(expected.value, rel=1e-12)


def test_other_columns_that_are_too_many_are_refused_with_what_to_do(quick_frames_of, columns):
    frame = quick_frames_of(**columns)
    with pytest.raises(ValueError, match="load the columns as arrays"):
        ordcut.frames.optimal_bands(frame, "score", "default", max_rows=100)
    with pytest.raises(TypeError, match="counts as an event"):
        ordcut.frames.optimal_bands(frame, "score", "paid")


def test_missing_values_are_refused_or_dropped(quick_frames_of, columns):
    columns["score"] = np.where(np.arange(900) == 7, np.nan, columns["score"])
    frame = quick_frames_of(**columns)
    with pytest.raises(ValueError, match="1 in 'score'"):
        ordcut.frames.optimal_bands(frame, "score", "default")
    bands = ordcut.frames.optimal_bands(frame, "score", "default", n_bands=3, nulls="drop")
    kept = ~np.isnan(columns["score"])
    expected = ordcut.optimal_bands(columns["score"][kept], columns["default"][kept], n_bands=3)
    assert bands == expected


def test_text_that_is_missing_is_no_outcome():
    frame = pd.DataFrame({"score": [1, 2, 3, 4, 5], "paid": ["no", "no", None, "yes", "yes"]})
    with pytest.raises(ValueError, match="1 in 'paid'"):
        ordcut.frames.optimal_bands(frame, "score", "paid", event="yes", n_bands=2)
