"""Rows that tests of uncertainty share, and what it means that two bootstraps are the same."""

import dataclasses
from dataclasses import dataclass

import numpy as np


def noisy(n=400, n_classes=4, seed=0, ties=False):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, n)
    scores = labels + rng.normal(scale=1.5, size=n)
    return (np.round(scores) if ties else scores), labels


def same(one, other):
    """Whether two bootstraps are the same to the last bit."""
    return (
        one.thresholds.tolist() == other.thresholds.tolist()
        and one.values.tolist() == other.values.tolist()
        and (one.optimism, one.label_change) == (other.optimism, other.label_change)
        and (one.size, one.n_rows) == (other.size, other.n_rows)
    )


def hand_made(result, thresholds, scores=(), size=100, n_rows=800.0):
    """A bootstrap with given thresholds, of rows with such scores."""
    thresholds = np.array(thresholds, float)
    return dataclasses.replace(
        result.bootstrap(n=2),
        thresholds=thresholds,
        plain_thresholds=thresholds,
        values=np.full(len(thresholds), 0.5),
        size=size,
        n_rows=n_rows,
        n_rows_near=np.array([n_rows]),
        scores=np.array(scores),
    )


@dataclass(frozen=True)
class Drawn:
    """The rows of a replicate, in ascending order."""

    scores: np.ndarray
    codes: np.ndarray


def draw_samples(scores, labels, boot, n, weights=None):
    """Draw the rows of the first replicates of a bootstrap, one by one, from its definition.

    The gaps between positions in the line of sorted rows, each as long as its weight, are
    exponential. Equal rows with weights that are no repeats count as one.
    """
    weights = np.ones(len(scores), int) if weights is None else np.asarray(weights)
    rows = sorted(zip(scores, labels, weights.tolist(), strict=True))
    if weights.dtype != np.int64:
        pairs = sorted({(score, label) for score, label, _ in rows})
        rows = [(*pair, sum(w for *own, w in rows if tuple(own) == pair)) for pair in pairs]
    heights = np.cumsum([weight for *_, weight in rows])
    samples = []
    for seed in np.random.SeedSequence(0).spawn(n):
        gaps = np.random.default_rng(seed).standard_exponential(boot.size + 1)
        positions = np.cumsum(gaps)[:-1] * (heights[-1] / np.cumsum(gaps)[-1])
        drawn = [rows[i] for i in np.searchsorted(heights, positions, side="right")]
        samples.append(Drawn(*(np.array(column) for column in list(zip(*drawn, strict=True))[:2])))
    return samples
