"""The solvers: functions that turn sorted rows and a cost matrix into cuts."""

from ordcut._core.solvers.choose import METHODS as METHODS
from ordcut._core.solvers.choose import SOLVERS as SOLVERS
from ordcut._core.solvers.choose import FreeSteps as FreeSteps
from ordcut._core.solvers.choose import Method as Method
from ordcut._core.solvers.choose import Minimiser as Minimiser
from ordcut._core.solvers.choose import Plan as Plan
from ordcut._core.solvers.choose import Task as Task
from ordcut._core.solvers.choose import choose_method as choose_method
from ordcut._core.solvers.choose import solve_freely as solve_freely
from ordcut._core.solvers.choose import solver_of as solver_of
from ordcut._core.solvers.nested import cut_ranges as cut_ranges
from ordcut._core.solvers.nested import solve_nested_between as solve_nested_between
from ordcut._core.solvers.segment_sums import best_segments as best_segments
from ordcut._core.solvers.store import Store as Store
from ordcut._core.solvers.windows import SegmentWindow as SegmentWindow
from ordcut._core.solvers.windows import Windows as Windows
from ordcut._core.solvers.windows import best_candidates as best_candidates
from ordcut._core.solvers.windows import is_feasible as is_feasible
from ordcut._core.solvers.windows import sums_at as sums_at
