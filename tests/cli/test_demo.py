"""``ordcut demo``: its comparison, its files, and the next steps that it names."""

import re
import shlex

import pytest
from click.testing import CliRunner
from sklearn.metrics import cohen_kappa_score

import ordcut as library
from ordcut.cli.demo import demo

GROUPS = ["young", "adult", "mature", "old"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of the demo's files."""
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def printed(folder):
    """The demo's output on the terminal."""
    done = CliRunner().invoke(demo, ["--output", str(folder)])
    assert (done.exit_code, done.stderr) == (0, "")
    return done.stdout


def row_of(printed, name):
    """The values of rounding, of ordcut and with the limit in a row of the table."""
    [cells] = re.findall(rf"^  {name} +(.+)$", printed, re.MULTILINE)
    return [float(cell.strip("%")) for cell in cells.split()]


def test_on_rows_not_seen_the_gain_is_visible_and_the_limit_holds(printed):
    rounded, free, limited = row_of(printed, "quadratic kappa")
    assert free > rounded + 0.03
    assert free > limited
    assert f"kappa is {free - rounded:.3f} higher" in printed
    assert f"lowers it by {free - limited:.3f}" in printed
    assert row_of(printed, "old animals labelled old")[2] >= 75


def test_a_newcomer_reads_no_internal_word(printed):
    for word in ("inf", "Dinkelbach", "Theorem", "nested", "dp"):
        assert not re.search(rf"\b{word}\b", printed)
    assert len(printed.splitlines()) < 32


def test_the_rows_and_the_thresholds_in_the_files_are_as_good_as_printed(printed, folder):
    saved = library.Thresholds.from_json((folder / "thresholds.json").read_text("utf-8"))
    _, *lines = (folder / "abalones.csv").read_text("utf-8").splitlines()
    scores, ages = zip(*(line.split(",") for line in lines), strict=True)
    truth = [GROUPS.index(age) for age in ages]
    halves = [8 - 0.5, 11 - 0.5, 15 - 0.5]
    for cuts, column in ((halves, 0), (saved.thresholds, 2)):
        predicted = [sum(float(score) >= cut for cut in cuts) for score in scores]
        kappa = cohen_kappa_score(truth, predicted, weights="quadratic")
        assert row_of(printed, "quadratic kappa")[column] == pytest.approx(kappa, abs=0.002)
    assert saved.constraints[0].reached >= 0.75


def test_the_next_steps_run_as_they_are_printed(ordcut, printed, folder):
    commands = re.findall(r"^  ordcut (.*)$", printed.replace("\\\n", " "), re.MULTILINE)
    assert [command.split()[0] for command in commands] == ["predict", "fit"]
    for command in commands:
        assert ordcut(*shlex.split(command)).code == 0
    assert "suggested" in (folder / "labelled.csv").read_text("utf-8").splitlines()[0]


def test_it_ends_with_the_address_of_the_page(printed, folder):
    assert printed.splitlines()[-1].strip() == (folder / "page.html").resolve().as_uri()
    assert "<title>Ages of abalones</title>" in (folder / "page.html").read_text("utf-8")
    assert (folder / "thresholds.png").read_bytes().startswith(b"\x89PNG")


def test_files_of_an_earlier_demo_are_kept_without_force(ordcut, printed, folder):
    again = ordcut("demo", "--output", folder)
    assert again.code == 2
    assert "pass --force" in again.err
    assert ordcut("demo", "--output", folder, "--force").code == 0


def test_the_data_are_those_of_scikit_lego():
    import gzip

    datasets = pytest.importorskip("sklego.datasets")

    from ordcut.cli.demo import DATA

    abalones = datasets.load_abalone(as_frame=True).drop(columns="sex")
    with gzip.open(DATA, "rt", encoding="utf-8") as shipped:
        assert shipped.read() == abalones.to_csv(index=False, lineterminator="\n")


def test_without_matplotlib_there_is_no_picture(ordcut, tmp_path, monkeypatch):
    monkeypatch.setattr("ordcut.cli.demo.find_spec", lambda _: None)
    done = ordcut("demo", "--output", tmp_path)
    assert (done.code, done.err) == (0, "")
    assert "pip install matplotlib" in done.out
    names = {file.name for file in tmp_path.iterdir()}
    assert names == {"thresholds.json", "abalones.csv", "page.html"}
