"""Plots of scores, thresholds and risks, with matplotlib, in the manner of scikit-learn's displays.

Colours are ordered as the classes are, by lightness too, so that the order survives colour
blindness and grey printers.
"""

from ordcut.plots.display import ThresholdDisplay
from ordcut.plots.drawing import new_axes as new_axes
from ordcut.plots.drawing import ordered_colours as ordered_colours

# The other names are for what else in the library can be plotted.
__all__ = ["ThresholdDisplay"]
