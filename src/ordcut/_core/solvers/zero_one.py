"""Costs that are the same for every wrong prediction of a row: O(n) time, whatever K.

Instead of adding up costs, the weight of correctly labelled rows is maximised. For the rows above a
cut, let ``B[k]`` be the largest such weight with classes from ``k`` on, and ``d[k] = B[k] - B[k +
1]``. The next row below, of class ``l`` and weight ``w``, raises ``B[l]`` by ``w``, and lifts every
lower ``B`` that is then less: ``w`` is added to ``d[l]`` and subtracted from the nearest lower
``d[p]`` that are not 0, until ``w`` is used up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ordcut._core.data import KernelRows
from ordcut._core.numerics.exact import cost_of_errors
from ordcut._core.numerics.jit import kernel
from ordcut._core.typing import Array, Bools, Codes, Ints, Numbers

if TYPE_CHECKING:
    from ordcut._core.solvers.choose import Plan


def solve_equal_errors(rows: KernelRows, cost: Numbers, plan: Plan) -> Ints:
    """Return the lowest optimal cuts of a cost that is equal for all errors ("zero_one")."""
    del plan  # unused: there is nothing to choose
    codes, ends, weights, stride = rows
    gain = cost_of_errors(cost) - np.diag(cost)  # what a row of each class gains if it is right
    n_classes, n_rows = len(cost), len(codes)
    cuts = np.empty(n_classes - 1, np.int64)
    lead = np.zeros(n_classes, gain.dtype)
    if stride == 0 and gain[0] > 0 and (gain == gain[0]).all():
        ordered = np.empty_like(codes)
        order_ties(codes, ends, np.zeros(n_classes, np.int64), ordered)
        taken = np.empty(n_rows, np.uint8 if n_classes <= 255 else np.uint16)
        lead_of_equal_rows(ordered, ends, lead, taken, cuts)
        return cuts
    each = gain[codes] * weights if stride else gain[codes]
    if not ends.all():
        return _solve_merged(codes, ends, each, n_classes)
    _fill_cuts(codes, ends, each, lead, cuts)
    return cuts


def _solve_merged(codes: Codes, ends: Bools, each: Numbers, n_classes: int) -> Ints:
    """Return the lowest optimal cuts of rows with weights, of which some have equal scores."""
    n_before = np.zeros(len(codes) + 2, np.int64)
    columns = np.empty_like(codes), np.empty_like(ends), np.empty_like(each)
    merge_ties(codes, ends, each, np.zeros(n_classes, each.dtype), *columns, n_before)
    n_merged = int(n_before[-1])
    merged = columns[0][:n_merged], columns[1][:n_merged], columns[2][:n_merged]
    cuts = np.empty(n_classes - 1, np.int64)
    _fill_cuts(*merged, np.zeros(n_classes, each.dtype), cuts)
    return n_before[cuts]


def _fill_cuts(codes: Codes, ends: Bools, each: Numbers, lead: Numbers, cuts: Ints) -> None:
    """Fill in the lowest optimal cuts of rows with weights."""
    n_rows = len(codes)
    # A row takes weight from at most one class more than it empties, and each row fills one class.
    taken_from, taken = np.empty(2 * n_rows, np.uint16), np.empty(2 * n_rows, each.dtype)
    n_taken = np.zeros(n_rows, np.int32)
    lead_of_rows(codes, ends, each, lead, n_taken, taken_from, taken, cuts)


@kernel("codes", steps=3)
def order_ties(codes: Codes, ends: Bools, counts: Ints, ordered: Codes) -> None:
    """Fill in the classes with the highest first among equal scores.

    In that order, equal labels for equal scores are never worse than ascending labels. ``counts``
    (K,) holds zeros before and after.
    """
    start = 0
    for i in range(len(codes)):
        if not ends[i]:
            continue
        if i == start:
            ordered[i] = codes[i]
        else:
            lowest = int(codes[start])
            highest = lowest
            for j in range(start, i + 1):
                code = int(codes[j])
                counts[code] += 1
                lowest = min(lowest, code)
                highest = max(highest, code)
            at = start
            for code in range(highest, lowest - 1, -1):
                for _ in range(counts[code]):
                    ordered[at] = code
                    at += 1
                counts[code] = 0
        start = i + 1


@kernel("codes", steps=8)
def merge_ties(
    codes: Codes,
    ends: Bools,
    weights: Numbers,
    sums: Numbers,
    merged_codes: Codes,
    merged_ends: Bools,
    merged_weights: Numbers,
    n_before: Ints,
) -> None:
    """Fill in a row for each score and class, with the highest class first among equal scores.

    ``n_before[i]`` is the number of rows up to the score of merged row ``i - 1``; the first is 0,
    and ``n_before[-1]`` is the number of merged rows. ``sums`` (K,) holds zeros before and after.
    """
    start = 0
    n_merged = 0
    for i in range(len(codes)):
        if not ends[i]:
            continue
        lowest = int(codes[start])
        highest = lowest
        for j in range(start, i + 1):
            code = int(codes[j])
            sums[code] += weights[j]
            lowest = min(lowest, code)
            highest = max(highest, code)
        for code in range(highest, lowest - 1, -1):
            if sums[code] != 0 or code == lowest:
                merged_codes[n_merged] = code
                merged_weights[n_merged] = sums[code]
                merged_ends[n_merged] = code == lowest
                n_merged += 1
                n_before[n_merged] = i + 1
                sums[code] = 0
        start = i + 1
    n_before[len(n_before) - 1] = n_merged


@kernel("codes", steps=6)
def lead_of_equal_rows(codes: Codes, ends: Bools, lead: Numbers, taken: Array, cuts: Ints) -> None:
    """Find the lowest optimal cuts of rows that all count the same.

    ``lead`` (K,) holds ``d``. ``taken`` remembers the class that each row took from, plus 1. Read
    downwards, rows are added; then upwards, they are removed again, and threshold ``k`` stands at
    the first cut, not before threshold ``k - 1``, at which class ``k`` has no lead.
    """
    n_rows = len(codes)
    lowest = len(lead)  # of the classes with a lead
    for i in range(n_rows - 1, -1, -1):
        truth = int(codes[i])
        lead[truth] += 1
        if truth <= lowest:
            lowest = truth
            taken[i] = 0
            continue
        below = truth - 1
        while lead[below] == 0:
            below -= 1
        lead[below] -= 1
        taken[i] = below + 1
        while lead[lowest] == 0:
            lowest += 1
    k = 0
    for p in range(n_rows + 1):
        if p == 0 or ends[p - 1]:
            while k < len(cuts) and lead[k] == 0:
                cuts[k] = p
                k += 1
            if k == len(cuts):
                break
        if p < n_rows:
            lead[codes[p]] -= 1
            if taken[p] > 0:
                lead[taken[p] - 1] += 1


@kernel("codes", steps=12)
def lead_of_rows(
    codes: Codes,
    ends: Bools,
    weights: Numbers,
    lead: Numbers,
    n_taken: Array,
    taken_from: Array,
    taken: Numbers,
    cuts: Ints,
) -> None:
    """Find the lowest optimal cuts of rows with weights, as ``lead_of_equal_rows`` does.

    A row takes its weight from ``n_taken`` classes, which are recorded in ``taken_from`` with the
    weight ``taken`` from each. It empties all but the last. ``lead`` and ``n_taken`` hold zeros.
    """
    n_rows = len(codes)
    n_all = 0
    lowest = len(lead)  # of the classes with a lead
    for i in range(n_rows - 1, -1, -1):
        truth = int(codes[i])
        left = weights[i]
        below = truth - 1
        while left > 0 and below >= lowest:
            if lead[below] == 0:
                below -= 1
                continue
            part = min(left, lead[below])
            lead[below] -= part
            left -= part
            taken_from[n_all] = below
            taken[n_all] = part
            n_all += 1
            n_taken[i] += 1
        lead[truth] += weights[i]
        lowest = min(lowest, truth)
        while lowest < truth and lead[lowest] == 0:
            lowest += 1
    k = 0
    for p in range(n_rows + 1):
        if p == 0 or ends[p - 1]:
            while k < len(cuts) and lead[k] == 0:
                cuts[k] = p
                k += 1
            if k == len(cuts):
                break
        if p < n_rows:
            lead[codes[p]] -= weights[p]
            for _ in range(n_taken[p]):
                n_all -= 1
                lead[taken_from[n_all]] += taken[n_all]
