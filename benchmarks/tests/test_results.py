"""Every file of results says which version made it, and none is older than this minor version."""

import re
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

import ordcut
from benchmarks.machine import describe_machine

ROOT = Path(__file__).parents[2]
REPORTS = sorted((ROOT / "benchmarks").rglob("results/*.md"))


def name_of(file):
    """The folder and the name of a report."""
    return f"{file.parts[-3]}/{file.name}"


def minor(version):
    """The major and the minor number of a version, such as (0, 2)."""
    return tuple(map(int, version.split(".")[:2]))


@pytest.mark.parametrize("file", REPORTS, ids=name_of)
def test_results_were_made_with_this_minor_version(file):
    versions = re.findall(r"\bordcut (\d+\.\d+\.\d+)", file.read_text(encoding="utf-8"))
    assert versions, "the report names no version"
    assert minor(versions[0]) >= minor(ordcut.__version__), "measure it anew, or delete it"


def test_every_table_and_picture_of_results_has_a_report():
    reports = {file.with_suffix("") for file in REPORTS}
    for file in (ROOT / "benchmarks").rglob("results/*"):
        assert file.with_suffix("") in reports, file


def test_the_description_of_the_machine_names_version_and_commit():
    text = describe_machine()
    assert f"ordcut {ordcut.__version__}" in text
    assert "commit" in text or not (ROOT / ".git").exists()


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_only_changes_of_code_make_a_commit_dirty(tmp_path):
    versions, code, results = (
        tmp_path / name for name in ("experiments/versions.py", "src/code.py", "benchmarks/a.md")
    )
    for file in (versions, code, results):
        file.parent.mkdir()
        file.write_text("a = 1")
    shutil.copy(ROOT / "experiments" / "versions.py", versions)
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", "."], [*author, "commit", "-q", "-m", "first"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    assert re.search("commit [0-9a-f]+$", describe(versions))
    results.write_text("a = 2")
    assert re.search("commit [0-9a-f]+$", describe(versions))
    code.write_text("a = 2")
    assert describe(versions).endswith("-dirty")


def describe(versions):
    """Return what a copy of the file says about the versions of its checkout."""
    return runpy.run_path(str(versions))["describe_versions"]()
