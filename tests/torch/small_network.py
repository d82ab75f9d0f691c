"""A small network with a tracker, and rows of four ordered classes, for many training tools."""

import torch

from ordcut.torch import CumulativeLinkLoss, ThresholdTracker

N_CLASSES = 4


def make_rows(n=60, seed=0):
    """Rows of three features whose sum, with noise, makes the class."""
    generator = torch.Generator().manual_seed(seed)
    features = torch.randn(n, 3, generator=generator)
    latent = features.sum(1) + 0.8 * torch.randn(n, generator=generator)
    return features, (latent + 2).clamp(0, N_CLASSES - 1).long()


class Network(torch.nn.Module):
    """A slope for each feature; the score of a row does not depend on its batch at all."""

    def __init__(self, **options):
        super().__init__()
        self.slopes = torch.nn.Parameter(torch.tensor([0.2, 0.9, 0.5]))
        self.loss = CumulativeLinkLoss(N_CLASSES)
        self.tracker = ThresholdTracker(N_CLASSES, **options)

    def scores(self, features):
        return (features * self.slopes).sum(dim=1)

    def forward(self, features):
        """Return labels, as a model in production does."""
        return self.tracker(self.scores(features))


def train(network, n_steps=10, lr=0.1):
    optimiser = torch.optim.Adam(network.parameters(), lr=lr)
    features, labels = make_rows()
    for _ in range(n_steps):
        optimiser.zero_grad()
        network.loss(network.scores(features), labels).backward()
        optimiser.step()
    return network


def find_thresholds(network):
    """Find the thresholds of a network in the way that a training loop does."""
    network.tracker.reset()
    features, labels = make_rows()
    with torch.no_grad():
        network.tracker.update(network.scores(features), labels)
    return network.tracker.compute()


def trained_network(**options):
    network = train(Network(**options))
    find_thresholds(network)
    return network
