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


def bands_between(rows, cuts):
    """Return rows, exposure, events of each band; rows are (score, outcome, exposure, weight)."""
    scores = sorted({row[0] for row in rows})
    edges = [scores[c] for c in cuts]
    sums = []
    for low, high in pairwise([-inf, *edges, inf]):
        inside = [row for row in rows if low <= row[0] < high]
        sums.append(
            (
                sum((Fraction(r[3]) for r in inside), Fraction(0)),
                sum((Fraction(r[3]) * Fraction(r[2]) for r in inside), Fraction(0)),
                sum((Fraction(r[3]) * Fraction(r[1]) for r in inside), Fraction(0)),
            )
        )
    return sums


def gain_of(rows, objective, cuts, sign, keeps):
    """Return the gain of bands between cuts, -inf if rates or ``keeps`` forbid them.

    ``keeps`` takes the (rows, exposure, events) of bands and the cuts, as indices of the distinct
    scores from which on a row is in the next band.
    """
    total_w = sum(Fraction(r[3]) * Fraction(r[2]) for r in rows)
    total_y = sum(Fraction(r[3]) * Fraction(r[1]) for r in rows)
    bands = bands_between(rows, cuts)
    rates = [sign * y / w for _, w, y in bands]
    if (sign and any(a > b for a, b in pairwise(rates))) or not keeps(bands, cuts):
        return -inf
    if objective == "gini":
        is_yes_no = all(row[1] in (0, 1) for row in rows)
        return sign * areas([(w, y) for _, w, y in bands], is_yes_no)
    return sum(gain(objective, w, y, total_w, total_y) for _, w, y in bands)


def best(rows, objective, n_bands, sign, keeps):
    """Return the highest gain of exactly so many bands, -inf if none keep what must hold."""
    n = len({row[0] for row in rows})
    every = combinations(range(1, n), n_bands - 1)
    return max((gain_of(rows, objective, cuts, sign, keeps) for cuts in every), default=-inf)
