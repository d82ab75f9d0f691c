"""The paper's Table 1 and its appendix as published, and with the threshold times of this machine.

The networks of the paper ran on a GPU; everything after the scores runs on any CPU. So ``project``
takes the rows of the GPU as published, and replaces those that prepare and find thresholds by the
times of calls at the same n and K on this machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from experiments.stages import THRESHOLD_STAGES, Stopwatch, find_in_stages, warm_up
from experiments.typing import Array, Ints

#: The number of epochs that the minutes in the table are for.
EPOCHS = 100

#: The networks that were trained.
NETWORKS = ("resnet18", "resnet34")

#: The standard deviation of the noise in projected scores, in classes.
NOISE = 3.0


@dataclass(frozen=True)
class PublishedTimes:
    """One data set's column of Table 1: minutes for 100 epochs.

    ``training``, ``p1`` and ``validation`` are by network, on the GPU; the others are on the CPUs,
    and ``thresholds`` are by algorithm. ``blocks``, from the paper's appendix, are the minutes to
    find thresholds by Algorithm 4, by the number of blocks.

    Examples
    --------
    >>> PUBLISHED["morph2"].thresholds["pio"], PUBLISHED["morph2"].blocks[2]
    (18.45, 37.27)
    """

    title: str
    n_training: int
    n_classes: int
    training: dict[str, float]
    p1: dict[str, float]
    p2_p3: float
    p4_p5: float
    thresholds: dict[str, float]
    blocks: dict[int, float]
    validation: dict[str, float]

    def network_time(self, network: str, *, evaluation_pass: bool = True) -> float:
        """Return the minutes on the GPU: training, line P1 if it is run, and validation."""
        p1 = self.p1[network] if evaluation_pass else 0.0
        return self.training[network] + p1 + self.validation[network]

    def total(self, network: str, algorithm: str) -> float:
        """Return the minutes of all stages.

        Examples
        --------
        >>> morph2 = PUBLISHED["morph2"]
        >>> round(morph2.total("resnet18", "pio") / morph2.total("resnet18", "dp"), 2)
        0.59
        """
        prepared = self.p2_p3 + self.p4_p5
        return self.network_time(network) + prepared + self.thresholds[algorithm]


def _by_network(resnet18: float, resnet34: float) -> dict[str, float]:
    return {"resnet18": resnet18, "resnet34": resnet34}


#: Table 1, and the times of Algorithm 4 in Appendix A, by data set.
PUBLISHED = {
    "morph2": PublishedTimes(
        title="MORPH-2",
        n_training=49_512,
        n_classes=55,
        training=_by_network(32.00, 45.27),
        p1=_by_network(23.22, 21.33),
        p2_p3=1.05,
        p4_p5=9.66,
        thresholds={"dp": 81.04, "io": 87.71, "pio": 18.45},
        blocks={2: 37.27, 3: 52.07, 4: 67.08},
        validation=_by_network(5.20, 5.07),
    ),
    "cacd": PublishedTimes(
        title="CACD",
        n_training=143_462,
        n_classes=49,
        training=_by_network(86.59, 125.27),
        p1=_by_network(48.11, 50.61),
        p2_p3=3.61,
        p4_p5=13.60,
        thresholds={"dp": 186.60, "io": 224.09, "pio": 24.38},
        blocks={2: 40.38, 3: 51.98, 4: 64.95},
        validation=_by_network(8.40, 9.18),
    ),
    "afad": PublishedTimes(
        title="AFAD",
        n_training=147_976,
        n_classes=26,
        training=_by_network(83.46, 121.54),
        p1=_by_network(58.30, 59.46),
        p2_p3=3.63,
        p4_p5=9.94,
        thresholds={"dp": 130.35, "io": 123.55, "pio": 15.26},
        blocks={2: 23.33, 3: 28.92, 4: 35.43},
        validation=_by_network(9.68, 9.85),
    ),
}


def scores_like(paper: PublishedTimes, seed: int, share: float = 1.0) -> tuple[Array, Ints]:
    """Return float32 scores and labels of a data set's size, or a share of it.

    Classes in the middle are more common, like ages, and scores deviate from them by a few years.

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
    """Return the seconds of each stage from scores to thresholds, as medians over some calls.

    Every call has new scores, as every epoch has.
    """
    watches = []
    for seed in range(n_calls + 1):
        scores, labels = scores_like(paper, seed, share)
        if seed == 0:
            warm_up({method}, labels, paper.n_classes, "absolute")
        watch = Stopwatch()
        find_in_stages(scores, labels, paper.n_classes, "absolute", method, watch)
        watches.append(watch)
    return {  # the first call warms up
        stage: median(watch.seconds[stage] for watch in watches[1:]) for stage in THRESHOLD_STAGES
    }


def project(n_calls: int, method: str = "auto", share: float = 1.0) -> list[dict[str, Any]]:
    """Return one row per data set and network: total times relative to the published DP.

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
        "Minutes for 100 epochs from scores to thresholds, and the total time over that of the",
        "paper's DP. Measured here: single calls, whose median is extrapolated to 100 epochs.",
        "Not measured here: the GPU rows of all totals, which are the paper's as published. The",
        "floor is a ratio of published rows alone, as if thresholds took no time. No P1: with the",
        "scores of the training itself.",
        f"  {'':18}" + "".join(f"{head:>12}" for head in heads),
    ]
    for row in rows:
        ratios = ("over DP", "floor", "over DP without P1", "floor without P1")
        cells = [f"{row[stage]:.2g}" for stage in THRESHOLD_STAGES]
        cells += [f"{row[name]:.3f}" for name in (*ratios, "PIO over DP (published)")]
        name = f"{row['data set']} {row['network']}"
        lines.append(f"  {name:18}" + "".join(f"{cell:>12}" for cell in cells))
    return "\n".join(lines)
