"""Thresholds: the result, where they go between scores, JSON, and rules for other systems."""

from ordcut.thresholds.certificate import Certificate as Certificate
from ordcut.thresholds.certificate import Sums as Sums
from ordcut.thresholds.certificate import Verified as Verified
from ordcut.thresholds.certificate import reason as reason
from ordcut.thresholds.explanation import LEVEL as LEVEL
from ordcut.thresholds.explanation import explained as explained
from ordcut.thresholds.explanation import how_sure as how_sure
from ordcut.thresholds.origin import OriginalRows as OriginalRows
from ordcut.thresholds.origin import objective_for as objective_for
from ordcut.thresholds.origin import original_rows as original_rows
from ordcut.thresholds.outcomes import ConstraintOutcome as ConstraintOutcome
from ordcut.thresholds.outcomes import Promise as Promise
from ordcut.thresholds.outcomes import as_written as as_written
from ordcut.thresholds.outcomes import percent as percent
from ordcut.thresholds.placing import known_scores_around as known_scores_around
from ordcut.thresholds.placing import place_between as place_between
from ordcut.thresholds.placing import place_cuts as place_cuts
from ordcut.thresholds.placing import place_known as place_known
from ordcut.thresholds.placing import scores_around as scores_around
from ordcut.thresholds.report import as_frame as as_frame
from ordcut.thresholds.result import UNKNOWN as UNKNOWN
from ordcut.thresholds.result import Thresholds as Thresholds
from ordcut.thresholds.rules import class_literals as class_literals
from ordcut.thresholds.storage import numbers_in as numbers_in
from ordcut.thresholds.storage import to_dict as to_dict
