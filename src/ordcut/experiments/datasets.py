"""From a folder to pictures to train on and to validate by, checked before training starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ordcut.experiments.layouts import ENDINGS, LAYOUTS, Layout
from ordcut.experiments.pictures import Pictures, find_damaged
from ordcut.experiments.problems import DatasetError, some
from ordcut.experiments.progress import Silence
from ordcut.experiments.settings import SYNTHETIC, Settings
from ordcut.experiments.splits import read_split, split
from ordcut.experiments.synthetic import draw_faces


@dataclass(frozen=True)
class FaceData:
    """Pictures in two parts, and what was left out on the way."""

    training: Pictures
    validation: Pictures
    n_classes: int
    notes: list[str] = field(default_factory=list)


def load_faces(settings: Settings, watcher: Silence | None = None) -> FaceData:
    """Find the pictures of a data set, read each once to see that it is whole, and split them.

    Raises
    ------
    DatasetError
        With everything that is wrong, in one message.

    Examples
    --------
    >>> data = load_faces(Settings("synthetic", n_images=100, n_classes=5, image_size=16))
    >>> len(data.training), len(data.validation), data.n_classes
    (90, 10, 5)
    """
    watcher = watcher or Silence()
    if settings.dataset == SYNTHETIC:
        s = settings
        faces = draw_faces(s.n_images, s.n_classes, s.image_size, s.seed)
        return FaceData(*split(faces, s.seed), s.n_classes)
    return _load_files(settings, watcher)


def load_faces_again(settings: Settings, out: Path) -> FaceData:
    """Return the data of a run that was begun: the very pictures that it wrote down."""
    if settings.dataset == SYNTHETIC:
        return load_faces(settings)
    layout = LAYOUTS[settings.dataset]
    root = layout.base(Path(settings.root or ""))
    files = [out / f"{name}.csv" for name in ("training", "validation")]
    parts, problems = _read_splits(files, layout, root, settings.image_size)
    if problems:
        raise DatasetError(f"The run in {out}", problems)
    return FaceData(parts[0], parts[1], layout.n_classes)


def _load_files(settings: Settings, watcher: Silence) -> FaceData:
    layout = LAYOUTS[settings.dataset]
    root = layout.base(Path(settings.root or ""))
    where = f"{layout.title} in {root}"
    by_subject = settings.split_by == "subject"
    if not root.is_dir():
        raise DatasetError(where, [f"--root must be a folder of pictures; {root} is none."])
    if by_subject and not layout.knows_subjects:
        raise DatasetError(
            where, ["--split-by subject needs names that tell persons apart, which it has not."]
        )
    notes: list[str] = []
    if settings.training_csv is not None and settings.validation_csv is not None:
        files = [Path(settings.training_csv), Path(settings.validation_csv)]
        parts, problems = _read_splits(files, layout, root, settings.image_size)
    else:
        found, problems = _scan(layout, root, settings, notes)
        parts = [found]
    parts = [_without_damaged(part, settings, watcher, problems, notes) for part in parts]
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
    """Return the pictures of two lists, and what is wrong with them."""
    lists = [read_split(file, layout, root, size) for file in files]
    parts = [pictures for pictures, _ in lists]
    problems = [problem for _, some_problems in lists for problem in some_problems]
    shared = sorted(set(parts[0].names) & set(parts[1].names))
    if shared:
        problems.append(
            f"A picture must be in one part only; {len(shared)} are in both: {some(shared)}."
        )
    return parts, problems


def _scan(
    layout: Layout, root: Path, settings: Settings, notes: list[str]
) -> tuple[Pictures, list[str]]:
    """Return the pictures below a folder whose ages are wanted, and what is wrong."""
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
            f"{some(unparsed)}.",
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
    subjects = [subject for *_, subject in wanted] if layout.knows_subjects else None
    return Pictures(
        [path for path, *_ in wanted], labels, settings.image_size, root, subjects
    ), problems


def _without_damaged(
    pictures: Pictures,
    settings: Settings,
    watcher: Silence,
    problems: list[str],
    notes: list[str],
) -> Pictures:
    with watcher.bar("reading every picture once", len(pictures)) as advance:
        damaged = find_damaged(pictures, settings.workers, advance)
    if not damaged:
        return pictures
    names = [f"{pictures.names[number]} ({why})" for number, why in damaged.items()]
    _refuse_or_skip(
        f"{len(damaged)} of {len(pictures)} pictures are damaged: {some(names)}.",
        "Replace them, or leave them out with --skip-damaged.",
        problems,
        notes if settings.skip_damaged else None,
    )
    return pictures.only(np.setdiff1d(np.arange(len(pictures)), list(damaged)))


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
            f"{len(empty)} of {layout.n_classes} classes have no picture: ages {some(empty)}.",
            "Complete the data, or train without them with --allow-empty.",
            problems,
            notes if settings.allow_empty else None,
        )


def _refuse_or_skip(what: str, remedy: str, problems: list[str], notes: list[str] | None) -> None:
    """Note what is wrong if the user allowed it, else make it a problem with its remedy."""
    if notes is None:
        problems.append(f"{what} {remedy}")
    else:
        notes.append(what)
