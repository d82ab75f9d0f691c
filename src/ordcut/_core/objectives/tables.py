"""The tables of named objectives: a new objective of a known kind is a row here.

Scores that add up over decisions are in ``TERMS``, in ``terms.py``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ordcut._core.typing import Array

#: Costs by name: what predicting class ``k`` costs when the truth is class ``l``, over arrays.
COSTS: dict[str, Callable[[Array, Array], Array]] = {
    "absolute": lambda k, l: np.abs(k - l),  # noqa: E741 (the paper's letters)
    "squared": lambda k, l: (k - l) ** 2,  # noqa: E741
    "zero_one": lambda k, l: k != l,  # noqa: E741
    "beyond_one": lambda k, l: np.abs(k - l) > 1,  # noqa: E741
}

#: Kappas by name: the cost that each compares with what chance would pay.
KAPPAS: dict[str, str] = {
    "kappa": "zero_one",
    "linear_kappa": "absolute",
    "quadratic_kappa": "squared",
}

#: Costs that are distances: of the values of the classes, where these are numbers.
DISTANCES = ("absolute", "squared")

#: Losses in which every true class counts the same, whatever its number of rows.
BALANCED: dict[str, str] = {"macro_mae": "absolute", "balanced_zero_one": "zero_one"}

#: Other names that people use, such as the names of scikit-learn's metrics and scorers.
ALIASES: dict[str, str] = {
    alias: name
    for name, aliases in {
        "absolute": "mae mean_absolute_error neg_mean_absolute_error",
        "squared": "mse mean_squared_error neg_mean_squared_error",
        "zero_one": "accuracy accuracy_score zero_one_loss",
        "beyond_one": "within_one adjacent_accuracy accuracy_within_one",
        "balanced_zero_one": "balanced_accuracy balanced_accuracy_score",
        "macro_mae": "neg_macro_mae",
        "kappa": "cohen_kappa cohen_kappa_score",
        "linear_kappa": "linear_weighted_kappa lwk",
        "quadratic_kappa": "quadratic_weighted_kappa qwk",
        "macro_f1": "f1_macro",
        "weighted_f1": "f1_weighted",
        "geometric_recall": "geometric_mean_score",
    }.items()
    for alias in aliases.split()
}

#: Shares of right rows, which are 1 minus the loss that is minimised for them.
ACCURACIES = (
    *("accuracy", "accuracy_score", "balanced_accuracy", "balanced_accuracy_score"),
    *("adjacent_accuracy", "accuracy_within_one", "within_one"),
)

#: Why the Matthews correlation is no objective.
_MCC = (
    "objective cannot be the Matthews correlation (MCC): it is not a ratio of two sums over the "
    'rows, which exact search needs. Use "kappa": it has the same numerator, and is equal to it '
    "where every class is predicted as often as it occurs."
)

#: Metrics that people ask for and that cannot be optimised exactly, with the reason.
REFUSED: dict[str, str] = {"mcc": _MCC, "matthews": _MCC, "matthews_corrcoef": _MCC}
