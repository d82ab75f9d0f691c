"""``ordcut bands``: the bands of the library, from files."""

import json

import numpy as np
import pytest

import ordcut as library


@pytest.fixture
def loans(tmp_path):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=1500).round(2)
    default = rng.random(1500) < 1 / (1 + np.exp(2 - scores))
    years = rng.integers(1, 4, 1500) / 2
    claims = rng.poisson(years * np.exp(scores - 1))
    rows = zip(scores, default, years, claims, strict=True)
    lines = [f"{s},{int(y)},{'no' if y else 'yes'},{e},{c}" for s, y, e, c in rows]
    lines.insert(0, "score,default,paid,years,claims")
    path = tmp_path / "loans.csv"
    path.write_text("\n".join(lines) + "\n")
    return path, scores, default, years, claims


def test_a_file_gives_the_bands_of_arrays(ordcut, loans, tmp_path):
    path, scores, default, *_ = loans
    out, page = tmp_path / "bands.json", tmp_path / "page.html"
    done = ordcut(
        "bands", path, "--score", "score", "--outcome", "default", "--bands", "auto",
        "-o", out, "--report", page, "--plot", tmp_path / "bands.png",
    )  # fmt: skip
    assert done.code == 0, done.err
    expected = library.optimal_bands(scores, default)
    assert library.Bands.from_json(out) == expected
    assert "default by score" in done.out
    assert "The rate rises from band to band." in done.out
    assert "<title>Bands of score</title>" in page.read_text()
    assert (tmp_path / "bands.png").stat().st_size > 0


def test_text_outcomes_need_the_text_that_is_an_event(ordcut, loans):
    path, scores, default, *_ = loans
    command = ["bands", path, "--score", "score", "--outcome", "paid", "--bands", "3", "--json"]
    done = ordcut(*command)
    assert done.code == 2
    assert "--event yes" in done.err
    done = ordcut(*command, "--event", "no", "--constraint", "share >= 0.2", "--names", "A,B,C")
    written = json.loads(done.out)
    expected = library.optimal_bands(
        scores, default, n_bands=3, constraints="share >= 0.2", names=["A", "B", "C"]
    )
    assert written["thresholds"] == expected.thresholds.tolist()
    assert written["table"]["band"] == ["A", "B", "C"]
    assert written["checks"]["rates"] == "rising"


def test_claims_have_an_exposure(ordcut, loans):
    path, scores, _, years, claims = loans
    done = ordcut(
        "bands", path, "--score", "score", "--outcome", "claims", "--exposure", "years",
        "--bands", "3", "-o", "-",
    )  # fmt: skip
    expected = library.optimal_bands(scores, claims, exposure=years, n_bands=3)
    assert library.Thresholds.from_json(done.out).thresholds.tolist() == pytest.approx(
        expected.thresholds.tolist()
    )


def test_bands_label_rows_and_are_tested_for_drift_as_any_thresholds(ordcut, loans, tmp_path):
    path, out = loans[0], tmp_path / "bands.json"
    ordcut("bands", path, "--score", "score", "--outcome", "default", "--bands", "3", "-o", out)
    labelled = ordcut("predict", path, "-t", out, "-o", "-")
    bands = library.Bands.from_json(out)
    predicted = [int(line.rsplit(",", 1)[1]) for line in labelled.out.splitlines()[1:]]
    assert predicted == bands.predict(loans[1]).tolist()
    assert ordcut("drift", path, "-t", out).code == 0
    assert "events" in ordcut("show", out).out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--outcome", "default", "--bands", "1"], "from 2 on, or auto"),
        (["--outcome", "default", "--constraint", "share >= 0.6"], "cannot hold"),
        (["--outcome", "default", "--constraint", "recall 1 >= 0.6"], "no true classes"),
        (["--outcome", "missing"], "missing"),
        (["--outcome", "default", "--plot", "x.bmp"], "--plot must end"),
        (["--outcome", "default", "--max-rows", "50"], "Choose thresholds from fewer values"),
    ],
)
def test_mistakes_are_explained(ordcut, loans, options, message):
    done = ordcut("bands", loans[0], "--score", "score", *options)
    assert done.code == 2
    assert message in done.err
