"""The checks of scikit-learn that contradict optimal labels of ordered classes."""

from __future__ import annotations

from typing import Any

#: Why labels can differ from the most probable class.
PREDICTS = (
    "predict returns the best class for the objective, which is not always the most probable one: "
    "of 30 % low, 30 % mid and 40 % high, mid has the least expected absolute error"
)

#: Why text needs an order.
SORTS = "the check passes text without an order, which the alphabet does not know"


#: Why a weight of 2 differs from a row that occurs twice.
COUNTS = "the fewest rows in a leaf of a tree are counted without their weights, by all libraries"


def expected_failed_checks(estimator: Any) -> dict[str, str]:
    """Return the checks of scikit-learn that an estimator fails on purpose, with the reasons.

    Pass it to scikit-learn's tools: ``parametrize_with_checks(estimators,
    expected_failed_checks=expected_failed_checks)``, or ``check_estimator(estimator,
    expected_failed_checks=expected_failed_checks(estimator))``.

    Parameters
    ----------
    estimator : estimator
        An estimator of :mod:`ordcut.estimators`.

    Returns
    -------
    dict of str to str
        The reason by the name of the check.

    Examples
    --------
    >>> from ordcut.estimators import OrdinalLogisticRegression, expected_failed_checks
    >>> list(expected_failed_checks(OrdinalLogisticRegression()))
    ['check_classifiers_classes', 'check_classifiers_train']
    >>> list(expected_failed_checks(OrdinalLogisticRegression(probabilities=False)))
    ['check_classifiers_classes']
    """
    failed = {"check_classifiers_classes": SORTS}
    if hasattr(estimator, "min_samples_leaf"):
        for rows in ("dense", "sparse"):
            failed[f"check_sample_weight_equivalence_on_{rows}_data"] = COUNTS
    by_probabilities = estimator.labeling in ("likelihood", "expected_cost")
    is_most_probable = by_probabilities and estimator.objective == "zero_one"
    if hasattr(estimator, "predict_proba") and not is_most_probable:
        failed["check_classifiers_train"] = PREDICTS
    return failed
