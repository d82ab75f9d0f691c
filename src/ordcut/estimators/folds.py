"""Which rows are scored by a model that has not seen them."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit, check_cv

from ordcut.arrays import Array


def read_cv(cv: Any, codes: Array, random_state: Any) -> tuple[Any, Array]:
    """Return a splitter for the parameter ``cv``, and the strata to hand to it.

    A number of folds is stratified, a share between 0 and 1 is one stratified hold-out; anything
    else is what scikit-learn makes of it.
    """
    if isinstance(cv, Real) and not isinstance(cv, Integral):
        if not 0 < float(cv) < 1:
            raise ValueError(
                f'cv must be a share between 0 and 1, a number of folds, a splitter or "prefit", '
                f"got {cv!r}."
            )
        strata = merge_rare(codes, 2)
        split = StratifiedShuffleSplit(1, test_size=float(cv), random_state=random_state)
        return split, strata
    if cv is None or isinstance(cv, Integral):
        n_folds = 5 if cv is None else int(cv)
        if isinstance(cv, bool) or n_folds < 2:
            raise ValueError(f"cv must be at least 2 folds, got {cv!r}.")
        if len(codes) < n_folds:
            raise ValueError(
                f"cv must not ask for more folds than there are rows, got {n_folds} folds and "
                f"n_samples={len(codes)}."
            )
        return StratifiedKFold(n_folds), merge_rare(codes, n_folds)
    return check_cv(cv, codes, classifier=True), codes


def merge_rare(codes: Array, least: int) -> Array:
    """Merge neighbouring classes until each stratum has at least ``least`` rows.

    A rare class then neither stops nor troubles a stratified split.

    Examples
    --------
    >>> merge_rare(np.array([0, 1, 1, 2, 3, 3]), 2)
    array([0, 0, 0, 1, 1, 1])
    """
    counts = np.bincount(codes)
    stratum_of = np.zeros(len(counts), dtype=np.intp)
    stratum, held = 0, 0
    for code, count in enumerate(counts):
        if held >= least and counts[code:].sum() >= least:
            stratum, held = stratum + 1, 0
        stratum_of[code] = stratum
        held += count
    return np.asarray(stratum_of[codes])


def take_rows(features: Any, rows: Array) -> Any:
    """Return some rows of an array, a sparse matrix, a dataframe or a list."""
    if isinstance(features, np.ndarray):
        return features[rows]
    if sparse.issparse(features):
        return features.tocsr()[rows]
    frame: Any = nw.from_native(features, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return frame[rows].to_native()
    if hasattr(features, "__array__"):
        return np.asarray(features)[rows]
    return [features[row] for row in rows.tolist()]
