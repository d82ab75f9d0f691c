"""A study: several runs with different seeds and folds, and a summary of their results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from experiments.files import load_state, write_rows, write_text
from experiments.measures import best_epochs
from experiments.progress import Progress
from experiments.run import check_settings
from experiments.runs import Runs
from experiments.settings import STUDY_FILE, Settings, read_run
from experiments.summary import summarise


def start_study(
    settings: Settings, out: Path, progress: Progress | None = None
) -> list[dict[str, Any]]:
    """Run the experiment with each seed and fold, in a folder each; return the summary.

    The summary has one row per part, task loss, labeling and metric, and is written to
    ``summary.csv``.
    """
    for name in (STUDY_FILE, "run.json"):
        if (out / name).exists():
            raise FileExistsError(
                f"{out} already contains a run. Continue it with --resume, or choose another --out."
            )
    runs = Runs(settings.runs(), out, progress or Progress())
    runs.check()
    out.mkdir(parents=True, exist_ok=True)
    _write_settings(settings, out)
    return _finish(runs)


def resume_study(
    out: Path, given: dict[str, Any], progress: Progress | None = None
) -> list[dict[str, Any]]:
    """Continue the runs of a study after their last checkpoints; return the summary.

    ``given`` are settings that are passed again, as for ``resume_run``.
    """
    settings = Settings.from_json(read_run(out, STUDY_FILE)["settings"]).continued_with(given)
    check_settings(settings)
    _write_settings(settings, out)
    return _finish(Runs(settings.runs(), out, progress or Progress()))


def _write_settings(settings: Settings, out: Path) -> None:
    write_text(out / STUDY_FILE, json.dumps({"settings": settings.to_json()}, indent=2))


def _finish(runs: Runs) -> list[dict[str, Any]]:
    """Complete all runs, and write and return the summary."""
    runs.finish()
    summary = summarise(read_results(runs.out, list(runs.runs)))
    write_rows(runs.out / "summary.csv", summary)
    return summary


def read_results(out: Path, names: list[str]) -> dict[str, list[dict[str, Any]]]:
    """Return the results of each complete run: the best epoch of each labeling and task loss."""
    return {
        name: best_epochs(load_state(out / name / "checkpoint.pt")["labelings"]) for name in names
    }
