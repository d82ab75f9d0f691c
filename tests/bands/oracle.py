"""The best bands by trying all cuts, in exact rates and plain logarithms."""

from fractions import Fraction
from itertools import combinations, pairwise
from math import inf, log


def xlog(x, y):
    """Return x log(x / y), with 0 log 0 = 0."""
    return 0.0 if x == 0 else x * (log(x / y) if y > 0 else inf)


def gain(objective, w, y, total_w, total_y):
    """Return what a band gains over a single band."""
    w, y, total_w, total_y = map(float, (w, y, total_w, total_y))
    rate = total_y / total_w
    if objective == "log_loss":
        return xlog(y, w * rate) + xlog(w - y, w * (1 - rate))
    if objective == "poisson":
        return xlog(y, w * rate) - y + w * rate
    if objective == "squared_error":
        return (y - w * rate) ** 2 / w
    good = total_w - total_y
    if y == 0 or y == w:
        return -inf  # both must be in every band
    return (y / total_y - (w - y) / good) * log((y / total_y) / ((w - y) / good))


def areas(bands, is_yes_no):
    """Return Gini's coefficient of bands of (exposure, events), by counting ordered pairs."""
    above, pairs = Fraction(0), Fraction(0)
    others = [w - y if is_yes_no else w for w, y in bands]
    for i, (_, y) in enumerate(bands):
        for j, other in enumerate(others):
            above += ((i > j) - (i < j)) * y * other
            pairs += y * other
    return float(above / pairs)


def sums_below(rows):
    """Return rows, exposure, events below each distinct score and below all, in fractions.

    ``rows`` are (score, outcome, exposure, weight).
    """
    below = [(Fraction(0), Fraction(0), Fraction(0))]
    for score in sorted({row[0] for row in rows}):
        sums = list(below[-1])
        for _, outcome, exposure, weight in (row for row in rows if row[0] == score):
            sums[0] += Fraction(weight)
            sums[1] += Fraction(weight) * Fraction(exposure)
            sums[2] += Fraction(weight) * Fraction(outcome)
        below.append(tuple(sums))
    return below


def gain_of(below, objective, cuts, sign, keeps, is_yes_no):
    """Return the gain of bands between cuts, -inf if rates or ``keeps`` forbid them.

    ``keeps`` takes the (rows, exposure, events) of bands and the cuts, as indices of the distinct
    scores from which on a row is in the next band.
    """
    ends = [below[cut] for cut in (0, *cuts, -1)]
    bands = [tuple(b - a for a, b in zip(*pair, strict=True)) for pair in pairwise(ends)]
    rates = [sign * y / w for _, w, y in bands]
    if (sign and any(a > b for a, b in pairwise(rates))) or not keeps(bands, cuts):
        return -inf
    if objective == "gini":
        return sign * areas([(w, y) for _, w, y in bands], is_yes_no)
    _, total_w, total_y = below[-1]
    return sum(gain(objective, w, y, total_w, total_y) for _, w, y in bands)


def best(rows, objective, n_bands, sign, keeps):
    """Return the highest gain of exactly so many bands, -inf if none keep what must hold."""
    below, is_yes_no = sums_below(rows), all(row[1] in (0, 1) for row in rows)
    every = combinations(range(1, len(below) - 1), n_bands - 1)
    return max(
        (gain_of(below, objective, cuts, sign, keeps, is_yes_no) for cuts in every), default=-inf
    )
