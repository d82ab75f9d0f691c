"""The paper's Table 1 with times of your own runs, and their ratios next to the published ones."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.files import read_rows
from experiments.published import EPOCHS, PUBLISHED
from experiments.settings import STUDY_FILE, Settings, read_run
from experiments.stages import LITERAL, STAGES, THRESHOLD_STAGES

#: The methods that others are compared with, in order of preference: the paper's DP is written in
#: Python loops.
BASELINES = (LITERAL, "dp")

#: What the rows of the table mean.
LEGEND = """\
Legend
  1DT          one-dimensional transformation: the network, which returns a score per picture
  Line P1      scores of all training pictures by the network as it is after the epoch
  P2 and P3    sort the scores, and group the labels by score
  P4 and P5    losses and candidates of thresholds, which the solvers of ordcut do without
  VE           validation error: scores and labels of the validation pictures
  DP, IO, PIO  dynamic programme, independent optimisation, the same in parallel (Algorithms 2, 3)
  literal      the paper's DP as loops over Python lists
  no P1        thresholds found for the scores of the training itself (--scores training-pass)"""


@dataclass(frozen=True)
class MethodTimes:
    """Seconds per epoch by stage, means over the epochs of a run, for one method.

    Examples
    --------
    >>> seconds = dict.fromkeys(STAGES, 0.0) | {"training": 6.0, "p1": 3.0, "thresholds": 1.0}
    >>> times = MethodTimes(Settings("afad"), "dp", 147976, 26, 100, seconds)
    >>> times.total, times.total_without_p1, times.threshold_share
    (10.0, 7.0, 0.1)
    >>> table_rows([times])[0]["total"]  # minutes for 100 epochs
    16.666666666666668
    """

    settings: Settings
    method: str
    n_training: int
    n_classes: int
    n_epochs: int
    seconds: dict[str, float]

    @property
    def total(self) -> float:
        """The seconds of an epoch."""
        return sum(self.seconds.values())

    @property
    def total_without_p1(self) -> float:
        """The seconds of an epoch whose scores come from the training pass."""
        return self.total - self.seconds["p1"]

    @property
    def threshold_share(self) -> float:
        """The share of an epoch from scores to thresholds."""
        return sum(self.seconds[stage] for stage in THRESHOLD_STAGES) / self.total

    @property
    def task(self) -> tuple[Any, ...]:
        """The task; two methods are compared only on the same one."""
        s = self.settings
        sizes = self.n_training, self.n_classes, s.image_size, s.batch_size
        return s.dataset, s.network, *sizes, s.amp, s.devices


def run_folders(folder: Path) -> list[Path]:
    """Return the folders of the runs in an --out folder: itself, or those of a study."""
    if not (folder / STUDY_FILE).is_file():
        return [folder]
    settings = Settings.from_json(read_run(folder, STUDY_FILE)["settings"])
    begun = [folder / name for name in settings.runs() if (folder / name / "run.json").is_file()]
    return begun or [folder]


def read_times(folder: Path) -> list[MethodTimes]:
    """Return the times in the folder of a run, or of several, for each method that was timed."""
    folders = run_folders(folder)
    about = read_run(folders[0])
    files = [run / "epochs.csv" for run in folders]
    rows = [row for file in files if file.is_file() for row in read_rows(file)]
    if not rows:
        raise ValueError(f"{folder} must be a run with at least one epoch, got none.")
    settings = Settings.from_json(about["settings"])

    def mean(column: str) -> float:
        return sum(row[column] or 0.0 for row in rows) / len(rows)

    sizes = about["n_training"], about["n_classes"], len(rows)
    own = {stage: mean(f"seconds_{stage}") for stage in STAGES}
    times = [MethodTimes(settings, settings.method, *sizes, own)]
    for method in settings.time_also:
        others = {stage: mean(f"seconds_{stage}_{method}") for stage in THRESHOLD_STAGES}
        times.append(MethodTimes(settings, method, *sizes, own | others))
    return times


def table_rows(times: list[MethodTimes]) -> list[dict[str, Any]]:
    """Return one row per method: minutes for 100 epochs by stage, and the ratio to the DP.

    The DP is the paper's literal loops if they were timed for the same task, else ``dp``.
    """
    rows = []
    for one in times:
        base = _baseline(one, times)
        rows.append(
            {
                "data set": one.settings.dataset,
                "network": one.settings.network,
                "n": one.n_training,
                "K": one.n_classes,
                "method": one.method,
                "scores": one.settings.scores,
                "epochs": one.n_epochs,
                **{stage: _minutes(seconds) for stage, seconds in one.seconds.items()},
                "total": _minutes(one.total),
                "threshold share": one.threshold_share,
                "DP": base.method if base else None,
                "over DP": one.total / base.total if base else None,
                "over DP without P1": one.total_without_p1 / base.total if base else None,
                **{f"paper, {name} over DP": published_ratio(one, name) for name in ("io", "pio")},
            }
        )
    return rows


def published_ratio(times: MethodTimes, algorithm: str) -> float | None:
    """Return the paper's ratio of total times for a data set and network, if it has one."""
    paper = PUBLISHED.get(times.settings.dataset)
    network = times.settings.network
    if paper is None or network not in paper.training:
        return None
    return paper.total(network, algorithm) / paper.total(network, "dp")


def describe(times: list[MethodTimes]) -> str:
    """Return the table as text: one block per task, with one column per method, and a legend."""
    tasks = dict.fromkeys(one.task for one in times)
    blocks = [_block([one for one in times if one.task == task]) for task in tasks]
    return "\n\n".join([*blocks, LEGEND])


def _block(group: list[MethodTimes]) -> str:
    first = group[0]
    s = first.settings
    lines = [("minutes for 100 epochs", [_name(one) for one in group])]
    for stage, words in STAGES.items():
        lines.append((words, [f"{_minutes(one.seconds[stage]):.4g}" for one in group]))
    lines.append(("Total", [f"{_minutes(one.total):.4g}" for one in group]))
    lines.append(
        ("From scores to thresholds, of total", [f"{o.threshold_share:.3%}" for o in group])
    )
    base = _baseline(first, group)
    if base is not None:
        words = f"Total over that of {_name(base)}"
        lines.append((words, [f"{one.total / base.total:.3f}" for one in group]))
        lines.append(
            ("  without line P1", [f"{one.total_without_p1 / base.total:.3f}" for one in group])
        )
    title = f"{s.dataset}, {s.network}, n = {first.n_training}, K = {first.n_classes}"
    counts = sorted({one.n_epochs for one in group})
    epochs = " or ".join(map(str, counts)) + (" epoch" if counts == [1] else " epochs")
    extrapolated = (
        f"Times are means of {epochs}, extrapolated to the {EPOCHS} epochs of the paper's table."
        if counts != [EPOCHS]
        else f"Times were measured over {EPOCHS} epochs, as in the paper's table."
    )
    ratios = [(name, published_ratio(first, name)) for name in ("io", "pio")]
    note = "The paper has no such run; its ratios t_PIO / t_DP are 0.53 to 0.66."
    if ratios[0][1] is not None:
        stated = ", ".join(f"t_{name.upper()} / t_DP = {ratio:.2f}" for name, ratio in ratios)
        note = f"The paper, on its GPU and CPUs: {stated}."
    return "\n".join([title, *(_aligned(*line) for line in lines), extrapolated, note])


def _name(times: MethodTimes) -> str:
    is_usual = times.settings.scores == "evaluation-pass"
    return times.method if is_usual else f"{times.method}, no P1"


def _aligned(words: str, cells: list[str]) -> str:
    return f"  {words:38}" + "".join(f"{cell:>16}" for cell in cells)


def _baseline(one: MethodTimes, times: list[MethodTimes]) -> MethodTimes | None:
    """Return what a method is compared with: from the same run if possible, else the same task."""
    alike = [other for other in times if other.task == one.task and other.seconds["p1"] > 0]
    alike.sort(key=lambda other: other.settings != one.settings)
    for method in BASELINES:
        for other in alike:
            if other.method == method:
                return other
    return None


def _minutes(seconds: float) -> float:
    """Return the minutes for as many epochs as in the paper's table."""
    return seconds * EPOCHS / 60
