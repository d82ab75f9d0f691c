"""One interactive page about scores, classes and the thresholds between them.

The page is a single HTML file that needs no network. It holds counts, never rows, so that its size
does not depend on that of the data, and everything that it shows is computed from them exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from ordcut.arrays import Array, ArrayLike
from ordcut.checks import ClassWeight
from ordcut.objectives import ObjectiveLike, n_classes_of
from ordcut.report.facts import as_json, gather_facts
from ordcut.report.template import fill
from ordcut.sources.arrays import ArraySource
from ordcut.sources.base import Source
from ordcut.thresholds import Thresholds

__all__ = ["page", "write_report"]


def page(
    source: Source,
    found: Thresholds | None = None,
    *,
    objective: ObjectiveLike | None = None,
    class_weight: ClassWeight | None = None,
    score_name: str = "score",
    label_name: str = "label",
    title: str | None = None,
    n_jobs: int | None = None,
) -> str:
    """Return the page about thresholds on the rows of a source, as HTML text.

    Parameters
    ----------
    source : Source
        Where the rows are: arrays, or a frame of any size.
    found : Thresholds, optional
        The thresholds that the page opens with; those that are optimal by default.
    objective : str, array-like of shape (K, K), callable, Kappa or Objective, optional
        What the page judges by at first; the objective of ``found`` by default, where it has a
        name, and else ``"absolute"``. All objectives with a name can be chosen on the page.
    class_weight : "balanced", dict or array-like of shape (n_classes,), optional
        How much the rows of each class count, as it was when ``found`` was found.
    score_name, label_name : str
        What scores and labels are called in your data.
    title : str, optional
        The title of the page.
    n_jobs : int, optional
        The number of threads, -1 for one a core.

    Returns
    -------
    str
        The page, below 1 MB whatever the number of rows.

    Examples
    --------
    >>> from ordcut.sources.arrays import ArraySource
    >>> text = page(ArraySource([0.1, 0.4, 0.5, 0.9], [0, 0, 1, 2]), title="Four rows")
    >>> "<title>Four rows</title>" in text
    True
    """
    facts = gather_facts(source, found, objective, class_weight=class_weight, n_jobs=n_jobs)
    title = f"Thresholds for {label_name}" if title is None else title
    facts |= {"score": score_name, "label": label_name, "title": title}
    return fill(title, as_json(facts))


def write_report(
    path: str | PathLike[str],
    scores: ArrayLike,
    labels: ArrayLike,
    *,
    found: Thresholds | None = None,
    objective: ObjectiveLike | None = None,
    classes: Sequence[Any] | Array | None = None,
    sample_weight: ArrayLike | None = None,
    class_weight: ClassWeight | None = None,
    score_name: str = "score",
    label_name: str = "label",
    title: str | None = None,
    n_jobs: int | None = None,
) -> None:
    """Write a page about thresholds on scores and labels, to be opened in a browser.

    Parameters
    ----------
    path : str or path
        The file to write.
    scores : array-like of shape (n_samples,)
        Finite scores; higher means a higher class.
    labels : array-like of shape (n_samples,) or (n_samples, n_classes)
        The true classes, or soft labels.
    found : Thresholds, optional
        The thresholds that the page opens with; those that are optimal by default.
    objective : str, array-like of shape (K, K), callable, Kappa or Objective, optional
        What the page judges by at first; the objective of ``found`` by default.
    classes : sequence, optional
        All classes, lowest first; those of ``found`` by default.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts.
    class_weight : "balanced", dict or array-like of shape (n_classes,), optional
        How much the rows of each class count.
    score_name, label_name : str
        What scores and labels are called in your data.
    title : str, optional
        The title of the page.
    n_jobs : int, optional
        The number of threads, -1 for one a core.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "page.html"
    ...     write_report(path, [0.1, 0.4, 0.5, 0.9], [0, 0, 1, 2], objective="quadratic_kappa")
    ...     path.stat().st_size < 1_000_000
    True
    """
    if classes is None and found is not None:
        classes = found.classes
    n_classes = None if objective is None else n_classes_of(objective)
    source = ArraySource(
        scores, labels, classes=classes, n_classes=n_classes, weights=sample_weight
    )
    text = page(
        source,
        found,
        objective=objective,
        class_weight=class_weight,
        score_name=score_name,
        label_name=label_name,
        title=title,
        n_jobs=n_jobs,
    )
    Path(path).write_text(text, encoding="utf-8")
