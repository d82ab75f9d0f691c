"""Panels: items that several raters have rated, as labels and as a measure of agreement."""

from ordcut.panels.agreement import Agreement as Agreement
from ordcut.panels.agreement import compares_ratings as compares_ratings
from ordcut.panels.panel import Panel as Panel
from ordcut.panels.source import PanelSource as PanelSource
