"""The rows that people try things on: 200 ratings from 1 to 4, and their scores."""

import numpy as np

import ordcut

RNG = np.random.default_rng(0)
N = 200
Y = RNG.integers(1, 5, N)
S = Y + RNG.normal(scale=0.6, size=N)
ORDER = ["low", "mid", "high", "top"]
NAMES = np.array(ORDER)[Y - 1]


def best(labels=Y, scores=S, **options):
    return ordcut.optimal_thresholds(scores, labels, **options)
