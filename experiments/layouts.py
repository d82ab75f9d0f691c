"""The paths of the pictures of the three face data sets, which contain ages and persons."""

from __future__ import annotations

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
    folder : str
        The top folder of the download, which the given folder may contain.

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
    folder: str = ""

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
        return root / self.folder if self.folder and (root / self.folder).is_dir() else root


#: Data sets by their names on the command line.
LAYOUTS: dict[str, Layout] = {
    "morph2": Layout(
        "MORPH-2",
        r"(?P<subject>\d{6})_\d+[MF](?P<age>\d{2})\.jpe?g",
        "052346_07M46.jpg (six digits, _, picture number, M or F, two digits of age)",
        youngest=16,
        oldest=70,
    ),
    "cacd": Layout(
        "CACD",
        r"(?P<age>\d+)_(?P<subject>[^/]+)_\d+\.jpe?g",
        "23_Mika_Boorem_0001.jpg (age, name, picture number)",
        youngest=14,
        oldest=62,
    ),
    "afad": Layout(
        "AFAD",
        r"(?P<age>\d+)/11[12]/[^/]+\.jpe?g",
        "AFAD-Full/25/111/name.jpg (age, then 111 for male or 112 for female)",
        youngest=15,
        oldest=40,
        folder="AFAD-Full",
    ),
}
