"""The examples in the documentation run, and the reference lists the public names."""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
WITH_EXAMPLES = [page for page in PAGES if ">>> " in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: page.name)
def test_the_examples_of_a_document_run(page):
    outcome = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert outcome.attempted > 0
    assert outcome.failed == 0


def listed_names():
    """The names that the reference lists, by the module that they belong to."""
    names, module = {}, ""
    for line in (ROOT / "docs" / "reference.md").read_text(encoding="utf-8").splitlines():
        if found := re.fullmatch(r"\.\. currentmodule:: (\S+)", line):
            module = found[1]
        elif found := re.fullmatch(r" {3}(\w+)", line):
            names.setdefault(module, set()).add(found[1])
    return names


def test_every_name_in_the_reference_exists():
    for module, names in listed_names().items():
        assert [name for name in names if not hasattr(import_module(module), name)] == []


def test_the_reference_lists_every_public_name():
    listed = listed_names()
    for module in listed:
        public = {f"{module}.{name}" for name in import_module(module).__all__}
        known = {f"{module}.{name}" for name in listed[module]} | set(listed)
        assert public <= known, module
