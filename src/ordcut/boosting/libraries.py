"""The boosted models that are averaged, by library."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from ordcut._core.errors import unknown_name
from ordcut.boosting.cumulative_link import CumulativeLink
from ordcut.estimators import CumulativeLinkClassifier, MeanClassRegressor
from ordcut.estimators.committee import ClassifierCommittee, Committee, RegressorCommittee

#: The least sum of Hessians in a leaf of trees with the cumulative link.
LEAST_HESSIANS = 3

#: The rounds of the classifier, as a share of those of the model with the ordinal objective.
SHARE_OF_ROUNDS = 0.4

#: The default of the most leaves: small trees below this number of rows, and larger ones above.
MANY_ROWS, FEW_LEAVES, MANY_LEAVES = 5000, 8, 31

#: The packages of the libraries, in the order in which ``"auto"`` looks for them.
PACKAGES = {"lightgbm": "lightgbm", "xgboost": "xgboost", "sklearn": "sklearn"}


def default_leaves(n_rows: int) -> int:
    """Return the most leaves of a tree, by the number of rows to train with."""
    return FEW_LEAVES if n_rows < MANY_ROWS else MANY_LEAVES


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

    def slower(self, share: float) -> Trees:
        """Return trees of half the learning rate and a share of the rounds."""
        rounds = max(1, round(share * self.n_estimators))
        return replace(self, n_estimators=rounds, learning_rate=self.learning_rate / 2)

    @property
    def of_classes(self) -> Trees:
        """Trees for unordered classes, which have one per round and class, and overfit sooner."""
        return self.slower(SHARE_OF_ROUNDS)


def of_lightgbm(trees: Trees) -> Committee:
    """Return a committee of LightGBM."""
    from lightgbm import LGBMClassifier, LGBMRegressor

    def params(trees: Trees) -> dict[str, Any]:
        return {
            "n_estimators": trees.n_estimators,
            "learning_rate": trees.learning_rate,
            "num_leaves": trees.max_leaf_nodes,
            "min_child_samples": trees.min_samples_leaf,
            "random_state": trees.random_state,
            # Otherwise, few rows leave no feature, which is an error for any custom objective.
            "feature_pre_filter": False,
            "verbose": -1,
        }

    link = LGBMRegressor(
        objective=CumulativeLink(), min_child_weight=LEAST_HESSIANS, **params(trees)
    )
    classifier = LGBMClassifier(**params(trees.of_classes))
    return ClassifierCommittee(CumulativeLinkClassifier(link), classifier)


def of_xgboost(trees: Trees) -> Committee:
    """Return a committee of XGBoost, whose leaves have no least number of rows."""
    from xgboost import XGBClassifier, XGBRegressor

    def params(trees: Trees) -> dict[str, Any]:
        return {
            "n_estimators": trees.n_estimators,
            "learning_rate": trees.learning_rate,
            "max_leaves": trees.max_leaf_nodes,
            "max_depth": 0,
            "grow_policy": "lossguide",
            "tree_method": "hist",
            "random_state": trees.random_state,
            "enable_categorical": True,
        }

    link = XGBRegressor(
        objective=CumulativeLink(), min_child_weight=LEAST_HESSIANS, **params(trees)
    )
    classifier = XGBClassifier(**params(trees.of_classes))
    return ClassifierCommittee(CumulativeLinkClassifier(link), classifier)


def of_sklearn(trees: Trees) -> Committee:
    """Return a committee of scikit-learn's histogram trees, which have no ordinal objective."""

    def params(trees: Trees) -> dict[str, Any]:
        return {
            "max_iter": trees.n_estimators,
            "learning_rate": trees.learning_rate,
            "max_leaf_nodes": trees.max_leaf_nodes,
            "min_samples_leaf": trees.min_samples_leaf,
            "random_state": trees.random_state,
            "early_stopping": False,
        }

    classifier = MeanClassRegressor(HistGradientBoostingClassifier(**params(trees.of_classes)))
    return RegressorCommittee(HistGradientBoostingRegressor(**params(trees.slower(1))), classifier)


#: What makes a committee, by library.
COMMITTEES = {"lightgbm": of_lightgbm, "xgboost": of_xgboost, "sklearn": of_sklearn}
