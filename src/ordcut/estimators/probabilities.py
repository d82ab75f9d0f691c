"""Methods that an estimator has only if it was asked for probabilities."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import MethodType
from typing import Any


class OfProbabilities:
    """A method that an estimator has only with ``probabilities=True`` or likelihood labeling.

    Unlike scikit-learn's ``available_if``, the error says why the method is missing.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        update_wrapper(self, function)  # type: ignore[arg-type]

    def __get__(self, estimator: Any, _: type) -> Any:
        if estimator is None:
            return self._function
        by_probabilities = estimator.labeling in ("likelihood", "expected_cost")
        if getattr(estimator, "probabilities", True) or by_probabilities:
            return MethodType(self._function, estimator)
        raise AttributeError(
            f"{type(estimator).__name__} has {self._function.__name__} only with "
            "probabilities=True, set before fit: its labels are optimal for the objective, and can "
            "differ from the most probable class, which scikit-learn expects of a classifier with "
            "probabilities."
        )
