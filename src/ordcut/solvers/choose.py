"""Choose a solver, run it, and state why its cuts are optimal.

Each solver lives in a file of its own and is a row in ``SOLVERS``, which says what it needs.
``choose_method`` alone decides what ``method="auto"`` means.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias, get_args

import numpy as np

from ordcut.data import KernelRows, SortedRows
from ordcut.errors import CrossedThresholdsError, unknown_name
from ordcut.exact import ExactCost, as_exact
from ordcut.objectives import Objective
from ordcut.pruning import PrunedProblem
from ordcut.solvers.blocks import solve_in_blocks
from ordcut.solvers.dp import solve_by_dynamic_programme
from ordcut.solvers.independent import solve_independently, solve_independently_in_threads
from ordcut.solvers.near_ties import independent_cuts, ordered_cuts
from ordcut.solvers.nested import solve_nested
from ordcut.solvers.ratio import ExactKappa, maximise_kappa
from ordcut.threads import count_threads
from ordcut.typing import Array, Floats, Ints, Numbers

Method = Literal["auto", "dp", "io", "pio", "blocks", "nested", "pruned"]

#: Every name that ``method`` can have.
METHODS: tuple[str, ...] = get_args(Method)

#: What can be solved: rows in the order of their scores, or rows counted by cells.
Problem: TypeAlias = SortedRows | PrunedProblem

#: Where rows are: in arrays, in order already, in the engine of a frame, or on another device.
Place = Literal["arrays", "sorted", "engine", "device"]

#: Up to so many rows, and up to so many for each pair of classes, "auto" sorts them all for a
#: convex objective: measured where the two ways take the same time.
MOST_ROWS_TO_SORT, MOST_ROWS_PER_PAIR = 200_000, 1_000

#: From so many rows times classes on, "auto" prunes for the other objectives.
MOST_CHOICES = 1 << 28


@dataclass(frozen=True)
class Plan:
    """The number of threads, and the number of cuts in a block for the solver that has blocks.

    Examples
    --------
    >>> Plan(n_jobs=3).n_threads()
    3
    """

    n_jobs: int | None = None
    block_size: int | None = None

    def __post_init__(self) -> None:
        if self.n_jobs is not None:
            count_threads(self.n_jobs)  # raises an error for anything else
        size = self.block_size
        if size is not None and (isinstance(size, bool) or not isinstance(size, int) or size < 1):
            raise ValueError(
                f"block_size must be a whole number of cuts, at least 1, got {size!r}."
            )

    def n_threads(self, default: int = 1) -> int:
        """Return how many threads to use; ``default`` where ``n_jobs`` does not say."""
        return default if self.n_jobs is None else count_threads(self.n_jobs)


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
    """Cuts of sorted rows, the method that found them and why they are optimal."""

    rows: SortedRows
    cuts: Ints
    method: str
    certificate: str


def choose_method(
    method: str,
    convex: bool,
    *,
    n_rows: int = 0,
    n_classes: int = 2,
    where: Place = "sorted",
    n_problems: int = 1,
) -> str:
    """Return the method to use: the requested one, or the fastest that is sure to be optimal.

    Parameters
    ----------
    method : str
        The requested method.
    convex : bool
        Whether the cost is convex, for a kappa the cost that it is made of.
    n_rows, n_classes : int
        The size of the problem.
    where : {"arrays", "sorted", "engine", "device"}
        Where the rows are: in arrays, in order already, in a frame's engine, or on a GPU.
    n_problems : int
        How many problems will be solved on the same rows. Sorted rows serve all of those with
        convex costs, and so beat counted ones.

    Notes
    -----
    Counting and fetching beats sorting all rows from measured crossovers on. The bounds are tight
    where curves can be judged one by one, as those of convex costs and of the quadratic kappa can;
    elsewhere, pruning is for what the dynamic programme has no memory for.

    Examples
    --------
    >>> choose_method("auto", True), choose_method("auto", True, n_rows=10**6, where="arrays")
    ('nested', 'pruned')
    """
    if method not in METHODS:
        raise unknown_name("method", method, METHODS)
    if method != "auto":
        return method
    if where == "engine":
        return "pruned"
    if where == "device":
        return "scan"
    if where == "arrays" and n_rows > MOST_ROWS_TO_SORT:
        if convex and n_problems == 1 and n_rows > MOST_ROWS_PER_PAIR * n_classes**2:
            return "pruned"
        if not convex and n_rows * n_classes >= MOST_CHOICES:
            return "pruned"
    return "nested" if convex else "dp"


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
    method = "pruned" if isinstance(problem, PrunedProblem) else method
    check_costs(objective, problem.weight * factors.max())
    if not objective.is_kappa:
        is_plain = bool((factors == 1).all())
        exact = objective.exact_cost if is_plain else ExactCost.of(objective.cost, factors)
        return Minimiser.choose(exact, method, plan)(problem)
    kappa = ExactKappa.of(objective, _exact_between(problem), factors)
    ratio = Fraction(1) if first is None else min(Fraction(1), kappa.ratio_of(as_exact(first)))

    def minimise(some: Problem, cost: Array, exact: bool) -> tuple[Solution, Array]:
        found = Minimiser.choose(ExactCost.of(cost), method, plan)(some)
        if exact or found.rows.is_whole:
            return found, _exact_between(some, found.rows)(found.cuts)
        return found, as_exact(found.rows.between(found.cuts))

    n_steps = 0
    if isinstance(problem, PrunedProblem):  # a few quick steps that end near the optimum
        coarse = problem.coarse()
        rough = maximise_kappa(kappa, lambda cost: minimise(coarse, cost, False), ratio)
        n_steps, ratio = rough.n_steps, rough.ratio
    elif not problem.is_whole:  # likewise: sums without rounding take longer
        rough = maximise_kappa(kappa, lambda cost: minimise(problem, cost, False), ratio)
        n_steps, ratio = rough.n_steps, rough.ratio
    best = maximise_kappa(kappa, lambda cost: minimise(problem, cost, True), ratio)
    n_steps += best.n_steps
    why = f"Dinkelbach's fixed point after {n_steps} steps, each by {best.last.certificate}"
    return Solution(best.last.rows, best.last.cuts, best.last.method, why)


def _exact_between(problem: Problem, rows: SortedRows | None = None) -> Callable[[Ints], Array]:
    """Return a function that adds up the weight of each class between cuts without rounding."""
    if isinstance(problem, PrunedProblem):
        if rows is None:
            return lambda _: problem.exact_totals()
        return lambda cuts: problem.exact_between(rows, cuts)
    return problem.exact_between


@dataclass(frozen=True)
class Minimiser:
    """A solver that was chosen for a cost matrix, to be run on one problem or on many."""

    cost: ExactCost
    solver: Solver
    method: str
    plan: Plan

    @classmethod
    def choose(cls, cost: ExactCost, method: str, plan: Plan) -> Minimiser:
        """Choose by the method that was requested, or by the costs."""
        convex = cost.convexity != "no"
        # What pruning leaves over is sorted.
        name = choose_method("auto" if method == "pruned" else method, convex)
        solver = SOLVERS[name]
        if solver.needs == "convex" and not convex:
            raise ValueError(
                f'method="{method}" needs a convex objective, whose second differences over the '
                'predicted class are not negative. Use method="dp" or "auto".'
            )
        return cls(cost, solver, "pruned" if method == "pruned" else name, plan)

    def __call__(self, problem: Problem) -> Solution:
        """Return the lowest cuts of least cost, and why they are."""
        rows = problem.prune(self.cost) if isinstance(problem, PrunedProblem) else problem
        cuts = self._find_cuts(problem, rows)
        return Solution(rows, cuts, self.method, self._certificate(problem, cuts))

    def _find_cuts(self, problem: Problem, rows: SortedRows) -> Ints:
        """Run the solver in whole numbers where all sums fit; else decide near ties exactly."""
        whole = rows.in_whole_numbers
        if whole is not None and rows.weight <= self.cost.most_weight:
            return self.solver.find_cuts(whole, self.cost.integers, self.plan)
        n_rows = problem.n_rows if isinstance(problem, PrunedProblem) else len(rows.codes)
        search = ordered_cuts if self.solver.needs == "nothing" else independent_cuts
        return search(rows, self.cost, n_rows, _exact_between(problem, rows))

    def _certificate(self, problem: Problem, cuts: Ints) -> str:
        """Return why the cuts are optimal; an error if they need not be."""
        if self.solver.needs == "nothing":
            why = "dynamic programme over all ordered labelings"
        elif self.cost.convexity == "convex":
            why = "convex objective (Theorem 2)"
        elif self.cost.convexity == "up to scale":
            why = "objective that is convex up to scale (Theorem 2)"
        else:
            crossed = np.flatnonzero(cuts[1:] < cuts[:-1])
            if len(crossed):
                raise CrossedThresholdsError(self.method, int(crossed[0]) + 1)
            why = "ordered minima (Theorem 1)"
        if isinstance(problem, PrunedProblem) and not problem.is_exact:
            why += ", for fractional weights as the engine adds them up"
        return why


def check_costs(objective: Objective, weight: float) -> None:
    """Raise an error if costs are too large to be added up over rows of a total weight."""
    # Half the range is kept free for the differences of sums.
    if np.abs(objective.cost).max() > np.finfo(np.float64).max / 4 / max(1.0, weight):
        raise ValueError(
            f"objective must have costs that can be added up over {weight:g} rows, "
            f"got {np.abs(objective.cost).max():g}. Scale the costs down."
        )
