"""Cross-validation: how rows are split, and how an inner estimator scores the rows held out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse
from scipy.special import softmax
from sklearn.base import clone, is_regressor
from sklearn.model_selection import (
    GroupShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    check_cv,
)
from sklearn.utils.parallel import Parallel, delayed

from ordcut._core.typing import Array, Floats


@dataclass(frozen=True)
class Response:
    """A method of an estimator, and how its output becomes a score per row, or probabilities.

    ``read`` takes the output, the positions of the classes that the estimator was fitted on, and
    the number of all classes. It returns a score per row, (n,), or a probability per class, (n, K).
    """

    method: str
    read: Callable[[Floats, Array, int], Floats]
    needs_classifier: bool

    def outputs(self, estimator: Any, features: Any, code_of: Array, n_classes: int) -> Floats:
        """Return what ``read`` does; ``code_of`` has the positions of a classifier's classes."""
        if not hasattr(estimator, self.method):
            raise ValueError(
                f"response_method={self.method!r} needs an estimator with that method, got "
                f"{type(estimator).__name__}. Choose another of {', '.join(RESPONSES)}."
            )
        output = np.asarray(getattr(estimator, self.method)(features))
        positions = code_of
        if self.needs_classifier:
            known = np.asarray(estimator.classes_)
            # A prefit classifier has labels as classes, of which there are as many as positions.
            positions = code_of if len(known) == len(code_of) else code_of[known]
        return self.read(output, positions, n_classes)


def scores_of(outputs: Floats) -> Floats:
    """Return the score of each row: the mean position of the classes under probabilities."""
    if outputs.ndim == 1:
        return outputs
    return np.asarray(outputs @ np.arange(outputs.shape[1], dtype=np.float64))


def _as_is(output: Floats, *_: object) -> Floats:
    if output.ndim == 2 and output.shape[1] == 1:
        output = output[:, 0]
    if output.ndim != 1:
        raise ValueError(
            f"scores must be one number per row, got shape {output.shape}. "
            "Pass an estimator with a single output."
        )
    return output


def _of_all_classes(output: Floats, positions: Array, n_classes: int) -> Floats:
    """Return probabilities of all classes, which are 0 for classes that did not occur."""
    probabilities = np.zeros((len(output), n_classes))
    probabilities[:, positions] = output
    return probabilities


def _of_margins(output: Floats, positions: Array, n_classes: int) -> Floats:
    """Return the margin for two classes; for more, the softmax of their margins."""
    if output.ndim == 1:
        return _as_is(output)
    return _of_all_classes(softmax(output, 1), positions, n_classes)


#: Responses by name.
RESPONSES: dict[str, Response] = {
    "predict": Response("predict", _as_is, needs_classifier=False),
    "predict_proba": Response("predict_proba", _of_all_classes, needs_classifier=True),
    "decision_function": Response("decision_function", _of_margins, needs_classifier=True),
}


def choose_response(estimator: Any, method: str) -> Response:
    """Return the response of a given name; "auto" depends on the estimator."""
    if method == "auto":
        if is_regressor(estimator):
            method = "predict"
        else:
            method = "predict_proba" if hasattr(estimator, "predict_proba") else "decision_function"
            if not hasattr(estimator, method):
                method = "predict"
    return RESPONSES[method]


def read_cv(
    cv: Any, codes: Array, random_state: Any, *, has_groups: bool = False
) -> tuple[Any, Array]:
    """Return the splitter for the parameter ``cv``, and the strata to pass to it.

    A number of folds is stratified, a share between 0 and 1 is a stratified hold-out; anything
    else is interpreted by scikit-learn. With groups, folds keep them whole, and so does a hold-out,
    which is not stratified then.
    """
    if isinstance(cv, Real) and not isinstance(cv, Integral):
        if not 0 < float(cv) < 1:
            raise ValueError(
                f'cv must be a share between 0 and 1, a number of folds, a splitter or "prefit", '
                f"got {cv!r}."
            )
        if has_groups:
            return GroupShuffleSplit(1, test_size=float(cv), random_state=random_state), codes
        strata = merge_rare(codes, 2)
        split = StratifiedShuffleSplit(1, test_size=float(cv), random_state=random_state)
        return split, strata
    if cv is None or isinstance(cv, Integral):
        n_folds = 5 if cv is None else int(cv)
        if isinstance(cv, bool) or n_folds < 2:
            raise ValueError(f"cv must be at least 2 folds, got {cv!r}.")
        if len(codes) < n_folds:
            raise ValueError(
                f"cv must not be more folds than there are rows, got {n_folds} folds and "
                f"n_samples={len(codes)}."
            )
        folds = StratifiedGroupKFold(n_folds) if has_groups else StratifiedKFold(n_folds)
        return folds, merge_rare(codes, n_folds)
    return check_cv(cv, codes, classifier=True), codes


def merge_rare(codes: Array, least: int) -> Array:
    """Merge neighbouring classes until each stratum has at least ``least`` rows.

    A stratified split would otherwise warn about a rare class, or fail.

    Examples
    --------
    >>> merge_rare(np.array([0, 1, 1, 2, 3, 3]), 2)
    array([0, 0, 0, 1, 1, 1])
    """
    counts = np.bincount(codes)
    stratum_of = np.zeros(len(counts), dtype=np.intp)
    stratum, n_rows = 0, 0
    for code, count in enumerate(counts):
        if n_rows >= least and counts[code:].sum() >= least:
            stratum, n_rows = stratum + 1, 0
        stratum_of[code] = stratum
        n_rows += count
    return np.asarray(stratum_of[codes])


#: Arguments of ``fit`` that hold one value per row, in scikit-learn, LightGBM, XGBoost, CatBoost.
ROW_PARAMETERS = frozenset({"sample_weight", "init_score", "base_margin", "baseline"})

#: Arguments of ``fit`` that hold labels of evaluation rows, which are encoded as ``y`` is:
#: ``eval_set`` beside their features, the others alone, or in a tuple.
EVALUATION_LABELS = frozenset({"eval_set", "eval_y", "y_val"})


def plain_name(name: str) -> str:
    """Return the name of an argument of ``fit`` without the names of the steps of a pipeline."""
    return name.rpartition("__")[2]


def is_per_row(name: str, value: Any, n_rows: int) -> bool:
    """Return whether routed metadata hold one value per row, and no values of evaluation rows.

    Examples
    --------
    >>> is_per_row("clinic", [1, 2], 2), is_per_row("eval_names", ["a", "b"], 2)
    (True, False)
    """
    is_for_evaluation = "eval" in name or name.endswith("_val")
    return not is_for_evaluation and hasattr(value, "__len__") and len(value) == n_rows


def encode_evaluation_labels(name: str, value: Any, encode: Callable[[Any, str], Array]) -> Any:
    """Return an argument of ``fit`` with the labels of evaluation rows encoded.

    Examples
    --------
    >>> encode_evaluation_labels("eval_set", [([[1.0]], ["high"])], lambda labels, _: len(labels))
    [([[1.0]], 1)]
    """
    if value is None or plain_name(name) not in EVALUATION_LABELS:
        return value
    if plain_name(name) != "eval_set":
        return (
            tuple(encode(y, name) for y in value) if type(value) is tuple else encode(value, name)
        )
    if isinstance(value, tuple):
        return (value[0], encode(value[1], name), *value[2:])
    if isinstance(value, list):
        return [encode_evaluation_labels(name, each, encode) for each in value]
    return value  # a data set of CatBoost, which has labels of its own


#: The rows to fit to and to score of each split; and a fitted model with its outputs for each.
Splits = Sequence[tuple[Array, Array]]
Fitted = list[tuple[Any, Floats]]


def fit_on_splits(
    estimator: Any,
    features: Any,
    y: Array,
    splits: Splits,
    fit_params: dict[str, Any],
    per_row: frozenset[str],
    response: Response,
    code_of: Array,
    n_classes: int,
    n_jobs: int | None,
) -> Fitted:
    """Fit a clone of an estimator on each split; return each with the test rows' outputs.

    Of the arguments of ``fit``, those named in ``per_row`` are cut to the training rows.
    """
    fit = partial(
        _fit_and_score,
        fit_params=fit_params,
        per_row=per_row,
        response=response,
        code_of=code_of,
        n_classes=n_classes,
    )
    fitted: Fitted = Parallel(n_jobs=n_jobs)(
        delayed(fit)(clone(estimator), features, y, split) for split in splits
    )
    return fitted


def _fit_and_score(
    estimator: Any,
    features: Any,
    y: Array,
    split: tuple[Array, Array],
    fit_params: dict[str, Any],
    per_row: frozenset[str],
    response: Response,
    code_of: Array,
    n_classes: int,
) -> tuple[Any, Floats]:
    """Fit an estimator on the training rows of a split; return it and the test rows' outputs."""
    train, test = split
    params = {
        name: take_rows(value, train) if name in per_row and value is not None else value
        for name, value in fit_params.items()
    }
    estimator.fit(take_rows(features, train), y[train], **params)
    held_out = take_rows(features, test)
    return estimator, response.outputs(estimator, held_out, code_of, n_classes)


def take_rows(features: Any, rows: Array) -> Any:
    """Return the given rows of an array, a sparse matrix, a dataframe or a list."""
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
