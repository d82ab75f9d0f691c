"""A precision that is promised for new rows, by tests in a fixed order.

Given the score below a cut, the rows above the cut are independent draws from the population above
that score, so that the number of right ones is binomial. Cuts are tested from the end of the order
inwards, at numbers of rows that do not depend on labels, until a test fails: with the confidence,
none of those passed has a precision below the limit, so that any of them may be chosen.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf
from typing import ClassVar

import numpy as np

from ordcut._core.data import ClassShares
from ordcut._core.errors import Shortage
from ordcut._core.limits.form import Form
from ordcut._core.limits.forms import NO_PROMISE, Outcome, Ratio
from ordcut._core.limits.guarantee import Guarantee, fewest_rows
from ordcut._core.numerics.exact import as_fraction
from ordcut._core.thresholds import Promise
from ordcut._core.typing import Array, Bools, Ints

#: Each test tolerates more wrong rows than the test before, and has this many times its rows at
#: least: a number of rows between would be as likely to end the tests, and gain little.
GROWTH = 1.05

#: The first test passes with a wrong row for every so many times the fewest rows that could pass,
#: up to a number: with more rows, a test that no wrong row passes is no longer the best start.
FEWEST_PER_WRONG_ROW, MOST_WRONG_ROWS = 50, 5

#: How many times as many rows are considered, where there are too few.
MOST_TIMES_MORE = 1 << 10


@dataclass(frozen=True, eq=False)
class PromisedPrecision(Form):
    """A least precision of the lowest or the highest decisions, promised for new rows.

    Attributes
    ----------
    ratio : Ratio
        The precision on the rows at hand, with its least value.
    confidence : float
        The probability, over the rows at hand, with which the precision is reached on new rows of
        the same kind.

    Examples
    --------
    >>> right, every = np.array([[0, 0], [0, 1]]), np.array([[0, 0], [1, 1]])
    >>> form = PromisedPrecision(Ratio(right, every, at_least=0.9), 0.95)
    >>> n_rows = n_right = np.array([29, 28, 10])
    >>> form.passed(n_rows, n_right, Fraction(1))
    array([ True, False, False])
    """

    ratio: Ratio
    confidence: float

    kind: ClassVar[str] = "promised precision"

    def __post_init__(self) -> None:
        whole, reach = self.ratio.whole, self.ratio.reach
        ends = (False, False) if whole is None else (whole[0].any(), whole[-1].any())
        if reach.kind != "threshold" or ends[0] == ends[1]:
            raise ValueError(
                "cannot have a confidence: a precision can be promised for the lowest or the "
                "highest decision, or for a group at an end such as 'high or lower', whose rows "
                "are beyond one threshold. Leave out the confidence, or limit the recall instead."
            )
        if self.ratio.at_most is not None:
            raise ValueError(
                "cannot have a confidence: only a minimum of a precision can be promised."
            )

    @property
    def without_confidence(self) -> Ratio:
        """The precision as it was stated, to be judged on new rows."""
        return self.ratio

    @property
    def index(self) -> int:
        """The index of the threshold."""
        return self.ratio.reach.index

    @property
    def end(self) -> int:
        """The index of the decision at the end of the order: 0 or -1."""
        assert self.ratio.whole is not None
        return 0 if self.ratio.whole[0].any() else -1

    @property
    def steps(self) -> tuple[Array, Array]:
        """How much a row of each class counts, if it gets the decision, and if it is right (K,)."""
        assert self.ratio.whole is not None
        return self.ratio.whole[self.end], self.ratio.part[self.end]

    def in_population(self, shares: ClassShares) -> Form:
        """Raise an error: the number of right rows is binomial among the rows at hand only."""
        del shares
        raise ValueError(NO_PROMISE)

    def reached(self, outcome: Outcome) -> float:
        """Return the precision on the rows at hand; NaN if no row gets the decision."""
        return self.ratio.reached(outcome)

    def promise(self, outcome: Outcome) -> Promise:
        """Return the precision that is promised for new rows."""
        del outcome
        return Promise(float(self._least), self.confidence, "fixed sequence")

    def holds(self, outcome: Outcome) -> bool:
        """Return whether the rows that get the decision pass their own test."""
        right, every = self.ratio.sums(outcome)
        n_rows, n_right = int(every * outcome.unit), int(right * outcome.unit)
        return n_rows - n_right <= self._most_wrong(n_rows)

    def passed(self, n_rows: Ints, n_right: Ints, unit: Fraction) -> Bools:
        """Return for each cut whether its test is passed, and all tests before it.

        ``n_rows`` get the decision at each cut, in ascending order, and ``n_right`` of them are
        right, in multiples of ``unit``. Cuts between two that passed are as good, and pass if they
        have no more wrong rows than the test before them tolerates.
        """
        passed = np.zeros(len(n_rows), bool)
        inwards, wrong = passed[self._inwards], (n_rows - n_right)[self._inwards]
        before: slice | None = None
        tolerated = 0
        for own, most in self._sequence(n_rows, n_right, unit):
            if before is not None:
                between = slice(before.stop, own.start)
                inwards[between] = wrong[between] <= int(tolerated / unit)
            inwards[own] = True
            before, tolerated = own, most
        return passed

    def shortage(self, n_rows: Ints, n_right: Ints, unit: Fraction, kind: str) -> Shortage | None:
        """Return about how many rows like these could promise the precision; None if they can.

        ``kind`` is what the rows are called.
        """

        def is_enough(times: int) -> bool:
            return next(self._sequence(n_rows, n_right, times * unit), None) is not None

        if is_enough(1):
            return None
        available, enough = int(n_rows[self._inwards][-1] * unit), 2
        while not is_enough(enough) and enough < MOST_TIMES_MORE:
            enough *= 2
        if not is_enough(enough):
            return Shortage(inf, available, kind)
        between = range(enough // 2, enough)
        times = between[0] + bisect_left(between, True, key=is_enough)
        return Shortage(times * available, available, kind)

    def _sequence(self, n_rows: Ints, n_right: Ints, unit: Fraction) -> Iterator[tuple[slice, int]]:
        """Yield the cuts of each test that passes, and how many wrong rows it tolerates.

        A test is on the rows of a rank and those that are tied with the last of them. Cuts are
        counted from the end inwards.
        """
        sizes, right, last = n_rows[self._inwards], n_right[self._inwards], 0
        for rank in self._ranks(int(sizes[-1] * unit) if len(sizes) else 0):
            first = int(np.searchsorted(sizes, ceil(rank / unit), "left"))
            size = int(sizes[first] * unit)
            if size == last:
                continue
            most = self._most_wrong(size)
            if size - int(right[first] * unit) > most:
                return
            yield slice(first, int(np.searchsorted(sizes, sizes[first], "right"))), most
            last = size

    def _ranks(self, n_rows: int) -> Iterator[int]:
        """Yield the numbers of rows that are tested, in ascending order."""
        share, risk = 1 - self._least, self._risk
        fewest = Guarantee(n_rows, None, share, risk, "binomial").rows_needed
        if fewest > n_rows:
            return
        wrong = min(MOST_WRONG_ROWS, n_rows // (FEWEST_PER_WRONG_ROW * max(int(fewest), 1)))
        rank = fewest_rows(wrong, share, risk)
        while rank < n_rows:
            yield rank
            more = self._most_wrong(rank) + 1
            rank = max(int(rank * GROWTH), fewest_rows(more, share, risk))
        yield n_rows

    def _most_wrong(self, n_rows: int) -> int:
        """Return the largest number of wrong rows with which a test on ``n_rows`` is passed."""
        counts = Guarantee(n_rows, None, 1 - self._least, self._risk, "binomial").counts
        assert counts[1] is not None
        return counts[1]

    @property
    def _inwards(self) -> slice:
        """The order of the cuts from the end inwards."""
        return slice(None, None, -1 if self.end else 1)

    @property
    def _least(self) -> Fraction:
        least = self.ratio.exact_limits[0]
        assert least is not None
        return least

    @property
    def _risk(self) -> Fraction:
        return 1 - as_fraction(self.confidence)
