"""Other packages for ordered classes: linear models, and boosted trees in their own environment.

Boosted rivals have 100 rounds, a learning rate of 0.1 and trees of depth 4 or 15 leaves (OGBoost
its default, depth 3). Linear models have standardised features. Labels are those that `predict`
returns, or the class of least expected cost under the probabilities.
"""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import lightgbm
import numpy as np
from sklearn.preprocessing import StandardScaler

from benchmarks.boosting.columns import least_expected_cost, row
from benchmarks.boosting.datasets import Data
from benchmarks.boosting.speed import make_problem
from benchmarks.boosting.summary import OBJECTIVES
from benchmarks.boosting.trees import Outputs, cached
from benchmarks.estimators.held_out import by_mord, by_skordinal
from ordcut.boosting import CumulativeLink

SCRIPT = Path(__file__).with_name("rival.py")
ROUNDS = 100
LINEAR = {
    "skordinal LogisticAT": by_skordinal("LogisticAT"),
    "mord LogisticAT": by_mord("LogisticAT"),
}


def run_rival(python: str, name: str, X: np.ndarray, y: np.ndarray, new: np.ndarray) -> Outputs:
    """Return the probabilities of new rows, and the seconds of the fit."""
    with TemporaryDirectory() as folder:
        source, target = Path(folder) / "input.npz", Path(folder) / "output.npz"
        np.savez(source, X=X, y=y, new=new)
        command = [python, str(SCRIPT), name, str(ROUNDS), str(source), str(target)]
        outcome = subprocess.run(command, capture_output=True, text=True, check=False)
        if outcome.returncode:
            last = (outcome.stderr.strip().splitlines() or ["no message"])[-1]
            raise RuntimeError(f"{name} did not run: {last}")
        with np.load(target) as stored:
            return {key: stored[key] for key in stored.files}


def judge_rivals(data: Data, seed: int, pythons: dict[str, str], cache: Path) -> Iterator[dict]:
    """Yield the risks of each rival on the test rows of a split; one that fails has no rows."""
    train, test = data.split(seed)
    X, y, k = data.features[train], data.labels[train], data.n_classes
    new, truth = data.features[test], data.labels[test]
    scaler = StandardScaler().fit(X)
    for name, predict in LINEAR.items():
        labels = predict(scaler.transform(X), y, scaler.transform(new), k)
        for objective in OBJECTIVES:
            yield row(data, "none", name, objective, seed, labels, truth)
    for name, python in pythons.items():
        file = cache / f"{data.name}-{name}-{seed}.npz"
        found = cached(file, lambda n=name, p=python: run_rival(p, n, X, y, new))["probabilities"]
        if found.shape[1] != k:
            continue
        for objective in OBJECTIVES:
            by_cost = least_expected_cost(found, objective, y)
            yield row(data, "none", name, objective, seed, found.argmax(axis=1), truth)
            yield row(data, "none", f"{name}, expected cost", objective, seed, by_cost, truth)


def times(pythons: dict[str, str], n: int) -> Iterator[dict]:
    """Yield the CPU seconds of a fit of 100 rounds of each package, and over ours."""
    X, y = make_problem(n)
    trees = lightgbm.LGBMRegressor(
        objective=CumulativeLink(), n_estimators=ROUNDS, num_leaves=15, n_jobs=1, verbose=-1
    )
    trees.fit(X[:1000], y[:1000])  # compiles the kernels
    for name, python in pythons.items():
        start = time.process_time()
        trees.fit(X, y)
        ours = time.process_time() - start
        seconds = float(run_rival(python, name, X, y, X[:10])["seconds"])
        yield {
            "package": name, "n": n, "rounds": ROUNDS, "seconds": round(seconds, 2),
            "ordcut": round(ours, 2), "over ordcut": round(seconds / ours, 1),
        }  # fmt: skip
