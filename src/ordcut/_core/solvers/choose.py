"""Choose a solver, run it, and state why its cuts are optimal.

Each solver lives in a file of its own and is a row in ``SOLVERS``, which says what it needs.
``choose_method`` alone decides what ``method="auto"`` means.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from ordcut._core.cuts import Cuts
from ordcut._core.data import (
    KernelRows,
    SortedRows,
    place_known,
)
from ordcut._core.errors import CrossedThresholdsError, unknown_name
from ordcut._core.numerics.exact import ExactCost, as_exact
from ordcut._core.numerics.threads import count_threads
from ordcut._core.objectives import ExactRatio, Kind, Objective, SegmentTerms
from ordcut._core.solvers.approach import approach_kappa
from ordcut._core.solvers.blocks import solve_in_blocks
from ordcut._core.solvers.dp import solve_by_dynamic_programme
from ordcut._core.solvers.independent import (
    solve_independently,
    solve_independently_in_threads,
)
from ordcut._core.solvers.near_ties import ExactWeights, independent_cuts
from ordcut._core.solvers.nested import solve_nested
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
Location = Literal["arrays", "sorted", "engine", "device"]

#: When "auto" prunes rows in arrays, by the kind of objective: if sorting them takes more steps, of
#: about a nanosecond, than the first number plus the second for each pair of classes. Otherwise,
#: judging cells takes longer than sorting (`python -m benchmarks auto distributions` measures it).
#: A search that turns out to cost more than sorting gives up, as ``PrunedRows`` says.
FEWEST_STEPS_TO_PRUNE: dict[Kind, tuple[int, int]] = {
    "convex": (1_800_000, 4_000),
    "convex kappa": (1_300_000, 2_000),
    "equal errors": (200_000, 60_000),
    "other": (100_000, 30_000),
    "other kappa": (600_000, 12_000),
    "segments": (600_000, 50_000),
}

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

    def check(self) -> None:
        """Raise an error for a method, a number of threads or a size that cannot be."""
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


class Task(NamedTuple):
    """What ``"auto"`` chooses by: the kind of objective, the size of a problem, where its rows are.

    Attributes
    ----------
    kind : str
        The kind of objective.
    n_rows, n_classes : int
        The size of the problem.
    where : {"arrays", "sorted", "engine", "device"}
        Where the rows are: in arrays, in order already, in a frame's engine, or on a GPU.
    n_steps : float
        About how many steps it takes to sort rows in arrays.
    n_problems : int
        The number of problems that will be solved on the same rows. Sorted rows serve all problems
        with convex costs, which is then faster than counting for each.
    """

    kind: Kind
    n_rows: int = 0
    n_classes: int = 2
    where: Location = "sorted"
    n_steps: float = 0.0
    n_problems: int = 1


#: The method for rows that are sorted, by the kind of objective; the dynamic programme for others.
METHOD_OF_SORTED: dict[Kind, str] = {
    "convex": "nested",
    "convex kappa": "nested",
    "equal errors": "zero_one",
    "segments": "segments",
}


def choose_method(method: str, task: Task) -> str:
    """Return the requested method, or for "auto" the fastest that is sure to be optimal.

    Examples
    --------
    >>> large = Task("convex", n_steps=10**7, where="arrays")
    >>> choose_method("auto", Task("convex")), choose_method("auto", large)
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
    is_sorted_best = task.kind == "convex" and task.n_problems > 1
    if task.where == "arrays" and not is_sorted_best:
        least, for_each_pair = FEWEST_STEPS_TO_PRUNE[task.kind]
        if task.n_steps > least + for_each_pair * task.n_classes**2:
            return "pruned"
    if task.kind in METHOD_OF_SORTED:
        return METHOD_OF_SORTED[task.kind]
    is_too_large = task.n_rows * task.n_classes >= MOST_CHOICES
    return "pruned" if task.where == "arrays" and is_too_large else "dp"


def solve_freely(
    store: Store, objective: Objective, plan: Plan, first: Floats | None = None
) -> Cuts:
    """Return the lowest optimal cuts of rows, without limits.

    ``first``, the table of weights of cuts near the best, saves steps of a kappa.
    """
    cuts: Cuts = objective.optimise(FreeSteps(store, plan, first))
    return cuts


def solver_of(objective: Objective, plan: Plan) -> Callable[..., Cuts]:
    """Return ``solve_freely`` for an objective, with the method chosen once where that is enough.

    It takes rows, and optionally the table of weights of cuts near the best.
    """
    cost = objective.fixed
    if cost is None:
        return lambda store, first=None: solve_freely(store, objective, plan, first)
    minimise = Minimiser.choose(cost, plan)

    def solve(store: Store, first: Floats | None = None) -> Cuts:
        del first
        return minimise(store)

    return solve


@dataclass(frozen=True)
class FreeSteps:
    """A search without limits for the best cuts of rows, as often as an objective needs it."""

    rows: Store
    plan: Plan
    first: Floats | None = None

    @property
    def weight(self) -> float:
        """The weight for which whole costs must leave room in int64."""
        return self.rows.cost_weight

    def minimise(self, cost: ExactCost | SegmentTerms) -> Cuts:
        """Return the lowest cuts of least cost."""
        return Minimiser.choose(cost, self.plan)(self.rows)

    def near_best(self, exact: ExactRatio) -> Array:
        """Return the table of cuts near the highest kappa of exact costs."""
        if self.first is not None:
            return as_exact(self.first)
        rows = self.rows.coarse()
        cuts = approach_kappa(rows, exact)
        return rows.exact_between(cuts) if rows.is_whole else as_exact(rows.between(cuts))


@cache
def certificate_of(verified: Verified, sums: Sums) -> Certificate:
    """Return the certificate of a single search, of which there are few."""
    return Certificate(verified, sums=sums)


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
        plan.check()
        # Rows that pruning leaves over are sorted.
        requested = "auto" if plan.method == "pruned" else plan.method
        method = choose_method(requested, Task(cost.kind))
        solver = SOLVERS[method]
        is_segments = cost.kind == "segments"
        if is_segments != (solver.needs == "segments"):
            scores = 'a score that adds up over decisions, such as "macro_f1"'
            raise ValueError(
                f'method="{method}" needs {"costs of rows, not " if is_segments else ""}{scores}. '
                'Use method="auto".'
            )
        if solver.needs == "equal errors" and not cost.has_equal_errors:
            raise ValueError(
                f'method="{method}" needs an objective in which all wrong predictions of a row '
                'cost the same, such as "zero_one". Use method="dp" or "auto".'
            )
        if solver.needs == "convex" and cost.kind != "convex":
            raise ValueError(
                f'method="{method}" needs a convex objective, whose second differences over the '
                'predicted class are not negative. Use method="dp" or "auto".'
            )
        return cls(cost, solver, method, plan)

    def __call__(self, store: Store) -> Cuts:
        """Return the lowest cuts of least cost, and why they are optimal."""
        rows = store.rows_for(self.cost)
        cuts = self.find_cuts(rows, store)
        sums: Sums = self.cost.sums if store.is_exact else "engine"
        certificate = certificate_of(self._verified(cuts), sums)
        # Rows with lumps of other rows do not know all scores.
        has_lumps = store.searched_by is not None
        place = partial(place_known, rows.scores, cuts, has_lumps=has_lumps)
        n_threads = self.plan.n_threads()
        if rows.is_whole:
            weigh: Callable[[], Array] = partial(rows.exact_between, cuts, n_threads=n_threads)
        else:
            weigh = partial(store.exact_weights, rows, cuts)
        method = store.searched_by or self.method
        return Cuts(cuts, method, certificate, weigh, place, is_whole=rows.is_whole)

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
