"""The names in the library's own tables, over which tests run.

Whoever adds a row to such a table adds an oracle; ``test_tables.py`` says where.
"""

from ordcut import objectives
from ordcut._core.objectives import named
from ordcut._core.solvers import METHODS as METHODS
from ordcut._core.solvers import SOLVERS
from ordcut.boosting.kernels import LINK_CODES
from ordcut.estimators.links import LINKS as LINKS_OF_ESTIMATORS

COSTS = list(objectives.COSTS)
KAPPAS = list(objectives.KAPPAS)
BALANCED = list(named.BALANCED)
TERMS = list(objectives.TERMS)
#: Objectives that one matrix of costs defines, whatever the rows; and all.
OBJECTIVES = [*COSTS, *KAPPAS]
EVERY_OBJECTIVE = [*OBJECTIVES, *BALANCED, *TERMS]

#: Methods for any cost; for costs whose minima come out in order; and for convex costs.
ANY_COST = ["auto", "pruned", *(name for name, s in SOLVERS.items() if s.needs == "nothing")]
ORDERED = [name for name, solver in SOLVERS.items() if solver.needs == "order"]
CONVEX = [*ANY_COST, *ORDERED, *(name for name, s in SOLVERS.items() if s.needs == "convex")]

LINKS = list(LINKS_OF_ESTIMATORS)
BOOSTED_LINKS = list(LINK_CODES)
