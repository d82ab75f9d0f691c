"""The times in the paper's Table 1 and its appendix, as published and measured on this machine.

The networks of the paper ran on a GPU; finding thresholds for scores runs on any CPU. So
``project`` takes the GPU times as published, and replaces the times to find thresholds by those of
calls at the same n and K on this machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from experiments.stages import THRESHOLD_STAGES, Stopwatch, Task, find_in_stages, warm_up
from experiments.typing import Array, Ints

#: The number of epochs of the times in the table, which are in minutes.
EPOCHS = 100

#: The networks of the paper.
NETWORKS = ("resnet18", "resnet34")

#: The standard deviation of the noise in projected scores, in classes.
NOISE = 3.0


@dataclass(frozen=True)
class PublishedTimes:
    """The column of a data set in Table 1: minutes for 100 epochs.

    ``training``, ``p1`` and ``validation`` are times on the GPU, by network. The others are times
    on CPUs: ``thresholds`` by algorithm, and ``blocks``, from the paper's appendix, for Algorithm 4
    by the number of blocks.

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
        """Return the minutes on the GPU: training, validation and, optionally, line P1."""
        p1 = self.p1[network] if evaluation_pass else 0.0
        return self.training[network] + p1 + self.validation[network]

    def minutes(self, stage: str, of: str) -> float | None:
        """Return the minutes of a stage for a network or a method, or None if there are none.

        Examples
        --------
        >>> PUBLISHED["cacd"].minutes("thresholds", "literal-blocks-3")
        51.98
        """
        if stage == "thresholds":
            blocks = {f"literal-blocks-{n}": minutes for n, minutes in self.blocks.items()}
            names = {"literal": "dp", "literal-io": "io", "literal-pio": "pio"}
            own = {name: self.thresholds[algorithm] for name, algorithm in names.items()}
            return {**own, **blocks}.get(of)
        by_stage: dict[str, dict[str, float]] = {
            "training": self.training,
            "p1": self.p1,
            "p2_p3": {"loops": self.p2_p3},
            "p4_p5": {"loops": self.p4_p5},
            "validation": self.validation,
        }
        return by_stage.get(stage, {}).get(of)

    def total(self, network: str, algorithm: str) -> float:
        """Return the minutes of all stages.

        Examples
        --------
        >>> morph2 = PUBLISHED["morph2"]
        >>> round(morph2.total("resnet18", "pio") / morph2.total("resnet18", "dp"), 2)
        0.59
        """
        preparation = self.p2_p3 + self.p4_p5
        return self.network_time(network) + preparation + self.thresholds[algorithm]


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
    """Return random scores and labels, as many as a data set has, or a share of them.

    As for ages, classes in the middle are more common, and scores deviate by a few years.

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
    """Return the median seconds of each stage from scores to thresholds, over several calls.

    Every call has new scores, as every epoch has.
    """
    watches = [Stopwatch() for _ in range(n_calls)]
    for seed, watch in enumerate(watches):
        scores, labels = scores_like(paper, seed, share)
        if seed == 0:
            warm_up([method], labels, paper.n_classes, "absolute")
        find_in_stages(Task(scores, labels, paper.n_classes, "absolute"), method, watch)
    return {stage: median(watch.seconds[stage] for watch in watches) for stage in THRESHOLD_STAGES}


def project(n_calls: int, method: str = "auto", share: float = 1.0) -> list[dict[str, Any]]:
    """Return one row per data set and network, with total times relative to the published DP.

    ``floor`` is the ratio if finding thresholds took no time at all.
    """
    rows = []
    for paper in PUBLISHED.values():
        seconds = time_calls(paper, method, n_calls, share)
        minutes = {stage: value * EPOCHS / 60 for stage, value in seconds.items()}
        measured = sum(minutes.values())
        for network in NETWORKS:
            dp = paper.total(network, "dp")
            with_p1 = paper.network_time(network)
            without_p1 = paper.network_time(network, evaluation_pass=False)
            dp_without_p1 = dp - paper.p1[network]
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
                    "share of epoch": measured / (with_p1 + measured),
                    "IO over DP (published)": paper.total(network, "io") / dp,
                    "PIO over DP (published)": paper.total(network, "pio") / dp,
                    "over DP": (with_p1 + measured) / dp,
                    "floor": with_p1 / dp,
                    "over DP without P1": (without_p1 + measured) / dp_without_p1,
                    "floor without P1": without_p1 / dp_without_p1,
                }
            )
    return rows


def describe_projection(rows: list[dict[str, Any]]) -> str:
    """Return the projection as text."""
    heads = ["p2_p3", "p4_p5", "thresholds", "over DP", "floor", "no P1", "floor", "paper's PIO"]
    lines = [
        "Minutes for 100 epochs from scores to thresholds, and the total time over that of the",
        "paper's DP. Measured here: single calls, whose median is extrapolated to 100 epochs.",
        "Not measured here: the GPU times in all totals, which are those that the paper published.",
        "The floor is a ratio of published times alone, as if finding thresholds took no time.",
        "No P1: with the scores of the training itself, for the DP as well.",
        f"  {'':18}" + "".join(f"{head:>12}" for head in heads),
    ]
    for row in rows:
        ratios = ("over DP", "floor", "over DP without P1", "floor without P1")
        cells = [f"{row[stage]:.2g}" for stage in THRESHOLD_STAGES]
        cells += [f"{row[name]:.3f}" for name in (*ratios, "PIO over DP (published)")]
        name = f"{row['data set']} {row['network']}"
        lines.append(f"  {name:18}" + "".join(f"{cell:>12}" for cell in cells))
    return "\n".join(lines)
