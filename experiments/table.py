"""The paper's Table 1 with the times of your own runs, next to the published minutes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from experiments.files import read_rows
from experiments.layouts import LAYOUTS
from experiments.published import EPOCHS, PUBLISHED, PublishedTimes
from experiments.settings import NETWORKS, Settings, read_run
from experiments.stages import BLOCKS, EVALUATION

#: The algorithms of the paper by the names of the methods that run them, for each implementation.
ALGORITHMS: dict[str, dict[str, str]] = {
    "loops": {
        "literal": "DP",
        "literal-io": "IO",
        "literal-pio": "PIO",
        **{f"literal-blocks-{n}": f"Algorithm 4, L_par = {n}" for n in BLOCKS},
    },
    "ordcut": {
        "dp": "DP",
        "io": "IO",
        "pio": "PIO",
        **{f"blocks-{n}": f"Algorithm 4, L_par = {n}" for n in BLOCKS},
    },
}

#: The ratios of the paper, by the algorithm whose total time is divided by that of the DP.
RATIOS = ("IO", "PIO")


#: The meaning of the rows of the table.
LEGEND = """\
Legend
  1DT          one-dimensional transformation: the network, which returns a score per picture
  Line P1      scores of all training pictures by the network as it is after the epoch
  P2 and P3    sort the scores, and group the labels by score; the loops group with a dictionary
  P4 and P5    losses and candidates of thresholds, which the solvers of ordcut do not need
  VE           validation error: scores and labels of the validation pictures, and their loss
  DP           dynamic programme (Algorithm 2)
  IO, PIO      independent optimisation (Algorithm 3), in one process and parallel over thresholds
  Algorithm 4  independent optimisation in parallel over thresholds and L_par blocks of scores
  t_X / t_DP   the total of all stages with X over the total with the DP of the same implementation
Parallel loops, which are those of PIO, Algorithm 4 and line P4, run in one process per core; ordcut
runs PIO and Algorithm 4 in one thread per core."""


@dataclass(frozen=True)
class Cell:
    """Minutes for 100 epochs: the median, the quartiles and the number of measurements.

    A ratio has no quartiles. ``published`` is the number in the paper.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    published: float | None = None

    @property
    def shown(self) -> str:
        """The value and its quartiles as text."""
        if self.value is None:
            return "-"
        spread = "" if self.low is None else f" [{_short(self.low)}, {_short(self.high)}]"
        return f"{_short(self.value) if self.low is not None else f'{self.value:.3f}'}{spread}"

    @property
    def published_shown(self) -> str:
        """The published number as text."""
        return "-" if self.published is None else f"{self.published:.2f}"


@dataclass(frozen=True)
class Line:
    """A row of the table, with one cell per data set."""

    section: str
    name: str
    cells: tuple[Cell, ...]


@dataclass
class Times:
    """The seconds of the runs on one data set, by stage and by network, implementation or method.

    Attributes
    ----------
    settings : Settings
        The settings of the first run.
    n_training, n_classes : int
        The numbers of training pictures and of classes.
    seconds : dict
        One measurement per epoch and call, by stage and what was measured.
    """

    settings: Settings
    n_training: int
    n_classes: int
    seconds: dict[tuple[str, str], list[float]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The data set, with its size."""
        layout = LAYOUTS.get(self.settings.dataset)
        name = self.settings.dataset if layout is None else layout.title
        return f"{name}, n = {self.n_training}, K = {self.n_classes}"

    @property
    def published(self) -> PublishedTimes | None:
        """The published times of the data set, if there are any."""
        return PUBLISHED.get(self.settings.dataset)

    @property
    def networks(self) -> list[str]:
        """The networks that were trained."""
        trained = {of for stage, of in self.seconds if stage == "training"}
        return [network for network in NETWORKS if network in trained]

    def cell(self, stage: str, of: str) -> Cell:
        """Return the minutes of a stage."""
        published = None if self.published is None else self.published.minutes(stage, of)
        seconds = self.seconds.get((stage, of), [])
        if not seconds:
            return Cell(published=published)
        low, high = (_minutes(value) for value in np.quantile(seconds, [0.25, 0.75]).tolist())
        return Cell(_minutes(median(seconds)), low, high, len(seconds), published)

    def ratio(self, network: str, name: str, algorithm: str, *, has_p1: bool = True) -> Cell:
        """Return the total time with an algorithm over that with the DP, by medians."""
        methods = {title: method for method, title in ALGORITHMS[name].items()}
        own = self._total(network, name, methods[algorithm], has_p1)
        dp = self._total(network, name, methods["DP"], has_p1)
        value = None if own is None or dp is None else own / dp
        published, paper = None, self.published
        if paper is not None and name == "loops" and network in paper.training:
            p1 = 0.0 if has_p1 else paper.p1[network]
            totals = [paper.total(network, key) - p1 for key in (algorithm.lower(), "dp")]
            published = totals[0] / totals[1]
        return Cell(value, published=published)

    def _total(self, network: str, name: str, method: str, has_p1: bool) -> float | None:
        """Return the minutes of all stages with a method, or None if one was not timed."""
        stages = [("training", network), ("validation", network), ("thresholds", method)]
        stages += [("p1", network)] if has_p1 else []
        stages += [("p2_p3", name), ("p4_p5", name)]
        values = [self.cell(*stage).value for stage in stages]
        timed = [value for value in values if value is not None]
        return sum(timed) if len(timed) == len(values) else None

    def missing(self) -> list[str]:
        """Return what to add to a run so that the paper's rows have times."""
        s = self.settings
        flags = [
            f"--time-also {method}"
            for method in (*ALGORITHMS["loops"], "dp", "io", "pio")
            if ("thresholds", method) not in self.seconds
        ]
        if not any(stage == "p1" for stage, _ in self.seconds):
            flags.insert(0, "--scores evaluation-pass")
        if s.objective != "absolute" and flags:
            flags.insert(0, "--objective absolute")
        return flags


def read_times(folders: Iterable[Path]) -> list[Times]:
    """Return the times of all runs in folders, with one entry per data set and its size.

    A folder is the --out folder of a run, or contains those of several.
    """
    times: dict[tuple[Any, ...], Times] = {}
    for folder in folders:
        runs = sorted(file.parent for file in folder.rglob("run.json"))
        files = [run / "times.csv" for run in runs if (run / "times.csv").is_file()]
        if not runs:
            read_run(folder)  # raises the error
        if not files:
            raise ValueError(f"{folder} must have a run with at least one epoch, got none.")
        for file in files:
            description = read_run(file.parent)
            settings = Settings.from_json(description["settings"])
            sizes = description["n_training"], description["n_classes"]
            s = settings
            key = s.dataset, *sizes, s.image_size, s.batch_size, s.amp, s.devices, s.device
            own = times.setdefault(key, Times(settings, *sizes))
            for row in read_rows(file):
                own.seconds.setdefault((row["stage"], row["of"]), []).append(row["seconds"])
    order = [*LAYOUTS, *(t.settings.dataset for t in times.values())]
    return sorted(times.values(), key=lambda t: order.index(t.settings.dataset))


def table_lines(times: Sequence[Times]) -> list[Line]:
    """Return the rows of Table 1 for all data sets, and those of ordcut below."""
    networks = [name for name in NETWORKS if any(name in t.networks for t in times)]

    def line(section: str, name: str, stage: str, of: str) -> Line:
        return Line(section, name, tuple(t.cell(stage, of) for t in times))

    def network_lines(section: str, prefix: str, stage: str) -> list[Line]:
        return [line(section, f"{prefix}{network}", stage, network) for network in networks]

    def optimisation(name: str) -> list[Line]:
        section = "Optimization of threshold parameters"
        methods = ALGORITHMS[name].items()
        return [line(section, title, "thresholds", method) for method, title in methods]

    def ratios(name: str) -> list[Line]:
        return [
            Line(
                f"t_{algorithm} / t_DP{'' if has_p1 else ' without line P1'}",
                network,
                tuple(t.ratio(network, name, algorithm, has_p1=has_p1) for t in times),
            )
            for has_p1 in (True, False)
            for algorithm in RATIOS
            for network in networks
        ]

    preparation = "Preparation (Algorithm 1)"
    return [
        *network_lines("Training of 1DT", "", "training"),
        *network_lines(preparation, "Line P1, ", "p1"),
        line(preparation, "Lines P2 and P3", "p2_p3", "loops"),
        line(preparation, "Lines P4 and P5", "p4_p5", "loops"),
        *optimisation("loops"),
        *network_lines("Calculation of VE", "", "validation"),
        *ratios("loops"),
        *(
            Line(f"ordcut: {own.section}", own.name, own.cells)
            for own in [
                line(preparation, "Lines P2 and P3", "p2_p3", "ordcut"),
                *optimisation("ordcut"),
                *ratios("ordcut"),
            ]
        ),
        *network_lines("Other evaluation, not in totals", "", EVALUATION),
    ]


def table_notes(times: Sequence[Times]) -> list[str]:
    """Return sentences about the measurements, and about times that are missing."""
    counts = {len(values) for t in times for values in t.seconds.values()}
    epochs = {t.settings.epochs for t in times}
    least, most = min(counts), max(counts)
    n = f"{least}" if least == most else f"{least} to {most}"
    times_of = "1 epoch" if epochs == {1} else f"{', '.join(map(str, sorted(epochs)))} epochs"
    notes = [
        f"Medians and quartiles of {n} measurements in runs of {times_of}, times {EPOCHS}; ratios "
        "are those of sums of medians."
    ]
    for t in times:
        if t.missing():
            notes.append(
                f"{t.title}: for the rows without a time, run with {' '.join(t.missing())}."
            )
        if t.published is None:
            notes.append(f"{t.title}: the paper has no such data set.")
    return notes


def describe(times: Sequence[Times]) -> str:
    """Return the table as text, with a legend."""
    lines = table_lines(times)
    width = max(len(line.section) for line in lines) + 2
    inner = max(len(line.name) for line in lines) + 2
    column = max(max(len(c.shown) for line in lines for c in line.cells), 24) + 2
    column = max(column, *(len(t.title) - 8 for t in times))
    parts = ["Minutes for 100 epochs"]
    parts.append(" " * (width + inner) + "".join(f"{t.title:>{column + 10}}" for t in times))
    heads = f"{'here':>{column}}{'published':>10}" * len(times)
    parts.append(" " * (width + inner) + heads)
    section = ""
    for line in lines:
        first = line.section if line.section != section else ""
        section = line.section
        cells = "".join(f"{c.shown:>{column}}{c.published_shown:>10}" for c in line.cells)
        parts.append(f"{first:{width}}{line.name:{inner}}{cells}")
    return "\n".join([*parts, "", *table_notes(times), "", LEGEND])


def as_markdown(times: Sequence[Times]) -> str:
    """Return the table in Markdown."""
    heads = ["", ""]
    for t in times:
        heads += [t.title, "published"]
    rows = [heads, ["---"] * len(heads)]
    for line in table_lines(times):
        cells = [text for c in line.cells for text in (c.shown, c.published_shown)]
        rows.append([line.section, line.name, *cells])
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([*lines, "", *table_notes(times), ""])


def as_latex(times: Sequence[Times]) -> str:
    """Return the table in LaTeX, which needs the package booktabs."""
    heads = " & ".join(rf"\multicolumn{{2}}{{c}}{{{_latex(t.title)}}}" for t in times)
    lines = [
        rf"\begin{{tabular}}{{ll{'rr' * len(times)}}}",
        r"\toprule",
        rf"&& {heads} \\",
        r"&& " + " & ".join(["here & published"] * len(times)) + r" \\",
    ]
    section = None
    for line in table_lines(times):
        if line.section != section:
            lines.append(r"\midrule")
        first = _latex(line.section) if line.section != section else ""
        section = line.section
        cells = [text for c in line.cells for text in (c.shown, c.published_shown)]
        lines.append(" & ".join([first, _latex(line.name), *cells]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def as_rows(times: Sequence[Times]) -> list[dict[str, Any]]:
    """Return the table as rows, one per data set and row of the table, with all digits."""
    return [
        {
            "data set": t.settings.dataset,
            "n": t.n_training,
            "K": t.n_classes,
            "row": line.section,
            "of": line.name,
            "measurements": cell.n,
            "value": cell.value,
            "lower quartile": cell.low,
            "upper quartile": cell.high,
            "published": cell.published,
        }
        for line in table_lines(times)
        for t, cell in zip(times, line.cells, strict=True)
    ]


def _minutes(seconds: float) -> float:
    """Return the minutes of 100 epochs, as in the paper's table, for the seconds of one epoch."""
    return seconds * EPOCHS / 60


def _short(value: float | None) -> str:
    """Return minutes with three significant digits, and without an exponent.

    Examples
    --------
    >>> _short(12.345), _short(0.00012345), _short(1234.5)
    ('12.3', '0.000123', '1234')
    """
    assert value is not None
    digits = 2 - int(np.floor(np.log10(value))) if value > 0 else 0
    return f"{value:.{max(0, digits)}f}"


def _latex(text: str) -> str:
    r"""Return text for LaTeX, with the names of the paper's quantities as formulas.

    Examples
    --------
    >>> print(_latex("t_PIO / t_DP"), _latex("L_par = 2"))
    $t_{\mathrm{PIO}}$ / $t_{\mathrm{DP}}$ $L_{\mathrm{par}}$ = 2
    """
    words = []
    for word in text.split(" "):
        letter, _, index = word.partition("_")
        words.append(rf"${letter}_{{\mathrm{{{index}}}}}$" if index else word)
    return " ".join(words)
