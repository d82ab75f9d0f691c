"""Export of a module with a tracker: the labels of every format are those of ``predict``."""

import numpy as np
import onnxruntime
import pytest
import torch

import ordcut
from ordcut.torch import ThresholdTracker
from tests.torch.small_network import N_CLASSES, trained_network

pytestmark = [
    pytest.mark.filterwarnings(r"ignore:.*LeafSpec.*:FutureWarning"),  # torch.onnx in torch 2.13
    pytest.mark.filterwarnings(r"ignore:`torch.jit.*is deprecated"),
    pytest.mark.filterwarnings("ignore:You are using the legacy TorchScript-based ONNX export"),
    pytest.mark.filterwarnings("ignore:The feature will be removed"),
]

DYNAMIC = {0: torch.export.Dim.DYNAMIC}


def by_export(module, example, folder):
    torch.export.save(
        torch.export.export(module, (example,), dynamic_shapes=(DYNAMIC,)), folder / "model.pt2"
    )
    return torch.export.load(folder / "model.pt2").module()


def by_trace(module, example, folder):
    torch.jit.trace(module, (example,)).save(folder / "model.pt")
    return torch.jit.load(folder / "model.pt")


def by_script(module, _, folder):
    torch.jit.script(module).save(folder / "model.pt")
    return torch.jit.load(folder / "model.pt")


def run_onnx(file):
    session = onnxruntime.InferenceSession(str(file))
    (given,) = session.get_inputs()
    return lambda values: torch.from_numpy(session.run(None, {given.name: values.numpy()})[0])


def by_onnx(module, example, folder):
    torch.onnx.export(
        module, (example,), folder / "model.onnx", dynamo=True, dynamic_shapes=(DYNAMIC,),
        verbose=False,
    )  # fmt: skip
    return run_onnx(folder / "model.onnx")


def by_legacy_onnx(module, example, folder):
    torch.onnx.export(
        module, (example,), folder / "model.onnx", dynamo=False, input_names=["x"],
        dynamic_axes={"x": {0: "n"}},
    )  # fmt: skip
    return run_onnx(folder / "model.onnx")


EXPORTERS = [by_export, by_trace, by_script, by_onnx, by_legacy_onnx]


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_a_network_is_exported_with_its_thresholds(tmp_path, exporter):
    network = trained_network().eval()
    features = torch.randn(40, 3, generator=torch.Generator().manual_seed(5))
    exported = exporter(network, features[:7], tmp_path)
    assert torch.equal(exported(features), network(features))


def tracker_of(thresholds):
    """A tracker with thresholds as they are given."""
    n_classes = len(thresholds) + 1
    tracker = ThresholdTracker(n_classes)
    tracker.keep(ordcut.Thresholds.from_values(thresholds, range(n_classes)))
    return tracker.eval()


CASES = {
    "plain": [-1.5, 0.1, 0.1, 7.0],
    "ends": [-np.inf, 0.5, np.inf],
    "float64": [0.1, np.nextafter(np.float64(np.float32(0.1)), 1), 1 / 3],
    "zero": [-0.0, 0.0],
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("exporter", EXPORTERS)
def test_labels_on_and_around_thresholds_are_those_of_predict(tmp_path, exporter, case, dtype):
    tracker = tracker_of(CASES[case])
    kind = np.float32 if dtype == torch.float32 else np.float64
    on = np.array([*CASES[case], 0.0, np.inf, -np.inf], dtype=kind)
    scores = np.concatenate([on, np.nextafter(on, kind(np.inf)), np.nextafter(on, kind(-np.inf))])
    expected = tracker.result.predict(scores)
    exported = exporter(tracker, torch.zeros(3, dtype=dtype), tmp_path)
    assert exported(torch.from_numpy(scores)).tolist() == expected.tolist()
    assert tracker(torch.from_numpy(scores)).tolist() == expected.tolist()


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_a_score_that_is_nan_has_no_class_in_a_graph(tmp_path, exporter):
    exported = exporter(tracker_of([0.0, 1.0]), torch.zeros(2), tmp_path)
    assert exported(torch.tensor([torch.nan, 0.5, torch.inf])).tolist() == [-1, 1, 2]


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_scores_in_a_column_are_exported(tmp_path, exporter):
    exported = exporter(tracker_of([0.0, 1.0]), torch.zeros(2, 1), tmp_path)
    assert exported(torch.tensor([[-0.5], [0.5], [1.0]])).tolist() == [0, 1, 2]


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_a_network_without_thresholds_is_not_exported(tmp_path, exporter):
    with pytest.raises(RuntimeError, match="no thresholds yet"):
        exporter(ThresholdTracker(N_CLASSES).eval(), torch.zeros(2), tmp_path)
