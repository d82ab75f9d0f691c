"""``python -m experiments``, as typed."""

import os
import re
import shlex
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from experiments.command import experiment
from experiments.progress import TerminalProgress
from experiments.published import NETWORKS, PUBLISHED, describe_projection, project
from experiments.settings import read_run
from experiments.tests.faces import make_folder

ROOT = Path(__file__).parents[2]
SMALL = ["--image-size", "16", "--network", "resnet10", "--epochs", "1", "--device", "cpu"]
TINY = ["--dataset", "synthetic", "--n-images", "40", "--n-classes", "4", *SMALL]


def call(*words):
    return CliRunner().invoke(experiment, list(map(str, words)))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("run") / "out"
    methods = ("literal", "literal-io", "literal-pio", "dp", "io", "pio")
    also = [word for method in methods for word in ("--time-also", method)]
    done = call("face-age", *TINY, *also, "--out", out)
    assert done.exit_code == 0, done.output
    return out, done


def test_a_run_prints_its_best_epoch(run):
    out, done = run
    assert "Best epoch by validation: 1 of 1." in done.stdout
    for labeling in ("optimal", "biases", "likelihood", "rounding"):
        assert f"  validation  {labeling}" in done.stdout
    assert f"Wrote {out}" in done.stdout
    assert "epoch 1 of 1: loss" in done.stderr


def test_a_run_says_before_it_starts_how_long_it_will_take(run):
    lines = run[1].stderr.splitlines()
    (estimate,) = [i for i, line in enumerate(lines) if re.match("1 epoch will take about", line)]
    (epoch,) = [i for i, line in enumerate(lines) if line.startswith("epoch 1 of 1: loss")]
    assert re.search(r"about \d+ (s|min|h)", lines[estimate])
    assert estimate < epoch


def test_a_run_on_real_files_is_resumed_and_compared_with_the_paper(tmp_path):
    root = make_folder(tmp_path / "faces", "afad")
    (root / "AFAD-Full/15/111/broken.jpg").write_bytes(b"broken")
    out = tmp_path / "out"
    words = ["face-age", "--dataset", "afad", "--root", root, *SMALL, "--workers", "0"]
    words += ["--network", "resnet18", "--batch-size", "64"]
    refused = call(*words, "--out", out)
    assert refused.exit_code == 1
    assert "1 of 53 pictures are damaged: 15/111/broken.jpg" in refused.stderr
    assert not out.exists()
    done = call(*words, "--out", out, "--skip-damaged")
    assert done.exit_code == 0, done.output
    assert "1 of 53 pictures are damaged" in done.stderr
    assert read_run(out)["n_training"] == 47
    again = call("face-age", "--out", out, "--resume", "--epochs", "2")
    assert again.exit_code == 0, again.output
    assert "of 2.\n" in again.stdout
    assert len(read_run(out)["left_out"]) == 2
    assert "Warning: the paper used 164418 pictures of AFAD, and here are 53" in done.stderr
    shown = call("table", out).stdout
    assert "AFAD, n = 47, K = 26" in shown
    assert "for the rows without a time, run with --time-also literal --time-also" in shown
    (line,) = [line for line in shown.splitlines() if line.startswith("t_PIO / t_DP  ")]
    assert line.split()[-2:] == ["-", "0.61"]
    (root / "AFAD-Full/20/111/0-0.jpg").unlink()
    lost = call("face-age", "--out", out, "--resume", "--epochs", "3")
    assert lost.exit_code == 1
    assert "20/111/0-0.jpg" in lost.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--epochs", "1"], "--dataset must be one of morph2, cacd, afad, synthetic, got none."),
        (["--dataset", "cacd"], "--root must be the folder of the pictures of cacd, got none."),
        (["--dataset", "cacd", "--root", "/nowhere"], "/nowhere is not one"),
        (
            ["--dataset", "cacd", "--root", "x", "--training-csv", "a.csv"],
            "--training-csv and --validation-csv must be given together",
        ),
        ([*TINY, "--method", "nested", "--objective", "zero_one"], "needs a convex objective"),
        ([*TINY, "--time-also", "io", "--objective", "linear_kappa"], "needs a convex objective"),
        ([*TINY, "--method", "literal", "--objective", "kappa"], "minimises a loss"),
        ([*TINY, "--method", "literal-pio", "--objective", "zero_one"], "needs a convex objective"),
        ([*TINY, "--n-classes", "50"], "n-images must be at least one per class"),
        ([*TINY, "--device", "warp"], "warp is not available as a device"),
        ([*TINY, "--devices", "2"], "--device is for one device. With --devices, use --accel"),
        ([*TINY, "--accelerator", "cpu"], "--accelerator needs --devices of 2 or more"),
        ([*TINY, "--folds", "3", "--test-share", "0.1"], "--test-share must be left out"),
        ([*TINY, "--pretrained", "/nowhere.pt"], "--pretrained must be a file"),
        ([*TINY, "--lr", "0"], "0 is not in the range x>0"),
        ([*TINY, "--lr", "nan"], "--lr must be above 0 and finite, got nan"),
        ([*TINY, "--lr", "inf"], "--lr must be above 0 and finite, got inf"),
        ([*TINY, "--weight-decay", "nan"], "--weight-decay must be 0 or more, finite, got nan"),
        ([*TINY, "--test-share", "nan"], "--test-share must be from 0 to below 1, got nan"),
        ([*TINY, "--split-by", "subject"], "--split-by subject needs pictures of persons"),
        ([*TINY, "--amp"], "--amp needs --image-size of 19 or more, got 16"),
        ([*TINY, "--root", "x"], "--root is for photographs"),
        ([*TINY, "--skip-damaged"], "--skip-damaged is for photographs"),
        (
            ["--dataset", "cacd", "--root", "x", "--n-images", "9"],
            "--n-images is for --dataset synthetic",
        ),
        (
            [
                "--dataset",
                "cacd",
                "--root",
                "x",
                "--training-csv",
                "a.csv",
                "--validation-csv",
                "b.csv",
                "--split-by",
                "subject",
            ],
            "--split-by is for a random split",
        ),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is_written(tmp_path, words, message):
    done = call("face-age", *words, "--out", tmp_path / "out")
    assert done.exit_code != 0
    assert message in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.output
    assert not (tmp_path / "out").exists()


def test_a_folder_that_holds_a_run_needs_resume_and_the_same_settings(run):
    out, _ = run
    assert "already contains a run" in call("face-age", *TINY, "--out", out).stderr
    other = call("face-age", "--out", out, "--resume", "--seed", "7")
    assert "--seed must be 0, as in the run to resume, got 7" in other.stderr


def test_resume_where_there_is_nothing_yet_starts(tmp_path):
    done = call("face-age", *TINY, "--out", tmp_path / "new", "--resume")
    assert done.exit_code == 0, done.output
    assert "contains no run yet" in done.stderr


def test_the_help_names_the_paper_s_protocol():
    shown = " ".join(call("face-age", "--help").stdout.split())
    assert "The defaults are the paper's protocol" in shown
    assert "[default: (0, as in the paper)" in shown


def test_runs_with_several_seeds_print_mean_and_spread_and_are_resumed(tmp_path):
    words = [*TINY, "--seeds", "2", "--test-share", "0.2", "--out", tmp_path / "out"]
    done = call("face-age", *words)
    assert done.exit_code == 0, done.output
    assert "Mean ± standard error over 2 runs" in done.stdout
    lines = [line for line in done.stdout.splitlines() if line.split()[:2] == ["test", "optimal"]]
    assert [line.count("±") for line in lines] == [3]  # task losses
    again = call("face-age", "--out", tmp_path / "out", "--resume")
    assert again.stdout == done.stdout
    refused = call("face-age", "--out", tmp_path / "out", "--resume", "--seeds", "3")
    assert "--seeds must be 2, as in the run to resume, got 3" in refused.stderr
    assert "synthetic, n = 29, K = 4" in call("table", tmp_path / "out").stdout


def test_folds_are_by_subject_where_file_names_identify_persons(tmp_path):
    root = make_folder(tmp_path / "faces", "morph2", per_age=4)
    words = ["--dataset", "morph2", "--root", root, *SMALL, "--workers", "0", "--folds", "2"]
    done = call("face-age", *words, "--batch-size", "64", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    settings = read_run(tmp_path / "out" / "seed-0-fold-1")["settings"]
    assert (settings["split_by"], settings["folds"], settings["fold"]) == ("subject", 2, 1)


def test_a_table_of_no_run_says_so(tmp_path):
    assert "has no file run.json" in call("table", tmp_path).stderr
    assert "RUNS must name at least one run" in call("table").stderr


def test_published_ratios_are_those_that_the_paper_states():
    stated = {
        ("morph2", "resnet18"): (1.04, 0.59),
        ("cacd", "resnet18"): (1.11, 0.53),
        ("afad", "resnet18"): (0.98, 0.61),
        ("morph2", "resnet34"): (1.04, 0.62),
        ("cacd", "resnet34"): (1.10, 0.58),
        ("afad", "resnet34"): (0.98, 0.66),
    }
    for (dataset, network), ratios in stated.items():
        times = PUBLISHED[dataset]
        dp = times.total(network, "dp")
        assert tuple(round(times.total(network, name) / dp, 2) for name in ("io", "pio")) == ratios


def test_algorithm_4_took_the_paper_longer_with_every_block_and_longer_than_pio():
    for times in PUBLISHED.values():
        minutes = [times.thresholds["pio"], *(times.blocks[n] for n in (2, 3, 4))]
        assert minutes == sorted(minutes)


def test_the_published_table_with_our_thresholds_is_no_lower_than_its_floor():
    rows = project(n_calls=1, share=0.01)
    assert [(row["data set"], row["network"]) for row in rows] == [
        (times.title, network) for times in PUBLISHED.values() for network in NETWORKS
    ]
    for row in rows:
        assert row["floor"] < row["over DP"] < row["PIO over DP (published)"]
        assert row["floor without P1"] < row["over DP without P1"] < row["over DP"]
        assert row["p4_p5"] == 0
    text = describe_projection(rows)
    assert "MORPH-2 resnet18" in text
    assert "0.589" in text


def test_bars_show_on_a_terminal():
    terminal = TerminalProgress()
    terminal.console = Console(file=StringIO(), force_terminal=True, width=80)
    with terminal.bar("reading pictures", total=4) as advance:
        advance(4)
    terminal.note("[all] read")
    shown = terminal.console.file.getvalue()
    assert "reading pictures" in shown
    assert "100%" in shown
    assert shown.endswith("[all] read\n")


def test_make_experiment_runs_the_paper_on_synthetic_faces_and_prints_its_table(tmp_path):
    recipe = re.search(r"^experiment:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.M)[1]
    lines = recipe.replace("\\\n", " ").splitlines()
    (words,) = (
        shlex.split(line)[1:] for line in lines if line.startswith("\t$(BIN)/python -m experiments")
    )
    path = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    command = [sys.executable, *words, "--epochs", "1"]
    done = subprocess.run(
        command, cwd=tmp_path, env=path, check=True, capture_output=True, text=True
    )
    assert "synthetic, n = 1800, K = 10" in done.stdout
    assert "for the rows without a time" not in done.stdout
    table = call("table", tmp_path / "experiment-output", "--format", "markdown").stdout
    assert table.splitlines()[0] == "|  |  | synthetic, n = 1800, K = 10 | published |"
    assert table.strip() in (tmp_path / "experiment-output/table1.md").read_text()


def test_ctrl_c_says_how_to_continue(tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("experiments.run.start_run", interrupt)
    done = call("face-age", *TINY, "--out", tmp_path / "out")
    assert done.exit_code == 130
    assert done.stderr == "Interrupted. Continue the run with --resume.\n"


def test_help_loads_neither_torch_nor_pillow():
    code = """
import sys
from click.testing import CliRunner
from experiments.command import experiment
done = CliRunner().invoke(experiment, ["face-age", "--help"])
assert "--resume" in done.output
print(*(name for name in ("torch", "PIL", "numba", "matplotlib") if name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
