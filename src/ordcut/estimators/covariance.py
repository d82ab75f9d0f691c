"""The covariance of estimates: the inverse of the Hessian, on the scale of the features."""

from __future__ import annotations

import numpy as np

from ordcut.arrays import Array, Floats
from ordcut.estimators.design import Design
from ordcut.estimators.score_model import ScoreModel


def covariance_of(hessian: Floats, design: Design, model: ScoreModel) -> Floats:
    """Return the covariance of the K - 1 biases and the coefficients, in this order.

    It is NaN for what the data do not determine: coefficients of collinear or constant features,
    and biases beside classes that do not occur.
    """
    inverse, undetermined = invert(hessian)
    m = len(model.inner_biases)
    back = np.eye(len(hessian))
    back[m:, m:] /= design.scale
    back[:m, m:] = design.centre / design.scale
    inverse = back @ inverse @ back.T
    inverse[undetermined], inverse[:, undetermined] = np.nan, np.nan
    place = np.concatenate([_places_of_biases(model), np.arange(m, len(hessian))])
    whole = np.full((len(place), len(place)), np.nan)
    known = np.flatnonzero(place >= 0)
    whole[np.ix_(known, known)] = inverse[np.ix_(place[known], place[known])]
    return whole


def invert(hessian: Floats) -> tuple[Floats, Array]:
    """Return the inverse, and which parameters lie along directions without curvature."""
    size = np.sqrt(np.abs(np.diag(hessian)))
    size[size == 0] = 1.0
    values, vectors = np.linalg.eigh(hessian / size / size[:, None])
    keep = values > 1e-11 * values.max()
    kept = vectors[:, keep] / size[:, None]
    undetermined = (vectors[:, ~keep] ** 2).sum(axis=1) > 1e-8
    return (kept / values[keep]) @ kept.T, undetermined


def _places_of_biases(model: ScoreModel) -> Array:
    """Return where each of the K - 1 biases stands among those estimated; -1 if it does not."""
    n_below = np.searchsorted(model.occurring, np.arange(model.n_classes - 1), "right")
    is_first = np.diff(n_below, prepend=0) > 0
    return np.where(is_first & (n_below <= len(model.inner_biases)), n_below - 1, -1)
