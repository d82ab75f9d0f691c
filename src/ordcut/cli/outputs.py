"""Outputs that are written completely or not at all, and overwrite files only with ``--force``.

A command writes each output to a temporary file in the same folder. These are renamed once all
outputs of the command are complete and on disk.
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

import click

from ordcut.cli.failures import UserError


class Output(Protocol):
    """One output of a command."""

    def write(self, content: str | bytes) -> None:
        """Write all of the content."""

    def path_for_engine(self) -> AbstractContextManager[str]:
        """Yield a path to which an engine can write, once and sequentially."""


class Outputs:
    """All outputs of a command: checked before it computes, published when all are complete.

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
        """Return the output for an option, or raise an error if it cannot be written."""
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
            return OutputStream(path)  # a device or a named pipe must not be replaced
        file = OutputFile(option, Path(real), self._force)
        self._files.append(file)
        return file

    def publish(self) -> None:
        """Rename all files to their final names."""
        for file in self._files:
            file.sync()
        for file in self._files:
            file.publish()
        context = click.get_current_context(silent=True)
        if self._files and not self.uses_stdout and context is not None and context.obj is not None:
            context.obj.has_published = True

    def __enter__(self) -> Outputs:
        return self

    def __exit__(self, *error: object) -> None:
        for file in self._files:
            file.discard()


class OutputFile:
    """A file that is written under a temporary name."""

    def __init__(self, option: str, target: Path, force: bool) -> None:
        self._option = option
        self._target = target
        self._force = force
        self._temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
        self._check()

    @property
    def _exists(self) -> UserError:
        return UserError(
            f"{self._option} must be a new file, but {self._target} exists. "
            "Choose another name, or pass --force to replace it."
        )

    def _check(self) -> None:
        """Raise an error before anything is computed if the file cannot be written."""
        option, folder = self._option, self._target.parent
        if not os.path.isdir(folder):
            raise UserError(
                f"{option} must be in a folder that exists, but {folder} does not. Create it first."
            )
        if os.path.isdir(self._target):
            raise UserError(
                f"{option} must be a file, but {self._target} is a folder. Name a file in it."
            )
        if os.path.exists(self._target) and not self._force:
            raise self._exists
        try:
            self._temporary.touch(exist_ok=False)
            self._temporary.unlink()
        except OSError as error:
            raise UserError(
                f"{option} must be in a folder that can be written to, but {folder} cannot: "
                f"{error.strerror}. Choose another folder."
            ) from error

    def write(self, content: str | bytes) -> None:
        """Write all of the content to the temporary file."""
        self._create()
        self._temporary.write_bytes(_as_bytes(content))

    @contextmanager
    def path_for_engine(self) -> Iterator[str]:
        """Yield the path of the temporary file."""
        self._create()
        yield str(self._temporary)

    def _create(self) -> None:
        """Create the temporary file, with the owner and the permissions of the file it replaces."""
        replaced = self._target.stat() if self._target.exists() else None
        mode = 0o666 if replaced is None else 0o600
        os.close(os.open(self._temporary, os.O_WRONLY | os.O_CREAT, mode))
        if replaced is not None:
            if hasattr(os, "chown"):
                for owner in ((replaced.st_uid, -1), (-1, replaced.st_gid)):
                    with suppress(OSError):  # only root may give files away
                        os.chown(self._temporary, *owner)
            shutil.copymode(self._target, self._temporary)

    def sync(self) -> None:
        """Flush the file to disk."""
        with self._temporary.open("rb+") as written:
            os.fsync(written.fileno())

    def publish(self) -> None:
        """Rename the file to its final name."""
        if self._force:
            os.replace(self._temporary, self._target)
            return
        try:
            os.link(self._temporary, self._target)  # fails if the file has been created since
        except FileExistsError:
            raise self._exists from None
        except OSError:  # a file system without hard links
            if self._target.exists():
                raise self._exists from None
            os.replace(self._temporary, self._target)
        self.discard()

    def discard(self) -> None:
        """Remove the temporary file, if it is still there."""
        with suppress(OSError):
            self._temporary.unlink(missing_ok=True)


class OutputStream:
    """Standard output, a device or a named pipe, which is written to directly."""

    def __init__(self, target: BinaryIO | str) -> None:
        self._target = target

    def write(self, content: str | bytes) -> None:
        """Write all of the content."""
        with self._open() as stream:
            stream.write(_as_bytes(content))

    @contextmanager
    def path_for_engine(self) -> Iterator[str]:
        """Yield the path of a pipe, and copy what comes out of it to the stream.

        If the engine opened standard output itself, it would truncate a file that the shell
        appends to.
        """
        reading, writing = os.pipe()
        failures: list[OSError] = []

        def copy_through() -> None:
            try:
                with os.fdopen(reading, "rb") as source, self._open() as stream:
                    shutil.copyfileobj(source, stream)
            except OSError as error:
                failures.append(error)

        thread = threading.Thread(target=copy_through, daemon=True)
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
