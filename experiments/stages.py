"""The stages of an epoch, which are the rows of the paper's Table 1, and the time of each."""

from __future__ import annotations

import multiprocessing
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from math import isclose
from time import perf_counter
from typing import Any, Literal, cast, get_args

import numpy as np

from experiments import literal
from experiments.orphans import end_with_parent
from experiments.settings import count_cores
from experiments.typing import Array, Ints
from ordcut import ReversedScoresWarning, ScoreTable, Thresholds, judge, resolve_objective

#: The stages of an epoch, by the names in Table 1.
STAGES = {
    "training": "Training of 1DT",
    "p1": "Preparation, line P1",
    "p2_p3": "Preparation, lines P2 and P3",
    "p4_p5": "Preparation, lines P4 and P5",
    "thresholds": "Optimization of threshold parameters",
    "validation": "Calculation of VE",
}

#: What a run does besides, which is not part of the total: all labelings for all task losses.
EVALUATION = "evaluation"

#: The stages that turn scores into thresholds.
THRESHOLD_STAGES = ("p2_p3", "p4_p5", "thresholds")

#: The methods of the library that start from sorted scores.
LibraryMethod = Literal["auto", "dp", "io", "pio", "blocks", "nested"]

#: The numbers of blocks of Algorithm 4 in the paper's appendix.
BLOCKS = (2, 3, 4)

#: Methods of the library with a number of blocks, by name.
LIBRARY_BLOCKS = {f"blocks-{n_blocks}": n_blocks for n_blocks in BLOCKS}

#: The least number of calls that the times of a method are measured over.
FEWEST_CALLS = 10

#: The library runs its loops as plain Python until compiling them pays off. For this number of
#: rows it compiles them at once.
N_ROWS_COMPILED = 500_000


@cache
def _processes() -> ProcessPoolExecutor:
    """Return one process per core, which run as long as this process."""
    # Processes that were forked while PyTorch has threads can hang.
    spawn = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(count_cores(), spawn, end_with_parent)


def _in_processes(losses: list[Any], candidates: list[Any], n_classes: int) -> list[float]:
    chunk = -(-(n_classes - 1) // count_cores())
    return literal.parallel_optimisation(losses, candidates, n_classes, _processes(), chunk)


def _in_blocks(n_blocks: int) -> Callable[[list[Any], list[Any], int], list[float]]:
    def optimise(losses: list[Any], candidates: list[Any], n_classes: int) -> list[float]:
        return literal.further_parallelised(losses, candidates, n_classes, n_blocks, _processes())

    return optimise


#: The paper's algorithms as loops over Python lists: DP, IO, PIO with a task per threshold, and
#: Algorithm 4 with a task per threshold and block. Tasks run in one process per core.
LITERAL: dict[str, Callable[[list[Any], list[Any], int], list[float]]] = {
    "literal": literal.dynamic_programme,
    "literal-io": literal.independent_optimisation,
    "literal-pio": _in_processes,
    **{f"literal-blocks-{n_blocks}": _in_blocks(n_blocks) for n_blocks in BLOCKS},
}

#: How thresholds can be found.
EXPERIMENT_METHODS: tuple[str, ...] = (*get_args(LibraryMethod), *LIBRARY_BLOCKS, *LITERAL)

#: What ``python -m experiments paper`` times: the paper's algorithms as loops, and the library's.
PAPER_METHODS = (*LITERAL, "dp", "io", "pio", *LIBRARY_BLOCKS)

#: Methods that need no convex objective.
FOR_ALL_OBJECTIVES = ("auto", "dp", "literal")


def check_method(method: str, objective: str) -> None:
    """Raise an error before training if a method could fail for an objective later.

    Examples
    --------
    >>> check_method("pio", "quadratic_kappa")
    >>> check_method("pio", "zero_one")
    Traceback (most recent call last):
        ...
    ValueError: --method pio needs a convex objective; zero_one is not. Use auto or dp.
    """
    resolved = resolve_objective(objective, 3)
    if method in LITERAL and resolved.is_maximised:
        raise ValueError(
            f"--method {method} minimises a loss, as the paper does, and {objective} is a kappa. "
            "Use auto."
        )
    if method not in FOR_ALL_OBJECTIVES and not resolved.kind.startswith("convex"):
        raise ValueError(
            f"--method {method} needs a convex objective; {objective} is not. Use auto or dp."
        )


class Stopwatch:
    """The seconds of each stage.

    Parameters
    ----------
    wait : callable
        Called before each reading, to wait until a device has finished its work.

    Examples
    --------
    >>> watch = Stopwatch()
    >>> with watch("p1"):
    ...     total = sum(range(1000))
    >>> watch.seconds["p1"] > 0, watch.seconds["training"]
    (True, 0.0)
    """

    def __init__(self, wait: Callable[[], object] = lambda: None) -> None:
        self.wait = wait
        self.seconds = dict.fromkeys((*STAGES, EVALUATION), 0.0)

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Add the time of the ``with`` block to a stage."""
        self.wait()
        start = perf_counter()
        yield
        self.wait()
        self.seconds[stage] += perf_counter() - start


@dataclass(frozen=True)
class Task:
    """Scores and labels that thresholds are found for, 0..K-1, and the objective."""

    scores: Array
    labels: Ints
    n_classes: int
    objective: str


class Loops:
    """Thresholds by the paper's algorithms as loops over lists, prepared once for all of them."""

    def __init__(self, task: Task, watch: Stopwatch) -> None:
        self.task = task
        cost = resolve_objective(task.objective, task.n_classes).cost.tolist()
        scores, labels = task.scores.tolist(), (task.labels + 1).tolist()  # the paper counts from 1

        def loss(k: int, y: int) -> float:
            return float(cost[k - 1][y - 1])

        with watch("p2_p3"):
            a, groups = literal.group_with_dictionary(scores, labels)
        with watch("p4_p5"):
            chunk = -(-task.n_classes // count_cores())
            self.losses = literal.parallel_losses(groups, task.n_classes, loss, _processes(), chunk)
            self.candidates = literal.candidates(a)

    def solve(self, method: str, watch: Stopwatch) -> Thresholds:
        """Return the thresholds of a method, and add its time to a watch."""
        task = self.task
        with watch("thresholds"):
            values = LITERAL[method](self.losses, self.candidates, task.n_classes)
        thresholds = Thresholds.from_values(values, classes=np.arange(task.n_classes))
        result = judge(thresholds, task.scores, task.labels, task.objective)
        return replace(result, method=method)


class Library:
    """Thresholds by the library, which sorts once for all methods.

    It needs neither line P4 nor line P5: it computes losses from the labels while it searches, and
    candidates only where it places thresholds.
    """

    def __init__(self, task: Task, watch: Stopwatch) -> None:
        self.task = task
        with watch("p2_p3"):
            self.table = ScoreTable(task.scores, task.labels, classes=np.arange(task.n_classes))

    def solve(self, method: str, watch: Stopwatch) -> Thresholds:
        """Return the thresholds of a method, and add its time to a watch."""
        n_blocks = LIBRARY_BLOCKS.get(method)
        name = cast(LibraryMethod, method if n_blocks is None else "blocks")
        block_size = None if n_blocks is None else -(-len(self.task.labels) // n_blocks)
        with watch("thresholds"):
            return self.table.solve(self.task.objective, name, block_size=block_size)


#: The two implementations of the paper's algorithms, by the names of the rows of Table 1.
IMPLEMENTATIONS: dict[str, type[Loops] | type[Library]] = {"loops": Loops, "ordcut": Library}


def implementation_of(method: str) -> str:
    """Return the name of the implementation that a method belongs to."""
    return "loops" if method in LITERAL else "ordcut"


def find_in_stages(task: Task, method: str, watch: Stopwatch) -> Thresholds:
    """Find optimal thresholds, and add the time of each stage to a watch.

    Examples
    --------
    >>> task = Task(np.array([0.1, 0.4, 0.5, 0.9]), np.array([0, 0, 1, 2]), 3, "absolute")
    >>> find_in_stages(task, "auto", Stopwatch()).thresholds
    array([0.45, 0.7 ])
    """
    with warnings.catch_warnings():
        # The scores of a network that has hardly been trained may fall as classes rise.
        warnings.simplefilter("ignore", ReversedScoresWarning)
        prepared = IMPLEMENTATIONS[implementation_of(method)](task, watch)
        return prepared.solve(method, watch)


def time_methods(
    task: Task, methods: Sequence[str], value: float | None = None, n_calls: int = 1
) -> list[dict[str, Any]]:
    """Return the seconds of each stage and method, one row per call.

    The preparation is done and timed once per call and implementation, as in the paper, whose
    algorithms share it. All methods must reach the same value of the objective.
    """
    rows: list[dict[str, Any]] = []
    own = {name: [m for m in methods if implementation_of(m) == name] for name in IMPLEMENTATIONS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReversedScoresWarning)
        for name in [name for name in IMPLEMENTATIONS if own[name]] * n_calls:
            watch = Stopwatch()
            prepared = IMPLEMENTATIONS[name](task, watch)
            rows += [
                {"stage": stage, "of": name, "seconds": watch.seconds[stage]}
                for stage in ("p2_p3", "p4_p5")
            ]
            for method in own[name]:
                watch = Stopwatch()
                result = prepared.solve(method, watch)
                seconds = watch.seconds["thresholds"]
                rows.append({"stage": "thresholds", "of": method, "seconds": seconds})
                value = result.value if value is None else value
                if not isclose(result.value, value, rel_tol=1e-9, abs_tol=1e-12):
                    raise RuntimeError(
                        f"method {method} must reach the value of the other methods, {value}, got "
                        f"{result.value}. Please report this with the scores."
                    )
    return rows


def warm_up(methods: Sequence[str], labels: Ints, n_classes: int, objective: str) -> None:
    """Compile code and start processes that methods need, so that no time includes it."""
    if any(method in LITERAL for method in methods):
        list(_processes().map(abs, range(100 * count_cores())))
    n_rows = max(len(labels), N_ROWS_COMPILED)
    scores = np.linspace(0, 1, n_rows, dtype=np.float32)
    task = Task(scores, np.resize(labels, n_rows), n_classes, objective)
    library = [method for method in methods if method not in LITERAL]
    time_methods(task, library)
