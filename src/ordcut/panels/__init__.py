"""Panels: items that several raters have rated, as labels and as a measure of agreement."""

from ordcut.panels.agreement import Agreement as Agreement
from ordcut.panels.panel import Panel as Panel

__all__ = ["Agreement", "Panel"]
