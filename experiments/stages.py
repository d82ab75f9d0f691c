"""The stages of an epoch, which are the rows of the paper's Table 1, and the time of each."""

from __future__ import annotations

import multiprocessing
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from time import perf_counter
from typing import Any, Literal, cast, get_args

import numpy as np

from experiments import literal
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

#: The stages that turn scores into thresholds.
THRESHOLD_STAGES = ("p2_p3", "p4_p5", "thresholds")

#: The methods of the library that start from sorted scores.
LibraryMethod = Literal["auto", "dp", "io", "pio", "blocks", "nested"]

#: Methods that are optimal for convex objectives only.
FOR_CONVEX_OBJECTIVES = ("io", "pio", "blocks", "nested", "literal-io", "literal-pio")


@cache
def _processes() -> ProcessPoolExecutor:
    """Return one process per core, which run as long as this process."""
    # Processes that were forked while PyTorch has threads can hang.
    return ProcessPoolExecutor(count_cores(), multiprocessing.get_context("spawn"))


def _parallel_loops(losses: list[Any], candidates: list[Any], n_classes: int) -> list[float]:
    executor, n_workers = _processes(), count_cores()
    return literal.parallel_optimisation(losses, candidates, n_classes, executor, n_workers)


#: The paper's algorithms as loops over Python lists: DP, IO, and PIO with one process per core.
LITERAL: dict[str, Callable[[list[Any], list[Any], int], list[float]]] = {
    "literal": literal.dynamic_programme,
    "literal-io": literal.independent_optimisation,
    "literal-pio": _parallel_loops,
}

#: How thresholds can be found.
EXPERIMENT_METHODS: tuple[str, ...] = (*get_args(LibraryMethod), *LITERAL)

#: The library runs its loops as plain Python until compiling them pays off. For this number of
#: rows it compiles them at once.
N_ROWS_COMPILED = 500_000


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
    if method in LITERAL and resolved.is_kappa:
        raise ValueError(
            f"--method {method} minimises a loss, as the paper does, and {objective} is a kappa. "
            "Use auto."
        )
    # Of the kappas, only the quadratic one has a convex cost in every step of the search.
    is_convex = resolved.is_convex or objective == "quadratic_kappa"
    if method in FOR_CONVEX_OBJECTIVES and not is_convex:
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
        self.seconds = dict.fromkeys(STAGES, 0.0)

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Add the time of the ``with`` block to a stage."""
        self.wait()
        start = perf_counter()
        yield
        self.wait()
        self.seconds[stage] += perf_counter() - start


def find_in_stages(
    scores: Array, labels: Ints, n_classes: int, objective: str, method: str, watch: Stopwatch
) -> Thresholds:
    """Find optimal thresholds, and add the time of each stage to a watch.

    The library needs neither line P4 nor line P5: it computes losses from the labels while it
    searches, and candidates only where it places thresholds.

    Examples
    --------
    >>> scores, labels = np.array([0.1, 0.4, 0.5, 0.9]), np.array([0, 0, 1, 2])
    >>> for method in ("auto", "literal"):
    ...     find_in_stages(scores, labels, 3, "absolute", method, Stopwatch()).thresholds
    array([0.45, 0.7 ])
    array([0.45, 0.7 ])
    """
    with warnings.catch_warnings():
        # The scores of a network that has hardly been trained may fall as classes rise.
        warnings.simplefilter("ignore", ReversedScoresWarning)
        if method in LITERAL:
            return _find_by_loops(scores, labels, n_classes, objective, method, watch)
        with watch("p2_p3"):
            table = ScoreTable(scores, labels, classes=np.arange(n_classes))
        with watch("thresholds"):
            return table.solve(objective, cast(LibraryMethod, method))


def _find_by_loops(
    scores: Array, labels: Ints, n_classes: int, objective: str, method: str, watch: Stopwatch
) -> Thresholds:
    cost = resolve_objective(objective, n_classes).cost.tolist()
    score_list, label_list = scores.tolist(), (labels + 1).tolist()  # the paper counts from 1

    def loss(k: int, y: int) -> float:
        return float(cost[k - 1][y - 1])

    with watch("p2_p3"):
        a, groups = literal.group_with_dictionary(score_list, label_list)
    with watch("p4_p5"):
        losses, candidates = literal.losses_and_candidates(a, groups, n_classes, loss)
    with watch("thresholds"):
        values = LITERAL[method](losses, candidates, n_classes)
    thresholds = Thresholds.from_values(values, classes=np.arange(n_classes))
    return replace(judge(thresholds, scores, labels, objective), method=method)


def warm_up(methods: set[str], labels: Ints, n_classes: int, objective: str) -> None:
    """Compile code and start processes that methods need, so that no time includes it."""
    if "literal-pio" in methods:
        list(_processes().map(abs, range(100 * count_cores())))
    n_rows = max(len(labels), N_ROWS_COMPILED)
    scores = np.linspace(0, 1, n_rows, dtype=np.float32)
    for method in methods - set(LITERAL):
        find_in_stages(scores, np.resize(labels, n_rows), n_classes, objective, method, Stopwatch())
