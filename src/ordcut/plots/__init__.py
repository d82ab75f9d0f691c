"""Plots of scores, thresholds and risks, with matplotlib, in the manner of scikit-learn's displays.

Colours are ordered as the classes are, by lightness too, so that the order survives colour
blindness and grey printers.
"""

from ordcut.plots.display import ThresholdDisplay
from ordcut.plots.drawing import add_legend as add_legend
from ordcut.plots.drawing import draw_bootstrap as draw_bootstrap
from ordcut.plots.drawing import new_axes as new_axes
from ordcut.plots.drawing import ordered_colours as ordered_colours
from ordcut.plots.drawing import pair_names as pair_names
from ordcut.plots.drawing import set_log_scale as set_log_scale
from ordcut.plots.result import plot_thresholds as plot_thresholds

# The other names are for what else in the library can be plotted.
__all__ = ["ThresholdDisplay"]
