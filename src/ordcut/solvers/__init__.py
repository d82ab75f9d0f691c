"""The solvers: functions that turn sorted rows and a cost matrix into cuts."""

from ordcut.solvers.choose import METHODS as METHODS
from ordcut.solvers.choose import SOLVERS as SOLVERS
from ordcut.solvers.choose import Method as Method
from ordcut.solvers.choose import Minimiser as Minimiser
from ordcut.solvers.choose import Plan as Plan
from ordcut.solvers.choose import Solution as Solution
from ordcut.solvers.choose import SortedBy as SortedBy
from ordcut.solvers.choose import Task as Task
from ordcut.solvers.choose import check_costs as check_costs
from ordcut.solvers.choose import choose_method as choose_method
from ordcut.solvers.choose import optimise as optimise
from ordcut.solvers.choose import solve_freely as solve_freely
from ordcut.solvers.choose import weighted_cost as weighted_cost
from ordcut.solvers.nested import cut_ranges as cut_ranges
from ordcut.solvers.nested import solve_nested_between as solve_nested_between
from ordcut.solvers.ratio import ExactKappa as ExactKappa
from ordcut.solvers.segment_sums import best_segments as best_segments
from ordcut.solvers.store import Store as Store
from ordcut.solvers.windows import SegmentWindow as SegmentWindow
from ordcut.solvers.windows import Windows as Windows
from ordcut.solvers.windows import best_candidates as best_candidates
from ordcut.solvers.windows import is_feasible as is_feasible
from ordcut.solvers.windows import sums_at as sums_at
