"""Fitted estimators in skops and MLflow: their state is data, and one list names its types."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import skops.io
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import ordcut
from ordcut.estimators import (
    SKOPS_TYPES,
    LinearThresholdClassifier,
    OrdinalLogisticRegression,
    OrdinalThresholdClassifierCV,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
Y = np.digitize(X[:, 0] + 0.3 * RNG.normal(size=120), [-0.5, 0.5])
COSTS = [[0, 1, 4], [1, 0, 1], [9, 3, 0]]

ESTIMATORS = {
    "regressor": OrdinalThresholdClassifierCV(Ridge()),
    "probabilities": OrdinalThresholdClassifierCV(LogisticRegression(), probabilities=True),
    "margins": OrdinalThresholdClassifierCV(LinearSVC(), cv=3),
    "pipeline": OrdinalThresholdClassifierCV(make_pipeline(StandardScaler(), Ridge())),
    "limits": OrdinalThresholdClassifierCV(Ridge(), constraints=["recall 2 >= 0.5", "digits 2"]),
    "limit objects": OrdinalThresholdClassifierCV(
        Ridge(), constraints=[ordcut.Recall(2, at_least=0.5), ordcut.Between(0, -2, 2)]
    ),
    "promise": OrdinalThresholdClassifierCV(
        Ridge(), calibration=0.4, constraints=["share 2 <= 0.9 with 80%"]
    ),
    "review": OrdinalThresholdClassifierCV(Ridge(), review=0.2),
    "kappa": OrdinalThresholdClassifierCV(Ridge(), objective=ordcut.Kappa(COSTS)),
    "costs": OrdinalThresholdClassifierCV(Ridge(), objective=COSTS, class_weight="balanced"),
    "bagging": OrdinalThresholdClassifierCV(Ridge(), smoothing="bagging", store_cv_results=True),
    "logistic": OrdinalLogisticRegression(),
    "linear": LinearThresholdClassifier(),
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_skops_loads_what_it_dumped_with_the_documented_types(name):
    model = ESTIMATORS[name].fit(X, Y)
    data = skops.io.dumps(model)
    assert set(skops.io.get_untrusted_types(data=data)) <= set(SKOPS_TYPES)
    loaded = skops.io.loads(data, trusted=SKOPS_TYPES)
    assert loaded.predict(X).tolist() == model.predict(X).tolist()
    assert loaded.decide(X).tolist() == model.decide(X).tolist()
    assert loaded.labeler_ == model.labeler_
    assert loaded.labeler_.record == model.labeler_.record


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_pickle_of_an_estimator_refers_to_no_private_function(name):
    text = pickle.dumps(ESTIMATORS[name].fit(X, Y), protocol=0).decode("latin-1")
    assert "_as_is" not in text
    assert "_mean_" not in text


def test_every_type_that_is_listed_exists():
    from importlib import import_module

    for name in SKOPS_TYPES:
        module, _, attribute = name.rpartition(".")
        assert isinstance(getattr(import_module(module), attribute), type)


#: MLflow warns when it is imported, and starts threads, so it has a process of its own.
LOGGED = """
import sys
import mlflow
import numpy as np
from sklearn.linear_model import Ridge
from ordcut.estimators import SKOPS_TYPES, OrdinalThresholdClassifierCV
mlflow.set_tracking_uri("file:./runs")
features = np.linspace(0, 1, 60)[:, None]
model = OrdinalThresholdClassifierCV(Ridge()).fit(features, np.repeat([0, 1, 2], 20))
with mlflow.start_run():
    logged = mlflow.sklearn.log_model(
        model, name="model", skops_trusted_types=SKOPS_TYPES, pip_requirements=[]
    )
loaded = mlflow.sklearn.load_model(logged.model_uri)
assert loaded.predict(features).tolist() == model.predict(features).tolist()
print(loaded.labeler_.record.rows)
"""


def test_mlflow_logs_and_loads_an_estimator(tmp_path):
    environment = {
        **os.environ, "MLFLOW_ALLOW_FILE_STORE": "true", "MLFLOW_DISABLE_TELEMETRY": "true",
    }  # fmt: skip
    command = [sys.executable, "-W", "ignore", "-c", LOGGED]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().endswith("60")
