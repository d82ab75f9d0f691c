"""How much the search for scores of segments compares, counted and not timed."""

import numpy as np
import pytest
from hypothesis import assume, given

import ordcut
from ordcut._core.data import Rows
from ordcut._core.numerics.jit import running_kernels_as
from ordcut._core.objectives import TERMS, SegmentTerms
from ordcut._core.solvers.recalls import recall_candidates
from ordcut._core.solvers.segment_sums import CandidateBounds, CutBounds, Sums
from tests.strategies import problems


def independent_rows(n, n_classes):
    """Scores that say nothing about the labels, and labels in which every class occurs."""
    random = np.random.default_rng(0)
    labels = random.permutation(np.arange(n) % n_classes)
    return random.normal(size=n), labels


@pytest.mark.parametrize("name", ["macro_f1", "weighted_f1"])
def test_pairs_of_ranges_are_few_where_labels_say_little(name):
    rows = Rows.read(*independent_rows(4000, 20)).sorted()
    cuts = np.append(0, np.flatnonzero(rows.ends) + 1)
    bounds = CutBounds(SegmentTerms(20, TERMS[name]), Sums.of(rows, 4000), cuts, cuts)
    with running_kernels_as("compiled"):
        bounds.near_best()
    assert bounds.n_pairs < 6_000_000  # of 300 million pairs of cuts


@pytest.mark.parametrize(("name", "most"), [("macro_f1", 60), ("geometric_recall", 3000)])
def test_few_terms_of_fractional_weights_are_computed_exactly(name, most, monkeypatch):
    scores, labels = independent_rows(3000, 10)
    weights = np.exp(8 * np.random.default_rng(1).normal(size=3000))
    n_terms = []
    term = SegmentTerms.term
    monkeypatch.setattr(
        SegmentTerms, "term", lambda self, *given: n_terms.append(1) or term(self, *given)
    )
    ordcut.optimal_thresholds(scores, labels, objective=name, sample_weight=weights)
    assert len(n_terms) <= most


@pytest.mark.parametrize("name", ["geometric_recall", "min_recall"])
def test_pairs_of_ranges_are_few_for_recalls_of_rare_classes(name):
    random = np.random.default_rng(0)
    share = random.random(4000)
    labels = np.minimum(20 * share**6, 19).astype(int)
    rows = Rows.read(share + 0.1 * random.normal(size=4000), labels).sorted()
    cuts = np.append(0, np.flatnonzero(rows.ends) + 1)
    terms, sums = SegmentTerms(20, TERMS[name]), Sums.of(rows, 4000)
    bounds = CandidateBounds(terms, sums, cuts, cuts, recall_candidates(rows))
    with running_kernels_as("compiled"):
        bounds.near_best()
    assert bounds.n_pairs < 1_000_000


@given(problem=problems())
def test_thresholds_for_recalls_are_above_their_lower_class_and_below_their_upper_class(problem):
    classes = range(problem.n_classes)
    rows = Rows.read(problem.scores, problem.labels, classes=classes, weights=problem.weights)
    rows = rows.sorted()
    candidates = recall_candidates(rows)
    assume(candidates is not None)
    parts = [set(part) for part in np.split(rows.codes, np.flatnonzero(rows.ends) + 1)[:-1]]
    for d, indices in enumerate(candidates):
        above = [[part & {d, d + 1} for part in parts[i:]] for i in range(len(parts))]
        expected = [
            i
            for i in range(1, len(parts))
            if d in parts[i - 1] and d + 1 in next(filter(None, above[i]), ())
        ]
        assert indices.tolist() == expected
