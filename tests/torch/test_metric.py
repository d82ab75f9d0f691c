"""The metric for torchmetrics: the optimum of its rows, and the value of current thresholds."""

from copy import deepcopy

import numpy as np
import pytest
import torch
from distributed_rows import N_CLASSES, some_rows
from torchmetrics import MetricCollection

import ordcut
from ordcut.torch import ThresholdMetric, ThresholdTracker

pytestmark = pytest.mark.usefixtures("one_torch_thread")


def values_of(metric):
    return {name: value.item() for name, value in metric.compute().items()}


def updated(metric, rows, size=16):
    for batch in torch.arange(len(rows[0])).split(size):
        metric.update(*(part[batch] for part in rows))
    return metric


@pytest.mark.parametrize("objective", ["absolute", "zero_one", "quadratic_kappa"])
def test_values_are_those_of_arrays(objective):
    scores, labels = some_rows()
    arrays = scores.numpy(), labels.numpy()
    current = ordcut.optimal_thresholds(*(part[:20] for part in arrays), classes=range(4))
    metric = updated(ThresholdMetric(N_CLASSES, objective, thresholds=current), (scores, labels))
    predicted = current.predict(arrays[0])
    assert values_of(metric) == {
        "optimal": ordcut.optimal_thresholds(*arrays, objective=objective).value,
        "current": ordcut.evaluate(arrays[1], predicted, objective),
    }
    assert metric.higher_is_better is (objective == "quadratic_kappa")


def test_current_thresholds_are_those_that_a_tracker_has_when_it_computes():
    scores, labels = some_rows()
    tracker = ThresholdTracker(N_CLASSES)
    metric = updated(ThresholdMetric(N_CLASSES, thresholds=tracker), (scores, labels))
    copied = deepcopy(metric)
    assert set(values_of(deepcopy(metric))) == {"optimal"}
    tracker.update(scores, labels)
    tracker.compute()
    for one in (metric, copied):
        assert values_of(one) == {"optimal": tracker.result.value, "current": tracker.result.value}


def test_weights_soft_labels_and_ignored_rows_count_as_in_a_tracker():
    scores, labels = some_rows()
    weights = 1.0 + labels
    metric = updated(ThresholdMetric(N_CLASSES), (scores, labels, weights))
    expected = ordcut.optimal_thresholds(
        scores.numpy(), labels.numpy(), sample_weight=weights.numpy()
    )
    assert values_of(metric) == {"optimal": expected.value}
    soft = torch.nn.functional.one_hot(labels, N_CLASSES).double() * weights[:, None]
    metric = updated(ThresholdMetric(N_CLASSES), (scores, soft))
    assert values_of(metric) == pytest.approx({"optimal": expected.value})
    ignored = torch.where(labels == 0, -100, labels)
    metric = updated(ThresholdMetric(N_CLASSES, ignore_index=-100), (scores[:, None], ignored))
    kept = labels > 0
    expected = ordcut.optimal_thresholds(
        scores[kept].numpy(), labels[kept].numpy(), classes=range(4)
    )
    assert values_of(metric) == {"optimal": expected.value}


def test_reset_drops_the_rows():
    metric = updated(ThresholdMetric(N_CLASSES), some_rows())
    metric.reset()
    scores, labels = some_rows(seed=1)
    metric.update(scores, labels)
    expected = ordcut.optimal_thresholds(scores.numpy(), labels.numpy())
    assert values_of(metric) == {"optimal": expected.value}


def test_a_collection_names_the_values():
    metrics = MetricCollection(
        {"absolute": ThresholdMetric(4), "kappa": ThresholdMetric(4, "kappa")}
    )
    metrics.update(*some_rows())
    assert np.isfinite([value.item() for value in metrics.compute().values()]).all()


def test_a_value_for_one_batch_does_not_disturb_the_others():
    scores, labels = some_rows()
    metric = ThresholdMetric(N_CLASSES)
    metric(scores[:50], labels[:50])
    metric(scores[50:], labels[50:])
    assert values_of(metric) == values_of(updated(ThresholdMetric(N_CLASSES), (scores, labels)))


def test_the_rows_of_several_processes_make_one_optimum():
    scores, labels = some_rows()
    other = updated(ThresholdMetric(N_CLASSES), (scores[30:], labels[30:]))
    names = iter(["scores", "labels", "weights"])  # in which torchmetrics gathers them

    def gather(values, **_):
        return [values, torch.cat(getattr(other, next(names)))]

    metric = ThresholdMetric(N_CLASSES, dist_sync_fn=gather, distributed_available_fn=lambda: True)
    metric.update(scores[:30], labels[:30])
    expected = ordcut.optimal_thresholds(scores.numpy(), labels.numpy()).value
    assert values_of(metric) == {"optimal": expected}
