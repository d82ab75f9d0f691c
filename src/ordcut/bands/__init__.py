"""Bands of a score by an outcome: where to cut, and how often."""

from ordcut.bands.bootstrap import BandBootstrap as BandBootstrap
from ordcut.bands.limits import grid_of as grid_of
from ordcut.bands.optimal import optimal_bands as optimal_bands
from ordcut.bands.path import BandPath as BandPath
from ordcut.bands.result import Bands as Bands
