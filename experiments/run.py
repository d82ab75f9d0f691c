"""One run of the experiment: train, find thresholds after every epoch, and validate them."""

from __future__ import annotations

import json
import platform
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch

from experiments.curves import draw_curves
from experiments.datasets import (
    FaceData,
    PictureSet,
    divide,
    load_faces,
    reload_faces,
)
from experiments.estimate import describe_duration, seconds_per_epoch
from experiments.files import load_state, save_state, write_rows, write_text
from experiments.logs import make_log, require_tensorboard
from experiments.measures import best_epochs, is_better, judge_labelings, optimal_for
from experiments.pictures import Batches, Pictures
from experiments.pretrained import load_pretrained
from experiments.processes import Process, choose_accelerator, launch
from experiments.progress import Progress
from experiments.settings import LABELINGS, Settings, read_run
from experiments.splits import write_split
from experiments.stages import (
    EVALUATION,
    FEWEST_CALLS,
    STAGES,
    Stopwatch,
    Task,
    check_method,
    find_in_stages,
    time_methods,
    warm_up,
)
from experiments.training import NETWORKS, Learner
from experiments.versions import made_with
from ordcut import Thresholds, evaluate

Row = dict[str, Any]

#: The least time between two drawings of the learning curves; they are also drawn at the end.
SECONDS_BETWEEN_DRAWINGS = 60.0

#: The smallest side of pictures for mixed precision. For smaller ones, the last layers get single
#: pixels, and the gradient of a strided convolution of a single pixel in bfloat16 on a CPU contains
#: uninitialised memory (torch 2.13), so that every run would differ.
LEAST_MIXED_SIZE = 19


def start_run(
    settings: Settings,
    out: Path,
    progress: Progress | None = None,
    pictures: PictureSet | None = None,
) -> list[Row]:
    """Load the data, train, and write all results to a folder; return one row per epoch.

    Parameters
    ----------
    settings : Settings
        The settings of one run.
    out : Path
        The folder for all output, which must not contain a run.
    progress : Progress, optional
        Where to report progress; by default nowhere.
    pictures : PictureSet, optional
        The pictures, if several runs share them; by default they are read.
    """
    progress = progress or Progress()
    if settings.is_study:
        raise ValueError(
            "start_run needs the settings of one run, got those of "
            f"{len(settings.runs())} (seeds, folds). Use start_study."
        )
    if any((out / name).exists() for name in ("run.json", "checkpoint.pt")):
        raise FileExistsError(
            f"{out} already contains a run. Continue it with --resume, or choose another --out."
        )
    notes = check_start(settings)
    data = load_faces(settings, progress) if pictures is None else divide(pictures, settings)
    for note in (*data.notes, *notes):
        progress.note(note)
    out.mkdir(parents=True, exist_ok=True)
    for name, part in data.parts.items():
        write_split(part, out / f"{name}.csv")
    _write_description(settings, data, out)  # last: a folder with this file can be resumed
    return _finish(settings, data, out, progress)


def resume_run(out: Path, given: dict[str, Any], progress: Progress | None = None) -> list[Row]:
    """Continue the run in a folder after its last checkpoint; return one row per epoch.

    Parameters
    ----------
    out : Path
        The folder of the run.
    given : dict
        Settings that are passed again. They must equal those of the run, except for the number of
        epochs without a schedule, the workers, the device and the log.
    progress : Progress, optional
        Where to report progress; by default nowhere.
    """
    progress = progress or Progress()
    description = read_run(out)
    settings = Settings.from_json(description["settings"]).continued_with(given)
    check_settings(settings)
    data = replace(reload_faces(settings, out), notes=description["left_out"])
    _write_description(settings, data, out)
    return _finish(settings, data, out, progress)


def check_start(settings: Settings) -> list[str]:
    """Raise an error if a run would fail later, and return notes about pretrained parameters."""
    check_settings(settings)
    if settings.pretrained is None:
        return []
    network = NETWORKS[settings.network](3)  # parameters do not depend on the number of classes
    return load_pretrained(network, Path(settings.pretrained))


def check_settings(settings: Settings) -> None:
    """Raise an error if a run that is started or resumed would fail later."""
    for method in (settings.method, *settings.time_also):
        check_method(method, settings.objective)
    if settings.amp and settings.image_size < LEAST_MIXED_SIZE:
        raise ValueError(
            f"--amp needs --image-size of {LEAST_MIXED_SIZE} or more, got {settings.image_size}: "
            "on a CPU, torch computes wrong gradients for smaller pictures."
        )
    if settings.devices > 1:
        choose_accelerator(settings.accelerator, settings.devices)
    if settings.log == "tensorboard":
        require_tensorboard()


def _finish(settings: Settings, data: FaceData, out: Path, progress: Progress) -> list[Row]:
    """Run the remaining epochs, in this process or in several."""
    if settings.devices == 1:
        process = Process(torch.device(settings.device))
        return Run(settings, data, out, progress, process).finish()
    arguments = settings, out, type(progress)
    launch(settings.devices, settings.accelerator, _run_in_process, *arguments)
    rows: list[Row] = load_state(out / "checkpoint.pt")["rows"]
    return rows


def _run_in_process(process: Process, settings: Settings, out: Path, kind: type[Progress]) -> None:
    """Run the remaining epochs in one of several processes, of which the main one writes files."""
    progress = kind() if process.is_main else Progress()
    Run(settings, reload_faces(settings, out), out, progress, process).finish()


class Run:
    """A run in progress, which starts from the checkpoint in its folder, if there is one.

    Attributes
    ----------
    rows : list of dict
        One row per completed epoch.
    times : list of dict
        The seconds of each epoch, stage and network, implementation or method.
    labelings : list of dict
        The value of each epoch, part, task loss and labeling.
    best : dict
        The best epoch by validation, with its thresholds as JSON.
    """

    def __init__(
        self, settings: Settings, data: FaceData, out: Path, progress: Progress, process: Process
    ) -> None:
        self.settings, self.data, self.out, self.progress = settings, data, out, progress
        self.process = process
        self.learner = Learner(settings, data.n_classes, process)
        self.training, self.validation = map(self._batches, (data.training, data.validation))
        self.test = None if data.test is None else self._batches(data.test)
        self.rows: list[Row] = []
        self.times: list[Row] = []
        self.labelings: list[Row] = []
        self.best: dict[str, Any] = {"epoch": 0, "thresholds": ""}
        self.log = make_log(settings.log if process.is_main else "csv", out)
        self._last_drawing = perf_counter()

    def _batches(self, part: Pictures) -> Batches:
        s = self.settings
        share, pinned = self.process.share, self.process.is_on_gpu
        return Batches(part, s.crop, s.seed, s.batch_size, s.workers, share, pinned)

    def finish(self) -> list[Row]:
        """Run the remaining epochs."""
        checkpoint = self.out / "checkpoint.pt"
        if checkpoint.is_file():
            self.restore(load_state(checkpoint))
        else:
            self.learner.load_pretrained()
        self.log.restart(self.rows)
        epochs = range(len(self.rows) + 1, self.settings.epochs + 1)
        if epochs:
            methods = [self.settings.method, *self.settings.time_also]
            labels, n_classes = self.data.training.labels, self.data.n_classes
            warm_up(methods, labels, n_classes, self.settings.objective)
            self._announce(len(epochs))
        with torch.backends.cudnn.flags(enabled=True, deterministic=True):
            for epoch in epochs:
                self.epoch(epoch)
        if self.rows and self.process.is_main:
            self._draw()
        self.log.close()
        return self.rows

    def _announce(self, n_epochs: int) -> None:
        """Report about how long the epochs will take here."""
        seconds = n_epochs * seconds_per_epoch(self.settings, self.data, self.process)
        epochs = "1 epoch" if n_epochs == 1 else f"{n_epochs} epochs"
        self.progress.note(
            f"{epochs} will take about {describe_duration(seconds)} here, by the time of a few "
            "batches."
        )

    def restore(self, state: dict[str, Any]) -> None:
        """Restore the state of a checkpoint, and write the files that are derived from it."""
        self.learner.load(state)
        self.rows, self.best = state["rows"], state["best"]
        self.times, self.labelings = state["times"], state["labelings"]
        if self.process.is_main:
            self._write_files(state)

    def epoch(self, epoch: int) -> None:
        """Train for an epoch, find thresholds, validate them, and save all results."""
        s, learner, watch = self.settings, self.learner, Stopwatch(self.learner.wait)
        title = f"epoch {epoch} of {s.epochs}"
        bar, n_batches, lr = self.progress.bar, len(self.training), learner.lr
        with bar(f"{title}: training", n_batches) as advance, watch("training"):
            loss, scores = learner.train(self.training, epoch, advance)
        if s.scores == "evaluation-pass":
            with bar(f"{title}: line P1", n_batches) as advance, watch("p1"):
                scores = learner.score(self.training, advance)
        task = Task(scores.scores, scores.labels, self.data.n_classes, s.objective)
        thresholds = find_in_stages(task, s.method, watch)
        with bar(f"{title}: validation", len(self.validation)) as advance, watch("validation"):
            held_out = learner.score(self.validation, advance)
            predicted = thresholds.predict(held_out.scores)
            error = evaluate(held_out.labels, predicted, s.objective, classes=thresholds.classes)
        with watch(EVALUATION):
            optima = optimal_for(scores, self.data.n_classes, s.tasks)
            optima[s.objective] = thresholds
            results = judge_labelings("validation", held_out, optima, learner.loss)
            if self.test is not None:
                with bar(f"{title}: test", len(self.test)) as advance:
                    test_scores = learner.score(self.test, advance)
                results += judge_labelings("test", test_scores, optima, learner.loss)
        row: Row = {"epoch": epoch, "lr": lr, "loss": loss, "training_optimal": thresholds.value}
        row |= dict.fromkeys((f"validation_{labeling}" for labeling in LABELINGS), None)
        row |= {
            f"validation_{result['labeling']}": result["value"]
            for result in results
            if (result["part"], result["task"]) == ("validation", s.objective)
        }
        row |= {"validation_optimal": error}
        row |= {f"seconds_{stage}": seconds for stage, seconds in watch.seconds.items()}
        self.rows.append(row)
        self.labelings += [{"epoch": epoch, **result} for result in results]
        if self.best["epoch"] == 0 or is_better(error, self._best_error, s.objective):
            self.best = {"epoch": epoch, "thresholds": thresholds.to_json(time=False)}
        if self.process.is_main:
            self.times += [{"epoch": epoch, **time} for time in self._times(task, thresholds, row)]
            self.save(thresholds)

    @property
    def _best_error(self) -> float:
        return float(self.rows[self.best["epoch"] - 1]["validation_optimal"])

    def _times(self, task: Task, thresholds: Thresholds, row: Row) -> list[Row]:
        """Return the seconds of the stages of an epoch, and of the methods to time as well.

        Short runs time methods several times per epoch, so that there are enough calls.
        """
        s = self.settings
        network = [
            {"stage": stage, "of": s.network, "seconds": row[f"seconds_{stage}"]}
            for stage in ("training", "p1", "validation", EVALUATION)
            if stage != "p1" or s.scores == "evaluation-pass"
        ]
        n_calls = -(-FEWEST_CALLS // s.epochs)
        methods = tuple(dict.fromkeys((s.method, *s.time_also)))
        return network + time_methods(task, methods, thresholds.value, n_calls)

    def save(self, thresholds: Thresholds) -> None:
        """Write the checkpoint of an epoch, and then the files that are derived from it."""
        state = {
            **self.learner.state(),
            "thresholds": torch.from_numpy(thresholds.thresholds.copy()),
            "rows": self.rows,
            "times": self.times,
            "labelings": self.labelings,
            "best": self.best,
        }
        save_state(self.out / "checkpoint.pt", state)
        self._write_files(state)
        self.log.append(self.rows[-1])
        self.progress.note(_describe_epoch(self.rows[-1], self.settings))
        if perf_counter() - self._last_drawing > SECONDS_BETWEEN_DRAWINGS:
            self._draw()

    def _write_files(self, state: dict[str, Any]) -> None:
        """Write the files that are derived from a checkpoint."""
        if self.best["epoch"] == len(self.rows):
            best = {name: state[name] for name in ("network", "loss", "thresholds", "best")}
            save_state(self.out / "best.pt", best)
        write_text(self.out / "thresholds.json", self.best["thresholds"])
        write_rows(self.out / "epochs.csv", self.rows)
        write_rows(self.out / "times.csv", self.times)
        write_rows(self.out / "labelings.csv", self.labelings)
        write_rows(self.out / "results.csv", best_epochs(self.labelings))

    def _draw(self) -> None:
        s = self.settings
        title = f"{s.dataset}, {s.network}, {s.loss}"
        draw_curves(self.rows, title, s.objective, self.out / "curves.png")
        self._last_drawing = perf_counter()


def _write_description(settings: Settings, data: FaceData, out: Path) -> None:
    """Write the settings, the numbers of pictures and the versions to ``run.json``."""
    description = {
        "settings": settings.to_json(),
        **{f"n_{name}": len(part) for name, part in data.parts.items()},
        "n_classes": data.n_classes,
        "left_out": data.notes,
        "versions": {
            **made_with(),
            "torch": str(torch.__version__),
            "numpy": np.__version__,
        },
        "python": platform.python_version(),
        "threads": torch.get_num_threads(),
    }
    write_text(out / "run.json", json.dumps(description, indent=2))


def _describe_epoch(row: Row, settings: Settings) -> str:
    seconds = sum(row[f"seconds_{stage}"] for stage in STAGES)
    return (
        f"epoch {row['epoch']} of {settings.epochs}: loss {row['loss']:.4f}, "
        f"{settings.objective} {row['training_optimal']:.4f} in training, "
        f"{row['validation_optimal']:.4f} in validation, {seconds:.1f} s"
    )
