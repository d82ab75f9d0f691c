"""Panels: items that several raters have rated, as labels and as a measure of agreement."""

from ordcut.panels.agreement import Agreement as Agreement
from ordcut.panels.agreement import compares_ratings as compares_ratings
from ordcut.panels.gate import Change as Change
from ordcut.panels.gate import Month as Month
from ordcut.panels.gate import change_of_agreement as change_of_agreement
from ordcut.panels.gate import change_of_bias as change_of_bias
from ordcut.panels.gate import optimism as optimism
from ordcut.panels.gate import verdict as verdict
from ordcut.panels.panel import Panel as Panel
from ordcut.panels.source import PanelSource as PanelSource
