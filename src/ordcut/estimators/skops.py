"""The types that fitted estimators consist of, for loading them with skops."""

from __future__ import annotations

from ordcut._core import limits
from ordcut._core.data import ScoreDistribution
from ordcut._core.objectives import Additive, Kappa, Objective, Ratio, SegmentObjective, Segments
from ordcut._core.thresholds import Certificate, ConstraintOutcome, Promise, Record, Thresholds
from ordcut.estimators.calibration import Calibration
from ordcut.estimators.committee import ClassifierCommittee, RegressorCommittee
from ordcut.estimators.cross_fitted import OrdinalThresholdClassifierCV
from ordcut.estimators.likelihood import ProportionalOddsModel
from ordcut.estimators.linear import LinearThresholdClassifier
from ordcut.estimators.link_classifier import CumulativeLinkClassifier
from ordcut.estimators.logistic import OrdinalLogisticRegression
from ordcut.estimators.mean_class import MeanClassRegressor

#: What estimators, their parameters and their thresholds consist of: data only, no functions.
TYPES = (
    LinearThresholdClassifier, OrdinalLogisticRegression, OrdinalThresholdClassifierCV,
    Calibration, ClassifierCommittee, CumulativeLinkClassifier, MeanClassRegressor,
    RegressorCommittee, ProportionalOddsModel, Thresholds, Certificate, ConstraintOutcome, Promise,
    Record, ScoreDistribution, Additive, Kappa, Objective, Ratio, SegmentObjective, Segments,
    *(
        value for value in vars(limits).values()
        if isinstance(value, type) and issubclass(value, limits.Constraint)
    ),
)  # fmt: skip

#: Types of boosted models, which this package does not import.
OF_BOOSTING = (
    "ordcut.boosting.classifier.OrdinalBoostingClassifier",
    "ordcut.boosting.cumulative_link.CumulativeLink",
)

#: The names of the types, for ``trusted=`` of skops and ``skops_trusted_types=`` of MLflow.
SKOPS_TYPES = sorted({*(f"{cls.__module__}.{cls.__qualname__}" for cls in TYPES), *OF_BOOSTING})
