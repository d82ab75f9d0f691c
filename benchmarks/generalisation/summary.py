"""Summaries of risks: ratios, wins and losses, and a test over data sets."""

import numpy as np
from scipy.stats import wilcoxon

from benchmarks.estimators.tables import markdown
from benchmarks.generalisation.judge import OBJECTIVES, SEEN

REFERENCE, OURS = "optimal", "smoothed"
RIVALS = ["biases", "likelihood", "mode", "rounding"]

Risks = dict[tuple[str, str, str], float]  # by data set, objective and labeling


def risks_of(rows: list[dict], kind: str) -> Risks:
    return {
        (row["dataset"], row["objective"], row["labeling"]): float(row["risk"])
        for row in rows
        if row["scores"] == kind
    }


def names_in(risks: Risks) -> list[str]:
    return list(dict.fromkeys(key[0] for key in risks))


def logs_of(risks: Risks, labeling: str, reference: str) -> np.ndarray:
    """Return the logarithm of the ratio of two labelings' risks, (data sets, objectives)."""
    return np.array(
        [
            [np.log(risks[d, o, labeling] / risks[d, o, reference]) for o in OBJECTIVES]
            for d in names_in(risks)
        ]
    )


def table_of_ratios(risks: Risks, labelings: list[str], reference: str) -> str:
    """Return geometric means, wins and losses, and Wilcoxon's test over data sets."""
    table = []
    for labeling in labelings:
        logs = logs_of(risks, labeling, reference)
        table.append({"labeling": labeling} | _means(logs) | _tested(logs))
    return markdown(table)


def table_against_the_paper(rows: list[dict], kinds: list[str]) -> str:
    """Compare ours with optimal thresholds on the scores of rows that the model was fitted to."""
    table = []
    for kind in kinds:
        risks = risks_of(rows, kind)
        reference = SEEN if any(key[2] == SEEN for key in risks) else REFERENCE
        logs = logs_of(risks, OURS, reference)
        table.append({"scores": kind} | _means(logs) | _tested(logs))
    return markdown(table)


def best_rivals(risks: Risks) -> np.ndarray:
    """Return the logarithm of our risk over that of the best rival, (data sets, objectives).

    The best rival is picked for each data set and each objective, by the risk on the held-out rows.
    """
    return np.stack([logs_of(risks, OURS, rival) for rival in RIVALS]).max(axis=0)


def table_by_dataset(rows: list[dict], kinds: list[str]) -> str:
    """Compare ours with the plain optimum and with the best rival, for each data set."""
    shape = {row["dataset"]: (row["rows"], row["classes"]) for row in rows}
    table = {name: {"data set": name, "n": n, "K": k} for name, (n, k) in shape.items()}
    for kind in kinds:
        risks = risks_of(rows, kind)
        against_plain = logs_of(risks, OURS, REFERENCE).mean(axis=1)
        against_rivals = best_rivals(risks).mean(axis=1)
        for name, plain, rival in zip(names_in(risks), against_plain, against_rivals, strict=True):
            table[name][f"{kind}: optimal"] = f"{np.exp(plain):.3f}"
            table[name][f"{kind}: best rival"] = f"{np.exp(rival):.3f}"
    return markdown(list(table.values()))


def table_of_best_rivals(rows: list[dict], kinds: list[str]) -> str:
    """Compare ours with the best rival of each data set and objective."""
    table = []
    for kind in kinds:
        risks = risks_of(rows, kind)
        logs = best_rivals(risks)
        worst, at = np.exp(logs.max()), np.unravel_index(logs.argmax(), logs.shape)
        table.append(
            {"scores": kind}
            | _means(logs)
            | {
                "worst": f"{worst:.4f} ({names_in(risks)[at[0]]}, {OBJECTIVES[at[1]]})",
                "worse by more than 2 %": f"{(logs > np.log(1.02)).sum()} of {logs.size}",
            }
        )
    return markdown(table)


def table_against(rows: list[dict], kinds: list[str], rival: str) -> str:
    """Compare ours with one rival."""
    table = []
    for kind in kinds:
        logs = logs_of(risks_of(rows, kind), OURS, rival)
        table.append({"scores": kind} | _means(logs) | _tested(logs))
    return markdown(table)


def _means(logs: np.ndarray) -> dict[str, str]:
    """Return the geometric mean of ratios for each objective, and for all together."""
    by_objective = zip(OBJECTIVES, np.exp(logs.mean(axis=0)), strict=True)
    return {objective: f"{mean:.4f}" for objective, mean in by_objective} | {
        "all": f"**{np.exp(logs.mean()):.4f}**"
    }


def _tested(logs: np.ndarray) -> dict[str, str]:
    """Return wins and losses, and Wilcoxon's test over data sets."""
    each = logs.mean(axis=1)
    return {
        "wins : losses": f"{(logs < 0).sum()} : {(logs > 0).sum()}",
        "p (Wilcoxon)": f"{wilcoxon(each).pvalue:.2g}" if each.any() else "",
    }
