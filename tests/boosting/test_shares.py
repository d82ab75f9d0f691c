"""The weights of the two models that OrdinalBoostingClassifier averages."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordcut.estimators import OrdinalBoostingClassifier
from ordcut.estimators.committee import best_share
from tests.boosting.boosted import make_rows

QUARTERS = st.integers(-8, 8).map(lambda value: value / 4)
ROWS = st.lists(st.tuples(QUARTERS, QUARTERS, st.integers(0, 3), st.integers(1, 3)), min_size=1)


def columns(rows):
    first, second, positions, weights = np.array(rows, dtype=float).T
    return np.stack([first, second], axis=1), positions, weights


@given(ROWS)
def test_no_other_share_has_a_smaller_squared_error(rows):
    scores, positions, weights = columns(rows)

    def error(share):
        return weights @ (scores @ [share, 1 - share] - positions) ** 2

    least = min(error(share) for share in np.linspace(0, 1, 101))
    assert error(best_share(scores, positions, weights)) <= least + 1e-9


@given(ROWS)
def test_a_weight_of_2_is_a_repeated_row(rows):
    scores, positions, weights = columns(rows)
    repeats = weights.astype(int)
    repeated = np.repeat(scores, repeats, axis=0), np.repeat(positions, repeats)
    share = best_share(*repeated, np.ones(repeats.sum()))
    assert best_share(scores, positions, weights) == pytest.approx(share)


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_probabilities_are_the_weighted_mean_of_both_models(library):
    X, y, weights = make_rows()
    model = OrdinalBoostingClassifier(library=library, n_estimators=10, cv=2)
    model.fit(X, y, sample_weight=weights)
    both = model.estimator_
    mean = both.share * both.ordered_.predict_proba(X)
    mean += (1 - both.share) * both.unordered_.predict_proba(X)
    assert 0 <= both.share <= 1
    np.testing.assert_allclose(model.predict_score(X), mean @ np.arange(4))


def test_trees_have_more_leaves_where_rows_are_many():
    X, y, _ = make_rows(n=5000)
    options = {"library": "lightgbm", "n_estimators": 2, "cv": 0.5}
    few = OrdinalBoostingClassifier(**options).fit(X[:400], y[:400])
    many = OrdinalBoostingClassifier(**options).fit(X, y)
    leaves = [model.estimator_.unordered_.num_leaves for model in (few, many)]
    assert leaves == [8, 31]
