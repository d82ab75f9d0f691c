"""Split pictures into parts for training, validation and test, by picture or by person."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from experiments.layouts import Layout
from experiments.pictures import Pictures
from experiments.typing import Ints

#: The parts of a data set, in the order of their lists.
PARTS = ("training", "validation", "test")

#: The share of the pictures that is for training, of those that are not for the test.
TRAINING_SHARE = 0.9

#: Columns that may hold the path of a picture.
PATH_COLUMNS = ("file", "path")

#: The maximum number of names in a message.
N_SHOWN = 5


def split(
    pictures: Pictures,
    seed: int,
    *,
    by_subject: bool = False,
    test_share: float = 0.0,
    folds: int = 0,
    fold: int = 0,
) -> list[Pictures]:
    """Return the pictures for training and validation, nine to one, and for the test, if any.

    The test set is a share of the pictures, or one of several folds, which are disjoint and
    together contain all pictures. By subject, no person is in two parts, and the shares are about
    the same.

    Examples
    --------
    >>> names, subjects = [f"{i}.jpg" for i in range(10)], [*"aabbccddee"]
    >>> pictures = Pictures(names, np.arange(10), size=8, subjects=subjects)
    >>> training, validation = split(pictures, seed=0, by_subject=True)
    >>> len(training), validation.subjects
    (8, ['d', 'd'])
    >>> [split(pictures, 0, by_subject=True, folds=5, fold=f)[2].subjects[0] for f in range(1, 6)]
    ['a', 'e', 'b', 'c', 'd']
    """
    n = len(pictures)
    rng = np.random.default_rng(seed)
    order, group = rng.permutation(n), np.arange(n)
    if by_subject:
        assert pictures.subjects is not None
        _, subject = np.unique(pictures.subjects, return_inverse=True)
        rank = rng.permutation(subject.max() + 1)[subject]
        order = np.argsort(rank, kind="stable")
        group = rank[order]
    first = last = n
    if folds:
        first, last = (_cut(group, n * part / folds) for part in (fold - 1, fold))
    elif test_share:
        first = _cut(group, n * (1 - test_share))
    is_test = (np.arange(n) >= first) & (np.arange(n) < last)
    rest = order[~is_test]
    n_training = _cut(group[~is_test], TRAINING_SHARE * len(rest))
    parts = [rest[:n_training], rest[n_training:]]
    if folds or test_share:
        parts.append(order[is_test])
    return [pictures.take(np.sort(part)) for part in parts]


def _cut(group: Ints, target: float) -> int:
    """Return the last index up to a target at which one group ends; the first end if none does."""
    if round(target) == 0:
        return 0
    ends = np.append(np.flatnonzero(np.diff(group)) + 1, len(group))
    within = ends[ends <= round(target)]
    return int(within[-1] if len(within) else ends[0])


def write_split(pictures: Pictures, file: Path) -> None:
    """Write the paths and classes of pictures as CSV."""
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["path", "age"])
        writer.writerows(zip(pictures.names, pictures.labels.tolist(), strict=True))


def read_splits(
    files: Sequence[Path], layout: Layout, root: Path, size: int
) -> tuple[list[Pictures], list[str]]:
    """Return the pictures of several lists, and their problems."""
    lists = [read_split(file, layout, root, size) for file in files]
    parts = [pictures for pictures, _ in lists]
    problems = [problem for _, some_problems in lists for problem in some_problems]
    times = Counter(name for part in parts for name in set(part.names))
    shared = sorted(name for name, n_parts in times.items() if n_parts > 1)
    if shared:
        problems.append(
            f"A picture must be in one part only; {len(shared)} are in two: {some_names(shared)}."
        )
    return parts, problems


def read_split(file: Path, layout: Layout, root: Path, size: int) -> tuple[Pictures, list[str]]:
    """Return the usable pictures in a CSV list, and the problems of the others.

    The list has a column ``file`` or ``path``, relative to the folder of the pictures, and a column
    ``age`` that holds the class, 0..K-1.
    """
    if not file.is_file():
        return _no_pictures(root, size), [f"{file} must be a CSV file, but does not exist."]
    with file.open(newline="", encoding="utf-8-sig") as stream:
        rows = csv.DictReader(stream)
        columns = list(rows.fieldnames or [])
        column = next((name for name in PATH_COLUMNS if name in columns), None)
        if column is None or "age" not in columns:
            return _no_pictures(root, size), [
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
            f"{layout.youngest}), got others in {len(bad)} of {len(names)} rows: "
            f"{some_names(bad)}."
        )
    lost = {name: None for name in names if not (root / name).is_file()}
    if lost:
        problems.append(
            f"{file.name}: {len(lost)} of {len(names)} files are not in {root}: "
            f"{some_names(list(lost))}. Check --root."
        )
    good = [
        (name, k)
        for name, k in zip(names, labels, strict=True)
        if k is not None and name not in lost
    ]
    codes: Ints = np.array([k for _, k in good], dtype=np.int64)
    return Pictures([name for name, _ in good], codes, size, root), problems


def _no_pictures(root: Path, size: int) -> Pictures:
    return Pictures([], np.zeros(0, np.int64), size, root)


def _as_class(text: str, n_classes: int) -> int | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return int(number) if number in range(n_classes) else None


def some_names(names: Sequence[str]) -> str:
    """Return the first few names and how many more there are.

    Examples
    --------
    >>> some_names(["a", "b", "c", "d", "e", "f", "g"])
    'a, b, c, d, e and 2 more'
    """
    shown = ", ".join(names[:N_SHOWN])
    return shown if len(names) <= N_SHOWN else f"{shown} and {len(names) - N_SHOWN} more"
