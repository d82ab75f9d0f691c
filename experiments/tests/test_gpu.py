"""Training on a GPU; these tests are skipped where there is none, as where ordcut was developed."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from experiments.datasets import load_faces
from experiments.pictures import Batches
from experiments.processes import Process
from experiments.run import resume_run, start_run
from experiments.settings import Settings
from experiments.tests.tiny import TINY, without_times
from experiments.training import Learner

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")


@needs_gpu
def test_a_run_on_a_gpu_is_resumed_with_the_same_results(tmp_path):
    given = replace(TINY, device="cuda", workers=2, time_also=("literal", "pio"))
    rows = start_run(given, tmp_path / "whole")
    start_run(replace(given, epochs=1), tmp_path / "part")
    resumed = resume_run(tmp_path / "part", {"epochs": given.epochs})
    assert without_times(resumed) == without_times(rows)


@needs_gpu
def test_batches_for_a_gpu_are_pinned():
    data = load_faces(TINY)
    batches = Batches(data.training, TINY.crop, 0, 8, 0, pinned=True)
    images, labels = next(iter(batches.centred()))
    assert images.is_pinned()
    assert labels.is_pinned()


@needs_gpu
def test_scores_on_a_gpu_are_those_on_the_cpu():
    data = load_faces(TINY)
    batches = Batches(data.training, TINY.crop, 0, 8, 0, pinned=True)
    scores = []
    for device in ("cpu", "cuda"):
        learner = Learner(TINY, 4, Process(torch.device(device)))
        scores.append(learner.score(batches, lambda _: None).scores)
    np.testing.assert_allclose(*scores, atol=1e-3)


@pytest.mark.parametrize(("device", "pinned"), [("cpu", False), ("cuda", True)])
def test_memory_is_pinned_for_gpus_only(device, pinned):
    assert Process(torch.device(device)).is_on_gpu == pinned
    loader = Batches(load_faces(Settings("synthetic", n_images=12)).training, 15, 0, 4, 0).loader
    assert not loader.pin_memory
