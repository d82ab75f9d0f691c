"""From a folder to pictures for training and validation, checked before training starts."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ordcut.experiments.layouts import ENDINGS, LAYOUTS, Layout
from ordcut.experiments.pictures import Pictures, find_damaged
from ordcut.experiments.progress import Progress
from ordcut.experiments.settings import SYNTHETIC, Settings
from ordcut.experiments.synthetic import draw_faces
from ordcut.typing import Ints

#: The share of the pictures that is for training.
TRAINING_SHARE = 0.9

#: Columns that may hold the path of a picture.
PATH_COLUMNS = ("file", "path")

#: How many names a message shows of many.
N_SHOWN = 5


class DatasetError(ValueError):
    """A data set that cannot be used as it is; the message lists every problem found.

    Attributes
    ----------
    problems : tuple of str
        One or two sentences per problem: what must hold, what came instead, what to do.

    Examples
    --------
    >>> print(DatasetError("AFAD in /data", ["There are no images.", "There are no ages."]))
    AFAD in /data cannot be used, 2 problems:
    - There are no images.
    - There are no ages.
    """

    def __init__(self, where: str, problems: Sequence[str]) -> None:
        self.where = where
        self.problems = tuple(problems)
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        lines = [f"{where} cannot be used, {count}:", *(f"- {problem}" for problem in problems)]
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[type[DatasetError], tuple[str, tuple[str, ...]]]:
        return type(self), (self.where, self.problems)


@dataclass(frozen=True)
class FaceData:
    """Pictures for training and validation, and notes about those that were left out."""

    training: Pictures
    validation: Pictures
    n_classes: int
    notes: list[str] = field(default_factory=list)


def load_faces(settings: Settings, progress: Progress | None = None) -> FaceData:
    """Find the pictures of a data set, read each once to check that it is intact, and split them.

    Raises
    ------
    DatasetError
        With all problems in one message.

    Examples
    --------
    >>> data = load_faces(Settings("synthetic", n_images=100, n_classes=5, image_size=16))
    >>> len(data.training), len(data.validation), data.n_classes
    (90, 10, 5)
    """
    if settings.dataset == SYNTHETIC:
        s = settings
        faces = draw_faces(s.n_images, s.n_classes, s.image_size, s.seed)
        return FaceData(*split(faces, s.seed), s.n_classes)
    return _load_files(settings, progress or Progress())


def load_faces_again(settings: Settings, out: Path) -> FaceData:
    """Return the data of a run to be resumed: the pictures in the lists that it wrote."""
    if settings.dataset == SYNTHETIC:
        return load_faces(settings)
    layout = LAYOUTS[settings.dataset]
    root = layout.base(Path(settings.root or ""))
    files = [out / f"{name}.csv" for name in ("training", "validation")]
    parts, problems = _read_splits(files, layout, root, settings.image_size)
    if problems:
        raise DatasetError(f"The run in {out}", problems)
    return FaceData(parts[0], parts[1], layout.n_classes)


def split(pictures: Pictures, seed: int, *, by_subject: bool = False) -> tuple[Pictures, Pictures]:
    """Return 90 % of the pictures for training and 10 % for validation.

    By subject, no person is in both parts, and the shares are about the same.

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
    return pictures.take(np.sort(order[:n_training])), pictures.take(np.sort(order[n_training:]))


def write_split(pictures: Pictures, file: Path) -> None:
    """Write the paths and classes of pictures as CSV."""
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["path", "age"])
        writer.writerows(zip(pictures.names, pictures.labels.tolist(), strict=True))


def read_split(file: Path, layout: Layout, root: Path, size: int) -> tuple[Pictures, list[str]]:
    """Return the usable pictures in a CSV list, and the problems of the others.

    The list has a column ``file`` or ``path``, relative to the folder of the pictures, and a column
    ``age`` that holds the class, 0..K-1.
    """
    if not file.is_file():
        return _no_pictures(root, size), [f"{file} must be a CSV file, and does not exist."]
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
            f"{layout.youngest}), got others in {len(bad)} of {len(names)} rows: {_some(bad)}."
        )
    lost = {name: None for name in names if not (root / name).is_file()}
    if lost:
        problems.append(
            f"{file.name}: {len(lost)} of {len(names)} files are not in {root}: "
            f"{_some(list(lost))}. Check --root."
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


def _load_files(settings: Settings, progress: Progress) -> FaceData:
    layout = LAYOUTS[settings.dataset]
    root = layout.base(Path(settings.root or ""))
    where = f"{layout.title} in {root}"
    by_subject = settings.split_by == "subject"
    if not root.is_dir():
        raise DatasetError(where, [f"--root must be a folder of pictures; {root} is not one."])
    if by_subject and not layout.has_subjects:
        raise DatasetError(
            where, ["--split-by subject needs file names that identify persons; these do not."]
        )
    notes: list[str] = []
    if settings.training_csv is not None and settings.validation_csv is not None:
        files = [Path(settings.training_csv), Path(settings.validation_csv)]
        parts, problems = _read_splits(files, layout, root, settings.image_size)
    else:
        found, problems = _find_files(layout, root, settings, notes)
        parts = [found]
    parts = [_without_damaged(part, settings, progress, problems, notes) for part in parts]
    _check_classes(parts, layout, settings, problems, notes)
    if problems:
        raise DatasetError(where, problems)
    if len(parts) == 1:
        parts = [*split(parts[0], settings.seed, by_subject=by_subject)]
    if min(map(len, parts)) == 0:
        raise DatasetError(where, ["There must be pictures for both parts, got too few to split."])
    return FaceData(parts[0], parts[1], layout.n_classes, notes)


def _read_splits(
    files: list[Path], layout: Layout, root: Path, size: int
) -> tuple[list[Pictures], list[str]]:
    """Return the pictures of two lists, and their problems."""
    lists = [read_split(file, layout, root, size) for file in files]
    parts = [pictures for pictures, _ in lists]
    problems = [problem for _, some_problems in lists for problem in some_problems]
    shared = sorted(set(parts[0].names) & set(parts[1].names))
    if shared:
        problems.append(
            f"A picture must be in one part only; {len(shared)} are in both: {_some(shared)}."
        )
    return parts, problems


def _find_files(
    layout: Layout, root: Path, settings: Settings, notes: list[str]
) -> tuple[Pictures, list[str]]:
    """Return the pictures below a folder whose ages are used, and the problems of the others."""
    paths = sorted(
        path.relative_to(root).as_posix()
        for path in root.rglob("*")
        if path.suffix.lower() in ENDINGS and path.is_file()
    )
    parsed = [(path, layout.parse(path)) for path in paths]
    unparsed = [path for path, what in parsed if what is None]
    rows = [(path, *what) for path, what in parsed if what is not None]
    wanted = [row for row in rows if layout.youngest <= row[1] <= layout.oldest]
    problems = []
    if not paths:
        problems.append(f"There must be .jpg files such as {layout.example}, got none.")
    if unparsed:
        _refuse_or_skip(
            f"{len(unparsed)} of {len(paths)} file names are not such as {layout.example}: "
            f"{_some(unparsed)}.",
            "Rename or remove them, or leave them out with --skip-unparsed.",
            problems,
            notes if settings.skip_unparsed else None,
        )
    if len(wanted) < len(rows):
        notes.append(
            f"{len(rows) - len(wanted)} of {len(rows)} pictures left out, whose ages are not "
            f"{layout.youngest} to {layout.oldest}."
        )
    labels = np.array([age for _, age, _ in wanted], dtype=np.int64) - layout.youngest
    subjects = [subject for *_, subject in wanted] if layout.has_subjects else None
    return Pictures(
        [path for path, *_ in wanted], labels, settings.image_size, root, subjects
    ), problems


def _without_damaged(
    pictures: Pictures,
    settings: Settings,
    progress: Progress,
    problems: list[str],
    notes: list[str],
) -> Pictures:
    with progress.bar("reading every picture once", len(pictures)) as advance:
        damaged = find_damaged(pictures, settings.workers, advance)
    if not damaged:
        return pictures
    names = [f"{pictures.names[index]} ({why})" for index, why in damaged.items()]
    _refuse_or_skip(
        f"{len(damaged)} of {len(pictures)} pictures are damaged: {_some(names)}.",
        "Replace them, or leave them out with --skip-damaged.",
        problems,
        notes if settings.skip_damaged else None,
    )
    return pictures.take(np.setdiff1d(np.arange(len(pictures)), list(damaged)))


def _check_classes(
    parts: Sequence[Pictures],
    layout: Layout,
    settings: Settings,
    problems: list[str],
    notes: list[str],
) -> None:
    labels = np.concatenate([part.labels for part in parts])
    if len(labels) == 0:
        return
    counts = np.bincount(labels, minlength=layout.n_classes)
    empty = [str(layout.youngest + k) for k in np.flatnonzero(counts == 0)]
    if empty:
        _refuse_or_skip(
            f"{len(empty)} of {layout.n_classes} classes have no picture: ages {_some(empty)}.",
            "Complete the data, or train without them with --allow-empty.",
            problems,
            notes if settings.allow_empty else None,
        )


def _refuse_or_skip(what: str, remedy: str, problems: list[str], notes: list[str] | None) -> None:
    """Note a problem that the user chose to ignore; report any other with its remedy."""
    if notes is None:
        problems.append(f"{what} {remedy}")
    else:
        notes.append(what)


def _some(names: Sequence[str]) -> str:
    """Return the first few names and how many more there are.

    Examples
    --------
    >>> _some(["a", "b", "c", "d", "e", "f", "g"])
    'a, b, c, d, e and 2 more'
    """
    shown = ", ".join(names[:N_SHOWN])
    return shown if len(names) <= N_SHOWN else f"{shown} and {len(names) - N_SHOWN} more"
