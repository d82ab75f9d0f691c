"""Cost matrices with names are read by name, in whatever order they are."""

from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ordcut
from ordcut._core.objectives.named import resolve_objective

CLASSES = ["low", "mid", "high"]
COST = np.array([[0.0, 1, 5], [2, 0, 3], [9, 1, 0]])
NAMED = pd.DataFrame(COST, CLASSES, CLASSES)


@pytest.mark.parametrize("rows", [*permutations(CLASSES)])
@pytest.mark.parametrize("columns", [*permutations(CLASSES)])
def test_names_decide_and_not_the_order_of_rows_and_columns(rows, columns):
    shuffled = NAMED.loc[[*rows], [*columns]]
    assert (resolve_objective(shuffled, CLASSES).cost == COST).all()
    weights = ordcut.Kappa(shuffled - np.diag(np.diag(shuffled)))
    assert resolve_objective(ordcut.Kappa(NAMED), CLASSES).is_maximised
    if rows == columns:
        assert (resolve_objective(weights, CLASSES).cost == COST).all()


def test_numbers_and_their_text_are_the_same_names():
    named = pd.DataFrame([[5.0, 0], [0, 1]], index=["2", "1"], columns=[1.0, 2.0])
    assert resolve_objective(named, [1, 2]).cost.tolist() == [[0, 1], [5, 0]]


def test_values_without_names_are_read_by_position():
    for unnamed in (pd.DataFrame(COST), pl.DataFrame(COST), NAMED.to_numpy()):
        assert (resolve_objective(unnamed, CLASSES).cost == COST).all()


def test_columns_alone_must_be_in_the_order_of_the_classes():
    rows_by_position = NAMED.reset_index(drop=True)
    assert (resolve_objective(rows_by_position, CLASSES).cost == COST).all()
    assert (resolve_objective(pl.from_pandas(rows_by_position), CLASSES).cost == COST).all()
    with pytest.raises(ValueError, match="must name its rows as well"):
        resolve_objective(rows_by_position[CLASSES[::-1]], CLASSES)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (NAMED.rename(index={"low": "LOW"}), "row for each class, low, mid, high, got .* LOW"),
        (NAMED.rename(columns={"low": "LOW"}), "column for each class, .* got columns named LOW"),
        (NAMED.rename(columns={"low": "mid"}), "got columns named mid, mid, high"),
    ],
)
def test_unknown_names_are_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        resolve_objective(changed, CLASSES)


def test_rows_are_matched_with_the_decisions():
    named = pd.DataFrame([[5, 0, 0], [0, 1, 2]], index=["act", "wait"], columns=CLASSES)
    ordered = resolve_objective(named, CLASSES, ["wait", "act"])
    assert ordered.cost.tolist() == [[0, 1, 2], [5, 0, 0]]
    with pytest.raises(ValueError, match="row for each decision, no, act"):
        resolve_objective(named, CLASSES, ["no", "act"])


def test_without_known_classes_rows_follow_the_order_of_the_columns():
    assert (resolve_objective(NAMED.loc[CLASSES[::-1]], 3).cost == COST).all()


def test_columns_of_costs_name_the_decisions():
    rng = np.random.default_rng(0)
    scores, costs = rng.normal(size=50), rng.random((50, 2))
    named = pd.DataFrame(costs, columns=["no", "yes"])
    expected = ordcut.optimal_thresholds(scores, costs=costs, decisions=["no", "yes"])
    assert ordcut.optimal_thresholds(scores, costs=named) == expected
    turned = named[["yes", "no"]]
    assert ordcut.optimal_thresholds(scores, costs=turned, decisions=["no", "yes"]) == expected
    with pytest.raises(ValueError, match="column for each decision, no, maybe"):
        ordcut.optimal_thresholds(scores, costs=named, decisions=["no", "maybe"])
