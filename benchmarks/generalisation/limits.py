"""The least risk that any thresholds could reach on linear scores, estimated from fewer rows."""

from functools import partial

import numpy as np

import ordcut
from benchmarks.estimators.tables import markdown
from benchmarks.generalisation.judge import OBJECTIVES, Found, Split
from benchmarks.generalisation.summary import OURS, REFERENCE, Risks, logs_of, names_in

#: Shares of the rows, one row in each number, and how many times each share is drawn.
ONE_IN, N_DRAWS = (4, 2, 1), 8

#: The excess risk of plain optimal thresholds falls with this power of the number of rows.
RATE = -2 / 3


def with_fewer_rows(split: Split, kind: str, k: int) -> Found:
    """Yield plain optimal thresholds for shares of the training rows, with unchanged scores."""
    del kind
    scores, y = split["left_out"], split["y_train"]
    random = np.random.default_rng(0)
    some = {n: [random.permutation(len(y))[: len(y) // n] for _ in range(N_DRAWS)] for n in ONE_IN}
    some[1] = some[1][:1]
    for objective in OBJECTIVES:
        find = partial(ordcut.optimal_thresholds, objective=objective, classes=np.arange(k))
        yield objective, REFERENCE, find(split["train"], y).thresholds
        yield objective, OURS, find(scores, y, smoothing="auto").thresholds
        for n, draws in some.items():
            for rows in draws:
                yield objective, share(n), find(scores[rows], y[rows]).thresholds


def share(n: int) -> str:
    return "all rows" if n == 1 else f"1/{n} of the rows"


def limits_of(risks: Risks) -> Risks:
    """Return the risk in the limit of many rows: c in a least-squares fit of c + d n^rate."""
    terms = np.array([[1.0, n**-RATE] for n in ONE_IN])
    return {
        (*key, "limit"): float(
            np.linalg.lstsq(terms, [risks[(*key, share(n))] for n in ONE_IN], rcond=None)[0][0]
        )
        for key in dict.fromkeys(key[:2] for key in risks)
    }


def table_of_limits(risks: Risks, shapes: dict[str, tuple[int, int]]) -> str:
    """Return risks relative to the paper's plain optimal thresholds, by data set and on average."""
    risks = risks | limits_of(risks)
    names = names_in(risks)
    ways = [*(share(n) for n in ONE_IN), OURS, "limit"]
    logs = {way: logs_of(risks, way, REFERENCE).mean(axis=1) for way in ways}
    table = [
        {"data set": name, "n": shapes[name][0], "K": shapes[name][1]}
        | {way: f"{np.exp(logs[way][i]):.3f}" for way in ways}
        for i, name in enumerate(names)
    ]
    mean = {way: f"**{np.exp(logs[way].mean()):.4f}**" for way in ways}
    return markdown([*table, {"data set": "**all**", "n": "", "K": ""} | mean])
