"""Colours that keep their order in grey, on paper and for the colour-blind."""

import numpy as np
import pytest

from ordcut.plots.style import ordered_colours

#: Machado, Oliveira and Fernandes (2009), full deuteranopia and protanopia, on linear RGB.
BLINDNESS = {
    "none": np.eye(3),
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
}


def lightness(colours):
    """CIE L*, from 0 to 100, of linear RGB."""
    luminance = np.clip(colours, 0, 1) @ [0.2126, 0.7152, 0.0722]
    return 116 * np.cbrt(luminance) - 16


def linear(colours):
    return np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)


@pytest.mark.parametrize("cmap", ["viridis", "cividis"])
@pytest.mark.parametrize("kind", BLINDNESS)
@pytest.mark.parametrize(("n_classes", "step"), [(2, 55), (3, 27), (5, 13), (7, 8), (50, 0)])
def test_neighbours_differ_in_lightness_for_everybody(cmap, kind, n_classes, step):
    colours = linear(ordered_colours(n_classes, cmap)[:, :3])
    steps = np.diff(lightness(colours @ np.transpose(BLINDNESS[kind])))
    assert (steps > step).all()


@pytest.mark.parametrize("cmap", ["viridis", "cividis"])
def test_the_lightest_colour_can_be_seen_on_paper(cmap):
    assert lightness(linear(ordered_colours(9, cmap)[:, :3])).max() < 80
