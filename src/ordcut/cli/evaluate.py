"""``ordcut evaluate``."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ordcut.cli.failures import UserError
from ordcut.cli.files import Columns
from ordcut.cli.options import (
    CommandInSections,
    complete_column,
    json_option,
    quiet_option,
    thresholds_on_files,
)

if TYPE_CHECKING:
    from ordcut._core.objectives import Objective
    from ordcut._core.pruning import Source
    from ordcut._core.thresholds import Thresholds
    from ordcut._core.typing import Array, Floats

#: The names of the thresholds that are evaluated, and of the optimal thresholds for the rows.
OURS, OPTIMAL = "these thresholds", "optimal for these rows"


@click.command(cls=CommandInSections)
@thresholds_on_files
@click.option(
    "--against",
    multiple=True,
    metavar="COL|FILE",
    shell_complete=complete_column,
    help="A column of other predictions to compare with; or an earlier file, to test whether the "
    "value has got worse, and whether labels have moved against true labels. Can be repeated.",
)
@click.option(
    "--intervals",
    is_flag=True,
    help="Also show the value with its 95 % interval. Loads all rows into memory.",
)
@click.option(
    "--target",
    type=float,
    metavar="VALUE",
    help="The value to reach. Exit code 0 if the interval is beyond it, 3 if short of it, 4 if "
    "it is undecided.",
)
@click.option(
    "--fail-under",
    type=float,
    metavar="VALUE",
    help="Exit with code 3 if the value is worse than this.",
)
@json_option
@quiet_option
def evaluate(
    against: tuple[str, ...],
    intervals: bool,
    target: float | None,
    fail_under: float | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> int:
    """Evaluate thresholds by every objective.

    They are compared with the thresholds that are optimal for the same rows, with other rules that
    choose thresholds, and with predictions in the files. A star marks the best value of each
    column. Thresholds between decisions that are not the classes are evaluated by their own costs
    only, and not compared with other rules.
    """
    from ordcut.cli.console import show_passes
    from ordcut.cli.thresholds_file import open_rows

    months = tuple(name for name in against if Path(name).is_file())
    against = tuple(name for name in against if name not in months)
    is_gate = intervals or bool(months) or target is not None or fail_under is not None
    with show_passes(quiet) as progress:
        rows = open_rows(progress, against, as_panel=is_gate, **options)
        thresholds, source = rows.saved.thresholds, rows.source
        if against and rows.columns.is_panel:
            raise UserError(
                f"--against must name a file where items have several ratings, got {against[0]}. "
                "Compare a column of predictions with one --label at a time."
            )
        others = {
            name: _count_pairs(rows.frame, rows.columns, name, source.classes, thresholds.decisions)
            for name in against
        }
        evaluation = LabelingValues.of(source, thresholds, rows.weighted_objective, others)
        gate = None
        if is_gate or (rows.columns.is_panel and not thresholds.decides_otherwise):
            from ordcut.cli.gate import gate_of

            before = {
                path: open_rows(progress, as_panel=True, **options | {"files": (path,)})
                for path in months
            }
            gate = gate_of(rows, before, target, fail_under)
    if as_json:
        from ordcut._core.thresholds import json_text

        judged = {} if gate is None else {"gate": gate.as_dict()}
        click.echo(json_text(evaluation.as_dict() | judged))
    else:
        _print_tables(evaluation)
        if gate is not None:
            click.echo(str(gate))
            if rows.columns.is_panel and rows.columns.weight is not None:
                click.echo("Agreement counts each item once, whatever its --weight.")
    return 0 if gate is None else gate.exit_code


@dataclass(frozen=True)
class LabelingValues:
    """The values of several labelings on given rows, by every objective.

    Attributes
    ----------
    classes : ndarray of shape (K,)
        The ordered classes.
    decisions : ndarray of shape (D,)
        What thresholds decide, by default the classes.
    objectives : list of Objective
        What labelings are evaluated by.
    values : dict of str to dict of str to float
        The value of each labeling by each objective, None where a kappa is undefined.
    confusion : ndarray of shape (K, D)
        The weight of the rows by true class (rows) and decision (columns), for the thresholds.
    n_rows : int
        The number of rows.
    constraints : list of dict
        For each constraint on the thresholds, the value reached and whether it holds.
    review_share : float, optional
        The share of these rows that is handed over for review.

    Examples
    --------
    >>> import numpy as np
    >>> classes, confusion = np.array(["bad", "good"]), np.array([[3.0, 0], [1, 4]])
    >>> LabelingValues(classes, classes, [], {}, confusion, 8).by_class()[1]["recall"]
    0.8
    """

    classes: Array
    decisions: Array
    objectives: list[Objective]
    values: dict[str, dict[str, float | None]]
    confusion: Floats
    n_rows: int
    constraints: list[dict[str, Any]] = field(default_factory=list)
    review_share: float | None = None

    @classmethod
    def of(
        cls,
        source: Source,
        thresholds: Thresholds,
        objective: Objective,
        others: dict[str, Floats],
    ) -> LabelingValues:
        """Evaluate thresholds, optimal thresholds, other rules, and other predictions.

        ``others`` has the (predicted, true) table of weights of each of the other predictions.
        """
        import numpy as np

        from ordcut._core.data import confusions_of, truth_in_rows
        from ordcut._core.pruning import ArraySource
        from ordcut.report import compare

        compared = compare(source, objective)
        objectives = compared.objectives
        chosen = {(OURS, each.name): thresholds.thresholds for each in objectives}
        for name, optimum in compared.optima.items():
            chosen[OPTIMAL, name] = optimum.thresholds
        for labeling in compared.labelings:
            chosen |= {(labeling.name, name): at for name, at in labeling.thresholds.items()}
        counted = confusions_of(
            np.stack(list(chosen.values())), compared.candidates.source.confusion
        )
        tables = dict(zip(chosen, counted, strict=True))
        for column, table in others.items():
            tables |= {(column, each.name): table for each in objectives}
        unit = source.rows.unit if isinstance(source, ArraySource) else float(source.unit)
        ours = tables[OURS, objectives[0].name] * unit
        values: dict[str, dict[str, float | None]] = {
            row: dict.fromkeys((each.name for each in objectives), None) for row, _ in tables
        }
        by_name = {each.name: each for each in objectives}
        for (row, name), table in tables.items():
            values[row][name] = _value(by_name[name], table)
        return cls(
            source.classes,
            thresholds.decisions,
            objectives,
            values,
            truth_in_rows(ours),
            source.n_rows,
            outcomes_on(ours, thresholds, objective),
            objective.review_share(ours),
        )

    @property
    def best(self) -> dict[str, float | None]:
        """The best value of each objective."""
        best: dict[str, float | None] = {}
        for objective in self.objectives:
            all_values = (values[objective.name] for values in self.values.values())
            known = [value for value in all_values if value is not None]
            choose = max if objective.is_maximised else min
            best[objective.name] = choose(known) if known else None
        return best

    def by_class(self) -> list[dict[str, Any]]:
        """Return the figures of each class, None for shares of nothing."""
        rows = []
        for k, name in enumerate(self.classes.tolist()):
            true, predicted = self.confusion[k].sum(), self.confusion[:, k].sum()
            right = self.confusion[k, k]
            steps = sum(abs(j - k) * weight for j, weight in enumerate(self.confusion[k]))
            rows.append(
                {
                    "class": name,
                    "true": float(true),
                    "predicted": float(predicted),
                    "recall": _share(right, true),
                    "precision": _share(right, predicted),
                    "mean steps off": _share(steps, true),
                }
            )
        return rows

    @property
    def decides_otherwise(self) -> bool:
        """Whether decisions are not the classes."""
        return bool(self.decisions.tolist() != self.classes.tolist())

    def by_decision(self) -> list[dict[str, Any]]:
        """Return the weight and the share of the rows that get each decision."""
        weights = self.confusion.sum(axis=0).tolist()
        return [
            {"decision": name, "rows": weight, "share": _share(weight, sum(weights))}
            for name, weight in zip(self.decisions.tolist(), weights, strict=True)
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values."""
        own = {"decisions": self.decisions.tolist()} if self.decides_otherwise else {}
        by_what = "by_decision" if own else "by_class"
        limits = {"constraints": self.constraints} if self.constraints else {}
        review = {} if self.review_share is None else {"review_share": self.review_share}
        return {
            "rows": self.n_rows,
            "classes": self.classes.tolist(),
            **own,
            "values": self.values,
            **review,
            **limits,
            "confusion": self.confusion.tolist(),
            by_what: self.by_decision() if own else self.by_class(),
        }


#: The words for a constraint that holds, that does not, and that was not judged.
STATES = {True: "kept", False: "broken", None: "not judged without groups"}


def outcomes_on(
    confusion: Floats, thresholds: Thresholds, objective: Objective
) -> list[dict[str, Any]]:
    """Return the value that each constraint reaches on the rows, and whether it holds there.

    A constraint with a confidence is judged by its limit: it holds if the rows keep what was
    promised. A constraint on a group is not judged, since the groups of the rows are not known.
    ``confusion`` is the (decision, class) table of the weights of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from ordcut import optimal_thresholds
    >>> from ordcut._core.objectives import resolve_objective
    >>> result = optimal_thresholds([1, 2, 3], [0, 1, 1], constraints=["recall 1 >= 0.9"])
    >>> outcomes_on(np.array([[2.0, 1.0], [0.0, 3.0]]), result, resolve_objective("absolute", 2))
    [{'constraint': 'recall 1 >= 0.9', 'reached': 0.75, 'holds': False}]
    """
    from ordcut._core.limits import Outcome, limits_for, read_constraints
    from ordcut._core.numerics.exact import as_exact
    from ordcut._core.thresholds import ConstraintOutcome

    constraints = read_constraints([outcome.limit for outcome in thresholds.constraints])
    outcome = Outcome(as_exact(confusion), thresholds.thresholds)
    rows: list[dict[str, Any]] = []
    for constraint in constraints:
        if constraint.group is not None:
            rows.append({"constraint": str(constraint), "reached": None, "holds": None})
            continue
        limits = limits_for([constraint], objective, thresholds.classes)
        assert limits is not None
        (form,) = limits.without_confidence().forms
        reached = ConstraintOutcome(constraint, form.reached(outcome), float)
        rows.append({**reached.to_dict(with_cost=False), "holds": form.holds(outcome)})
    return rows


def _count_pairs(
    frame: Any, columns: Columns, name: str, classes: Array, decisions: Array
) -> Floats:
    """Return the (predicted, true) table of weights of a column of other predictions."""
    import numpy as np

    from ordcut._core.data import codes_of, is_missing
    from ordcut.cli.engines import sum_by

    predicted, true, weights = sum_by(frame, columns, name)
    if is_missing(np.array(predicted, dtype=object)).any():
        raise UserError(
            f'--against must name a column without missing values, and "{name}" has some. '
            "Drop those rows, or give them a class."
        )
    table = np.zeros((len(decisions), len(classes)))
    predicted_codes = codes_of(predicted, decisions, f'column "{name}"', in_order=False)
    true_codes = codes_of(true, classes, "labels", in_order=False)
    np.add.at(table, (predicted_codes, true_codes), weights)
    return table


def _print_tables(evaluation: LabelingValues) -> None:
    from ordcut.cli.console import as_line, format_number, open_console, print_table

    def cell(value: float | None) -> str:
        return "" if value is None else format_number(value, 4)

    console, best = open_console(), evaluation.best
    lines = [
        [
            labeling,
            *(
                cell(value) + ("*" if value is not None and value == best[objective] else " ")
                for objective, value in values.items()
            ),
        ]
        for labeling, values in evaluation.values.items()
    ]
    header = ["labeling", *(f"{objective.name} " for objective in evaluation.objectives)]
    print_table(console, f"Value on {evaluation.n_rows:,} rows", header, lines)
    for outcome in evaluation.constraints:
        state = STATES[outcome["holds"]]
        numbers = outcome["reached"]
        numbers = numbers if isinstance(numbers, list) else [numbers]
        reached = ", ".join("-" if x is None else format_number(float(x)) for x in numbers)
        console.print(f"constraint {as_line(outcome['constraint'])}: {state}, reached {reached}")
    if evaluation.review_share is not None:
        console.print(f"handed over for review: {format_number(evaluation.review_share)} of rows")
    if evaluation.constraints or evaluation.review_share is not None:
        console.print()
    table = zip(evaluation.classes.tolist(), evaluation.confusion.tolist(), strict=True)
    counts = [[name, *map(format_number, row)] for name, row in table]
    across = "decision" if evaluation.decides_otherwise else "predicted class"
    title = f"Rows by true class (down) and {across} (across)"
    print_table(console, title, ["", *map(str, evaluation.decisions.tolist())], counts)
    rows = evaluation.by_decision() if evaluation.decides_otherwise else evaluation.by_class()
    first, *others = rows[0]
    lines = [[row[first], *(cell(row[key]) for key in others)] for row in rows]
    print_table(console, f"By {first}", [first, *others], lines)


def _value(objective: Objective, confusion: Floats) -> float | None:
    try:
        return objective.value(confusion)
    except ValueError:  # a kappa is undefined for a single class
        return None


def _share(part: float, whole: float) -> float | None:
    return float(part / whole) if whole > 0 else None
