"""Runs of the experiment from end to end, on synthetic faces."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import experiments
import ordcut
from experiments import settings, study, training
from experiments.datasets import load_faces
from experiments.files import load_state, read_rows, save_state
from experiments.measures import judge_labelings, optimal_for
from experiments.pictures import Batches
from experiments.run import resume_run, start_run
from experiments.settings import Settings
from experiments.stages import EVALUATION, FEWEST_CALLS, PAPER_METHODS, STAGES
from experiments.tests.tiny import TINY, without_times
from experiments.training import Learner

OTHERS = (*PAPER_METHODS, "blocks")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder and the rows of a run that was not interrupted."""
    out = tmp_path_factory.mktemp("whole") / "run"
    return out, start_run(replace(TINY, time_also=OTHERS), out)


def test_a_run_writes_one_row_per_epoch_with_a_time_for_every_stage(whole):
    out, rows = whole
    assert read_rows(out / "epochs.csv") == rows
    assert [row["epoch"] for row in rows] == [1, 2, 3]
    for row in rows:
        for stage in STAGES:
            assert (row[f"seconds_{stage}"] > 0) == (stage != "p4_p5")
        assert row["training_optimal"] >= 0
        for labeling in ("optimal", "biases", "likelihood", "rounding"):
            assert row[f"validation_{labeling}"] >= 0
        assert row["validation_mode"] is None  # ordered biases do not cross
        assert row["lr"] == TINY.lr
    assert (out / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert not list(out.glob(".*.part"))


def test_every_method_is_timed_in_ten_calls_and_the_network_once_per_epoch(whole):
    times = read_rows(whole[0] / "times.csv")
    counts = Counter((row["stage"], row["of"]) for row in times)
    n_epochs, n_calls = TINY.epochs, TINY.epochs * -(-FEWEST_CALLS // TINY.epochs)
    assert n_calls >= 10
    for method in ("auto", *OTHERS):
        assert counts["thresholds", method] == n_calls
    for implementation in ("loops", "ordcut"):
        assert counts["p2_p3", implementation] == counts["p4_p5", implementation] == n_calls
    for stage in ("training", "p1", "validation", EVALUATION):
        assert counts[stage, "resnet10"] == n_epochs
    for row in times:
        assert (row["seconds"] > 0) == ((row["stage"], row["of"]) != ("p4_p5", "ordcut"))


def test_every_labeling_and_task_loss_is_judged_at_its_own_best_epoch(whole):
    out, rows = whole
    judged = read_rows(out / "labelings.csv")
    results = read_rows(out / "results.csv")
    labelings = ("optimal", "biases", "likelihood", "rounding")
    assert {(row["task"], row["labeling"]) for row in results} == {
        (task, labeling) for task in settings.TASKS for labeling in labelings
    }
    for row in results:
        of_epochs = [
            other["value"]
            for other in judged
            if (other["task"], other["labeling"]) == (row["task"], row["labeling"])
        ]
        assert len(of_epochs) == TINY.epochs
        assert row["epoch"] == 1 + of_epochs.index(min(of_epochs))
        assert row["value"] == min(of_epochs)
        if row["task"] == "absolute":
            logged = [epoch[f"validation_{row['labeling']}"] for epoch in rows]
            assert of_epochs == logged
            assert row["value"] == row["mae"] <= row["rmse"]
            assert row["cs5"] == 1  # there are only four classes


@pytest.mark.parametrize("name", ["checkpoint", "best"])
def test_thresholds_of_a_checkpoint_reproduce_the_logged_error_exactly(whole, name):
    out, rows = whole
    state = torch.load(out / f"{name}.pt", weights_only=True)
    epoch = state["best"]["epoch"] if name == "best" else len(rows)
    data = load_faces(TINY)
    learner = Learner(replace(TINY, seed=99), 4)
    learner.load(state)
    validation = Batches(data.validation, TINY.crop, 0, TINY.batch_size, 0)
    scored = learner.score(validation, lambda _: None)
    predicted = np.searchsorted(state["thresholds"].numpy(), scored.scores, side="right")
    error = np.abs(predicted - scored.labels).mean()
    assert error == rows[epoch - 1]["validation_optimal"]


def test_thresholds_of_the_best_epoch_are_kept(whole):
    out, rows = whole
    errors = [row["validation_optimal"] for row in rows]
    state = load_state(out / "best.pt")
    assert state["best"]["epoch"] == 1 + errors.index(min(errors))
    thresholds = ordcut.Thresholds.from_json((out / "thresholds.json").read_text())
    assert thresholds.thresholds.tolist() == state["thresholds"].tolist()
    assert thresholds.value == rows[state["best"]["epoch"] - 1]["training_optimal"]


def test_a_run_describes_itself(whole):
    out, _ = whole
    about = json.loads((out / "run.json").read_text())
    assert Settings.from_json(about["settings"]) == replace(TINY, time_also=OTHERS)
    assert (about["n_training"], about["n_validation"], about["n_classes"]) == (45, 5, 4)
    assert (out / "training.csv").read_text().count("\n") == 46


def test_the_paper_s_loops_lead_to_the_same_results(whole, tmp_path):
    rows = start_run(replace(TINY, method="literal", epochs=1), tmp_path)
    assert without_times(rows) == [
        {name: value for name, value in row.items() if "seconds" not in name}
        for row in whole[1][:1]
    ]
    assert (
        ordcut.Thresholds.from_json((tmp_path / "thresholds.json").read_text()).method == "literal"
    )


def test_scores_of_the_training_pass_save_line_p1_and_do_not_change_the_training(whole, tmp_path):
    rows = start_run(replace(TINY, scores="training-pass", epochs=2, workers=2), tmp_path)
    for row, usual in zip(rows, whole[1][:2], strict=True):
        assert row["loss"] == usual["loss"]
        assert row["validation_biases"] == usual["validation_biases"]
        assert row["seconds_p1"] == 0


# Kill the process itself, so that no handler and no finally can tidy up.
KILLED = """
import os, signal, sys
from pathlib import Path
from experiments.run import start_run
from experiments.settings import Settings

out, moment = Path(sys.argv[1]), sys.argv[2]
rename, n_checkpoints = os.replace, 0

def rename_or_die(source, target):
    global n_checkpoints
    n_checkpoints += Path(target).name == "checkpoint.pt"
    if n_checkpoints == 2 and moment == "before the second checkpoint":
        os.kill(os.getpid(), signal.SIGKILL)
    rename(source, target)
    if n_checkpoints == 2 and moment == "after the second checkpoint":
        os.kill(os.getpid(), signal.SIGKILL)

os.replace = rename_or_die
start_run(Settings(**eval(sys.argv[3])), out)
"""


def start_process(out, moment, given=TINY):
    command = [sys.executable, "-c", KILLED, str(out), moment, repr(given.to_json())]
    return subprocess.Popen(command)


@pytest.mark.parametrize(
    ("moment", "n_done"),
    [("before the second checkpoint", 1), ("after the second checkpoint", 2), ("some time", None)],
)
def test_a_killed_run_resumes_with_the_same_results(whole, tmp_path, moment, n_done):
    process = start_process(tmp_path, moment)
    if moment == "some time":
        while not (tmp_path / "epochs.csv").exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()
    assert process.wait(timeout=120) == -signal.SIGKILL
    if n_done is not None:
        assert len(load_state(tmp_path / "checkpoint.pt")["rows"]) == n_done
        assert len(read_rows(tmp_path / "epochs.csv")) == 1
    assert_same_run(tmp_path, resume_run(tmp_path, {}), *whole)


def assert_same_run(out, rows, other, other_rows):
    """Two folders of runs hold the same but for times."""
    assert without_times(rows) == without_times(other_rows)
    assert without_times(read_rows(out / "epochs.csv")) == without_times(other_rows)
    for name in ("checkpoint.pt", "best.pt"):
        ours, theirs = load_state(out / name), load_state(other / name)
        assert ours["thresholds"].tolist() == theirs["thresholds"].tolist()
        assert ours["best"] == theirs["best"]
        assert all(
            (ours["network"][key] == theirs["network"][key]).all() for key in ours["network"]
        )
    for name in ("thresholds.json", "results.csv", "labelings.csv"):
        assert (out / name).read_text() == (other / name).read_text()


@pytest.fixture(scope="module")
def with_options(tmp_path_factory):
    """The settings, the folder and the rows of a run with nearly all options there are."""
    folder = tmp_path_factory.mktemp("options")
    network = training.NETWORKS["resnet10"](9)
    torch.save(network.state_dict(), folder / "faces.pt")
    given = replace(
        TINY, lr=1e-3, schedule="cosine", weight_decay=0.01, test_share=0.2, log="tensorboard",
        pretrained=str(folder / "faces.pt"), amp=True, image_size=20,
    )  # fmt: skip
    return given, folder / "run", start_run(given, folder / "run")


@pytest.mark.parametrize("moment", ["before the second checkpoint", "after the second checkpoint"])
def test_a_killed_run_with_options_resumes_with_the_same_results(with_options, tmp_path, moment):
    given, out, rows = with_options
    process = start_process(tmp_path, moment, given)
    assert process.wait(timeout=120) == -signal.SIGKILL
    assert_same_run(tmp_path, resume_run(tmp_path, {}), out, rows)
    for folder in (tmp_path, out):
        events = EventAccumulator(str(folder / "tensorboard")).Reload()
        logged = [(event.step, event.value) for event in events.Scalars("loss")]
        assert logged == [(row["epoch"], np.float32(row["loss"])) for row in rows]


def test_learning_rates_of_a_run_follow_its_schedule(with_options):
    _, _, rows = with_options
    expected = [1e-3 * (1 + np.cos(np.pi * epoch / 3)) / 2 for epoch in range(3)]
    assert [row["lr"] for row in rows] == pytest.approx(expected)


def test_the_best_epoch_is_chosen_by_validation_and_reported_on_the_test_part(with_options):
    given, out, rows = with_options
    state = load_state(out / "best.pt")
    errors = [row["validation_optimal"] for row in rows]
    assert state["best"]["epoch"] == 1 + errors.index(min(errors))
    data = load_faces(given)
    learner = Learner(given, 4)
    learner.load(state)
    batches = Batches(data.test, given.crop, 0, given.batch_size, 0)
    scored = learner.score(batches, lambda _: None)
    predicted = np.searchsorted(state["thresholds"].numpy(), scored.scores, side="right")
    off = np.abs(predicted - scored.labels)
    (row,) = [
        row
        for row in read_rows(out / "results.csv")
        if (row["part"], row["labeling"], row["task"]) == ("test", "optimal", "absolute")
    ]
    assert row["epoch"] == state["best"]["epoch"]
    assert (row["n"], row["mae"]) == (len(data.test), off.mean())
    assert row["rmse"] == pytest.approx(np.sqrt((off**2).mean()))


@pytest.mark.parametrize(
    "change",
    [
        {"lr": 0.1}, {"schedule": "step"}, {"weight_decay": 0.1}, {"test_share": 0.1},
        {"pretrained": None}, {"amp": False}, {"seeds": 2}, {"folds": 3}, {"devices": 2},
        {"epochs": 9},
    ],
    ids=lambda change: next(iter(change)),
)  # fmt: skip
def test_a_run_with_options_is_resumed_only_with_the_same(with_options, change):
    _, out, _ = with_options
    before = (out / "run.json").read_text()
    with pytest.raises(ValueError, match="as in the run to resume"):
        resume_run(out, change)
    assert (out / "run.json").read_text() == before


def test_a_folder_with_a_checkpoint_alone_is_not_written_over(tmp_path):
    save_state(tmp_path / "checkpoint.pt", {"rows": []})
    with pytest.raises(FileExistsError, match="already contains a run"):
        start_run(TINY, tmp_path)


def test_a_run_that_is_done_can_be_made_longer(whole, tmp_path):
    start_run(replace(TINY, epochs=1), tmp_path)
    assert without_times(resume_run(tmp_path, {"epochs": 2})) == without_times(whole[1][:2])
    assert without_times(resume_run(tmp_path, {})) == without_times(whole[1][:2])


def test_a_folder_that_holds_a_run_is_not_written_over(whole):
    with pytest.raises(FileExistsError, match=r"contains a run\. Continue it with --resume"):
        start_run(TINY, whole[0])


def test_a_run_is_resumed_only_with_the_same_settings(whole):
    with pytest.raises(ValueError, match="--seed must be 0, as in the run to resume, got 1"):
        resume_run(whole[0], {"seed": 1})


def test_a_damaged_checkpoint_is_an_error(tmp_path):
    save_state(tmp_path / "a.pt", {"rows": []})
    whole_file = (tmp_path / "a.pt").read_bytes()
    (tmp_path / "a.pt").write_bytes(whole_file[: len(whole_file) // 2])
    with pytest.raises(ValueError, match="must be a checkpoint of a run, but cannot be read"):
        load_state(tmp_path / "a.pt")
    torch.save({"format": 0}, tmp_path / "b.pt")
    with pytest.raises(ValueError, match="must be a checkpoint of format 2"):
        load_state(tmp_path / "b.pt")


class Harmful:
    def __reduce__(self):
        return os.mkdir, ("harm-was-done",)


def test_nothing_in_a_checkpoint_is_executed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    torch.save({"format": 2, "rows": Harmful()}, "checkpoint.pt")
    with pytest.raises(ValueError, match="cannot be read"):
        load_state(tmp_path / "checkpoint.pt")
    assert not (tmp_path / "harm-was-done").exists()


@pytest.mark.parametrize("loss", settings.LOSSES)
def test_every_loss_trains_and_has_its_labelings(loss):
    data = load_faces(TINY)
    learner = Learner(replace(TINY, loss=loss), 4)
    batches = Batches(data.training, TINY.crop, 0, TINY.batch_size, 0)
    before = [values.clone() for values in learner.loss.parameters()]
    mean_loss, outputs = learner.train(batches, 1, lambda _: None)
    assert np.isfinite(mean_loss)
    assert sorted(outputs.labels) == sorted(data.training.labels)
    for values, old in zip(learner.loss.parameters(), before, strict=True):
        assert (values != old).any()  # biases are learned, too
    optima = optimal_for(outputs, 4, settings.TASKS)
    rows = judge_labelings("training", outputs, optima, learner.loss)
    for task in settings.TASKS:
        errors = {row["labeling"]: row["value"] for row in rows if row["task"] == task}
        assert set(errors) == {*settings.STUDY_LABELINGS[loss], "rounding"}
        # The best thresholds are no worse than any other labeling by thresholds on the same rows.
        assert errors["optimal"] == optima[task].value == min(errors.values())


def test_the_losses_and_labelings_of_the_earlier_study_make_20_combinations():
    assert tuple(settings.STUDY_LABELINGS) == settings.LOSSES
    assert sum(map(len, settings.STUDY_LABELINGS.values())) == 20


def test_the_best_epoch_by_a_kappa_is_the_highest(tmp_path):
    usual = {"objective": "quadratic_kappa", "loss": "absolute", "epochs": 3}
    rows = start_run(replace(TINY, **usual), tmp_path)
    assert read_rows(tmp_path / "epochs.csv") == rows
    assert rows[0]["validation_biases"] is None
    kappas = [row["validation_optimal"] for row in rows]
    assert load_state(tmp_path / "best.pt")["best"]["epoch"] == 1 + kappas.index(max(kappas))


def test_scores_that_are_not_finite_are_refused():
    learner = Learner(TINY, 4)
    with torch.no_grad():
        learner.network.fc.weight.fill_(float("nan"))
    data = load_faces(TINY)
    with pytest.raises(ValueError, match="5 of 5 are not: training has diverged"):
        learner.score(Batches(data.validation, TINY.crop, 0, 32, 0), lambda _: None)


def test_every_named_network_and_loss_exists():
    assert tuple(training.NETWORKS) == settings.NETWORKS
    assert tuple(training.LOSSES) == settings.LOSSES


def test_the_package_exports_what_a_run_needs():
    assert experiments.Settings is Settings
    assert experiments.start_run is start_run
    assert experiments.resume_run is resume_run
    assert experiments.start_study is study.start_study
    assert experiments.resume_study is study.resume_study
    assert set(experiments.PUBLISHED) == {"morph2", "cacd", "afad"}
    with pytest.raises(AttributeError, match="'experiments' has no attribute 'begin_run'"):
        experiments.begin_run  # noqa: B018
