"""A score test of whether one coefficient per feature is enough for all thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy.special import chdtrc

from ordcut.estimators.inference import Summary
from ordcut.estimators.likelihood import OrdinalRows
from ordcut.estimators.links import Link
from ordcut.typing import Array, Floats

#: Directions with less information than this share of the largest count as undetermined.
LEAST_INFORMATION = 1e-9


def score_test_of_odds(
    rows: OrdinalRows, link: Link, biases: Floats, coef: Floats, names: Sequence[str]
) -> Summary:
    """Test the model against one in which each threshold has coefficients of its own.

    The score test (Peterson and Harrell 1990) uses the expected information at the estimates, and
    fits no other model, which often has no maximum where classes are rare. Estimates that are not
    of maximum likelihood, because of a penalty, are corrected by one step (Neyman's C(alpha)).

    Parameters
    ----------
    rows : OrdinalRows
        The rows that the model was fitted to, of at least three classes.
    link : Link
        The link.
    biases, coef : ndarray
        The estimates, on the scale of the standardised features.
    names : sequence of str
        The names of the features.

    Returns
    -------
    Summary
        One line for all features together, then one line per feature, with its own coefficients
        for that feature only.
    """
    score, information = _score_and_information(rows, link, biases, coef)
    m, p = len(biases), len(coef)
    # The first parameters are biases and common coefficients; then, for every threshold but the
    # first, by how much its coefficients differ from those of the first.
    common = np.vstack([np.eye(p)] * m)
    own = np.eye(m * p)[:, p:]
    to_thresholds = np.zeros((m + m * p, m + p + (m - 1) * p))
    to_thresholds[:m, :m] = np.eye(m)
    to_thresholds[m:, m : m + p], to_thresholds[m:, m + p :] = common, own
    score, information = score @ to_thresholds, to_thresholds.T @ information @ to_thresholds
    known, tested = slice(None, m + p), slice(m + p, None)
    across = np.linalg.pinv(information[known, known], hermitian=True) @ information[known, tested]
    left = score[tested] - score[known] @ across
    variance = information[tested, tested] - information[tested, known] @ across
    largest = float(np.abs(np.diag(information)[tested]).max(initial=0.0))
    of_feature = np.arange((m - 1) * p) % max(p, 1)
    found = [_quadratic(left, variance, largest)]
    for feature in range(p):
        some = np.flatnonzero(of_feature == feature)
        found.append(_quadratic(left[some], variance[np.ix_(some, some)], largest))
    statistic, df = (np.array(column, dtype=np.float64) for column in zip(*found, strict=True))
    with np.errstate(invalid="ignore"):
        p_value = np.where(df > 0, chdtrc(df, statistic), np.nan)
    columns: dict[str, Array] = {
        "term": np.array(["all features", *names]),
        "chi2": statistic,
        "df": df.astype(np.int64),
        "p_value": p_value,
    }
    return Summary("Score test of proportional odds", columns)


def _score_and_information(
    rows: OrdinalRows, link: Link, biases: Floats, coef: Floats
) -> tuple[Floats, Floats]:
    """Return the derivatives of the log-likelihood, and their expected covariance.

    They are by the bias of each threshold, and then by the coefficients of each threshold.
    """
    m, p, n_classes = len(biases), len(coef), rows.n_classes
    at = biases - rows.design.scores(coef)[:, None]
    edges = np.concatenate([[-np.inf], biases, [np.inf]])
    shifted = edges - rows.design.scores(coef)[:, None]
    log_p = [link.log_interval(upper, lower) for lower, upper in pairwise(shifted.T)]
    log_f = link.log_pdf(at).T
    w = rows.weights

    by_bias, by_coef = np.zeros(m), np.zeros((m, p))
    at_biases, across, at_coef = np.zeros((m, m)), np.zeros((m, m * p)), np.zeros((m * p, m * p))

    def add(k: int, l: int, weighted: Floats) -> None:  # noqa: E741
        """Add the information of thresholds k and l, of which each row has a share."""
        of_k, of_l = slice(k * p, (k + 1) * p), slice(l * p, (l + 1) * p)
        at_biases[k, l] = at_biases[l, k] = weighted.sum()
        across[k, of_l] = across[l, of_k] = -rows.design.sums(weighted)
        at_coef[of_k, of_l] = rows.design.gram(weighted)
        at_coef[of_l, of_k] = at_coef[of_k, of_l].T

    for k in range(m):
        below, above = np.exp(log_f[k] - log_p[k]), np.exp(log_f[k] - log_p[k + 1])
        each = w * (np.where(rows.codes == k, below, 0.0) - np.where(rows.codes == k + 1, above, 0))
        by_bias[k], by_coef[k] = each.sum(), -rows.design.sums(each)
        add(k, k, w * np.exp(log_f[k]) * (below + above))
        if k + 2 < n_classes:
            add(k, k + 1, -w * above * np.exp(log_f[k + 1]))
    score = np.concatenate([by_bias, by_coef.ravel()])
    return score, np.block([[at_biases, across], [across.T, at_coef]])


def _quadratic(left: Floats, variance: Floats, largest: float) -> tuple[float, int]:
    """Return the squared length of a score by its covariance, and the rank of the latter."""
    values, vectors = np.linalg.eigh(variance)
    kept = values > LEAST_INFORMATION * max(largest, float(values.max(initial=0.0)))
    along = left @ vectors[:, kept]
    return float((along**2 / values[kept]).sum()), int(kept.sum())
