"""Standardised features, and the sums over rows that the models need."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from ordcut._core.typing import Array, Floats

#: Numbers in a piece of rows: a piece and its weighted copy fit in the processor's cache.
PIECE = 131_072


def few_threads(n_features: int) -> AbstractContextManager[Any]:
    """Limit BLAS to a single thread if there are few features.

    The products are then small, and threads wait for each other longer than they compute.
    """
    if n_features > 100:
        return nullcontext()
    limited: AbstractContextManager[Any] = threadpool_limits(1, user_api="blas")
    return limited


class Design:
    """Standardised features of shape (n, p): dense ones are also centred, sparse ones are not.

    Centring changes only the biases, and would make a sparse matrix dense.

    Attributes
    ----------
    rows : ndarray or CSR array of shape (n, p)
        The standardised features; a constant feature is 0 where dense.
    centre, scale : ndarray of shape (p,)
        ``features = centre + scale * rows``.
    """

    rows: Any
    centre: Floats
    scale: Floats

    def __init__(self, features: Any, weights: Floats) -> None:
        total = float(weights.sum())
        if sparse.issparse(features):
            self._scale_sparse(sparse.csr_array(features), weights, total)
        else:
            self._standardise_dense(features, weights, total)

    def _standardise_dense(self, features: Array, weights: Floats, total: float) -> None:
        # Features are divided by their largest value first, so that no square overflows.
        peak = np.maximum(features.max(axis=0), -features.min(axis=0))
        peak[peak == 0] = 1.0
        rows = features / peak
        centre = weights @ rows / total
        rows -= centre
        spread = np.sqrt(sum(weights[a:b] @ rows[a:b] ** 2 for a, b in self.pieces(rows)) / total)
        constant = spread <= 8 * np.finfo(np.float64).eps * np.abs(centre)
        rows[:, constant] = 0.0
        spread[constant] = 1.0
        rows /= spread
        self.rows, self.centre, self.scale = rows, centre * peak, spread * peak

    def _scale_sparse(self, features: Any, weights: Floats, total: float) -> None:
        peak = abs(features).max(axis=0).toarray().ravel()
        peak[peak == 0] = 1.0
        rows = features.multiply(1.0 / peak).tocsr()
        mean = weights @ rows / total
        variance = weights @ rows.multiply(rows) / total - mean**2
        spread = np.sqrt(np.maximum(variance, 0.0))
        # A constant feature that is not 0 would act as a bias: leave it out of the model.
        constant = spread <= 1e-7 * np.abs(mean)
        factor = np.where(constant, 0.0, 1.0 / np.where(constant, 1.0, spread))
        self.rows = rows.multiply(factor).tocsr()
        self.centre = np.zeros(len(peak))
        self.scale = np.where(constant, 1.0, spread) * peak

    @property
    def n_features(self) -> int:
        """The number of features, p."""
        return len(self.scale)

    def scores(self, coef: Floats) -> Floats:
        """Return ``rows @ coef``."""
        return np.asarray(self.rows @ coef)

    def sums(self, factors: Floats) -> Floats:
        """Return the sum over rows of factor times row."""
        return np.asarray(factors @ self.rows)

    def gram(self, factors: Floats) -> Floats:
        """Return the sum over rows of factor times the outer product of the row with itself."""
        if sparse.issparse(self.rows):
            weighted = self.rows.multiply(factors[:, None]).tocsr()
            return np.asarray((self.rows.T @ weighted).toarray())
        total = np.zeros((self.n_features, self.n_features))
        for a, b in self.pieces(self.rows):
            piece = self.rows[a:b]
            total += (piece * factors[a:b, None]).T @ piece
        return total

    def sums_by_class(self, factors: Floats, codes: Array, n_classes: int) -> Floats:
        """Return, for each class, the sum over its rows of factor times row: (K, p)."""
        n = len(codes)
        picked = sparse.csr_array((factors, codes, np.arange(n + 1)), shape=(n, n_classes))
        sums = picked.T @ self.rows
        return np.asarray(sums.toarray() if sparse.issparse(sums) else sums)

    def to_features(self, coef: Floats) -> tuple[Floats, float]:
        """Return the coefficients of the original features, and what to add to the biases."""
        raw = coef / self.scale
        return raw, float(self.centre @ raw)

    @staticmethod
    def pieces(rows: Array) -> list[tuple[int, int]]:
        """Return the bounds of pieces of rows that fit in the processor's cache."""
        size = max(64, PIECE // max(1, rows.shape[1]))
        return list(pairwise([*range(0, rows.shape[0], size), rows.shape[0]]))
