"""A study: several runs with different seeds and folds, and a summary of their results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from experiments.datasets import PictureSet, divide, find_pictures
from experiments.files import load_state, write_rows, write_text
from experiments.progress import Progress
from experiments.run import check_settings, check_start, resume_run, start_run
from experiments.settings import CHANGEABLE, STUDY_FILE, SYNTHETIC, Settings, read_run
from experiments.summary import summarise


def start_study(
    settings: Settings, out: Path, progress: Progress | None = None
) -> list[dict[str, Any]]:
    """Run the experiment with each seed and fold, in a folder each; return the summary.

    The summary has one row per part, labeling and metric, and is written to ``summary.csv``.
    """
    for name in (STUDY_FILE, "run.json"):
        if (out / name).exists():
            raise FileExistsError(
                f"{out} already contains a run. Continue it with --resume, or choose another --out."
            )
    check_start(settings)
    runs = Runs(settings, out, progress or Progress())
    runs.check()
    out.mkdir(parents=True, exist_ok=True)
    _write_settings(settings, out)
    return runs.finish()


def resume_study(
    out: Path, given: dict[str, Any], progress: Progress | None = None
) -> list[dict[str, Any]]:
    """Continue the runs of a study after their last checkpoints; return the summary.

    ``given`` are settings that are passed again, as for ``resume_run``.
    """
    settings = Settings.from_json(read_run(out, STUDY_FILE)["settings"]).continued_with(given)
    check_settings(settings)
    _write_settings(settings, out)
    return Runs(settings, out, progress or Progress()).finish()


def _write_settings(settings: Settings, out: Path) -> None:
    write_text(out / STUDY_FILE, json.dumps({"settings": settings.to_json()}, indent=2))


class Runs:
    """The runs of a study, some of which may be complete or interrupted."""

    def __init__(self, settings: Settings, out: Path, progress: Progress) -> None:
        self.settings, self.out, self.progress = settings, out, progress
        self._pictures: PictureSet | None = None

    def prepare(self) -> None:
        """Read the pictures once for all runs; synthetic ones depend on the seed of a run."""
        if self._pictures is None and self.settings.dataset != SYNTHETIC:
            self._pictures = find_pictures(self.settings, self.progress)

    def check(self) -> None:
        """Raise an error if there are too few pictures for the parts of a run."""
        self.prepare()
        pictures = self._pictures or find_pictures(self.settings)
        for settings in self.settings.runs().values():
            divide(pictures, settings)

    def finish(self) -> list[dict[str, Any]]:
        """Complete all runs, and return the summary."""
        results = {}
        for name, settings in self.settings.runs().items():
            folder = self.out / name
            self.progress.note(f"{name}:")
            if (folder / "run.json").exists():
                given = {field: getattr(settings, field) for field in CHANGEABLE}
                resume_run(folder, given, self.progress)
            else:
                self.prepare()
                start_run(settings, folder, self.progress, self._pictures)
            results[name] = load_state(folder / "checkpoint.pt")["best"]["results"]
        rows = summarise(results)
        write_rows(self.out / "summary.csv", rows)
        return rows
