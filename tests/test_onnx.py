"""Models in ONNX Runtime return the labels of ``predict``."""

import subprocess
import sys
import warnings
from dataclasses import replace

import numpy as np
import onnxruntime
import pytest
import skl2onnx
from hypothesis import given
from hypothesis import strategies as st
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.base import clone
from sklearn.ensemble import (
    AdaBoostRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVR
from xgboost import XGBClassifier, XGBRegressor

import ordcut
import ordcut.onnx
from ordcut.boosting import CumulativeLink
from ordcut.estimators import (
    LinearThresholdClassifier,
    MeanClassRegressor,
    OrdinalBoostingClassifier,
    OrdinalLogisticRegression,
    OrdinalThresholdClassifierCV,
)
from tests.ordinal_data import ordinal_data
from tests.tables import LINKS

DTYPES = ["float16", "float32", "float64"]
CLASSES = {
    "integers": [10, 20, 30],
    "small integers": np.array([1, 2, 3], dtype=np.uint8),
    "half steps": [0.5, 1.0, 1.5],
    "text": ["bad", "fair", "good"],
    "other letters": ["schlecht", "mäßig", "très bon"],
}


def run(model, values):
    """Run a model on its only input, and return all outputs."""
    session = onnxruntime.InferenceSession(model.SerializeToString())
    (given,) = session.get_inputs()
    return session.run(None, {given.name: values})


def rule(thresholds, classes=None):
    """A rule with given thresholds."""
    classes = range(len(thresholds) + 1) if classes is None else classes
    return ordcut.Thresholds.from_values(thresholds, classes)


def around(thresholds, dtype):
    """Thresholds in a dtype, with the floats next to them on both sides, and far ones."""
    top, bottom = np.array(np.inf, dtype), np.array(-np.inf, dtype)
    with np.errstate(over="ignore", under="ignore"):
        middle = np.asarray(thresholds).astype(dtype)
        sides = [np.nextafter(middle, top), np.nextafter(middle, bottom)]
    return np.concatenate([middle, *sides, [top, bottom, np.array(0.0, dtype)]]).astype(dtype)


def test_decisions_that_are_not_classes_are_the_labels_of_the_model():
    scores, labels = np.arange(12.0), np.repeat([0, 1, 0, 2], 3)
    reviewed = ordcut.optimal_thresholds(scores, labels, review=0.3)
    cost = [[0, 1, 4], [3, 1, 0]]
    chosen = ordcut.optimal_thresholds(scores, labels, objective=cost, decisions=[7, 9])
    for result in (reviewed, chosen):
        (got,) = run(result.to_onnx(), scores)
        assert got.tolist() == result.decisions[result.codes(scores)].tolist()
        assert len({*got.tolist()}) > 1


@pytest.mark.parametrize("dtype", DTYPES)
@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=6).map(sorted))
def test_scores_on_and_next_to_a_threshold_get_the_label_of_predict(dtype, thresholds):
    result = rule(thresholds)
    scores = around(thresholds, dtype)
    (labels,) = run(result.to_onnx(dtype=dtype), scores)
    assert (labels == result.predict(scores)).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_million_scores_get_the_labels_of_predict(dtype):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=1_000_000).astype(dtype)
    labels = np.digitize(scores + rng.normal(size=1_000_000), np.linspace(-2, 2, 9))
    result = ordcut.optimal_thresholds(scores, labels, objective="quadratic_kappa")
    (by_onnx,) = run(result.to_onnx(dtype=dtype), scores)
    assert (by_onnx == result.predict(scores)).all()


@pytest.mark.parametrize("classes", CLASSES.values(), ids=CLASSES)
def test_classes_of_every_type_are_returned(classes):
    result = rule([0.0, 1.0], classes)
    scores = np.array([-1.0, 0.0, 0.5, 1.0, 2.0])
    (labels,) = run(result.to_onnx(), scores)
    assert labels.tolist() == result.predict(scores).tolist()


def test_booleans_are_classes_too():
    (labels,) = run(rule([0.5], [False, True]).to_onnx(), np.array([0.0, 1.0]))
    assert labels.tolist() == [False, True]


def test_no_rows_have_no_labels():
    (labels,) = run(rule([0.5]).to_onnx(), np.empty(0))
    assert labels.shape == (0,)


def test_a_nan_is_an_error_as_in_predict():
    with pytest.raises(Exception, match="out of data bounds"):
        run(rule([0.5]).to_onnx(), np.array([0.0, np.nan]))


def test_an_unknown_dtype_is_named_with_those_that_exist():
    with pytest.raises(ValueError, match=r"dtype must be.*float32.*int8"):
        rule([0.5]).to_onnx(dtype="int8")


def test_classes_that_onnx_does_not_have_are_refused():
    dates = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]")
    with pytest.raises(TypeError, match=r"numbers, booleans or text.*got date"):
        replace(rule([0.5]), classes=dates, decisions=dates).to_onnx()


ESTIMATORS = [
    OrdinalLogisticRegression(probabilities=True),
    OrdinalLogisticRegression(objective="quadratic_kappa", probabilities=True),
    LinearThresholdClassifier(),
    LinearThresholdClassifier(surrogate="squared"),
    OrdinalThresholdClassifierCV(Ridge()),
    OrdinalThresholdClassifierCV(GradientBoostingRegressor(n_estimators=20)),
    OrdinalThresholdClassifierCV(RandomForestRegressor(n_estimators=20, random_state=0)),
    OrdinalThresholdClassifierCV(HistGradientBoostingRegressor(max_iter=20)),
    OrdinalThresholdClassifierCV(HistGradientBoostingClassifier(max_iter=10)),
    OrdinalThresholdClassifierCV(LogisticRegression()),
    OrdinalThresholdClassifierCV(make_pipeline(StandardScaler(), Ridge())),
    OrdinalThresholdClassifierCV(make_pipeline(StandardScaler(), LogisticRegression())),
    OrdinalThresholdClassifierCV(OrdinalLogisticRegression(probabilities=True)),
]
all_estimators = pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)


@all_estimators
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_estimator_has_the_same_labels(estimator, dtype):
    X, y = ordinal_data()
    X = X.astype(dtype)
    model = clone(estimator).fit(X, y)
    new = np.random.default_rng(3).normal(size=(2000, 3)).astype(dtype)
    labels, _ = run(ordcut.onnx.to_onnx(model, X), new)
    assert (labels == model.predict(new)).all()


@all_estimators
def test_a_pipeline_has_the_same_labels(estimator):
    X, y = ordinal_data()
    names = np.array(["low", "mid", "high"])
    last = clone(estimator).set_params(classes=names)
    model = make_pipeline(StandardScaler(), last).fit(5 * X + 3, names[y])
    new = np.random.default_rng(3).normal(size=(2000, 3)) * 5 + 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of histogram-based boosting
        model_proto = skl2onnx.to_onnx(model, X[:1])
    labels, _ = run(model_proto, new)
    assert (labels == model.predict(new)).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("estimator", [*ESTIMATORS[:4], ESTIMATORS[4]], ids=repr)
def test_rows_whose_score_is_on_a_threshold_get_the_label_of_predict(estimator, dtype):
    X, y = ordinal_data()
    model = clone(estimator).fit(X[:, :1], y)
    # Search for rows on both sides of each threshold, until no float is between them.
    rows = []
    for code in range(2):
        low, high = (np.array(end, dtype) for end in (-1e3, 1e3))
        up = (model.predict([[float(high)]]) > model.predict([[float(low)]]))[0]
        while low < (middle := low / 2 + high / 2) < high:
            above = (model.predict([[float(middle)]])[0] > code) == up
            low, high = (low, middle) if above else (middle, high)
        rows += [low, high]
    rows = np.array(rows, dtype)[:, None]
    labels, _ = run(ordcut.onnx.to_onnx(model, rows), rows)
    assert (labels == model.predict(rows)).all()


@pytest.mark.parametrize("link", LINKS)
def test_the_probabilities_are_those_of_the_estimator(link):
    X, y = ordinal_data()
    model = OrdinalLogisticRegression(link=link, classes=[-1, 0, 1, 2, 3], probabilities=True).fit(
        X, y
    )
    _, probabilities = run(ordcut.onnx.to_onnx(model, X), X)
    np.testing.assert_allclose(probabilities, model.predict_proba(X), atol=2e-6)


def test_the_probabilities_of_any_estimator_are_those_of_its_model():
    X, y = ordinal_data()
    model = OrdinalThresholdClassifierCV(Ridge(), probabilities=True).fit(X, y)
    _, probabilities = run(ordcut.onnx.to_onnx(model, X), X)
    np.testing.assert_allclose(probabilities, model.predict_proba(X), atol=2e-6)


def test_a_classifier_that_misses_a_class_keeps_the_positions_of_the_others():
    X, y = ordinal_data()
    model = OrdinalThresholdClassifierCV(LogisticRegression(), classes=[-1, 0, 1, 1.5, 2])
    model.fit(X, y)
    labels, _ = run(ordcut.onnx.to_onnx(model, X), X)
    assert (labels == model.predict(X)).all()


def test_a_prefit_classifier_with_labels_of_its_own_converts():
    X, y = ordinal_data()
    names = np.array(["low", "mid", "high"])
    inner = LogisticRegression().fit(X, names[y])
    model = OrdinalThresholdClassifierCV(inner, cv="prefit", classes=names).fit(X, names[y])
    labels, _ = run(ordcut.onnx.to_onnx(model, X), X)
    assert (labels == model.predict(X)).all()


def test_a_response_without_a_converter_says_what_to_do():
    X, y = ordinal_data()
    inner = LogisticRegression()
    model = OrdinalThresholdClassifierCV(inner, response_method="decision_function").fit(X, y)
    with pytest.raises(NotImplementedError, match="predict_proba"):
        ordcut.onnx.to_onnx(model, X)


@pytest.mark.parametrize(
    ("missing", "call"),
    [
        ("onnx", "ordcut.optimal_thresholds([1, 2, 3], [0, 1, 2]).to_onnx()"),
        ("skl2onnx", "ordcut.onnx.register_converters()"),
    ],
)
def test_without_its_packages_the_error_says_how_to_install_them(missing, call):
    code = f"import sys; sys.modules[{missing!r}] = None\nimport ordcut\n{call}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert f"needs {missing}, which is not installed" in done.stderr
    assert f"pip install {missing}." in done.stderr


@pytest.mark.parametrize(
    "inner",
    [
        AdaBoostRegressor(n_estimators=5, random_state=0),
        make_pipeline(PolynomialFeatures(), Ridge()),
        SVR(),
    ],
    ids=lambda inner: type(inner).__name__,
)
def test_what_has_no_converter_in_float64_is_converted_in_float32(inner):
    X, y = ordinal_data()
    X = X.astype(np.float32)
    model = OrdinalThresholdClassifierCV(inner).fit(X, y)
    labels, _ = run(ordcut.onnx.to_onnx(model, X), X)
    assert np.mean(labels != model.predict(X)) <= 0.01  # of rounding next to a threshold


def test_a_converter_that_leaves_out_a_part_is_an_error():
    X, y = ordinal_data()
    inner = HistGradientBoostingRegressor(loss="poisson", max_iter=20)  # whose link is left out
    model = OrdinalThresholdClassifierCV(inner).fit(X, y)
    with pytest.raises(ValueError, match="must return the labels of predict, and differs in"):
        ordcut.onnx.to_onnx(model, X)


def test_without_a_model_the_label_has_probability_one():
    X, y = ordinal_data()
    model = OrdinalThresholdClassifierCV(Ridge()).fit(X, y)
    label, probabilities = run(ordcut.onnx.to_onnx(model, X), X)
    assert (probabilities.argmax(axis=1) == np.searchsorted(model.classes_, label)).all()
    assert (probabilities.max(axis=1) == 1).all()
    assert (probabilities.sum(axis=1) == 1).all()


def boosted_rows(dtype, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(2000, 4))
    y = np.digitize(X @ [1.0, 2.0, 0.0, -1.0] + rng.normal(size=2000), [-2, 0, 2])
    return X.astype(dtype), y


@pytest.mark.parametrize(
    ("trees", "dtype"),
    [
        (LGBMRegressor(n_estimators=30, n_jobs=1, verbose=-1), np.float32),
        (LGBMRegressor(n_estimators=30, n_jobs=1, verbose=-1), np.float64),
        (XGBRegressor(n_estimators=30, n_jobs=1), np.float32),
    ],
)
def test_boosted_trees_return_the_labels_of_predict(trees, dtype):
    X, y = boosted_rows(dtype)
    model = OrdinalThresholdClassifierCV(trees).fit(X[:1000], y[:1000])
    labels, _ = run(ordcut.onnx.to_onnx(model, X[:1000]), X)
    np.testing.assert_array_equal(labels, model.predict(X))


def link(library, **params):
    return library(objective=CumulativeLink(), n_estimators=20, n_jobs=1, **params)


@pytest.mark.parametrize(
    "model",
    [
        OrdinalThresholdClassifierCV(link(LGBMRegressor, verbose=-1), probabilities=True),
        OrdinalThresholdClassifierCV(link(XGBRegressor)),
        OrdinalThresholdClassifierCV(LGBMClassifier(n_estimators=20, n_jobs=1, verbose=-1)),
        OrdinalThresholdClassifierCV(XGBClassifier(n_estimators=20, n_jobs=1)),
        OrdinalThresholdClassifierCV(MeanClassRegressor(LogisticRegression())),
        OrdinalBoostingClassifier(n_estimators=20),
        OrdinalBoostingClassifier(n_estimators=20, library="xgboost"),
    ],
    ids=lambda model: str(model)[:90],
)
def test_models_with_class_probabilities_return_the_labels_of_predict(model):
    X, y = boosted_rows(np.float32)
    model.fit(X[:1000], y[:1000])
    labels, probabilities = run(ordcut.onnx.to_onnx(model, X[:1000]), X)
    np.testing.assert_array_equal(labels, model.predict(X))
    if getattr(model, "probabilities", False):
        np.testing.assert_allclose(probabilities, model.predict_proba(X), atol=1e-5)


def test_xgboost_compares_in_float32_and_the_error_says_so():
    X, y = boosted_rows(np.float64)
    X = X.round(2)  # splits are then often equal to a value
    model = OrdinalThresholdClassifierCV(XGBRegressor(n_estimators=30, n_jobs=1)).fit(X, y)
    with pytest.raises(ValueError, match=r"differs in .* convert it with float32 rows"):
        ordcut.onnx.to_onnx(model, X)
    labels, _ = run(ordcut.onnx.to_onnx(model, X.astype(np.float32)), X.astype(np.float32))
    np.testing.assert_array_equal(labels, model.predict(X))
