"""Leave-one-out scores: scores of a model fitted without the row, computed without refitting."""

from __future__ import annotations

import numpy as np

from ordcut.estimators.likelihood import LikelihoodPoint, OrdinalRows
from ordcut.estimators.minimisers import invert_hessian
from ordcut.typing import Array, Floats

#: A row with at least this leverage keeps its score: a single step is not accurate for it.
MOST_LEVERAGE = 0.9


def leave_one_out_changes(rows: OrdinalRows, point: LikelihoodPoint) -> Floats:
    """Return the change of the score of each row if the row is left out of the fit.

    Without row ``i`` the minimum is one Newton step away, ``(H - H_i)^-1 g_i``, up to terms of
    second order (Pregibon 1981; Rad and Maleki 2020). ``H_i`` has rank 2, for the two biases around
    the row's class, so the Hessian is inverted once for all rows. Of a row with a weight above 1,
    one repeat is left out. O(n (p + K)^2) time. Directions without curvature, as of collinear
    features, stay as they are.

    Parameters
    ----------
    rows : OrdinalRows
        What the model was fitted to.
    point : LikelihoodPoint
        The likelihood at the minimum.
    """
    inverse, _ = invert_hessian(point.hessian())
    bounds = rows.design.pieces(rows.design.rows)
    return np.concatenate([_changes(rows, point, inverse, slice(*piece)) for piece in bounds])


def _changes(rows: OrdinalRows, point: LikelihoodPoint, inverse: Floats, piece: slice) -> Floats:
    m, terms = point.n_biases, point.terms
    features, codes = rows.design.rows[piece], rows.codes[piece]
    once = np.minimum(rows.weights[piece], 1.0)
    u, l, uu, ll, ul = (  # noqa: E741 (upper and lower, as in Terms)
        once * part[piece] for part in (terms.u, terms.l, terms.uu, terms.ll, terms.ul)
    )
    # Inner products by the inverse: of the row with itself, and with its upper and lower bias. A
    # class at an end has a single bias; the terms of the other are 0, so any index will do.
    across = np.asarray(features @ inverse[m:])
    itself = _row_sums(features, across[:, m:])
    upper, lower = np.minimum(codes, m - 1), np.maximum(codes - 1, 0)
    each = np.arange(len(codes))
    with_upper, with_lower = across[each, upper], across[each, lower]
    a_uu = inverse[upper, upper] - 2 * with_upper + itself
    a_ll = inverse[lower, lower] - 2 * with_lower + itself
    a_ul = inverse[upper, lower] - with_upper - with_lower + itself
    # Solve (I - M A) q = (u, l), two by two.
    p00, p01 = 1 - uu * a_uu - ul * a_ul, -(uu * a_ul + ul * a_ll)
    p10, p11 = -(ul * a_uu + ll * a_ul), 1 - ul * a_ul - ll * a_ll
    left = p00 * p11 - p01 * p10
    holds = left > 1 - MOST_LEVERAGE
    left = np.where(holds, left, 1.0)
    of_upper, of_lower = (p11 * u - p01 * l) / left, (p00 * l - p10 * u) / left
    change = (with_upper - itself) * of_upper + (with_lower - itself) * of_lower
    return np.where(holds, change, 0.0)


def _row_sums(features: Array, others: Floats) -> Floats:
    """Return the sum over features of their product with others, row by row."""
    if isinstance(features, np.ndarray):
        return np.asarray(np.einsum("ij,ij->i", features, others))
    return np.asarray(features.multiply(others).sum(axis=1)).ravel()
