"""Several runs in one folder, each in a folder of its own, of which some may be complete."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from experiments.datasets import PictureSet, divide, find_pictures
from experiments.progress import Progress
from experiments.run import check_start, resume_run, start_run
from experiments.settings import CHANGEABLE, SYNTHETIC, Settings


class Runs:
    """Runs by the name of their folder; runs on the same pictures read them once."""

    def __init__(self, runs: Mapping[str, Settings], out: Path, progress: Progress) -> None:
        self.runs, self.out, self.progress = dict(runs), out, progress
        self._pictures: dict[str, PictureSet] = {}

    def check(self) -> None:
        """Raise an error if a run would fail later, before anything is written."""
        for settings in self.runs.values():
            check_start(settings)
            divide(self._find_pictures(settings) or find_pictures(settings), settings)

    def finish(self, report: Callable[[], object] = lambda: None) -> None:
        """Complete all runs, and call a function after each."""
        for name, settings in self.runs.items():
            folder = self.out / name
            self.progress.note(f"{name}:")
            if (folder / "run.json").exists():
                given = {field: getattr(settings, field) for field in CHANGEABLE}
                resume_run(folder, given, self.progress)
            else:
                start_run(settings, folder, self.progress, self._find_pictures(settings))
            report()

    def _find_pictures(self, settings: Settings) -> PictureSet | None:
        """Return the pictures of a run; synthetic ones depend on its seed and are not shared."""
        if settings.dataset == SYNTHETIC:
            return None
        if settings.dataset not in self._pictures:
            self._pictures[settings.dataset] = find_pictures(settings, self.progress)
        return self._pictures[settings.dataset]
