"""``ordcut demo``: its tables and its files."""

import re

import pytest

import ordcut as library

OBJECTIVES = ["absolute", "squared", "zero_one", "quadratic_kappa"]


@pytest.fixture
def printed(ordcut, tmp_path):
    """What the demo prints; its files are in the folder of the test."""
    done = ordcut("demo", "--output", tmp_path)
    assert (done.code, done.err) == (0, "")
    return done.out


def values_in(table):
    """The values in a table of the demo by labeling, in the order of the objectives."""
    lines = re.findall(r"^  (\w+) +([\d. *]+)$", table, re.MULTILINE)
    return {name: [float(one.strip("*")) for one in cells.split()] for name, cells in lines}


def test_the_demo_prints_its_tables_and_saves_thresholds_and_a_picture(ordcut, printed, tmp_path):
    for word in ["rounding", "biases", "likelihood", "optimal", "Theorem 2", "Dinkelbach"]:
        assert word in printed
    saved = library.Thresholds.from_json((tmp_path / "thresholds.json").read_text("utf-8"))
    assert saved.objective == "absolute"
    assert "smoothed" not in saved.certificate
    assert (tmp_path / "thresholds.png").read_bytes().startswith(b"\x89PNG")
    again = ordcut("demo", "--output", tmp_path)
    assert again.code == 2  # its files are there
    assert "pass --force" in again.err


def test_optimal_thresholds_are_best_on_the_rows_they_were_found_on(printed):
    learnt, tested = printed.partition("Values on the rows to learn from")[2].split("\n\n")[:2]
    values = values_in(learnt)
    assert set(values) == set(values_in(tested))
    for labeling in ["rounding", "biases", "likelihood"]:
        others, ours = values[labeling], values["optimal"]
        assert len(others) == len(ours) == len(OBJECTIVES)
        assert all(our <= other for our, other in zip(ours[:3], others[:3], strict=True))
        assert ours[3] >= others[3]


def test_only_thresholds_without_smoothing_are_called_optimal_for_the_rows(printed):
    proven, smoothed, *_ = printed.split("Thresholds that are optimal", 1)[1].split("\n\n")
    assert "with the proof" in proven
    assert "Theorem 2" in proven
    assert "smoothed" not in proven
    assert smoothed.startswith("Smoothed thresholds")
    assert smoothed.count("of labels smoothed by") == len(OBJECTIVES)


def test_classes_are_never_predicted_where_thresholds_leave_no_room_for_them(printed):
    assert "no score is below it" in printed
    table = printed.split("Thresholds that are optimal", 1)[1].split("\n\n")[0]
    for objective in OBJECTIVES:
        line, next_line = (table + "\n")[table.index(f"  {objective} ") :].split("\n", 2)[:2]
        cuts = [float(one) for one in line.split()[1:5]]
        edges = [float("-inf"), *cuts, float("inf")]
        empty = [str(k + 1) for k in range(5) if edges[k] == edges[k + 1]]
        assert next_line.partition("never predicted: ")[2] == ", ".join(empty)


def test_the_data_are_those_of_statsmodels():
    import numpy as np
    from statsmodels.datasets import fair

    from ordcut.cli.demo import load_marriages

    halves = load_marriages()
    rows = np.vstack([np.column_stack([half.ratings, half.features]) for half in halves])
    expected = fair.load_pandas().data.to_numpy()
    assert sorted(map(tuple, rows.tolist())) == sorted(map(tuple, expected.tolist()))


def test_the_last_sentence_is_about_rows_that_were_not_seen(printed):
    tested = values_in(printed.partition("Values on the rows to test on")[2].split("\n\n")[0])
    assert f"to {tested['smoothed'][3]:.3f}; the absolute loss" in printed.splitlines()[-3]
    assert "On 3183 rows that they had not seen" in printed


def test_without_matplotlib_there_is_no_plot(ordcut, tmp_path, monkeypatch):
    monkeypatch.setattr("ordcut.cli.demo.find_spec", lambda _: None)
    done = ordcut("demo", "--output", tmp_path)
    assert (done.code, done.err) == (0, "")
    assert "pip install matplotlib" in done.out
    assert [file.name for file in tmp_path.iterdir()] == ["thresholds.json"]
