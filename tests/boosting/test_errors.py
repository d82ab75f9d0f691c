"""What CumulativeLink refuses, and what it says."""

import lightgbm
import numpy as np
import pytest
import xgboost

from ordcut.boosting import CumulativeLink, ThresholdMetric, rows

#: Rows are few here, and nothing depends on when training stops.
pytestmark = pytest.mark.filterwarnings("ignore:ThresholdMetric needs at least")


def call(labels, scores=None, weights=None, **params):
    scores = np.zeros(len(labels)) if scores is None else scores
    return CumulativeLink(**params)(np.asarray(labels), np.asarray(scores), weights)


@pytest.mark.parametrize(
    ("labels", "got"),
    [([0, 1, 0.5], "0.5 at position 2"), ([0, -1, 1], "-1.0 at position 1"),
     ([np.nan, 1, 0], "nan at position 0"), ([0, 1, 1e6], "1000000.0 at position 2")],
)  # fmt: skip
def test_labels_that_are_no_positions_are_named(labels, got):
    with pytest.raises(ValueError, match=r"must be the positions 0, 1, 2, \.\.\..*" + got):
        call(labels)


def test_a_label_beyond_n_classes_is_named():
    with pytest.raises(ValueError, match=r"at most 2, got 3\.0 at position 1"):
        call([0, 3, 1], n_classes=3)


def test_text_is_refused():
    with pytest.raises(ValueError, match="OrdinalThresholdClassifierCV"):
        call(["low", "high"])


@pytest.mark.parametrize("labels", [[0, 0, 0], [2, 2, 2]])
def test_one_class_is_refused(labels):
    with pytest.raises(ValueError, match=f"at least two classes.*only the class {labels[0]}"):
        call(labels)


def test_a_score_that_is_not_finite_is_named():
    with pytest.raises(ValueError, match="raw scores must be finite, got nan at position 1"):
        call([0, 1, 1], [0.0, np.nan, 1.0])


@pytest.mark.parametrize("position", [1, 1500, 3999])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_first_bad_row_of_many_is_named(position, n_jobs, monkeypatch):
    monkeypatch.setattr(rows, "ROWS_PER_PIECE", 1200)
    labels, scores = np.arange(4000) % 3, np.zeros(4000)
    scores[position:] = np.inf
    with pytest.raises(ValueError, match=f"must be finite, got inf at position {position}"):
        call(labels, scores, n_jobs=n_jobs)
    labels[position] = 7
    with pytest.raises(ValueError, match=f"at most 2, got 7.0 at position {position}"):
        call(labels, scores, n_classes=3, n_jobs=n_jobs)


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
def test_a_weight_that_is_negative_or_not_finite_is_refused(weight):
    with pytest.raises(ValueError, match="finite number that is not negative"):
        call([0, 1, 1], weights=np.array([1.0, weight, 1.0]))


def test_weights_of_another_length_are_refused():
    with pytest.raises(ValueError, match="each of the 3 rows, got 2 numbers"):
        call([0, 1, 1], weights=np.ones(2))


def test_labels_and_scores_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="2 labels and 3 scores"):
        call([0, 1], np.zeros(3))


def test_several_scores_per_row_are_refused():
    with pytest.raises(ValueError, match=r"one number per row, got shape \(2, 3\)"):
        call([0, 1], np.zeros((2, 3)))


@pytest.mark.parametrize("n_classes", [1, 2.0, True, "3"])
def test_a_number_of_classes_must_be_a_whole_number_of_at_least_2(n_classes):
    with pytest.raises(ValueError, match="n_classes must be a whole number of at least 2"):
        call([0, 1], n_classes=n_classes)


def test_an_unknown_link_is_refused_with_a_suggestion():
    with pytest.raises(ValueError, match='Did you mean "probit"'):
        call([0, 1], link="probitt")


def test_probabilities_before_training_are_refused():
    with pytest.raises(AttributeError, match="only after training"):
        CumulativeLink().probabilities([0.0])


def test_errors_come_through_the_libraries():
    X, y = np.arange(200.0)[:, None], np.linspace(0, 3, 200)
    for model in [
        lightgbm.LGBMRegressor(objective=CumulativeLink(), n_estimators=2, verbose=-1),
        xgboost.XGBRegressor(objective=CumulativeLink(), n_estimators=2),
    ]:
        with pytest.raises(ValueError, match="must be the positions"):
            model.fit(X, y)


@pytest.mark.parametrize(
    ("library", "arguments"), [(lightgbm, (None, None)), (xgboost, ())], ids=["LightGBM", "XGBoost"]
)
def test_a_version_that_passes_no_weights_is_refused(library, arguments, monkeypatch):
    monkeypatch.setattr(library, "__version__", "1.7.6")
    name = library.__name__
    for callable_ in (CumulativeLink(), ThresholdMetric()):
        with pytest.raises(ImportError, match=f"needs {name} . or later, got 1.7.6.*-U {name}"):
            callable_(np.array([0, 1]), np.zeros(2), *arguments)


def test_numbers_of_numpy_are_numbers_of_classes():
    labels = np.array([0, 1, 2, 2])
    by_numpy = CumulativeLink(np.int64(5))(labels, np.zeros(4))
    np.testing.assert_array_equal(by_numpy, CumulativeLink(5)(labels, np.zeros(4)))


def test_catboost_is_told_what_to_do():
    with pytest.raises(TypeError, match="CatBoost's own RMSE inside"):
        CumulativeLink().calc_ders_range([0.0, 1.0], [0, 1], None)
