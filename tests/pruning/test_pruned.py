"""The pruned search finds what the other methods find, however coarse its cells are."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ordcut
from ordcut._core.data import Rows
from ordcut._core.numerics.exact import ExactCost
from ordcut._core.problem import Problem, Sample
from ordcut._core.pruning import ArraySource, PrunedRows
from ordcut._core.pruning.arrays import CountedRows
from ordcut._core.pruning.cells import Cells, with_common
from ordcut._core.pruning.prefixes import prefixes_like
from ordcut._core.solve import optimum
from tests.hard_rows import HARD, LABELS, NOISE, RNG, N
from tests.small_sizes import set_sizes
from tests.strategies import cost_matrices
from tests.tables import KAPPAS, OBJECTIVES


@pytest.fixture
def few_cells(monkeypatch):
    """Lay out so few cells that many rows share one, and that splitting them pays."""
    set_sizes(monkeypatch, counters=64, least_cells=8)


@pytest.mark.parametrize("name", list(HARD))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", ["few cells", "many cells"])
def test_hard_data_give_the_same_as_the_dynamic_programme(name, dtype, size, request):
    if size == "few cells":
        request.getfixturevalue("few_cells")
    with np.errstate(over="ignore"):
        scores = np.nan_to_num(HARD[name].astype(dtype))
    table = ordcut.ScoreTable(scores, LABELS)
    for objective in OBJECTIVES:
        result = ordcut.optimal_thresholds(scores, LABELS, objective=objective, method="pruned")
        expected = table.solve(objective, "dp")
        assert result.thresholds.tolist() == expected.thresholds.tolist()
        assert result.value == expected.value
        assert result.ranges.tolist() == expected.ranges.tolist()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), n=st.integers(1, 300), seed=st.integers(0, 10**6))
def test_any_cost_and_any_whole_weights_give_the_same(few_cells, data, n, seed):
    rng = np.random.default_rng(seed)
    n_classes = data.draw(st.integers(2, 6))
    labels = rng.integers(0, n_classes, n)
    scores = np.round(labels + rng.normal(scale=2, size=n), data.draw(st.integers(0, 3)))
    weights = rng.integers(0, 4, n) if data.draw(st.booleans()) else None
    if weights is not None:
        weights[0] = 1
    cost = data.draw(cost_matrices(n_classes, convex=data.draw(st.booleans())))
    options = {"objective": cost, "classes": range(n_classes), "sample_weight": weights}
    result = ordcut.optimal_thresholds(scores, labels, method="pruned", n_jobs=2, **options)
    expected = ordcut.optimal_thresholds(scores, labels, method="dp", **options)
    assert result.thresholds.tolist() == expected.thresholds.tolist()
    assert result.value == expected.value
    assert result.ranges.tolist() == expected.ranges.tolist()


class AnyCells(ArraySource):
    """Rows in memory, counted by given cells."""

    def count(self):
        return CountedRows(self, self.given, *self.count_by(self.given))


def draw_cells(rng, scores):
    """Any ordered cells: of equal steps or of leading bits, with any common scores."""
    sample = np.sort(rng.normal(size=30) * 10.0 ** rng.integers(-9, 9))
    if rng.random() < 0.5:
        low, scale = rng.normal(), 10.0 ** rng.uniform(-2, 2)
        cells = Cells(np.float64(low), np.float64(scale), np.arange(rng.integers(1, 60)))
    else:
        sample = np.sort(np.append(sample, rng.choice(scores, 9)))
        prefixes = prefixes_like(sample, int(rng.integers(1, 99)))
        cells = Cells(np.float64(0), np.float64(0), np.arange(len(prefixes.widths)), prefixes)
    is_next = rng.random(len(cells.cell_of)) < rng.random()
    is_next[0] = False
    cells = replace(cells, cell_of=np.cumsum(is_next))
    return with_common(cells, rng.choice(scores, rng.integers(0, 5)))


@given(data=st.data(), n=st.integers(1, 200), seed=st.integers(0, 10**6))
def test_any_ordered_cells_give_the_same(data, n, seed):
    rng = np.random.default_rng(seed)
    n_classes = data.draw(st.integers(2, 5))
    labels = rng.integers(0, n_classes, n)
    scores = np.round(labels + rng.normal(scale=2, size=n), data.draw(st.integers(0, 3)))
    cost = data.draw(cost_matrices(n_classes, convex=data.draw(st.booleans())))
    rows = Rows.read(scores, labels, classes=range(n_classes))
    source = AnyCells(rows)
    object.__setattr__(source, "given", draw_cells(rng, scores))
    objective = ordcut.resolve_objective(cost, n_classes)
    result = optimum(Problem(Sample(rows, store=PrunedRows(source)), objective))
    expected = ordcut.optimal_thresholds(
        scores, labels, objective=cost, classes=range(n_classes), method="dp"
    )
    assert result.thresholds.tolist() == expected.thresholds.tolist()
    assert result.value == expected.value
    assert result.ranges.tolist() == expected.ranges.tolist()


@pytest.mark.parametrize(
    "kind", ["fractional weights", "soft labels", "soft labels with weights", "fractional costs"]
)
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_fractions_give_the_same_value(few_cells, kind, objective):
    scores = LABELS + 2 * NOISE
    labels, weights = LABELS, None
    if kind in ("fractional weights", "soft labels with weights"):
        weights = RNG.random(N)
    if kind.startswith("soft labels"):
        labels = np.eye(5)[LABELS] + RNG.random((N, 5))
    if kind == "fractional costs" and objective != "quadratic_kappa":
        objective = np.pi * ordcut.resolve_objective(objective, 5).cost
    options = {"objective": objective, "sample_weight": weights}
    result = ordcut.optimal_thresholds(scores, labels, method="pruned", **options)
    expected = ordcut.optimal_thresholds(scores, labels, method="auto", **options)
    assert result.value == pytest.approx(expected.value, rel=1e-13)
    assert result.value == ordcut.evaluate(
        labels, result.predict(scores), objective, classes=range(5), sample_weight=weights
    )


def test_auto_prunes_many_rows_and_gives_the_same():
    labels = np.tile(LABELS, 60)
    scores = (labels + 2 * np.random.default_rng(1).normal(size=len(labels))).astype(np.float32)
    result = ordcut.optimal_thresholds(scores, labels)
    assert result.method == "pruned"
    assert result.certificate == "convex objective (Theorem 2)"
    for method in ["nested", "dp"]:
        other = ordcut.optimal_thresholds(scores, labels, method=method)
        assert other.thresholds.tolist() == result.thresholds.tolist()
        assert other.value == result.value


def test_only_few_rows_are_sorted(monkeypatch):
    n = 200_000
    labels = np.arange(n) % 5
    scores = labels + np.random.default_rng(0).normal(size=n)
    fetched = []
    source = ArraySource(Rows.read(scores, labels))
    counted = type(source.count())
    fetch = counted.fetch
    monkeypatch.setattr(counted, "fetch", lambda *a: fetched.append(fetch(*a)) or fetched[-1])
    cost = ExactCost.of(ordcut.resolve_objective("absolute", 5).cost)
    left = PrunedRows(source).rows_for(cost)
    assert len(fetched) == 1
    assert fetched[0].n_rows < 0.2 * n
    assert len(left.codes) < fetched[0].n_rows


def test_common_scores_are_counted_instead_of_fetched():
    n = 50_000
    rows = Rows.read(np.where(np.arange(n) % 3 == 0, 2.0, 5.0), np.arange(n) % 4)
    counted = ArraySource(rows).count(64)
    result = counted.fetch(np.full(len(counted.counts), True))
    assert result.n_rows == 8
    assert result.weights.sum() == n


def test_half_precision_stays_half_precision():
    scores = np.repeat(np.arange(2000, dtype=np.float16), 30)
    labels = (scores > 700).astype(int)
    result = ordcut.optimal_thresholds(scores, labels, method="pruned")
    assert result.thresholds.tolist() == [700.5]
    assert result == ordcut.optimal_thresholds(scores, labels, method="pruned", n_jobs=2)


def test_a_sorted_table_refuses_to_prune():
    with pytest.raises(ValueError, match="this table has sorted them"):
        ordcut.ScoreTable([1, 2], [0, 1]).solve(method="pruned")


@given(
    scores=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=40),
    n_cells=st.integers(2, 50),
    is_last=st.booleans(),
)
def test_cells_and_their_parts_are_in_the_order_of_the_scores(scores, n_cells, is_last):
    rows = Rows.read(scores, np.arange(len(scores)) % 2, classes=[0, 1])
    counted = ArraySource(rows).count(n_cells)
    ordered = np.sort(scores)
    located = counted.at_or_after(ordered)
    assert (np.diff(located) >= 0).all()
    assert located.min() >= 0
    assert np.bincount(located, minlength=len(counted.counts)).tolist() == (
        counted.counts.sum(axis=1).tolist()
    )
    chosen = np.arange(len(counted.counts)) % 3 == located[0] % 3
    for single in np.flatnonzero(counted.is_single):
        chosen[single - 1 : single + 2] = chosen[single]
    fetched = counted.fetch(chosen)
    parts = counted.split(chosen, fetched, is_last=is_last)
    assert parts.located.tolist() == parts.locate(fetched.scores).tolist()
    assert not parts.is_run[parts.located].any()
    for part in np.flatnonzero(parts.is_single & ~parts.is_run):
        assert len(np.unique(fetched.scores[parts.located == part])) <= 1
    if not is_last:
        assert parts.is_single[parts.is_run].tolist() == counted.is_single[~chosen].tolist()
    assert (np.diff(parts.locate(ordered)) >= 0).all()


def test_the_rows_around_a_common_score_are_chosen_together():
    scores = np.round(np.random.default_rng(0).normal(size=20_000), 1)
    counted = ArraySource(Rows.read(scores, np.arange(20_000) % 2)).count(1000)
    singles = np.flatnonzero(counted.is_single)
    assert len(singles) > 20
    for seed in range(20):
        chosen = np.random.default_rng(seed).random(len(counted.counts)) < 0.3
        completed = counted.completed(chosen)
        assert completed[chosen].all()
        for single in singles:
            around = slice(single - 1, single + 2)
            assert completed[around].tolist() == [chosen[around].any()] * 3


def test_fractions_that_are_left_out_stay_fractions_where_those_kept_are_whole():
    scores = np.array([16.5, 23.8, -12.7, 9.2, 31.1, 1.9, 23.8])
    costs = [[1.8, 0.4], [1.1, 1], [2, 1], [5, 0.2], [0.7, 0], [2, 1], [0.7, 0.2]]
    result = ordcut.optimal_thresholds(scores, costs=costs, method="pruned")
    assert result.value == pytest.approx(np.mean([one for _, one in costs]))


@pytest.mark.parametrize("spread", [1e-6, 1.0, 1000.0])
def test_soft_labels_are_counted_at_any_spread_of_the_scores(few_cells, spread):
    scores = spread * (LABELS + 2 * NOISE) - 3 * spread
    soft = np.eye(5)[LABELS] * 2 + np.eye(5)[(LABELS + 1) % 5]
    result = ordcut.optimal_thresholds(scores, soft, method="pruned")
    assert result.thresholds.tolist() == (
        ordcut.optimal_thresholds(scores, soft, method="dp").thresholds.tolist()
    )
    source = ArraySource(Rows.read(scores, soft))
    counted = source.count(64)
    located = counted.cells.locate(scores)
    for cell in range(len(counted.counts)):
        np.testing.assert_allclose(counted.counts[cell], soft[located == cell].sum(axis=0))


@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("name", KAPPAS)
def test_a_kappa_that_says_its_steps_are_convex_has_only_convex_steps(name, n_classes):
    """Any ratio up to 1, whatever the shares of the classes."""
    objective = ordcut.resolve_objective(name, n_classes)
    random = np.random.default_rng(n_classes)
    are_convex = []
    for ratio in (0.0, 0.3, 1.0):
        share = random.dirichlet(np.ones(n_classes))
        cost = objective.cost - ratio * (objective.cost @ share)[:, None]
        are_convex.append(bool((np.diff(cost, 2, axis=0) >= -1e-12).all()))
    assert objective.has_convex_steps == all(are_convex)
