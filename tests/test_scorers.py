import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ordcut
from ordcut._core.objectives.named import BALANCED
from ordcut._core.objectives.terms import TERMS
from ordcut.estimators import OrdinalLogisticRegression
from ordcut.scorers import ObjectiveScorer, get_scorer, get_scorer_names
from tests.ordinal_data import ordinal_data
from tests.tables import OBJECTIVES


def test_there_is_a_scorer_for_every_objective_with_a_name():
    assert {get_scorer(name).objective for name in get_scorer_names()} == {
        None,
        *OBJECTIVES,
        *BALANCED,
        *TERMS,
    }


@pytest.mark.parametrize("name", ["qwk", "ordcut_qwk", "QWK", "quadratic_kappa"])
def test_other_names_of_objectives_are_names_of_scorers(name):
    assert get_scorer(name).objective == "quadratic_kappa"
    assert get_scorer("ordcut_neg_mae").objective == "absolute"
    with pytest.raises(ValueError, match='Did you mean "ordcut_quadratic_kappa"'):
        get_scorer("ordcut_quadratic_kapa")


def test_an_estimator_is_scored_by_its_own_objective():
    X, y = ordinal_data()
    own = {"objective": "qwk", "class_weight": {0: 2.0}}
    model = OrdinalLogisticRegression(**own).fit(X, y)
    pipeline = make_pipeline(StandardScaler(), OrdinalLogisticRegression(**own)).fit(X, y)
    search = GridSearchCV(pipeline, {"ordinallogisticregression__alpha": [1]}, cv=2).fit(X, y)
    for estimator in (model, pipeline, search):
        expected = ordcut.evaluate(
            y, estimator.predict(X), "qwk", classes=model.classes_, class_weight={0: 2.0}
        )
        assert get_scorer("ordcut")(estimator, X, y) == ObjectiveScorer()(estimator, X, y)
        assert ObjectiveScorer()(estimator, X, y) == expected
    other = LogisticRegression().fit(X, y)
    assert ObjectiveScorer()(other, X, y) == -ordcut.evaluate(y, other.predict(X))


class Recited(DummyClassifier):
    """A classifier that predicts its only feature."""

    def predict(self, X):
        return X[:, 0]


@pytest.mark.parametrize("name", get_scorer_names())
def test_fewer_errors_score_higher_and_none_score_best(name):
    y = np.arange(30) % 3
    model, scorer = Recited().fit(y[:, None], y), get_scorer(name)
    wrong = [np.where(np.arange(30) < n, 0, y) for n in (0, 3, 20)]
    none, one, many = (scorer(model, predicted[:, None], y) for predicted in wrong)
    assert none == (0 if "neg" in name or name == "ordcut" else 1)
    assert none > one > many


@pytest.mark.parametrize("name", get_scorer_names())
def test_a_scorer_is_the_kappa_or_the_negative_loss_of_the_predictions(name):
    X, y = ordinal_data()
    model = LogisticRegression().fit(X, y)
    scorer = get_scorer(name)
    value = ordcut.evaluate(y, model.predict(X), scorer.objective or "absolute")
    assert scorer(model, X, y) == (-value if "neg" in name or name == "ordcut" else value)


def test_a_fold_without_some_class_is_judged_by_the_same_costs():
    constant = DummyClassifier(strategy="constant", constant=1)
    constant.fit(np.zeros((5, 1)), [1, 2, 3, 4, 5])
    # Among 1 and 5 alone the two would be neighbours.
    assert get_scorer("ordcut_neg_absolute")(constant, np.zeros((2, 1)), [1, 5]) == -2.0


def test_a_class_met_only_in_the_fold_counts():
    constant = DummyClassifier(strategy="constant", constant=1).fit(np.zeros((2, 1)), [1, 2])
    assert get_scorer("ordcut_neg_absolute")(constant, np.zeros((2, 1)), [1, 3]) == -1.0


def test_searches_and_cross_validation_take_scorers():
    X, y = ordinal_data()
    scorer = get_scorer("ordcut_neg_absolute")
    grid = {"labeling": ["optimal", "rounding"]}
    search = GridSearchCV(
        OrdinalLogisticRegression(objective="absolute"), grid, scoring=scorer, cv=3
    )
    assert -1 < search.fit(X, y).best_score_ < 0
    assert cross_val_score(LogisticRegression(), X, y, scoring=scorer, cv=3).shape == (3,)


def test_weights_reach_a_scorer_that_requests_them():
    X, y = ordinal_data()
    weights = np.arange(len(y)) % 3 + 0.5
    with sklearn.config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=False)
        asking = ObjectiveScorer("squared").set_score_request(sample_weight=True)
        result = cross_validate(
            model, X, y, scoring=asking, cv=3, params={"sample_weight": weights}
        )["test_score"]
    plain = cross_val_score(LogisticRegression(), X, y, scoring=ObjectiveScorer("squared"), cv=3)
    assert not np.allclose(result, plain)


def test_an_objective_of_your_own_makes_a_scorer():
    X, y = ordinal_data()
    model = LogisticRegression().fit(X, y)
    cost = [[0, 1, 4], [1, 0, 2], [9, 3, 0]]
    value = ordcut.evaluate(y, model.predict(X), cost)
    assert ObjectiveScorer(cost)(model, X, y) == -value
    kappa = ordcut.Kappa("absolute")
    assert ObjectiveScorer(kappa)(model, X, y) == ordcut.evaluate(y, model.predict(X), kappa)


def test_scorers_clone_and_pickle():
    scorer = ObjectiveScorer("squared", classes=[0, 1, 2])
    assert clone(scorer).get_params() == scorer.get_params()
    assert pickle.loads(pickle.dumps(scorer)).objective == "squared"


def test_an_unknown_name_is_answered_by_the_nearest():
    with pytest.raises(ValueError, match='Did you mean "ordcut_neg_absolute"'):
        get_scorer("neg_absolut")
    with pytest.raises(ValueError, match="name must be one of"):
        get_scorer("ordcut_neg_qwk")  # a kappa is not negated


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy"])
def test_accuracies_are_those_of_scikit_learn_and_higher_is_better(name):
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import get_scorer as plain_scorer

    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 90)
    features = (labels + rng.normal(size=90))[:, None]
    model = LogisticRegression().fit(features, labels)
    expected = plain_scorer(name)(model, features, labels)
    assert get_scorer(name)(model, features, labels) == pytest.approx(expected)
    assert ObjectiveScorer(name)(model, features, labels) == pytest.approx(expected)
