"""Two processes that train together on this machine, with gloo over the loopback device."""

import fcntl
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from experiments.datasets import load_faces
from experiments.files import load_state
from experiments.pictures import Batches, EpochOrder, Share
from experiments.processes import Process, launch
from experiments.run import resume_run, start_run
from experiments.tests.tiny import (
    TINY,
    CopyAfterFirstEpoch,
    fail,
    train_linear,
    vanish,
    without_times,
)
from experiments.training import Learner

TWO = replace(
    TINY, epochs=2, n_images=41, batch_size=8, devices=2, accelerator="cpu", test_share=0.1,
    time_also=("dp",),
)  # fmt: skip


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder with a run of two epochs in "run", and with what it held after the first."""
    folder = tmp_path_factory.mktemp("processes")
    before = Path.cwd()
    os.chdir(folder)
    try:
        rows = start_run(TWO, Path("run"), CopyAfterFirstEpoch())
    finally:
        os.chdir(before)
    return folder, rows


def test_thresholds_and_weights_of_two_processes_reproduce_the_logged_errors_in_one(trained):
    folder, rows = trained
    state = load_state(folder / "run" / "checkpoint.pt")
    data = load_faces(TWO)
    learner = Learner(replace(TWO, seed=9, devices=1), 4)
    learner.load(state)

    def error(part):
        scored = learner.score(Batches(part, TWO.crop, 0, 8, 0), lambda _: None)
        predicted = np.searchsorted(state["thresholds"].numpy(), scored.scores, side="right")
        return np.abs(predicted - scored.labels).mean()

    assert rows[-1]["training_optimal"] == pytest.approx(error(data.training))
    assert rows[-1]["validation_optimal"] == pytest.approx(error(data.validation))
    assert {row["part"] for row in state["labelings"]} == {"validation", "test"}
    assert any((row["stage"], row["of"]) == ("thresholds", "dp") for row in state["times"])


def test_two_processes_that_were_interrupted_resume_with_the_same_results(trained):
    folder, rows = trained
    again = resume_run(folder / "copy", {"accelerator": "cpu"})
    assert without_times(again) == without_times(rows)
    ours, theirs = (load_state(folder / name / "checkpoint.pt") for name in ("copy", "run"))
    assert all(torch.equal(ours["network"][key], theirs["network"][key]) for key in ours["network"])


def test_two_processes_take_the_steps_of_one_on_the_same_batches(tmp_path):
    train_linear(Process(torch.device("cpu")), tmp_path / "alone.pt")
    launch(2, "cpu", train_linear, tmp_path / "together.pt")
    alone, together = (
        torch.load(tmp_path / name, weights_only=True) for name in ("alone.pt", "together.pt")
    )
    torch.testing.assert_close(together, alone, rtol=1e-4, atol=1e-5)


# The signal that PyTorch sends to processes without a parent is ignored in a script's background.
BACKGROUND = """
import signal, sys
from pathlib import Path
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.path.append(sys.argv[2])
    from experiments.tests.tiny import hold_a_lock
    from experiments.processes import launch
    launch(2, "cpu", hold_a_lock, Path(sys.argv[1]))
"""


def is_locked(file):
    with file.open() as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


def wait_until(condition):
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError("this takes too long")


def test_processes_end_when_the_one_that_started_them_is_killed(tmp_path):
    command = [sys.executable, "-c", BACKGROUND, str(tmp_path), str(Path(__file__).parent)]
    process = subprocess.Popen(command)
    wait_until(lambda: len(list(tmp_path.glob("*.held"))) == 2)
    locks = sorted(tmp_path.glob("*.lock"))
    assert all(map(is_locked, locks))
    process.kill()
    process.wait()
    wait_until(lambda: not any(map(is_locked, locks)))


@pytest.mark.parametrize(
    ("function", "kind", "message"),
    [
        (fail, ValueError, "^scores must be finite$"),
        (vanish, ChildProcessError, "exit code 3.*Continue the run with --resume"),
    ],
)
def test_an_error_in_one_process_ends_all_and_is_reported(function, kind, message):
    with pytest.raises(kind, match=message):
        launch(2, "cpu", function)


def test_more_processes_than_cuda_devices_are_refused_before_anything_is_written(tmp_path):
    many = replace(TWO, devices=1 + torch.cuda.device_count() + 1, accelerator="cuda")
    with pytest.raises(ValueError, match="needs as many CUDA devices"):
        start_run(many, tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("epoch", [0, 1])
@pytest.mark.parametrize(("n", "batch_size", "count"), [(41, 8, 2), (50, 9, 3), (7, 4, 2)])
def test_shares_of_a_batch_are_the_batch_and_never_one_picture(epoch, n, batch_size, count):
    orders = [EpochOrder(n, 0, batch_size, Share(rank, count)) for rank in range(count)]
    for order in orders:
        order.epoch = epoch
    seen = []
    for shares, (first, last) in zip(zip(*orders, strict=True), orders[0].bounds, strict=True):
        assert min(map(len, shares)) >= 2
        assert sum(map(len, shares)) == last - first
        seen += [index for share in shares for _, index in share]
    assert sorted(seen) == list(range(n))
