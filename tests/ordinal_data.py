"""Features with ordered labels, as the tests of estimators and scorers share them."""

import numpy as np


def ordinal_data(n=200, *, n_classes=None, n_features=3, seed=0):
    """Labels of a linear score with logistic noise: three, or so many of equal frequency."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features))
    latent = X @ [1.0, -0.5, 0.2][:n_features] + rng.logistic(size=n)
    cuts = [-1.0, 1.0]
    if n_classes is not None:
        cuts = np.quantile(latent, np.linspace(0, 1, n_classes + 1)[1:-1])
    return X, np.searchsorted(cuts, latent)
