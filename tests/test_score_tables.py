"""Tables of counts: saved, merged, and on a grid."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordcut

RNG = np.random.default_rng(0)
LABELS = np.array(["low", "mid", "high"])[RNG.integers(0, 3, 300)]
SCORES = RNG.normal(size=300).round(2)
CLASSES = ["low", "mid", "high"]


def solved(table, objective):
    return table.solve(objective, constraints=["recall high >= 0.5"])


@pytest.mark.parametrize("objective", ["absolute", "kappa", "macro_f1"])
def test_merged_and_saved_tables_are_the_whole_table(objective, tmp_path):
    whole = ordcut.ScoreTable(SCORES, LABELS, classes=CLASSES)
    parts = [
        ordcut.ScoreTable(SCORES[part], LABELS[part], classes=CLASSES)
        for part in (slice(100), slice(100, 150), slice(150, 300))
    ]
    for i, part in enumerate(parts):
        part.to_json(tmp_path / f"{i}.json")
    parts = [ordcut.ScoreTable.from_json(tmp_path / f"{i}.json") for i in range(3)]
    merged = ordcut.ScoreTable.merged(parts)
    assert repr(merged) == repr(whole)
    np.testing.assert_array_equal(merged.totals, whole.totals)
    np.testing.assert_array_equal(merged.candidates, whole.candidates)
    expected, result = solved(whole, objective), solved(merged, objective)
    assert (result.thresholds.tolist(), result.value) == (
        expected.thresholds.tolist(),
        expected.value,
    )
    assert result.record.digest == expected.record.digest


@given(
    st.lists(
        st.tuples(st.integers(-40, 40), st.sampled_from([0, 1e-9, 0.004, -1e-9]), st.booleans()),
        min_size=2,
        max_size=12,
    ),
    st.sampled_from([0, 1, 2]),
)
def test_thresholds_on_a_grid_are_exact_for_scores_rounded_down(rows, digits):
    scores = np.array([step / 100 + noise for step, noise, _ in rows])
    labels = np.array([label for *_, label in rows])
    table = ordcut.ScoreTable(scores, labels, classes=[False, True])
    limit = [f"digits {digits}"]
    small, exact = table.on_grid(digits).solve(constraints=limit), table.solve(constraints=limit)
    assert small.value == exact.value
    assert small.codes(scores).tolist() == exact.codes(scores).tolist()


def test_float32_scores_stay_as_they_are():
    table = ordcut.ScoreTable(SCORES.astype(np.float32), LABELS, classes=CLASSES)
    again = ordcut.ScoreTable.from_json(table.to_json())
    assert again.scores.tolist() == table.scores.tolist()
    np.testing.assert_array_equal(again.candidates, table.candidates)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "got other text"),
        ("[1]", "got other text"),
        ("may.json", "as a pathlib.Path"),
        (
            ordcut.ScoreTable([1, 2], [0, 1]).to_json().replace("[1, 0]", "[1.5, 0]"),
            "a whole number for each class and score",
        ),
        (ordcut.ScoreTable([1, 2], [0, 1]).to_json().replace("float64", "U3"), "got other text"),
        (ordcut.ScoreTable([1, 2], [0, 1]).to_json().replace("[1, 0]", "[-1, 0]"), "negative"),
    ],
)
def test_other_text_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        ordcut.ScoreTable.from_json(text)


def test_what_counts_do_not_hold_is_refused():
    table = ordcut.ScoreTable([1, 2], [0, 1])
    weighted = ordcut.ScoreTable([1, 2], [0, 1], sample_weight=[0.5, 0.7])
    soft = ordcut.ScoreTable([1, 2], [[1, 2], [2, 1]])
    for use in (weighted.to_json, soft.to_json, lambda: ordcut.ScoreTable.merged([table, soft])):
        with pytest.raises(ValueError, match="Keep the rows themselves"):
            use()
    with pytest.raises(ValueError, match="tables must have the same classes"):
        ordcut.ScoreTable.merged([table, ordcut.ScoreTable([1, 2], [0, 2])])
    with pytest.raises(ValueError, match="at least one ScoreTable"):
        ordcut.ScoreTable.merged([])
    with pytest.raises(ValueError, match="digits must be a whole number"):
        table.on_grid(-1)
