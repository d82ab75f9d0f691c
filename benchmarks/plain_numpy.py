"""The paper's algorithms as one would write them in NumPy, with (N, K) arrays.

Cut ``j`` lies just below distinct score ``j``; every function returns cuts, the lowest optimal
ones.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np


def sort_and_group(scores, labels):
    """P2, P3: return distinct scores, the first row of each, and the labels in sorted order."""
    order = np.argsort(scores)
    in_order = scores[order]
    starts = np.flatnonzero(np.concatenate(([True], in_order[1:] != in_order[:-1])))
    return in_order[starts], starts, labels[order]


def losses_and_candidates(distinct, starts, labels, cost):
    """P4, P5: return the cost of each label for each distinct score, (N, K), and the candidates."""
    losses = np.add.reduceat(cost.T[labels], starts, axis=0)
    middles = distinct[:-1] / 2 + distinct[1:] / 2
    return losses, np.concatenate(([-np.inf], middles, [np.inf]))


def risk_curves(losses):
    """IO2, IO3: return the N + 1 points of every threshold's risk curve, (N + 1, K - 1)."""
    curves = np.zeros((len(losses) + 1, losses.shape[1] - 1))
    np.cumsum(losses[:, :-1] - losses[:, 1:], axis=0, out=curves[1:])
    return curves


def dynamic_programme(losses):
    """Algorithm 2, threshold by threshold, since a loop over N rows would take a second.

    ``reached[k][j]`` is the least risk of thresholds 0..k when threshold k is at cut j.
    """
    reached = risk_curves(losses).T.copy()
    for k in range(1, len(reached)):
        reached[k] += np.minimum.accumulate(reached[k - 1])
    cuts, last = [], len(losses)
    for curve in reached[::-1]:
        last = np.argmin(curve[: last + 1])
        cuts.append(last)
    return np.array(cuts[::-1])


def independent(losses):
    """Algorithm 3."""
    return np.argmin(risk_curves(losses), axis=0)


def independent_in_threads(losses, n_threads):
    """Algorithm 3, with the thresholds distributed over threads."""
    n_cuts = losses.shape[1] - 1
    edges = np.linspace(0, n_cuts, min(n_threads, n_cuts) + 1).astype(int)
    pieces = [losses[:, low : high + 1] for low, high in pairwise(edges)]
    with ThreadPoolExecutor(n_threads) as pool:
        return np.concatenate(list(pool.map(independent, pieces)))


def in_blocks(losses, n_blocks, n_threads):
    """Algorithm 4: compute the curves of blocks of cuts, then add the ends of those before."""
    size = -(-(len(losses) + 1) // n_blocks)
    firsts = range(0, len(losses) + 1, size)
    with ThreadPoolExecutor(n_threads) as pool:
        curves = list(pool.map(lambda first: risk_curves(losses[first : first + size]), firsts))
    lift, best = np.zeros(losses.shape[1] - 1), []
    for first, curve in zip(firsts, curves, strict=True):
        # The last point of a curve is the first of the next block.
        block = curve[:size] + lift
        best.append((block.min(axis=0), first + block.argmin(axis=0)))
        lift = lift + curve[-1]
    least = np.array([values for values, _ in best])
    where = np.array([cuts for _, cuts in best])
    return where[least.argmin(axis=0), np.arange(where.shape[1])]
