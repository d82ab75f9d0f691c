"""Split pictures for training, validation and test, at random or by lists in CSV files."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from experiments.layouts import Layout
from experiments.pictures import Pictures
from experiments.typing import Ints

#: The parts of a data set.
PARTS = ("training", "validation", "test")

#: The share of the pictures for training, among those that are not in the test set.
TRAINING_SHARE = 0.9

#: The names of a column of paths.
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
    """Return pictures for training and validation, nine to one, and for the test set, if any.

    The test set is a share of the pictures, or one of several folds, which are disjoint and
    together contain all pictures. With ``by_subject``, no person is in two parts, and the shares
    are approximate.

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
    order, groups = rng.permutation(n), np.arange(n)
    if by_subject:
        assert pictures.subjects is not None
        _, subject = np.unique(pictures.subjects, return_inverse=True)
        rank = rng.permutation(subject.max() + 1)[subject]
        order = np.argsort(rank, kind="stable")
        groups = rank[order]
    first = last = n
    if folds:
        first, last = (_cut(groups, n * part / folds) for part in (fold - 1, fold))
    elif test_share:
        first = _cut(groups, n * (1 - test_share))
    is_test = (np.arange(n) >= first) & (np.arange(n) < last)
    rest = order[~is_test]
    n_training = _cut(groups[~is_test], TRAINING_SHARE * len(rest))
    parts = [rest[:n_training], rest[n_training:]]
    if folds or test_share:
        parts.append(order[is_test])
    return [pictures.take(np.sort(part)) for part in parts]


def _cut(groups: Ints, target: float) -> int:
    """Return the last end of a group that is not after a target, or else the first end."""
    if round(target) == 0:
        return 0
    ends = np.append(np.flatnonzero(np.diff(groups)) + 1, len(groups))
    early_ends = ends[ends <= round(target)]
    return int(early_ends[-1] if len(early_ends) else ends[0])


def write_split(pictures: Pictures, file: Path) -> None:
    """Write the paths and classes of pictures to a CSV file."""
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["path", "age"])
        writer.writerows(zip(pictures.names, pictures.labels.tolist(), strict=True))


def read_splits(
    files: Sequence[Path], layout: Layout, root: Path, size: int
) -> tuple[list[Pictures], list[str]]:
    """Return the pictures in several CSV files, and the problems with these files."""
    parts, problems = [], []
    for file in files:
        pictures, problems_in_file = read_split(file, layout, root, size)
        parts.append(pictures)
        problems += problems_in_file
    n_parts = Counter(name for pictures in parts for name in set(pictures.names))
    shared = sorted(name for name, count in n_parts.items() if count > 1)
    if shared:
        problems.append(
            f"A picture must be in one part only; {len(shared)} are in two: {abbreviate(shared)}."
        )
    return parts, problems


def read_split(file: Path, layout: Layout, root: Path, size: int) -> tuple[Pictures, list[str]]:
    """Return the usable pictures in a CSV file, and the problems with the others.

    The file has a column ``file`` or ``path``, relative to the folder of the pictures, and a column
    ``age`` that contains the class, 0..K-1.
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
    invalid = [
        f"{name} ({age!r})" for (name, age), k in zip(listed, labels, strict=True) if k is None
    ]
    if invalid:
        problems.append(
            f"{file.name}: ages must be classes 0 to {layout.n_classes - 1} (the age less "
            f"{layout.youngest}), got others in {len(invalid)} of {len(names)} rows: "
            f"{abbreviate(invalid)}."
        )
    missing = list(dict.fromkeys(name for name in names if not (root / name).is_file()))
    if missing:
        problems.append(
            f"{file.name}: {len(missing)} of {len(names)} files are not in {root}: "
            f"{abbreviate(missing)}. Check --root."
        )
    absent = set(missing)
    usable = [
        (name, k)
        for name, k in zip(names, labels, strict=True)
        if k is not None and name not in absent
    ]
    codes: Ints = np.array([k for _, k in usable], dtype=np.int64)
    return Pictures([name for name, _ in usable], codes, size, root), problems


def _no_pictures(root: Path, size: int) -> Pictures:
    return Pictures([], np.zeros(0, np.int64), size, root)


def _as_class(text: str, n_classes: int) -> int | None:
    """Return the class that a text states, or None if it is not a class from 0 to K - 1."""
    try:
        number = float(text)
    except ValueError:
        return None
    return int(number) if number in range(n_classes) else None


def abbreviate(names: Sequence[str]) -> str:
    """Return the first few names, and the number of the others.

    Examples
    --------
    >>> abbreviate(["a", "b", "c", "d", "e", "f", "g"])
    'a, b, c, d, e and 2 more'
    """
    shown = ", ".join(names[:N_SHOWN])
    return shown if len(names) <= N_SHOWN else f"{shown} and {len(names) - N_SHOWN} more"
