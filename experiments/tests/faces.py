"""Tiny folders of real JPEG files in the layouts of the face data sets."""

import numpy as np
from PIL import Image

from experiments.layouts import LAYOUTS

#: The path of a picture of an age, by data set; ``number`` distinguishes pictures of one age.
PATHS = {
    "morph2": lambda age, number: f"{number:06}_{number:02}{'MF'[number % 2]}{age:02}.jpg",
    "cacd": lambda age, number: f"{age}_Some_Body{number % 3}_{number:04}.jpg",
    "afad": lambda age, number: f"AFAD-Full/{age}/{111 + number % 2}/{number}-0.jpg",
}


def write_jpeg(file, grey=128, size=(20, 24)):
    file.parent.mkdir(parents=True, exist_ok=True)
    pixels = np.full((*size, 3), grey, np.uint8)
    Image.fromarray(pixels).save(file, quality=95)


def make_folder(root, dataset, per_age=2):
    """Make pictures of every age that a data set uses, with a grey value of twice the age."""
    layout = LAYOUTS[dataset]
    for age in range(layout.youngest, layout.oldest + 1):
        for number in range(per_age):
            write_jpeg(root / PATHS[dataset](age, number), grey=2 * age)
    return root
