"""Tables of soft labels: a weight for each row and class."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ordcut._core.numerics.exact import WEIGHT_DENOMINATOR, as_fraction, distinct_values
from ordcut._core.typing import Array, Floats, Ints, Numbers

#: Ratings are at most this high.
HIGHEST_RATING = 100


def check_soft_labels(table: Array, *, is_named: bool = False) -> Floats:
    """Return a table of soft labels as floats; an error unless all are finite and not negative.

    ``is_named`` says that the columns have the names of the classes.

    Examples
    --------
    >>> check_soft_labels(np.array([[1, 3], [3, 3]]))
    Traceback (most recent call last):
    ...
    ValueError: labels must say what their 2 columns are: a table of small whole numbers can be ...
    """
    if table.dtype.kind not in "biuf":
        raise TypeError(
            f"soft labels must be numbers, got values of type {table.dtype}. For the ratings of "
            "several raters, pass ordcut.Panel(labels)."
        )
    soft: Floats = table.astype(np.float64, copy=False)
    if len(soft) == 0:
        raise ValueError("labels must hold at least one row, got none.")
    bad = np.argwhere(~np.isfinite(soft) | (soft < 0))
    if len(bad):
        row, column = (int(index) for index in bad[0])
        raise ValueError(
            "soft labels must be finite and not negative, "
            f"got {soft[row, column]} at position [{row}, {column}]."
        )
    if not is_named and table.dtype.kind != "b" and _may_be_ratings(soft):
        raise ValueError(
            f"labels must say what their {soft.shape[1]} columns are: a table of small whole "
            "numbers can be two things. If a column has the ratings of a rater, pass "
            "ordcut.Panel(labels). If it has the weight of a class, pass shares of each row, "
            "labels / labels.sum(axis=1, keepdims=True), with sample_weight=labels.sum(axis=1)."
        )
    return soft


def _may_be_ratings(soft: Floats) -> bool:
    """Return whether rows may be ratings by several raters as well as counts of classes.

    They are counts if all rows have the same sum, or if no row has more than one class.
    """
    sums = soft.sum(axis=1)
    if (sums == sums[0]).all() or soft.max() > HIGHEST_RATING:
        return False
    return bool((soft == np.rint(soft)).all() and (np.count_nonzero(soft, axis=1) > 1).any())


def weighted_labels(soft: Floats, weights: Numbers) -> tuple[Ints | slice, Floats]:
    """Return soft labels times the weights of their rows, without rounding.

    A product that float64 does not hold, unless it is next to a plain fraction, is spread over two
    rows. Returns the row that each row of products belongs to, and the products.

    Examples
    --------
    >>> rows, products = weighted_labels(np.array([[0.5, 1 + 2.0**-52]]), np.array([3]))
    >>> rows, products[0] - [1.5, 3], products[1]
    (array([0, 0]), array([0.0000000e+00, 4.4408921e-16]), array([0.00000000e+00, 2.22044605e-16]))
    """
    products = soft * weights[:, None]
    errors = _rounding_errors(soft, weights.astype(np.float64)[:, None], products)
    distinct = distinct_values(products[errors != 0])
    if distinct is not None:
        is_plain = [
            as_fraction(value, WEIGHT_DENOMINATOR) != Fraction(value) for value in distinct.tolist()
        ]
        errors[np.isin(products, distinct[is_plain])] = 0
    spread = np.flatnonzero(errors.any(axis=1))
    if len(spread) == 0:
        return slice(None), products
    # Weights must not be negative, so a product that was rounded up becomes the float below it.
    is_above = errors < 0
    below = np.nextafter(products[is_above], 0)
    errors[is_above] += products[is_above] - below
    products[is_above] = below
    rows = np.append(np.arange(len(soft)), spread)
    return rows, np.concatenate([products, errors[spread]])


def _rounding_errors(left: Floats, right: Floats, products: Floats) -> Floats:
    """Return what rounding took from products of floats, by Dekker's algorithm."""
    (left, left_exponent), (right, right_exponent) = np.frexp(left), np.frexp(right)
    exponent = left_exponent + right_exponent
    (high, low), (other_high, other_low) = _halves(left), _halves(right)
    error = high * other_high - np.ldexp(products, -exponent)
    error = ((error + high * other_low) + low * other_high) + low * other_low
    return np.asarray(np.ldexp(error, exponent))


def _halves(values: Floats) -> tuple[Floats, Floats]:
    """Split floats into two floats of 26 bits each, which add up to them (Veltkamp)."""
    shifted = values * (2.0**27 + 1)
    high = shifted - (shifted - values)
    return high, values - high
