"""How many rows are accepted automatically, if a share of the accepted ones must be right.

Scores are chances of the higher class, correct ones. From the same labelled rows, each rule finds
the lowest threshold above which it promises a precision for new rows: ordcut's `precision 1 >= p`
with a confidence, `BinaryClassificationController` of MAPIE with the precision as its risk, by two
of its methods for many tests, and the rule of BARGAIN (bargain 0.1.3: 20 thresholds at equal
numbers of rows, tested from the top by its betting bound until one fails, at the full risk each).
BARGAIN chooses the rows that it has labelled, which is not part of this comparison.

`accepted` is the share of the population above the threshold, 0 where nothing is promised, and
`broken` the share of data sets whose threshold has a precision below p on the population: at most
`allowed`, apart from chance. The last line of a setting is the best that could be known: the lowest
threshold whose precision is p on the population.

`python -m benchmarks accepted` repeats the simulations.
"""

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy import optimize, stats

import ordcut
from benchmarks.promises import without_explanations

N_DATA, N_CANDIDATES, LARGEST_BET = 500, 20, 3 / 4

#: The precision, and the confidence.
PROMISES = [(0.9, 0.9), (0.95, 0.95)]

Rule = Callable[[np.ndarray, np.ndarray, float, float], float | None]


def run(quick: bool) -> Iterator[dict[str, Any]]:
    number = 0
    for share in (0.5, 0.2):
        for n in (100, 300, 1000, 5000):
            for precision, confidence in PROMISES:
                number += 1
                yield from compare(share, n, precision, confidence, number, 3 if quick else N_DATA)


def compare(
    share: float, n: int, precision: float, confidence: float, seed: int, n_data: int
) -> Iterator[dict[str, Any]]:
    setting = {
        "higher class": share,
        "n": n,
        "precision": precision,
        "allowed": round(1 - confidence, 12),
        "data sets": n_data,
    }
    for name, rule in RULES.items():
        accepted, broken, n_promised = [], 0, 0
        for data in range(n_data):
            scores, labels = draw(np.random.default_rng([seed, data]), n, share)
            threshold = rule(scores, labels, precision, confidence)
            n_promised += threshold is not None
            part, right = (0.0, 1.0) if threshold is None else on_population(threshold, share)
            accepted.append(part)
            broken += right < precision - 1e-12
        yield setting | {
            "rule": name,
            "promise": n_promised / n_data,
            "accepted": float(np.mean(accepted)),
            "broken": broken / n_data,
        }
    lowest = optimize.brentq(
        lambda chance: on_population(chance, share)[1] - precision, 1e-9, 1 - 1e-9
    )
    best = on_population(lowest, share)[0]
    yield setting | {"rule": "known population", "promise": None, "accepted": best, "broken": None}


def draw(rng: np.random.Generator, n: int, share: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the chances of the higher class, and the classes."""
    labels = (rng.random(n) < share).astype(int)
    scores = rng.normal(size=n) + 2 * labels
    return 1 / (1 + (1 / share - 1) * np.exp(2 - 2 * scores)), labels


def on_population(threshold: float, share: float) -> tuple[float, float]:
    """Return the share of rows with at least this chance, and the share of these that are right."""
    if not 0 < threshold < 1:
        return (1.0, share) if threshold <= 0 else (0.0, 1.0)
    at = 1 + np.log((1 / share - 1) * threshold / (1 - threshold)) / 2
    above = np.array([1 - share, share]) * stats.norm.sf(at - np.array([0, 2]))
    return float(above.sum()), float(above[1] / above.sum())


def by_ordcut(
    scores: np.ndarray, labels: np.ndarray, precision: float, confidence: float
) -> float | None:
    try:
        with without_explanations():
            result = ordcut.optimal_thresholds(
                scores,
                labels,
                classes=[0, 1],
                objective=[[1, 1], [0, 0]],  # accept as many rows as the limit allows
                constraints=[ordcut.Precision(1, at_least=precision, confidence=confidence)],
            )
    except ordcut.InfeasibleConstraintsError:
        return None
    return float(result.thresholds[0])


def by_mapie(
    scores: np.ndarray, labels: np.ndarray, precision: float, confidence: float, *, method: str
) -> float | None:
    from mapie.risk_control import BinaryClassificationController

    controller = BinaryClassificationController(
        lambda rows: np.column_stack([1 - rows[:, 0], rows[:, 0]]),
        "precision",
        precision,
        confidence,
        best_predict_param_choice="recall",
        fwer_method=method,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that no threshold controls the risk
        controller.calibrate(scores[:, None], labels)
    best = controller.best_predict_param
    return None if best is None else float(best)


def by_bargain(
    scores: np.ndarray, labels: np.ndarray, precision: float, confidence: float
) -> float | None:
    order = np.argsort(-scores)
    in_turn = np.random.default_rng(len(scores)).permutation(len(scores))
    step, lowest = max(len(scores) // N_CANDIDATES, 1), None
    for rank in range(step - 1, len(scores), step):
        right = labels[order][in_turn[in_turn <= rank]]
        if not is_above(right, precision, 1 - confidence):
            break
        lowest = float(scores[order][rank])
    return lowest


def is_above(right: np.ndarray, precision: float, risk: float) -> bool:
    """Return whether bets on a mean above the precision win at any time, as BARGAIN places them."""
    i = np.arange(1, len(right) + 1)
    before = np.concatenate([[0], np.cumsum(right)[:-1]])  # right rows of the i - 1 before
    mean = (0.5 + before) / i
    variance = (0.25 + before - 2 * mean * before + (i - 1) * mean**2) / i
    bets = np.sqrt(2 * np.log(2 / risk) / (i * np.log(i + 1) * variance))
    gains = 1 + np.minimum(bets, LARGEST_BET / precision) * (right - precision)
    return bool((np.cumprod(gains) >= 1 / risk).any())


RULES: dict[str, Rule] = {
    "ordcut": by_ordcut,
    "MAPIE, fixed_sequence": partial(by_mapie, method="fixed_sequence"),
    "MAPIE, bonferroni_holm": partial(by_mapie, method="bonferroni_holm"),
    "BARGAIN": by_bargain,
}
