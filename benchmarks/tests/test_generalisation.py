"""The benchmark on new rows, on its smallest data set; nothing here judges a result."""

import csv

import numpy as np
import pytest

from benchmarks.generalisation import report
from benchmarks.generalisation.datasets import load_all
from benchmarks.generalisation.judge import (
    OBJECTIVES,
    SEEN,
    choices,
    judge,
    judge_libraries,
    labelings,
    risk,
)
from benchmarks.generalisation.limits import (
    ONE_IN,
    limits_of,
    share,
    table_of_limits,
    with_fewer_rows,
)
from benchmarks.generalisation.scores import KINDS, LIBRARIES
from benchmarks.generalisation.simulated import MODELS, N_ROWS, simulate, table_of_models
from benchmarks.generalisation.summary import (
    OURS,
    RIVALS,
    best_rivals,
    logs_of,
    risks_of,
    table_against,
    table_against_the_paper,
    table_by_dataset,
    table_of_best_rivals,
    table_of_ratios,
)


@pytest.fixture(scope="module")
def every():
    return load_all()


def test_both_halves_have_few_and_many_classes_and_rows(every):
    for role in ("chooses", "reports"):
        sets = [data for data in every if data.role == role]
        assert len(sets) >= 12
        classes = {data.n_classes for data in sets}
        assert min(classes) == 3
        assert max(classes) == 10
        rows = [len(data.labels) for data in sets]
        assert min(rows) < 500
        assert max(rows) == 50_000


def test_the_risk_of_a_kappa_is_what_it_lacks():
    truth, other = np.array([0, 1, 2]), np.array([0, 2, 1])
    assert risk(truth, truth, "quadratic_kappa", 3) == 0
    assert risk(truth, other, "absolute", 3) == pytest.approx(2 / 3)


def test_the_smallest_set_is_scored_judged_and_summed_up(every, tmp_path):
    data = min(every, key=lambda data: len(data.labels))
    rows = [row for kind in KINDS for row in judge(data, kind, labelings, tmp_path, 2)]
    assert {row["labeling"] for row in rows} == {"optimal", SEEN, OURS, *RIVALS}
    assert {row["objective"] for row in rows} == set(OBJECTIVES)
    assert all(0 < row["risk"] < 5 for row in rows)
    assert judge(data, "boosted", labelings, tmp_path, 2) == [
        row for row in rows if row["scores"] == "boosted"
    ]  # from the cache
    risks = risks_of(rows, "linear")
    ratio = np.exp(logs_of(risks, OURS, "optimal"))
    ours, plain = (risks[data.name, "absolute", name] for name in (OURS, "optimal"))
    assert ratio[0, 0] == pytest.approx(ours / plain)
    for column, objective in enumerate(OBJECTIVES):
        least = min(risks[data.name, objective, rival] for rival in RIVALS)
        against_best = risks[data.name, objective, OURS] / least
        assert np.exp(best_rivals(risks)[0, column]) == pytest.approx(against_best)
    assert data.name in table_by_dataset(rows, list(KINDS))
    assert "boosted" in table_of_best_rivals(rows, list(KINDS))
    assert OURS in table_of_ratios(risks, [OURS], "optimal")
    names = {row["labeling"] for row in judge_libraries(data, tmp_path, 2)}
    assert names == set(LIBRARIES)


def test_the_choices_are_judged_on_every_way_to_cross_fit(every, tmp_path):
    data = next(data for data in every if data.name == "pbc")
    names = {row["labeling"] for row in judge(data, "linear", choices, tmp_path, 2)}
    assert {"seen 0", "pooled auto", "left out auto", "per fold 0"} <= names


def test_the_limit_is_where_risks_end_with_more_rows(every, tmp_path):
    falling = {("a", "absolute", share(n)): 2 + n ** (2 / 3) for n in ONE_IN}
    assert limits_of(falling)["a", "absolute", "limit"] == pytest.approx(2)
    data = min(every, key=lambda data: len(data.labels))
    rows = judge(data, "linear", with_fewer_rows, tmp_path, 2)
    drawn = {row["labeling"]: row["splits"] for row in rows}
    assert drawn == {
        "optimal": 2, OURS: 2, "all rows": 2, "1/2 of the rows": 16, "1/4 of the rows": 16,
    }  # fmt: skip
    table = table_of_limits(risks_of(rows, "linear"), {data.name: (len(data.labels), 3)})
    assert table.splitlines()[2].startswith(f"| {data.name} | {len(data.labels)} | 3 | ")


def test_the_document_shows_what_the_results_say():
    with (report.RESULTS / "reporting.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    page = report.DOCUMENT.read_text(encoding="utf-8")
    tables = [
        table_of_ratios(risks_of(rows, kind), report.shown(rows, kind), "optimal")
        for kind in ("linear", "boosted")
    ]
    tables += [
        table_against_the_paper(rows, list(KINDS)),
        table_against(rows, list(KINDS), "likelihood"),
        table_of_best_rivals(rows, list(KINDS)),
    ]
    for table in tables:
        assert table.strip() in page


def test_simulated_risks_are_compared_for_each_model_and_labeling():
    rows = simulate(["absolute"], 2)
    assert len(rows) == len(MODELS) * len(N_ROWS) * 5
    table = table_of_models(rows)
    assert table[0]["labeling"] == "optimal"
    assert {table[0][model] for model in MODELS} == {"1.0000"}
    assert table[-1]["likelihood, right"] == "1.0000"
