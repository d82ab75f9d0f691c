"""The solvers: functions that turn sorted rows and a cost matrix into cuts.

Each lives in a file of its own and is a row in ``SOLVERS``, which says what it needs. ``solve``
picks one, and states why the cuts it returns are optimal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

import numpy as np

from ordcut.arrays import Array, Floats, Ints, Numbers
from ordcut.errors import CrossedThresholdsError, unknown_name
from ordcut.objectives import Objective, in_whole_numbers, is_convex
from ordcut.solvers.blocks import solve_in_blocks
from ordcut.solvers.dp import solve_by_dynamic_programme
from ordcut.solvers.independent import solve_independently, solve_independently_in_threads
from ordcut.solvers.nested import solve_nested
from ordcut.solvers.plan import Plan
from ordcut.solvers.ratio import Optimum, maximise_kappa

if TYPE_CHECKING:
    from ordcut.sorting import KernelRows
    from ordcut.sources.base import Source
    from ordcut.table import ScoreTable

__all__ = [
    "METHODS",
    "SOLVERS",
    "Method",
    "Minimiser",
    "Plan",
    "Problem",
    "Solution",
    "Solver",
    "check_costs",
    "solve",
]

Method = Literal["auto", "dp", "io", "pio", "blocks", "nested", "pruned"]

#: Every name that ``method`` can have.
METHODS: tuple[str, ...] = get_args(Method)


class Problem(Protocol):
    """What can be solved: a sorted table, or anything that has one ready for a cost matrix."""

    classes: Array
    precision: np.dtype[Any]
    weight: float

    @property
    def source(self) -> Source:
        """Where the rows live."""

    @property
    def totals(self) -> Floats:
        """The weight of each class."""

    @property
    def coarse(self) -> ScoreTable | None:
        """A small table with some of the problem's cuts, if there is one."""

    def table_for(self, cost: Numbers) -> ScoreTable:
        """Return a table whose optimal cuts for ``cost`` are those of the problem."""


@dataclass(frozen=True)
class Solver:
    """A solver and what it needs for its cuts to be optimal.

    ``needs`` is ``"nothing"``, ``"order"`` (a convex objective, or minima that come out ordered,
    which is verified) or ``"convex"``.
    """

    find_cuts: Callable[[KernelRows, Numbers, Plan], Ints]
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
    """Cuts of the rows of a table, the method that found them and why they are optimal."""

    table: ScoreTable
    cuts: Ints
    method: str
    certificate: str


def solve(
    problem: Problem,
    objective: Objective,
    factors: Floats,
    method: str,
    plan: Plan,
    first: Floats | None = None,
) -> Solution:
    """Return the lowest optimal cuts of a problem; ``factors`` weigh the classes of the truth.

    A kappa gets there in fewer steps from ``first``, the table of weights of cuts near the best.
    """
    if method not in METHODS:
        raise unknown_name("method", method, METHODS)
    check_costs(objective, problem.weight * factors.max())
    if not objective.is_kappa:
        return _minimise(problem, objective.cost * factors, method, plan)

    def maximise(some: Problem, start: Fraction) -> Optimum[Solution]:
        return maximise_kappa(
            objective,
            problem.totals * factors,
            lambda cost: _minimise(some, cost * factors, method, plan),
            lambda found: found.table.confusion(found.cuts) * factors,
            start,
            None if first is None else first * factors,
        )

    n_steps, start = 0, Fraction(1)
    if problem.coarse is not None:  # a few quick steps that end near the optimum
        rough = maximise(problem.coarse, start)
        n_steps, start = rough.n_steps, rough.ratio
    best = maximise(problem, start)
    n_steps += best.n_steps
    why = f"Dinkelbach's fixed point after {n_steps} steps, each by {best.last.certificate}"
    return Solution(best.last.table, best.last.cuts, best.last.method, why)


@dataclass(frozen=True)
class Minimiser:
    """A solver that was chosen for a cost matrix, to be run on one problem or on many."""

    numbers: Numbers
    is_convex: bool
    solver: Solver
    method: str
    plan: Plan

    @classmethod
    def choose(cls, cost: Floats, weight: float, method: str, plan: Plan) -> Minimiser:
        """Choose by the costs, in whole numbers where sums up to a weight of rows allow it."""
        numbers = in_whole_numbers(cost, weight)
        convex = is_convex(numbers)
        best_solver = "nested" if convex else "dp"
        solver = SOLVERS[best_solver if method in ("auto", "pruned") else method]
        method = best_solver if method == "auto" else method
        if solver.needs == "convex" and not convex:
            raise ValueError(
                f'method="{method}" needs a convex objective, whose second differences over the '
                'predicted class are not negative. Use method="dp" or "auto".'
            )
        return cls(numbers, convex, solver, method, plan)

    def __call__(self, problem: Problem) -> Solution:
        """Return the lowest cuts of least cost, and why they are."""
        table = problem.table_for(self.numbers)
        cuts = _find_cuts(self.solver, table, self.numbers, self.plan)
        if self.solver.needs == "nothing":
            why = "dynamic programme over all ordered labelings"
            return Solution(table, cuts, self.method, why)
        if self.is_convex:
            # In exact arithmetic this changes nothing; after rounding it keeps the lower of two
            # cuts that are equally good.
            ordered = np.minimum.accumulate(cuts[::-1])[::-1]
            return Solution(table, ordered, self.method, "convex objective (Theorem 2)")
        crossed = np.flatnonzero(cuts[1:] < cuts[:-1])
        if len(crossed):
            raise CrossedThresholdsError(self.method, int(crossed[0]) + 1)
        return Solution(table, cuts, self.method, "ordered minima (Theorem 1)")


def check_costs(objective: Objective, weight: float) -> None:
    """Raise an error if costs are too large to be added up over rows of a total weight."""
    # Half the range is kept free for the differences of sums.
    if np.abs(objective.cost).max() > np.finfo(np.float64).max / 4 / max(1.0, weight):
        raise ValueError(
            f"objective must have costs that can be added up over {weight:g} rows, "
            f"got {np.abs(objective.cost).max():g}. Scale the costs down."
        )


def _minimise(problem: Problem, cost: Floats, method: str, plan: Plan) -> Solution:
    return Minimiser.choose(cost, problem.weight, method, plan)(problem)


def _find_cuts(solver: Solver, table: ScoreTable, numbers: Numbers, plan: Plan) -> Ints:
    """Run a solver in whole numbers where all are whole, else in float64 on merged rows."""
    if numbers.dtype == np.int64 and table.rows.is_whole:
        return solver.find_cuts(table.rows.for_kernels(numbers.dtype), numbers, plan)
    rows = table.rows.merged
    floats = numbers.astype(np.float64)
    cuts = solver.find_cuts(rows.for_kernels(floats.dtype), floats, plan)
    if rows is table.rows:
        return cuts
    # The k-th distinct score ends at different rows of the merged table and of the table.
    score_number = np.append(0, np.cumsum(rows.ends))[cuts]
    unmerged: Ints = np.append(0, np.flatnonzero(table.rows.ends) + 1)[score_number]
    return unmerged
