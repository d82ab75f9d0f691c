"""``ordcut drift``."""

import json

import numpy as np

import ordcut as library
from tests.cli.cli_rows import CLASSES, make_rows, write_csv


def test_drift_compares_files_with_the_record(ordcut, tmp_path, csv_file):
    cuts = tmp_path / "cuts.json"
    fitted = ["fit", csv_file, "--score", "score", "--label", "label", "--classes"]
    assert ordcut(*fitted, ",".join(CLASSES), "-o", cuts, "-q").code == 0
    scores, labels = make_rows(400, seed=1)
    june = write_csv(tmp_path / "june.csv", scores, labels)
    done = ordcut("drift", june, "-t", cuts)
    assert done.code in (0, 4)
    assert "stability index" in done.out
    moved = write_csv(tmp_path / "july.csv", scores + 1.5, labels)
    done = ordcut("drift", moved, "-t", cuts, "--json")
    drift = json.loads(done.out)
    assert (done.code, drift["outcome"], drift["rows"]["new"]) == (5, "shifted", 400)
    saved = library.Thresholds.from_json(cuts.read_text(encoding="utf-8"))
    assert drift == json.loads(json.dumps(saved.drift(np.round(scores + 1.5, 12)).as_dict()))


def test_drift_says_what_to_do(ordcut, tmp_path, csv_file, thresholds_file):
    done = ordcut("drift", csv_file, "-t", thresholds_file)
    assert (done.code, "--score must be given" in done.err) == (2, True)
    done = ordcut("drift", csv_file, "-t", thresholds_file, "--score", "skore")
    assert (done.code, 'Did you mean "score"?' in done.err) == (2, True)
    done = ordcut("drift", csv_file, "-t", thresholds_file, "--score", "score", "--limit", "0")
    assert (done.code, "--limit must be a number above 0" in done.err) == (2, True)
    given = tmp_path / "given.json"
    given.write_text(library.Thresholds.from_values([0.5], [0, 1]).to_json(), encoding="utf-8")
    done = ordcut("drift", csv_file, "-t", given, "--score", "score")
    assert (done.code, "drift needs thresholds with a record" in done.err) == (2, True)
