"""An interactive HTML page about scores, classes and thresholds.

The page is a single file that needs no network. It contains counts, never rows, so that its size
does not grow with the data; only a panel of raters adds a few items, by name. All numbers
that it shows are computed exactly from the counts.
"""

from ordcut.report.bands import page_of_bands
from ordcut.report.candidates import Candidates as Candidates
from ordcut.report.comparison import Comparison as Comparison
from ordcut.report.comparison import compare as compare
from ordcut.report.curves import Curve as Curve
from ordcut.report.curves import Curves as Curves
from ordcut.report.curves import curves as curves
from ordcut.report.curves import curves_of_counts as curves_of_counts
from ordcut.report.pages import known_classes as known_classes
from ordcut.report.pages import page, page_from_frame
from ordcut.report.pages import page_from_source as page_from_source

# The other names are for plots and for the command line.
__all__ = ["page", "page_from_frame", "page_of_bands"]
