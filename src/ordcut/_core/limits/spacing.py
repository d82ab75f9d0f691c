"""Thresholds at least a gap apart: the values they may need, and where they are placed.

Every threshold of an optimum can be lowered until it is just above a score, at the lower end of its
interval, or exactly a gap above its lower neighbour, without changing a label. Comparisons are
between the numbers that floats stand for. Rounding is monotone, so ``np.diff`` of the thresholds
is not below the gap, either.
"""

from __future__ import annotations

import numpy as np

from ordcut._core.typing import Array, Floats


def raised(values: Floats, gap: Floats | float) -> Floats:
    """Return the least floats that are at least a gap above values.

    Examples
    --------
    >>> raised(np.array([1.0, 0.1, -np.inf]), 0.2)
    array([ 1.2,  0.3, -inf])
    >>> raised(np.array([0.1]), 0.2) > 0.3  # 0.3 is less than 0.2 above 0.1, as floats
    array([ True])
    """
    with np.errstate(over="ignore", invalid="ignore"):
        total = values + gap
        from_gap = total - values
        lost = (values - (total - from_gap)) + (gap - from_gap)  # by rounding the sum
    return np.asarray(np.where(lost > 0, np.nextafter(total, np.inf), total))


def lowered(values: Floats, gap: Floats | float) -> Floats:
    """Return the largest floats that are at least a gap below values."""
    return -raised(-values, gap)


def values_apart(scores: Floats, low: Floats, high: Floats, gap: float) -> Floats:
    """Return the values that thresholds at least a gap apart may need, in ascending order.

    They are just above each score and at the lower end of each interval, plus up to D - 2 gaps.

    Examples
    --------
    >>> values_apart(np.array([1.0, 4.0]), np.array([-np.inf] * 2), np.array([np.inf] * 2), 2.5)
    array([-inf,  1. ,  3.5,  inf])
    """
    top = max(scores[-1], high[np.isfinite(high)].max(initial=-np.inf))
    values = np.append(np.nextafter(scores, np.inf), low[np.isfinite(low)])
    every = [np.array([-np.inf, np.inf])]
    for _ in low:
        values = values[values <= top]  # beyond it, infinity serves as well
        every.append(values)
        values = raised(values, gap)
    merged = np.sort(np.concatenate(every), kind="stable")  # merges parts that are sorted
    return np.asarray(merged[np.append(True, merged[1:] > merged[:-1])])


def place_apart(aims: Floats, lowest: Floats, highest: Floats, gaps: Floats) -> Floats | None:
    """Return thresholds near their aims, from the lowest to the highest and at least gaps apart.

    Infinite aims are kept. None if no thresholds are far enough apart.

    Examples
    --------
    >>> place_apart(np.array([1.5, 3.5]), np.array([1, 3]), np.array([2, 4]), np.array([2.5]))
    array([1.25, 3.75])
    """
    finite = np.flatnonzero(np.isfinite(aims))
    if len(finite) < 2:
        return aims
    gaps = gaps[finite[:-1]]
    low, high = lowest[finite].astype(np.float64), highest[finite].astype(np.float64)
    for k, gap in enumerate(gaps):
        low[k + 1] = max(low[k + 1], raised(low[k], gap))
    for k in range(len(gaps) - 1, -1, -1):
        high[k] = min(high[k], lowered(high[k + 1], gaps[k]))
    if (low > high).any():
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        offsets = np.append(0.0, np.cumsum(gaps))
        wanted = np.fmin(np.fmax(_ascending(aims[finite] - offsets) + offsets, low), high)
    for k, gap in enumerate(gaps):
        wanted[k + 1] = max(wanted[k + 1], raised(wanted[k], gap))
    placed = aims.copy()
    placed[finite] = wanted + 0.0  # turns -0.0 into 0.0
    return placed


def _ascending(values: Floats) -> Floats:
    """Return the nearest numbers that do not fall, by least squares."""
    blocks: list[tuple[float, int]] = []  # the sum and number of values that share their mean
    for value in values.tolist():
        total, size = value, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / size:
            before, n_before = blocks.pop()
            total, size = total + before, size + n_before
        blocks.append((total, size))
    means: Array = np.repeat([t / n for t, n in blocks], [n for _, n in blocks])
    return means
