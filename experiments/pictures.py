"""Labelled pictures, in files or in memory, and batches of their crops for the network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset, Sampler

from experiments.typing import Array, Ints

#: The errors that Pillow raises for a file that is not a picture, or is truncated.
READ_ERRORS = (OSError, SyntaxError, ValueError, Image.DecompressionBombError)

#: The number of pictures that a worker checks before it reports progress.
N_CHECKED_TOGETHER = 64


@dataclass(frozen=True)
class Pictures:
    """Labelled pictures; each is resized to a square of side ``size``.

    Attributes
    ----------
    names : list of str
        The path of each picture relative to ``root``, or its name if it is in memory.
    labels : ndarray of shape (n,)
        Classes 0..K-1.
    size : int
        The side of the square.
    root : Path
        The folder of the files.
    subjects : list of str, optional
        The person in each picture.
    pixels : ndarray of shape (n, size, size, 3), optional
        Pictures in memory. If None, each picture is read from its file when it is used.

    Examples
    --------
    >>> pixels = np.zeros((2, 8, 8, 3), np.uint8)
    >>> pictures = Pictures(["a", "b"], np.array([0, 1]), size=8, pixels=pixels)
    >>> len(pictures), pictures.square(1).shape, pictures.take(np.array([1])).names
    (2, (8, 8, 3), ['b'])
    """

    names: list[str]
    labels: Ints
    size: int
    root: Path = Path()
    subjects: list[str] | None = None
    pixels: Array | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.names)

    def square(self, index: int) -> Array:
        """Return the pixels of a picture, resized, as bytes of shape (size, size, 3)."""
        if self.pixels is not None:
            return np.asarray(self.pixels[index])
        with Image.open(self.root / self.names[index]) as image:
            square = image.convert("RGB").resize((self.size, self.size), Image.Resampling.BILINEAR)
        return np.asarray(square)

    def take(self, indices: Ints) -> Pictures:
        """Return the pictures at the given indices."""
        return replace(
            self,
            names=[self.names[i] for i in indices],
            labels=self.labels[indices],
            subjects=None if self.subjects is None else [self.subjects[i] for i in indices],
            pixels=None if self.pixels is None else self.pixels[indices],
        )


class Crops(Dataset[tuple[torch.Tensor, int]]):
    """Square crops of pictures, by epoch and index: at random positions, or at epoch 0 the centre.

    The position of a crop depends only on the seed, the epoch and the index of the picture. So it
    does not depend on the number of worker processes.

    Examples
    --------
    >>> pixels = np.arange(192, dtype=np.uint8).reshape(1, 8, 8, 3)
    >>> crops = Crops(Pictures(["a"], np.array([5]), size=8, pixels=pixels), side=6, seed=0)
    >>> crop, label = crops[0, 0]
    >>> crop.shape, crop[0, 0, 0].item(), pixels[0, 1, 1, 0].item(), label
    (torch.Size([3, 6, 6]), 27, 27, 5)
    """

    def __init__(self, pictures: Pictures, side: int, seed: int) -> None:
        self.pictures = pictures
        self.side = side
        self.seed = seed

    def __len__(self) -> int:
        return len(self.pictures)

    def __getitem__(self, key: tuple[int, int]) -> tuple[torch.Tensor, int]:
        epoch, index = key
        try:
            square = self.pictures.square(index)
        except READ_ERRORS as error:
            name = self.pictures.root / self.pictures.names[index]
            raise RuntimeError(f"{name} can no longer be read: {error}.") from error
        margin = self.pictures.size - self.side
        top = left = margin // 2
        if epoch > 0:
            rng = np.random.default_rng((self.seed, epoch, index))
            top, left = rng.integers(margin + 1, size=2)
        crop = square[top : top + self.side, left : left + self.side]
        chw = torch.from_numpy(np.ascontiguousarray(crop.transpose(2, 0, 1)))
        return chw, int(self.pictures.labels[index])


@dataclass(frozen=True)
class Share:
    """The share of a process in each batch: every ``count``-th row, from row ``rank`` on."""

    rank: int = 0
    count: int = 1


class EpochOrder(Sampler[list[tuple[int, int]]]):
    """Batches of pictures in an order that depends only on the seed and the epoch.

    At epoch 0, pictures keep their order. If one picture is left over at the end, it joins the
    previous batch, since batch normalisation needs two. With several processes, each gets its share
    of every batch, which is two pictures or more.

    Examples
    --------
    >>> order = EpochOrder(5, seed=0, batch_size=2)
    >>> [[index for _, index in batch] for batch in order]
    [[0, 1], [2, 3, 4]]
    >>> [[index for _, index in batch] for batch in EpochOrder(10, 0, 4, Share(1, 2))]
    [[1, 3], [5, 7, 9]]
    """

    def __init__(self, n: int, seed: int, batch_size: int, share: Share | None = None) -> None:
        self.n = n
        self.seed = seed
        self.batch_size = batch_size
        self.share = share or Share()
        self.epoch = 0

    def __len__(self) -> int:
        smallest = 2 * self.share.count
        return max(1, -(-(self.n - smallest + 1) // self.batch_size)) if self.n else 0

    @property
    def bounds(self) -> list[tuple[int, int]]:
        """The first index of each batch, and the index after its last."""
        starts = [batch * self.batch_size for batch in range(len(self))]
        return list(zip(starts, [*starts[1:], self.n], strict=True))

    def __iter__(self) -> Iterator[list[tuple[int, int]]]:
        indices: list[int] = list(range(self.n))
        if self.epoch > 0:
            indices = np.random.default_rng((self.seed, self.epoch)).permutation(self.n).tolist()
        for first, last in self.bounds:
            own = indices[first:last][self.share.rank :: self.share.count]
            yield [(self.epoch, index) for index in own]


class Batches:
    """Batches of crops as bytes, which worker processes read; they run during all epochs.

    A GPU copies batches from pinned memory while it computes.

    Examples
    --------
    >>> pixels = np.zeros((5, 8, 8, 3), np.uint8)
    >>> pictures = Pictures([*"abcde"], np.arange(5), size=8, pixels=pixels)
    >>> batches = Batches(pictures, side=6, seed=0, batch_size=3, workers=0)
    >>> [labels.tolist() for _, labels in batches.centred()]
    [[0, 1, 2], [3, 4]]
    >>> sorted(label for _, labels in batches.shuffled(epoch=1) for label in labels.tolist())
    [0, 1, 2, 3, 4]
    >>> batches.sizes
    [3, 2]
    """

    def __init__(
        self,
        pictures: Pictures,
        side: int,
        seed: int,
        batch_size: int,
        workers: int,
        share: Share | None = None,
        pinned: bool = False,
    ) -> None:
        self.order = EpochOrder(len(pictures), seed, batch_size, share)
        self.loader = DataLoader(
            Crops(pictures, side, seed),
            batch_sampler=self.order,
            num_workers=workers,
            persistent_workers=workers > 0,
            pin_memory=pinned,
        )

    def __len__(self) -> int:
        return len(self.order)

    @property
    def sizes(self) -> list[int]:
        """The number of pictures in each batch, including those of other processes."""
        return [last - first for first, last in self.order.bounds]

    def shuffled(self, epoch: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """Return batches of the random crops of an epoch, in random order; epochs count from 1."""
        self.order.epoch = epoch
        return iter(self.loader)

    def centred(self) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """Return batches of the centre crops of all pictures, in the order of the pictures."""
        self.order.epoch = 0
        return iter(self.loader)


class _PictureCheck(Dataset[tuple[int, str]]):
    """The index of each picture, and the error of reading it, which is empty for intact ones."""

    def __init__(self, pictures: Pictures) -> None:
        self.pictures = pictures

    def __len__(self) -> int:
        return len(self.pictures)

    def __getitem__(self, index: int) -> tuple[int, str]:
        try:
            self.pictures.square(index)
        except READ_ERRORS as error:
            return index, str(error).replace(str(self.pictures.root) + "/", "")
        return index, ""


def find_damaged(
    pictures: Pictures, workers: int, advance: Callable[[int], object]
) -> dict[int, str]:
    """Read every picture, and return the errors of those that cannot be read, by index."""
    loader = DataLoader(
        _PictureCheck(pictures), N_CHECKED_TOGETHER, num_workers=workers, collate_fn=_as_list
    )
    damaged: dict[int, str] = {}
    for results in loader:
        damaged |= {index: error for index, error in results if error}
        advance(len(results))
    return damaged


def _as_list(results: list[tuple[int, str]]) -> list[tuple[int, str]]:
    return results
