"""Logs of the epochs of a run for other programs, such as TensorBoard."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from shutil import rmtree
from typing import Any

#: The folder of the event files.
EVENTS = "tensorboard"


class Log:
    """A log that writes nothing, for runs whose only log is epochs.csv."""

    def restart(self, rows: Iterable[dict[str, Any]]) -> None:
        """Replace the log by the rows of all epochs up to the checkpoint."""

    def append(self, row: dict[str, Any]) -> None:
        """Write the row of an epoch."""

    def close(self) -> None:
        """Close the files of the log."""


class TensorBoardLog(Log):
    """Event files for TensorBoard, with one scalar per column and epoch."""

    def __init__(self, folder: Path) -> None:
        require_tensorboard()
        self.folder = folder
        self._writer: Any = None

    def restart(self, rows: Iterable[dict[str, Any]]) -> None:
        """Replace the event files, which may contain epochs that a killed process did not save."""
        from torch.utils.tensorboard import SummaryWriter

        self.close()
        rmtree(self.folder, ignore_errors=True)
        self._writer = SummaryWriter(str(self.folder))
        for row in rows:
            self.append(row)

    def append(self, row: dict[str, Any]) -> None:
        """Write the scalars of an epoch, and flush them to the disk."""
        for name, value in row.items():
            if name != "epoch" and value is not None:
                self._writer.add_scalar(tag_of(name), value, row["epoch"])
        self._writer.flush()

    def close(self) -> None:
        """Close the event file."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def tag_of(column: str) -> str:
    """Return the tag of a column; TensorBoard groups charts by the part before the slash.

    Examples
    --------
    >>> tag_of("validation_optimal"), tag_of("seconds_p2_p3"), tag_of("loss")
    ('validation/optimal', 'seconds/p2_p3', 'loss')
    """
    return column.replace("_", "/", 1)


def make_log(kind: str, out: Path) -> Log:
    """Return the log of a run, by the name of its kind and the folder of the run."""
    return TensorBoardLog(out / EVENTS) if kind == "tensorboard" else Log()


def require_tensorboard() -> None:
    """Raise an error if TensorBoard is not installed."""
    try:
        import tensorboard  # noqa: F401
    except ImportError as error:
        raise ValueError(
            "--log tensorboard needs TensorBoard, which is not installed. Install it with: "
            "pip install tensorboard."
        ) from error
