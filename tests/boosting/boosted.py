"""Rows, and models of LightGBM and XGBoost, that several tests train."""

import lightgbm
import numpy as np
import xgboost

ROUNDS = 8
LIGHT = {"num_leaves": 7, "verbose": -1, "num_threads": 1, "metric": "None"}
XGB = {"max_depth": 3, "nthread": 1}


def make_rows(n=400, seed=0, n_classes=4):
    """Features, labels that rise with two of them, and weights of 1 to 3."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    latent = X[:, 0] + np.sin(2 * X[:, 1]) + 0.7 * rng.logistic(size=n)
    y = np.searchsorted(np.quantile(latent, np.arange(1, n_classes) / n_classes), latent)
    return X, y, rng.integers(1, 4, size=n).astype(float)


def lightgbm_regressor(objective, **params):
    return lightgbm.LGBMRegressor(
        objective=objective, **{"n_estimators": ROUNDS, **LIGHT, **params}
    )


def xgboost_regressor(objective, **params):
    return xgboost.XGBRegressor(objective=objective, **{"n_estimators": ROUNDS, **XGB, **params})


REGRESSORS = {"LightGBM": lightgbm_regressor, "XGBoost": xgboost_regressor}
LIBRARIES = list(REGRESSORS)
