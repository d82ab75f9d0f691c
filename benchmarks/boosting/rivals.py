"""Other packages for boosted ordinal trees, each in an environment of its own.

Rivals have 100 rounds, a learning rate of 0.1 and trees of depth 4 or 15 leaves (OGBoost its
default, depth 3), since most of them have no outputs by round that could be tuned. So do our trees
here, with the same rounds, rate and 15 leaves. Rivals' labels are the most probable class, or the
class of least expected cost (squared cost for the kappa), by their probabilities.
"""

import subprocess
import time
from argparse import Namespace
from pathlib import Path

import lightgbm
import numpy as np

from benchmarks.boosting.judge import least_expected_cost, log_loss, most_probable, split
from benchmarks.boosting.speed import make_problem
from benchmarks.generalisation.datasets import Data
from benchmarks.generalisation.judge import OBJECTIVES, risk
from ordcut.boosting import CumulativeLink
from ordcut.estimators import OrdinalThresholdClassifierCV

SCRIPT = Path(__file__).with_name("rival.py")
ROUNDS = 100


def run_rival(
    python: str, name: str, X: np.ndarray, y: np.ndarray, new: np.ndarray, folder: Path
) -> tuple[np.ndarray, float] | str:
    """Return probabilities and seconds, or the last line of the error."""
    folder.mkdir(parents=True, exist_ok=True)
    source, target = folder / "rival-input.npz", folder / "rival-output.npz"
    np.savez(source, X=X, y=y, new=new)
    command = [python, str(SCRIPT), name, str(ROUNDS), str(source), str(target)]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False)
    if outcome.returncode:
        return (outcome.stderr.strip().splitlines() or ["no message"])[-1]
    with np.load(target) as stored:
        return stored["probabilities"], float(stored["seconds"])


def our_trees() -> lightgbm.LGBMRegressor:
    return lightgbm.LGBMRegressor(
        objective=CumulativeLink(), n_estimators=ROUNDS, learning_rate=0.1, num_leaves=15,
        n_jobs=1, verbose=-1, random_state=0,
    )  # fmt: skip


def judge_ours(data: Data, seed: int) -> list[dict]:
    """Return the risks of our estimator."""
    train, test = split(data, seed)
    X, y, k = data.features, data.labels, data.n_classes
    model = OrdinalThresholdClassifierCV(our_trees(), cv=3, classes=range(k), probabilities=True)
    rows = []
    for objective in OBJECTIVES:
        predicted = model.set_params(objective=objective).fit(X[train], y[train]).predict(X[test])
        rows.append(_row(data, "ordcut", objective, seed, risk(y[test], predicted, objective, k)))
    loss = log_loss(model.predict_proba(X[test]), y[test])
    return [*rows, _row(data, "ordcut", "log_loss", seed, loss)]


def judge_rival(
    data: Data, seed: int, name: str, python: str, folder: Path
) -> tuple[list[dict], str]:
    """Return the risks of a rival, and the error if it did not run."""
    train, test = split(data, seed)
    X, y, k = data.features, data.labels, data.n_classes
    outcome = run_rival(python, name, X[train], y[train], X[test], folder)
    if isinstance(outcome, str):
        return [], outcome
    probabilities, _ = outcome
    if probabilities.shape[1] < k or not np.isfinite(probabilities).all():
        return [], "probabilities are not finite, or classes are missing"
    rows = [
        _row(data, f"{name}, {way}", objective, seed,
             risk(y[test], label(probabilities, objective), objective, k))
        for way, label in (("most probable", most_probable), ("least cost", least_expected_cost))
        for objective in OBJECTIVES
    ]  # fmt: skip
    rows.append(_row(data, name, "log_loss", seed, log_loss(probabilities, y[test])))
    return rows, ""


def _row(data: Data, method: str, objective: str, seed: int, value: float) -> dict:
    return {
        "dataset": data.name, "rows": len(data.labels), "classes": data.n_classes,
        "library": "all", "method": method, "objective": objective, "split": seed,
        "risk": round(value, 6),
    }  # fmt: skip


def times(pythons: dict[str, str], n: int, folder: Path) -> list[dict]:
    """Return the seconds of a fit of 100 rounds of each package, and over ours, run in turns."""
    X, y = make_problem(n)
    CumulativeLink()(y, np.zeros(n))  # compiles the kernels
    rows = []
    for name, python in pythons.items():
        start = time.perf_counter()
        our_trees().fit(X, y)
        ours = time.perf_counter() - start
        outcome = run_rival(python, name, X, y, X[:10], folder)
        seconds = float("nan") if isinstance(outcome, str) else outcome[1]
        rows.append(
            {"package": name, "n": n, "rounds": ROUNDS, "seconds": round(seconds, 2),
             "ordcut": round(ours, 2), "over ordcut": round(seconds / ours, 1)}
        )  # fmt: skip
    return rows


def read_pythons(arguments: Namespace) -> dict[str, str]:
    """Return the interpreter of each rival, from arguments such as ``OGBoost=path/to/python``."""
    return dict(each.split("=", 1) for each in arguments.rival)
