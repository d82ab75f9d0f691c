"""All methods of the library, so that a new one is measured without a change here."""

from ordcut._core.solvers import METHODS, SOLVERS

#: The methods for objectives such as the absolute loss.
OF_SPECIAL_OBJECTIVES = ("equal errors", "segments")
ALL = [
    name
    for name in METHODS
    if name not in SOLVERS or SOLVERS[name].needs not in OF_SPECIAL_OBJECTIVES
]

#: The methods that are optimal for any objective, convex or not.
FOR_ANY_OBJECTIVE = [
    name for name in METHODS if name not in SOLVERS or SOLVERS[name].needs == "nothing"
]
