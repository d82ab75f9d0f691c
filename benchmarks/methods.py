"""The methods there are, so that a new one is measured without a change here."""

from ordcut.solvers import SOLVERS

ALL = [*SOLVERS, "auto"]

#: The methods that are optimal for any objective, convex or not.
FOR_ANY_OBJECTIVE = [name for name in SOLVERS if SOLVERS[name].needs == "nothing"] + ["auto"]
