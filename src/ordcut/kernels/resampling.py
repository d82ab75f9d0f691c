"""The loops that draw rows from sorted ones."""

from __future__ import annotations

from ordcut.arrays import Bools, Codes, Floats, Ints
from ordcut.jit import kernel


@kernel(steps=lambda gaps, *_: 4 * gaps.size)
def rows_at(gaps: Floats, n_rows: int, drawn: Ints) -> None:
    """Find the rows at places drawn at random, in order, given the gaps between the places.

    Place ``i`` is the sum of the gaps up to ``i``, scaled so that all gaps, one more than there are
    places, span the rows. O(len(gaps)) time.
    """
    total = 0.0
    for i in range(len(gaps)):
        total += gaps[i]
    scale = n_rows / total
    place = 0.0
    for i in range(len(drawn)):
        place += gaps[i]
        row = int(place * scale)
        drawn[i] = row if row < n_rows else n_rows - 1  # the last place can round up


@kernel(steps=lambda drawn, *_: 4 * drawn.size)
def take_rows(
    drawn: Ints, codes: Codes, score_number: Ints, drawn_codes: Codes, ends: Bools
) -> None:
    """Take the classes of the rows drawn, and mark the last row of each score.

    ``score_number`` is empty where no two rows have one score. O(len(drawn)) time.
    """
    has_ties = len(score_number) > 0
    before = -1
    for i in range(len(drawn)):
        row = drawn[i]
        drawn_codes[i] = codes[row]
        number = score_number[row] if has_ties else row
        ends[max(i, 1) - 1] = number != before  # of the row before; of the first one, overwritten
        before = number
    ends[len(drawn) - 1] = True
