"""Several runs with other seeds and folds, and what they have in common."""

import csv
import shutil
from dataclasses import replace

import numpy as np
import pytest

from experiments.datasets import reload_faces
from experiments.files import load_state, read_rows
from experiments.run import resume_run, start_run
from experiments.settings import Settings, read_run
from experiments.study import resume_study, start_study
from experiments.table import read_times
from experiments.tests.faces import make_folder
from experiments.tests.tiny import TINY, without_times

SMALL = replace(TINY, epochs=1, n_images=24, n_classes=3, seeds=2, folds=2)
NAMES = ["seed-0-fold-1", "seed-0-fold-2", "seed-1-fold-1", "seed-1-fold-2"]


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    out = tmp_path_factory.mktemp("study") / "out"
    return out, start_study(SMALL, out)


def rows_of(out, name):
    return without_times(load_state(out / name / "checkpoint.pt")["rows"])


def test_each_seed_and_fold_has_a_run_of_its_own(study):
    out, _ = study
    assert sorted(file.name for file in out.iterdir() if file.is_dir()) == NAMES
    losses = {rows_of(out, name)[0]["loss"] for name in NAMES}
    assert len(losses) == 4


def test_a_run_of_a_study_equals_the_same_run_alone(study, tmp_path):
    out, _ = study
    alone = start_run(replace(SMALL, seed=1, seeds=1, fold=2), tmp_path / "alone")
    assert without_times(alone) == rows_of(out, "seed-1-fold-2")


def test_the_test_parts_of_the_folds_are_all_pictures_once(study):
    out, _ = study
    listed = []
    for name in NAMES[:2]:
        with (out / name / "test.csv").open() as stream:
            listed += [row["path"] for row in csv.DictReader(stream)]
    assert sorted(listed) == sorted(f"face {number}" for number in range(24))


def test_a_summary_is_over_the_results_of_all_runs(study):
    out, summary = study
    values = [
        row["mae"]
        for name in NAMES
        for row in read_rows(out / name / "results.csv")
        if (row["part"], row["task"], row["labeling"]) == ("test", "squared", "biases")
    ]
    (row,) = [
        row
        for row in summary
        if (row["part"], row["task"], row["labeling"], row["measure"])
        == ("test", "squared", "biases", "mae")
    ]
    assert (row["runs"], row["mean"]) == (4, pytest.approx(np.mean(values)))
    assert row["spread"] == pytest.approx(np.std(values, ddof=1))
    assert row["standard_error"] == pytest.approx(np.std(values, ddof=1) / 2)
    with (out / "summary.csv").open() as stream:
        assert len(list(csv.DictReader(stream))) == len(summary)


def test_a_study_that_was_interrupted_resumes_with_the_same_results(study, tmp_path):
    out, summary = study
    part = tmp_path / "part"
    shutil.copytree(out, part)
    (part / "summary.csv").unlink()
    shutil.rmtree(part / NAMES[3])  # not begun
    for file in (part / NAMES[2]).iterdir():  # begun, and killed before the first checkpoint
        if file.suffix == ".pt" or file.name in ("epochs.csv", "results.csv"):
            file.unlink()
    assert resume_study(part, {}) == summary
    assert [rows_of(part, name) for name in NAMES] == [rows_of(out, name) for name in NAMES]


@pytest.mark.parametrize("change", [{"seeds": 3}, {"folds": 3}, {"seed": 1}])
def test_a_study_is_resumed_only_with_the_same_settings(study, change):
    with pytest.raises(ValueError, match="as in the run to resume"):
        resume_study(study[0], change)


def test_a_study_is_not_written_over_and_not_begun_as_one_run(study, tmp_path):
    with pytest.raises(FileExistsError, match="already contains a run"):
        start_study(SMALL, study[0])
    with pytest.raises(ValueError, match=r"got those of 4 \(seeds, folds\)\. Use start_study"):
        start_run(SMALL, tmp_path / "run")
    with pytest.raises(FileNotFoundError, match=r"no file run\.json"):
        resume_run(study[0], {})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pretrained": "/nowhere.pt"}, "--pretrained must be a file"),
        ({"n_images": 2}, "n-images must be at least one per class"),
        ({"folds": 30}, "There must be pictures for all parts"),
        ({"method": "literal", "objective": "kappa"}, "minimises a loss"),
    ],
)
def test_a_study_that_cannot_run_is_refused_before_anything_is_written(tmp_path, change, message):
    with pytest.raises((ValueError, OSError), match=message):
        start_study(replace(SMALL, **change), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_times_of_a_study_are_those_of_all_runs(study):
    out, _ = study
    (times,) = read_times([out])
    each = [read_times([out / name])[0] for name in NAMES]
    for stage, values in times.seconds.items():
        assert sorted(values) == sorted(value for run in each for value in run.seconds[stage])


def test_folds_by_subject_have_no_person_in_two_parts_of_a_run(tmp_path):
    root = make_folder(tmp_path / "faces", "morph2", per_age=5)  # of five persons
    given = Settings(
        "morph2", str(root), network="resnet10", image_size=16, batch_size=64, epochs=1,
        folds=2, split_by="subject",
    )  # fmt: skip
    out = tmp_path / "out"
    summary = start_study(given, out)
    assert summary[0]["runs"] == 2
    for name in given.runs():
        settings = Settings.from_json(read_run(out / name)["settings"])
        parts = reload_faces(settings, out / name).parts
        people = {
            part: {picture.split("_")[0] for picture in pictures.names}
            for part, pictures in parts.items()
        }
        assert set(people) == {"training", "validation", "test"}
        assert sum(map(len, people.values())) == len(set().union(*people.values()))
