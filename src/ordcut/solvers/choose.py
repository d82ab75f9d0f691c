"""Choose a solver, run it, and state why its cuts are optimal.

Each solver lives in a file of its own and is a row in ``SOLVERS``, which says what it needs.
``choose_method`` alone decides what ``method="auto"`` means.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Literal, TypeAlias, get_args

import numpy as np

from ordcut.data import KernelRows, SortedRows
from ordcut.errors import CrossedThresholdsError, unknown_name
from ordcut.exact import ENOUGH_WEIGHT, ExactCost, as_exact
from ordcut.objectives import Objective
from ordcut.pruning import PrunedProblem
from ordcut.solvers.blocks import solve_in_blocks, solve_independently_in_threads
from ordcut.solvers.dp import solve_by_dynamic_programme
from ordcut.solvers.independent import solve_independently
from ordcut.solvers.near_ties import independent_cuts, ordered_cuts
from ordcut.solvers.nested import solve_nested
from ordcut.solvers.ratio import ExactKappa, maximise_kappa
from ordcut.solvers.windows import Windows, best_candidates, is_feasible
from ordcut.solvers.zero_one import solve_equal_errors
from ordcut.threads import count_threads
from ordcut.typing import Array, Floats, Ints, Numbers

Method = Literal["auto", "dp", "io", "pio", "blocks", "nested", "zero_one", "pruned"]

#: Every name that ``method`` can have.
METHODS: tuple[str, ...] = get_args(Method)

#: What can be solved: rows in the order of their scores, or rows counted by cells.
Problem: TypeAlias = SortedRows | PrunedProblem

#: Where rows are: in arrays, in order already, in the engine of a frame, or on another device.
Place = Literal["arrays", "sorted", "engine", "device"]

#: Why cuts are optimal, in words, by what was verified: the convexity of the cost, minima that come
#: out in order, or nothing, for a search over all ordered labelings.
CERTIFICATES = {
    "nothing": "dynamic programme over all ordered labelings",
    "order": "ordered minima (Theorem 1)",
    "convex": "convex objective (Theorem 2)",
    "up to scale": "objective that is convex up to scale (Theorem 2)",
    "equal errors": "most rows labelled right, where all errors cost the same",
    "constraints": "dynamic programme over all ordered labelings that keep the constraints",
}

#: What is added to a certificate where sums are not exact.
AS_THE_ENGINE_ADDS = ", for fractional weights as the engine adds them up"
UP_TO_ROUNDING = ", up to rounding of float64 sums"

#: How rows in arrays are sorted: score and class in one key (float32 scores without weights), score
#: and position (float64), or that with weights, too.
SortedBy = Literal["key", "position", "weighted"]

#: What "auto" does with rows in arrays, by the kind of objective and by how rows are sorted: it
#: prunes from so many rows on, plus so many for each pair of classes, and else sorts all of them.
#: These are the sizes at which both take the same time (`python -m benchmarks auto` measures them;
#: with weights, for convex objectives only).
FEWEST_ROWS_TO_PRUNE: dict[tuple[str, SortedBy], tuple[int, int]] = {
    ("convex", "key"): (110_000, 290),
    ("convex", "position"): (62_000, 200),
    ("convex", "weighted"): (37_000, 100),
    ("convex kappa", "key"): (140_000, 180),
    ("convex kappa", "position"): (95_000, 150),
    ("convex kappa", "weighted"): (60_000, 150),
    ("equal errors", "key"): (35_000, 4_000),
    ("equal errors", "position"): (10_000, 3_400),
    ("equal errors", "weighted"): (10_000, 3_400),
    ("other", "key"): (0, 9_000),
    ("other", "position"): (5_000, 3_200),
    ("other", "weighted"): (5_000, 3_200),
    ("other kappa", "key"): (80_000, 1_300),
    ("other kappa", "position"): (60_000, 1_200),
    ("other kappa", "weighted"): (60_000, 1_200),
}

LARGEST_FLOAT = float(np.finfo(np.float64).max)

#: The dynamic programme keeps a byte for each row and class; from so many on, "auto" prunes.
MOST_CHOICES = 1 << 28

#: From so many classes on, "auto" counts rows labelled right instead of trying every class.
FEWEST_CLASSES_TO_COUNT = 8


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
    which is verified), ``"convex"``, or ``"equal errors"`` (all wrong predictions of a row cost the
    same).
    """

    find_cuts: Callable[[KernelRows, Numbers, Plan], Ints]
    needs: Literal["nothing", "order", "convex", "equal errors"]


SOLVERS: dict[str, Solver] = {
    "dp": Solver(solve_by_dynamic_programme, needs="nothing"),
    "io": Solver(solve_independently, needs="order"),
    "pio": Solver(solve_independently_in_threads, needs="order"),
    "blocks": Solver(solve_in_blocks, needs="order"),
    "nested": Solver(solve_nested, needs="convex"),
    "zero_one": Solver(solve_equal_errors, needs="equal errors"),
}


@dataclass(frozen=True)
class Solution:
    """Cuts of sorted rows, the method that found them and why they are optimal.

    ``counted`` is the exact weight of each class between the cuts, where that is known already.
    """

    rows: SortedRows
    cuts: Ints
    method: str
    certificate: str
    counted: Array | None = None

    def confusion(self, plan: Plan) -> Floats:
        """Return the weight of each class between the cuts: the (predicted, true) table."""
        if self.counted is not None and self.rows.is_whole:
            return self.counted.astype(np.float64)
        return self.rows.between(self.cuts, plan.n_threads())


def choose_method(
    method: str,
    convex: bool,
    *,
    equal_errors: bool = False,
    is_kappa: bool = False,
    n_rows: int = 0,
    n_classes: int = 2,
    where: Place = "sorted",
    sorted_by: SortedBy = "key",
    n_problems: int = 1,
) -> str:
    """Return the method to use: the requested one, or the fastest that is sure to be optimal.

    Parameters
    ----------
    method : str
        The requested method.
    convex : bool
        Whether the cost is convex, for a kappa the costs of its steps.
    equal_errors : bool
        Whether all wrong predictions of a row cost the same.
    is_kappa : bool
        Whether the objective is a kappa.
    n_rows, n_classes : int
        The size of the problem.
    where : {"arrays", "sorted", "engine", "device"}
        Where the rows are: in arrays, in order already, in a frame's engine, or on a GPU.
    sorted_by : {"key", "position", "weighted"}
        How rows in arrays would be sorted.
    n_problems : int
        How many problems will be solved on the same rows. Sorted rows serve all of those with
        convex costs, and so beat counted ones.

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
    if where == "arrays" and not (convex and not is_kappa and n_problems > 1):
        kind = "convex" if convex else "other"
        if is_kappa:
            kind += " kappa"
        elif equal_errors and not convex:
            kind = "equal errors"
        least, for_each_pair = FEWEST_ROWS_TO_PRUNE[kind, sorted_by]
        if n_rows > least + for_each_pair * n_classes**2:
            return "pruned"
        if not convex and n_rows * n_classes >= MOST_CHOICES:
            return "pruned"
    if convex:
        return "nested"
    return "zero_one" if equal_errors and n_classes >= FEWEST_CLASSES_TO_COUNT else "dp"


def solve(
    problem: Problem,
    objective: Objective,
    factors: Floats | None,
    method: str,
    plan: Plan,
    first: Floats | None = None,
) -> Solution:
    """Return the lowest optimal cuts of a problem; ``factors`` weigh the classes of the truth.

    None says that all classes count the same. A kappa gets there in fewer steps from ``first``, the
    table of weights of cuts near the best.
    """
    method = "pruned" if isinstance(problem, PrunedProblem) else method
    check_costs(objective, problem.weight, factors)
    if not objective.is_kappa:
        return Minimiser.choose(weighted_cost(objective, factors), method, plan)(problem)
    kappa = ExactKappa.of(objective, problem.exact_totals, factors)
    ratio = Fraction(1)
    if first is not None:
        ratio = min(ratio, kappa.ratio_of(as_exact(first)))
    elif not isinstance(problem, PrunedProblem) and problem.is_whole:
        # Mostly, the best cuts predict classes about as often as they occur.
        ratio = min(ratio, kappa.ratio_of(problem.exact_between(problem.cuts_by_shares())))

    def minimise(some: Problem, cost: ExactCost, exact: bool) -> tuple[Solution, Array]:
        found = Minimiser.choose(cost, method, plan)(some)
        if exact or found.rows.is_whole:
            return found, exact_between(some, found.rows)(found.cuts)
        return found, as_exact(found.rows.between(found.cuts))

    n_steps = 0
    if isinstance(problem, PrunedProblem):  # a few quick steps that end near the optimum
        coarse = problem.coarse()
        rough = maximise_kappa(kappa, lambda cost: minimise(coarse, cost, False), ratio)
        n_steps, ratio = rough.n_steps, rough.ratio
    elif not problem.is_whole:  # likewise: sums without rounding take longer
        rough = maximise_kappa(kappa, lambda cost: minimise(problem, cost, False), ratio)
        n_steps, ratio = rough.n_steps, rough.ratio
    # Bounds of cells are the closer, the smaller the numbers are.
    weight = ENOUGH_WEIGHT if isinstance(problem, PrunedProblem) else problem.weight
    best = maximise_kappa(kappa, lambda cost: minimise(problem, cost, True), ratio, weight)
    n_steps += best.n_steps
    why = certify_kappa(n_steps, best.last.certificate)
    return Solution(best.last.rows, best.last.cuts, best.last.method, why, best.confusion)


def solve_in_windows(
    rows: SortedRows, objective: Objective, factors: Floats | None, windows: Windows
) -> tuple[Ints, str] | None:
    """Return the optimal candidate of each threshold and why it is; None if none is allowed."""
    check_costs(objective, rows.weight, factors)

    def minimise(cost: ExactCost) -> Ints | None:
        return best_candidates(rows, cost, windows, len(rows.codes), rows.exact_between)

    why = CERTIFICATES["constraints"]
    if not objective.is_kappa:
        best = minimise(weighted_cost(objective, factors))
        return None if best is None else (best, why)
    if not is_feasible(windows):
        return None
    kappa = ExactKappa.of(objective, rows.exact_totals, factors)

    def step(cost: ExactCost) -> tuple[Ints, Array]:
        chosen = minimise(cost)
        assert chosen is not None
        return chosen, rows.exact_between(windows.cuts[chosen])

    found = maximise_kappa(kappa, step, Fraction(1), rows.weight)
    return found.last, certify_kappa(found.n_steps, why)


def weighted_cost(objective: Objective, factors: Floats | None) -> ExactCost:
    """Return the exact cost of an additive objective, times the factors of the true classes."""
    if factors is None or (factors == 1).all():
        return objective.exact_cost
    return ExactCost.of(objective.cost, factors)


def certify_kappa(n_steps: int, why: str) -> str:
    """Return why cuts have the highest kappa, given why the cuts of the last step are optimal."""
    steps = "1 step" if n_steps == 1 else f"{n_steps} steps, each"
    return f"Dinkelbach's fixed point after {steps} by {why}"


def exact_between(
    problem: Problem, rows: SortedRows, *, inside: bool = False
) -> Callable[[Ints], Array]:
    """Return a function that adds up the weight of each class between cuts without rounding.

    Cuts are those of rows, to which a problem may have been pruned. With ``inside``, what lies
    before the first and after the last cut is left out.
    """
    if isinstance(problem, PrunedProblem):
        return partial(problem.exact_between, rows, inside=inside)
    return partial(problem.exact_between, inside=inside)


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
        name = choose_method(
            "auto" if method == "pruned" else method,
            convex,
            equal_errors=not convex and cost.has_equal_errors,
            n_classes=len(cost.integers),
        )
        solver = SOLVERS[name]
        if solver.needs == "equal errors" and not cost.has_equal_errors:
            raise ValueError(
                f'method="{method}" needs an objective in which all wrong predictions of a row '
                'cost the same, such as "zero_one". Use method="dp" or "auto".'
            )
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
        is_ordered = self.solver.needs in ("nothing", "equal errors")
        search = ordered_cuts if is_ordered else independent_cuts
        return search(rows, self.cost, n_rows, exact_between(problem, rows, inside=True))

    def _certificate(self, problem: Problem, cuts: Ints) -> str:
        """Return why the cuts are optimal; an error if they need not be."""
        if self.solver.needs in ("nothing", "equal errors"):
            why = CERTIFICATES[self.solver.needs]
        elif self.cost.convexity != "no":
            why = CERTIFICATES[self.cost.convexity]
        else:
            crossed = np.flatnonzero(cuts[1:] < cuts[:-1])
            if len(crossed):
                raise CrossedThresholdsError(self.method, int(crossed[0]) + 1)
            why = CERTIFICATES["order"]
        if isinstance(problem, PrunedProblem) and not problem.is_exact:
            why += AS_THE_ENGINE_ADDS
        return why


def check_costs(objective: Objective, weight: float, factors: Floats | None = None) -> None:
    """Raise an error if costs are too large to be added up over rows of a total weight."""
    weight = weight if factors is None else weight * factors.max()
    # Half the range is kept free for the differences of sums.
    if objective.largest_cost > LARGEST_FLOAT / 4 / max(1.0, weight):
        raise ValueError(
            f"objective must have costs that can be added up over {weight:g} rows, "
            f"got {objective.largest_cost:g}. Scale the costs down."
        )
