"""The literal algorithms agree with each other, in one process and, as in the paper, in several."""

import multiprocessing
import random
from concurrent.futures import ProcessPoolExecutor

import pytest

from experiments import literal

N_PROBLEMS = 60


@pytest.fixture(scope="module")
def executor():
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as processes:
        yield processes


def absolute(k, y):
    return abs(k - y)


def squared(k, y):
    return (k - y) ** 2


def draw_problem(seed):
    """Scores with many ties, labels from 1 to K, K, and a convex loss."""
    rng = random.Random(seed)
    n, n_classes = rng.randint(1, 30), rng.randint(2, 6)
    scores = [rng.randint(0, 8) / 4 for _ in range(n)]
    labels = [rng.randint(1, n_classes) for _ in range(n)]
    return scores, labels, n_classes, rng.choice([absolute, squared])


@pytest.mark.parametrize("in_processes", [False, True], ids=["one process", "two processes"])
def test_all_algorithms_find_the_same_thresholds(executor, in_processes):
    pool = executor if in_processes else None
    for seed in range(N_PROBLEMS // (4 if in_processes else 1)):
        scores, labels, n_classes, loss = draw_problem(seed)
        a, Y = literal.group(scores, labels)
        assert literal.group_with_dictionary(scores, labels) == (a, Y)
        M, c = literal.losses(Y, n_classes, loss), literal.candidates(a)
        expected = literal.dynamic_programme(M, c, n_classes)
        assert literal.independent_optimisation(M, c, n_classes) == expected
        if in_processes:
            for chunk in (1, 3):
                assert literal.parallel_losses(Y, n_classes, loss, pool, chunk) == M
                assert literal.parallel_optimisation(M, c, n_classes, pool, chunk) == expected
        for n_blocks in (1, 2, 3, 4, len(c)):
            blocks = literal.further_parallelised(M, c, n_classes, n_blocks, pool)
            assert blocks == expected


@pytest.mark.parametrize(("n_candidates", "n_blocks", "size"), [(10, 2, 5), (10, 3, 4), (3, 4, 1)])
def test_a_block_has_as_many_candidates_as_in_the_appendix(n_candidates, n_blocks, size):
    class Tasks(list):
        def map(self, function, *arguments):
            self.append((function.__name__, [len(first) for first in arguments[0]]))
            return map(function, *arguments)

    tasks, M = Tasks(), [None] + [[None, 0, 1, 2]] * (n_candidates - 1)
    literal.further_parallelised(M, [None, *range(n_candidates)], 3, n_blocks, tasks)
    (_, pieces), (_, blocks) = tasks
    sizes = [min(size, n_candidates - first) for first in range(0, n_candidates, size)]
    assert blocks == 2 * sizes  # a task for each of the K - 1 thresholds and each block
    assert [piece + 1 for piece in pieces] == blocks
