"""The paths of the pictures of the three face data sets, which contain ages and persons."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

#: Extensions of picture files, in lower case.
ENDINGS = (".jpg", ".jpeg")


@dataclass(frozen=True)
class Layout:
    """A data set of faces, and how to read the age and the person from the path of a picture.

    Attributes
    ----------
    title : str
        The name of the data set.
    pattern : str
        A regular expression for the path of a picture in the folder, with a group ``age`` and, if
        paths identify persons, a group ``subject``.
    example : str
        An example of a path.
    youngest, oldest : int
        The range of ages that are used. The class of an age is its difference to the youngest.
    folders : tuple of str
        The names of the folder of the pictures, which the given folder may contain: first those
        that the preparation in the documentation writes, then that of the download.
    n_pictures : int
        The number of pictures that the paper used.
    depth : int
        The number of folders that a picture is in, below the folder of the pictures.

    Examples
    --------
    >>> LAYOUTS["morph2"].parse("052346_07M46.jpg")
    (46, '052346')
    >>> LAYOUTS["morph2"].n_classes
    55
    """

    title: str
    pattern: str
    example: str
    youngest: int
    oldest: int
    folders: tuple[str, ...]
    n_pictures: int
    depth: int = 0

    @property
    def n_classes(self) -> int:
        """The number of classes, one per year of age."""
        return self.oldest - self.youngest + 1

    @property
    def has_subjects(self) -> bool:
        """Whether paths identify persons."""
        return "<subject>" in self.pattern

    def parse(self, path: str) -> tuple[int, str] | None:
        """Return the age and the subject in a path, or None if the path does not match.

        The subject is empty if paths do not identify persons.
        """
        match = re.fullmatch(self.pattern, path, re.IGNORECASE)
        if match is None:
            return None
        return int(match["age"]), match["subject"] if self.has_subjects else ""

    def base(self, root: Path) -> Path:
        """Return the folder that paths are relative to."""
        inside = (root / folder for folder in self.folders)
        return next((folder for folder in inside if folder.is_dir()), root)


#: Data sets by their names on the command line.
LAYOUTS: dict[str, Layout] = {
    "morph2": Layout(
        "MORPH-2",
        r"(?:.*/)?(?P<subject>\d{6})_\d+[MF](?P<age>\d{2})\.jpe?g",
        "052346_07M46.jpg (six digits, _, picture number, M or F, two digits of age)",
        youngest=16,
        oldest=70,
        folders=("morph2-aligned", "Album2"),
        n_pictures=55_013,
    ),
    "cacd": Layout(
        "CACD",
        r"(?:.*/)?(?P<age>\d+)_(?P<subject>[^/]+)_\d+\.jpe?g",
        "23_Mika_Boorem_0001.jpg (age, name, picture number)",
        youngest=14,
        oldest=62,
        folders=("CACD2000-centered", "CACD2000"),
        n_pictures=159_402,
    ),
    "afad": Layout(
        "AFAD",
        r"(?P<age>\d+)/11[12]/[^/]+\.jpe?g",
        "AFAD-Full/25/111/name.jpg (age, then 111 for male or 112 for female)",
        youngest=15,
        oldest=40,
        folders=("AFAD-Full",),
        n_pictures=164_418,
        depth=2,
    ),
}

#: The number of files that decide which data set a folder belongs to.
N_PROBED = 20


def find_datasets(root: Path) -> dict[str, Path]:
    """Return the folder of each data set below a folder, by the name of the data set.

    A folder belongs to a data set if the first pictures in it have such names. Of several, the one
    that comes first in ``Layout.folders`` is taken.
    """
    found: dict[str, list[Path]] = {}
    for path, folders, files in os.walk(root):
        folders.sort()
        probed = [file for file in sorted(files) if file.lower().endswith(ENDINGS)][:N_PROBED]
        for name, layout in LAYOUTS.items():
            base = Path(path, *[".."] * layout.depth).resolve()
            inside = Path(path).resolve().relative_to(base).as_posix()
            parsed = [file for file in probed if layout.parse(f"{inside}/{file}".lstrip("./"))]
            if 2 * len(parsed) > len(probed) and base not in found.setdefault(name, []):
                found[name].append(base)
    return {name: _preferred(LAYOUTS[name], found[name]) for name in LAYOUTS if found.get(name)}


def _preferred(layout: Layout, paths: list[Path]) -> Path:
    """Return the folder of a data set to use, of several that were found."""
    for folder in layout.folders:
        named = [path for path in paths if path.name == folder]
        if len(named) == 1:
            return named[0]
    if len(paths) == 1:
        return paths[0]
    raise ValueError(
        f"There must be one folder of {layout.title}, got {', '.join(map(str, paths))}. Pass a "
        "--root that contains one of them."
    )
