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
        row = {"labeling": labeling}
        row |= {
            objective: f"{np.exp(mean):.4f}"
            for objective, mean in zip(OBJECTIVES, logs.mean(axis=0), strict=True)
        }
        row["all"] = f"**{np.exp(logs.mean()):.4f}**"
        row["wins : losses"] = f"{(logs < 0).sum()} : {(logs > 0).sum()}"
        each = logs.mean(axis=1)
        row["p (Wilcoxon)"] = f"{wilcoxon(each).pvalue:.2g}" if each.any() else ""
        table.append(row)
    return markdown(table)


def table_against_the_paper(rows: list[dict], kinds: list[str]) -> str:
    """Compare ours with optimal thresholds on the scores of rows that the model was fitted to."""
    table = []
    for kind in kinds:
        risks = risks_of(rows, kind)
        reference = SEEN if any(key[2] == SEEN for key in risks) else REFERENCE
        logs = logs_of(risks, OURS, reference)
        table.append(
            {
                "scores": kind,
                "all": f"**{np.exp(logs.mean()):.4f}**",
                "wins : losses": f"{(logs < 0).sum()} : {(logs > 0).sum()}",
                "p (Wilcoxon)": f"{wilcoxon(logs.mean(axis=1)).pvalue:.2g}",
            }
        )
    return markdown(table)


def best_rivals(risks: Risks) -> np.ndarray:
    """Return the logarithm of our risk over that of each data set's best rival, (data sets,).

    The best rival of a data set is the one labeling with the least geometric mean of its risk over
    the objectives.
    """
    logs = np.stack([logs_of(risks, OURS, rival).mean(axis=1) for rival in RIVALS])
    return logs.max(axis=0)


def best_rivals_by_objective(risks: Risks) -> np.ndarray:
    """Return the same with the best rival of each objective, (data sets, objectives)."""
    return np.stack([logs_of(risks, OURS, rival) for rival in RIVALS]).max(axis=0)


def table_by_dataset(rows: list[dict], kinds: list[str]) -> str:
    """Compare ours with the plain optimum and with the best rival, for each data set."""
    shape = {row["dataset"]: (row["rows"], row["classes"]) for row in rows}
    table = {name: {"data set": name, "n": n, "K": k} for name, (n, k) in shape.items()}
    for kind in kinds:
        risks = risks_of(rows, kind)
        against_plain = logs_of(risks, OURS, REFERENCE).mean(axis=1)
        for name, plain, rival in zip(
            names_in(risks), against_plain, best_rivals(risks), strict=True
        ):
            table[name][f"{kind}: optimal"] = f"{np.exp(plain):.3f}"
            table[name][f"{kind}: best rival"] = f"{np.exp(rival):.3f}"
    return markdown(list(table.values()))


def table_of_best_rivals(rows: list[dict], kinds: list[str]) -> str:
    table = []
    for kind in kinds:
        risks = risks_of(rows, kind)
        each, strict = np.exp(best_rivals(risks)), best_rivals_by_objective(risks)
        table.append(
            {
                "scores": kind,
                "mean": f"**{np.exp(np.log(each).mean()):.4f}**",
                "worst set": f"{each.max():.4f} ({names_in(risks)[int(each.argmax())]})",
                "sets worse by more than 2 %": f"{(each > 1.02).sum()} of {len(each)}",
                "mean, rival picked by objective": f"{np.exp(strict.mean()):.4f}",
                "worst, rival picked by objective": f"{np.exp(strict.max()):.4f}",
            }
        )
    return markdown(table)
