"""The gate of single labels on the command line, which is that of the library."""

import json

import pytest

import ordcut as library
from tests.test_gate import month


@pytest.mark.parametrize(
    ("target", "outcome", "code"), [(0.6, "passed", 0), (0.97, "missed", 3), (0.84, "undecided", 4)]
)
def test_the_gate_of_single_labels_is_that_of_the_command(ordcut, tmp_path, target, outcome, code):
    (scores, labels), (then, before) = month(5), month(6)
    fitted = library.optimal_thresholds(then, before, objective="quadratic_kappa")
    gate = library.gate(fitted, scores, labels, target=target, against={"may": (then, before)})
    assert (gate.outcome, gate.exit_code) == (outcome, code)
    for name, rows in {"may.csv": (then, before), "june.csv": (scores, labels)}.items():
        lines = [f"{score},{label}\n" for score, label in zip(*rows, strict=True)]
        (tmp_path / name).write_text("s,y\n" + "".join(lines))
    cuts, may = tmp_path / "cuts.json", tmp_path / "may.csv"
    done = ordcut(
        "fit", may, "--score", "s", "--label", "y", "--objective", "quadratic_kappa", "-o", cuts
    )
    assert done.code == 0, done.err
    done = ordcut(
        "evaluate",
        tmp_path / "june.csv",
        "-t",
        cuts,
        "--target",
        target,
        "--against",
        may,
        "--json",
    )
    content = json.loads(done.out)
    expected = json.loads(json.dumps(gate.as_dict()))
    assert content["gate"].pop("against")[str(may)] == expected.pop("against")["may"]
    assert content["gate"] == expected
    assert done.code == code
    assert content["gate"]["value"] == content["values"]["these thresholds"]["quadratic_kappa"]
    words = str(gate)
    assert "people" not in words
    assert "raters" not in words
    assert str(library.gate(fitted, scores, labels, target=target)) in words
