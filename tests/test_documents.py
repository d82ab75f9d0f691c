"""The examples in the documentation run, and what it lists is what the library has."""

import doctest
import re
import shlex
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import torch

import ordcut
from ordcut.estimators import OrdinalLogisticRegression
from ordcut.studies.labelings import EXPECTED_COST, LABELINGS

ROOT = Path(__file__).parent.parent


PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
WITH_EXAMPLES = [page for page in PAGES if ">>> " in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: page.name)
def test_the_examples_of_a_document_run(page):
    outcome = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert outcome.attempted > 0
    assert outcome.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_without_prompts_are_python(page):
    for code in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        if ">>> " not in code:
            compile(code, page.name, "exec")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_code_fits_the_width_of_a_page(page):
    if page.name in ("experiment.md", "tabular.md"):
        pytest.skip("long commands and paths")
    text = page.read_text(encoding="utf-8")
    lines = re.findall(r"^(?:>>> |\.\.\. ).*$", text, re.MULTILINE)
    for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        lines += [] if ">>> " in code else code.splitlines()
    assert [line for line in lines if len(line) > 78] == []


def test_the_first_commands_of_the_readme_work_in_a_checkout(tmp_path):
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^ordcut ((?:fit|predict) .*)$", text.replace("\\\n", " "), re.MULTILINE)
    assert len(commands) == 2
    for command in commands:
        arguments = [sys.executable, "-m", "ordcut", *shlex.split(command)]
        subprocess.run(arguments, cwd=tmp_path, check=True, capture_output=True)
    assert {"cuts.json", "page.html", "labelled.csv"} <= {path.name for path in tmp_path.iterdir()}


def test_every_target_of_make_that_is_named_exists():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    rules = re.findall(r"^([a-z -]+):", makefile, re.MULTILINE)
    targets = {target for rule in rules for target in rule.split()}
    for page in PAGES:
        named = re.findall(r"(?:^|`)make ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert set(named) <= targets, page.name


def test_every_extra_that_is_named_exists():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for page in PAGES:
        named = re.findall(r"(?:\bordcut|\.)\[([\w,]+)\]", page.read_text(encoding="utf-8"))
        extras = {extra for names in named for extra in names.split(",")}
        assert extras <= set(project["optional-dependencies"]), page.name


def first_column(page, heading):
    """The text between backticks in the first column of the tables below a heading."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    section = text.partition(f"{heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)


def test_the_page_about_labelings_lists_those_of_the_estimators():
    listed = first_column("labelings.md", "# Labelings")
    assert sorted(listed) == sorted(f'"{name}"' for name in (*LABELINGS, EXPECTED_COST))


SCORES, LABELS = np.arange(60.0), np.arange(60) * 7 % 23 // 6
OUTCOME = np.arange(60) % 7 < SCORES / 9
NOISY = np.sin(np.arange(9000)) / 2 + 0.5
FEATURES, STAGES = np.sin(SCORES)[:, None], np.digitize(np.sin(SCORES) + LABELS / 4, [0.2, 0.9])
#: With these costs the cheapest class falls somewhere as the score rises.
ODD_COSTS = [[3, 0, 0], [0, 3, 3], [3, 3, 2.5]]


def labelled(labeling, objective="absolute"):
    return (
        OrdinalLogisticRegression(objective=objective, labeling=labeling)
        .fit(FEATURES, STAGES)
        .labeler_
    )


def weighted_frame():
    weights = 2.0 ** np.linspace(-900, 0, len(SCORES))  # which lie too far apart for engines
    return pl.DataFrame({"score": SCORES, "label": STAGES, "weight": weights})


RESULTS = {
    "convex": lambda: ordcut.optimal_thresholds(SCORES, LABELS),
    "gaps": lambda: ordcut.optimal_thresholds(SCORES, LABELS**2),
    "ordered": lambda: ordcut.optimal_thresholds(
        SCORES, SCORES // 20, objective="zero_one", method="io"
    ),
    "zero one": lambda: ordcut.optimal_thresholds(
        SCORES, LABELS, objective="zero_one", method="dp"
    ),
    "equal errors": lambda: ordcut.optimal_thresholds(
        SCORES, LABELS, objective="zero_one", method="zero_one"
    ),
    "constraints": lambda: ordcut.optimal_thresholds(
        SCORES, LABELS, constraints=["share 2 <= 0.01"]
    ),
    "ranges": lambda: ordcut.optimal_thresholds(SCORES, LABELS, constraints=["under 1 <= 0.1"]),
    "kappa": lambda: ordcut.optimal_thresholds(
        SCORES, LABELS, objective="kappa", constraints=["share 2 <= 0.01"]
    ),
    "smoothed": lambda: ordcut.optimal_thresholds(SCORES, LABELS, smoothing=0.5),
    "engine": lambda: ordcut.frames.optimal_thresholds(
        weighted_frame(), score="score", label="label", weight="weight"
    ),
    "device": lambda: ordcut.torch.optimal_thresholds(
        torch.tensor(SCORES),
        torch.tensor(LABELS),
        objective="quadratic_kappa",
        sample_weight=torch.tensor(SCORES).sqrt(),
        method="scan",
    ),
    "bands": lambda: ordcut.optimal_bands(SCORES, OUTCOME, n_bands=3),
    "bands in limits": lambda: ordcut.optimal_bands(
        SCORES, OUTCOME, n_bands=3, constraints=["share >= 0.32"]
    ),
    "bands in cells": lambda: ordcut.optimal_bands(
        NOISY,
        np.random.default_rng(0).random(9000) < 0.4 + 0.2 * NOISY,
        n_bands=9,
        constraints=["share >= 0.05"],
    ),
    "given": lambda: ordcut.Thresholds.from_values([1.0], classes=[0, 1]),
    "likelihood": lambda: labelled("likelihood"),
    "odd costs": lambda: labelled("likelihood", ODD_COSTS),
    "expected kappa": lambda: labelled("likelihood", "quadratic_kappa"),
    "biases": lambda: labelled("biases"),
    "rounding": lambda: labelled("rounding"),
}


def is_listed_as(certificate, entry):
    """Whether a certificate is one of the table, in which dots and capitals stand for the rest."""
    pattern = re.escape(entry).replace(r"\.\.\.", ".+")
    return re.fullmatch(re.sub(r"\b[NS]\b", r"[\\d.]+", pattern), certificate) is not None


@pytest.mark.filterwarnings("ignore::ordcut.ReversedScoresWarning")
def test_the_table_of_certificates_lists_those_that_exist_and_no_others():
    entries = first_column("results.md", "## Certificates")
    certificates = [find().certificate for find in RESULTS.values()]
    for certificate in certificates:
        assert any(is_listed_as(certificate, entry) for entry in entries), certificate
    for entry in entries:
        assert any(is_listed_as(certificate, entry) for certificate in certificates), entry


def listed_names():
    """The names that the reference lists, by the module that they belong to."""
    names, module = {}, ""
    for line in (ROOT / "docs" / "reference.md").read_text(encoding="utf-8").splitlines():
        if result := re.fullmatch(r"\.\. currentmodule:: (\S+)", line):
            module = result[1]
        elif result := re.fullmatch(r" {3}(\w+)", line):
            names.setdefault(module, set()).add(result[1])
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


def test_what_is_said_about_the_coverage_of_intervals_is_what_was_simulated():
    result = pl.read_csv(ROOT / "benchmarks" / "results" / "coverage.csv")
    ours = result.filter(pl.col("interval") == "m of n")
    kink = pl.col("population") == "a kink"
    others, kinked = ours.filter(~kink), ours.filter(kink)
    assert others.select(pl.min_horizontal("thresholds", "lowest", "value").min()).item() >= 0.92
    assert ours["value"].min() >= 0.95
    shares = [round(100 * share) for share in (*kinked["thresholds"], kinked["lowest"].min())]
    text = (ROOT / "docs" / "bootstrap.md").read_text(encoding="utf-8")
    assert f"{min(shares[:3])} to {max(shares[:3])} % of them contain" in text
    assert f"and {shares[3]} % for the worst of the thresholds" in " ".join(text.split())
    assert len(ours["population"].unique()) == 20


def test_the_readme_shows_the_gains_that_were_measured():
    gains = pl.read_csv(ROOT / "benchmarks" / "results" / "gains.csv")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rules = [
        "rounding", "Kaggle's rounder", "rounder from quantiles", "ordcut, likelihood", "ordcut"
    ]  # fmt: skip
    shown = {
        "quadratic kappa": ("quadratic kappa", "{:.3f}"),
        "cost": ("cost", "{:.2f}"),
        "limit": ("highest classes too low", "{:.0%}"),
    }
    rows = re.findall(r"^\| \*\*([\w ]+)\*\*, (\w+)[^|]* \| (\d+) \| (.+) \|$", text, re.MULTILINE)
    assert len(rows) == 4
    for measure, data, n_rows, values in rows:
        name, pattern = shown[measure]
        measured = gains.filter(
            pl.col("data") == data.replace("abalones", "abalone"),
            pl.col("training rows") == int(n_rows),
            pl.col("measure") == name,
        )
        written = [pattern.format(measured[rule].item()).replace("%", " %") for rule in rules]
        assert values == " | ".join(written)
    few = gains.filter(
        pl.col("training rows") == 200, pl.col("measure") == "highest classes too low"
    )["ordcut"]
    assert f"{few.min():.0%}"[:-1] + " to " + f"{few.max():.0%}"[:-1] + " %" in text


def test_the_readme_shows_the_times_that_were_measured():
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    rivals = pl.read_csv(ROOT / "benchmarks" / "results" / "rivals.csv")
    kappa = rivals.filter(pl.col("data") == "fair", pl.col("metric") == "quadratic kappa")
    ours = kappa.row(by_predicate=pl.col("rival") == "ordcut", named=True)
    search = kappa.row(by_predicate=pl.col("rival") == "Nelder-Mead", named=True)
    assert f"{ours['n']} rows and {ours['K']} classes takes {1000 * ours['seconds']:.1f} ms" in text
    assert f"Nelder-Mead takes {1000 * search['seconds']:.0f} ms" in text
    assert f"[{search['short of ordcut']:.3f} below it]" in text
    limits = pl.read_csv(ROOT / "benchmarks" / "limits" / "results" / "limits.csv")
    seconds = limits.filter(pl.col("limits") == "under, one threshold", pl.col("n") == 10**6)
    assert f"[{1000 * seconds['seconds'].item():.0f} ms]" in text


def test_links_of_the_readme_lead_to_files():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        assert link.startswith("https://") or (ROOT / link).is_file(), link
