"""``ordcut show``."""

import json

from tests.cli.cli_rows import CLASSES


def test_show_prints_the_card_of_a_file(ordcut, thresholds_file):
    done = ordcut("show", thresholds_file)
    assert done.code == 0
    assert done.out.startswith("class")
    assert "ordcut" in done.out


def test_show_reads_what_fit_writes(ordcut, csv_file, tmp_path):
    path = tmp_path / "cuts.json"
    fitted = ["fit", csv_file, "--score", "score", "--label", "label"]
    classes = ["--classes", ",".join(CLASSES), "--no-time", "-q"]
    assert ordcut(*fitted, *classes, "-o", path).code == 0
    record = json.loads(path.read_text(encoding="utf-8"))["record"]
    assert len(record["digest"]) == 32
    assert "time" not in record
    assert record["digest"] in ordcut("show", path).out
    assert json.loads(ordcut("show", path, "--json").out)["record"]["rows"] == record["rows"]


def test_show_writes_html(ordcut, thresholds_file, tmp_path):
    page = tmp_path / "card.html"
    assert ordcut("show", thresholds_file, "-o", page).code == 0
    assert "<table>" in page.read_text(encoding="utf-8")


def test_show_prints_the_schema(ordcut, thresholds_file):
    schema = json.loads(ordcut("show", "--schema").out)
    assert schema["properties"]["version"] == {"const": 3}
    done = ordcut("show", thresholds_file, "--schema")
    assert (done.code, "Pass it alone" in done.err) == (2, True)


def test_show_says_what_to_do_about_other_files(ordcut, csv_file, tmp_path):
    done = ordcut("show", tmp_path / "none.json")
    assert done.code == 2
    assert "Write one with: ordcut fit -o" in done.err
    done = ordcut("show")
    assert (done.code, "FILE must be given" in done.err) == (2, True)
    done = ordcut("show", csv_file)
    assert done.code == 2
    assert "FILE must be a file that ordcut fit wrote" in done.err


def test_show_refuses_another_version(ordcut, thresholds_file):
    text = thresholds_file.read_text(encoding="utf-8")
    thresholds_file.write_text(text.replace('"version": 3', '"version": 1'), encoding="utf-8")
    done = ordcut("show", thresholds_file)
    assert done.code == 2
    assert "version must be 3, got 1" in done.err
