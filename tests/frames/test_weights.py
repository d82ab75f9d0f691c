"""Weights whose sums are exact in every engine, as on arrays."""

import numpy as np
import pandas as pd
import pytest

import ordcut
from ordcut import frames
from tests.frames.frame_rows import SCORES
from tests.hard_rows import LABELS, N

RNG = np.random.default_rng(11)
N_SAMPLED = 4096

#: The weights of some rows, and the number of passes that they take.
UNITS = {
    "tenths": (RNG.integers(1, 30, N) / 10, 2),
    "eighths": (RNG.integers(0, 30, N) / 8, 2),
    "thirds and sevenths": (RNG.integers(1, 30, N) / RNG.choice([3, 7], N), 2),
    "rounded": (RNG.integers(1, 30, N) * 0.1, 4),
    "equal": (np.full(N, 0.3), 2),
}

#: Weights that have no unit.
UNIFORM = RNG.random(N)
WITHOUT_UNIT = {
    "uniform": UNIFORM,
    "normalised": UNIFORM / UNIFORM.sum(),
    "log-normal": np.exp(3 * RNG.normal(size=N)),
    "tiny and huge": np.where(UNIFORM < 0.5, 1e-12 * UNIFORM, 1e9 * UNIFORM),
    "few": RNG.choice([1 / 3, 0.123456789, 1.0], N),
}


def find(frame, **options):
    return frames.optimal_thresholds(frame, score="s", label="y", weight="w", **options)


def assert_as_arrays(frame, scores, labels, weights, **options):
    result = find(frame, **options)
    expected = ordcut.optimal_thresholds(scores, labels, sample_weight=weights, **options)
    assert result.thresholds.tolist() == expected.thresholds.tolist()
    assert result.value == pytest.approx(expected.value, rel=1e-12)
    return result, expected


@pytest.mark.parametrize("unit", UNITS)
def test_multiples_of_a_unit_give_the_thresholds_of_arrays(quick_frames_of, unit):
    weights, n_passes = UNITS[unit]
    frame = quick_frames_of(s=SCORES, y=LABELS, w=weights)
    result, _ = assert_as_arrays(frame, SCORES, LABELS, weights)
    assert result.passes == n_passes
    for objective in ("quadratic_kappa", "macro_mae"):
        assert_as_arrays(frame, SCORES, LABELS, weights, objective=objective)


def assert_finds(result, expected):
    assert result.thresholds.tolist() == expected.thresholds.tolist()
    assert result.ranges.tolist() == expected.ranges.tolist()
    assert result.value == pytest.approx(expected.value, rel=1e-14)


def test_weights_without_a_unit_are_added_up_exactly_in_every_engine(frames_of, few_cells):
    order = RNG.permutation(N)
    frame = frames_of(
        s=SCORES[order], y=LABELS[order], **{k: w[order] for k, w in WITHOUT_UNIT.items()}
    )
    for kind, weights in WITHOUT_UNIT.items():
        options = {"objective": "quadratic_kappa"} if kind == "uniform" else {}
        result = frames.optimal_thresholds(frame, "s", "y", weight=kind, **options)
        expected = ordcut.optimal_thresholds(SCORES, LABELS, sample_weight=weights, **options)
        assert_finds(result, expected)
        assert result.proof.sums == "exact"


@pytest.mark.parametrize("kind", ["tiny and huge", "few"])
@pytest.mark.parametrize(
    "options",
    [
        {"objective": "macro_f1"},
        {"objective": "zero_one", "class_weight": "balanced"},
        {"constraints": ["under 2 <= 0.1"]},
        {"constraints": ["recall 2 >= 0.5"]},
        {"constraints": ["share 4 <= 0.2", "digits 1"]},
    ],
    ids=str,
)
def test_goals_and_limits_of_weights_without_a_unit_are_those_of_arrays(kind, options):
    weights, order = WITHOUT_UNIT[kind], RNG.permutation(N)
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"s": SCORES[order], "y": LABELS[order], "w": weights[order]}).lazy()
    result = find(frame, **options)
    expected = ordcut.optimal_thresholds(SCORES, LABELS, sample_weight=weights, **options)
    assert_finds(result, expected)
    assert result.proof.sums == "exact"
    reached = [outcome.reached for outcome in result.constraints]
    assert reached == [outcome.reached for outcome in expected.constraints]


def test_equal_rows_that_are_fetched_together_keep_their_exact_weight(quick_frames_of):
    weights, order = WITHOUT_UNIT["tiny and huge"], RNG.permutation(N)
    scores = np.round(SCORES, 1)
    frame = quick_frames_of(s=scores[order], y=LABELS[order], w=weights[order])
    options = {"constraints": ["recall 2 >= 0.5"]}  # which needs all rows
    result = find(frame, max_rows=len(np.unique(scores)) * 5, **options)
    assert_finds(
        result, ordcut.optimal_thresholds(scores, LABELS, sample_weight=weights, **options)
    )


def test_weights_too_far_apart_are_added_up_by_the_engine_and_the_certificate_says_so():
    polars = pytest.importorskip("polars")
    weights = np.append(2.0 ** RNG.uniform(-900, 0, N - 1), 1.0)
    frame = polars.DataFrame({"s": SCORES, "y": LABELS, "w": weights})
    result = find(frame)
    assert result.certificate.endswith("as the engine adds them up")
    expected = ordcut.optimal_thresholds(SCORES, LABELS, sample_weight=weights)
    assert result.value == pytest.approx(expected.value, rel=1e-12)


def test_a_tie_of_fractional_weights_is_a_tie_in_every_engine(frames_of):
    """30 000 times 0.1 against 10 000 times 0.3."""
    labels = np.repeat([0, 1], [30_000, 10_000])
    weights = np.where(labels == 0, 0.1, 0.3)
    order = RNG.permutation(len(labels))
    labels, weights, scores = labels[order], weights[order], np.zeros(len(labels))
    result, _ = assert_as_arrays(frames_of(s=scores, y=labels, w=weights), scores, labels, weights)
    assert result.thresholds.tolist() == [-np.inf]


@pytest.mark.parametrize("late", [1 / 3, 0.1 * 3, 2.0**-40, 3e9 + 0.1])
def test_weights_that_a_sample_does_not_show_change_the_unit(quick_frames_of, late):
    n = 2 * N_SAMPLED
    labels = np.arange(n) % 3
    scores = labels + np.random.default_rng(2).normal(size=n)
    weights = np.append(np.full(n - 1, 0.1), late)
    assert_as_arrays(quick_frames_of(s=scores, y=labels, w=weights), scores, labels, weights)


def test_limits_are_in_the_unit_of_the_weights(quick_frames_of):
    weights, _ = UNITS["tenths"]
    frame = quick_frames_of(s=SCORES, y=LABELS, w=weights)
    top = LABELS.max()
    limit = round(0.1 * weights.sum())
    for constraints in ([f"count {top} <= {limit}"], [f"count {top} <= {limit}", "digits 1"]):
        result, expected = assert_as_arrays(frame, SCORES, LABELS, weights, constraints=constraints)
        reached = [outcome.reached for outcome in result.constraints]
        assert reached == [outcome.reached for outcome in expected.constraints]


def test_plots_show_weights_in_their_own_unit(quick_frames_of):
    plots = pytest.importorskip("ordcut.plots")
    weights, _ = UNITS["tenths"]
    display = plots.ThresholdDisplay.from_frame(
        quick_frames_of(s=SCORES, y=LABELS, w=weights), score="s", label="y", weight="w"
    )
    totals = [weights[label == LABELS].sum() for label in np.unique(LABELS)]
    assert display.below[-1].tolist() == pytest.approx(totals)


@pytest.mark.parametrize("large", [1e305, 1e-305])
def test_sums_of_weights_that_only_arrays_add_up_exactly_are_refused(quick_frames_of, large):
    weights = [large, large / 10, large / 10]
    with pytest.raises(ValueError, match="weight must have a sum between 6e-61 and 2e\\+60"):
        find(quick_frames_of(s=[1.0, 2.0, 3.0], y=[0, 1, 0], w=weights))


def test_an_unknown_type_of_weights_is_an_error():
    rows = pd.DataFrame({"s": [1.0, 2.0], "y": [0, 1]})
    with pytest.raises(ValueError, match="weight_type must be"):
        frames.optimal_thresholds(rows, score="s", label="y", weight_type="frequency")
