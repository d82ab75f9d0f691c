"""Limits: constraints, the forms they are lowered to, and the best thresholds within them."""

from ordcut.limits.constraints import Constraint as Constraint
from ordcut.limits.constraints import Count as Count
from ordcut.limits.constraints import Over as Over
from ordcut.limits.constraints import Precision as Precision
from ordcut.limits.constraints import Recall as Recall
from ordcut.limits.constraints import Share as Share
from ordcut.limits.constraints import Under as Under
from ordcut.limits.forms import Distance as Distance
from ordcut.limits.forms import Form as Form
from ordcut.limits.forms import Interval as Interval
from ordcut.limits.forms import Limits as Limits
from ordcut.limits.forms import Outcome as Outcome
from ordcut.limits.forms import Ratio as Ratio
from ordcut.limits.grid import Grid as Grid
from ordcut.limits.names import Names as Names
from ordcut.limits.region import region_of as region_of
from ordcut.limits.search import LimitedSearch as LimitedSearch
from ordcut.limits.text import Constraints as Constraints
from ordcut.limits.text import read_constraints as read_constraints
from ordcut.limits.values import Allowed as Allowed
from ordcut.limits.values import Between as Between
from ordcut.limits.values import Digits as Digits
from ordcut.limits.values import Fixed as Fixed
from ordcut.limits.values import Gap as Gap
