"""The settings of a run, as written to its folder."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

#: The data set that is generated.
SYNTHETIC = "synthetic"

#: Networks by name; the paper has the last two, the first is for machines without a GPU.
NETWORKS = ("resnet10", "resnet18", "resnet34")

#: Losses by name: the likelihood of ordinal logistic regression, which is the paper's; and those
#: of the earlier study (Yamasaki 2023), the absolute deviation and margins to the immediate (it)
#: or all (at) thresholds, with free or ordered biases.
LOSSES = (
    "olr",
    "absolute",
    "hinge-it-free",
    "hinge-it-ordered",
    "hinge-at-ordered",
    "logistic-it-free",
    "logistic-it-ordered",
    "logistic-at-ordered",
)

#: Which scores thresholds are found for: those of a pass over the training pictures with the
#: epoch's final network, as in the paper, or the outputs of the training itself.
SCORES = ("evaluation-pass", "training-pass")

#: What may differ when a run is resumed; anything else would make it another run.
MAY_CHANGE = ("epochs", "workers", "device")


@dataclass(frozen=True)
class Settings:
    """One run of the experiment; the defaults are the paper's, as far as it states them.

    Attributes
    ----------
    dataset : str
        ``"morph2"``, ``"cacd"``, ``"afad"`` or ``"synthetic"``.
    root, training_csv, validation_csv : str, optional
        The folder of the pictures, and lists of those in each part.
    split_by : {"picture", "subject"}
        What is sampled for validation.
    network, loss, objective, method, scores : str
        What is trained, by which loss; what thresholds are optimal for, how they are found and for
        which scores.
    time_also : tuple of str
        Other methods to time on the same scores.
    image_size, batch_size, epochs, seed : int
        The side that pictures are resized to, and the parameters of the training.
    n_images, n_classes : int
        The size of the synthetic data set.
    """

    dataset: str
    root: str | None = None
    training_csv: str | None = None
    validation_csv: str | None = None
    split_by: str = "picture"
    network: str = "resnet18"
    loss: str = "olr"
    objective: str = "absolute"
    method: str = "auto"
    time_also: tuple[str, ...] = ()
    scores: str = "evaluation-pass"
    image_size: int = 128
    batch_size: int = 256
    epochs: int = 100
    seed: int = 0
    n_images: int = 2000
    n_classes: int = 10
    skip_damaged: bool = False
    skip_unparsed: bool = False
    allow_empty: bool = False
    workers: int = 0
    device: str = "cpu"

    @property
    def crop(self) -> int:
        """The side of the square that the network sees: 120 of 128, as in the paper.

        Examples
        --------
        >>> Settings("morph2").crop, Settings("synthetic", image_size=32).crop
        (120, 30)
        """
        return self.image_size * 15 // 16

    def to_json(self) -> dict[str, Any]:
        """Return the settings as plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Settings:
        """Return the settings that ``to_json`` returned as plain values."""
        known = {field.name for field in fields(cls)}
        kept = {name: value for name, value in values.items() if name in known}
        return cls(**{**kept, "time_also": tuple(kept.get("time_also", ()))})

    def continued_with(self, given: dict[str, Any]) -> Settings:
        """Return the settings to resume a run with, given some that the user states again.

        Examples
        --------
        >>> Settings("afad", seed=1).continued_with({"epochs": 200, "seed": 1}).epochs
        200
        """
        for name, value in given.items():
            if name not in MAY_CHANGE and value != getattr(self, name):
                raise ValueError(
                    f"--{name.replace('_', '-')} must be {getattr(self, name)!r}, as in the run to "
                    f"resume, got {value!r}. Start another run in another --out."
                )
        return replace(self, **given)


def read_run(folder: Path) -> dict[str, Any]:
    """Return what a run wrote to ``run.json``: its settings, sizes and versions."""
    file = folder / "run.json"
    if not file.is_file():
        raise FileNotFoundError(
            f"{folder} must be the --out folder of a run; it has no file run.json."
        )
    described: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return described
