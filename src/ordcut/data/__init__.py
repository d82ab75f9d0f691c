"""Rows: scores, labels and weights, validated, encoded and sorted."""

from ordcut.data.alignment import check_aligned
from ordcut.data.categories import stated_order
from ordcut.data.confusion import confusions_of, count_confusion, truth_in_rows
from ordcut.data.labels import (
    MOST_CLASSES,
    Labels,
    check_classes,
    check_classes_found,
    check_not_continuous,
    codes_of,
    encode,
    is_missing,
)
from ordcut.data.rows import Rows, as_scores, check_finite, warn_if_reversed, warn_reversed
from ordcut.data.sorting import KernelRows, SortedRows, insert_lumps, sort_rows
from ordcut.data.weights import (
    ClassWeight,
    balanced_factors,
    check_weights,
    class_factors,
    effective_rows,
    unit_of,
)

__all__ = [
    "MOST_CLASSES",
    "ClassWeight",
    "KernelRows",
    "Labels",
    "Rows",
    "SortedRows",
    "as_scores",
    "balanced_factors",
    "check_aligned",
    "check_classes",
    "check_classes_found",
    "check_finite",
    "check_not_continuous",
    "check_weights",
    "class_factors",
    "codes_of",
    "confusions_of",
    "count_confusion",
    "effective_rows",
    "encode",
    "insert_lumps",
    "is_missing",
    "sort_rows",
    "stated_order",
    "truth_in_rows",
    "unit_of",
    "warn_if_reversed",
    "warn_reversed",
]
