"""The stages of an epoch, which are the rows of the paper's Table 1, and the time of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

import numpy as np

from ordcut.data import Rows
from ordcut.experiments import literal
from ordcut.objectives import KAPPAS, Objective, resolve_objective
from ordcut.problem import Problem, Sample
from ordcut.solvers import METHODS, SOLVERS
from ordcut.table import ScoreTable
from ordcut.thresholds import Certificate, Thresholds
from ordcut.typing import Array, Ints

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

#: How thresholds can be found: the paper's Algorithms 1 and 2 as loops over Python lists, or by a
#: method of the library that starts from sorted scores.
LITERAL = "literal"
EXPERIMENT_METHODS = (
    *(method for method in METHODS if method not in ("pruned", "zero_one")),
    LITERAL,
)


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
    if method == LITERAL and objective in KAPPAS:
        raise ValueError(
            f"--method {LITERAL} minimises a loss, as the paper does, and {objective} is a kappa. "
            "Use auto."
        )
    needs = SOLVERS[method].needs if method in SOLVERS else "nothing"
    # Of the kappas, only the quadratic one has a convex cost at every step.
    suits = objective == "quadratic_kappa" or resolve_objective(objective, 3).is_convex
    if needs != "nothing" and not suits:
        raise ValueError(
            f"--method {method} needs a convex objective; {objective} is not. Use auto or dp."
        )


class Stopwatch:
    """Seconds by stage; ``wait`` is called before each reading, so that a device finishes its work.

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

    The solvers of the library compute losses from the labels on the fly, and candidates only at
    cuts. So they do not need lines P4 and P5.

    Examples
    --------
    >>> scores, labels = np.array([0.1, 0.4, 0.5, 0.9]), np.array([0, 0, 1, 2])
    >>> for method in ("auto", "literal"):
    ...     find_in_stages(scores, labels, 3, "absolute", method, Stopwatch()).thresholds
    array([0.45, 0.7 ])
    array([0.45, 0.7 ])
    """
    classes = np.arange(n_classes)
    if method == LITERAL:
        resolved = resolve_objective(objective, n_classes)
        return _find_by_loops(Rows.read(scores, labels, classes=classes), resolved, watch)
    with watch("p2_p3"):
        table = ScoreTable(scores, labels, classes=classes)
    with watch("thresholds"):
        return table.solve(objective, method)  # type: ignore[arg-type]


def _find_by_loops(rows: Rows, objective: Objective, watch: Stopwatch) -> Thresholds:
    cost, n_classes = objective.cost.tolist(), objective.n_classes
    assert rows.codes is not None
    scores, labels = rows.scores.tolist(), (rows.codes + 1).tolist()

    def loss(k: int, y: int) -> float:
        return float(cost[k - 1][y - 1])

    with watch("p2_p3"):
        a, groups = literal.group_with_dictionary(scores, labels)
    with watch("p4_p5"):
        losses, candidates = literal.losses_and_candidates(a, groups, n_classes, loss)
    with watch("thresholds"):
        thresholds = np.array(literal.dynamic_programme(losses, candidates, n_classes))
    return Problem(Sample(rows), objective).at(thresholds, LITERAL, Certificate("nothing"))
