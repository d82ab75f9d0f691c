"""Light to start: what an import and a small call load, and what a large one needs."""

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

import ordcut
from ordcut._core.numerics import jit
from ordcut._core.numerics.jit import running_kernels_as

HEAVY = [
    "numba",
    "sklearn",
    "scipy",
    "narwhals",
    "torch",
    "matplotlib",
    "pandas",
    "polars",
    "duckdb",
]


def loaded_after(code):
    report = f"import sys\n{code}\nprint(*(name for name in {HEAVY!r} if name in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", report], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_importing_loads_nothing_heavy():
    assert loaded_after("import ordcut") == []


def test_a_small_problem_loads_nothing_heavy():
    code = """
import numpy as np, ordcut
labels = np.arange(3000) % 5
for objective in ["absolute", "zero_one", "quadratic_kappa"]:
    ordcut.optimal_thresholds(np.sin(np.arange(3000)) + labels, labels, objective=objective)
"""
    assert loaded_after(code) == []


def test_a_large_problem_loads_numba_alone():
    code = """
import numpy as np, ordcut
labels = np.arange(200_000) % 5
ordcut.optimal_thresholds(np.sin(np.arange(200_000)) + labels, labels)
"""
    assert set(loaded_after(code)) <= {"numba", "scipy"}  # Numba itself looks for scipy


@pytest.mark.parametrize("is_there", [False, True])
def test_a_kernel_is_compiled_once_its_steps_have_cost_as_much(is_there, monkeypatch):
    ran = []
    monkeypatch.setattr(jit, "_compile", lambda _: lambda *_: ran.append("compiled"))
    monkeypatch.setattr(jit, "_numba_is_imported", lambda: is_there)
    price = jit.STEPS_WORTH_LOADING if is_there else jit.STEPS_WORTH_IMPORTING

    def loop(rows):
        ran.append("python" if len(rows) else "nothing")

    kernel = jit.Kernel(loop, ["rows"], steps=1)
    for _ in range(3):
        kernel(range(price // 2))
    assert ran == ["python", "python", "compiled"]


def test_objectives_for_boosting_load_no_library_of_trees():
    code = "import ordcut\nordcut.boosting.CumulativeLink()\nassert 'xgboost' not in sys.modules"
    assert "lightgbm" not in loaded_after(f"{code}\nassert 'lightgbm' not in sys.modules")


def test_a_frame_of_duckdb_loads_no_other_engine():
    code = """
import duckdb
from ordcut import frames
rows = duckdb.sql("select i % 977 as s, (i % 3)::tinyint as y from range(300000) t(i)")
frames.optimal_thresholds(rows, score="s", label="y")
"""
    assert not {"pandas", "polars", "sklearn"} & set(loaded_after(code))


def test_a_kernel_compiles_where_no_cache_can_be_written(monkeypatch):
    import numba

    def without_cache(**options):
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return lambda python: python

    monkeypatch.setattr(numba, "njit", without_cache)
    assert jit._compile(len) is len


@pytest.mark.parametrize("method", ["io", "nested", "auto"])
def test_memory_does_not_grow_with_the_number_of_classes(method):
    rng = np.random.default_rng(0)
    n = 50_000
    scores = rng.normal(size=n)
    peaks = []
    for n_classes in (4, 200):
        labels = np.arange(n) % n_classes
        with running_kernels_as("compiled"):
            ordcut.optimal_thresholds(scores, labels, method=method)
            tracemalloc.start()
            ordcut.optimal_thresholds(scores, labels, method=method)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    # A matrix of 8 bytes for each row and class would take 80 MB here; its K x K costs take 0.3.
    assert peaks[1] < peaks[0] + 2_000_000
    assert peaks[1] < 100 * n


def test_importing_does_not_even_load_numpy_until_a_name_is_used():
    code = """
import sys, ordcut
assert "numpy" not in sys.modules
ordcut.Thresholds
assert "numpy" in sys.modules
"""
    assert loaded_after(code) == []


def test_every_public_name_is_there_and_no_other():
    assert {name for name in dir(ordcut) if not name.startswith("__")} == set(ordcut.__all__)
    for name in ordcut.__all__:
        value = getattr(ordcut, name)
        home = getattr(value, "__module__", None) or value.__name__
        assert home == "ordcut" or home.startswith("ordcut.")


def test_public_modules_are_there_after_importing_the_package():
    code = """
import sys, ordcut
assert not {"ordcut.frames", "ordcut.estimators", "ordcut.torch"} & set(sys.modules)
ordcut.frames.predict, ordcut.scorers.get_scorer, ordcut.report.page, ordcut.plots, ordcut.torch
ordcut.estimators.OrdinalLogisticRegression
"""
    loaded_after(code)


def test_names_that_do_not_exist_are_errors():
    with pytest.raises(AttributeError, match=r"module 'ordcut' has no attribute 'thresholdz'"):
        _ = ordcut.thresholdz
