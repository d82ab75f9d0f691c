import numpy as np
import pytest

import ordcut
from ordcut._core.data import Rows
from ordcut._core.objectives.named import COSTS, KAPPAS, resolve_objective
from ordcut._core.pruning import ArraySource
from ordcut.report import compare
from tests.ordinal_rows import ratings


def test_other_labelings_follow_their_rules():
    scores, labels = ratings(2000, 3)
    compared = compare(ArraySource(Rows.read(scores, labels)), resolve_objective("absolute", 3))
    thresholds = {labeling.name: labeling.thresholds for labeling in compared.labelings}
    assert thresholds["rounding"]["absolute"].tolist() == [0.5, 1.5]
    predicted = np.searchsorted(thresholds["class shares"]["absolute"], scores, side="right")
    assert np.bincount(predicted) == pytest.approx(np.bincount(labels), abs=5)
    means = np.array([scores[labels == k].mean() for k in range(3)])
    between = (means[1:] + means[:-1]) / 2
    assert thresholds["class means"]["absolute"] == pytest.approx(between, abs=0.05)
    for name in ("absolute", "zero_one"):
        reached = ordcut.evaluate(
            labels,
            np.searchsorted(thresholds["ordinal logistic model"][name], scores, "right"),
            name,
        )
        best = ordcut.optimal_thresholds(scores, labels, objective=name).value
        assert best <= reached < 1.05 * best


def test_text_has_no_rounding():
    scores, labels = ratings(100, 3)
    rows = Rows.read(scores, np.array(["a", "b", "c"])[labels], classes=["a", "b", "c"])
    compared = compare(ArraySource(rows), resolve_objective("absolute", 3))
    assert "rounding" not in [labeling.name for labeling in compared.labelings]


def test_an_objective_with_the_name_of_another_is_not_mistaken_for_it():
    def squared(k, truth):
        return float(k > truth)

    rows = Rows.read(*ratings(100, 3))
    mine = resolve_objective(squared, 3)
    compared = compare(ArraySource(rows), mine)
    assert [objective.name for objective in compared.objectives] == [
        *COSTS,
        *KAPPAS,
        "custom squared",
    ]
    assert compared.main.name == "custom squared"
    assert (compared.main.cost == mine.cost).all()
    assert compared.optima["squared"].value > compared.optima["custom squared"].value == 0


def test_decisions_that_are_not_classes_are_compared_by_their_own_costs_only():
    scores, labels = ratings(200, 3)
    cost, names = [[0, 1, 4], [3, 1, 0]], ["wait", "act"]
    objective = resolve_objective(cost, 3, names)
    compared = compare(ArraySource(Rows.read(scores, labels)), objective)
    best = ordcut.optimal_thresholds(scores, labels, objective=cost, decisions=names)
    assert compared.objectives == [objective]
    assert compared.optima == {"custom cost": best}
    assert compared.labelings == []
