"""Random problems of bands, each judged by trying all cuts."""

from contextlib import ExitStack
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import inf, isclose
from typing import Any
from unittest.mock import patch

import numpy as np

import ordcut
from ordcut.bands import search
from tests.bands import oracle

OBJECTIVES = ("log_loss", "poisson", "squared_error", "information_value", "gini")


@dataclass
class BandProblem:
    """Rows, the arguments of ``optimal_bands``, and what bands must keep, for the oracle."""

    rows: list[tuple[float, float, float, float]]
    objective: str
    n_bands: int
    sign: int
    constraints: list[str] = field(default_factory=list)

    def arguments(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        scores, outcome, exposure, weights = map(np.array, zip(*self.rows, strict=True))
        options = {
            "n_bands": self.n_bands,
            "objective": self.objective,
            "rates": {1: "rising", -1: "falling", 0: "any"}[self.sign],
            "constraints": self.constraints,
            "sample_weight": weights,
        }
        if self.objective == "poisson":
            options["exposure"] = exposure
        return (scores, outcome), options

    def keeps(self, bands, cuts) -> bool:
        """Return whether bands keep the constraints, in fractions."""
        scores = sorted({row[0] for row in self.rows})
        total = sum(rows for rows, _, _ in bands)
        rates = [self.sign * events / exposure for _, exposure, events in bands]
        for text in self.constraints:
            *words, sign, number = text.split()
            limit, word = Fraction(number), words[0]
            if word == "rate":
                is_kept = all(b - a >= limit for a, b in pairwise(rates))
            elif word == "digits":
                is_kept = all(_has_integer(scores[c - 1], scores[c]) for c in cuts)
            elif word == "fixed":
                is_kept = len(cuts) > 0 and scores[cuts[0] - 1] < float(number) <= scores[cuts[0]]
            else:
                values = {
                    "share": [rows / total for rows, _, _ in bands],
                    "count": [rows for rows, _, _ in bands],
                    "events": [events for _, _, events in bands],
                }[word]
                named = slice(None) if len(words) == 1 else slice(int(words[1]) - 1, int(words[1]))
                values = values[named]  # fewer bands do not have the one that is named
                is_kept = all(v >= limit if sign == ">=" else v <= limit for v in values)
            if not is_kept:
                return False
        return True

    def best(self, n_bands: int) -> float:
        """Return the highest gain of so many bands."""
        return oracle.best(self.rows, self.objective, n_bands, self.sign, self.keeps)

    def gain_of(self, thresholds) -> float:
        """Return the gain of thresholds that keep everything; -inf if they do not."""
        scores = sorted({row[0] for row in self.rows})
        cuts = tuple(int(np.searchsorted(scores, t, "left")) for t in thresholds)
        if len(set(cuts)) < len(cuts):
            return -inf
        below, is_yes_no = oracle.sums_below(self.rows), all(row[1] in (0, 1) for row in self.rows)
        return oracle.gain_of(below, self.objective, cuts, self.sign, self.keeps, is_yes_no)


def _has_integer(low: float, high: float) -> bool:
    return any(low < value <= high for value in range(int(low) - 1, int(high) + 2))


def draw(seed: int) -> BandProblem:
    """Return a random problem with ties, weights and often limits."""
    rng = np.random.default_rng(seed)
    n, objective = int(rng.integers(3, 13)), str(rng.choice(OBJECTIVES))
    scores = rng.integers(0, rng.integers(3, 14), n) / 4
    can_be_any = objective != "gini" and rng.random() < 0.15
    sign = 0 if can_be_any else int(rng.choice([-1, 1]))
    trend = 0.5 + (sign or 1) * rng.choice([0, 0.4]) * (2 * scores / max(scores.max(), 1) - 1)
    outcome = (rng.random(n) < trend).astype(int)
    if objective == "poisson" or (objective == "gini" and rng.random() < 0.3):
        outcome = rng.poisson(3 * trend)
    if objective == "squared_error":
        outcome = np.rint(4 * trend + rng.normal(size=n)) / 2 - 1
    exposure = rng.integers(1, 4, n) / 2 if objective == "poisson" else np.ones(n)
    weights = rng.integers(1, 4, n) if rng.random() < 0.5 else np.ones(n, int)
    weights = weights / 4 if rng.random() < 0.3 else weights
    n_bands, total = int(rng.choice([2, 3, 4, 5])), float(weights.sum())
    drawn = [
        f"share >= {rng.integers(0, 40 // n_bands) / 40:g}",
        f"count <= {rng.integers(1, int(total) + 2):g}",
        f"count {rng.integers(1, n_bands + 1)} >= {rng.integers(1, 4):g}",
        f"events >= {rng.integers(0, 3):g}",
        "digits >= 0",
        f"fixed 0 >= {rng.integers(1, 12) / 5:g}",
    ]
    if sign:
        drawn.append(f"rate gap >= {rng.integers(1, 4) / 10:g}")
    size = int(rng.choice([0, 1, 2], p=[0.4, 0.4, 0.2]))
    constraints = [str(text) for text in rng.choice(drawn, size, replace=False)]
    if any(text.startswith("fixed") for text in constraints):  # a value that need not be round
        constraints = [text for text in constraints if not text.startswith("digits")]
    rows = [
        *zip(scores.tolist(), outcome.tolist(), exposure.tolist(), weights.tolist(), strict=True)
    ]
    return BandProblem(rows, objective, n_bands, sign, constraints)


def check_in_cells(seed: int) -> int:
    """Check a problem with few candidates in each step, as if there were many rows."""
    few = {"FEW_CANDIDATES": 3, "FIRST_CELLS": 3, "N_PARTS": 2, "N_TRIED": 2}
    with ExitStack() as stack:
        for name, number in few.items():
            stack.enter_context(patch.object(search, name, number))
        return check(seed)


def check(seed: int) -> int:
    """Return 1 if the bands of a problem are the best, 0 if it was refused; else raise an error."""
    problem = draw(seed)
    (scores, outcome), options = problem.arguments()
    options["constraints"] = [
        text.replace("digits >=", "digits").replace("fixed 0 >=", "fixed 0")
        for text in problem.constraints
    ]
    if len(set(scores)) < 2 or len(set(outcome)) < 2:
        return 0
    try:
        bands = ordcut.optimal_bands(scores, outcome, **options)
    except ordcut.InfeasibleConstraintsError:
        assert problem.best(problem.n_bands) == -inf, f"there are bands for {problem}"
        return 1
    except ValueError as error:
        message = str(error)
    else:
        return _check_bands(problem, bands)
    most = int(message.split("Use n_bands=")[1].split(",")[0]) if "Use n_bands=" in message else 1
    best = max(problem.best(k) for k in range(1, most + 1))
    more = problem.best(problem.n_bands)
    assert more <= best + 1e-9, f"{message} {more} is better than {best} for {problem}"
    return 1


def _check_bands(problem: BandProblem, bands: ordcut.Bands) -> int:
    own, best = problem.gain_of(bands.thresholds), problem.best(problem.n_bands)
    if bands.method == "blocks" and not problem.constraints:  # fewer bands are not better, either
        best = max(problem.best(k) for k in range(1, problem.n_bands + 1))
    assert isclose(own, best, rel_tol=1e-9, abs_tol=1e-9), f"{own} is not {best} for {problem}"
    assert len(bands.thresholds) == problem.n_bands - 1
    return 1
