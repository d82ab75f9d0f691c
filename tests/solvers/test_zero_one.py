"""The solver for errors that all cost the same: the cuts of the dynamic programme, in O(n)."""

from itertools import combinations_with_replacement, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordcut
from ordcut._core.numerics.jit import running_kernels_as
from tests.strategies import problems


@given(problem=problems(weighted=False), truth=st.integers(0, 3))
def test_proposition_19_a_row_takes_its_weight_from_the_leads_below_it(problem, truth):
    truth = min(truth, problem.n_classes - 1)
    rows = sorted(zip(problem.scores.tolist(), problem.labels.tolist(), strict=True))
    labels = [label for _, label in rows]

    def most_right(some, least):
        """The most labels that ascend from a class on get right, by trying all of them."""
        every = range(least, problem.n_classes)
        return max(
            sum(a == b for a, b in zip(some, path, strict=True))
            for path in combinations_with_replacement(every, len(some))
        )

    classes = range(problem.n_classes)
    before = [most_right(labels, k) for k in classes] + [0]
    after = [most_right([truth, *labels], k) for k in classes] + [0]
    leads = [a - b for a, b in pairwise(before)]
    leads[truth] += 1
    below = [k for k in range(truth) if leads[k] > 0]
    if below:
        leads[below[-1]] -= 1
    assert [a - b for a, b in pairwise(after)] == leads


@pytest.mark.parametrize("mode", ["python", "compiled"])
@given(problem=problems(), data=st.data())
def test_cuts_are_the_lowest_of_the_dynamic_programme(mode, problem, data):
    n_classes = problem.n_classes
    factors = data.draw(st.lists(st.integers(0, 3), min_size=n_classes, max_size=n_classes))
    cost = (1 - np.eye(n_classes)) * factors
    with running_kernels_as(mode):
        both = [
            ordcut.optimal_thresholds(
                problem.scores,
                problem.labels,
                objective=cost,
                classes=range(n_classes),
                sample_weight=problem.weights,
                method=method,
            )
            for method in ("zero_one", "dp")
        ]
    assert both[0].thresholds.tolist() == both[1].thresholds.tolist()
    assert both[0].value == both[1].value


@pytest.mark.parametrize("n_classes", [8, 60, 300])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_many_rows_and_classes_give_the_same_cuts(n_classes, is_weighted):
    random = np.random.default_rng(n_classes)
    labels = random.integers(0, n_classes, 20_000)
    scores = np.round(labels + random.normal(size=20_000) * n_classes / 4, 1)
    options = {
        "objective": "zero_one",
        "classes": range(n_classes),
        "sample_weight": random.integers(1, 5, 20_000) if is_weighted else None,
    }
    result = ordcut.optimal_thresholds(scores, labels, **options)
    assert result.method == "zero_one"
    expected = ordcut.optimal_thresholds(scores, labels, method="dp", **options)
    assert result.thresholds.tolist() == expected.thresholds.tolist()
    assert result.value == expected.value


def test_other_costs_are_refused():
    with pytest.raises(ValueError, match=r'cost the same, such as "zero_one"'):
        ordcut.optimal_thresholds([1, 2, 3], [0, 1, 2], method="zero_one")
