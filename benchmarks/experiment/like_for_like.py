"""The paper's algorithms, each compared with a DP of its own kind: loops, or ordcut.

Seconds of a call from scores to thresholds at the sizes of the paper's data sets, absolute loss:
medians of calls on new scores. The literal methods are Python loops over lists, PIO with a task for
each threshold and Algorithm 4 for each threshold and block, in one process per core; the others are
ordcut's. `over DP` is the time of the optimisation over that of the DP of the same kind, next to
the paper's ratio. `total over DP` is the ratio of the paper's Table 1, such as t_PIO / t_DP: the
total of all stages for ResNet18, with the published GPU times of the network.
"""

from collections.abc import Iterator
from typing import Any

from experiments.published import EPOCHS, PUBLISHED, PublishedTimes, time_calls

#: The methods of each kind, by the names in the paper; "blocks" is Algorithm 4 with two blocks.
KINDS = {
    "loops": {
        "dp": "literal",
        "io": "literal-io",
        "pio": "literal-pio",
        "blocks": "literal-blocks-2",
    },
    "ordcut": {"dp": "dp", "io": "io", "pio": "pio", "blocks": "blocks-2"},
}
N_CALLS = {"loops": 3, "ordcut": 15}
NETWORK = "resnet18"


def run(quick: bool) -> Iterator[dict[str, Any]]:
    for paper in PUBLISHED.values():
        for kind, methods in KINDS.items():
            n_calls, share = (1, 0.01) if quick else (N_CALLS[kind], 1.0)
            times = {name: time_calls(paper, m, n_calls, share) for name, m in methods.items()}
            for name, seconds in times.items():
                dp = times["dp"]
                minutes = {**paper.thresholds, "blocks": paper.blocks[2]}
                network = paper.network_time(NETWORK) + paper.p2_p3 + paper.p4_p5
                yield {
                    "data set": paper.title,
                    "n": paper.n_training,
                    "K": paper.n_classes,
                    "method": methods[name],
                    **seconds,
                    "over DP": seconds["thresholds"] / dp["thresholds"],
                    "over DP (published)": minutes[name] / minutes["dp"],
                    "total over DP": total(paper, seconds) / total(paper, dp),
                    "total over DP (published)": (network + minutes[name])
                    / (network + minutes["dp"]),
                }


def total(paper: PublishedTimes, seconds: dict[str, float]) -> float:
    """Return the minutes of 100 epochs: those of the network as published, and those of calls."""
    return paper.network_time(NETWORK) + sum(seconds.values()) * EPOCHS / 60
