"""One run of the experiment: train, and at every epoch find thresholds and validate by them."""

from __future__ import annotations

import json
import platform
from dataclasses import replace
from importlib.metadata import version
from math import isclose
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
from torch import nn

from ordcut.experiments.datasets import FaceData, load_faces, load_faces_again, write_split
from ordcut.experiments.files import (
    draw_curves,
    load_state,
    save_state,
    write_rows,
    write_text,
)
from ordcut.experiments.pictures import Batches
from ordcut.experiments.progress import Progress
from ordcut.experiments.settings import Settings, read_run
from ordcut.experiments.stages import (
    LITERAL,
    STAGES,
    THRESHOLD_STAGES,
    Stopwatch,
    check_method,
    find_in_stages,
)
from ordcut.experiments.training import Learner, Scores
from ordcut.jit import running_kernels_as
from ordcut.labelings import LABELINGS
from ordcut.metrics import evaluate
from ordcut.objectives import KAPPAS
from ordcut.thresholds import Thresholds
from ordcut.torch import every_labeling
from ordcut.typing import Array

Row = dict[str, Any]

#: The learning curves are drawn again after so many seconds, and at the end.
SECONDS_BETWEEN_DRAWINGS = 60.0


def start_run(settings: Settings, out: Path, progress: Progress | None = None) -> list[Row]:
    """Load the data, train, and write everything to a folder; return one row per epoch."""
    progress = progress or Progress()
    if (out / "run.json").exists():
        raise FileExistsError(
            f"{out} already holds a run. Continue it with --resume, or choose another --out."
        )
    for method in (settings.method, *settings.time_also):
        check_method(method, settings.objective)
    data = load_faces(settings, progress)
    for note in data.notes:
        progress.note(note)
    out.mkdir(parents=True, exist_ok=True)
    for name in ("training", "validation"):
        write_split(getattr(data, name), out / f"{name}.csv")
    _describe(settings, data, out)  # last, since a folder with this file can be resumed
    return Run(settings, data, out, progress).finish()


def resume_run(out: Path, given: dict[str, Any], progress: Progress | None = None) -> list[Row]:
    """Continue the run in a folder, wherever it stopped; return one row per epoch.

    ``given`` are settings that are stated again. They must equal those of the run, except for the
    number of epochs, the workers and the device.
    """
    progress = progress or Progress()
    about = read_run(out)
    settings = Settings.from_json(about["settings"]).continued_with(given)
    data = replace(load_faces_again(settings, out), notes=about["left_out"])
    _describe(settings, data, out)
    run = Run(settings, data, out, progress)
    if (out / "checkpoint.pt").is_file():
        run.restore(load_state(out / "checkpoint.pt"))
    return run.finish()


class Run:
    """A run in progress: the learner, its data, and the row of each epoch so far."""

    def __init__(self, settings: Settings, data: FaceData, out: Path, progress: Progress) -> None:
        self.settings, self.data, self.out, self.progress = settings, data, out, progress
        s = settings
        self.learner = Learner(s.network, s.loss, data.n_classes, s.seed, s.device)
        self.training, self.validation = (
            Batches(part, s.crop, s.seed, s.batch_size, s.workers)
            for part in (data.training, data.validation)
        )
        self.rows: list[Row] = []
        self.best: dict[str, Any] = {"epoch": 0, "thresholds": ""}
        self._last_drawing = perf_counter()

    def restore(self, state: dict[str, Any]) -> None:
        """Restore the state of a checkpoint, and write the other files to match it."""
        self.learner.load(state)
        self.rows, self.best = state["rows"], state["best"]
        self._write_files(state)

    def finish(self) -> list[Row]:
        """Run the remaining epochs."""
        # Compiled from the start, so that no epoch's time includes the compiler.
        compiled = running_kernels_as("compiled")
        with compiled, torch.backends.cudnn.flags(enabled=True, deterministic=True):
            self._warm_up()
            for epoch in range(len(self.rows) + 1, self.settings.epochs + 1):
                row, found = self.epoch(epoch)
                self.save(row, found)
        if self.rows:
            self._draw()
        return self.rows

    def epoch(self, epoch: int) -> tuple[Row, Thresholds]:
        """Train for an epoch, find thresholds and validate; return the row and the thresholds."""
        s, learner, watch = self.settings, self.learner, Stopwatch(self.learner.wait)
        named = f"epoch {epoch} of {s.epochs}"
        bar, n_batches = self.progress.bar, len(self.training)
        with bar(f"{named}: training", n_batches) as advance, watch("training"):
            loss, scored = learner.train(self.training, epoch, advance)
        if s.scores == "evaluation-pass":
            with bar(f"{named}: line P1", n_batches) as advance, watch("p1"):
                scored = learner.score(self.training, advance)
        found = self._find(scored, s.method, watch)
        others = {method: self._time(method, scored, found) for method in s.time_also}
        with bar(f"{named}: validation", len(self.validation)) as advance, watch("validation"):
            held_out = learner.score(self.validation, advance)
            errors = errors_by_labeling(held_out.scores, held_out.labels, found, learner.loss)
        row: Row = {"epoch": epoch, "loss": loss, "training_optimal": found.value}
        row |= {f"validation_{labeling}": error for labeling, error in errors.items()}
        row |= {f"seconds_{stage}": seconds for stage, seconds in watch.seconds.items()}
        row |= {
            f"seconds_{stage}_{method}": timed.seconds[stage]
            for method, timed in others.items()
            for stage in THRESHOLD_STAGES
        }
        return row, found

    def save(self, row: Row, thresholds: Thresholds) -> None:
        """Write the checkpoint of an epoch, and then the files that are derived from it."""
        self.rows.append(row)
        if self._is_better(row):
            self.best = {"epoch": row["epoch"], "thresholds": thresholds.to_json()}
        state = {
            **self.learner.state(),
            "thresholds": torch.from_numpy(thresholds.thresholds.copy()),
            "rows": self.rows,
            "best": self.best,
        }
        save_state(self.out / "checkpoint.pt", state)
        self._write_files(state)
        self.progress.note(_in_words(row, self.settings))
        if perf_counter() - self._last_drawing > SECONDS_BETWEEN_DRAWINGS:
            self._draw()

    def _write_files(self, state: dict[str, Any]) -> None:
        """Write the files derived from a checkpoint; a resumed run writes them again."""
        if self.best["epoch"] == len(self.rows):
            best = {name: state[name] for name in ("network", "loss", "thresholds", "best")}
            save_state(self.out / "best.pt", best)
        write_text(self.out / "thresholds.json", self.best["thresholds"])
        write_rows(self.out / "epochs.csv", self.rows)

    def _find(self, scored: Scores, method: str, watch: Stopwatch) -> Thresholds:
        n_classes, objective = self.data.n_classes, self.settings.objective
        return find_in_stages(scored.scores, scored.labels, n_classes, objective, method, watch)

    def _time(self, method: str, scored: Scores, thresholds: Thresholds) -> Stopwatch:
        """Time another method, whose thresholds must have the same value."""
        watch = Stopwatch()
        other = self._find(scored, method, watch)
        if not isclose(other.value, thresholds.value, rel_tol=1e-9, abs_tol=1e-12):
            raise RuntimeError(
                f"methods {method} and {thresholds.method} must reach the same value, got "
                f"{other.value} and {thresholds.value}. Please report this with the scores."
            )
        return watch

    def _warm_up(self) -> None:
        """Compile the kernels, on arbitrary scores."""
        labels = self.data.training.labels
        scored = Scores(np.linspace(0, 1, len(labels), dtype=np.float32), labels)
        for method in {self.settings.method, *self.settings.time_also} - {LITERAL}:
            self._find(scored, method, Stopwatch())

    def _is_better(self, row: Row) -> bool:
        if self.best["epoch"] == 0:
            return True
        before = self.rows[self.best["epoch"] - 1]["validation_optimal"]
        now = row["validation_optimal"]
        return bool(now > before if self.settings.objective in KAPPAS else now < before)

    def _draw(self) -> None:
        s = self.settings
        title = f"{s.dataset}, {s.network}, {s.loss}"
        draw_curves(self.rows, title, s.objective, self.out / "curves.png")
        self._last_drawing = perf_counter()


def _describe(settings: Settings, data: FaceData, out: Path) -> None:
    """Write the settings, the numbers of pictures and the versions."""
    about = {
        "settings": settings.to_json(),
        "n_training": len(data.training),
        "n_validation": len(data.validation),
        "n_classes": data.n_classes,
        "left_out": data.notes,
        "versions": {name: version(name) for name in ("ordcut", "torch", "numpy")},
        "python": platform.python_version(),
        "threads": torch.get_num_threads(),
    }
    write_text(out / "run.json", json.dumps(about, indent=2))


def errors_by_labeling(
    scores: Array, labels: Array, thresholds: Thresholds, loss: nn.Module
) -> dict[str, float | None]:
    """Return the mean loss, or the kappa, of every labeling; None where the loss has no such one.

    ``optimal`` is by the thresholds, ``biases`` counts the learned biases at or below a score,
    ``likelihood`` takes the class of least expected cost, and ``rounding`` rounds the score.

    Examples
    --------
    >>> import numpy as np
    >>> from ordcut import optimal_thresholds
    >>> from ordcut.torch import CumulativeLinkLoss
    >>> scores, labels = np.array([0.1, 0.4, 0.6, 1.2], np.float32), np.array([0, 0, 0, 2])
    >>> found = optimal_thresholds(scores, labels, classes=range(3))
    >>> errors_by_labeling(scores, labels, found, CumulativeLinkLoss(3))
    {'optimal': 0.0, 'biases': 0.75, 'likelihood': 0.75, 'rounding': 0.5}
    """
    device = next((values.device for values in loss.parameters()), None)
    objective, classes = thresholds.objective, thresholds.classes
    by_name = every_labeling(torch.from_numpy(scores).to(device), thresholds, loss, objective)
    return {
        name: evaluate(labels, by_name[name].cpu().numpy(), objective, classes=classes)
        if name in by_name
        else None
        for name in LABELINGS
    }


def _in_words(row: Row, settings: Settings) -> str:
    seconds = sum(row[f"seconds_{stage}"] for stage in STAGES)
    return (
        f"epoch {row['epoch']} of {settings.epochs}: loss {row['loss']:.4f}, "
        f"{settings.objective} {row['training_optimal']:.4f} in training, "
        f"{row['validation_optimal']:.4f} in validation, {seconds:.1f} s"
    )
