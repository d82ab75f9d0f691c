"""Exact sums of fractional weights: the same whole numbers everywhere, the same thresholds."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordcut
from ordcut._core.data import Rows
from ordcut._core.numerics.exact import exact_totals
from ordcut._core.numerics.jit import running_kernels_as
from ordcut._core.numerics.limbs import Limbs, add_limbs
from ordcut._core.pruning import ArraySource, PrunedRows

#: So many weights that none of them is read as a plain fraction.
MANY = 6000

positive = st.floats(1e-100, 1e100) | st.floats(2.0**-30, 1.0)


def weights_of(kind, n, seed=0):
    """Random weights of a given kind."""
    random = np.random.default_rng(seed)
    uniform = random.random(n)
    return {
        "uniform": uniform,
        "normalised": uniform / uniform.sum(),
        "log-normal": np.exp(3 * random.normal(size=n)),
        "range of 2**30": 2.0 ** random.uniform(-30, 0, n),
        "range of 2**200": 2.0 ** random.uniform(-100, 100, n),
        "tiny": uniform * 2.0**-190,
        "huge": uniform * 2.0**170,
        "zeros": np.where(random.random(n) < 0.3, 0, uniform),
        "float32": uniform.astype(np.float32).astype(float),
    }[kind]


KINDS = [
    "uniform", "normalised", "log-normal", "range of 2**30", "range of 2**200", "tiny", "huge",
    "zeros", "float32",
]  # fmt: skip


@given(st.lists(positive, min_size=1, max_size=20))
def test_limbs_of_floats_add_up_to_the_sum_of_fractions(values):
    weights = np.array(values)
    limbs = Limbs.of(weights)
    assert limbs.n_limbs
    sums = limbs.split(weights).sum(axis=0)
    expected = sum(map(Fraction, values))
    assert limbs.exact(sums) == expected
    assert limbs.multiples(sums).item() * limbs.unit == expected
    assert float(limbs.rounded(sums)) == pytest.approx(float(expected), rel=4e-16)
    parts = limbs.as_weights(sums)
    assert (parts >= 0).all()
    assert sum(map(Fraction, parts.tolist())) == expected
    assert (limbs.split(parts).sum(axis=0) >= 0).all()
    assert limbs.exact(limbs.split(parts).sum(axis=0)) == expected


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.integers(0, 2**20))
def test_sums_of_limbs_fit_in_62_bits_whatever_the_weights(values, n):
    weights = np.array([*values, 1.0])
    limbs = Limbs.between(min(weights[weights > 0]), 1.0, len(weights) + n)
    assert int(limbs.split(weights).max(initial=0)) * (len(weights) + n) < 2**62


@pytest.mark.parametrize("mode", ["python", "compiled"])
@pytest.mark.parametrize("kind", KINDS)
def test_kernels_split_weights_as_arrays_do(kind, mode):
    weights = weights_of(kind, 300)
    keys, codes = np.arange(300) % 7, np.arange(300, dtype=np.uint16) % 2
    limbs = Limbs.of(weights)
    sums = np.zeros((7, 2, limbs.n_limbs), np.int64)
    with running_kernels_as(mode):
        add_limbs(keys, codes, weights, *limbs.factors, sums)
    expected = np.zeros_like(sums)
    np.add.at(expected, (keys, codes), limbs.split(weights))
    assert sums.tolist() == expected.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_exact_totals_of_many_weights_are_sums_of_fractions_in_any_order(kind):
    weights, keys = weights_of(kind, MANY), np.arange(MANY) % 3
    expected = [sum(map(Fraction, weights[keys == key].tolist())) for key in range(3)]
    order = np.random.default_rng(1).permutation(MANY)
    for rows in (slice(None), order):
        assert exact_totals(keys[rows], 3, weights[rows]).tolist() == expected


def scores_and_labels(n, seed=0):
    """Scores with ties and a common score, and three classes that follow them."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, 3, n)
    scores = np.round(labels + 0.8 * random.normal(size=n), 3)
    return np.where(random.random(n) < 0.2, 1.0, scores), labels


@pytest.mark.parametrize("kind", KINDS)
def test_pruned_rows_have_the_exact_weight_between_all_of_their_cuts(kind):
    scores, labels = scores_and_labels(MANY)
    rows = Rows.read(scores, labels, weights=weights_of(kind, MANY)).summable()
    assert rows.limbs.n_limbs
    store = PrunedRows(ArraySource(rows))
    objective = ordcut.resolve_objective("absolute", 3)
    left = store.rows_for(objective.exact_cost)
    assert len(left.codes) < rows.n_rows / 2
    assert store.searched_by == "pruned"
    cuts = np.flatnonzero(left.ends) + 1
    known = cuts[~np.isnan(left.scores[cuts - 1])][::40]
    table = store.exact_weights(left, known)
    values = np.nextafter(left.scores[known - 1], np.inf)
    ordered = rows.sorted()
    expected = ordered.exact_between(np.searchsorted(ordered.scores, values))
    assert table.tolist() == expected.tolist()
    naive = [Fraction(0)] * 3
    for score, code, weight in zip(rows.scores, rows.codes, rows.weights.tolist(), strict=True):
        if score < values[0]:
            naive[code] += Fraction(weight)
    assert table[0].tolist() == naive
    assert table.sum(axis=0).tolist() == store.exact_totals.tolist()


@pytest.mark.parametrize("objective", ["absolute", "zero_one", "quadratic_kappa", "macro_f1"])
@pytest.mark.parametrize("kind", KINDS)
def test_pruning_and_shuffling_change_no_thresholds(kind, objective):
    scores, labels = scores_and_labels(MANY, seed=3)
    weights = weights_of(kind, MANY, seed=3)
    order = np.random.default_rng(5).permutation(MANY)
    every = [
        ordcut.optimal_thresholds(
            scores[rows], labels[rows], objective=objective, sample_weight=weights[rows],
            method=method,
        )
        for rows in (slice(None), order)
        for method in ("auto", "pruned")
    ]  # fmt: skip
    assert [result.method == "pruned" for result in every] == [False, True] * 2
    for result in every[1:]:
        assert result.thresholds.tolist() == every[0].thresholds.tolist()
    assert every[1].value == every[0].value


@pytest.mark.parametrize(
    "options",
    [
        {"class_weight": "balanced"},
        {"constraints": ["under 1 <= 0.1"]},
        {"constraints": ["recall 1 >= 0.7"]},
        {"constraints": ["share 2 <= 0.2"], "objective": "macro_f1"},
    ],
    ids=str,
)
def test_options_on_top_of_fractional_weights_change_no_thresholds_by_pruning(options):
    scores, labels = scores_and_labels(MANY, seed=4)
    weights = weights_of("uniform", MANY, seed=4)
    dp, pruned = (
        ordcut.optimal_thresholds(scores, labels, sample_weight=weights, method=method, **options)
        for method in ("auto", "pruned")
    )
    assert pruned.thresholds.tolist() == dp.thresholds.tolist()
    assert pruned.value == dp.value


def test_soft_labels_with_weights_are_added_up_exactly_where_they_are_pruned():
    scores, labels = scores_and_labels(MANY, seed=6)
    random = np.random.default_rng(6)
    soft = np.eye(3)[labels] * 0.8 + random.dirichlet([0.1, 0.1, 0.1], MANY)
    for weights in (None, random.random(MANY)):
        for objective in ("absolute", "quadratic_kappa"):
            expected, pruned = (
                ordcut.optimal_thresholds(
                    scores, soft, classes=range(3), objective=objective, sample_weight=weights,
                    method=method,
                )
                for method in ("auto", "pruned")
            )  # fmt: skip
            assert pruned.thresholds.tolist() == expected.thresholds.tolist()
        rows = Rows.read(scores, soft, classes=range(3), weights=weights).summable()
        store = PrunedRows(ArraySource(rows))
        assert store.exact_totals.tolist() == rows.sorted().exact_totals.tolist()
