"""Numbers that float64 does not hold stay what they are, or are refused; none becomes another."""

from decimal import Decimal

import narwhals as nw
import numpy as np
import pyarrow as pa
import pytest

import ordcut
from ordcut import frames
from tests.frames.frame_rows import assert_same

N = 240
RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 3, N)
SCORES = CODES + RNG.normal(scale=0.8, size=N)
IS_NULL = np.arange(N) % 7 == 0

#: Nanoseconds, of which float64 holds one in 128.
NANOSECONDS = 1_700_000_000 * 10**9 + np.round(SCORES * 1000).astype(np.int64)

#: Nanoseconds of whole seconds, all of which float64 holds.
SECONDS = (1_700_000_000 + np.round(SCORES * 1000).astype(np.int64)) * 10**9


def find(frame, **options):
    return frames.optimal_thresholds(frame, **{"score": "s", "label": "y", **options})


def test_integer_scores_that_lose_digits_are_refused(frames_of):
    frame = frames_of(s=NANOSECONDS, y=CODES)
    lost = np.sum(NANOSECONDS.astype(np.float64).astype(np.int64) != NANOSECONDS)
    if frames_of.engine == "dask":  # which may have rounded all of them
        lost = N
    message = rf"up to 2\*\*53, got {lost} rows with others in 's'. Subtract a common offset"
    with pytest.raises(ValueError, match=message):
        find(frame)
    thresholds = ordcut.Thresholds.from_values([1.0, 2.0], [0, 1, 2])
    with pytest.raises(ValueError, match=message):
        frames.evaluate(frame, thresholds, score="s", label="y", objective="absolute")


def test_large_integer_scores_that_are_exact_give_the_same_as_arrays(frames_of):
    frame = frames_of(s=SECONDS, y=CODES)
    if frames_of.engine == "dask":  # which may have rounded them
        with pytest.raises(ValueError, match=f"got {N} rows with others in 's'"):
            find(frame)
        return
    result = find(frame)
    assert_same(result, ordcut.optimal_thresholds(SECONDS, CODES))
    assert result.passes == 2


def test_integer_scores_with_nulls_are_scores(frames_of):
    whole = np.round(SCORES * 1000).astype(np.int64)
    frame = frames_of(s=pa.array(whole, mask=IS_NULL), y=CODES)
    if frames_of.engine == "pandas":
        frame["s"] = frame["s"].astype("Int64")
    result = find(frame, nulls="drop")
    assert_same(result, ordcut.optimal_thresholds(whole[~IS_NULL], CODES[~IS_NULL]))
    assert result.dropped == IS_NULL.sum()


def test_an_offset_makes_large_scores_exact(local_frames_of):
    offset = NANOSECONDS - NANOSECONDS.min()
    assert_same(find(local_frames_of(s=offset, y=CODES)), ordcut.optimal_thresholds(offset, CODES))


@pytest.mark.parametrize("numbers", [NANOSECONDS.tolist(), [*range(1, N), 2**53 + 1]])
@pytest.mark.parametrize("kind", ["unsigned integers", "decimals"])
def test_other_large_whole_scores_are_refused(local_frames_of, kind, numbers):
    column = pa.array(numbers, pa.uint64())
    if kind == "decimals":
        column = pa.array([Decimal(number) for number in numbers], pa.decimal128(38, 0))
    message = r"(exact|differ) in float64, .* Subtract a common offset"
    if kind == "decimals" and local_frames_of.engine == "pandas":  # where they are objects
        message = "score must name a column of numbers, got 's' of type Object"
    with pytest.raises((ValueError, TypeError), match=message):
        find(local_frames_of(s=column, y=CODES))


def test_the_ends_of_64_bits_are_refused_and_not_a_failure_of_a_cast(local_frames_of):
    ends = np.array([-(2**63), 2**63 - 1, 0, 1])
    with pytest.raises(ValueError, match=r"got 1 rows with others in 's'"):
        find(local_frames_of(s=ends, y=[0, 1, 0, 1]))


def test_large_integers_are_labelled_without_rounding(frames_of):
    at = 2**60
    scores = at + np.arange(-4, 5)
    thresholds = ordcut.Thresholds.from_values([float(at), 1e300], ["low", "high", "never"])
    labelled = frames.predict(frames_of(s=scores), thresholds, score="s")
    rows = nw.from_native(labelled).lazy().collect().sort("s")
    assert rows["label"].to_list() == ["low"] * 4 + ["high"] * 5


def decimal_column(numbers, scale, is_null=None):
    values = [Decimal(str(number)) for number in numbers]
    if is_null is not None:
        values = [None if gone else value for value, gone in zip(values, is_null, strict=True)]
    return pa.array(values, pa.decimal128(18, scale))


@pytest.mark.parametrize("scale", [0, 2])
def test_decimal_labels_are_the_numbers_that_they_are(frames_of, scale):
    labels = CODES if scale == 0 else 0.1 + CODES / 4
    frame = frames_of(s=SCORES, y=decimal_column(labels, scale))
    result = find(frame, objective="squared")
    assert_same(result, ordcut.optimal_thresholds(SCORES, labels, objective="squared"))
    assert result.classes.dtype.kind == ("i" if scale == 0 else "f")
    assert frames.evaluate(frame, result, score="s", label="y").value == result.value


def test_decimal_labels_with_nulls_are_dropped_if_asked(frames_of):
    result = find(frames_of(s=SCORES, y=decimal_column(CODES, 1, IS_NULL)), nulls="drop")
    assert_same(result, ordcut.optimal_thresholds(SCORES[~IS_NULL], CODES[~IS_NULL]))
    assert result.dropped == IS_NULL.sum()


def test_objects_of_pandas_that_are_decimals_are_labels():
    import pandas as pd

    labels = [Decimal(int(code)) / 2 for code in CODES]
    frame = pd.DataFrame({"s": SCORES, "y": labels})
    assert_same(find(frame), ordcut.optimal_thresholds(SCORES, CODES / 2))
    assert_same(ordcut.optimal_thresholds(SCORES, labels), find(frame))


def test_decimals_that_are_one_in_float64_are_refused():
    labels = [Decimal(2**53) + code for code in [Decimal("0.1"), Decimal("0.2"), Decimal("0.3")]]
    table = pa.table({"s": [1.0, 2.0, 3.0], "y": labels})
    with pytest.raises(ValueError, match="labels must differ in float64"):
        find(table)


@pytest.mark.parametrize("bits", [8, 64])
def test_integer_labels_with_nulls_stay_integers(frames_of, bits):
    column = pa.array(CODES, getattr(pa, f"int{bits}")(), mask=IS_NULL)
    frame = frames_of(s=SCORES, y=column)
    if frames_of.engine == "pandas":
        frame["y"] = frame["y"].astype(f"Int{bits}")
    result = find(frame, nulls="drop")
    assert_same(result, ordcut.optimal_thresholds(SCORES[~IS_NULL], CODES[~IS_NULL]))
    assert result.classes.dtype.kind == "i"
    judged = frames.evaluate(frame, result, score="s", label="y", nulls="drop")
    assert judged.value == result.value


def test_large_integer_labels_with_nulls_do_not_merge(frames_of):
    column = pa.array(2**53 + CODES, pa.int64(), mask=IS_NULL)
    frame = frames_of(s=SCORES, y=column)
    if frames_of.engine == "dask":  # which has read them as floats
        with pytest.raises(ValueError, match="Read the column as nullable integers"):
            find(frame, nulls="drop")
        return
    if frames_of.engine == "pandas":  # whose floats have merged them before
        import pandas as pd

        frame["y"] = pd.array(column.to_pylist(), dtype="Int64")
    result = find(frame, nulls="drop")
    assert result.classes.tolist() == [2**53, 2**53 + 1, 2**53 + 2]
    expected = ordcut.optimal_thresholds(SCORES[~IS_NULL], CODES[~IS_NULL])
    assert result.thresholds.tolist() == expected.thresholds.tolist()


@pytest.mark.parametrize("backend", ["numpy_nullable", "pyarrow"])
def test_nullable_integers_of_pandas_do_not_merge(backend):
    import pandas as pd

    frame = pd.DataFrame({"s": SCORES, "y": pd.array([None] * N, dtype="Int64")})
    frame["y"] = pd.array((2**53 + CODES).tolist(), dtype="Int64")
    frame.loc[IS_NULL, "y"] = pd.NA
    result = find(frame.convert_dtypes(dtype_backend=backend), nulls="drop")
    assert result.classes.tolist() == [2**53, 2**53 + 1, 2**53 + 2]


#: Labels that are scores, and what the error says.
MISTAKES = {
    "continuous": (SCORES, RNG.normal(size=N), "look continuous"),
    "swapped": (CODES, SCORES, "seem to be swapped"),
}


@pytest.mark.parametrize("name", list(MISTAKES))
def test_labels_that_are_scores_get_the_error_of_arrays(frames_of, name):
    scores, labels, message = MISTAKES[name]
    with pytest.raises(ValueError, match=message) as of_arrays:
        ordcut.optimal_thresholds(scores, labels)
    with pytest.raises(ValueError, match=message) as of_frames:
        find(frames_of(s=scores, y=labels))
    assert str(of_frames.value) == str(of_arrays.value)


def test_continuous_labels_of_many_rows_are_refused_before_a_pass(quick_frames_of):
    passes = []
    labels = RNG.normal(size=5000)
    with pytest.raises(ValueError, match="look continuous"):
        find(quick_frames_of(s=labels + 1, y=labels), progress=passes.append)
    assert passes == []


#: Labels that look like scores, and are classes.
CLASSES = {
    "55 ages": (RNG.integers(16, 71, N).astype(np.float64), {}),
    "ratings in half steps": (RNG.integers(0, 50, N) / 2, {}),
    "classes given": (np.round(SCORES, 3), {"classes": np.unique(np.round(SCORES, 3)).tolist()}),
    "few fractions": (CODES / 10, {}),
}


@pytest.mark.parametrize("name", list(CLASSES))
@pytest.mark.filterwarnings("ignore::ordcut.ReversedScoresWarning")
def test_classes_that_are_fractions_or_many_are_no_mistake(quick_frames_of, name):
    labels, options = CLASSES[name]
    result = find(quick_frames_of(s=SCORES, y=labels), **options)
    assert_same(result, ordcut.optimal_thresholds(SCORES, labels, **options))


@pytest.mark.parametrize("scale", [2, 16])
def test_decimal_scores_that_are_one_in_float64_are_refused(frames_of, scale):
    if frames_of.engine == "pandas":
        pytest.skip("decimals are objects there")
    step = Decimal(10) ** -scale
    scores = [7 + step * int(score * 1000) for score in SCORES]
    frame = frames_of(s=pa.array(scores, pa.decimal128(18, scale)), y=CODES)
    if scale == 2:
        assert_same(find(frame), ordcut.optimal_thresholds(scores, CODES))
        return
    with pytest.raises(ValueError, match=r"different decimals in 's' that are .* different floats"):
        find(frame)
    with pytest.raises(ValueError, match="scores must differ in float64"):
        ordcut.optimal_thresholds(scores, CODES)
