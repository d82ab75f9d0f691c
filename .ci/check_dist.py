"""Check a wheel and an sdist as a user gets them.

``python .ci/check_dist.py dist`` checks what both contain, installs the wheel into an empty
environment in a temporary folder, and runs the first example of the README and ``ordcut demo``
there.
"""

import doctest
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "ordcut"
IN_SDIST = ["pyproject.toml", "README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", "Makefile",
            "constraints.txt", "tests/test_laws.py", "docs/index.md"]  # fmt: skip
#: Folders that are in the sdist only.
IN_SDIST_ONLY = ["experiments", "benchmarks"]


def main(folder: Path) -> None:
    """Check the only wheel and the only sdist of a folder."""
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    check_wheel(wheel)
    check_sdist(sdist)
    with tempfile.TemporaryDirectory() as place:
        run_installed(wheel, Path(place))


def files_in(folder: Path, pattern: str = "*") -> set[str]:
    """Return the files in a folder, relative to its parent, without those that Python compiled."""
    files = (file for file in folder.rglob(pattern) if file.is_file())
    return {
        file.relative_to(folder.parent).as_posix()
        for file in files
        if "__pycache__" not in file.parts
    }


def check_wheel(wheel: Path) -> None:
    """Raise an error unless a wheel holds the package, its metadata, and nothing else.

    So the experiment and the benchmarks are not in it.
    """
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    metadata = {name for name in names if name.split("/")[0].endswith(".dist-info")}
    check_equal(wheel, names - metadata, files_in(PACKAGE))
    endings = ("/METADATA", "/entry_points.txt", "/licenses/LICENSE")
    check_missing(wheel, [end for end in endings if not any(n.endswith(end) for n in metadata)])


def check_sdist(sdist: Path) -> None:
    """Raise an error unless an sdist holds the package, the experiment and all that tests need."""
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[-1] for name in archive.getnames()}
    needed = {*IN_SDIST, *(f"src/{name}" for name in files_in(PACKAGE))}
    needed |= {name for folder in IN_SDIST_ONLY for name in files_in(ROOT / folder, "*.py")}
    check_missing(sdist, sorted(needed - names))


def check_equal(archive: Path, names: set[str], wanted: set[str]) -> None:
    """Raise an error unless an archive holds exactly the wanted files."""
    check_missing(archive, sorted(wanted - names))
    if extra := sorted(names - wanted):
        raise SystemExit(f"{archive.name} must hold the package only, got {extra}.")


def check_missing(archive: Path, missing: list[str]) -> None:
    """Raise an error if an archive lacks files."""
    if missing:
        raise SystemExit(
            f"{archive.name} lacks {missing}. See [tool.hatch.build] in pyproject.toml."
        )


def run_installed(wheel: Path, place: Path) -> None:
    """Install a wheel with its extras into an empty environment, and use it there."""
    venv.create(place / "env", with_pip=True)
    programs = place / "env" / ("Scripts" if os.name == "nt" else "bin")
    python = str(programs / "python")
    constraints, package = str(ROOT / "constraints.txt"), f"{wheel.resolve()}[cli,plots]"
    pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*pip, "--constraint", constraints, package, "pandas", cwd=place)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    quickstart = readme.split("```python\n")[1].split("```")[0]
    examples = doctest.DocTestParser().get_examples(quickstart)
    if not examples:
        raise SystemExit(
            "The first Python block of README.md must hold examples that start with >>>."
        )
    (place / "quickstart.txt").write_text(quickstart, encoding="utf-8")
    shutil.copytree(ROOT / "docs" / "data", place / "docs" / "data")  # which it reads
    run(python, "-W", "error", "-m", "doctest", "quickstart.txt", cwd=place)
    run(str(programs / "ordcut"), "--version", cwd=place)
    run(str(programs / "ordcut"), "demo", cwd=place)
    print(f"{wheel.name}: {len(examples)} examples of README.md and ordcut demo ran.")


def run(*command: str, cwd: Path) -> None:
    """Run a command outside the checkout, without the settings of this Python."""
    settings = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    subprocess.run(command, cwd=cwd, env=settings, check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
