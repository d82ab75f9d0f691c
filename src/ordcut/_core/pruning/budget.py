"""How much a pruned search of arrays may do before sorting all rows would have been quicker.

Work is counted in steps of about a nanosecond each. It is never timed, so that the same rows are
always solved in the same way.
"""

from __future__ import annotations

#: Steps to sort a row, if by a key of score and class (float32 scores without weights), or if by
#: score and position.
STEPS_TO_SORT = {True: 6, False: 12}

#: Steps to count a row by cells, to look whether it is to be fetched, to fetch it, to count it by
#: parts of its cell, and to sort it if it is left over.
STEPS_TO_COUNT, STEPS_TO_LOOK, STEPS_TO_FETCH, STEPS_TO_SPLIT, STEPS_TO_SORT_LEFT = 2, 1, 2, 5, 20

#: Steps that a round takes for any number of rows.
STEPS_OF_ROUND = 100_000

#: Steps per row that a solver takes on sorted rows, by the kind of cost: the first number, and the
#: second for each class; and for solvers where sums do not fit into int64.
STEPS_TO_SOLVE: dict[str, tuple[float, float]] = {
    "convex": (1.5, 0),
    "equal errors": (6, 0),
    "other": (0, 2),
    "segments": (5, 2),
}
STEPS_TO_SOLVE_EXACTLY: dict[str, tuple[float, float]] = {
    "convex": (15, 0),
    "equal errors": (10, 4),
    "other": (10, 4),
    "segments": (10, 2),
}
