"""Which pictures are trained on and which are held out: at random, by subject, or by CSV files."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from ordcut.arrays import Ints
from ordcut.experiments.layouts import Layout
from ordcut.experiments.pictures import Pictures
from ordcut.experiments.problems import some

#: The share of the pictures that is trained on.
TRAINING_SHARE = 0.9

#: Columns that may hold the path of a picture.
PATH_COLUMNS = ("file", "path")


def split(pictures: Pictures, seed: int, *, by_subject: bool = False) -> tuple[Pictures, Pictures]:
    """Return 90 % of the pictures to train on and 10 % to validate by.

    By subject, no person is in both parts, which have about the same shares.

    Examples
    --------
    >>> names, subjects = [f"{i}.jpg" for i in range(10)], [*"aabbccddee"]
    >>> pictures = Pictures(names, np.arange(10), size=8, subjects=subjects)
    >>> training, validation = split(pictures, seed=0, by_subject=True)
    >>> len(training), validation.subjects
    (8, ['d', 'd'])
    """
    n = len(pictures)
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    n_training = round(TRAINING_SHARE * n)
    if by_subject:
        assert pictures.subjects is not None
        _, subject = np.unique(pictures.subjects, return_inverse=True)
        rank = rng.permutation(subject.max() + 1)[subject]
        order = np.argsort(rank, kind="stable")
        ends = np.append(np.flatnonzero(np.diff(rank[order])) + 1, n)
        within = ends[ends <= n_training]
        n_training = int(within[-1] if len(within) else ends[0])
    return pictures.only(np.sort(order[:n_training])), pictures.only(np.sort(order[n_training:]))


def write_split(pictures: Pictures, file: Path) -> None:
    """Write the paths and classes of pictures as CSV."""
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["path", "age"])
        writer.writerows(zip(pictures.names, pictures.labels.tolist(), strict=True))


def read_split(file: Path, layout: Layout, root: Path, size: int) -> tuple[Pictures, list[str]]:
    """Return the usable pictures that a CSV lists, and what is wrong with the others.

    It has a column ``file`` or ``path``, below the folder of the pictures, and a column ``age``,
    shifted to the classes 0..K-1 already.
    """
    if not file.is_file():
        return _none(root, size), [f"{file} must be a CSV file, and there is none."]
    with file.open(newline="", encoding="utf-8-sig") as stream:
        rows = csv.DictReader(stream)
        columns = list(rows.fieldnames or [])
        column = next((name for name in PATH_COLUMNS if name in columns), None)
        if column is None or "age" not in columns:
            return _none(root, size), [
                f'{file} must have a column "file" or "path" and a column "age", '
                f"got {', '.join(columns) or 'no column'}."
            ]
        listed = [(row[column] or "", row["age"] or "") for row in rows]
    names = [name for name, _ in listed]
    labels = [_as_class(age, layout.n_classes) for _, age in listed]
    problems = []
    if not names:
        problems.append(f"{file} must list at least one picture, got none.")
    bad = [f"{name} ({age!r})" for (name, age), k in zip(listed, labels, strict=True) if k is None]
    if bad:
        problems.append(
            f"{file.name}: ages must be classes 0 to {layout.n_classes - 1} (the age less "
            f"{layout.youngest}), got others in {len(bad)} of {len(names)} rows: {some(bad)}."
        )
    lost = {name: None for name in names if not (root / name).is_file()}
    if lost:
        problems.append(
            f"{file.name}: {len(lost)} of {len(names)} files are not in {root}: "
            f"{some(list(lost))}. Check --root."
        )
    good = [
        (name, k)
        for name, k in zip(names, labels, strict=True)
        if k is not None and name not in lost
    ]
    codes: Ints = np.array([k for _, k in good], dtype=np.int64)
    return Pictures([name for name, _ in good], codes, size, root), problems


def _none(root: Path, size: int) -> Pictures:
    return Pictures([], np.zeros(0, np.int64), size, root)


def _as_class(text: str, n_classes: int) -> int | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return int(number) if number in range(n_classes) else None
