"""Statistical inference: covariances, tables, leave-one-out scores, a test of proportional odds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import chdtrc, ndtr, ndtri

from ordcut._core.thresholds import as_frame
from ordcut._core.typing import Array, Floats
from ordcut._core.views import view
from ordcut.estimators.design import Design
from ordcut.estimators.likelihood import LikelihoodPoint, OrdinalRows, ProportionalOddsModel
from ordcut.estimators.links import Link
from ordcut.estimators.minimisers import LEAST_PART, invert_hessian

#: A row with at least this leverage keeps its score: a single step is not accurate for it.
MOST_LEVERAGE = 0.9

#: Directions with less information than this share of the largest count as undetermined.
LEAST_INFORMATION = 1e-9


def covariance_of(hessian: Floats, design: Design, model: ProportionalOddsModel) -> Floats:
    """Return the covariance of the K - 1 biases and the coefficients, in this order.

    It is the inverse of the Hessian on the scale of the features, and NaN for what the data do not
    determine: coefficients of collinear or constant features, biases where such features add up to
    a constant, and biases next to classes that do not occur.
    """
    inverse, flat = invert_hessian(hessian)
    m = len(model.inner_biases)
    back = np.eye(len(hessian))
    back[m:, m:] /= design.scale
    back[:m, m:] = design.centre / design.scale
    inverse = back @ inverse @ back.T
    # The parts of a direction can cancel in a bias, as with equal features.
    undetermined = (np.abs(back @ flat) > LEAST_PART * (np.abs(back) @ np.abs(flat))).any(axis=1)
    inverse[undetermined], inverse[:, undetermined] = np.nan, np.nan
    index = np.concatenate([_indices_of_biases(model), np.arange(m, len(hessian))])
    whole = np.full((len(index), len(index)), np.nan)
    known = np.flatnonzero(index >= 0)
    whole[np.ix_(known, known)] = inverse[np.ix_(index[known], index[known])]
    return whole


def collinear_features(rows: OrdinalRows) -> tuple[int, Array]:
    """Return the rank of the features, centred, and the indices of collinear features.

    Constant features are among them: they are collinear with the biases.
    """
    sums = rows.design.sums(rows.weights)
    _, flat = invert_hessian(
        rows.design.gram(rows.weights) - np.outer(sums, sums) / rows.weights.sum()
    )
    return rows.design.n_features - flat.shape[1], np.flatnonzero(flat.any(axis=1))


def _indices_of_biases(model: ProportionalOddsModel) -> Array:
    """Return the index of each of the K - 1 biases among those estimated, -1 if it was not."""
    n_below = np.searchsorted(model.occurring, np.arange(model.n_classes - 1), "right")
    is_first = np.diff(n_below, prepend=0) > 0
    return np.where(is_first & (n_below <= len(model.inner_biases)), n_below - 1, -1)


def leave_one_out_changes(rows: OrdinalRows, point: LikelihoodPoint) -> Floats:
    """Return the change of the score of each row if the row is left out of the fit.

    Without row ``i`` the minimum is a Newton step away, ``(H - H_i)^-1 g_i``, up to terms of
    second order (Pregibon 1981; Rad and Maleki 2020). ``H_i`` has rank 2, for the two biases around
    the row's class, so the Hessian is inverted once for all rows. Of a row with a weight above 1,
    a single repeat is left out. O(n (p + K)^2) time. Directions without curvature, as of collinear
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


@dataclass(frozen=True, repr=False)
class Summary:
    """Estimates with standard errors, z values, p values, intervals and odds ratios.

    Attributes
    ----------
    title : str
        What was fitted, and how well.
    columns : dict of str to ndarray
        ``term``, ``estimate``, ``std_error``, ``z``, ``p_value``, ``lower``, ``upper`` and, for
        the logit link, ``odds_ratio``, ``odds_lower``, ``odds_upper``. A bias has no odds ratio.
    statistics : dict of str to float
        How well the model fits: ``n``, ``n_parameters`` (which the rows determine),
        ``log_likelihood``, ``aic``, ``bic`` and ``pseudo_r2``.
    note : str
        Which features are collinear, if any.
    odds_test : Summary or None
        The test of proportional odds, if the rows were passed to ``summary``.
    """

    title: str
    columns: dict[str, Array]
    statistics: dict[str, float] = field(default_factory=dict)
    odds_test: Summary | None = None
    note: str = ""

    def to_frame(self, backend: Any = "pandas") -> Any:
        """Return the table as a dataframe of ``backend``: pandas, polars or pyarrow."""
        return as_frame(self.columns, backend)

    def __getitem__(self, column: str) -> Array:
        return self.columns[column]

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        names = list(self.columns)
        rows = [
            [value if isinstance(value, str) else _number(value) for value in row]
            for row in zip(*(column.tolist() for column in self.columns.values()), strict=True)
        ]
        return names, rows

    def __repr__(self) -> str:
        names, rows = self._cells()
        widths = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(width) if column == 0 else cell.rjust(width)
                for column, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in [names, *rows]
        ]
        head = filter(None, [self.title, self._fit_line(), self.note])
        test = [] if self.odds_test is None else ["", repr(self.odds_test)]
        return "\n".join([*head, *lines, *test])

    def _fit_line(self) -> str:
        """Return the statistics as a line of text."""
        shown = {name: f"{value:.6g}" for name, value in self.statistics.items()}
        return ", ".join(f"{name} {value}" for name, value in shown.items())

    def _repr_html_(self) -> str:
        names, rows = self._cells()
        test = "" if self.odds_test is None else self.odds_test._repr_html_()
        return view(self.title, names, rows, value=self._fit_line(), notes=[self.note]) + test


def summarise(
    title: str,
    names: list[str],
    estimates: Floats,
    errors: Floats,
    *,
    n_biases: int,
    level: float,
    odds: bool,
    statistics: dict[str, float],
    odds_test: Summary | None,
    note: str,
) -> Summary:
    """Return the table of biases and then coefficients, with confidence intervals."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        z = estimates / errors
        reach = ndtri(0.5 + level / 2) * errors
        columns: dict[str, Array] = {
            "term": np.array(names),
            "estimate": estimates,
            "std_error": errors,
            "z": z,
            "p_value": 2 * ndtr(-np.abs(z)),
            "lower": estimates - reach,
            "upper": estimates + reach,
        }
        if odds:
            is_bias = np.arange(len(names)) < n_biases
            for name, of in (("ratio", "estimate"), ("lower", "lower"), ("upper", "upper")):
                columns[f"odds_{name}"] = np.where(is_bias, np.nan, np.exp(columns[of]))
    return Summary(title, columns, statistics, odds_test, note)


def fit_statistics(
    n: float, log_likelihood: float, null_log_likelihood: float, n_parameters: int
) -> dict[str, float]:
    """Return n, the number of parameters, the log-likelihood, AIC, BIC and McFadden's pseudo R2.

    Examples
    --------
    >>> fit_statistics(100.0, -60.0, -80.0, 3)["pseudo_r2"]
    0.25
    """
    return {
        "n": n,
        "n_parameters": float(n_parameters),
        "log_likelihood": log_likelihood,
        "aic": 2 * n_parameters - 2 * log_likelihood,
        "bic": float(np.log(n)) * n_parameters - 2 * log_likelihood,
        "pseudo_r2": 1 - log_likelihood / null_log_likelihood,
    }


def _number(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.4g}"


def score_test_of_odds(
    rows: OrdinalRows, link: Link, biases: Floats, coef: Floats, names: Sequence[str]
) -> Summary:
    """Test the model against a model in which each threshold has coefficients of its own.

    The score test (Peterson and Harrell 1990) uses the expected information at the estimates, and
    fits no other model, which often has no maximum where classes are rare. Estimates that are not
    of maximum likelihood, because of a penalty, are corrected by a single step (Neyman's C(alpha)).

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
        A line for all features together, then a line per feature, with its own coefficients for
        that feature only.
    """
    score, information = _score_and_information(rows, link, biases, coef)
    m, p = len(biases), len(coef)
    # The first parameters are biases and common coefficients; then, for every threshold but the
    # first, by how much its coefficients differ from the first coefficients.
    common = np.vstack([np.eye(p)] * m)
    differences = np.eye(m * p)[:, p:]
    to_thresholds = np.zeros((m + m * p, m + p + (m - 1) * p))
    to_thresholds[:m, :m] = np.eye(m)
    to_thresholds[m:, m : m + p], to_thresholds[m:, m + p :] = common, differences
    score, information = score @ to_thresholds, to_thresholds.T @ information @ to_thresholds
    known, tested = slice(None, m + p), slice(m + p, None)
    across = np.linalg.pinv(information[known, known], hermitian=True) @ information[known, tested]
    left = score[tested] - score[known] @ across
    variance = information[tested, tested] - information[tested, known] @ across
    largest = float(np.abs(np.diag(information)[tested]).max(initial=0.0))
    of_feature = np.arange((m - 1) * p) % max(p, 1)
    tests = [_quadratic(left, variance, largest)]
    for feature in range(p):
        own = np.flatnonzero(of_feature == feature)
        tests.append(_quadratic(left[own], variance[np.ix_(own, own)], largest))
    statistic, df = (np.array(column, dtype=np.float64) for column in zip(*tests, strict=True))
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
    edges = np.concatenate([[-np.inf], biases, [np.inf]])
    shifted = edges - rows.design.scores(coef)[:, None]
    log_p = [link.log_interval(upper, lower) for lower, upper in pairwise(shifted.T)]
    log_f = link.log_pdf(shifted[:, 1:-1]).T
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
    """Return the quadratic form of a score and its inverse covariance, and the rank of that."""
    values, vectors = np.linalg.eigh(variance)
    kept = values > LEAST_INFORMATION * max(largest, float(values.max(initial=0.0)))
    along = left @ vectors[:, kept]
    return float((along**2 / values[kept]).sum()), int(kept.sum())
