"""Plots of scores, thresholds and risks, with matplotlib, in the manner of scikit-learn's displays.

Colours are ordered as the classes are, by lightness too, so that the order survives colour
blindness and grey printers. Pictures can be read at the width of a column of a paper.
"""

from ordcut.plots.bands import draw_band_path as draw_band_path
from ordcut.plots.bands import draw_bands as draw_bands
from ordcut.plots.diff import draw_old as draw_old
from ordcut.plots.diff import plot_diff as plot_diff
from ordcut.plots.display import ThresholdDisplay
from ordcut.plots.intervals import draw_bootstrap as draw_bootstrap
from ordcut.plots.learning import draw_learning_curve as draw_learning_curve
from ordcut.plots.paths import draw_path as draw_path
from ordcut.plots.result import plot_thresholds as plot_thresholds

# The other names are for what else in the library can be plotted.
__all__ = ["ThresholdDisplay"]
