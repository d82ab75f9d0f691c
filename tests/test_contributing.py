"""What CONTRIBUTING.md says about adding to a table holds: a toy row of each table just works."""

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.special import expit, log_expit
from sklearn.linear_model import Ridge

import ordcut
from ordcut import objectives
from ordcut._core.data import Rows
from ordcut._core.objectives import Rule
from ordcut._core.problem import Problem, Sample
from ordcut._core.pruning import ArraySource, PrunedRows
from ordcut._core.solve import optimum
from ordcut._core.thresholds import Certificate
from ordcut.estimators import OrdinalLogisticRegression, OrdinalThresholdClassifierCV
from ordcut.estimators.links import LINKS, Link
from ordcut.limits import Constraint, Ratio
from ordcut.report import page_from_source
from ordcut.studies.labelings import LABELINGS, line_thresholds
from tests import naive
from tests.ordinal_data import ordinal_data

N_CLASSES = 3


def problems(n_problems=40, most_scores=7):
    """Scores 0..n-1 with several rows each, as arrays and as rows of naive.py."""
    random = np.random.default_rng(0)
    for _ in range(n_problems):
        n = int(random.integers(2, most_scores))
        scores = random.integers(0, n, 12)
        scores[:n] = np.arange(n)
        labels = random.integers(0, N_CLASSES, 12)
        labels[:N_CLASSES] = np.arange(N_CLASSES)
        weights = random.integers(1, 4, 12)
        yield n, scores, labels, weights


def rows_of(scores, labels, weights):
    return list(zip(scores.tolist(), labels.tolist(), weights.tolist(), strict=True))


def best_value(objective, **options):
    """Compare the optimum with the best of all ordered labelings, and return the results."""
    results = []
    for n, scores, labels, weights in problems():
        rows = rows_of(scores, labels, weights)
        tables = [
            np.array(naive.confusion_of(cuts, rows, N_CLASSES), dtype=float)
            for cuts in naive.every_labeling(n, N_CLASSES)
        ]
        resolved = ordcut.resolve_objective(objective, N_CLASSES)
        values = [resolved.value(table) for table in tables]
        best = max(values) if resolved.is_maximised else min(values)
        result = ordcut.optimal_thresholds(
            scores, labels, objective=objective, sample_weight=weights, **options
        )
        assert result.value == pytest.approx(best, abs=1e-12)
        results.append(result)
    return results


def too_high_is_worse(decided, true):
    return 3 * (decided - true).clip(0) + (true - decided).clip(0)


def test_an_additive_objective_is_a_row_in_costs(monkeypatch):
    monkeypatch.setitem(objectives.COSTS, "toy", too_high_is_worse)
    for method in ("auto", "dp", "io", "nested", "pruned"):
        assert {result.objective for result in best_value("toy", method=method)} == {"toy"}
    expected = too_high_is_worse(np.array([1, 0, 2]), np.array([0, 2, 2])).mean()
    assert ordcut.evaluate([0, 2, 2], [1, 0, 2], "toy") == expected


def test_a_kappa_is_a_row_in_kappas(monkeypatch):
    monkeypatch.setitem(objectives.COSTS, "toy", too_high_is_worse)
    monkeypatch.setitem(objectives.KAPPAS, "toy_kappa", "toy")
    best_value("toy_kappa")
    perfect = ordcut.optimal_thresholds([1, 2, 3], [0, 1, 2], objective="toy_kappa")
    assert perfect.value == 1


def mean_jaccard(table):
    totals = table.sum(axis=0) + table.sum(axis=1) - np.diag(table)
    return float(np.mean(np.diag(table) / np.where(totals > 0, totals, 1)))


def test_a_segment_score_is_a_row_in_terms(monkeypatch):
    monkeypatch.setitem(objectives.TERMS, "mean_jaccard", Rule(right=0, wrong=1))
    for n, scores, labels, weights in problems():
        rows = rows_of(scores, labels, weights)
        tables = (
            np.array(naive.confusion_of(cuts, rows, N_CLASSES), dtype=float)
            for cuts in naive.every_labeling(n, N_CLASSES)
        )
        result = ordcut.optimal_thresholds(
            scores, labels, objective="mean_jaccard", sample_weight=weights
        )
        assert result.value == pytest.approx(max(map(mean_jaccard, tables)), abs=1e-12)
    balanced = ordcut.optimal_thresholds(
        [1, 2, 3, 4], [0, 1, 0, 1], objective="mean_jaccard", class_weight="balanced"
    )
    assert balanced.thresholds.tolist() == [1.5]
    source = ArraySource(Rows.read([1.0, 2.0, 3.0], [0, 1, 1]))
    page = page_from_source(source, objective="mean_jaccard")
    assert '"right":0,"wrong":1,"joined":"sum"' in page


@dataclass(frozen=True)
class Extremes(Constraint):
    """A limit on the share of the rows of the lowest class that get the highest decision."""

    at_most: float

    def __str__(self):
        return f"extremes <= {self.at_most}"

    def lower(self, names):
        lowest = slice(0, 1)
        part = names.cells(decisions=slice(-1, None), classes=lowest)
        return Ratio(part, names.cells(classes=lowest), at_most=self.at_most)


@pytest.mark.parametrize("objective", ["absolute", "quadratic_kappa", "macro_f1"])
def test_a_constraint_is_a_class_with_lower(objective):
    resolved = ordcut.resolve_objective(objective, N_CLASSES)
    for n, scores, labels, weights in problems():
        rows = rows_of(scores, labels, weights)
        values = []
        for cuts in naive.every_labeling(n, N_CLASSES):
            table = naive.confusion_of(cuts, rows, N_CLASSES)
            lowest = sum(row[0] for row in table)
            if Fraction(table[-1][0], lowest) <= Fraction(1, 4):
                values.append(resolved.value(np.array(table, dtype=float)))
        best = max(values) if resolved.is_maximised else min(values)
        result = ordcut.optimal_thresholds(
            scores,
            labels,
            objective=objective,
            sample_weight=weights,
            constraints=[Extremes(at_most=0.25)],
        )
        assert result.value == pytest.approx(best, abs=1e-12)
        assert result.constraints[0].reached <= 0.25
        assert np.isfinite(result.constraints[0].cost)


def test_a_link_is_a_row_in_links(monkeypatch):
    steep = Link(
        lambda z: log_expit(2 * z),
        lambda z: log_expit(-2 * z),
        lambda z: np.log(2) + log_expit(2 * z) + log_expit(-2 * z),
        lambda z: 2 * (1 - 2 * expit(2 * z)),
        lambda p: (np.log(p) - np.log1p(-p)) / 2,
    )
    monkeypatch.setitem(LINKS, "steep", steep)
    X, y = ordinal_data()[:2]
    logit, steep = (
        OrdinalLogisticRegression(link=link, alpha=0).fit(X, y) for link in ("logit", "steep")
    )
    # The same model in other units: all that it predicts is equal.
    assert steep.coef_ * 2 == pytest.approx(logit.coef_, rel=1e-4)
    assert steep.predict(X).tolist() == logit.predict(X).tolist()


def test_a_labeling_is_a_row_in_labelings(monkeypatch):
    def by_line(problem):
        n_classes = len(problem.rows.classes)
        at = line_thresholds(problem.rows.scores, problem.rows.codes, problem.weights, n_classes)
        result = ordcut.Thresholds.from_values(at, problem.rows.classes)
        return replace(result, proof=Certificate("given", note="a line"))

    monkeypatch.setitem(LABELINGS, "line", by_line)
    X, y = ordinal_data()[:2]
    model = OrdinalThresholdClassifierCV(Ridge(), labeling="line").fit(X, y)
    assert model.labeler_.certificate == "none: a line"


class DelegatingSource:
    """An engine of one's own: it has nothing but the methods of the protocol."""

    def __init__(self, rows):
        own = ArraySource(rows)
        for name in ("classes", "dtype", "n_rows", "is_exact", "counts_rows", "unit"):
            setattr(self, name, getattr(own, name))
        self.count, self.all_rows, self.confusion = own.count, own.all_rows, own.confusion


@pytest.mark.parametrize(
    ("objective", "is_weighted"),
    list(product(["absolute", "zero_one", "quadratic_kappa", "macro_f1"], [False, True])),
)
def test_an_engine_is_a_class_that_follows_the_protocol(objective, is_weighted):
    random = np.random.default_rng(1)
    labels = random.integers(0, 4, 3000)
    scores = (labels + random.normal(size=3000)).round(2)
    weights = random.integers(1, 5, 3000) if is_weighted else None
    rows = Rows.read(scores, labels, weights=weights)
    resolved = ordcut.resolve_objective(objective, 4)
    sample = Sample(rows, PrunedRows(DelegatingSource(rows)))
    result = optimum(Problem(sample, resolved))
    expected = ordcut.optimal_thresholds(scores, labels, objective=objective, sample_weight=weights)
    assert result.thresholds.tolist() == expected.thresholds.tolist()
    assert result.value == expected.value
