"""The processes of the paper's Table 1, and the time that each takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

import numpy as np

from ordcut.arrays import Array, Ints
from ordcut.experiments import literal
from ordcut.objectives import KAPPAS, resolve_objective
from ordcut.placing import scores_around
from ordcut.solvers import METHODS, SOLVERS
from ordcut.table import ScoreTable
from ordcut.thresholds import Thresholds

#: The processes of an epoch, with the words of Table 1.
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

#: How thresholds can be found: the paper's Algorithms 1 and 2 as loops over Python lists, or by a
#: method of the library that starts from sorted scores.
LITERAL = "literal"
EXPERIMENT_METHODS = (*(method for method in METHODS if method != "pruned"), LITERAL)


def check_method(method: str, objective: str) -> None:
    """Raise an error if a method could fail for an objective, be it at the last epoch.

    Examples
    --------
    >>> check_method("pio", "quadratic_kappa")
    >>> check_method("pio", "zero_one")
    Traceback (most recent call last):
        ...
    ValueError: --method pio needs a convex objective; zero_one is not. Use auto or dp.
    """
    if method == LITERAL and objective in KAPPAS:
        raise ValueError(
            f"--method {LITERAL} minimises a loss, as the paper does, and {objective} is none. "
            "Use auto."
        )
    needs = SOLVERS[method].needs if method in SOLVERS else "nothing"
    # Of the kappas, every step of the quadratic one has a convex cost.
    suits = objective == "quadratic_kappa" or resolve_objective(objective, 3).is_convex
    if needs != "nothing" and not suits:
        raise ValueError(
            f"--method {method} needs a convex objective; {objective} is not. Use auto or dp."
        )


class Stopwatch:
    """Seconds by stage; ``wait`` is called first, so that a device finishes what it was given.

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
        """Add the time of what is done inside to a stage."""
        self.wait()
        start = perf_counter()
        yield
        self.wait()
        self.seconds[stage] += perf_counter() - start


def find_in_stages(
    scores: Array, labels: Ints, n_classes: int, objective: str, method: str, watch: Stopwatch
) -> Thresholds:
    """Find optimal thresholds, each stage under the watch.

    The solvers of the library read the losses off the labels and look up a candidate only where a
    cut is, so that they have no use for what lines P4 and P5 prepare.

    Examples
    --------
    >>> scores, labels = np.array([0.1, 0.4, 0.5, 0.9]), np.array([0, 0, 1, 2])
    >>> for method in ("auto", "literal"):
    ...     find_in_stages(scores, labels, 3, "absolute", method, Stopwatch()).thresholds
    array([0.45, 0.7 ])
    array([0.45, 0.7 ])
    """
    if method == LITERAL:
        return _find_by_loops(scores, labels, n_classes, objective, watch)
    with watch("p2_p3"):
        table = ScoreTable(scores, labels, classes=np.arange(n_classes))
    with watch("thresholds"):
        return table.solve(objective, method)  # type: ignore[arg-type]


def _find_by_loops(
    scores: Array, labels: Ints, n_classes: int, objective: str, watch: Stopwatch
) -> Thresholds:
    resolved = resolve_objective(objective, n_classes)
    cost = resolved.cost.tolist()
    numbers, classes = scores.tolist(), (labels + 1).tolist()

    def loss(k: int, y: int) -> float:
        return float(cost[k - 1][y - 1])

    with watch("p2_p3"):
        a, groups = literal.group_with_dictionary(numbers, classes)
    with watch("p4_p5"):
        losses, candidates = literal.losses_and_candidates(a, groups, n_classes, loss)
    with watch("thresholds"):
        thresholds = np.array(literal.dynamic_programme(losses, candidates, n_classes))
    table = ScoreTable(scores, labels, classes=np.arange(n_classes))
    cuts: Ints = np.searchsorted(table.rows.scores.astype(np.float64), thresholds)
    return Thresholds(
        thresholds=thresholds,
        classes=table.classes,
        value=resolved.value(table.confusion(cuts)),
        objective=resolved.name,
        method=LITERAL,
        certificate="dynamic programme over all ordered labelings",
        ranges=np.array(scores_around(table.rows.scores, cuts), np.float64).T,
    )
