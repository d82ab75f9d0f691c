"""Outputs that appear whole or not at all, and never in place of a file that was there.

What a command writes goes aside first, into the folder where it belongs, and is renamed once all
of the command's outputs are whole and on the disk.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Protocol

from ordcut.cli.failures import UserError


class Output(Protocol):
    """Where a command writes one of its results."""

    def write(self, content: str | bytes) -> None:
        """Write all of the content."""

    def path_for_engine(self) -> AbstractContextManager[str]:
        """Give a path that another program can write to, once and from front to end."""


class Outputs:
    """All outputs of one command: checked before it computes, published when all are whole.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, Outputs(force=False) as outputs:
    ...     page = outputs.add("--output", folder + "/page.html")
    ...     page.write("<p>hello</p>")
    ...     before = os.listdir(folder)[0]
    ...     outputs.publish()
    ...     os.listdir(folder)
    ['page.html']
    >>> before.startswith(".page.html.") and before.endswith(".part")
    True
    """

    def __init__(self, *, force: bool) -> None:
        self._force = force
        self._files: list[OutputFile] = []
        self._taken: dict[str, str] = {}
        self.uses_stdout = False

    def add(self, option: str, path: str) -> Output:
        """Return the output that an option asks for, or say why it cannot be written."""
        real = path if path == "-" else os.path.realpath(path)
        if real in self._taken:
            raise UserError(
                f"{option} must differ from {self._taken[real]}, got {path} for both. "
                "Choose another file for one of them."
            )
        self._taken[real] = option
        if path == "-":
            self.uses_stdout = True
            return OutputStream(sys.stdout.buffer)
        if os.path.exists(real) and not os.path.isfile(real) and not os.path.isdir(real):
            return OutputStream(path)  # a device or a named pipe, which must not be replaced
        file = OutputFile(option, Path(real), self._force)
        self._files.append(file)
        return file

    def publish(self) -> None:
        """Let all files appear under their names."""
        for file in self._files:
            file.sync()
        for file in self._files:
            file.publish()

    def __enter__(self) -> Outputs:
        return self

    def __exit__(self, *error: object) -> None:
        for file in self._files:
            file.discard()


class OutputFile:
    """A file that is written aside."""

    def __init__(self, option: str, target: Path, force: bool) -> None:
        self._target = target
        self._force = force
        self._aside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
        self._exists = UserError(
            f"{option} must be a new file, and {target} exists. "
            "Choose another name, or pass --force to replace it."
        )
        self._check(option)

    def _check(self, option: str) -> None:
        """Find out now whether the file can be written, not after an hour."""
        folder = self._target.parent
        if not os.path.isdir(folder):
            raise UserError(
                f"{option} must be in a folder that exists, and {folder} does not. Make it first."
            )
        if os.path.isdir(self._target):
            raise UserError(
                f"{option} must be a file, and {self._target} is a folder. Name a file in it."
            )
        if os.path.exists(self._target) and not self._force:
            raise self._exists
        try:
            self._aside.touch(exist_ok=False)
            self._aside.unlink()
        except OSError as error:
            raise UserError(
                f"{option} must be in a folder that can be written to, and {folder} cannot: "
                f"{error.strerror}. Choose another folder."
            ) from error

    def write(self, content: str | bytes) -> None:
        """Write all of the content, aside."""
        self._aside.write_bytes(_as_bytes(content))

    @contextmanager
    def path_for_engine(self) -> Iterator[str]:
        """Give the path aside."""
        yield str(self._aside)

    def sync(self) -> None:
        """Have the file on the disk, with the permissions of the one that it replaces."""
        with self._aside.open("rb+") as written:
            os.fsync(written.fileno())
        if self._target.exists():
            shutil.copymode(self._target, self._aside)

    def publish(self) -> None:
        """Let the file appear under its name."""
        if self._force:
            os.replace(self._aside, self._target)
            return
        try:
            os.link(self._aside, self._target)  # fails where a file has appeared meanwhile
        except FileExistsError:
            raise self._exists from None
        except OSError:  # a file system without links
            if self._target.exists():
                raise self._exists from None
            os.replace(self._aside, self._target)
        self.discard()

    def discard(self) -> None:
        """Remove what is still aside."""
        with suppress(OSError):
            self._aside.unlink(missing_ok=True)


class OutputStream:
    """Standard output, a device or a named pipe: written to as it comes."""

    def __init__(self, target: BinaryIO | str) -> None:
        self._target = target

    def write(self, content: str | bytes) -> None:
        """Write all of the content."""
        with self._open() as stream:
            stream.write(_as_bytes(content))

    @contextmanager
    def path_for_engine(self) -> Iterator[str]:
        """Give the path of a pipe, and pass on what comes out of it.

        Opening standard output a second time would cut off a file that it is appended to.
        """
        reading, writing = os.pipe()
        failures: list[OSError] = []

        def pass_on() -> None:
            try:
                with os.fdopen(reading, "rb") as source, self._open() as stream:
                    shutil.copyfileobj(source, stream)
            except OSError as error:
                failures.append(error)

        thread = threading.Thread(target=pass_on, daemon=True)
        thread.start()
        try:
            yield f"/dev/fd/{writing}"
        finally:
            os.close(writing)
            thread.join()
            if failures:
                raise failures[0]

    @contextmanager
    def _open(self) -> Iterator[BinaryIO]:
        if isinstance(self._target, str):
            with open(self._target, "wb") as stream:
                yield stream
        else:
            yield self._target
            self._target.flush()


def _as_bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content
