"""Pages: one HTML file each, which can run only its own script."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ordcut._core.data import ClassWeight, Rows
from ordcut._core.errors import printable
from ordcut._core.numerics.threads import count_threads
from ordcut._core.objectives import ObjectiveLike, n_classes_of
from ordcut._core.pruning import ArraySource, Source
from ordcut._core.thresholds import Thresholds
from ordcut._core.typing import Array, ArrayLike
from ordcut.panels import Panel, PanelSource
from ordcut.report.content import as_json, compact, page_content, with_marks_escaped

if TYPE_CHECKING:
    from ordcut._core.uncertainty import Bootstrap
    from ordcut.frames import Nulls

#: The scripts of a page, in the order in which they need each other.
SCRIPTS = (
    "model.js",
    "numbers.js",
    "rules.js",
    "drawing.js",
    "risks.js",
    "sliders.js",
    "charts.js",
    "tables.js",
    "limits.js",
    "people.js",
    "words.js",
    "page.js",
)


class Page(str):
    """An HTML page as text; a notebook shows the page itself.

    Examples
    --------
    >>> Page("<p>Scores</p>")
    Page(13 characters; write it to a file, or show it in a notebook)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Page({len(self)} characters; write it to a file, or show it in a notebook)"

    def _repr_html_(self) -> str:
        allowed = "allow-scripts allow-downloads"  # no access to the notebook around it
        style = "width:100%;height:900px;border:0"
        return f'<iframe sandbox="{allowed}" style="{style}" srcdoc="{escape(self)}"></iframe>'


def page(
    scores: ArrayLike,
    labels: ArrayLike,
    *,
    thresholds: Thresholds | None = None,
    objective: ObjectiveLike | None = None,
    classes: Sequence[Any] | Array | None = None,
    sample_weight: ArrayLike | None = None,
    class_weight: ClassWeight | None = None,
    bootstrap: Bootstrap | Literal[False] | None = None,
    score_name: str = "score",
    label_name: str = "label",
    title: str | None = None,
    n_jobs: int | None = None,
    path: str | PathLike[str] | None = None,
) -> Page:
    """Return an interactive page about thresholds on scores and labels, as HTML text.

    Parameters
    ----------
    scores : array-like of shape (n_samples,)
        Finite scores; higher means a higher class.
    labels : array-like of shape (n_samples,) or (n_samples, n_classes)
        The true classes, or soft labels; or an :class:`ordcut.Panel`, and the page also shows how
        well people agree with each other and the thresholds with them, with the names, scores and
        ratings of up to ten items on which the thresholds differ most from everybody.
    thresholds : Thresholds, optional
        The initial thresholds; by default the optimal ones. For each constraint on them, the page
        shows whether it holds as they are moved.
    objective : str, array-like of shape (D, K), callable, Kappa or Objective, optional
        The initial objective; by default the one that ``thresholds`` were found for, or
        ``"absolute"``. All objectives with a name can be selected on the page, unless decisions
        are not the classes.
    classes : sequence, optional
        All classes, lowest first; the classes of ``thresholds`` by default.
    sample_weight, class_weight
        As in :func:`ordcut.optimal_thresholds`.
    bootstrap : Bootstrap or False, optional
        The result of :meth:`ordcut.Thresholds.bootstrap` for the initial thresholds, of which the
        page shows 95 % intervals of the thresholds and of their value. By default, the page
        computes them where that is quick: for optimal thresholds of up to 20,000 rows without
        weights, smoothing and constraints. False leaves them out.
    score_name, label_name : str
        The names of the scores and of the labels in your data.
    title : str, optional
        The title of the page.
    n_jobs : int, optional
        The number of threads, -1 for one per core. By default one.
    path : str or path, optional
        A file to write the page to, which opens in any browser.

    Returns
    -------
    str
        The page, below 600 kB for any number of rows; a notebook shows it.

    Examples
    --------
    >>> text = page([0.1, 0.4, 0.5, 0.9], [0, 0, 1, 2], title="Four rows")
    >>> "<title>Four rows</title>" in text
    True
    """
    thresholds, intervals = _with_intervals(thresholds, bootstrap)
    n_threads = count_threads(n_jobs)  # first: an error must not wait for the data
    known = known_classes(thresholds, objective, classes)
    source = (
        PanelSource.of(scores, labels, weights=sample_weight, n_threads=n_threads, **known)
        if isinstance(labels, Panel)
        else ArraySource(Rows.read(scores, labels, weights=sample_weight, **known), n_threads)
    )
    names: dict[str, Any] = {"score_name": score_name, "label_name": label_name, "title": title}
    text = page_from_source(source, thresholds, objective, class_weight, intervals, **names)
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def page_from_frame(
    frame: Any,
    *,
    score: str,
    label: str,
    weight: str | None = None,
    thresholds: Thresholds | None = None,
    objective: ObjectiveLike | None = None,
    classes: Sequence[Any] | Array | None = None,
    class_weight: ClassWeight | None = None,
    bootstrap: Bootstrap | Literal[False] | None = None,
    title: str | None = None,
    nulls: Nulls = "raise",
) -> Page:
    """Return an interactive page about thresholds on a frame of any engine, as HTML text.

    Rows stay in the engine, which counts them; up to 20,000 are fetched.

    Parameters
    ----------
    frame : dataframe
        A frame of any library that narwhals supports: pandas, Polars, DuckDB, Dask, PySpark, ...
    score, label : str
        The names of the columns with the scores and the true classes.
    weight : str, optional
        The name of the column of row weights.
    thresholds, objective, classes, class_weight, bootstrap, title
        As in :func:`page`.
    nulls : {"raise", "drop"}
        Whether rows with a null or NaN score, label or weight raise an error or are dropped.

    Returns
    -------
    str
        The page, below 600 kB for any number of rows; a notebook shows it.

    Examples
    --------
    >>> import duckdb
    >>> rows = duckdb.sql("select i / 10 as risk, i // 40 as grade from range(100) t(i)")
    >>> text = page_from_frame(rows, score="risk", label="grade")
    >>> "<title>Thresholds for grade</title>" in text
    True
    """
    from ordcut.frames import FrameSource

    thresholds, intervals = _with_intervals(thresholds, bootstrap)
    known = known_classes(thresholds, objective, classes)
    source = FrameSource(frame, score=score, label=label, weight=weight, nulls=nulls, **known)
    names: dict[str, Any] = {"score_name": score, "label_name": label, "title": title}
    try:
        return page_from_source(source, thresholds, objective, class_weight, intervals, **names)
    finally:
        source.release()


def page_from_source(
    source: Source,
    thresholds: Thresholds | None = None,
    objective: ObjectiveLike | None = None,
    class_weight: ClassWeight | None = None,
    intervals: dict[str, Any] | None = None,
    *,
    score_name: str = "score",
    label_name: str = "label",
    title: str | None = None,
) -> Page:
    """Return the page about thresholds on the rows of a source, as HTML text."""
    content = page_content(source, thresholds, objective, class_weight, intervals)
    title = f"Thresholds for {label_name}" if title is None else title
    names = {"score": score_name, "label": label_name, "title": title}
    written = as_json(with_marks_escaped(compact(content) | names))
    parts = {"title": escape(printable(title)), "content": written, **_fixed_parts()}
    # In one pass, so that a name in the data that looks like a part of the page stays text.
    return Page(re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], read_asset("page.html")))


@cache
def _fixed_parts() -> dict[str, str]:
    """Return the style and the script of every page, and the policy that allows only these."""
    style = "\n" + read_asset("page.css")
    script = '\n"use strict";\n(() => {\n' + "\n".join(map(read_asset, SCRIPTS)) + "})();\n"
    return {"style": style, "script": script, "policy": policy_for(style, script)}


def policy_for(style: str, script: str | None = None) -> str:
    """Return a policy that allows only a style and a script, by their hashes.

    Nothing may be fetched or sent.
    """
    allowed = "'none'" if script is None else f"'{_hash(script)}'"
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src {allowed}; "
        "base-uri 'none'; form-action 'none'"
    )


def read_asset(name: str) -> str:
    """Return the text of a file of pages."""
    return (files("ordcut.report") / "assets" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def known_classes(
    thresholds: Thresholds | None,
    objective: ObjectiveLike | None,
    classes: Sequence[Any] | Array | None,
) -> dict[str, Any]:
    """Return the classes of rows, by default the thresholds', and how many an objective has."""
    if thresholds is not None and classes is None:
        classes = thresholds.classes
    has_decisions = thresholds is not None and thresholds.decides_otherwise
    n_classes = None if objective is None else n_classes_of(objective, has_decisions)
    return {"classes": classes, "n_classes": n_classes}


def _with_intervals(
    thresholds: Thresholds | None, bootstrap: Bootstrap | Literal[False] | None
) -> tuple[Thresholds | None, dict[str, Any] | None]:
    """Return the initial thresholds of a page and their intervals; an empty dict for none."""
    if not bootstrap:
        return thresholds, None if bootstrap is None else {}
    if thresholds is not None and thresholds != bootstrap.result:
        raise ValueError(
            "bootstrap must belong to the thresholds of the page, got a bootstrap of other "
            "thresholds. Pass thresholds.bootstrap(), or leave thresholds out."
        )
    return bootstrap.result, bootstrap.as_dict()
