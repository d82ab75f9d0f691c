"""Choose a solver, run it, and state why its cuts are optimal.

Each solver lives in a file of its own and is a row in ``SOLVERS``, which says what it needs.
``choose_method`` alone decides what ``method="auto"`` means, and ``optimise`` alone takes
Dinkelbach's steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import count
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from ordcut._core.data import KernelRows, SortedRows
from ordcut._core.errors import CrossedThresholdsError, unknown_name
from ordcut._core.numerics.exact import ENOUGH_WEIGHT, ExactCost, as_exact
from ordcut._core.numerics.threads import count_threads
from ordcut._core.objectives.named import Objective
from ordcut._core.objectives.terms import SegmentTerms
from ordcut._core.solvers.blocks import solve_in_blocks
from ordcut._core.solvers.dp import solve_by_dynamic_programme
from ordcut._core.solvers.independent import (
    solve_independently,
    solve_independently_in_threads,
)
from ordcut._core.solvers.near_ties import ExactWeights, independent_cuts
from ordcut._core.solvers.nested import solve_nested
from ordcut._core.solvers.ratio import ExactKappa
from ordcut._core.solvers.segment_sums import segment_cuts
from ordcut._core.solvers.store import Store
from ordcut._core.solvers.windows import ordered_cuts
from ordcut._core.solvers.zero_one import solve_equal_errors
from ordcut._core.thresholds import Certificate, Sums, Verified
from ordcut._core.typing import Array, Floats, Ints, Numbers

Method = Literal[
    "auto", "dp", "io", "pio", "blocks", "nested", "zero_one", "segments", "pruned"
]  # fmt: skip

#: Every name that ``method`` can have.
METHODS: tuple[str, ...] = get_args(Method)

#: Where rows are: in arrays, in order already, in the engine of a frame, or on another device.
Place = Literal["arrays", "sorted", "engine", "device"]

#: How rows in arrays are sorted: by a key of score and class (float32 scores without weights), by
#: score and position (float64), or by score and position with weights, whole or fractional.
SortedBy = Literal["key", "position", "weighted", "fractional"]

#: When "auto" prunes rows in arrays, by the kind of objective and by how rows are sorted: if there
#: are more rows than the first number plus the second number for each pair of classes; third, how
#: many times as many rows it takes if scores are uneven, since their cells are slower to find.
#: Otherwise it sorts all rows. At these sizes both take the same time (`python -m benchmarks auto
#: distributions` measures them). Sums of fractional weights are slow where thresholds are judged
#: together.
FEWEST_ROWS_TO_PRUNE: dict[tuple[str, SortedBy], tuple[int, int, int]] = {
    ("convex", "key"): (110_000, 290, 2),
    ("convex", "position"): (100_000, 250, 2),
    ("convex", "weighted"): (37_000, 100, 3),
    ("convex", "fractional"): (37_000, 100, 5),
    ("convex kappa", "key"): (125_000, 130, 2),
    ("convex kappa", "position"): (110_000, 150, 2),
    ("convex kappa", "weighted"): (60_000, 150, 3),
    ("convex kappa", "fractional"): (60_000, 150, 5),
    ("equal errors", "key"): (35_000, 4_000, 3),
    ("equal errors", "position"): (5_000, 5_050, 2),
    ("equal errors", "weighted"): (30_000, 3_400, 2),
    ("equal errors", "fractional"): (20_000, 150, 100),
    ("other", "key"): (0, 9_000, 2),
    ("other", "position"): (5_000, 3_200, 2),
    ("other", "weighted"): (5_000, 3_200, 3),
    ("other", "fractional"): (5_000, 3_200, 5),
    ("other kappa", "key"): (80_000, 1_300, 2),
    ("other kappa", "position"): (60_000, 1_200, 2),
    ("other kappa", "weighted"): (60_000, 1_200, 3),
    ("other kappa", "fractional"): (60_000, 1_200, 5),
    ("segments", "key"): (5_000, 1_500, 2),
    ("segments", "position"): (5_000, 1_500, 2),
    ("segments", "weighted"): (5_000, 1_500, 3),
    ("segments", "fractional"): (5_000, 1_500, 5),
}

LARGEST_FLOAT = float(np.finfo(np.float64).max)

#: The dynamic programme stores a byte for each row and class; from this many on, "auto" prunes.
MOST_CHOICES = 1 << 28


@dataclass(frozen=True)
class Plan:
    """How to search: the requested method, the number of threads, and of cuts in a block.

    Examples
    --------
    >>> Plan(n_jobs=3).n_threads()
    3
    """

    method: str = "auto"
    n_jobs: int | None = None
    block_size: int | None = None

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise unknown_name("method", self.method, METHODS)
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
    which is verified), ``"convex"``, ``"equal errors"`` (all wrong predictions of a row cost the
    same), or ``"segments"`` (a score that adds up over decisions). ``find_cuts`` adds up in whole
    numbers, and ``find_exactly`` serves where these do not fit.
    """

    find_cuts: Callable[[KernelRows, Numbers, Plan], Ints] | None
    find_exactly: Callable[[SortedRows, Any, int, ExactWeights], Ints]
    needs: Literal["nothing", "order", "convex", "equal errors", "segments"]


SOLVERS: dict[str, Solver] = {
    "dp": Solver(solve_by_dynamic_programme, ordered_cuts, needs="nothing"),
    "io": Solver(solve_independently, independent_cuts, needs="order"),
    "pio": Solver(solve_independently_in_threads, independent_cuts, needs="order"),
    "blocks": Solver(solve_in_blocks, independent_cuts, needs="order"),
    "nested": Solver(solve_nested, independent_cuts, needs="convex"),
    "zero_one": Solver(solve_equal_errors, ordered_cuts, needs="equal errors"),
    "segments": Solver(None, segment_cuts, needs="segments"),
}


@dataclass(frozen=True, eq=False)
class Solution:
    """Cuts of sorted rows, the method that computed them and why they are optimal.

    Attributes
    ----------
    rows : SortedRows
        The rows that are cut; pruned rows include lumps of other rows.
    cuts : ndarray of shape (D - 1,)
        Cut ``k`` is the number of rows with decision ``k`` or lower.
    method : str
        The name of the method.
    certificate : Certificate
        Why the cuts are optimal.
    table : ndarray of shape (D, K), optional
        The exact weight of each decision and class on the rows that limits are about, if known.
    thresholds : ndarray of shape (D - 1,), optional
        The values of the thresholds within limits; by default they are halfway between scores.
    is_free : bool
        Whether the cuts are optimal without any limits.
    """

    rows: SortedRows
    cuts: Ints
    method: str
    certificate: Certificate
    table: Array | None = None
    thresholds: Floats | None = None
    is_free: bool = True


class Task(NamedTuple):
    """What ``"auto"`` chooses by: the costs, the size of a problem, and where its rows are.

    Attributes
    ----------
    convex : bool
        Whether the cost is convex, for a kappa the costs of its steps.
    equal_errors : bool
        Whether all wrong predictions of a row cost the same.
    is_kappa : bool
        Whether the objective is a kappa.
    is_segmented : bool
        Whether the objective is a score that adds up over decisions.
    n_rows, n_classes : int
        The size of the problem.
    where : {"arrays", "sorted", "engine", "device"}
        Where the rows are: in arrays, in order already, in a frame's engine, or on a GPU.
    sorted_by : {"key", "position", "weighted", "fractional"}
        How rows in arrays would be sorted.
    is_even : callable
        Returns whether scores spread evenly over their range, or would be slow to sort.
    n_problems : int
        The number of problems that will be solved on the same rows. Sorted rows serve all problems
        with convex costs, which is then faster than counting for each.
    """

    convex: bool
    equal_errors: bool = False
    is_kappa: bool = False
    n_rows: int = 0
    n_classes: int = 2
    where: Place = "sorted"
    sorted_by: SortedBy = "key"
    is_even: Callable[[], bool] = lambda: True
    n_problems: int = 1
    is_segmented: bool = False

    @property
    def kind(self) -> str:
        """The kind of objective, as in ``FEWEST_ROWS_TO_PRUNE``."""
        if self.is_segmented:
            return "segments"
        if self.is_kappa:
            return "convex kappa" if self.convex else "other kappa"
        if self.convex:
            return "convex"
        return "equal errors" if self.equal_errors else "other"


def choose_method(method: str, task: Task) -> str:
    """Return the requested method, or for "auto" the fastest that is sure to be optimal.

    Examples
    --------
    >>> large = Task(convex=True, n_rows=10**6, where="arrays")
    >>> choose_method("auto", Task(convex=True)), choose_method("auto", large)
    ('nested', 'pruned')
    """
    if method not in METHODS:
        raise unknown_name("method", method, METHODS)
    if method != "auto":
        return method
    if task.where == "engine":
        return "pruned"
    if task.where == "device":
        return "scan"
    is_sorted_best = task.convex and not task.is_kappa and task.n_problems > 1
    if task.where == "arrays" and not is_sorted_best:
        least, for_each_pair, times = FEWEST_ROWS_TO_PRUNE[task.kind, task.sorted_by]
        fewest = least + for_each_pair * task.n_classes**2
        if task.n_rows > times * fewest or (task.n_rows > fewest and task.is_even()):
            return "pruned"
    if task.convex or task.is_segmented:
        return "nested" if task.convex else "segments"
    if task.equal_errors:
        return "zero_one"
    is_too_large = task.n_rows * task.n_classes >= MOST_CHOICES
    return "pruned" if task.where == "arrays" and is_too_large else "dp"


def solve_freely(
    store: Store,
    objective: Objective,
    factors: Floats | None,
    plan: Plan,
    first: Floats | None = None,
) -> Solution:
    """Return the lowest optimal cuts of rows, without limits.

    ``factors`` weigh the true classes; None weighs all the same. ``first``, the table of weights of
    cuts near the best, saves steps of a kappa.
    """
    check_costs(objective, store.weight, factors)
    if not objective.is_kappa:
        return Minimiser.choose(weighted_cost(objective, factors), plan)(store)
    minimise = partial(_minimise, plan)
    kappa = ExactKappa.of(objective, store.exact_totals, factors)
    table, coarse = store.near_best()
    table = table if first is None else as_exact(first)
    ratio = Fraction(1) if table is None else min(Fraction(1), kappa.ratio_of(table))
    n_steps = 0
    if coarse is not None:  # a few quick steps that end near the optimum
        rough = optimise(kappa, partial(minimise, coarse, is_exact=False), ratio)
        assert rough is not None
        n_steps, ratio = rough.n_steps, rough.ratio
    minimise_exactly = partial(minimise, store, is_exact=True)
    best = optimise(kappa, minimise_exactly, ratio, store.cost_weight, n_steps)
    assert best is not None
    return best.solution


def _certified(solution: Solution, n_steps: int) -> Solution:
    return replace(solution, certificate=replace(solution.certificate, n_steps=n_steps))


def _minimise(plan: Plan, store: Store, cost: ExactCost, is_exact: bool) -> Solution:
    """Return the lowest cuts of least cost, with the table of their weights."""
    solution = Minimiser.choose(cost, plan)(store)
    rows, cuts = solution.rows, solution.cuts
    if is_exact or rows.is_whole:
        table = store.exact_weights(rows, cuts)
    else:
        table = as_exact(rows.between(cuts))
    return Solution(rows, cuts, solution.method, solution.certificate, table)


@dataclass(frozen=True)
class KappaOptimum:
    """The solution of the highest kappa, the ratio that it reaches, and the number of steps."""

    solution: Solution
    ratio: Fraction
    n_steps: int


def optimise(
    kappa: ExactKappa,
    minimise: Callable[[ExactCost], Solution | None],
    ratio: Fraction,
    weight: float = ENOUGH_WEIGHT,
    n_steps_before: int = 0,
) -> KappaOptimum | None:
    """Maximise a kappa by Dinkelbach's steps, given a way to minimise any additive cost.

    ``minimise`` returns a solution with its table of weights, or None if no cuts are allowed.
    ``ratio`` is any guess: after the first step it is a ratio that cuts reach, and then it falls.
    If ``weight``, the total of the rows, is known and sums fit, costs need not be reduced to lowest
    terms. Steps are counted from ``n_steps_before`` on.
    """
    best: Solution | None = None
    for n_steps in count(n_steps_before + 1):
        solution = minimise(kappa.cost_at(ratio, weight))
        if solution is None:
            return None
        assert solution.table is not None
        reached = kappa.ratio_of(solution.table)
        if reached == ratio:
            return KappaOptimum(_certified(solution, n_steps), ratio, n_steps)
        if best is not None and reached > ratio:  # only where the table was rounded
            return KappaOptimum(_certified(best, n_steps), ratio, n_steps)
        ratio, best = reached, solution
    raise AssertionError("unreachable: every step but the last lowers the ratio")


def weighted_cost(objective: Objective, factors: Floats | None) -> ExactCost | SegmentTerms:
    """Return what is optimised in exact numbers, times the factors of the true classes."""
    if factors is None or (factors == 1).all():
        return objective.exact_cost
    if isinstance(objective.exact_cost, SegmentTerms):
        return replace(objective.exact_cost, factors=factors)
    return ExactCost.of(objective.cost, factors)


@dataclass(frozen=True)
class Minimiser:
    """The solver chosen for a cost matrix, which can be run on many stores of rows."""

    cost: ExactCost | SegmentTerms
    solver: Solver
    method: str
    plan: Plan

    @classmethod
    def choose(cls, cost: ExactCost | SegmentTerms, plan: Plan) -> Minimiser:
        """Choose a solver by the requested method, or by the costs; an error if it cannot solve."""
        convex = cost.convexity != "no"
        equal_errors = not convex and cost.has_equal_errors
        # Rows that pruning leaves over are sorted.
        requested = "auto" if plan.method == "pruned" else plan.method
        is_segmented = isinstance(cost, SegmentTerms)
        method = choose_method(requested, Task(convex, equal_errors, is_segmented=is_segmented))
        solver = SOLVERS[method]
        if is_segmented != (solver.needs == "segments"):
            scores = 'a score that adds up over decisions, such as "macro_f1"'
            raise ValueError(
                f'method="{method}" needs {"costs of rows, not " if is_segmented else ""}{scores}. '
                'Use method="auto".'
            )
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
        return cls(cost, solver, method, plan)

    def __call__(self, store: Store) -> Solution:
        """Return the lowest cuts of least cost, and why they are optimal."""
        rows = store.rows_for(self.cost)
        cuts = self.find_cuts(rows, store)
        is_rounded = isinstance(self.cost, SegmentTerms) and not self.cost.is_exact
        sums: Sums = "float64" if is_rounded else "exact" if store.is_exact else "engine"
        certificate = Certificate(self._verified(cuts), sums=sums)
        return Solution(rows, cuts, store.searched_by or self.method, certificate)

    def find_cuts(self, rows: SortedRows, store: Store | None = None) -> Ints:
        """Return the lowest cuts of least cost of rows, which a store may have pruned.

        The solver runs in whole numbers where all sums fit. Elsewhere, near ties are decided in
        exact fractions.
        """
        whole, cost, find_cuts = rows.whole_kernel_rows, self.cost, self.solver.find_cuts
        if find_cuts is not None and whole is not None:
            assert isinstance(cost, ExactCost)
            if rows.weight <= cost.most_weight:
                return find_cuts(whole, cost.integers, self.plan)
        store = rows if store is None else store
        weigh = partial(store.exact_weights, rows, inside=True)
        return self.solver.find_exactly(rows, cost, store.n_rows, weigh)

    def _verified(self, cuts: Ints) -> Verified:
        """Return what makes the cuts optimal; an error if they need not be."""
        needs = self.solver.needs
        if needs == "nothing" or needs == "equal errors" or needs == "segments":
            return needs
        if self.cost.convexity != "no":
            return self.cost.convexity
        crossed = np.flatnonzero(cuts[1:] < cuts[:-1])
        if len(crossed):
            raise CrossedThresholdsError(self.method, int(crossed[0]) + 1)
        return "order"


def check_costs(objective: Objective, weight: float, factors: Floats | None = None) -> None:
    """Raise an error if costs are too large to be added up over rows of a total weight."""
    weight = weight if factors is None else weight * factors.max()
    # Half the range is kept free for the differences of sums.
    if objective.largest_cost > LARGEST_FLOAT / 4 / max(1.0, weight):
        raise ValueError(
            f"objective must have costs that can be added up over {weight:g} rows, "
            f"got {objective.largest_cost:g}. Scale the costs down."
        )
