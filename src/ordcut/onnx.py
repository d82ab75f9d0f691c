"""Export to ONNX: the rule of thresholds, and the estimators with the pipelines that hold them.

Importing this module registers converters for the estimators with skl2onnx, if it is installed, so
that ``skl2onnx.to_onnx`` and ``skl2onnx.convert_sklearn`` convert them. Needs the package
onnx, and skl2onnx for estimators.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut._core.data import intervals_as_text
from ordcut._core.errors import unknown_name
from ordcut._core.typing import Array, Floats
from ordcut.studies.labelings import EXPECTED_COST

try:
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    raise ImportError(
        "ordcut.onnx needs onnx, which is not installed. Install it with: pip install onnx."
    ) from error

if TYPE_CHECKING:
    from ordcut._core.thresholds import Thresholds
    from ordcut.estimators.calibration import Calibration

__all__ = ["register_converters", "rule_to_onnx", "to_onnx"]

#: Graphs use operators of this version, which ONNX Runtime has had since 1.12.
OPSET, IR_VERSION = 17, 8

#: The newest version of operators for trees that the converters of onnxmltools support.
TREE_OPSET = 3

#: A converted estimator is compared with ``predict`` on at most this many rows.
MOST_TO_COMPARE = 10_000

#: Whether the estimator inside is converted in float64.
_IN_FLOAT64 = ContextVar("in_float64", default=True)

DTYPES = {
    "float16": TensorProto.FLOAT16,
    "float32": TensorProto.FLOAT,
    "float64": TensorProto.DOUBLE,
}


def rule_to_onnx(thresholds: Thresholds, *, dtype: str = "float64") -> onnx.ModelProto:
    """Return the rule that turns scores into classes or decisions as an ONNX model.

    It compares in float64, as ``predict`` does, so every score gets the class that
    ``predict`` returns. A NaN is an error at run time ("indices element out of data bounds").

    Parameters
    ----------
    thresholds : Thresholds
        The rule; its classes or decisions are numbers, booleans or text.
    dtype : {"float16", "float32", "float64"}, default="float64"
        The dtype of the scores that the model takes.

    Returns
    -------
    onnx.ModelProto
        With the input ``score`` and the output ``label``, both of shape (n,). Write it to a file
        with ``onnx.save``.

    Examples
    --------
    >>> import ordcut, ordcut.onnx
    >>> model = ordcut.onnx.rule_to_onnx(ordcut.optimal_thresholds([1, 2, 3], [10, 20, 30]))
    >>> [given.name for given in model.graph.input], [given.name for given in model.graph.output]
    (['score'], ['label'])
    """
    if dtype not in DTYPES:
        raise unknown_name("dtype", dtype, DTYPES)
    labels, label_type = _class_values(thresholds.decisions)
    graph = _Graph()
    score = graph.add("Cast", "score", to=TensorProto.DOUBLE)
    _add_labels(graph, score, "label", thresholds.thresholds, labels)
    whole = helper.make_graph(
        graph.nodes,
        "ordcut",
        [helper.make_tensor_value_info("score", DTYPES[dtype], ["n"])],
        [helper.make_tensor_value_info("label", label_type, ["n"])],
        graph.constants,
    )
    opsets = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(
        whole, opset_imports=opsets, ir_version=IR_VERSION, producer_name="ordcut"
    )
    onnx.checker.check_model(model)
    return model


def to_onnx(estimator: Any, X: Any, **options: Any) -> onnx.ModelProto:  # noqa: N803
    """Return a fitted estimator, or a pipeline with a fitted estimator, as an ONNX model.

    ``skl2onnx.to_onnx`` does this, too, after ``import ordcut.onnx``. The outputs are ``label``,
    as ``predict`` returns it, and ``probabilities``; without ``probabilities=True`` in the
    estimator, these are 1 for the label and 0 for the other classes. Scores are computed in float64
    wherever skl2onnx has a float64 converter for the steps of a pipeline and the estimator inside;
    where it computes in float32, a row whose score is within rounding errors of a threshold can get
    the other class. If onnxruntime is installed, the model is run on ``X`` and compared with
    ``predict``, since not all converters cover all parts of an estimator.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator of ``ordcut.estimators``, or a pipeline that ends with it.
    X : array-like of shape (n_samples, n_features)
        Rows, for the number and the dtype of the inputs and for the comparison with ``predict``,
        of which a few hundred are enough. Pass float64 rows if the steps before the estimator have
        to be exact.
    **options : dict
        Passed on to ``skl2onnx.to_onnx``. By default, ``target_opset`` is
        ``{"": 17, "ai.onnx.ml": 3}``, which the converters of onnxmltools for LightGBM and XGBoost
        support.

    Returns
    -------
    onnx.ModelProto
        Write it to a file with ``onnx.save``.

    Examples
    --------
    >>> import numpy as np, ordcut.onnx
    >>> from ordcut.estimators import OrdinalLogisticRegression
    >>> X, y = np.arange(6.0)[:, None], [0, 0, 1, 0, 2, 2]
    >>> model = ordcut.onnx.to_onnx(OrdinalLogisticRegression().fit(X, y), X)
    >>> [given.name for given in model.graph.output]
    ['label', 'probabilities']
    """
    register_converters()
    options = {"target_opset": {"": OPSET, "ai.onnx.ml": TREE_OPSET}, **options}
    model = _convert(estimator, X, options)
    if find_spec("onnxruntime") is None or hasattr(X, "columns") or not hasattr(X, "shape"):
        return model
    rows = X[:MOST_TO_COMPARE]
    try:
        labels = _run(model, rows)
    except Exception:  # the errors of ONNX Runtime have no common class
        # Some converters mix float32 with the float64 that scores are computed in.
        token = _IN_FLOAT64.set(False)
        try:
            model = _convert(estimator, X, options)
        finally:
            _IN_FLOAT64.reset(token)
        labels = _run(model, rows)
    n_different = int(np.sum(labels != estimator.predict(rows)))
    if n_different > 1 + len(rows) // 100:  # more than roundings in float32 can explain
        raise ValueError(
            "the converted model must return the labels of predict, and differs in "
            f"{n_different} of {len(rows)} rows. XGBoost compares in float32: fit and convert it "
            "with float32 rows. skl2onnx does not convert all parts of some estimators, such as "
            "the loss of HistGradientBoostingRegressor: use another estimator, or export the rule "
            "alone with labeler_.to_onnx()."
        )
    return model


def _convert(estimator: Any, X: Any, options: dict[str, Any]) -> onnx.ModelProto:  # noqa: N803
    import skl2onnx

    with warnings.catch_warnings():
        # Of the converter of histogram-based boosting, which only skl2onnx can change.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            model: onnx.ModelProto = skl2onnx.to_onnx(estimator, X[:1], **options)
        except ValueError as error:
            if not str(error).startswith("Unable to create node"):
                raise
            version = metadata.version("protobuf")
            raise RuntimeError(
                f"skl2onnx could not write a part of {type(estimator).__name__} with protobuf "
                f'{version}. If that is 7 or later, install an older one: pip install "protobuf<7".'
            ) from error
    return model


def _run(model: onnx.ModelProto, rows: Any) -> Array:
    """Return the labels that ONNX Runtime finds for rows."""
    import onnxruntime

    session = onnxruntime.InferenceSession(model.SerializeToString())
    name = session.get_inputs()[0].name
    return np.asarray(session.run(None, {name: np.asarray(rows)})[0])


def register_converters() -> None:
    """Register converters for the estimators with skl2onnx; ``import ordcut.onnx`` does it.

    Examples
    --------
    >>> import ordcut.onnx
    >>> ordcut.onnx.register_converters()
    """
    try:
        from skl2onnx import update_registered_converter
    except ImportError as error:
        raise ImportError(
            "Converting estimators to ONNX needs skl2onnx, which is not installed. "
            "Install it with: pip install skl2onnx."
        ) from error
    from ordcut.estimators import (
        LinearThresholdClassifier,
        OrdinalBoostingClassifier,
        OrdinalLogisticRegression,
        OrdinalThresholdClassifierCV,
    )

    converters: dict[Any, Callable[..., _Outputs]] = {
        LinearThresholdClassifier: _linear_outputs,
        OrdinalLogisticRegression: _linear_outputs,
        OrdinalBoostingClassifier: _inner_outputs,
        OrdinalThresholdClassifierCV: _inner_outputs,
    }
    for kind, add in converters.items():
        name = f"Ordcut{kind.__name__}"
        update_registered_converter(kind, name, _set_types, _Converter(add))
    _register_trees()


def _register_trees() -> None:
    """Register the converters of onnxmltools for the libraries of boosting that are imported."""
    if find_spec("onnxmltools") is None:
        return
    from skl2onnx import update_registered_converter
    from skl2onnx.common import shape_calculator

    shapes = {
        "Regressor": shape_calculator.calculate_linear_regressor_output_shapes,
        "Classifier": shape_calculator.calculate_linear_classifier_output_shapes,
    }
    for package, prefix, convert in (
        ("lightgbm", "LGBM", _convert_lightgbm),
        ("xgboost", "XGB", _convert_xgboost),
    ):
        if package not in sys.modules:
            continue
        for kind, shape in shapes.items():
            estimator = getattr(sys.modules[package], prefix + kind)
            options: dict[str, Any] = {"split": None} if prefix + kind == "LGBMRegressor" else {}
            if kind == "Classifier":
                options = {"zipmap": [True, False, "columns"], "nocl": [True, False]}
            name = f"Ordcut{prefix}{kind}"
            update_registered_converter(estimator, name, shape, convert, options=options)


def _convert_lightgbm(scope: Any, operator: Any, container: Any) -> None:
    """Convert trees of LightGBM; those with an objective of ours are a regression."""
    from lightgbm import Booster
    from onnxmltools.convert.lightgbm.operator_converters.LightGbm import convert_lightgbm

    model = operator.raw_operator
    text = model.booster_.model_to_string()
    if callable(model.objective) and "\nobjective=" not in text:
        text = text.replace("feature_names=", "objective=regression\nfeature_names=", 1)
        booster = Booster(model_str=text)
        operator.raw_operator = SimpleNamespace(booster_=booster, boosting_type=model.boosting_type)
    try:
        convert_lightgbm(scope, operator, container)
    finally:
        operator.raw_operator = model


def _convert_xgboost(scope: Any, operator: Any, container: Any) -> None:
    """Convert trees of XGBoost."""
    from onnxmltools.convert.xgboost.operator_converters.XGBoost import convert_xgboost

    convert_xgboost(scope, operator, container)


class _Graph:
    """A graph under construction."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def add(self, operator: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        """Add a node, and return the name of its output."""
        name = output or f"node_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        return name

    def constant(self, values: Array) -> str:
        """Add a constant, and return its name."""
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(values, name))
        return name


class _ConvertedGraph(_Graph):
    """A graph of skl2onnx, which holds its nodes and constants."""

    def __init__(self, scope: Any, container: Any) -> None:
        self.scope, self.container = scope, container

    def add(self, operator: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        name = output or self.scope.get_unique_variable_name(f"ordcut_{operator.lower()}")
        attributes["name"] = self.scope.get_unique_operator_name(f"ordcut_{operator}")
        self.container.add_node(operator, list(inputs), [name], **attributes)
        return str(name)

    def constant(self, values: Array) -> str:
        name = self.scope.get_unique_variable_name("ordcut_constant")
        tensor = numpy_helper.from_array(values, name)
        flat = [text.encode() for text in values.tolist()] if values.dtype == object else values
        content = list(np.ravel(np.asarray(flat)).tolist())
        self.container.add_initializer(name, tensor.data_type, list(values.shape), content)
        return str(name)


def _add_labels(graph: _Graph, score: str, label: str, thresholds: Floats, classes: Array) -> None:
    """Add the rule: the class of a score is at the number of thresholds at or below it."""
    each = _reached(graph, score, np.append(thresholds, np.inf), TensorProto.INT64)
    axis = graph.constant(np.array([1], dtype=np.int64))
    count = graph.add("ReduceSum", each, axis, keepdims=0)
    # A NaN has no class: its position is beyond all classes, so that Gather refuses it.
    is_nan = graph.add("Cast", graph.add("IsNaN", score), to=TensorProto.INT64)
    beyond = graph.add("Mul", is_nan, graph.constant(np.array([len(classes)], dtype=np.int64)))
    position = graph.add("Add", count, beyond)
    graph.add("Gather", graph.constant(classes), position, output=label)


def _class_values(classes: Array) -> tuple[Array, int]:
    """Return classes as ONNX has them, with their type: int64, float64, bool or text."""
    if classes.dtype.kind in "iu" and (classes.astype(np.int64) == classes).all():
        return classes.astype(np.int64), TensorProto.INT64
    if classes.dtype.kind == "f":
        return classes.astype(np.float64), TensorProto.DOUBLE
    if classes.dtype.kind == "b":
        return classes, TensorProto.BOOL
    values = intervals_as_text(classes).tolist()
    if all(isinstance(value, str) for value in values):
        return np.array(values, dtype=object), TensorProto.STRING
    raise TypeError(
        "classes must be numbers, booleans or text for ONNX, got "
        f"{type(values[0]).__name__}. Name the classes by text."
    )


def _set_types(operator: Any) -> None:
    """Set types and shapes of the two outputs, as skl2onnx asks before it converts."""
    from skl2onnx.common import data_types

    classes, kind = _class_values(operator.raw_operator.classes_)
    types: dict[int, Any] = {
        TensorProto.INT64: data_types.Int64TensorType,
        TensorProto.DOUBLE: data_types.DoubleTensorType,
        TensorProto.BOOL: data_types.BooleanTensorType,
        TensorProto.STRING: data_types.StringTensorType,
    }
    n = operator.inputs[0].get_first_dimension()
    operator.outputs[0].type = types[kind]([n])
    operator.outputs[1].type = data_types.FloatTensorType([n, len(classes)])


class _Converter:
    """Adds the score of an estimator to a graph, then its labels and its probabilities."""

    def __init__(self, add: Callable[..., _Outputs]) -> None:
        self.add = add

    def __call__(self, scope: Any, operator: Any, container: Any) -> None:
        """Convert an estimator, as skl2onnx asks."""
        model, graph = operator.raw_operator, _ConvertedGraph(scope, container)
        if model.labeling == EXPECTED_COST:
            raise NotImplementedError(
                'labeling="expected_cost" has no converter to ONNX. Convert the classifier inside, '
                "and apply the costs to its probabilities."
            )
        label, probabilities = (output.full_name for output in operator.outputs)
        outputs = self.add(graph, scope, operator)
        classes, _ = _class_values(model.classes_)
        _add_labels(graph, outputs.score, label, model.thresholds_, classes)
        if hasattr(model._model, "exponent"):
            _add_calibrated(graph, outputs.probabilities, model._model, probabilities)
            return
        if model._model is None:
            below = _below_thresholds(graph, outputs.score, model.thresholds_)
        else:
            below = _cumulative(graph, outputs.score, model._model)
        _add_probabilities(graph, below, len(classes), probabilities)


@dataclass(frozen=True)
class _Outputs:
    """The name of the score of an estimator, and of its own probabilities of all classes."""

    score: str
    probabilities: str = ""


def _linear_outputs(graph: _Graph, scope: Any, operator: Any) -> _Outputs:  # noqa: ARG001
    model = operator.raw_operator
    rows = graph.add("Cast", operator.inputs[0].full_name, to=TensorProto.DOUBLE)
    product = graph.add("MatMul", rows, graph.constant(model.coef_))
    start = np.array([getattr(model, "intercept_", 0.0)])
    return _Outputs(graph.add("Add", product, graph.constant(start)))


def _inner_outputs(graph: _Graph, scope: Any, operator: Any) -> _Outputs:
    """Add the estimators inside, in float64 if they take numbers, and the mean of their outputs."""
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    model = operator.raw_operator
    if model._response.method == "decision_function":
        raise NotImplementedError(
            'response_method="decision_function" has no converter to ONNX. Fit with '
            '"predict_proba", or with a regressor.'
        )
    inputs = list(operator.inputs)
    if _IN_FLOAT64.get() and len(inputs) == 1 and isinstance(inputs[0].type, FloatTensorType):
        wide = scope.declare_local_variable("wide", DoubleTensorType(inputs[0].type.shape))
        graph.add("Cast", inputs[0].full_name, output=wide.full_name, to=TensorProto.DOUBLE)
        inputs = [wide]
    if not model._response.needs_classifier:
        return _Outputs(_mean(graph, [_score_of(graph, scope, m, inputs) for m in model._models]))
    n_classes, tables = len(model.classes_), []
    for classifier in model._models:
        known = np.asarray(classifier.classes_)
        positions = model._code_of if len(known) == len(model._code_of) else model._code_of[known]
        spread = graph.constant(np.eye(n_classes)[positions])
        table = _class_probabilities(graph, scope, classifier, inputs)
        tables.append(graph.add("MatMul", table, spread))
    probabilities = _mean(graph, tables)
    positions = graph.constant(np.arange(n_classes, dtype=np.float64))
    return _Outputs(graph.add("MatMul", probabilities, positions), probabilities)


def _score_of(graph: _Graph, scope: Any, regressor: Any, inputs: list[Any]) -> str:
    """Add a fitted regressor, and return its predictions, (n,) in float64."""
    from skl2onnx._parse import _parse_sklearn

    from ordcut.estimators import MeanClassRegressor
    from ordcut.estimators.committee import RegressorCommittee

    if isinstance(regressor, MeanClassRegressor):
        probabilities = _class_probabilities(graph, scope, regressor.estimator_, inputs)
        return graph.add("MatMul", probabilities, graph.constant(regressor._values))
    if isinstance(regressor, RegressorCommittee):
        both = [(share, _score_of(graph, scope, each, inputs)) for share, each in regressor.members]
        return _weighted_sum(graph, both)
    (output,) = _parse_sklearn(scope, regressor, inputs)
    scores = graph.add("Cast", output.full_name, to=TensorProto.DOUBLE)
    return graph.add("Reshape", scores, graph.constant(np.array([-1], dtype=np.int64)))


def _class_probabilities(graph: _Graph, scope: Any, classifier: Any, inputs: list[Any]) -> str:
    """Add a fitted classifier, and return its probabilities, (n, K) in float64."""
    from skl2onnx._parse import _parse_sklearn

    from ordcut.estimators import CumulativeLinkClassifier
    from ordcut.estimators.committee import ClassifierCommittee

    if isinstance(classifier, CumulativeLinkClassifier):
        score = _score_of(graph, scope, classifier.estimator_, inputs)
        below = _cumulative(graph, score, classifier.link_.model)
        probabilities = _add_probabilities(graph, below, len(classifier.classes_))
    elif isinstance(classifier, ClassifierCommittee):
        both = [
            (share, _class_probabilities(graph, scope, each, inputs))
            for share, each in classifier.members
        ]
        return _weighted_sum(graph, both)
    else:
        last = classifier
        while hasattr(last, "steps"):
            last = last.steps[-1][1]
        if not hasattr(last, "labeler_"):
            # Probabilities as an array; by default skl2onnx makes a dictionary for each row.
            scope.add_options(id(last), {"zipmap": False})
        probabilities = _parse_sklearn(scope, classifier, inputs)[1].full_name
    return graph.add("Cast", probabilities, to=TensorProto.DOUBLE)


def _mean(graph: _Graph, values: list[str]) -> str:
    """Add the mean of arrays of one shape, in float64."""
    if len(values) == 1:
        return values[0]
    total = values[0]
    for each in values[1:]:
        total = graph.add("Add", total, each)
    return graph.add("Div", total, graph.constant(np.array([float(len(values))])))


def _weighted_sum(graph: _Graph, values: list[tuple[float, str]]) -> str:
    """Add the sum of two arrays of one shape with weights, in float64."""
    first, second = (
        graph.add("Mul", each, graph.constant(np.array([share]))) for share, each in values
    )
    return graph.add("Add", first, second)


def _cumulative(graph: _Graph, score: str, model: Any) -> str:
    """Add the cumulative probabilities of the proportional odds model, in float32."""
    axis = graph.constant(np.array([1], dtype=np.int64))
    slope = graph.add("Mul", score, graph.constant(np.array([model.slope])))
    at = graph.add("Sub", graph.constant(model.biases), graph.add("Unsqueeze", slope, axis))
    return _CDFS[model.link](graph, graph.add("Cast", at, to=TensorProto.FLOAT))


def _add_calibrated(graph: _Graph, probabilities: str, model: Calibration, output: str) -> None:
    """Add calibrated probabilities, in float32."""
    part = graph.add("Mul", probabilities, graph.constant(np.array([1.0 - model.mixed])))
    mixture = graph.add("Add", part, graph.constant(model.mixed * model.shares))
    powers = graph.add("Pow", mixture, graph.constant(np.array([model.exponent])))
    axis = graph.constant(np.array([1], dtype=np.int64))
    shares = graph.add("Div", powers, graph.add("ReduceSum", powers, axis, keepdims=1))
    graph.add("Cast", shares, to=TensorProto.FLOAT, output=output)


def _below_thresholds(graph: _Graph, score: str, thresholds: Floats) -> str:
    """Add whether a score is below each threshold: all there is without a model."""
    each = _reached(graph, score, thresholds, TensorProto.FLOAT)
    return graph.add("Sub", _number(graph, 1.0), each)


def _reached(graph: _Graph, score: str, thresholds: Floats, kind: int) -> str:
    """Add whether a score is at or above each threshold, as numbers of a type."""
    # Nothing reaches a threshold at infinity, an infinite score neither, as nothing reaches NaN.
    bounds = np.where(thresholds < np.inf, thresholds, np.nan)
    column = graph.add("Unsqueeze", score, graph.constant(np.array([1], dtype=np.int64)))
    return graph.add("Cast", graph.add("GreaterOrEqual", column, graph.constant(bounds)), to=kind)


def _add_probabilities(graph: _Graph, below: str, n: int, output: str | None = None) -> str:
    """Add the probability of each of n classes, given those up to each class k < n - 1."""
    # Differences of the columns 0, F(b_0 - a), ..., F(b_(K-2) - a), 1.
    first, last = np.zeros((n - 1, n), dtype=np.float32), np.zeros(n, dtype=np.float32)
    at_bias = np.arange(n - 1)
    first[at_bias, at_bias], first[at_bias, at_bias + 1], last[-1] = 1, -1, 1
    product = graph.add("MatMul", below, graph.constant(first))
    return graph.add("Add", product, graph.constant(last), output=output)


def _number(graph: _Graph, value: float) -> str:
    return graph.constant(np.array([value], dtype=np.float32))


def _normal_cdf(graph: _Graph, z: str) -> str:
    erf = graph.add("Erf", graph.add("Mul", z, _number(graph, 0.5**0.5)))
    half = graph.add("Mul", erf, _number(graph, 0.5))
    return graph.add("Add", half, _number(graph, 0.5))


def _loglog_cdf(graph: _Graph, z: str) -> str:
    inner = graph.add("Exp", graph.add("Neg", z))
    return graph.add("Exp", graph.add("Neg", inner))


def _cloglog_cdf(graph: _Graph, z: str) -> str:
    return graph.add("Sub", _number(graph, 1.0), _loglog_cdf(graph, graph.add("Neg", z)))


def _cauchy_cdf(graph: _Graph, z: str) -> str:
    turn = graph.add("Mul", graph.add("Atan", z), _number(graph, 1 / np.pi))
    return graph.add("Add", turn, _number(graph, 0.5))


#: The distribution functions of the links, as nodes.
_CDFS: dict[str, Callable[[_Graph, str], str]] = {
    "logit": lambda graph, z: graph.add("Sigmoid", z),
    "probit": _normal_cdf,
    "cloglog": _cloglog_cdf,
    "loglog": _loglog_cdf,
    "cauchit": _cauchy_cdf,
}


if find_spec("skl2onnx") is not None:
    register_converters()
