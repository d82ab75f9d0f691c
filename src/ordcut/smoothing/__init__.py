"""Labels blended with the class probabilities of a model of the scores.

Thresholds that are optimal for few rows follow their noise. The same solvers, run on observed
labels mixed with probabilities that a one-dimensional model reads off the scores, follow it less.
"""

from ordcut.smoothing.blending import Smoothed, Smoothing, check_smoothing, smooth

__all__ = ["Smoothed", "Smoothing", "check_smoothing", "smooth"]
