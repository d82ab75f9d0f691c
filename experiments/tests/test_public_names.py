"""The experiment is built on the public names of ordcut alone."""

import ast
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import ordcut

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "experiments").glob("*.py"))
PUBLIC = {name: getattr(ordcut, name) for name in ordcut.__all__}
MODULES = {"ordcut": ordcut} | {
    f"ordcut.{name}": value for name, value in PUBLIC.items() if isinstance(value, ModuleType)
}


def imported_names(file):
    """The module and the name of everything that a file imports from ordcut."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (
                (alias.name, None) for alias in node.names if alias.name.split(".")[0] == "ordcut"
            )
        elif isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "ordcut":
            yield from ((node.module, alias.name) for alias in node.names)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_module_of_the_experiment_imports_public_names_only(file):
    for module, name in imported_names(file):
        assert module in MODULES, (module, name)
        assert name in (None, "__version__", *MODULES[module].__all__), (module, name)


def test_the_literal_algorithms_load_no_other_package():
    code = """
import sys
from experiments import literal
print(*(name for name in ("torch", "numpy", "ordcut") if name in sys.modules))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
