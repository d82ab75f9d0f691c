"""Read and check the pictures of a data set, and split them for training, validation and test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from experiments.layouts import ENDINGS, LAYOUTS, Layout
from experiments.pictures import Pictures, find_damaged
from experiments.progress import Progress
from experiments.settings import SYNTHETIC, Settings
from experiments.splits import PARTS, abbreviate, read_splits, split
from experiments.synthetic import draw_faces


class DatasetError(ValueError):
    """A data set cannot be used; the message lists all problems.

    Attributes
    ----------
    where : str
        The data set and its folder.
    problems : tuple of str
        One or two sentences per problem: what was expected, what was read, and what to do.

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
    """The pictures of each part of a data set, and notes about pictures that were left out."""

    training: Pictures
    validation: Pictures
    n_classes: int
    notes: list[str] = field(default_factory=list)
    test: Pictures | None = None

    @property
    def parts(self) -> dict[str, Pictures]:
        """The pictures of each part, by the name of the part."""
        parts = {name: getattr(self, name) for name in PARTS}
        return {name: pictures for name, pictures in parts.items() if pictures is not None}

    @classmethod
    def of(cls, parts: Sequence[Pictures], n_classes: int, notes: Sequence[str] = ()) -> FaceData:
        """Return the data of two or three parts, in the order of ``PARTS``."""
        return cls(parts[0], parts[1], n_classes, [*notes], parts[2] if len(parts) > 2 else None)


@dataclass(frozen=True)
class PictureSet:
    """The checked pictures of a data set, in one part to be split, or in parts that were listed."""

    parts: list[Pictures]
    n_classes: int
    notes: list[str]
    where: str


def load_faces(settings: Settings, progress: Progress | None = None) -> FaceData:
    """Read every picture of a data set to check that it is intact, and split the pictures.

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
    return divide(find_pictures(settings, progress), settings)


def reload_faces(settings: Settings, out: Path) -> FaceData:
    """Return the data of a run to resume, from the lists of pictures in its folder."""
    if settings.dataset == SYNTHETIC:
        return load_faces(settings)
    layout = LAYOUTS[settings.dataset]
    root = layout.base(Path(settings.root or ""))
    names = PARTS if settings.has_test else PARTS[:2]
    files = [out / f"{name}.csv" for name in names]
    parts, problems = read_splits(files, layout, root, settings.image_size)
    if problems:
        raise DatasetError(f"The run in {out}", problems)
    return FaceData.of(parts, layout.n_classes)


def find_pictures(settings: Settings, progress: Progress | None = None) -> PictureSet:
    """Return the pictures of a data set, after reading each once to check that it is intact."""
    s = settings
    if s.dataset == SYNTHETIC:
        faces = draw_faces(s.n_images, s.n_classes, s.image_size, s.seed)
        return PictureSet([faces], s.n_classes, [], "The synthetic data set")
    layout = LAYOUTS[s.dataset]
    root = layout.base(Path(s.root or ""))
    where = f"{layout.title} in {root}"
    if not root.is_dir():
        raise DatasetError(where, [f"--root must be a folder of pictures; {root} is not one."])
    if s.split_by == "subject" and not layout.has_subjects:
        raise DatasetError(
            where, ["--split-by subject needs file names that identify persons; these do not."]
        )
    notes: list[str] = []
    files = [Path(file) for file in (s.training_csv, s.validation_csv, s.test_csv) if file]
    if files:
        parts, problems = read_splits(files, layout, root, s.image_size)
    else:
        pictures, problems = _find_files(layout, root, s, notes)
        parts = [pictures]
    n_pictures = sum(map(len, parts))
    parts = [_sample(part, s) for part in parts]
    progress = progress or Progress()
    parts = [_without_damaged(part, s, progress, problems, notes) for part in parts]
    _check_classes(parts, layout, s, problems, notes)
    if problems:
        raise DatasetError(where, problems)
    if n_pictures != layout.n_pictures:
        notes.append(
            f"Warning: the paper used {layout.n_pictures} pictures of {layout.title}, and here are "
            f"{n_pictures}. See docs/experiment.md for what was done to them before."
        )
    return PictureSet(parts, layout.n_classes, notes, where)


def divide(pictures: PictureSet, settings: Settings) -> FaceData:
    """Return pictures in parts: as they were listed, or split at random."""
    s, parts = settings, pictures.parts
    if len(parts) == 1:
        parts = split(
            parts[0],
            s.seed,
            by_subject=s.split_by == "subject",
            test_share=s.test_share,
            folds=s.folds,
            fold=s.fold,
        )
    if min(map(len, parts)) == 0:
        units = "persons" if s.split_by == "subject" else "pictures"
        raise DatasetError(
            pictures.where, [f"There must be pictures for all parts, got too few {units} to split."]
        )
    return FaceData.of(parts, pictures.n_classes, pictures.notes)


def _find_files(
    layout: Layout, root: Path, settings: Settings, notes: list[str]
) -> tuple[Pictures, list[str]]:
    """Return the pictures in a folder whose ages are used, and problems with the other files."""
    paths = sorted(
        path.relative_to(root).as_posix()
        for path in root.rglob("*")
        if path.suffix.lower() in ENDINGS and path.is_file()
    )
    parsed = [(path, layout.parse(path)) for path in paths]
    unparsed = [path for path, person in parsed if person is None]
    rows = [(path, *person) for path, person in parsed if person is not None]
    used = [row for row in rows if layout.youngest <= row[1] <= layout.oldest]
    problems = []
    if not paths:
        problems.append(f"There must be .jpg files such as {layout.example}, got none.")
    if unparsed:
        _refuse_or_skip(
            f"{len(unparsed)} of {len(paths)} file names are not such as {layout.example}: "
            f"{abbreviate(unparsed)}.",
            "Rename or remove them, or leave them out with --skip-unparsed.",
            problems,
            notes if settings.skip_unparsed else None,
        )
    if len(used) < len(rows):
        notes.append(
            f"{len(rows) - len(used)} of {len(rows)} pictures left out, whose ages are not "
            f"{layout.youngest} to {layout.oldest}."
        )
    names = [path for path, *_ in used]
    labels = np.array([age for _, age, _ in used], dtype=np.int64) - layout.youngest
    subjects = [subject for *_, subject in used] if layout.has_subjects else None
    return Pictures(names, labels, settings.image_size, root, subjects), problems


def _sample(pictures: Pictures, settings: Settings) -> Pictures:
    """Return as many random pictures as the settings ask for, in their order."""
    if not 0 < settings.sample < len(pictures):
        return pictures
    chosen = np.random.default_rng(settings.seed).permutation(len(pictures))[: settings.sample]
    return pictures.take(np.sort(chosen))


def _without_damaged(
    pictures: Pictures,
    settings: Settings,
    progress: Progress,
    problems: list[str],
    notes: list[str],
) -> Pictures:
    """Return the pictures that can be read, after adding the others to problems or notes."""
    with progress.bar("reading every picture once", len(pictures)) as advance:
        damaged = find_damaged(pictures, settings.workers, advance)
    if not damaged:
        return pictures
    names = [f"{pictures.names[index]} ({reason})" for index, reason in damaged.items()]
    _refuse_or_skip(
        f"{len(damaged)} of {len(pictures)} pictures are damaged: {abbreviate(names)}.",
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
    """Add classes without a picture to problems or notes."""
    labels = np.concatenate([part.labels for part in parts])
    if len(labels) == 0:
        return
    counts = np.bincount(labels, minlength=layout.n_classes)
    empty = [str(layout.youngest + k) for k in np.flatnonzero(counts == 0)]
    if empty:
        _refuse_or_skip(
            f"{len(empty)} of {layout.n_classes} classes have no picture: "
            f"ages {abbreviate(empty)}.",
            "Complete the data, or train without them with --allow-empty.",
            problems,
            notes if settings.allow_empty else None,
        )


def _refuse_or_skip(
    problem: str, remedy: str, problems: list[str], notes: list[str] | None
) -> None:
    """Add a problem to notes, or with its remedy to problems if there are no notes to add it to."""
    if notes is None:
        problems.append(f"{problem} {remedy}")
    else:
        notes.append(problem)
