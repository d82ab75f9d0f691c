"""Residual networks with one output, whose parameters have torchvision's names."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class BasicBlock(nn.Module):
    """A residual block: two convolutions of 3 x 3, whose output is added to the input."""

    def __init__(self, n_in: int, n_out: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(n_in, n_out, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(n_out)
        self.conv2 = nn.Conv2d(n_out, n_out, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(n_out)
        self.downsample: nn.Module | None = None
        if stride != 1 or n_in != n_out:
            self.downsample = nn.Sequential(
                nn.Conv2d(n_in, n_out, 1, stride, bias=False), nn.BatchNorm2d(n_out)
            )

    def forward(self, x: Tensor) -> Tensor:
        """Return features of shape (n, n_out, height / stride, width / stride)."""
        shortcut: Tensor = x if self.downsample is None else self.downsample(x)
        x = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(self.bn2(self.conv2(x)) + shortcut)


class ResNet(nn.Module):
    """A residual network that returns one score per image.

    The score is shifted by ``(K - 2) / 2``, the middle of biases that start at 0, 1, ..., K - 2.
    All parameters but those of the last layer, ``fc``, have torchvision's names and shapes, so that
    pretrained ones can be loaded.

    Parameters
    ----------
    blocks : sequence of int
        The number of blocks in each of the four stages.
    n_classes : int
        The number of classes, K.

    Examples
    --------
    >>> import torch
    >>> from experiments.resnet import resnet18
    >>> network = resnet18(n_classes=5).eval()
    >>> network(torch.zeros(2, 3, 64, 64)).shape
    torch.Size([2])
    """

    def __init__(self, blocks: tuple[int, int, int, int], n_classes: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.maxpool = nn.MaxPool2d(3, stride=2, padding=1)
        self.layer1 = _stage(64, 64, blocks[0], 1)
        self.layer2 = _stage(64, 128, blocks[1], 2)
        self.layer3 = _stage(128, 256, blocks[2], 2)
        self.layer4 = _stage(256, 512, blocks[3], 2)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(512, 1)
        self.shift = (n_classes - 2) / 2
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, images: Tensor) -> Tensor:
        """Return one score per image, (n,), for images (n, 3, height, width)."""
        x = self.maxpool(torch.relu(self.bn1(self.conv1(images))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        x = self.avgpool(x).flatten(1)
        # Not in bfloat16, in which scores near 30 are multiples of 1/8.
        with torch.autocast(x.device.type, enabled=False):
            scores: Tensor = self.fc(x.to(self.fc.weight.dtype)).squeeze(1)
        return scores + self.shift


def resnet18(n_classes: int) -> ResNet:
    """Return an untrained :class:`ResNet` with 18 layers.

    Examples
    --------
    >>> from experiments.resnet import resnet18
    >>> sum(values.numel() for values in resnet18(n_classes=55).parameters())
    11177025
    """
    return ResNet((2, 2, 2, 2), n_classes)


def resnet34(n_classes: int) -> ResNet:
    """Return an untrained :class:`ResNet` with 34 layers.

    Examples
    --------
    >>> from experiments.resnet import resnet34
    >>> sum(values.numel() for values in resnet34(n_classes=55).parameters())
    21285185
    """
    return ResNet((3, 4, 6, 3), n_classes)


def _stage(n_in: int, n_out: int, n_blocks: int, stride: int) -> nn.Sequential:
    """Return the blocks of a stage, of which the first one has the stride."""
    later = [BasicBlock(n_out, n_out, 1) for _ in range(n_blocks - 1)]
    return nn.Sequential(BasicBlock(n_in, n_out, stride), *later)
