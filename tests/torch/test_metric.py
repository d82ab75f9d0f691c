"""The metric for torchmetrics: the optimum of its rows, and the value of current thresholds."""

from copy import deepcopy

import lightning.pytorch as lightning
import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics import MetricCollection

import ordcut
from ordcut.torch import CumulativeLinkLoss, ThresholdMetric, ThresholdTracker
from tests.tables import KAPPAS, OBJECTIVES
from tests.torch.distributed_rows import N_CLASSES, some_rows

pytestmark = [
    pytest.mark.filterwarnings(r"ignore:.*LeafSpec.*:FutureWarning"),  # Lightning in torch 2.13
    pytest.mark.filterwarnings(r"ignore:.*does not have many workers"),
]


def values_of(metric):
    return {name: value.item() for name, value in metric.compute().items()}


def updated(metric, rows, size=16):
    for batch in torch.arange(len(rows[0])).split(size):
        metric.update(*(part[batch] for part in rows))
    return metric


@pytest.mark.parametrize("objective", OBJECTIVES)
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
    assert metric.higher_is_better is (objective in KAPPAS)


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


@pytest.mark.parametrize("output", ["optimal", "current"])
def test_a_scalar_output_is_one_of_both_values(output):
    scores, labels = some_rows()
    current = ordcut.optimal_thresholds(scores[:20].numpy(), labels[:20].numpy(), classes=range(4))
    both = updated(ThresholdMetric(N_CLASSES, thresholds=current), (scores, labels))
    scalar = updated(
        ThresholdMetric(N_CLASSES, thresholds=current, output=output), (scores, labels)
    )
    assert torch.equal(scalar.compute(), both.compute()[output])


def test_the_current_value_is_nan_until_a_tracker_has_thresholds():
    scores, labels = some_rows()
    tracker = ThresholdTracker(N_CLASSES)
    metric = ThresholdMetric(N_CLASSES, thresholds=tracker, output="current")
    metric.update(scores, labels)
    assert metric.compute().isnan()
    with pytest.raises(ValueError, match="needs thresholds, got none"):
        ThresholdMetric(N_CLASSES, output="current")
    with pytest.raises(ValueError, match='Did you mean "optimal"'):
        ThresholdMetric(N_CLASSES, output="optimum")


class LoggingModule(lightning.LightningModule):
    """Logs a metric by passing it to ``self.log``."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)
        self.loss = CumulativeLinkLoss(N_CLASSES)
        self.metric = ThresholdMetric(N_CLASSES, "quadratic_kappa", output="optimal")

    def training_step(self, batch, _):
        return self.loss(self.layer(batch[0]), batch[1])

    def validation_step(self, batch, _):
        self.metric.update(self.layer(batch[0]), batch[1])
        self.log("val_kappa", self.metric)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.0)


def test_lightning_logs_the_scalar_of_all_validation_rows(tmp_path):
    scores, labels = some_rows()
    loader = DataLoader(TensorDataset(scores.float()[:, None], labels), batch_size=16)
    trainer = lightning.Trainer(
        accelerator="cpu",
        max_epochs=1,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=tmp_path,
    )
    module = LoggingModule()
    torch.nn.init.ones_(module.layer.weight)
    (logged,) = trainer.validate(module, loader, verbose=False)
    rows = module.layer(scores.float()[:, None]).squeeze(1).detach().numpy()
    expected = ordcut.optimal_thresholds(rows, labels.numpy(), objective="quadratic_kappa")
    assert logged["val_kappa"] == pytest.approx(expected.value)


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
