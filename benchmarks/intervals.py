"""The coverage of 95 % intervals for given thresholds, on independent rows and rows in groups.

Each row has a normal score that follows a normal trait, which decides its class (four, of 27, 38,
25 and 10 % of the rows). In groups, `correlation` is the share of the variance of the trait, and of
the rest of the score, that rows of a group have in common; groups differ in size. `coverage` is how
often 95 % intervals contain the value on two million other rows: of the figures of `result.report`
the mean over classes, with the lowest; of `ordcut.evaluate` with `intervals=True`; of the
difference between two sets of thresholds on the same rows; and of `bootstrap`, for thresholds found
on the rows, that of the best thresholds and of their value. `without groups` is the same for
intervals that ignore groups. Standard errors are 0.007 for 1000 data sets, and 0.013 for the
bootstrap (300 data sets, 100 replicates each).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

import ordcut

N_DATA, N_BOOTSTRAPS, N_REPLICATES, N_TRUTH = 1000, 300, 100, 2_000_000

#: The numbers of rows and groups, and the correlation of rows in a group.
DESIGNS = [(300, 0, 0.0), (300, 40, 0.3), (1000, 40, 0.3), (300, 40, 0.5)]

OURS = ordcut.Thresholds.from_values([-0.7, 0.5, 1.5], classes=range(4))
THEIRS = ordcut.Thresholds.from_values([-0.4, 0.3, 1.1], classes=range(4))
FIGURES = ["share", "recall", "precision", "f1"]
VALUES = ["accuracy", "absolute", "quadratic_kappa", "macro_f1"]


def draw(n: int, n_groups: int, shared: float, seed: list[int] | int) -> tuple[Any, Any, Any]:
    """Return scores, labels, and the group of each row; every group has a row."""
    rng = np.random.default_rng(seed)
    groups = np.append(np.arange(n_groups), rng.integers(0, max(n_groups, 1), n - n_groups))
    of_rows, of_groups = rng.normal(size=(2, n)), rng.normal(size=(2, max(n_groups, 1)))
    trait, noise = np.sqrt(1 - shared) * of_rows + np.sqrt(shared) * of_groups[:, groups]
    return trait + 0.6 * noise, np.digitize(trait, [-0.6, 0.4, 1.3]), groups


def run(quick: bool) -> Iterator[dict[str, Any]]:
    scores, labels, _ = draw(N_TRUTH // (50 if quick else 1), 0, 0.0, 0)
    best = ordcut.optimal_thresholds(scores, labels)
    figures = OURS.report(scores, labels, backend="polars")
    values = ordcut.evaluate(labels, OURS.predict(scores), VALUES)
    others = ordcut.evaluate(labels, THEIRS.predict(scores), VALUES)
    truth: dict[str, Any] = {name: figures[name].to_numpy() for name in FIGURES}
    truth |= {f"value, {name}": values[name] for name in VALUES}
    truth |= {f"difference, {name}": values[name] - others[name] for name in VALUES}
    for n, n_groups, shared in DESIGNS[:: 3 if quick else 1]:
        held: dict[str, dict[bool, list[Any]]] = {}
        for seed in range(5 if quick else N_DATA):
            rows = draw(n, n_groups, shared, [seed, n, n_groups])
            for is_grouped in {n_groups > 0, False}:
                ends = given_intervals(*rows, is_grouped)
                if seed < (3 if quick else N_BOOTSTRAPS):
                    ends |= found_intervals(*rows, is_grouped)
                    risk = np.abs(labels[:200_000] - ends.pop("found").predict(scores[:200_000]))
                    truth |= {"bootstrap, thresholds": best.thresholds}
                    truth |= {"bootstrap, value": risk.mean()}
                for name, (low, high) in ends.items():
                    is_in = (low <= truth[name]) & (truth[name] <= high)
                    held.setdefault(name, {}).setdefault(is_grouped, []).append(is_in)
        for name, inside in held.items():
            by_class = np.mean(inside[n_groups > 0], axis=0)
            yield {
                "rows": n,
                "groups": n_groups,
                "correlation": shared,
                "interval": name,
                "data sets": len(inside[False]),
                "coverage": float(np.mean(by_class)),
                "lowest": float(np.min(by_class)),
                "without groups": float(np.mean(inside[False])),
            }


def given_intervals(scores: Any, labels: Any, groups: Any, is_grouped: bool) -> dict[str, Any]:
    """Return the intervals of figures, values and differences for given thresholds."""
    options: dict[str, Any] = {"intervals": True, "groups": groups if is_grouped else None}
    frame = OURS.report(scores, labels, backend="polars", **options)
    ends: dict[str, Any] = {
        name: (frame[f"{name}_low"].to_numpy(), frame[f"{name}_high"].to_numpy())
        for name in FIGURES
    }
    options["classes"] = range(4)
    ours, theirs = (
        ordcut.evaluate(labels, each.predict(scores), VALUES, **options) for each in (OURS, THEIRS)
    )
    ends |= {f"value, {name}": ours[name].interval() for name in VALUES}
    return ends | {
        f"difference, {name}": ours[name].difference(theirs[name])[1:] for name in VALUES
    }


def found_intervals(scores: Any, labels: Any, groups: Any, is_grouped: bool) -> dict[str, Any]:
    """Return the intervals of the bootstrap for thresholds that are found on the rows."""
    result = ordcut.optimal_thresholds(scores, labels, classes=range(4))
    boot = result.bootstrap(N_REPLICATES, groups=groups if is_grouped else None)
    return {
        "found": result,
        "bootstrap, thresholds": boot.intervals().T,
        "bootstrap, value": boot.value_interval(),
    }
