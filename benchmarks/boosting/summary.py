"""Tables of risks: ratios to a reference, by objective and by data set."""

from collections.abc import Sequence

import numpy as np

from benchmarks.estimators.tables import markdown
from benchmarks.generalisation.judge import OBJECTIVES

Risks = dict[tuple[str, str, str, str], float]  # by data set, library, method, objective


def mean_risks(rows: Sequence[dict]) -> Risks:
    """Return the mean over the splits."""
    values: dict[tuple[str, str, str, str], list[float]] = {}
    for row in rows:
        key = row["dataset"], row["library"], row["method"], row["objective"]
        values.setdefault(key, []).append(float(row["risk"]))
    return {key: float(np.mean(each)) for key, each in values.items()}


def ratios(
    risks: Risks, library: str, method: str, reference: str, objective: str
) -> dict[str, float]:
    """Return the risk of a method over that of a reference, by data set; perfect ones aside."""
    return {
        name: risk / risks[name, library, reference, objective]
        for (name, of, way, what), risk in risks.items()
        if (of, way, what) == (library, method, objective)
        and risks.get((name, library, reference, objective), 0) > 0
        and risk > 0
    }


def geometric_mean(values: Sequence[float]) -> float:
    return float(np.exp(np.mean(np.log(list(values)))))


def table_of_ratios(rows: Sequence[dict], reference: str) -> str:
    """Return geometric means over data sets of the risk over that of the reference."""
    risks = mean_risks(rows)
    table = []
    for library in dict.fromkeys(row["library"] for row in rows):
        for method in dict.fromkeys(row["method"] for row in rows if row["library"] == library):
            by_objective = {o: ratios(risks, library, method, reference, o) for o in OBJECTIVES}
            if method == reference or not all(by_objective.values()):
                continue
            logs = [np.log(value) for each in by_objective.values() for value in each.values()]
            table.append(
                {"library": library, "method": method, "sets": len(by_objective[OBJECTIVES[0]])}
                | {o: f"{geometric_mean(each.values()):.3f}" for o, each in by_objective.items()}
                | {"all": f"{np.exp(np.mean(logs)):.3f}"}
            )
    return markdown(table)


def table_by_dataset(rows: Sequence[dict], method: str, reference: str) -> str:
    """Return the ratio of a method to a reference on each data set."""
    risks = mean_risks(rows)
    sizes = {row["dataset"]: (row["rows"], row["classes"]) for row in rows}
    table = []
    for library in dict.fromkeys(row["library"] for row in rows):
        each = {o: ratios(risks, library, method, reference, o) for o in OBJECTIVES}
        for name, (n, k) in sorted(sizes.items(), key=lambda item: int(item[1][0])):
            values = [each[o][name] for o in OBJECTIVES if name in each[o]]
            if values:
                table.append(
                    {"library": library, "data set": name, "rows": n, "classes": k}
                    | {o: f"{each[o].get(name, float('nan')):.3f}" for o in OBJECTIVES}
                    | {"mean": f"{geometric_mean(values):.3f}"}
                )
    return markdown(table)


def table_of_log_losses(rows: Sequence[dict], methods: Sequence[str]) -> str:
    """Return the log-loss of probabilities on each data set."""
    risks = mean_risks(rows)
    sizes = {row["dataset"]: row["rows"] for row in rows}
    table = [
        {"library": library, "data set": name, "rows": n}
        | {m: f"{risks[name, library, m, 'log_loss']:.4f}" for m in methods}
        for library in dict.fromkeys(row["library"] for row in rows)
        for name, n in sorted(sizes.items(), key=lambda item: int(item[1]))
        if all((name, library, m, "log_loss") in risks for m in methods)
    ]
    return markdown(table) if table else ""
