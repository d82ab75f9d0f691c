"""Early stopping in folds: the refit trains the median of the rounds that the folds kept.

Boosted models are known by the package that their class comes from, so that none is imported.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from ordcut.estimators.cross_validation import plain_name


@dataclass(frozen=True)
class Library:
    """How a library of boosting states the number of rounds, and how it stops early.

    ``kept`` returns the rounds of a fitted model that stopped early, and None for others.
    ``n_rounds`` are the names of the parameter for them, of which the first is the default, and
    ``stopping`` are parameters with the values that switch early stopping off; ``always`` are those
    to set even if they were not given. ``callback`` returns the type of the callback that stops.
    """

    kept: Callable[[Any], int | None]
    n_rounds: tuple[str, ...]
    stopping: dict[str, Any]
    always: dict[str, Any] = field(default_factory=dict)
    callback: Callable[[Any], type] | None = None


def _kept_by_lightgbm(model: Any) -> int | None:
    return int(model.best_iteration_) or None


def _kept_by_xgboost(model: Any) -> int | None:
    best = getattr(model, "best_iteration", None)  # which raises without early stopping
    return None if best is None else int(best) + 1


def _kept_by_catboost(model: Any) -> int | None:
    return None if model.best_iteration_ is None else int(model.tree_count_)


#: Libraries by the package of their models.
LIBRARIES = {
    "lightgbm": Library(
        _kept_by_lightgbm,
        (
            "n_estimators", "num_iterations", "num_iteration", "n_iter", "num_tree", "num_trees",
            "num_round", "num_rounds", "nrounds", "num_boost_round", "max_iter",
        ),
        dict.fromkeys(
            ("early_stopping_round", "early_stopping_rounds", "early_stopping", "n_iter_no_change"),
            0,
        ),
        callback=lambda package: type(package.early_stopping(1, verbose=False)),
    ),
    "xgboost": Library(
        _kept_by_xgboost,
        ("n_estimators",),
        {"early_stopping_rounds": None},
        callback=lambda package: package.callback.EarlyStopping,
    ),
    "catboost": Library(
        _kept_by_catboost,
        ("iterations", "n_estimators", "num_boost_round", "num_trees"),
        dict.fromkeys(("early_stopping_rounds", "od_type", "od_wait", "od_pval")),
        always={"use_best_model": False},
    ),
}  # fmt: skip

#: Arguments of ``fit`` that stop early by themselves.
STOPPING_ARGUMENTS = frozenset({"early_stopping_rounds", "use_best_model"})


def library_of(estimator: Any) -> str | None:
    """Return the library that an estimator, or a class it inherits from, comes from."""
    packages = [cls.__module__.partition(".")[0] for cls in type(estimator).__mro__]
    return next((package for package in packages if package in LIBRARIES), None)


def boosted_parts(fitted: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the boosted models inside a fitted estimator, with the prefix of their parameters."""
    if library_of(fitted) is not None:
        yield prefix, fitted
        return
    if hasattr(fitted, "steps"):
        parts = dict(fitted.steps[-1:])
    elif hasattr(fitted, "named_estimators_"):
        parts = dict(fitted.named_estimators_)
    elif hasattr(fitted, "get_params"):
        params = fitted.get_params(deep=False)
        parts = {name: getattr(fitted, f"{name}_", None) for name in params}
        for name, part in parts.items():
            if hasattr(part, "link_") and not hasattr(params[name], "predict_proba"):
                parts[name] = part.estimator_  # trees that became a classifier
    else:
        return
    for name, part in parts.items():
        if hasattr(part, "get_params"):
            yield from boosted_parts(part, f"{prefix}{name}__")


def median_rounds(fitted: list[Any]) -> dict[str, int]:
    """Return the median of the rounds that models kept, by the prefix of their parameters.

    It has no entry for models that did not stop early.
    """
    rounds: dict[str, list[int]] = {}
    for estimator in fitted:
        for prefix, model in boosted_parts(estimator):
            n_rounds = LIBRARIES[str(library_of(model))].kept(model)
            if n_rounds is not None:
                rounds.setdefault(prefix, []).append(n_rounds)
    return {prefix: max(1, round(float(np.median(kept)))) for prefix, kept in rounds.items()}


def with_rounds(
    estimator: Any, rounds: dict[str, int], fit_params: dict[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """Return a clone that trains given rounds without early stopping, and its ``fit`` arguments."""
    copy = clone(estimator)
    for prefix, n_rounds in rounds.items():
        part = _part(copy, prefix)
        library = LIBRARIES[str(library_of(part))]
        params = part.get_params(deep=False)
        given = [name for name in library.n_rounds if params.get(name) is not None]
        new: dict[str, Any] = dict.fromkeys(given or library.n_rounds[:1], n_rounds)
        new |= {name: off for name, off in library.stopping.items() if params.get(name) is not None}
        if params.get("callbacks"):
            new["callbacks"] = without_stopping(params["callbacks"])
        part.set_params(**new, **library.always)
    if not rounds:
        return copy, fit_params
    arguments = {
        name: without_stopping(value) if plain_name(name) == "callbacks" else value
        for name, value in fit_params.items()
        if plain_name(name) not in STOPPING_ARGUMENTS
    }
    return copy, arguments


def without_stopping(callbacks: list[Any] | None) -> list[Any] | None:
    """Return callbacks of LightGBM or XGBoost, except callbacks that stop early."""
    kinds = tuple(
        library.callback(sys.modules[package])
        for package, library in LIBRARIES.items()
        if library.callback is not None and package in sys.modules
    )
    if not callbacks:
        return callbacks
    return [callback for callback in callbacks if not isinstance(callback, kinds)] or None


def _part(estimator: Any, prefix: str) -> Any:
    """Return the estimator inside whose parameters have a prefix."""
    return estimator.get_params()[prefix.removesuffix("__")] if prefix else estimator
