"""Labels blended with the class probabilities of a model of the scores.

Thresholds that are optimal for few rows follow their noise. The solvers follow it less if they run
on observed labels mixed with the probabilities of a model with the score as its only feature.
"""

from ordcut._core.smoothing.blending import Smoothed, Smoothing, check_smoothing, smooth

__all__ = ["Smoothed", "Smoothing", "check_smoothing", "smooth"]
