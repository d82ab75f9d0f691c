"""Thresholds: the result, where they go between scores, JSON, and rules for other systems."""

from ordcut._core.thresholds.certificate import Certificate as Certificate
from ordcut._core.thresholds.certificate import Sums as Sums
from ordcut._core.thresholds.certificate import Verified as Verified
from ordcut._core.thresholds.certificate import reason as reason
from ordcut._core.thresholds.explanation import LEVEL as LEVEL
from ordcut._core.thresholds.explanation import explained as explained
from ordcut._core.thresholds.explanation import how_sure as how_sure
from ordcut._core.thresholds.origin import OriginalRows as OriginalRows
from ordcut._core.thresholds.origin import objective_for as objective_for
from ordcut._core.thresholds.origin import original_rows as original_rows
from ordcut._core.thresholds.outcomes import ConstraintOutcome as ConstraintOutcome
from ordcut._core.thresholds.outcomes import Promise as Promise
from ordcut._core.thresholds.outcomes import as_written as as_written
from ordcut._core.thresholds.outcomes import percent as percent
from ordcut._core.thresholds.report import as_frame as as_frame
from ordcut._core.thresholds.result import UNKNOWN as UNKNOWN
from ordcut._core.thresholds.result import Thresholds as Thresholds
from ordcut._core.thresholds.rules import class_literals as class_literals
from ordcut._core.thresholds.storage import json_text as json_text
from ordcut._core.thresholds.storage import numbers_in as numbers_in
from ordcut._core.thresholds.storage import read_limited as read_limited
from ordcut._core.thresholds.storage import to_dict as to_dict
