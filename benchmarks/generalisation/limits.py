"""How far any thresholds could get on the scores of a linear model, estimated from fewer rows."""

from functools import partial

import numpy as np

import ordcut
from benchmarks.estimators.tables import markdown
from benchmarks.generalisation.judge import OBJECTIVES, Found, Split
from benchmarks.generalisation.summary import OURS, REFERENCE, Risks, logs_of, names_in

#: One row in so many; each is drawn so many times.
ONE_IN, N_DRAWS = (4, 2, 1), 8

#: The excess risk of plain optimal thresholds falls with this power of the number of rows.
RATE = -2 / 3


def with_fewer_rows(split: Split, kind: str, k: int) -> Found:
    """Plain optimal thresholds for a share of the training rows; the scores stay what they are."""
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
    """The risk with rows without end: the constant of a fit of c + d n^rate, by least squares."""
    terms = np.array([[1.0, n**-RATE] for n in ONE_IN])
    return {
        (*place, "limit"): float(
            np.linalg.lstsq(terms, [risks[(*place, share(n))] for n in ONE_IN], rcond=None)[0][0]
        )
        for place in dict.fromkeys(key[:2] for key in risks)
    }


def table_of_limits(risks: Risks, shapes: dict[str, tuple[int, int]]) -> str:
    """Risks relative to the paper's plain optimal thresholds, for each set and in the mean."""
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
