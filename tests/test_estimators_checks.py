"""scikit-learn's own checks, with no expected failure."""

import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

from ordcut.estimators import (
    LinearThresholdClassifier,
    OrdinalLogisticRegression,
    OrdinalThresholdClassifierCV,
)
from ordcut.estimators.surrogates import SURROGATES

ESTIMATORS = [
    OrdinalLogisticRegression(),
    OrdinalLogisticRegression(solver="lbfgs"),
    LinearThresholdClassifier(),
    LinearThresholdClassifier("hinge_it"),
    OrdinalThresholdClassifierCV(Ridge()),
    OrdinalThresholdClassifierCV(LogisticRegression(), objective="quadratic_kappa"),
    OrdinalThresholdClassifierCV(Ridge(), labeling="round", cv=0.5),
]


@parametrize_with_checks(ESTIMATORS)
# Text without an order is taken in alphabetical order with a warning, which the checks provoke;
# and one check casts NaN to integers itself.
@pytest.mark.filterwarnings("ignore::ordcut.UnorderedLabelsWarning")
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


def test_the_tags_of_the_inner_estimator_pass_through():
    from sklearn.utils import get_tags

    tags = get_tags(OrdinalThresholdClassifierCV(HistGradientBoostingRegressor())).input_tags
    assert tags.allow_nan
    assert not tags.sparse
    assert get_tags(OrdinalThresholdClassifierCV(Ridge())).input_tags.sparse


def test_the_check_that_is_skipped_by_default_passes_too():
    import os
    import subprocess
    import sys

    code = (
        "from sklearn.utils.estimator_checks import check_array_api_input as check\n"
        "from test_estimators_checks import ESTIMATORS\n"
        "for estimator in ESTIMATORS: check(type(estimator).__name__, estimator, 'numpy')"
    )
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    here = os.path.dirname(__file__)
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, cwd=here)


def test_importing_the_package_imports_no_scikit_learn():
    import subprocess
    import sys

    code = "import sys, ordcut; assert not {'sklearn', 'scipy', 'matplotlib'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_way_to_learn_a_score_of_the_earlier_study_is_there():
    assert len(SURROGATES) == 8
