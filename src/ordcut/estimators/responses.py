"""How an inner estimator scores rows: one row a method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import softmax
from sklearn.base import is_regressor

from ordcut.arrays import Array, Floats


@dataclass(frozen=True)
class Response:
    """A method of an estimator, and how its output becomes one score a row.

    ``read`` takes the output and the places of the classes that the estimator saw.
    """

    method: str
    read: Callable[[Floats, Array], Floats]
    needs_classifier: bool

    def scores(self, estimator: Any, features: Any, code_of: Array) -> Floats:
        """Return one score a row; ``code_of`` holds the places of what a classifier predicts."""
        if not hasattr(estimator, self.method):
            raise ValueError(
                f"response_method={self.method!r} needs an estimator with that method, got "
                f"{type(estimator).__name__}. Choose another of {', '.join(RESPONSES)}."
            )
        output = np.asarray(getattr(estimator, self.method)(features))
        places = code_of
        if self.needs_classifier:
            seen = np.asarray(estimator.classes_)
            # A prefit classifier knows labels, of which there are as many as places.
            places = code_of if len(seen) == len(code_of) else code_of[seen]
        return self.read(output, places)


def _as_is(output: Floats, _: Array) -> Floats:
    if output.ndim == 2 and output.shape[1] == 1:
        output = output[:, 0]
    if output.ndim != 1:
        raise ValueError(
            f"scores must be one number a row, got shape {output.shape}. "
            "Pass an estimator with a single output."
        )
    return output


def _mean_place(output: Floats, places: Array) -> Floats:
    """Return the mean place of the classes under the probabilities."""
    return np.asarray(output @ places.astype(np.float64))


def _mean_margin(output: Floats, places: Array) -> Floats:
    """Return margins as they are for two classes; the mean place by their softmax for more."""
    return _as_is(output, places) if output.ndim == 1 else _mean_place(softmax(output, 1), places)


#: Responses by name.
RESPONSES: dict[str, Response] = {
    "predict": Response("predict", _as_is, needs_classifier=False),
    "predict_proba": Response("predict_proba", _mean_place, needs_classifier=True),
    "decision_function": Response("decision_function", _mean_margin, needs_classifier=True),
}


def choose_response(estimator: Any, method: str) -> Response:
    """Return the response that a name stands for; "auto" looks at the estimator."""
    if method == "auto":
        if is_regressor(estimator):
            method = "predict"
        else:
            method = "predict_proba" if hasattr(estimator, "predict_proba") else "decision_function"
            if not hasattr(estimator, method):
                method = "predict"
    return RESPONSES[method]
