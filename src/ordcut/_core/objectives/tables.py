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

#: Metrics that people ask for and that are no objectives: the reason, and what to use.
REFUSED: dict[str, str] = {
    name: f"objective cannot be {reason}"
    for reason, names in {
        "the Matthews correlation (MCC): it is not a ratio of two sums over the rows, which exact "
        'search needs. Use "kappa": it has the same numerator, and is equal to it where every '
        "class is predicted as often as it occurs.": "mcc matthews matthews_corrcoef",
        "the F1 of a single class. Use the mean F1 of all classes, \"macro_f1\", or limit the F1 "
        "of a class by a constraint, such as 'f1 NAME >= 0.7'.": "f1 f1_score f2 fbeta f_beta",
        "Youden's index. Use \"balanced_accuracy\": for two classes, it has the same optimal "
        "thresholds.": "youden youden_j youdens_j informedness bookmaker",
        "a measure of all thresholds together, such as the area under a curve. Use a measure of "
        'labels, such as "balanced_accuracy".': "auc roc_auc roc_auc_score average_precision ks",
        "a weighted kappa without the weights. Use \"linear_kappa\" or \"quadratic_kappa\".": (
            "weighted_kappa wkappa"
        ),
        "Krippendorff's alpha. Use \"quadratic_kappa\" for numbers, or \"kappa\" for names: both "
        "measure agreement beyond chance too.": "krippendorff krippendorff_alpha alpha",
        "a correlation. Use \"quadratic_kappa\", which is lower the further labels are from the "
        "truth.": "spearman spearmanr pearson pearsonr kendall kendall_tau correlation",
        "the root of a mean squared error. Use \"squared\": it has the same optimal thresholds.": (
            "rmse root_mean_squared_error neg_root_mean_squared_error"
        ),
        "a loss of probabilities, since thresholds give labels. Use a loss of labels, such as "
        '"absolute".': "log_loss logloss cross_entropy nll brier brier_score neg_log_loss",
        "the rate of a single class. Use it as a constraint, such as 'recall NAME >= 0.9', or "
        'use "balanced_accuracy" or "min_recall" for all classes.': (
            "recall precision sensitivity specificity tpr fpr ppv npv"
        ),
        "a net benefit without the threshold probability p. Pass the costs of two classes, "
        "[[0, 1 - p], [p, 0]]: the thresholds of least cost have the highest net benefit.": (
            "net_benefit"
        ),
        "costs without numbers. Pass them: a row for each predicted class, and a column for each "
        "true class.": "cost costs cost_matrix custom profit utility",
    }.items()
    for name in names.split()
}  # fmt: skip
