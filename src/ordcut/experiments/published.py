"""The paper's Table 1 as published: minutes for 100 epochs, on its GPU and CPUs."""

from __future__ import annotations

from dataclasses import dataclass

#: The epochs that the minutes are for.
EPOCHS = 100

#: The networks that were trained.
NETWORKS = ("resnet18", "resnet34")


@dataclass(frozen=True)
class PublishedTimes:
    """One data set's column of Table 1.

    ``training``, ``p1`` and ``validation`` are by network, on the GPU; the rest are on the CPUs,
    and ``thresholds`` are by algorithm.
    """

    title: str
    n_training: int
    n_classes: int
    training: dict[str, float]
    p1: dict[str, float]
    p2_p3: float
    p4_p5: float
    thresholds: dict[str, float]
    validation: dict[str, float]

    def network_time(self, network: str, *, evaluation_pass: bool = True) -> float:
        """Return the minutes of what the GPU does: training, line P1 if it is run, validation."""
        p1 = self.p1[network] if evaluation_pass else 0.0
        return self.training[network] + p1 + self.validation[network]

    def total(self, network: str, algorithm: str) -> float:
        """Return the minutes of the whole process.

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


#: Table 1 by data set.
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
        validation=_by_network(9.68, 9.85),
    ),
}
