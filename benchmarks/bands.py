"""Bands of an outcome: on rows not seen, against optbinning under the same limits, and their time.

`breast cancer` are the 30 measurements of scikit-learn's data set, each a score for malignant
tumours. Its rows are divided in halves five times: bands are found on a half, and `log loss` is the
mean on the other half, by the rates of the bands (to which a mean row is added). `over the best
number` is its excess over `bands, number chosen`, with the standard error of the mean over the 30
measurements. `information value` and `own log loss` are for the first half. Limits are the same for
optbinning and ordcut: two to five bands of at least 5 % of the rows, with rates in order,
rising or falling.
`lower than optbinning` counts the halves on which ordcut has a lower information value, or a lower
likelihood where bands are for the likelihood. `no bands` is a logistic regression on the score as
it is, and on its splines.
`time` has the CPU time of a call on 10^6 normal scores with a tenth of events, over the time of
`np.sort` for the scores, in one thread.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from itertools import product
from time import process_time
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import ordcut

LIMIT, MOST = 0.05, 5

#: The figure that bands within limits are the best by: the information value, or the log loss.
JUDGED_BY = {"bands within limits": (0, 1), "bands within limits, by likelihood": (1, -1)}
N_DIVISIONS, N_TIMES = 5, 5

#: The constraints that are timed, and the numbers of bands.
TIMED = [((), 5), ((), 10), (("share >= 0.05",), 5), (("share >= 0.05",), 7)]


def run(quick: bool) -> Iterator[dict[str, Any]]:
    yield from _compare(2 if quick else 30, 1 if quick else N_DIVISIONS)
    yield from _time(20_000 if quick else 1_000_000, 1 if quick else N_TIMES)


def _compare(n_scores: int, n_divisions: int) -> Iterator[dict[str, Any]]:
    data = load_breast_cancer()
    outcome = (data.target == 0).astype(float)
    losses: dict[str, list[list[float]]] = {}
    own: dict[str, list[tuple[float, float]]] = {}
    numbers: dict[str, list[int]] = {}
    for scores in data.data.T[:n_scores]:
        each: dict[str, list[float]] = {}
        for division in range(n_divisions):
            rng = np.random.default_rng(division)
            known = np.zeros(len(scores), bool)
            known[rng.permutation(len(scores))[::2]] = True
            for name, cuts in methods(scores[known], outcome[known]).items():
                counts = _counts(scores[known], outcome[known], cuts)
                rates = (counts[1] + outcome[known].mean()) / (counts[0] + 1)
                new = rates[np.searchsorted(cuts, scores[~known], side="right")]
                each.setdefault(name, []).append(_log_loss(outcome[~known], new))
                own.setdefault(name, []).append(figures(*counts))
                numbers.setdefault(name, []).append(len(cuts) + 1)
            for name, model in MODELS.items():
                fitted = model().fit(scores[known, None], outcome[known])
                new = fitted.predict_proba(scores[~known, None])[:, 1]
                each.setdefault(name, []).append(_log_loss(outcome[~known], new))
        for name, values in each.items():
            losses.setdefault(name, []).append(values)
    best = np.array(losses["bands, number chosen"])
    for name, values in losses.items():
        excess = (np.array(values) - best).mean(axis=1)
        error = excess.std(ddof=1) / np.sqrt(len(excess))
        worse = None
        if name in JUDGED_BY and "optbinning" in own:
            figure, sign = JUDGED_BY[name]
            pairs = zip(own[name], own["optbinning"], strict=True)
            worse = sum(sign * (a[figure] - b[figure]) < -1e-9 for a, b in pairs)
        yield _row(
            "breast cancer", name, float(np.mean(numbers[name])) if name in numbers else None,
            log_loss=float(np.mean(values)), excess=float(excess.mean()), error=float(error),
            own=np.mean(own[name], axis=0) if name in own else (None, None), worse=worse,
        )  # fmt: skip


def methods(scores: Any, outcome: Any) -> dict[str, Any]:
    """Return the cuts of each method."""
    tree = DecisionTreeClassifier(
        max_leaf_nodes=MOST, min_samples_leaf=LIMIT, criterion="log_loss", random_state=0
    ).fit(scores[:, None], outcome)
    inner = tree.tree_.threshold[tree.tree_.feature >= 0]
    found = {
        "bands, number chosen": ordcut.optimal_bands(scores, outcome).thresholds,
        "bands within limits": within_limits(scores, outcome, "information_value"),
        "bands within limits, by likelihood": within_limits(scores, outcome, "log_loss"),
        "five quantiles": np.unique(np.quantile(scores, np.linspace(0, 1, MOST + 1)[1:-1])),
        "tree of five leaves": np.nextafter(np.unique(inner), np.inf),  # which takes <= to the left
    }
    if find_spec("optbinning"):
        found["optbinning"] = rival(scores, outcome)
    return found


def within_limits(scores: Any, outcome: Any, objective: str) -> Any:
    """Return the best thresholds within the limits."""
    every = []
    for rates, number in product(("rising", "falling"), range(2, MOST + 1)):
        with suppress(ValueError):  # of limits that this number of bands cannot keep
            every.append(
                ordcut.optimal_bands(
                    scores, outcome, n_bands=number, objective=objective, rates=rates,
                    constraints=[f"share >= {LIMIT}"],
                )
            )  # fmt: skip
    sign = -1 if objective == "log_loss" else 1
    return max(every, key=lambda bands: sign * bands.value).thresholds


def rival(scores: Any, outcome: Any) -> Any:
    """Return the splits of optbinning within the limits."""
    from optbinning import OptimalBinning

    binning = OptimalBinning(
        max_n_bins=MOST, min_bin_size=LIMIT, monotonic_trend="auto_asc_desc", time_limit=60
    )
    return binning.fit(scores, outcome.astype(int)).splits


MODELS: dict[str, Callable[[], Any]] = {
    "no bands: straight line": lambda: make_pipeline(StandardScaler(), LogisticRegression()),
    "no bands: splines": lambda: make_pipeline(
        SplineTransformer(n_knots=4, extrapolation="linear"), LogisticRegression()
    ),
}


def _counts(scores: Any, outcome: Any, cuts: Any) -> tuple[Any, Any]:
    """Return the rows and the events of each band."""
    bands = np.searchsorted(cuts, scores, side="right")
    return np.bincount(bands, minlength=len(cuts) + 1), np.bincount(
        bands, outcome, minlength=len(cuts) + 1
    )


def figures(rows: Any, events: Any) -> tuple[float, float]:
    """Return the information value, of bands that have both outcomes, and the log loss."""
    others = rows - events
    own, rest = events / events.sum(), others / others.sum()
    both = (events > 0) & (others > 0)
    value = ((own - rest)[both] * np.log(own[both] / rest[both])).sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = events * np.log(events / rows), others * np.log(others / rows)
    return float(value), float(-np.nansum(parts) / rows.sum())


def _log_loss(outcome: Any, rates: Any) -> float:
    return float(-np.log(np.where(outcome > 0, rates, 1 - rates)).mean())


def _time(n: int, n_times: int) -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=n)
    outcome = rng.random(n) < 1 / (1 + np.exp(2.6 - scores))
    for constraints, number in TIMED:
        call = partial(
            ordcut.optimal_bands, scores, outcome, n_bands=number, constraints=constraints
        )
        ratio = _least(call, n_times) / _least(partial(np.sort, scores), n_times)
        method = call().proof.verified
        name = f"{' '.join(constraints) or 'no limits'}: {method}"
        yield _row(f"time, {n} rows", name, float(number), over_sort=ratio)


def _least(call: Callable[[], Any], n_times: int) -> float:
    """Return the least CPU time of some calls."""
    call()
    times = []
    for _ in range(n_times):
        start = process_time()
        call()
        times.append(process_time() - start)
    return min(times)


def _row(
    problem: str, method: str, number: float | None, *, log_loss: float | None = None,
    excess: float | None = None, error: float | None = None, own: Any = (None, None),
    worse: int | None = None, over_sort: float | None = None,
) -> dict[str, Any]:  # fmt: skip
    value, likelihood = (None if each is None else float(each) for each in own)
    return {
        "problem": problem,
        "method": method,
        "bands": number,
        "log loss": log_loss,
        "over the best number": excess,
        "standard error": error,
        "information value": value,
        "own log loss": likelihood,
        "lower than optbinning": worse,
        "over sort": over_sort,
    }
