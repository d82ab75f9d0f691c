"""A page about bands: their rates, their table, and how many there should be."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ordcut._core.errors import printable
from ordcut._core.thresholds import reason
from ordcut._core.views import STYLE, number, view
from ordcut.bands import BandPath, Bands
from ordcut.report.pages import Page, policy_for, read_asset

#: The size of a chart, and its margins: left, right, top, bottom.
WIDTH, HEIGHT, MARGINS = 760, 300, (70, 20, 15, 45)

#: The columns of the path that the page shows.
PATH_COLUMNS = (
    *("n_bands", "held_out", "excess", "standard_errors", "gini", "information_value"),
    *("smallest", "concentration"),
)


def page_of_bands(
    bands: Bands,
    *,
    score_name: str = "score",
    outcome_name: str = "the outcome",
    title: str | None = None,
    path: str | PathLike[str] | None = None,
) -> Page:
    """Return a page about bands, as HTML text.

    It is a single file without scripts that needs no network, and holds sums over bands, never
    rows. The numbers of bands are compared if ``bands.path`` has been computed.

    Parameters
    ----------
    bands : Bands
        The bands.
    score_name, outcome_name : str
        The names of the score and of the outcome.
    title : str, optional
        The title of the page.
    path : str or path, optional
        A file to write the page to.

    Returns
    -------
    str
        The page; a notebook shows it.

    Examples
    --------
    >>> import ordcut
    >>> bands = ordcut.optimal_bands([1, 2, 3, 4], [0, 0, 1, 1], n_bands=2)
    >>> "<title>Bands of score</title>" in page_of_bands(bands)
    True
    """
    title = f"Bands of {score_name}" if title is None else title
    table = bands.table().drop(columns=["step", "overlaps", "squared_share"])  # sentences say it
    what = "mean" if bands.kind == "numbers" else "rate"
    rows: Any = [[str(row[0]), *map(float, row[1:])] for row in table.itertuples(index=False)]
    sections = [
        _section(f"{what} of {outcome_name} by {score_name}, with 95 % intervals", _rates(bands)),
        _section("", view("", [*table.columns], rows, notes=bands.sentences())),
    ]
    if bands.known_path is not None:
        found = bands.known_path
        columns = [getattr(found, name).tolist() for name in PATH_COLUMNS]
        heads = [name.replace("_", " ") for name in PATH_COLUMNS]
        note = (
            f"{found.best} is the smallest number of bands whose loss on rows left out is within a "
            "standard error of the lowest."
        )
        chart = _path(found) + view("", heads, zip(*columns, strict=True), notes=[note])
        sections.append(_section("loss on rows left out, over the lowest", chart))
    rule = escape(printable(bands.to_sql(score_name)))
    sections.append(_section("the rule in SQL", f"<pre>{rule}</pre>"))
    parts = {
        "title": escape(printable(title)),
        "why": escape(printable(reason(bands, "on these rows"))),
        "sections": "".join(sections),
        "style": read_asset("page.css") + read_asset("bands.css") + re.sub("</?style>", "", STYLE),
    }
    parts["policy"] = policy_for(parts["style"])
    body = re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], read_asset("bands.html"))
    page = Page(body.replace(STYLE, ""))
    if path is not None:
        Path(path).write_text(page, encoding="utf-8")
    return page


def _section(title: str, content: str) -> str:
    return f'<section class="wide"><h2>{escape(printable(title))}</h2>{content}</section>'


class _Axes:
    """A chart as SVG: points in data coordinates, and ticks at round numbers."""

    def __init__(self, x: Sequence[float], y: Sequence[float]) -> None:
        self.ends = [(min(each), max(max(each), min(each) + 1e-300)) for each in (x, y)]
        self.shapes: list[str] = []

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point is, in pixels."""
        left, right, top, bottom = MARGINS
        (low, high), (least, most) = self.ends
        return (
            round(left + (x - low) / (high - low) * (WIDTH - left - right), 1),
            round(HEIGHT - bottom - (y - least) / (most - least) * (HEIGHT - top - bottom), 1),
        )

    def line(self, x: float, y: float, end: float, other: float, kind: str) -> None:
        """Draw a line between two points."""
        (a, b), (c, d) = self.at(x, y), self.at(end, other)
        self.shapes.append(f'<line class="{kind}" x1="{a}" y1="{b}" x2="{c}" y2="{d}"/>')

    def box(self, x: float, y: float, end: float, other: float) -> None:
        """Draw a box between two corners."""
        (a, b), (c, d) = self.at(x, other), self.at(end, y)
        size = f'width="{max(c - a, 1):.1f}" height="{max(d - b, 1):.1f}"'
        self.shapes.append(f'<rect class="box" x="{a}" y="{b}" {size}/>')

    def text(self, x: float, y: float, text: str, anchor: str, move: tuple[int, int]) -> None:
        """Write text at a point, moved by some pixels."""
        a, b = self.at(x, y)
        self.shapes.append(
            f'<text x="{a + move[0]}" y="{b + move[1]}" text-anchor="{anchor}">'
            f"{escape(printable(text))}</text>"
        )

    def ticks(self, x: Sequence[float]) -> str:
        """Return the chart, with ticks at the given numbers below it."""
        (low, high), (least, most) = self.ends
        for value in x:
            self.text(value, least, number(value), "middle", (0, 18))
        for value in np.linspace(least, most, 5).tolist():
            self.line(low, value, high, value, "grid")
            self.text(low, value, f"{value:.3g}", "end", (-8, 4))
        shapes = "".join(self.shapes)
        return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img">{shapes}</svg>'


def _rates(bands: Bands) -> str:
    """Return the chart of the rate of each band, with its interval."""
    scores = bands.record.scores if bands.record is not None else None
    assert scores is not None
    inner = bands.thresholds.tolist()
    edges = [min(scores.low, *inner), *inner, max(scores.high, *inner)]
    intervals = np.where(
        np.isfinite(bands.rate_intervals()), bands.rate_intervals(), bands.rates[:, None]
    )
    lowest = min(0.0, float(intervals.min()))
    axes = _Axes([edges[0], edges[-1]], [lowest, float(intervals.max())])
    for k, name in enumerate(bands.classes.tolist()):
        start, end = edges[k : k + 2]
        rate = float(bands.rates[k])
        axes.box(start, *(float(intervals[k, 0]), end, float(intervals[k, 1])))
        axes.line(start, rate, end, rate, "rate")
        axes.text((start + end) / 2, float(intervals[k, 1]), str(name), "middle", (0, -4))
    return axes.ticks(edges)


def _path(path: BandPath) -> str:
    """Return the chart of the loss on rows left out by the number of bands."""
    excess, errors = path.excess, path.standard_errors
    numbers = path.n_bands.tolist()
    axes = _Axes([0.5, numbers[-1] + 0.5], [0.0, float((excess + errors).max())])
    for x, y, error in zip(numbers, excess.tolist(), errors.tolist(), strict=True):
        axes.line(x, max(y - error, 0.0), x, y + error, "error")
        axes.line(x - 0.1, y, x + 0.1, y, "rate" if x == path.best else "dot")
    return axes.ticks(numbers)
