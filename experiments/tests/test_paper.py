"""``python -m experiments paper``: all data sets, both networks, one table; killed and resumed."""

import csv
import os
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from experiments.files import read_rows
from experiments.layouts import find_datasets
from experiments.paper import paper_runs, resume_paper, start_paper
from experiments.published import PUBLISHED
from experiments.settings import read_run
from experiments.stages import PAPER_METHODS
from experiments.table import ALGORITHMS, Times, as_latex, as_rows, describe, read_times
from experiments.tests.faces import PATHS, make_folder, write_jpeg
from experiments.tests.tiny import TINY


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A folder with the downloads of two data sets, one of them nested."""
    root = tmp_path_factory.mktemp("faces")
    make_folder(root / "afad" / "tarball-master", "afad")
    for age in range(16, 71):
        for number in range(2):
            name = PATHS["morph2"](age, number).replace(".jpg", ".JPG")
            write_jpeg(root / "MORPH" / "Album2" / name, grey=2 * age)
    (root / "MORPH" / "readme.txt").touch()
    return root


def small_runs(root):
    """The paper's runs, with the smallest network and pictures, and few of both."""
    runs = paper_runs(root, quick=True, device="cpu", epochs=2, workers=0, image_size=16)
    return {
        f"{settings.dataset}-resnet10": replace(settings, network="resnet10", sample=70)
        for name, settings in runs.items()
        if name.endswith("18")
    }


@pytest.fixture(scope="module")
def paper(root, tmp_path_factory):
    out = tmp_path_factory.mktemp("paper") / "out"
    return out, start_paper(small_runs(root), out)


def test_data_sets_are_found_wherever_they_are(root, tmp_path):
    folders = {"morph2": root / "MORPH/Album2", "afad": root / "afad/tarball-master/AFAD-Full"}
    assert find_datasets(root) == folders
    assert find_datasets(root / "MORPH" / "Album2") == {"morph2": folders["morph2"]}
    runs = paper_runs(root)
    assert list(runs) == [
        f"{name}-{network}" for name in folders for network in ("resnet18", "resnet34")
    ]
    for settings in runs.values():
        assert (settings.epochs, settings.image_size, settings.sample) == (100, 128, 0)
        assert (settings.objective, settings.time_also) == ("absolute", PAPER_METHODS)
    with pytest.raises(ValueError, match="--root must contain pictures of the data sets"):
        paper_runs(tmp_path)
    with pytest.raises(ValueError, match="--root must be the folder of the pictures, got none"):
        paper_runs(None)


def test_aligned_pictures_are_preferred_and_other_copies_refused(root, tmp_path):
    for folder in ("Album2", "morph2-aligned"):
        write_jpeg(tmp_path / folder / PATHS["morph2"](20, 1))
    assert find_datasets(tmp_path) == {"morph2": tmp_path / "morph2-aligned"}
    for folder in ("a", "b"):
        write_jpeg(tmp_path / folder / PATHS["cacd"](20, 1))
    with pytest.raises(ValueError, match="There must be one folder of CACD, got"):
        find_datasets(tmp_path)


def test_one_table_has_the_rows_and_the_minutes_of_the_paper(paper):
    out, text = paper
    (morph2, afad) = read_times([out])
    assert (morph2.settings.dataset, afad.settings.dataset) == ("morph2", "afad")
    assert morph2.missing() == afad.missing() == []
    with (out / "table1.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert {row["data set"] for row in rows} == {"morph2", "afad"}
    dp = PUBLISHED["afad"].thresholds["dp"]
    (row,) = [
        row
        for row in rows
        if (row["data set"], row["of"], row["published"]) == ("afad", "DP", str(dp))
    ]
    assert int(row["measurements"]) == 10
    assert float(row["lower quartile"]) <= float(row["value"]) <= float(row["upper quartile"])
    seconds = afad.seconds["thresholds", "literal"]
    assert float(row["value"]) == pytest.approx(np.median(seconds) * 100 / 60)
    assert "Algorithm 4, L_par = 4" in text
    assert "35.43" in text
    for ending in ("md", "tex"):
        assert "35.43" in (out / f"table1.{ending}").read_text()
    assert "Made with ordcut " in (out / "table1.md").read_text()
    assert as_latex([afad]).count(r"\midrule") > 5


def test_a_ratio_divides_totals_and_without_line_p1_both_are_without(paper):
    (_, afad) = read_times([paper[0]])
    for name, algorithms in ALGORITHMS.items():
        methods = {title: method for method, title in algorithms.items()}
        stages = [("training", "resnet10"), ("validation", "resnet10")]
        stages += [("p2_p3", name), ("p4_p5", name)]
        shared = sum(np.median(afad.seconds[stage]) for stage in stages)
        p1 = np.median(afad.seconds["p1", "resnet10"])
        for has_p1, more in ((True, p1), (False, 0.0)):
            totals = [
                shared + more + np.median(afad.seconds["thresholds", methods[algorithm]])
                for algorithm in ("PIO", "DP")
            ]
            cell = afad.ratio("resnet10", name, "PIO", has_p1=has_p1)
            assert cell.value == pytest.approx(totals[0] / totals[1])
            assert afad.ratio("resnet10", name, "DP", has_p1=has_p1).value == 1


def test_times_of_runs_with_several_networks_are_pooled_where_no_network_is_used():
    settings = replace(TINY, dataset="cacd")
    seconds = {("thresholds", "literal"): [1.0, 2.0, 6.0], ("training", "resnet18"): [3.0]}
    times = Times(settings, 10, 49, seconds)
    assert times.cell("thresholds", "literal").value == pytest.approx(2 * 100 / 60)
    assert times.ratio("resnet18", "loops", "PIO").value is None
    assert times.ratio("resnet18", "loops", "PIO").published == pytest.approx(0.532, abs=0.001)
    text = describe([times])
    assert "run with --scores evaluation-pass --time-also literal-io" in text
    assert [row["value"] for row in as_rows([times]) if row["of"] == "IO"] == [None] * 2


# Kill the process itself in the middle of the second run, so that no handler can tidy up.
KILLED = """
import os, signal, sys
from pathlib import Path
import torch
from experiments.paper import start_paper
from experiments.settings import Settings

torch.set_num_threads(1)
rename, n_checkpoints = os.replace, 0

def rename_or_die(source, target):
    global n_checkpoints
    n_checkpoints += Path(target).name == "checkpoint.pt"
    if n_checkpoints == 3:
        rename(source, target)
        os.kill(os.getpid(), signal.SIGKILL)
    rename(source, target)

os.replace = rename_or_die
runs = {name: Settings.from_json(values) for name, values in eval(sys.argv[2]).items()}
start_paper(runs, Path(sys.argv[1]))
"""


def test_runs_of_the_paper_that_were_killed_resume_with_the_same_results(root, paper, tmp_path):
    runs = {
        name: replace(settings, time_also=()).to_json()
        for name, settings in small_runs(root).items()
    }
    out = tmp_path / "out"
    command = [sys.executable, "-c", KILLED, str(out), repr(runs)]
    process = subprocess.run(command, env={**os.environ, "OMP_NUM_THREADS": "1"}, check=False)
    assert process.returncode == -signal.SIGKILL
    text = resume_paper(out, {"workers": 0})
    assert "for the rows without a time, run with --time-also literal" in text
    for name in runs:
        for file in ("labelings.csv", "results.csv"):
            assert read_rows(out / name / file) == read_rows(paper[0] / name / file)
    with pytest.raises(FileExistsError, match="Continue it with --resume"):
        start_paper(small_runs(root), out)


def test_pictures_are_those_that_were_asked_for(paper):
    description = read_run(paper[0] / "morph2-resnet10")
    assert description["n_training"] + description["n_validation"] == 70
    assert any(
        "the paper used 55013 pictures of MORPH-2" in note for note in description["left_out"]
    )
