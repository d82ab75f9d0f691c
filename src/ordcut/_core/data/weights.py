"""Weights of rows and of classes: validation, and the effective number of rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np

from ordcut._core.data.matrices import numbers_by_class
from ordcut._core.data.population import ClassShares
from ordcut._core.data.values import as_floats
from ordcut._core.errors import WeightTypeWarning, depth_of_caller, unknown_name
from ordcut._core.numerics.exact import EXACT
from ordcut._core.typing import Array, ArrayLike, Bools, Floats, Numbers

#: Weights whose sum is beyond two to this power, or below its inverse, are scaled.
FARTHEST_EXPONENT = 200

#: Whole weights with a mean above this may be no numbers of rows.
LARGE_WEIGHT = 10.0

#: What weights of rows are: how often each row occurs, or how much it matters.
WeightType: TypeAlias = Literal["repeats", "importance"]

ClassWeight: TypeAlias = Literal["balanced"] | Mapping[Any, float] | ArrayLike | ClassShares

#: Class weights once they are checked: a number for each class, ``"balanced"``, the shares of a
#: population, or None.
CheckedClassWeight: TypeAlias = Floats | ClassShares | Literal["balanced"] | None


def check_weights(weights: ArrayLike | None, n_rows: int) -> Numbers | None:
    """Return row weights, int64 if all are whole, or None where every row has the weight 1.

    Examples
    --------
    >>> check_weights([1.0, 2.0], 2), check_weights([0.5, 2.0], 2)
    (array([1, 2]), array([0.5, 2. ]))
    """
    if weights is None:
        return None
    array = as_floats(weights, "sample_weight")
    if array.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must hold one number for each of the {n_rows} rows, "
            f"got shape {array.shape}."
        )
    with np.errstate(over="ignore"):
        least, most, total = float(array.min()), float(array.max()), float(array.sum())
    if not (least >= 0 and most < np.inf):
        position = int(np.flatnonzero(~np.isfinite(array) | (array < 0))[0])
        raise ValueError(
            "sample_weight must be finite and not negative, "
            f"got {array[position]} at position {position}."
        )
    if total == 0:
        raise ValueError("sample_weight must not be 0 in every row.")
    if not np.isfinite(total):
        raise ValueError("sample_weight must have a finite sum, got inf. Scale the weights down.")
    if total < EXACT and _all(array, lambda values: values == np.rint(values)):
        return None if least == most == 1 else array.astype(np.int64)
    # Only ratios matter, so equal weights count like no weights.
    if least == most:
        return None
    if least == 0 and _all(array, lambda values: (values == 0) | (values == most)):
        return (array > 0).astype(np.int64)
    exponent = int(np.frexp(total)[1])
    if abs(exponent) > FARTHEST_EXPONENT:
        # Only ratios matter, and products of such weights would leave the range of floats.
        scaled = np.ldexp(array, -exponent)
        if (np.ldexp(scaled, exponent) != array).any():
            least = array[array > 0].min()
            raise ValueError(
                "sample_weight must not differ too much in magnitude for exact sums, got weights "
                f"from {least:g} to {array.max():g}. Drop the rows of negligible weight."
            )
        return scaled
    return array


def _all(array: Floats, hold: Callable[[Floats], Bools]) -> bool:
    """Return whether a condition holds for all numbers; often the first already fail it."""
    return bool(hold(array[:1000]).all() and hold(array).all())


def unit_of(weights: ArrayLike, checked: Numbers | None) -> float:
    """Return the given weight that a checked weight of 1 stands for.

    Examples
    --------
    >>> unit_of([0.5, 0.5], check_weights([0.5, 0.5], 2))
    0.5
    """
    given = np.asarray(weights, dtype=np.float64)
    largest = int(np.argmax(given))
    return float(given[largest]) / float(1 if checked is None else checked[largest])


def read_weights(
    weights: ArrayLike | None, n_rows: int, weight_type: WeightType | None
) -> tuple[Numbers | None, float, WeightType | None]:
    """Return checked row weights, what a weight of 1 stands for, and what they are, if known.

    Fractional weights are importance. What whole weights are is known only if it was stated.

    Examples
    --------
    >>> read_weights([3, 3], 2, None), read_weights([0.5, 0.5], 2, None)
    ((array([3, 3]), 1.0, None), (None, 0.5, 'importance'))
    """
    if weights is None:
        return None, 1.0, type_of_weights(weight_type, is_whole=True)
    checked = check_weights(weights, n_rows)
    unit = unit_of(weights, checked)
    is_whole = unit == 1 and (checked is None or checked.dtype == np.int64)
    return checked, unit, type_of_weights(weight_type, is_whole)


def type_of_weights(weight_type: WeightType | None, is_whole: bool) -> WeightType | None:
    """Return what weights are, if that is known; an error for repeats that are no whole numbers."""
    if weight_type not in (None, "repeats", "importance"):
        raise unknown_name("weight_type", weight_type, ["repeats", "importance"])
    if weight_type == "repeats" and not is_whole:
        raise ValueError(
            'weight_type="repeats" needs whole weights, which say how often each row occurs, got '
            'other weights. Use weight_type="importance".'
        )
    return weight_type if is_whole else "importance"


def is_unclear(weights: Numbers | None, weight_type: WeightType | None) -> bool:
    """Return whether weights are large whole numbers, of which it was not stated what they are.

    Examples
    --------
    >>> is_unclear(np.array([1000, 20]), None), is_unclear(np.array([1000, 20]), "repeats")
    (True, False)
    """
    if weights is None or weight_type is not None:
        return False
    return float(weights.mean(dtype=np.float64)) > LARGE_WEIGHT


def warn_if_unclear(weights: Numbers | None, weight_type: WeightType | None) -> None:
    """Warn if weights are large whole numbers, of which it was not stated what they are."""
    if is_unclear(weights, weight_type):
        warn_unclear()


def warn_unclear() -> None:
    """Warn that large whole weights count as repeats of rows."""
    warnings.warn(
        f"weights are whole numbers, above {LARGE_WEIGHT:g} on average, and count as repeats of "
        "rows, so that a few rows are as certain as many. Pass "
        'weight_type="repeats" if that is right, and weight_type="importance" if weights say how '
        "much rows matter.",
        WeightTypeWarning,
        stacklevel=depth_of_caller(),
    )


def class_factors(class_weight: ClassWeight | None, classes: Array, totals: Floats) -> Floats:
    """Return the factor of each class, of which ``totals`` are the weights without factors.

    Examples
    --------
    >>> class_factors("balanced", np.array([0, 1]), np.array([30.0, 10.0]))
    array([1., 3.])
    """
    factors = factors_for(checked_class_weight(class_weight, classes), totals)
    return np.ones(len(classes)) if factors is None else factors


def checked_class_weight(class_weight: ClassWeight | None, classes: Array) -> CheckedClassWeight:
    """Return class weights as None, ``"balanced"``, shares or a number for each class.

    Examples
    --------
    >>> checked_class_weight({"high": 3}, np.array(["low", "high"]))
    array([1., 3.])

    The index of a series of pandas names the classes.
    """
    k = len(classes)
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(
                f'class_weight must be "balanced", {k} numbers or a dict of numbers by class, got '
                f"{class_weight!r}."
            )
        return "balanced"
    if isinstance(class_weight, ClassShares):
        return class_weight
    return numbers_by_class(class_weight, classes, "class_weight", default=1.0)


def factors_for(class_weight: CheckedClassWeight, totals: Array) -> Array | None:
    """Return what the rows of each class count, whose weights add up to ``totals``.

    None if no class weights were asked for. Balanced factors of exact totals, whole numbers or
    fractions, are fractions, so that no rounding decides a tie.

    Examples
    --------
    >>> factors_for("balanced", np.array([30.0, 10.0])), factors_for(None, np.array([30.0, 10.0]))
    (array([1., 3.]), None)
    >>> factors_for("balanced", np.array([3, 2, 0]))
    array([Fraction(1, 1), Fraction(3, 2), Fraction(1, 1)], dtype=object)
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, ClassShares):
        return class_weight.factors(totals)
    if not isinstance(class_weight, str):
        if not any((class_weight * totals).tolist()):
            raise ValueError("class_weight must not be 0 for every class that occurs.")
        return class_weight
    floats = totals.astype(np.float64)
    occurs = floats > 0
    # Only ratios matter; scaled by the commonest class they are whole where they can be.
    factors: Array = np.ones(len(totals))
    with np.errstate(over="ignore"):
        factors[occurs] = floats.max() / floats[occurs]
    if not np.isfinite(factors).all():
        raise ValueError(
            "the weights of classes must not differ too much in magnitude to be balanced, got "
            f"{floats[occurs].min():g} and {floats.max():g}. Drop rows of negligible "
            "weight."
        )
    if totals.dtype == np.float64:
        return factors
    largest = Fraction(max(totals.tolist()))
    exact = np.empty(len(totals), dtype=object)
    exact[:] = [largest / total if total > 0 else Fraction(1) for total in totals.tolist()]
    return exact


def effective_rows(weights: Floats) -> float:
    """Return the number of rows of equal weight that tell as much: Kish's effective sample size.

    Examples
    --------
    >>> effective_rows(np.array([0.5, 0.5, 0.5])), round(effective_rows(np.array([1.0, 0.1])), 2)
    (3.0, 1.2)
    """
    ordered = np.sort(weights)  # sums must not depend on the order of the rows
    share = ordered / ordered.sum()
    return float(1 / (share @ share))
