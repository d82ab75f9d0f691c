"""What objectives are called in sentences, pictures and pages."""

from __future__ import annotations

#: The title of each named objective.
TITLES = {
    "absolute": "mean absolute error",
    "squared": "mean squared error",
    "zero_one": "error rate",
    "beyond_one": "share of rows more than one class off",
    "macro_mae": "mean absolute error averaged over classes",
    "balanced_zero_one": "error rate averaged over classes",
    "kappa": "Cohen's kappa",
    "linear_kappa": "linear kappa",
    "quadratic_kappa": "quadratic kappa",
    "macro_f1": "macro-F1",
    "weighted_f1": "weighted F1",
    "geometric_recall": "geometric mean of the recalls",
    "min_recall": "smallest recall",
    "custom cost": "mean cost",
    "log_loss": "log loss",
    "poisson": "Poisson deviance",
    "squared_error": "squared error",
    "information_value": "information value",
    "gini": "Gini coefficient",
}


def title_of(name: str) -> str:
    """Return what an objective is called; its own name if it has no title.

    Examples
    --------
    >>> title_of("absolute"), title_of("my_cost")
    ('mean absolute error', 'my_cost')
    >>> title_of("zero_one, review at 0.2")
    'error rate with review at 0.2'
    """
    loss, _, review = name.partition(", review at ")
    return TITLES.get(loss, loss) + (f" with review at {review}" if review else "")
