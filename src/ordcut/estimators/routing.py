"""Where weights, groups and other metadata of ``fit`` go."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import sklearn
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.validation import has_fit_parameter

from ordcut.estimators.targets import Targets


@dataclass(frozen=True)
class Routed:
    """Arguments for the inner estimator's ``fit`` and for the splitter's ``split``."""

    fit: dict[str, Any]
    split: dict[str, Any]


def route(owner: Any, sample_weight: Any, targets: Targets, params: dict[str, Any]) -> Routed:
    """Return who gets what.

    With metadata routing on, scikit-learn decides by what was requested. Otherwise groups go to
    the splitter, and weights to an inner estimator whose ``fit`` names them.
    """
    if sklearn.get_config()["enable_metadata_routing"]:
        if sample_weight is not None:
            params = {**params, "sample_weight": sample_weight}
        routed = process_routing(owner, "fit", **params)
        return Routed(dict(routed.estimator.fit), dict(routed.splitter.split))
    to_fit = {name: value for name, value in params.items() if name != "groups"}
    to_split = {"groups": params["groups"]} if "groups" in params else {}
    if sample_weight is not None:
        if has_fit_parameter(owner.estimator, "sample_weight"):
            weights = targets.sample_weight
            to_fit["sample_weight"] = np.ones(len(targets.codes)) if weights is None else weights
        else:
            warnings.warn(
                f"{type(owner.estimator).__name__} takes no sample_weight in fit, so weights only "
                "count for the thresholds. To send them to the steps of a pipeline, turn on "
                "metadata routing: sklearn.set_config(enable_metadata_routing=True).",
                UserWarning,
                stacklevel=3,
            )
    return Routed(to_fit, to_split)
