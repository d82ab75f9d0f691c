"""``ordcut update`` and ``ordcut diff``."""

import json

import numpy as np
import pytest

import ordcut as library
from tests.cli.cli_rows import CLASSES, make_rows, write_csv


@pytest.fixture
def cuts(ordcut, tmp_path, csv_file):
    path = tmp_path / "cuts.json"
    fitted = ["fit", csv_file, "--score", "score", "--label", "label", "--classes"]
    assert ordcut(*fitted, ",".join(CLASSES), "-o", path, "-q").code == 0
    return path


@pytest.fixture
def june(tmp_path):
    scores, labels = make_rows(400, seed=1)
    return write_csv(tmp_path / "june.csv", (scores + 0.8).round(3), labels)


def test_update_says_what_the_library_says_and_writes_new_thresholds(
    ordcut, tmp_path, cuts, csv_file, june
):
    scores, labels = make_rows(400, seed=1)
    saved = library.Thresholds.from_json(cuts)
    update = library.update(saved, (scores + 0.8).round(3), labels, max_changed=0.2)
    new = tmp_path / "new.json"
    done = ordcut("update", june, "-t", cuts, "--max-changed", "0.2", "-o", new)
    assert (done.code, done.out) == (5, f"{update.card()}\n")
    assert "Wrote" in done.err
    written = library.Thresholds.from_json(new)
    assert written.thresholds.tolist() == update.new.thresholds.tolist()
    assert written.record.held_out == update.values[1]
    done = ordcut("update", june, "-t", cuts, "--max-changed", "0.2", "--json")
    assert json.loads(done.out) == json.loads(json.dumps(update.as_dict()))
    # The new file can be used like the old one, but not on the same rows.
    done = ordcut("update", csv_file, "-t", new, "--smoothing", "0", "-q")
    assert (done.code, done.out) == (5, "")
    done = ordcut("update", june, "-t", new)
    assert (done.code, "other rows than the thresholds were found on" in done.err) == (2, True)


def test_months_are_merged_as_files_or_as_counts(ordcut, tmp_path, cuts, csv_file, june):
    done = ordcut("update", csv_file, june, "-t", cuts, "--json")
    together = json.loads(done.out)
    assert together["rows"] == 700
    lines = [
        line.split(",")[1:]
        for path in (csv_file, june)
        for line in path.read_text(encoding="utf-8").splitlines()[1:]
    ]
    pairs, counts = np.unique(lines, axis=0, return_counts=True)
    rows = [f"{score},{label},{n}" for (score, label), n in zip(pairs, counts, strict=True)]
    counted = tmp_path / "counts.csv"
    counted.write_text("\n".join(["score,label,n", *rows]), encoding="utf-8")
    done = ordcut("update", counted, "-t", cuts, "--weight", "n", "--json")
    content = json.loads(done.out)
    for name in ("outcome", "gain", "interval", "changed", "thresholds"):
        assert content[name] == together[name]


def test_diff_compares_two_files_with_and_without_rows(ordcut, tmp_path, cuts, june):
    new = tmp_path / "new.json"
    ordcut("update", june, "-t", cuts, "-o", new, "-q")
    old, moved = (library.Thresholds.from_json(path) for path in (cuts, new))
    done = ordcut("diff", cuts, new)
    assert (done.code, done.out) == (0, f"{library.diff(old, moved)}\n")
    picture = tmp_path / "both.png"
    done = ordcut("diff", new, cuts, june, "--json", "--plot", picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
    scores, labels = make_rows(400, seed=1)
    diff = library.diff(moved, old, (scores + 0.8).round(3), labels)
    assert json.loads(done.out) == json.loads(json.dumps(diff.as_dict()))
    assert (done.code, diff.fitted) == (3, "old")


def test_scores_on_another_scale_get_a_warning(ordcut, tmp_path, cuts):
    scores, labels = make_rows(400, seed=1)
    percent = write_csv(tmp_path / "percent.csv", 100 * scores, labels)
    for command in (("update",), ("diff", cuts), ("evaluate",), ("evaluate", "--intervals")):
        name, *options = command
        thresholds = [cuts, percent] if name == "diff" else [percent, "-t", cuts]
        done = ordcut(name, *options, *thresholds)
        assert done.err.count("Warning: scores must be on the scale") == 1, done.err


def test_update_and_diff_say_what_to_do(ordcut, tmp_path, csv_file, cuts, thresholds_file):
    tries = {
        ("update", csv_file, "-t", thresholds_file): "--score must be given",
        ("update", csv_file, "-t", cuts, "--label", "lable"): 'Did you mean "label"?',
        ("update", csv_file, "-t", cuts, "--max-changed", "2"): "--max-changed must be a number",
        ("update", csv_file, "-t", cuts, "--cost-per-change", "-1"): "--cost-per-change must be",
        ("update", csv_file, "-t", cuts, "--tolerance", "-1"): "--tolerance must be a number",
        ("update", csv_file, "-t", cuts, "-o", cuts): "--force",
        ("update", csv_file, "-t", cuts, "-o", "-", "--json"): "Leave one out",
        ("update", csv_file, "-t", tmp_path / "no.json"): "ordcut fit -o",
        ("diff", cuts, tmp_path / "no.json"): "NEW must be a file that can be read",
        ("diff", csv_file, cuts): "OLD must be a file that ordcut fit wrote",
        ("diff", cuts, cuts, "--plot", tmp_path / "a.png"): "--plot draws the scores of FILES",
        ("diff", "-", "-"): "must not share standard input",
        ("diff", cuts, cuts, tmp_path / "no.csv"): "no.csv",
    }
    for arguments, message in tries.items():
        done = ordcut(*arguments)
        assert (done.code, message in done.err) == (2, True), done.err
    other = tmp_path / "other.json"
    other.write_text(library.Thresholds.from_values([0.5], [0, 1]).to_json(), encoding="utf-8")
    done = ordcut("diff", cuts, other)
    assert (done.code, "must have the same classes" in done.err) == (2, True)


def test_the_help_has_an_example(ordcut):
    for command in ("update", "diff"):
        assert f"ordcut {command} " in ordcut(command, "--help").out.partition("Example")[2]
