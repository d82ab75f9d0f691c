"""Packages that are used are pinned and scanned, and the security policy has every format."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest

from ordcut.cli.files import COMPRESSED, EXTENSIONS

ROOT = Path(__file__).parent.parent
WORKFLOWS = ROOT / ".github" / "workflows"

is_checkout = pytest.mark.skipif(not WORKFLOWS.is_dir(), reason="a source distribution has none")


def canonical(name):
    return re.sub("[-_.]+", "-", name).lower()


def pinned():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return {canonical(line.split("==")[0]) for line in lines if "==" in line}


def requirements():
    """All requirements of the project, of its extras and of its groups."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    lists = [
        project["project"]["dependencies"],
        project["build-system"]["requires"],
        *project["project"]["optional-dependencies"].values(),
        *project["dependency-groups"].values(),
    ]
    return [entry for entries in lists for entry in entries if isinstance(entry, str)]


def test_every_package_of_the_project_is_pinned():
    names = {canonical(re.match(r"[\w.-]+", entry)[0]) for entry in requirements()}
    assert names - pinned() == {"ordcut"}


def test_every_package_that_is_used_is_pinned():
    parsed = pytest.importorskip("packaging.requirements").Requirement
    todo, seen = [parsed(entry) for entry in requirements()], set()
    while todo:
        requirement = todo.pop()
        key = canonical(requirement.name), frozenset(requirement.extras)
        if key in seen:
            continue
        seen.add(key)
        try:
            needed = [parsed(entry) for entry in requires(requirement.name) or []]
        except PackageNotFoundError:  # of a group that is not installed
            continue
        for entry in needed:
            extras = ["", *requirement.extras]
            if entry.marker is None or any(entry.marker.evaluate({"extra": e}) for e in extras):
                todo.append(entry)
    assert {name for name, _ in seen} - pinned() == {"ordcut"}


@is_checkout
def test_no_job_that_runs_packages_of_an_index_holds_a_token():
    yaml = pytest.importorskip("yaml")
    for path in WORKFLOWS.glob("*.yml"):
        workflow = yaml.safe_load(path.read_text())
        for name, job in workflow["jobs"].items():
            permissions = job.get("permissions", workflow["permissions"])
            holds_token = "write" in permissions.values() or "environment" in job
            runs = [step["run"] for step in job.get("steps", []) if "run" in step]
            assert not (holds_token and runs), (path.name, name)


@is_checkout
def test_a_workflow_scans_every_package():
    texts = [path.read_text() for path in WORKFLOWS.glob("*.yml")]
    assert any("pip-audit" in text and "--requirement constraints.txt" in text for text in texts)


def test_the_security_policy_has_every_format():
    policy = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    extensions = {extension for known in EXTENSIONS.values() for extension in known}
    assert {end for end in (*extensions, *COMPRESSED) if f"`{end}`" not in policy} == set()
