"""The examples in the documents run as they stand."""

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "docs/uncertainty.md"])
def test_the_examples_of_a_document_run(name):
    outcome = doctest.testfile(str(ROOT / name), module_relative=False, encoding="utf-8")
    assert outcome.attempted > 0
    assert outcome.failed == 0
