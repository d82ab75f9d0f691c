"""Fit a package for boosted ordinal trees, in an environment of its own.

``python rival.py name rounds input.npz output.npz`` reads X, y and new, and writes the class
probabilities of the new rows, and the CPU seconds of the fit. Needs nothing of ordcut.
"""

import sys
import time
import warnings

import numpy as np


def make(name: str, n_classes: int, rounds: int):
    """Return an estimator with the given rounds, a learning rate of 0.1 and one thread."""
    if name == "gbnet":
        from gbnet.models.ordinal_regression import GBOrd

        params = {"eta": 0.1, "max_depth": 4, "nthread": 1}
        return GBOrd(n_classes, rounds, params=params, module_type="XGBModule")
    if name == "OGBoost":
        from ogboost import GradientBoostingOrdinal

        return GradientBoostingOrdinal(n_estimators=rounds, learning_rate=0.1, random_state=0)
    if name == "XGBOrdinal":
        from xgbordinal import XGBOrdinal

        return XGBOrdinal(n_estimators=rounds, learning_rate=0.1, max_depth=4, n_jobs=1)
    raise ValueError(f"name must be that of a package, got {name!r}.")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    package, n_rounds, source, target = sys.argv[1:]
    with np.load(source) as stored:
        X, y, new = stored["X"], stored["y"], stored["new"]
    if package == "gbnet":  # which takes frames only
        import pandas as pd

        X, y, new = pd.DataFrame(X), pd.Series(y), pd.DataFrame(new)
    model = make(package, int(y.max()) + 1, int(n_rounds))
    start = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - start
    np.savez(target, probabilities=np.asarray(model.predict_proba(new)), seconds=seconds)
