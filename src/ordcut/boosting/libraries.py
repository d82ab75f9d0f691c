"""The boosted models that are averaged, by library."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from ordcut._core.errors import unknown_name
from ordcut.boosting.cumulative_link import CumulativeLink
from ordcut.estimators import CumulativeLinkClassifier, MeanClassRegressor
from ordcut.estimators.committee import ClassifierCommittee, Committee, RegressorCommittee

#: The least sum of Hessians in a leaf of trees with the cumulative link.
LEAST_HESSIANS = 3

#: The packages of the libraries, in the order in which ``"auto"`` looks for them.
PACKAGES = {"lightgbm": "lightgbm", "xgboost": "xgboost", "sklearn": "sklearn"}


def choose_library(library: str) -> str:
    """Return the library to train with: a given one, or the first that is installed."""
    if library != "auto":
        if library not in PACKAGES:
            raise unknown_name("library", library, ["auto", *PACKAGES])
        return library
    return next(name for name, package in PACKAGES.items() if find_spec(package))


@dataclass(frozen=True)
class Trees:
    """Parameters of the trees of both models, by the names of scikit-learn."""

    n_estimators: int
    learning_rate: float
    max_leaf_nodes: int
    min_samples_leaf: int
    random_state: Any


def of_lightgbm(trees: Trees) -> Committee:
    """Return a committee of LightGBM."""
    from lightgbm import LGBMClassifier, LGBMRegressor

    params = {
        "n_estimators": trees.n_estimators,
        "learning_rate": trees.learning_rate,
        "num_leaves": trees.max_leaf_nodes,
        "min_child_samples": trees.min_samples_leaf,
        "random_state": trees.random_state,
        # Otherwise, few rows leave no feature, which is an error for any custom objective.
        "feature_pre_filter": False,
        "verbose": -1,
    }
    link = LGBMRegressor(objective=CumulativeLink(), min_child_weight=LEAST_HESSIANS, **params)
    return ClassifierCommittee(CumulativeLinkClassifier(link), LGBMClassifier(**params))


def of_xgboost(trees: Trees) -> Committee:
    """Return a committee of XGBoost, whose leaves have no least number of rows."""
    from xgboost import XGBClassifier, XGBRegressor

    params = {
        "n_estimators": trees.n_estimators,
        "learning_rate": trees.learning_rate,
        "max_leaves": trees.max_leaf_nodes,
        "max_depth": 0,
        "grow_policy": "lossguide",
        "tree_method": "hist",
        "random_state": trees.random_state,
        "enable_categorical": True,
    }
    link = XGBRegressor(objective=CumulativeLink(), min_child_weight=LEAST_HESSIANS, **params)
    return ClassifierCommittee(CumulativeLinkClassifier(link), XGBClassifier(**params))


def of_sklearn(trees: Trees) -> Committee:
    """Return a committee of scikit-learn's histogram trees, which have no ordinal objective."""
    params = {
        "max_iter": trees.n_estimators,
        "learning_rate": trees.learning_rate,
        "max_leaf_nodes": trees.max_leaf_nodes,
        "min_samples_leaf": trees.min_samples_leaf,
        "random_state": trees.random_state,
        "early_stopping": False,
    }
    classifier = MeanClassRegressor(HistGradientBoostingClassifier(**params))
    return RegressorCommittee(HistGradientBoostingRegressor(**params), classifier)


#: What makes a committee, by library.
COMMITTEES = {"lightgbm": of_lightgbm, "xgboost": of_xgboost, "sklearn": of_sklearn}
