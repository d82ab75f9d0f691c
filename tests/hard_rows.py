"""Rows that are hard for cells: what the tests of pruning and of frames share."""

import numpy as np

N = 6000
RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, 5, N)
NOISE = RNG.normal(size=N)

HARD = {
    "normal": LABELS + 2 * NOISE,
    "constant": np.full(N, 3.25),
    "two values": np.where(NOISE > 0, 7.0, -1.0),
    "heavy ties": np.round(LABELS + 2 * NOISE),
    "one value and a tail": np.where(NOISE > 0, 0.5, NOISE),
    "two values that are neighbours": np.where(NOISE > 0, 1.0, np.nextafter(1.0, 2.0)),
    "cauchy": LABELS + RNG.standard_cauchy(N),
    "log-normal": np.exp(LABELS + 4 * NOISE),
    "negative log-normal": -np.exp(4 * NOISE - LABELS),
    "sharp probabilities": 1 / (1 + np.exp(-4 * (LABELS - 2 + 2 * NOISE))),
    "very sharp probabilities": 1 / (1 + np.exp(-12 * (LABELS - 1 + 2 * NOISE))),
    "one in a hundred moved far": LABELS + 2 * NOISE + 1e6 * (np.arange(N) % 100 == 7),
    "spikes with jitter": np.round(LABELS + 2 * NOISE) + 1e-9 * np.roll(NOISE, 1),
    "independent of the labels": NOISE,
    "sorted": np.sort(NOISE),
    "reversed": np.sort(NOISE)[::-1],
    "one huge outlier": np.append(NOISE[1:], 1e300),
    "outliers on both ends": np.concatenate([NOISE[2:], [-1.7e308, 1.7e308]]),
    "a tiny range at a large offset": 1e9 + 1e-6 * (LABELS + NOISE),
    "denormals": 5e-324 * RNG.integers(0, 50, N),
    "three values": np.repeat([-1e300, 0.0, 1e300], N // 3),
}
