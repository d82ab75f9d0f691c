"""scikit-learn's own checks, of which those that contradict optimal labels fail as expected."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

from ordcut.estimators import (
    LinearThresholdClassifier,
    OrdinalBoostingClassifier,
    OrdinalLogisticRegression,
    OrdinalThresholdClassifierCV,
    expected_failed_checks,
)

ESTIMATORS = [
    OrdinalLogisticRegression(),
    OrdinalLogisticRegression(probabilities=False),
    OrdinalLogisticRegression(probabilities=False, solver="lbfgs"),
    OrdinalLogisticRegression(objective="zero_one", labeling="likelihood"),
    OrdinalThresholdClassifierCV(Ridge(), probabilities=True),
    LinearThresholdClassifier(),
    LinearThresholdClassifier(surrogate="hinge_it"),
    OrdinalThresholdClassifierCV(Ridge()),
    OrdinalThresholdClassifierCV(LogisticRegression(), objective="quadratic_kappa"),
    OrdinalThresholdClassifierCV(Ridge(), labeling="rounding", cv=0.5),
    OrdinalThresholdClassifierCV(Ridge(), review=0.3),
    LinearThresholdClassifier(review=0.2),
    OrdinalThresholdClassifierCV(LogisticRegression(), labeling="expected_cost"),
    OrdinalThresholdClassifierCV(LogisticRegression(), probabilities=True, refit=False),
    OrdinalBoostingClassifier(n_estimators=5),
    OrdinalBoostingClassifier(n_estimators=5, library="sklearn", probabilities=False),
    OrdinalBoostingClassifier(n_estimators=5, library="xgboost", probabilities=False),
]


@parametrize_with_checks(
    ESTIMATORS, expected_failed_checks=expected_failed_checks, xfail_strict=True
)
# One check casts NaN to integers itself.
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_text_in_its_order_passes_what_a_check_passes_without(estimator):
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.array(["one", "two", "three"])[np.digitize(X[:, 0], [-0.4, 0.4])]
    model = clone(estimator).set_params(classes=["one", "two", "three"]).fit(X, y)
    assert model.classes_.tolist() == ["one", "two", "three"]
    assert model.score(X, y) > 0.5


def test_the_tags_of_the_inner_estimator_pass_through():
    from sklearn.utils import get_tags

    tags = get_tags(OrdinalThresholdClassifierCV(HistGradientBoostingRegressor())).input_tags
    assert tags.allow_nan
    assert not tags.sparse
    assert get_tags(OrdinalThresholdClassifierCV(Ridge())).input_tags.sparse


def test_the_check_that_is_skipped_by_default_passes_too():
    # SciPy reads the variable when it is imported, so this needs a process of its own.
    code = (
        "import pickle, sys\n"
        "from sklearn.utils.estimator_checks import check_array_api_input as check\n"
        "for estimator in pickle.load(sys.stdin.buffer):\n"
        "    check(type(estimator).__name__, estimator, 'numpy')"
    )
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    estimators = pickle.dumps(ESTIMATORS)
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, input=estimators)


@pytest.mark.parametrize("module", ["ordcut", "ordcut.studies.labelings"])
def test_importing_the_package_or_its_labelings_imports_no_scikit_learn(module):
    code = (
        f"import sys, {module}; assert not {{'sklearn', 'scipy', 'matplotlib'}} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
