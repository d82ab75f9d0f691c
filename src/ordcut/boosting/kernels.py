"""Kernels of cumulative link models: gradients of rows, and the biases that fit scores best.

A row with the score ``a`` has a class of at most ``k`` with the probability ``F(b_k - a)``. With
``u`` and ``l``, the upper and the lower bias of its class minus its score, its class has the
probability ``P = F(u) - F(l)``. The formulas below avoid the difference, which cancels, and the
tails, which underflow: for the logistic ``F``, ``P = F(u) F(-l) (1 - exp(l - u))``.
"""

from __future__ import annotations

import math

import numpy as np

from ordcut._core.numerics.jit import inlined, kernel
from ordcut._core.typing import Array, Floats, Ints

#: Links by name, as kernels know them.
LINK_CODES = {"logit": 0, "probit": 1, "cloglog": 2}

#: Rows whose cells are found before they are added up.
BLOCK = 1024

#: Beyond this, ``exp`` of the linear predictor of the complementary log-log link is cut off, so
#: that gradients fit into float32. The ratio of gradient and Hessian is not affected.
HIGHEST_EXPONENT = 60.0

_SQRT_HALF = math.sqrt(0.5)
_SQRT_HALF_PI = math.sqrt(0.5 * math.pi)
_LOG_SQRT_2_PI = 0.5 * math.log(2.0 * math.pi)


@inlined
def expit(z: float) -> float:
    """Return the logistic distribution function."""
    return 1.0 / (1.0 + math.exp(-max(-700.0, min(700.0, z))))


@inlined
def mills_ratio(z: float) -> float:
    """Return the upper tail of the normal distribution over its density, for ``z >= 0``."""
    if z < 25.0:
        return _SQRT_HALF_PI * math.exp(0.5 * z * z) * math.erfc(z * _SQRT_HALF)
    if z == math.inf:
        return 0.0
    v = 1.0 / (z * z)
    series = 1.0 - v * (1.0 - 3.0 * v * (1.0 - 5.0 * v * (1.0 - 7.0 * v * (1.0 - 9.0 * v))))
    return series / z


@inlined
def probit_ratios(upper: float, lower: float) -> tuple[float, float, float]:
    """Return the densities at ``upper`` and ``lower`` over ``P``, and ``log(P)``."""
    if upper <= 0.0:  # mirrored, so that no more than one end is negative
        near, far = -upper, -lower
    else:
        near, far = lower, upper
    if near >= 0.0:  # both in one tail: divide by the density at the nearer end
        # The difference of the squares of both ends, without a square that overflows.
        ratio = 0.0 if far == math.inf else math.exp(-0.5 * (far - near) * (far + near))
        mass = mills_ratio(near) - mills_ratio(far) * ratio
        mass = max(mass, 1e-300)
        log_p = -0.5 * near * near - _LOG_SQRT_2_PI + math.log(mass)
        of_near, of_far = 1.0 / mass, ratio / mass
        if upper <= 0.0:
            return of_near, of_far, log_p
        return of_far, of_near, log_p
    mass = 0.5 * (math.erf(upper * _SQRT_HALF) - math.erf(lower * _SQRT_HALF))
    density = math.exp(-_LOG_SQRT_2_PI) / mass
    return (
        density * math.exp(-0.5 * upper * upper),
        density * math.exp(-0.5 * lower * lower),
        math.log(mass),
    )


@inlined
def gumbel_terms(upper: float, lower: float) -> tuple[float, float, float]:
    """Return ``exp(l)``, ``D = exp(u) - exp(l)`` and ``D / expm1(D)``."""
    low = math.exp(min(lower, HIGHEST_EXPONENT))
    difference = math.exp(min(upper, 700.0)) - low if upper < math.inf else math.inf
    if difference > 700.0:
        return low, math.inf, 0.0
    return low, difference, 1.0 if difference < 1e-12 else difference / math.expm1(difference)


@inlined
def gumbel_log_mass(upper: float, lower: float) -> float:
    """Return ``log(P)`` of the complementary log-log link."""
    low, difference, _ = gumbel_terms(upper, lower)
    if difference > 1e-300:
        return -low + math.log(-math.expm1(-difference))
    return upper + math.log(-math.expm1(lower - upper))


@kernel("scores", steps=4)
def fill_offsets(scores: Array, center: float, limit: float, offsets: Array) -> None:
    """Fill the difference of each score to ``center``, cut off at ``limit``, in float32."""
    for i in range(len(scores)):
        offsets[i] = min(max(float(scores[i]) - center, -limit), limit)


@kernel("labels", steps=20)
def fill_logit_gradients(
    labels: Array,
    odds: Array,
    weights: Floats,
    upper_odds: Array,
    lower_odds: Array,
    floor: np.float32,
    gradients: Array,
    hessians: Array,
) -> None:
    """Fill what ``fill_gradients`` does for the logistic link, from exponentials of the scores.

    ``odds`` is ``exp(a - center)`` of each score, ``upper_odds`` (K,) is ``exp(center - b)`` of the
    upper bias of each class, and ``lower_odds`` (K,) is ``exp(b - center)`` of the lower one. All
    of them are float32. O(n) time.
    """
    for i in range(len(labels)):  # apart from the arithmetic, which is vectorised without it
        k = int(labels[i])
        gradients[i], hessians[i] = upper_odds[k], lower_odds[k]
    unit = np.float32(1.0)
    for i in range(len(labels)):
        above, below = odds[i] * gradients[i], hessians[i]
        # One division serves both 1 / (1 + above) and 1 / (below + odds).
        inverse = unit / ((unit + above) * (below + odds[i]))
        per_above, per_below = (below + odds[i]) * inverse, (unit + above) * inverse
        gradients[i] = (above * odds[i] - below) * inverse
        hessian = above * per_above * per_above + below * per_below * (odds[i] * per_below)
        hessians[i] = max(hessian, floor)
    if len(weights) > 0:
        for i in range(len(labels)):
            gradients[i] *= weights[i]
            hessians[i] *= weights[i]


@kernel("labels", steps=20)
def fill_gradients(
    labels: Array,
    scores: Array,
    weights: Floats,
    upper: Floats,
    lower: Floats,
    link: int,
    floor: float,
    gradients: Array,
    hessians: Array,
) -> None:
    """Fill the derivatives of the negative log-likelihood of each row by its score.

    ``upper`` and ``lower`` (K,) are the biases around each class, ``weights`` is empty if all rows
    count the same. A Hessian is at least ``floor``. O(n) time.
    """
    is_weighted = len(weights) > 0
    for i in range(len(labels)):
        k = int(labels[i])
        score = float(scores[i])
        u, l = upper[k] - score, lower[k] - score  # noqa: E741
        if is_weighted and weights[i] == 0.0:
            gradient, hessian = 0.0, 0.0  # its class may have no biases of its own
        elif link == 0:
            at_u, at_l = expit(-u), expit(l)
            gradient = at_u - at_l
            hessian = at_u * (1.0 - at_u) + at_l * (1.0 - at_l)
        elif link == 1:
            of_u, of_l, _ = probit_ratios(u, l)
            gradient = of_u - of_l
            hessian = gradient * gradient
            if of_u > 0.0:
                hessian += u * of_u
            if of_l > 0.0:
                hessian -= l * of_l
        else:
            low, difference, ratio = gumbel_terms(u, l)
            gradient = ratio - low
            hessian = low
            if ratio > 0.0:
                hessian += ratio * (ratio + difference - 1.0)
        hessian = max(hessian, floor)
        if is_weighted:
            gradient, hessian = gradient * weights[i], hessian * weights[i]
        gradients[i], hessians[i] = gradient, hessian


@kernel("labels", steps=10)
def fill_logit_masses(
    labels: Array,
    odds: Floats,
    upper_odds: Floats,
    lower_odds: Floats,
    gaps: Floats,
    masses: Floats,
) -> None:
    """Fill the probability ``P`` of the class of each row, for the logistic link.

    Odds are defined in ``fill_logit_gradients``, in float64, and ``gaps`` (K,) is
    ``1 - exp(lower - upper)`` of the biases around each class. Overwrites ``odds``. O(n) time.
    """
    for i in range(len(labels)):
        k = int(labels[i])
        masses[i] = (1.0 + odds[i] * upper_odds[k]) * (lower_odds[k] + odds[i])
        odds[i] *= gaps[k]
    for i in range(len(labels)):
        masses[i] = odds[i] / masses[i]


@kernel("labels", steps=20)
def add_log_masses(
    labels: Array,
    scores: Array,
    weights: Floats,
    upper: Floats,
    lower: Floats,
    log_gaps: Floats,
    link: int,
    lowest: float,
    total: Floats,
) -> None:
    """Add the weighted ``log(P)`` of all rows, each at least ``lowest``, to ``total`` (1,).

    ``upper`` and ``lower`` (K,) are the biases around each class, and ``log_gaps`` is
    ``log(1 - exp(lower - upper))``, or -inf for a class without a probability. O(n) time.
    """
    is_weighted, sum_of_logs = len(weights) > 0, 0.0
    for i in range(len(labels)):
        k, score = int(labels[i]), float(scores[i])
        u, l = upper[k] - score, lower[k] - score  # noqa: E741
        if log_gaps[k] == -math.inf:
            log_p = lowest
        elif link == 0:
            tails = (1.0 + math.exp(-abs(u))) * (1.0 + math.exp(-abs(l)))
            log_p = min(u, 0.0) - max(l, 0.0) + log_gaps[k] - math.log(tails)
        elif link == 1:
            _, _, log_p = probit_ratios(u, l)
        else:
            log_p = gumbel_log_mass(u, l)
        sum_of_logs += max(log_p, lowest) * (weights[i] if is_weighted else 1.0)
    total[0] += sum_of_logs


@kernel("scores", steps=3)
def add_moments(scores: Array, sums: Floats) -> None:
    """Add the scores and their squares to ``sums`` (2, m), to each of the m pairs in turn.

    An addition waits for the one before it to the same sum, so that several sums are quicker.
    """
    totals, squares = sums[0], sums[1]
    for start in range(0, len(scores), len(totals)):
        block = scores[start : start + len(totals)]
        for j in range(len(block)):
            score = float(block[j])
            totals[j] += score
            squares[j] += score * score


@kernel("labels", steps=12)
def count_cells(
    labels: Array,
    scores: Array,
    weights: Floats,
    center: float,
    per_scale: float,
    cells: Floats,
    first_bad: Ints,
) -> None:
    """Add up the weight and the weighted score of each bin of scores and class.

    Bins have equal widths in ``z / (1 + |z|)`` of the standardised score ``z``, which keeps
    outliers from making all bins wide. ``cells`` is (bins, K, 2), the last bin being for infinite
    ``z``; its scores are differences to ``center``. ``first_bad`` (1,) becomes the first position
    of a label that is no position of a class, or of a score that is not finite. O(n) time.
    """
    half, n_classes = 0.5 * (cells.shape[0] - 1), cells.shape[1]
    is_weighted, sums_of_cells = len(weights) > 0, cells.reshape(-1, 2)
    cell_of = np.empty(BLOCK, np.int32)
    for start in range(0, len(labels), BLOCK):
        # First the cells of a block of rows, without branches, so that the loop is vectorised.
        block_labels, block_scores = labels[start : start + BLOCK], scores[start : start + BLOCK]
        lowest_cell = 0
        for j in range(len(block_labels)):
            label, score = block_labels[j], float(block_scores[j]) - center
            is_good = (label >= 0) & (label < n_classes) & (abs(score) < math.inf)
            k = np.int32(label) if is_good else np.int32(0)
            is_good = is_good & (k == label)
            z = score * per_scale if is_good else 0.0
            cell = np.int32(half * (1.0 + z / (1.0 + abs(z)))) * n_classes + k
            cell_of[j] = cell if is_good else -1
            lowest_cell = min(lowest_cell, cell_of[j])
        for j in range(len(block_labels)):
            if lowest_cell < 0 and cell_of[j] < 0:
                first_bad[0] = start + j
                return
            weight = weights[start + j] if is_weighted else 1.0
            sums = sums_of_cells[cell_of[j]]
            sums[0] += weight
            sums[1] += weight * (float(block_scores[j]) - center)


@kernel("classes", steps=200)
def fit_biases(
    classes: Ints,
    scores: Floats,
    weights: Floats,
    link: int,
    tolerance: float,
    biases: Floats,
    work: Floats,
    outcome: Floats,
) -> None:
    """Move ``biases`` (K - 1,) to the least negative log-likelihood of rows, by Newton's method.

    The function is convex and its Hessian is tridiagonal. A step is shortened until the biases
    ascend and the likelihood rises. ``work`` is (9, K); ``outcome`` (2,) becomes the value and the
    number of steps. O(n + K) time per step.
    """
    n_biases = len(biases)
    edges, first, diagonal, beside, step = work[0], work[1], work[2], work[3], work[4]
    eliminated, trial, per_gap, log_gap = work[5], work[6], work[7], work[8]
    total = 0.0
    for i in range(len(weights)):
        total += weights[i]
    value, previous, length = math.inf, math.inf, 1.0
    trial[:n_biases] = biases
    for n_steps in range(60):
        first[:], diagonal[:], beside[:] = 0.0, 0.0, 0.0
        edges[:n_biases] = trial[:n_biases]
        edges[n_biases] = math.inf
        for k in range(n_biases + 1):  # what depends on the class alone
            gap = edges[k] - edges[k - 1] if k > 0 else math.inf
            per_gap[k] = 0.0 if gap > 700.0 else 1.0 / math.expm1(gap)
            log_gap[k] = math.log(-math.expm1(-gap))
        value = 0.0
        for i in range(len(classes)):
            k, weight = classes[i], weights[i]
            u = edges[k] - scores[i]
            l = edges[k - 1] - scores[i] if k > 0 else -math.inf  # noqa: E741
            per_l = per_gap[k]
            if link == 0:
                at_u, at_l = math.exp(-abs(u)), math.exp(-abs(l))
                tails = (1.0 + at_u) * (1.0 + at_l)
                log_p = min(u, 0.0) - max(l, 0.0) + log_gap[k] - math.log(tails)
                above = (at_u if u > 0.0 else 1.0) / (1.0 + at_u)
                below = (at_l if l < 0.0 else 1.0) / (1.0 + at_l)
                bend = per_l * (1.0 + per_l)
                of_u, of_l = -above - per_l, below + per_l
                of_uu, of_ll = above * (1.0 - above) + bend, below * (1.0 - below) + bend
                of_ul = -bend
            elif link == 1:
                at_u, at_l, log_p = probit_ratios(u, l)
                of_u, of_l = -at_u, at_l
                of_uu = at_u * at_u + (u * at_u if at_u > 0.0 else 0.0)
                of_ll = at_l * at_l - (l * at_l if at_l > 0.0 else 0.0)
                of_ul = -at_u * at_l
            else:
                low, difference, ratio = gumbel_terms(u, l)
                per_u = 1.0 + per_l
                log_p = gumbel_log_mass(u, l)
                bend = ratio * (ratio + difference) if ratio > 0.0 else 0.0
                of_u, of_l = -ratio * per_u, low + ratio * per_l
                of_uu = bend * per_u * per_u - ratio * per_u
                of_ll = low + ratio * per_l + bend * per_l * per_l
                of_ul = -bend * per_u * per_l
            value -= weight * log_p
            if k < n_biases:
                first[k] += weight * of_u
                diagonal[k] += weight * of_uu
            if k > 0:
                first[k - 1] += weight * of_l
                diagonal[k - 1] += weight * of_ll
                if k < n_biases:
                    beside[k - 1] += weight * of_ul
        outcome[0], outcome[1] = value, n_steps
        if not value <= previous + 1e-12 * abs(previous):  # too far
            if length < 1e-9:
                return
            length *= 0.5
            trial[:n_biases] = biases + length * step[:n_biases]
            continue
        biases[:] = trial[:n_biases]
        largest = 0.0
        for k in range(n_biases):
            largest = max(largest, abs(first[k]))
        if largest <= tolerance * total:
            return
        # Solve the tridiagonal system by elimination.
        pivot = diagonal[0] + 1e-12 * total
        step[0] = -first[0] / pivot
        for k in range(1, n_biases):
            eliminated[k - 1] = beside[k - 1] / pivot
            pivot = diagonal[k] + 1e-12 * total - beside[k - 1] * eliminated[k - 1]
            step[k] = (-first[k] - beside[k - 1] * step[k - 1]) / pivot
        for k in range(n_biases - 2, -1, -1):
            step[k] -= eliminated[k] * step[k + 1]
        # The longest step that keeps a tenth of each gap, and no step beyond all reason.
        length = 1.0
        for k in range(n_biases - 1):
            closing = step[k] - step[k + 1]
            gap = biases[k + 1] - biases[k]
            if closing * length > 0.9 * gap:
                length = 0.9 * gap / closing
        trial[:n_biases] = biases + length * step[:n_biases]
        previous = value


@kernel("labels", steps=8)
def deal_halves(
    labels: Array,
    scores: Array,
    weights: Floats,
    turns: Ints,
    codes: Ints,
    dealt_scores: Array,
    dealt_weights: Floats,
    size: Ints,
) -> None:
    """Deal the rows of each class in turn to two halves, with labels as integers.

    ``turns`` (K,) is the half, 0 or 1, that gets the next row of each class. The first half fills
    the first ``size[0]`` entries of the three arrays, and the second half fills the others, from
    the last one on. ``weights`` may be empty. O(n) time.
    """
    is_weighted, first, last = len(weights) > 0, 0, len(labels) - 1
    for i in range(len(labels)):
        k = int(labels[i])
        half = turns[k]
        turns[k] = 1 - half
        row = last if half else first  # without branches, of which half would be mispredicted
        first, last = first + 1 - half, last - half
        codes[row], dealt_scores[row] = k, scores[i]
        if is_weighted:
            dealt_weights[row] = weights[i]
    size[0] = first


def empty_work(n_classes: int) -> Floats:
    """Return the memory that ``fit_biases`` works in."""
    return np.zeros((9, n_classes))
