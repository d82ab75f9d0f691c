"""Random scores with ordered labels that they predict with some noise."""

import numpy as np


def ratings(n=400, n_classes=4, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n)
    labels = np.digitize(scores + 0.5 * rng.logistic(size=n), np.linspace(-1, 1, n_classes - 1))
    return scores, labels
