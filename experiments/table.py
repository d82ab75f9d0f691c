"""The paper's Table 1 with the times of your own runs, next to the published ratios."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.files import read_rows
from experiments.published import EPOCHS, PUBLISHED
from experiments.settings import STUDY_FILE, Settings, read_run
from experiments.stages import STAGES, THRESHOLD_STAGES

#: The methods that others are compared with, in order of preference. The paper's own DP consists of
#: Python loops.
BASELINES = ("literal", "dp")

#: The meaning of the rows of the table.
LEGEND = """\
Legend
  1DT          one-dimensional transformation: the network, which returns a score per picture
  Line P1      scores of all training pictures by the network as it is after the epoch
  P2 and P3    sort the scores, and group the labels by score
  P4 and P5    losses and candidates of thresholds, which the solvers of ordcut do not need
  VE           validation error: scores and labels of the validation pictures
  DP           dynamic programme (Algorithm 2)
  IO, PIO      independent optimisation, in one thread and in parallel (Algorithm 3)
  literal      the paper's DP as loops over Python lists; literal-io and literal-pio: its IO and PIO
  no P1        thresholds found for the scores of the training itself (--scores training-pass)"""


@dataclass(frozen=True)
class MethodTimes:
    """The mean seconds of each stage of an epoch, for one method.

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
        """The data set, the network and the sizes; methods are compared only if these are equal."""
        s = self.settings
        sizes = self.n_training, self.n_classes, s.image_size, s.batch_size
        return s.dataset, s.network, *sizes, s.amp, s.devices


def run_folders(folder: Path) -> list[Path]:
    """Return the folders of the runs in an --out folder: the folder itself, or those of a study."""
    if not (folder / STUDY_FILE).is_file():
        return [folder]
    settings = Settings.from_json(read_run(folder, STUDY_FILE)["settings"])
    runs = [folder / name for name in settings.runs() if (folder / name / "run.json").is_file()]
    return runs or [folder]


def read_times(folder: Path) -> list[MethodTimes]:
    """Return the times of each method in the --out folder of a run or a study."""
    folders = run_folders(folder)
    description = read_run(folders[0])
    files = [run / "epochs.csv" for run in folders]
    rows = [row for file in files if file.is_file() for row in read_rows(file)]
    if not rows:
        raise ValueError(f"{folder} must be a run with at least one epoch, got none.")
    settings = Settings.from_json(description["settings"])

    def mean(column: str) -> float:
        return sum(row[column] or 0.0 for row in rows) / len(rows)

    sizes = description["n_training"], description["n_classes"], len(rows)
    seconds = {stage: mean(f"seconds_{stage}") for stage in STAGES}
    times = [MethodTimes(settings, settings.method, *sizes, seconds)]
    for method in settings.time_also:
        own = {stage: mean(f"seconds_{stage}_{method}") for stage in THRESHOLD_STAGES}
        times.append(MethodTimes(settings, method, *sizes, seconds | own))
    return times


def table_rows(times: list[MethodTimes]) -> list[dict[str, Any]]:
    """Return one row per method, with minutes for 100 epochs by stage, and the ratio to the DP.

    The DP is the paper's literal loops if they were timed for the same task, else ``dp``.
    """
    rows = []
    for method_times in times:
        dp = next(iter(_baselines(method_times, times)), None)
        rows.append(
            {
                "data set": method_times.settings.dataset,
                "network": method_times.settings.network,
                "n": method_times.n_training,
                "K": method_times.n_classes,
                "method": method_times.method,
                "scores": method_times.settings.scores,
                "epochs": method_times.n_epochs,
                **{stage: _minutes(seconds) for stage, seconds in method_times.seconds.items()},
                "total": _minutes(method_times.total),
                "threshold share": method_times.threshold_share,
                "DP": dp.method if dp else None,
                "over DP": method_times.total / dp.total if dp else None,
                "over DP without P1": method_times.total_without_p1 / dp.total if dp else None,
                **{
                    f"paper, {name} over DP": published_ratio(method_times, name)
                    for name in ("io", "pio")
                },
            }
        )
    return rows


def published_ratio(times: MethodTimes, algorithm: str) -> float | None:
    """Return the published ratio to the DP for the same data set and network, if there is one."""
    paper = PUBLISHED.get(times.settings.dataset)
    network = times.settings.network
    if paper is None or network not in paper.training:
        return None
    return paper.total(network, algorithm) / paper.total(network, "dp")


def describe(times: list[MethodTimes]) -> str:
    """Return the table as text, with one block per task, one column per method, and a legend."""
    tasks = dict.fromkeys(method_times.task for method_times in times)
    blocks = [_block([column for column in times if column.task == task]) for task in tasks]
    return "\n\n".join([*blocks, LEGEND])


def _block(columns: list[MethodTimes]) -> str:
    """Return the table of one task, with one column per method."""
    first = columns[0]
    s = first.settings
    lines = [_line("minutes for 100 epochs", [_name(column) for column in columns])]
    for stage, title in STAGES.items():
        lines.append(_line(title, [f"{_minutes(c.seconds[stage]):.4g}" for c in columns]))
    lines.append(_line("Total", [f"{_minutes(c.total):.4g}" for c in columns]))
    shares = [f"{c.threshold_share:.3%}" for c in columns]
    lines.append(_line("From scores to thresholds, of total", shares))
    for dp in _baselines(first, columns):
        ratios = [f"{c.total / dp.total:.3f}" for c in columns]
        lines.append(_line(f"Total over that of {_name(dp)}", ratios))
        ratios = [f"{c.total_without_p1 / dp.total:.3f}" for c in columns]
        lines.append(_line("  without line P1", ratios))
    title = f"{s.dataset}, {s.network}, n = {first.n_training}, K = {first.n_classes}"
    return "\n".join([title, *lines, _epochs_note(columns), _paper_note(first)])


def _epochs_note(columns: list[MethodTimes]) -> str:
    """Return a sentence about the epochs that times were measured over."""
    counts = sorted({column.n_epochs for column in columns})
    if counts == [EPOCHS]:
        return f"Times were measured over {EPOCHS} epochs, as in the paper's table."
    epochs = " or ".join(map(str, counts)) + (" epoch" if counts == [1] else " epochs")
    return f"Times are means of {epochs}, extrapolated to the {EPOCHS} epochs of the paper's table."


def _paper_note(times: MethodTimes) -> str:
    """Return a sentence about the ratios that the paper states for the same data and network."""
    ratios = {name: published_ratio(times, name) for name in ("io", "pio")}
    if None in ratios.values():
        return "The paper has no such run; its ratios t_PIO / t_DP are 0.53 to 0.66."
    text = ", ".join(f"t_{name.upper()} / t_DP = {ratio:.2f}" for name, ratio in ratios.items())
    return f"The paper, on its GPU and CPUs: {text}."


def _name(times: MethodTimes) -> str:
    has_p1 = times.settings.scores == "evaluation-pass"
    return times.method if has_p1 else f"{times.method}, no P1"


def _line(title: str, cells: list[str]) -> str:
    return f"  {title:38}" + "".join(f"{cell:>16}" for cell in cells)


def _baselines(method_times: MethodTimes, times: list[MethodTimes]) -> list[MethodTimes]:
    """Return the times of each DP for the same task, from the same run if possible."""
    candidates = [
        other for other in times if other.task == method_times.task and other.seconds["p1"] > 0
    ]
    candidates.sort(key=lambda other: other.settings != method_times.settings)
    of_method = {candidate.method: candidate for candidate in reversed(candidates)}
    return [of_method[method] for method in BASELINES if method in of_method]


def _minutes(seconds: float) -> float:
    """Return the minutes of 100 epochs, as in the paper's table, for the seconds of one epoch."""
    return seconds * EPOCHS / 60
