"""The solvers: functions that turn a score table and a cost matrix into cut indices.

Each lives in a file of its own and is a row in ``SOLVERS``, which says what it needs. ``solve``
picks one, and states why the cuts it returns are optimal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from ordcut.arrays import Floats, Ints
from ordcut.errors import CrossedThresholdsError, unknown_name
from ordcut.objectives import Objective, in_whole_numbers, is_convex
from ordcut.solvers.blocks import solve_in_blocks
from ordcut.solvers.dp import solve_by_dynamic_programme
from ordcut.solvers.independent import solve_independently, solve_independently_in_threads
from ordcut.solvers.nested import solve_nested
from ordcut.solvers.plan import Plan
from ordcut.solvers.ratio import maximise_kappa

if TYPE_CHECKING:
    from ordcut.table import ScoreTable

__all__ = ["SOLVERS", "Method", "Plan", "Solution", "Solver", "solve"]

Method = Literal["auto", "dp", "io", "pio", "blocks", "nested"]


@dataclass(frozen=True)
class Solver:
    """A solver and what it needs for its cuts to be optimal.

    ``needs`` is ``"nothing"``, ``"order"`` (a convex objective, or minima that come out ordered,
    which is verified) or ``"convex"``.
    """

    find_cuts: Callable[[ScoreTable, Floats, Plan], Ints]
    needs: Literal["nothing", "order", "convex"]


SOLVERS: dict[str, Solver] = {
    "dp": Solver(solve_by_dynamic_programme, needs="nothing"),
    "io": Solver(solve_independently, needs="order"),
    "pio": Solver(solve_independently_in_threads, needs="order"),
    "blocks": Solver(solve_in_blocks, needs="order"),
    "nested": Solver(solve_nested, needs="convex"),
}


@dataclass(frozen=True)
class Solution:
    """Cut indices, the method that found them and why they are optimal."""

    cuts: Ints
    method: str
    certificate: str


def solve(
    table: ScoreTable, objective: Objective, factors: Floats, method: str, plan: Plan
) -> Solution:
    """Return the lowest optimal cuts of a table; ``factors`` weigh the classes of the truth."""
    if method != "auto" and method not in SOLVERS:
        raise unknown_name("method", method, ["auto", *SOLVERS])

    totals = table.totals * factors
    # Half the range is kept free for the differences of sums.
    if np.abs(objective.cost).max() > np.finfo(np.float64).max / 4 / max(1.0, totals.sum()):
        raise ValueError(
            f"objective must have costs that can be added up over {totals.sum():g} rows, "
            f"got {np.abs(objective.cost).max():g}. Scale the costs down."
        )

    def minimise(cost: Floats) -> Solution:
        return _minimise(table, cost * factors, method, plan)

    if not objective.is_kappa:
        return minimise(objective.cost)
    best = maximise_kappa(objective, totals, minimise, lambda c: table.confusion(c.cuts) * factors)
    why = f"Dinkelbach's fixed point after {best.n_steps} steps, each by {best.last.certificate}"
    return Solution(best.last.cuts, best.last.method, why)


def _minimise(table: ScoreTable, cost: Floats, method: str, plan: Plan) -> Solution:
    cost = in_whole_numbers(cost, float(table.totals.sum()))
    convex = is_convex(cost)
    if method == "auto":
        method = "nested" if convex else "dp"
    solver = SOLVERS[method]
    if solver.needs == "convex" and not convex:
        raise ValueError(
            f'method="{method}" needs a convex objective, whose second differences over the '
            'predicted class are not negative. Use method="dp" or "auto".'
        )
    cuts = solver.find_cuts(table, cost, plan)
    if solver.needs == "nothing":
        return Solution(cuts, method, "dynamic programme over all ordered labelings")
    if convex:
        # In exact arithmetic this changes nothing; after rounding it keeps the lower of two cuts
        # that are equally good.
        ordered = np.minimum.accumulate(cuts[::-1])[::-1]
        return Solution(ordered, method, "convex objective (Theorem 2)")
    crossed = np.flatnonzero(cuts[1:] < cuts[:-1])
    if len(crossed):
        raise CrossedThresholdsError(method, int(crossed[0]) + 1)
    return Solution(cuts, method, "ordered minima (Theorem 1)")
