"""Tables of risks: ratios to a reference, as geometric means over data sets, with their errors."""

from collections.abc import Sequence

import numpy as np

from benchmarks.estimators.tables import markdown

Case = tuple[str, str, str, str]  # data set, library, method, objective
Risks = dict[Case, dict[int, float]]  # by split

#: Rows from which on the worst set is judged: below, a split has fewer than 170 test rows.
FEWEST_ROWS = 500

#: Objectives, and their names as risks, of which less is better.
NAMES = {"absolute": "MAE", "zero_one": "error", "quadratic_kappa": "1 - QWK",
         "macro_mae": "macro-MAE"}  # fmt: skip
OBJECTIVES = list(NAMES)


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
    risks: Risks, method: tuple[str, str], reference: tuple[str, str], objective: str
) -> dict[str, float]:
    """Return the risk of a method over that of a reference, by data set; perfect ones aside.

    Both are a library and a method.
    """
    result = {}
    for name in dict.fromkeys(case[0] for case in risks):
        cases = [(name, *way, objective) for way in (method, reference)]
        if all(case in risks for case in cases):
            risk, of_reference = means(risks, cases)
            if risk > 0 and of_reference > 0:
                result[name] = risk / of_reference
    return result


def geometric_mean(values: Sequence[float]) -> float:
    return float(np.exp(np.mean(np.log(list(values)))))


def standard_error(values: Sequence[float]) -> float:
    """Return the standard error of the geometric mean over data sets."""
    logs = np.log(list(values))
    return geometric_mean(values) * float(logs.std(ddof=1)) / len(logs) ** 0.5


def summarise(rows: Sequence[dict], reference: tuple[str, str]) -> list[dict]:
    """Return a row for each method: sets, geometric means with errors, and the worst set."""
    risks = risks_by_split(rows)
    sizes = {row["dataset"]: int(row["rows"]) for row in rows}
    table = []
    for library, method in dict.fromkeys((row["library"], row["method"]) for row in rows):
        each = {
            objective: values
            for objective in OBJECTIVES
            if (values := ratios(risks, (library, method), reference, objective))
        }
        if min(map(len, each.values()), default=0) < 2:
            continue
        large = {name: ratio for name, ratio in each["absolute"].items()
                 if sizes[name] > FEWEST_ROWS}  # fmt: skip
        worst = max(large, key=large.__getitem__, default="")
        result = {"library": library, "method": method, "sets": len(each["absolute"])}
        for objective, values in each.items():
            result[NAMES[objective]] = round(geometric_mean(values.values()), 4)
            result[f"{NAMES[objective]}, error"] = round(standard_error(values.values()), 4)
        result["worst"] = round(large.get(worst, np.nan), 4)
        result["worst set"] = worst
        result["sets above 1.03"] = sum(ratio > 1.03 for ratio in large.values())
        table.append(result)
    return table


def table_of_ratios(rows: Sequence[dict], reference: tuple[str, str]) -> str:
    """Return the same for readers."""
    table = []
    for each in summarise(rows, reference):
        cells = {name: each[name] for name in ("library", "method", "sets")}
        for name in filter(each.__contains__, NAMES.values()):
            cells[name] = f"{each[name]:.3f} ± {each[f'{name}, error']:.3f}"
        cells[f"worst MAE, more than {FEWEST_ROWS} rows"] = (
            f"{each['worst']:.3f} ({each['worst set']})"
        )
        table.append(cells)
    return markdown(table)


def table_by_dataset(
    rows: Sequence[dict], method: tuple[str, str], reference: tuple[str, str]
) -> str:
    """Return the ratio of a method to a reference on each data set."""
    risks = risks_by_split(rows)
    about = {row["dataset"]: (row["kind"], row["rows"], row["classes"]) for row in rows}
    each = {o: ratios(risks, method, reference, o) for o in OBJECTIVES}
    table = [
        {"data set": name, "kind": kind, "rows": n, "classes": k}
        | {NAMES[o]: f"{each[o].get(name, float('nan')):.3f}" for o in OBJECTIVES}
        for name, (kind, n, k) in sorted(about.items(), key=lambda item: int(item[1][1]))
    ]
    return markdown(table)
