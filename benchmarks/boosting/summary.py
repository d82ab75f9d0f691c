"""Tables of risks: ratios to a reference, by objective and by data set."""

from collections.abc import Sequence

import numpy as np

from benchmarks.estimators.tables import markdown
from benchmarks.generalisation.judge import OBJECTIVES

Case = tuple[str, str, str, str]  # data set, library, method, objective
Risks = dict[Case, dict[int, float]]  # by split


def risks_by_split(rows: Sequence[dict]) -> Risks:
    """Return the risk of each case and split."""
    risks: Risks = {}
    for row in rows:
        case = row["dataset"], row["library"], row["method"], row["objective"]
        risks.setdefault(case, {})[int(row["split"])] = float(row["risk"])
    return risks


def means(risks: Risks, cases: Sequence[Case]) -> list[float]:
    """Return the mean risk of each case, over the splits that all of them have."""
    splits = set.intersection(*(set(risks[case]) for case in cases))
    return [float(np.mean([risks[case][split] for split in sorted(splits)])) for case in cases]


def ratios(
    risks: Risks, library: str, method: str, reference: str, objective: str
) -> dict[str, float]:
    """Return the risk of a method over that of a reference, by data set; perfect ones aside."""
    result = {}
    for name in dict.fromkeys(case[0] for case in risks):
        cases = [(name, library, way, objective) for way in (method, reference)]
        if all(case in risks for case in cases):
            risk, of_reference = means(risks, cases)
            if risk > 0 and of_reference > 0:
                result[name] = risk / of_reference
    return result


def geometric_mean(values: Sequence[float]) -> float:
    return float(np.exp(np.mean(np.log(list(values)))))


def in_hindsight(risks: Risks, library: str, reference: str) -> float:
    """Return the lowest risk of all methods over that of a reference, averaged over all cases.

    It is lower than what any rule for choosing a method can reach on the same outputs.
    """
    lowest: dict[tuple[str, str], float] = {}
    for method in dict.fromkeys(case[2] for case in risks if case[1] == library):
        for objective in OBJECTIVES:
            for name, ratio in ratios(risks, library, method, reference, objective).items():
                lowest[name, objective] = min(ratio, lowest.get((name, objective), ratio))
    return geometric_mean(list(lowest.values()))


def table_of_ratios(rows: Sequence[dict], reference: str) -> str:
    """Return geometric means over data sets of the risk over that of the reference."""
    risks = risks_by_split(rows)
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
    risks = risks_by_split(rows)
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
    risks = risks_by_split(rows)
    sizes = {row["dataset"]: row["rows"] for row in rows}
    table = []
    for library in dict.fromkeys(row["library"] for row in rows):
        for name, n in sorted(sizes.items(), key=lambda item: int(item[1])):
            cases = [(name, library, method, "log_loss") for method in methods]
            if all(case in risks for case in cases):
                losses = [f"{value:.4f}" for value in means(risks, cases)]
                table.append(
                    {"library": library, "data set": name, "rows": n}
                    | dict(zip(methods, losses, strict=True))
                )
    return markdown(table) if table else ""
