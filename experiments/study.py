"""Several runs of one experiment, with different seeds and folds, and their mean and spread."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from experiments.datasets import FoundPictures, divide, find_pictures
from experiments.files import load_state, write_rows, write_text
from experiments.progress import Progress
from experiments.run import check_settings, check_start, resume_run, start_run
from experiments.settings import MAY_CHANGE, STUDY_FILE, SYNTHETIC, Settings, read_run
from experiments.summary import summarise


def start_study(
    settings: Settings, out: Path, progress: Progress | None = None
) -> list[dict[str, Any]]:
    """Run an experiment with each seed and fold, each in its own folder; return the summary.

    The summary has one row per part, labeling and measure, and is written to ``summary.csv``.
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
    write_text(out / STUDY_FILE, json.dumps({"settings": settings.to_json()}, indent=2))
    return runs.finish()


def resume_study(
    out: Path, given: dict[str, Any], progress: Progress | None = None
) -> list[dict[str, Any]]:
    """Continue the runs of a study, wherever they stopped; return the summary.

    ``given`` are settings that are passed again, as for ``resume_run``.
    """
    about = read_run(out, STUDY_FILE)
    settings = Settings.from_json(about["settings"]).continued_with(given)
    check_settings(settings)
    write_text(out / STUDY_FILE, json.dumps({**about, "settings": settings.to_json()}, indent=2))
    return Runs(settings, out, progress or Progress()).finish()


class Runs:
    """The runs of a study: those that are done, the one that was interrupted, and those to come."""

    def __init__(self, settings: Settings, out: Path, progress: Progress) -> None:
        self.settings, self.out, self.progress = settings, out, progress
        self._found: FoundPictures | None = None

    def prepare(self) -> None:
        """Find the pictures, once for all runs; synthetic ones depend on the seed of a run."""
        if self._found is None and self.settings.dataset != SYNTHETIC:
            self._found = find_pictures(self.settings, self.progress)

    def check(self) -> None:
        """Raise an error if there are too few pictures for the parts of a run."""
        self.prepare()
        found = self._found or find_pictures(self.settings)
        for settings in self.settings.runs().values():
            divide(found, settings)

    def finish(self) -> list[dict[str, Any]]:
        """Run what is left, and return the summary."""
        results = {}
        for name, settings in self.settings.runs().items():
            folder = self.out / name
            self.progress.note(f"{name}:")
            if (folder / "run.json").exists():
                stated = {field: getattr(settings, field) for field in MAY_CHANGE}
                resume_run(folder, stated, self.progress)
            else:
                self.prepare()
                start_run(settings, folder, self.progress, self._found)
            results[name] = load_state(folder / "checkpoint.pt")["best"]["results"]
        rows = summarise(results)
        write_rows(self.out / "summary.csv", rows)
        return rows
