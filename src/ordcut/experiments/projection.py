"""The paper's Table 1 with its network times as published and its threshold times measured here.

The paper's networks ran on a GPU that few have; what follows from the scores runs anywhere. So the
rows of the GPU are kept as published, and those that prepare and find thresholds are replaced by
the times of calls at the same n and K, on this machine.
"""

from __future__ import annotations

from statistics import median
from typing import Any

import numpy as np

from ordcut.arrays import Array, Ints
from ordcut.experiments.published import EPOCHS, NETWORKS, PUBLISHED, PublishedTimes
from ordcut.experiments.stages import THRESHOLD_STAGES, Stopwatch, find_in_stages
from ordcut.jit import running_kernels_as

#: How far a score strays from its class.
NOISE = 3.0


def scores_like(paper: PublishedTimes, seed: int, share: float = 1.0) -> tuple[Array, Ints]:
    """Return float32 scores and labels of a data set's size, or a share of it.

    Classes are commoner in the middle, as ages are, and scores stray from them by a few years.

    Examples
    --------
    >>> scores, labels = scores_like(PUBLISHED["afad"], seed=0)
    >>> len(scores), len(np.unique(labels))
    (147976, 26)
    """
    rng = np.random.default_rng(seed)
    n = max(paper.n_classes, round(share * paper.n_training))
    labels = rng.binomial(paper.n_classes - 1, rng.beta(2, 3, n))
    labels[: paper.n_classes] = np.arange(paper.n_classes)
    scores = labels + NOISE * rng.standard_normal(n)
    return scores.astype(np.float32), labels.astype(np.int64)


def time_calls(
    paper: PublishedTimes, method: str, n_calls: int, share: float = 1.0
) -> dict[str, float]:
    """Return the seconds that each stage from scores to thresholds takes, medians of some calls.

    Every call has scores of its own, as every epoch has.
    """
    with running_kernels_as("compiled"):
        watches = []
        for seed in range(n_calls + 1):  # the first one warms up
            scores, labels = scores_like(paper, seed, share)
            watch = Stopwatch()
            find_in_stages(scores, labels, paper.n_classes, "absolute", method, watch)
            watches.append(watch)
    return {
        stage: median(watch.seconds[stage] for watch in watches[1:]) for stage in THRESHOLD_STAGES
    }


def project(n_calls: int, method: str = "auto", share: float = 1.0) -> list[dict[str, Any]]:
    """Return a row for each data set and network: whole times relative to the published DP.

    ``floor`` is what the ratio would be if finding thresholds took no time at all.
    """
    rows = []
    for paper in PUBLISHED.values():
        seconds = time_calls(paper, method, n_calls, share)
        minutes = {stage: value * EPOCHS / 60 for stage, value in seconds.items()}
        ours = sum(minutes.values())
        for network in NETWORKS:
            dp = paper.total(network, "dp")
            with_p1 = paper.network_time(network)
            without_p1 = paper.network_time(network, evaluation_pass=False)
            rows.append(
                {
                    "data set": paper.title,
                    "network": network,
                    "n": paper.n_training,
                    "K": paper.n_classes,
                    "network (published)": with_p1,
                    "of which P1 (published)": paper.p1[network],
                    "DP total (published)": dp,
                    **minutes,
                    "share of epoch": ours / (with_p1 + ours),
                    "IO over DP (published)": paper.total(network, "io") / dp,
                    "PIO over DP (published)": paper.total(network, "pio") / dp,
                    "over DP": (with_p1 + ours) / dp,
                    "floor": with_p1 / dp,
                    "over DP without P1": (without_p1 + ours) / dp,
                    "floor without P1": without_p1 / dp,
                }
            )
    return rows


def describe_projection(rows: list[dict[str, Any]]) -> str:
    """Return the projection as text."""
    heads = ["p2_p3", "p4_p5", "thresholds", "over DP", "floor", "no P1", "floor", "paper's PIO"]
    lines = [
        "Minutes for 100 epochs from scores to thresholds, measured here, and the whole time over",
        "that of the paper's DP, with its GPU rows as published. The floor is a ratio of published",
        "rows alone, as if thresholds took no time. No P1: with the scores of training itself.",
        f"  {'':18}" + "".join(f"{head:>12}" for head in heads),
    ]
    for row in rows:
        ratios = ("over DP", "floor", "over DP without P1", "floor without P1")
        cells = [f"{row[stage]:.2g}" for stage in THRESHOLD_STAGES]
        cells += [f"{row[name]:.3f}" for name in (*ratios, "PIO over DP (published)")]
        name = f"{row['data set']} {row['network']}"
        lines.append(f"  {name:18}" + "".join(f"{cell:>12}" for cell in cells))
    return "\n".join(lines)
