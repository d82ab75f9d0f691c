"""Pictures, compared as images with those that somebody has looked at."""

import matplotlib as mpl
import pytest
from matplotlib.testing.compare import compare_images

from tests.plots.pictures import DRAWN_BY, FOLDER, PICTURES, draw

#: The root mean square of the differences, of 255.
TOLERANCE = 2


@pytest.mark.skipif(
    not mpl.__version__.startswith(f"{DRAWN_BY}."),
    reason=f"the images were drawn by matplotlib {DRAWN_BY}, and text differs between releases",
)
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_looks_as_it_did(name, tmp_path):
    drawn = tmp_path / f"{name}.png"
    draw(name, drawn)
    difference = compare_images(FOLDER / f"{name}.png", drawn, TOLERANCE)
    assert difference is None, (
        f"{difference}\nIf the new picture is better, draw the images again: "
        "python -m tests.plots.pictures"
    )


def test_every_image_belongs_to_a_picture():
    assert {path.stem for path in FOLDER.glob("*.png")} == set(PICTURES)
