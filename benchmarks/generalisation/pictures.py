"""A figure of the reporting sets: risk relative to plain optimal thresholds, over n."""

from pathlib import Path

import matplotlib as mpl
import numpy as np

from benchmarks.generalisation.summary import OURS, REFERENCE, RIVALS, logs_of, names_in, risks_of

mpl.use("Agg")
import matplotlib.pyplot as plt

STYLES = {OURS: ("tab:orange", "*", 110)} | dict(
    zip(RIVALS, [("tab:blue", "o", 25), ("tab:green", "s", 25), ("tab:gray", "v", 25),
                 ("tab:red", "^", 25)], strict=True)
)  # fmt: skip


def draw(rows: list[dict], kinds: list[str], file: Path) -> None:
    """Draw one panel per kind of score, with one mark per data set and labeling."""
    figure, panels = plt.subplots(
        1, len(kinds), figsize=(5 * len(kinds), 4.5), layout="constrained", sharey=True
    )
    n_rows = {row["dataset"]: int(row["rows"]) for row in rows}
    for axes, kind in zip(panels, kinds, strict=True):
        risks = risks_of(rows, kind)
        at = [n_rows[name] for name in names_in(risks)]
        for labeling, (colour, marker, size) in STYLES.items():
            ratio = np.exp(logs_of(risks, labeling, REFERENCE).mean(axis=1))
            axes.scatter(at, ratio, s=size, c=colour, marker=marker, label=labeling)
        axes.axhline(1.0, color="black", linewidth=1)
        axes.set(xscale="log", yscale="log", xlabel="rows", title=f"{kind} scores")
    panels[0].set_ylabel("held-out risk relative to plain optimal thresholds")
    ticks = [0.9, 0.95, 1.0, 1.05, 1.1, 1.2, 1.4]
    panels[0].set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    panels[0].minorticks_off()
    panels[-1].legend(fontsize="small")
    figure.savefig(file, dpi=120)
    plt.close(figure)
