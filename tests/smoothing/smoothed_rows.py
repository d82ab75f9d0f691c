"""The model behind smoothing, as the rows that smoothing by 1 leaves show it."""

from dataclasses import dataclass

import numpy as np

from ordcut._core.data import Rows
from ordcut._core.objectives.named import resolve_objective
from ordcut._core.smoothing import smooth

#: Of more distinct scores than this, neighbours share a cell.
MOST_CELLS = 512


@dataclass(frozen=True)
class Model:
    """The score of each cell, the weight of each cell, and the probability of each class there."""

    scores: np.ndarray
    weights: np.ndarray
    probabilities: np.ndarray


def noisy(n, n_classes, seed=0, digits=9):
    """Labels that follow the model: logistic noise around the score."""
    random = np.random.default_rng(seed)
    scores = random.normal(size=n).round(digits)
    edges = np.quantile(scores, np.linspace(0, 1, n_classes + 1)[1:-1])
    return scores, np.searchsorted(edges, scores + 0.4 * random.logistic(size=n))


def modelled(scores, labels, n_classes, weights=None):
    """Return the model of some rows, to about a millionth."""
    rows = Rows.read(scores, labels, classes=range(n_classes), weights=weights)
    blend = smooth(rows, resolve_objective("absolute", n_classes), 1).rows
    n_observed = rows.n_rows if rows.is_whole else len(rows.sorted().merged.codes)
    at, index = np.unique(blend.scores[n_observed:], return_inverse=True)
    table = np.zeros((len(at), n_classes))
    np.add.at(table, (index, blend.codes[n_observed:]), blend.weights[n_observed:])
    weights = table.sum(axis=1)
    return Model(at, weights, table / weights[:, None])


def counted(scores, labels, n_classes, weights=None):
    """Return the distinct scores, and the weight of each class there."""
    at, index = np.unique(scores, return_inverse=True)
    table = np.zeros((len(at), n_classes))
    np.add.at(table, (index, labels), 1 if weights is None else weights)
    return at, table


def standardised(scores, weights):
    """Return distinct scores from their median, in robust standard deviations of up to 4.

    Without a spread, or with one beyond floats, they are ranked.
    """
    shares = (np.cumsum(weights) - weights / 2) / np.sum(weights)
    with np.errstate(over="ignore", invalid="ignore"):
        low, middle, high = np.interp([0.25, 0.5, 0.75], shares, scores)
        spread = (high - low) / 1.349  # between the quartiles of a normal distribution
    if not 0 < spread < np.inf:
        return 8 * shares - 4
    return np.clip((scores - middle) / spread, -4, 4)
