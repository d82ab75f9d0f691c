"""The settings of a run, which are written to its folder."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, fields, replace
from math import inf
from pathlib import Path
from typing import Any

#: The data set that is generated.
SYNTHETIC = "synthetic"

#: Networks by name. The paper uses the last two; the first is for machines without a GPU.
NETWORKS = ("resnet10", "resnet18", "resnet34")

#: Losses by name. The paper's is ``olr``, the likelihood of ordinal logistic regression. The others
#: are from the earlier study (Yamasaki 2023): the absolute deviation, and margins to the immediate
#: (it) or all (at) thresholds, with free or ordered biases.
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

#: Objectives of the thresholds by name: losses, then kappas.
OBJECTIVES = ("absolute", "squared", "zero_one", "kappa", "linear_kappa", "quadratic_kappa")

#: The task losses that labelings are compared by, as in the earlier study.
TASKS = ("absolute", "squared", "zero_one")

#: The rules that turn scores into labels; ``measures.labels_of`` describes them.
LABELINGS = ("optimal", "biases", "mode", "likelihood", "rounding")

#: The labelings of the earlier study by loss: 20 combinations. Scores that estimate the class are
#: rounded; other scores can be, too, but the study does not do that.
STUDY_LABELINGS = {
    "olr": ("optimal", "biases", "likelihood"),
    "absolute": ("optimal", "rounding"),
    "hinge-it-free": ("optimal", "biases", "mode"),
    "hinge-it-ordered": ("optimal", "biases"),
    "hinge-at-ordered": ("optimal", "biases"),
    "logistic-it-free": ("optimal", "biases", "mode"),
    "logistic-it-ordered": ("optimal", "biases"),
    "logistic-at-ordered": ("optimal", "biases", "likelihood"),
}

#: The scores that thresholds are found for: those of a pass over the training pictures after the
#: epoch, as in the paper, or the outputs of the network during training.
SCORES = ("evaluation-pass", "training-pass")

#: The learning rate of the earlier study, to which the paper refers. The paper does not state one.
LEARNING_RATE = 10**-2.5

#: Schedules of the learning rate by name.
SCHEDULES = ("none", "cosine", "step")

#: The logs of the epochs: epochs.csv, which is always written, and event files of TensorBoard.
LOGS = ("csv", "tensorboard")

#: The kinds of devices for training in several processes.
ACCELERATORS = ("auto", "cpu", "cuda")

#: The files with the settings of a study, of the paper and of the study on tabular data, which
#: consist of several runs.
STUDY_FILE, PAPER_FILE, TABULAR_FILE = "study.json", "paper.json", "tabular.json"

#: Settings that can be changed when a run is resumed.
CHANGEABLE = ("epochs", "workers", "device", "accelerator", "log")


def count_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


#: Defaults of options for photographs, which are the paper's.
DEFAULTS: dict[str, Any] = {
    "network": "resnet18",
    "image_size": 128,
    "batch_size": 256,
    "epochs": 100,
    "workers": min(8, count_cores()),
}
#: Defaults for synthetic faces: a run of about a minute on a CPU.
SYNTHETIC_DEFAULTS: dict[str, Any] = {
    "network": "resnet10",
    "image_size": 32,
    "batch_size": 64,
    "epochs": 10,
    "workers": 0,
}


@dataclass(frozen=True)
class Settings:
    """The settings of a run, or of a study of several runs; the defaults are the paper's.

    Attributes
    ----------
    dataset : str
        ``"morph2"``, ``"cacd"``, ``"afad"`` or ``"synthetic"``.
    root, training_csv, validation_csv, test_csv : str, optional
        The folder of the pictures, and lists of those in each part.
    split_by : {"picture", "subject"}
        What is sampled for validation and test.
    test_share : float
        The share of the pictures in the test set; the paper has none.
    folds, fold : int
        The number of folds, and the fold that is the test set, counted from 1. With 0, each fold
        is the test set of one run.
    network, loss, objective, method, scores : str
        The network and its loss; the objective of the thresholds, the method that finds them, and
        the scores that they are found on.
    time_also : tuple of str
        Other methods to time on the same scores.
    image_size, batch_size, epochs, seed : int
        The side that pictures are resized to, and the parameters of the training.
    seeds : int
        The number of runs, with the seeds ``seed``, ``seed + 1``, ...
    lr, schedule, weight_decay, pretrained, amp
        The learning rate and how it changes, the weight decay, a file of parameters to start from,
        and whether the network computes in a 16-bit dtype.
    sample : int
        The number of photographs to draw at random from a data set; 0 for all.
    n_images, n_classes : int
        The size of the synthetic data set.
    log : {"csv", "tensorboard"}
        The logs of the epochs.
    device : str
        The device of a single process.
    devices, accelerator : int and str
        The number of processes that train together, and the kind of their devices.
    """

    dataset: str
    root: str | None = None
    training_csv: str | None = None
    validation_csv: str | None = None
    test_csv: str | None = None
    split_by: str = "picture"
    test_share: float = 0.0
    folds: int = 0
    fold: int = 0
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
    seeds: int = 1
    lr: float = LEARNING_RATE
    schedule: str = "none"
    weight_decay: float = 0.0
    pretrained: str | None = None
    amp: bool = False
    sample: int = 0
    n_images: int = 2000
    n_classes: int = 10
    skip_damaged: bool = False
    skip_unparsed: bool = False
    allow_empty: bool = False
    workers: int = 0
    log: str = "csv"
    device: str = "cpu"
    devices: int = 1
    accelerator: str = "auto"

    def __post_init__(self) -> None:
        """Raise an error for settings that are invalid or contradict each other."""
        for name, value, is_valid, what in (
            ("lr", self.lr, 0 < self.lr < inf, "above 0 and finite"),
            ("weight-decay", self.weight_decay, 0 <= self.weight_decay < inf, "0 or more, finite"),
            ("test-share", self.test_share, 0 <= self.test_share < 1, "from 0 to below 1"),
        ):
            if not is_valid:  # nan is not in any range
                raise ValueError(f"--{name} must be {what}, got {value}.")
        if self.dataset == SYNTHETIC and self.split_by == "subject":
            raise ValueError(
                "--split-by subject needs pictures of persons; synthetic faces are all of "
                "different ones. Leave it out."
            )
        if self.folds and self.test_share:
            raise ValueError(
                f"--folds makes each of {self.folds} parts the test set in turn, so --test-share "
                f"must be left out, got {self.test_share:g}."
            )
        is_listed = self.training_csv is not None
        if is_listed != (self.validation_csv is not None):
            raise ValueError("--training-csv and --validation-csv must be given together, got one.")
        if is_listed and (self.folds or self.test_share):
            raise ValueError(
                "--folds and --test-share choose pictures at random; with --training-csv, list "
                "the test set in --test-csv instead."
            )
        if self.test_csv is not None and not is_listed:
            raise ValueError("--test-csv needs --training-csv and --validation-csv, got none.")
        if not 0 <= self.fold <= self.folds or self.folds == 1:
            raise ValueError(
                "--folds must be 2 or more, and a fold one of them, counted from 1; got "
                f"{self.folds} folds and fold {self.fold}."
            )
        if self.devices > 1 and self.batch_size < 2 * self.devices:
            raise ValueError(
                f"--batch-size must be at least 2 for each of {self.devices} devices, got "
                f"{self.batch_size}."
            )

    @property
    def is_study(self) -> bool:
        """Whether these are the settings of several runs."""
        return self.seeds > 1 or (self.folds > 0 and self.fold == 0)

    @property
    def tasks(self) -> tuple[str, ...]:
        """The task losses that labelings are compared by: those of the study and the objective."""
        return tuple(dict.fromkeys((*TASKS, self.objective)))

    @property
    def has_test(self) -> bool:
        """Whether there is a test set."""
        return bool(self.folds or self.test_share or self.test_csv)

    def runs(self) -> dict[str, Settings]:
        """Return the settings of each run of a study, by the name of its folder.

        Examples
        --------
        >>> list(Settings("morph2", seeds=2).runs())
        ['seed-0', 'seed-1']
        >>> list(Settings("morph2", seed=5, folds=3).runs())
        ['seed-5-fold-1', 'seed-5-fold-2', 'seed-5-fold-3']
        """
        seeds = range(self.seed, self.seed + self.seeds)
        folds = range(1, self.folds + 1) if self.folds and not self.fold else [self.fold]
        return {
            f"seed-{seed}" + (f"-fold-{fold}" if fold else ""): replace(
                self, seed=seed, seeds=1, fold=fold
            )
            for seed in seeds
            for fold in folds
        }

    @property
    def crop(self) -> int:
        """The side of the crops of pictures: 120 for pictures of side 128, as in the paper.

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
        """Return the settings for the plain values of ``to_json``; unknown names are ignored."""
        names = {field.name for field in fields(cls)}
        known = {name: value for name, value in values.items() if name in names}
        return cls(**{**known, "time_also": tuple(known.get("time_also", ()))})

    def continued_with(self, given: dict[str, Any]) -> Settings:
        """Return the settings to resume a run with, if those that are given again are allowed.

        Examples
        --------
        >>> Settings("afad", seed=1).continued_with({"epochs": 200, "seed": 1}).epochs
        200
        """
        # The learning rates of a schedule depend on the number of epochs.
        fixed = {"epochs"} if self.schedule != "none" else set()
        for name, value in given.items():
            if name not in {*CHANGEABLE} - fixed and value != getattr(self, name):
                raise ValueError(
                    f"--{name.replace('_', '-')} must be {getattr(self, name)!r}, as in the run to "
                    f"resume, got {value!r}. Start another run in another --out."
                )
        return replace(self, **given)


def read_run(folder: Path, name: str = "run.json") -> dict[str, Any]:
    """Return the description of a run in its folder: its settings, sizes and versions."""
    file = folder / name
    if not file.is_file():
        raise FileNotFoundError(
            f"{folder} must be the --out folder of a run; it has no file {name}."
        )
    description: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return description
