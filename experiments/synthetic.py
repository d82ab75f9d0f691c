"""A synthetic data set of ordinal images: simple faces of different ages."""

from __future__ import annotations

import numpy as np

from experiments.pictures import Pictures
from experiments.typing import Array, Floats

#: The number of faces that are drawn together, which limits memory.
CHUNK = 256

#: The standard deviation of the noise in the features of a face, relative to the range of ages.
NOISE = 0.08


def draw_faces(n: int, n_classes: int, size: int, seed: int) -> Pictures:
    """Return random pictures of faces with their classes; every class occurs.

    With the class, hair turns from dark to grey, the forehead wrinkles, the face gets wider and
    the eyes smaller; skin, position, light and noise are random.

    Examples
    --------
    >>> faces = draw_faces(12, n_classes=3, size=16, seed=0)
    >>> faces.square(0).shape, np.bincount(faces.labels)
    ((16, 16, 3), array([5, 3, 4]))
    """
    if n < n_classes:
        raise ValueError(f"n-images must be at least one per class, {n_classes}, got {n}.")
    rng = np.random.default_rng(seed)
    labels = rng.binomial(n_classes - 1, rng.beta(2, 2, n))
    labels[rng.permutation(n)[:n_classes]] = np.arange(n_classes)
    age = (labels + rng.random(n)) / n_classes + NOISE * rng.standard_normal(n)
    pixels = np.empty((n, size, size, 3), np.uint8)
    for start in range(0, n, CHUNK):
        pixels[start : start + CHUNK] = _draw(age[start : start + CHUNK], size, rng)
    names = [f"face {index}" for index in range(n)]
    return Pictures(names, labels.astype(np.int64), size, pixels=pixels)


def _draw(age: Floats, size: int, rng: np.random.Generator) -> Array:
    """Return the pixels of one face per age, where ages are from about 0 to 1."""

    def uniform(low: float, high: float) -> Floats:
        return rng.uniform(low, high, (len(age), 1, 1))

    def colour(red: Floats, green: Floats, blue: Floats) -> Floats:
        return np.stack(np.broadcast_arrays(red, green, blue), axis=-1)

    old = age.reshape(-1, 1, 1)
    line = np.linspace(-1, 1, size)
    x, y = line - uniform(-0.15, 0.15), line[:, None] - uniform(-0.15, 0.15)
    light, skin = uniform(0.75, 1.0), uniform(0.5, 0.85)
    background = colour(uniform(0, 1), uniform(0, 1), uniform(0, 1))
    image = np.broadcast_to(background, (len(age), size, size, 3))
    width = 0.45 + 0.25 * old
    face = (x / width) ** 2 + (y / 0.8) ** 2 < 1
    wrinkles = 0.25 * old.clip(0) * (np.sin(26 * y) > 0) * (y > -0.45) * (y < -0.1)
    image = np.where(
        face[..., None], colour(skin - wrinkles, 0.8 * skin - wrinkles, 0.6 * skin), image
    )
    hair = 0.1 + 0.75 * old
    image = np.where((face & (y < -0.45))[..., None], colour(hair, hair, hair), image)
    eyes = (np.abs(x) - 0.22) ** 2 + y**2 < (0.14 - 0.08 * old) ** 2
    image = np.where(eyes[..., None], 0.05, image)
    image = image * light[..., None] + 0.04 * rng.standard_normal(image.shape)
    return np.asarray((255 * image.clip(0, 1)).astype(np.uint8))
