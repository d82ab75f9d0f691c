"""Rows that tests of uncertainty share, and what it means that two bootstraps are the same."""

import dataclasses

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


def hand_made(found, thresholds, scores=(), size=100, n_rows=800.0):
    """A bootstrap with given thresholds, of rows with such scores."""
    thresholds = np.array(thresholds, float)
    return dataclasses.replace(
        found.bootstrap(n=2),
        thresholds=thresholds,
        plain_thresholds=thresholds,
        values=np.full(len(thresholds), 0.5),
        size=size,
        n_rows=n_rows,
        n_rows_near=np.array([n_rows]),
        scores=np.array(scores),
    )
