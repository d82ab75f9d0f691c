"""The study on tabular data: its splits, its best epochs, its ranks, and that it can be resumed."""

import numpy as np
import pytest

from experiments.files import read_rows
from experiments.ranks import as_markdown, rank_rows
from experiments.settings import LOSSES, STUDY_LABELINGS, TASKS
from experiments.tabular import (
    MODELS,
    TabularSettings,
    resume_tabular,
    run_split,
    split_rows,
    start_tabular,
)
from experiments.tabular_data import SOURCES, Table, missing_packages

SMALL = TabularSettings(("ESL",), splits=2, epochs=2)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    out = tmp_path_factory.mktemp("tabular") / "out"
    with pytest.MonkeyPatch.context() as patch:  # the test of the benchmarks runs in processes
        patch.setattr("experiments.tabular.count_cores", lambda: 1)
        return out, start_tabular(SMALL, out)


def test_every_loss_has_its_labelings_for_every_task_on_every_split(study):
    out, ranks = study
    results = read_rows(out / "results.csv")
    assert len(results) == SMALL.splits * len(MODELS) * len(TASKS) * 20
    assert {(row["loss"], row["labeling"]) for row in results} == {
        (loss, name) for loss in LOSSES for name in STUDY_LABELINGS[loss]
    }
    assert len(ranks) == len(MODELS) * len(TASKS) * 20
    for model in MODELS:
        for task in TASKS:
            own = [r["mean rank"] for r in ranks if (r["model"], r["task"]) == (model, task)]
            assert sum(own) == pytest.approx(20 * 21 / 2)
    assert as_markdown(ranks) in (out / "ranks.md").read_text()
    assert "Made with ordcut " in (out / "ranks.md").read_text()
    assert (out / "ranks.png").read_bytes().startswith(b"\x89PNG")


def test_a_study_that_was_interrupted_computes_only_what_is_missing(study):
    out, ranks = study
    kept, lost = out / "units/ESL-linear-olr.csv", out / "units/ESL-network-absolute.csv"
    before, text = kept.stat().st_mtime_ns, lost.read_text()
    lost.unlink()
    assert resume_tabular(out) == ranks
    assert lost.read_text() == text
    assert kept.stat().st_mtime_ns == before
    with pytest.raises(FileExistsError, match="Continue it with --resume"):
        start_tabular(SMALL, out)


def test_parts_of_a_split_are_disjoint_and_whole():
    parts = split_rows(101, seed=3)
    assert sorted(np.concatenate(parts)) == list(range(101))
    assert [len(part) for part in parts] == [73, 8, 20]


def test_a_score_that_is_the_label_is_learned_without_error():
    labels = np.arange(300) % 3
    table = Table(labels[:, None].astype(float), labels, 3)
    for row in run_split(table, "linear", "absolute", epochs=40, seed=0):
        assert row["test"] == 0, row


@pytest.mark.parametrize("name", SOURCES)
def test_data_sets_have_numbers_and_all_classes(name):
    if missing_packages((name,)):
        pytest.skip("the package is not installed")
    table = SOURCES[name].table()
    assert np.isfinite(table.features).all()
    assert len(table.features) == len(table.labels) >= 400
    assert np.bincount(table.labels, minlength=table.n_classes).min() > 0
    assert table.n_classes >= 3


def test_ranks_of_a_labeling_that_is_clearly_worse_say_so():
    rng = np.random.default_rng(0)
    row = {"model": "linear", "task": "squared", "loss": "olr"}
    results = [
        {**row, "data set": data, "labeling": name, "split": split, "test": value + noise}
        for data in "abc"
        for split, noise in enumerate(rng.random(10) / 100)
        for name, value in (("optimal", 1.0), ("biases", 1.2 + split / 100))
    ]
    optimal, biases = rank_rows(results)
    assert (optimal["mean rank"], biases["mean rank"]) == (1, 2)
    assert (biases["better"], biases["worse"]) == (0, 3)
    assert biases["over optimal"] == pytest.approx(1.24, abs=0.01)
