"""Cuts at which labelings that may be optimal change decision."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordcut._core.data import Rows
from ordcut._core.numerics.exact import ExactCost
from ordcut._core.numerics.jit import running_kernels_as
from ordcut._core.solvers.near_paths import near_optimal_cuts
from tests.small_sizes import set_sizes
from tests.solvers.ordered_cuts import optima_of, whole
from tests.strategies import cost_matrices, problems


@pytest.mark.parametrize("mode", ["python", "compiled"])
@given(problem=problems(), data=st.data())
def test_they_are_the_cuts_of_all_optima_whatever_the_size_of_blocks(mode, problem, data):
    cost = data.draw(cost_matrices(problem.n_classes))
    rows = Rows.read(
        problem.scores, problem.labels, classes=problem.classes, weights=problem.weights
    ).sorted()
    with pytest.MonkeyPatch.context() as patch, running_kernels_as(mode):
        set_sizes(patch, labelled_rows=data.draw(st.sampled_from([1, 2, 3, 100])))
        near = near_optimal_cuts(rows, ExactCost.of(np.asarray(cost, float)), len(rows.codes))
    first_rows = np.append(0, np.flatnonzero(rows.ends) + 1)
    optima = optima_of(problem, whole(cost))
    assert near.tolist() == first_rows[sorted({cut for cuts in optima for cut in cuts})].tolist()
