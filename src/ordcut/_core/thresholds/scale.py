"""Whether scores are on the scale of the thresholds, judged by what the record says.

Scores of the same distribution are exchangeable with the scores of the record. So the probability
of each sign of another scale is exact, whatever the distribution: it counts in how many ways the
rows of both can be told apart.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from math import lgamma, log, log1p
from typing import TYPE_CHECKING

import numpy as np

from ordcut._core.errors import DifferentScaleWarning, depth_of_caller, printable
from ordcut._core.thresholds.codes import codes_by_stretch
from ordcut._core.typing import Array, Floats

if TYPE_CHECKING:
    from ordcut._core.thresholds.record import Record
    from ordcut._core.thresholds.result import Thresholds

#: Fewer new rows than the first number, or than the second in the record, are not judged; of more
#: than the third, as many are looked at first.
FEWEST_NEW, FEWEST_KNOWN, SAMPLE_SIZE = 100, 20, 2048

#: A sign counts if it has at most this probability for scores of the same distribution.
LEVEL = 1e-5

#: Nearly all rows, and the largest share in the record for which that is a sign.
NEARLY_ALL, SEVERAL = 0.99, 0.9


@dataclass(frozen=True)
class NewScores:
    """How many new rows get each decision, and where their scores lie.

    Attributes
    ----------
    decided : ndarray of shape (D,)
        The number of rows by decision.
    n_outside : int
        The number of rows whose score is beyond the lowest and the highest of the record.
    low, high : float
        The lowest and the highest score.
    """

    decided: Array
    n_outside: int
    low: float
    high: float

    @classmethod
    def of(cls, thresholds: Floats, record: Record, scores: Array) -> NewScores:
        """Count scores that are not NaN."""
        assert record.scores is not None
        decided = np.zeros(len(thresholds) + 1, np.int64)
        for _, codes in codes_by_stretch(thresholds, scores):
            decided += np.bincount(codes, minlength=len(decided))
        outside = np.count_nonzero((scores < record.scores.low) | (scores > record.scores.high))
        return cls(decided, int(outside), float(scores.min()), float(scores.max()))


def regrouped(counts: Array, positions: Floats, ends: Floats) -> Array:
    """Return counts between ends, given those between positions, which hold the finite ends.

    All are ascending, and the first and the last count are of what lies below and above.

    Examples
    --------
    >>> regrouped(np.array([1, 2, 3]), np.array([0.0, 1.0]), np.array([-np.inf, 1.0, np.inf]))
    array([0, 3, 3, 0])
    """
    below = np.append(0, np.cumsum(counts))
    index = np.searchsorted(positions, ends) + 1
    index[ends == -np.inf], index[ends == np.inf] = 0, -1
    return np.diff(below[[0, *index.tolist(), -1]])


def check_scale(result: Thresholds, scores: Array, *, strict: bool = False) -> None:
    """Warn, or raise an error, if scores cannot be on the scale of the thresholds.

    A result of this session is checked only if ``strict``.
    """
    if result.origin is not None and not strict:
        return
    record = result.record
    if record is None or record.scores is None or len(scores) < FEWEST_NEW:
        return
    step = len(scores) // SAMPLE_SIZE + 1
    problem = scale_problem(result, NewScores.of(result.thresholds, record, scores[::step]))
    if problem is not None and step > 1:
        problem = scale_problem(result, NewScores.of(result.thresholds, record, scores))
    if problem is not None:
        say_problem(problem, strict=strict)


def say_problem(problem: str, *, strict: bool) -> None:
    """Warn of scores on another scale, or raise an error."""
    if strict:
        raise ValueError(problem)
    warnings.warn(problem, DifferentScaleWarning, stacklevel=depth_of_caller())


def scale_problem(result: Thresholds, new: NewScores) -> str | None:
    """Return what is wrong with the scale of new scores, or None if nothing is.

    Examples
    --------
    >>> import ordcut
    >>> result = ordcut.optimal_thresholds([0.1, 0.2, 0.3, 0.4] * 25, [0, 0, 1, 1] * 25)
    >>> new = NewScores.of(result.thresholds, result.record, np.linspace(10, 40, 100))
    >>> print(scale_problem(result, new)[:79])
    scores must be on the scale that the thresholds were found on, from 0.1 to 0.4,
    """
    record = result.record
    assert record is not None
    known = record.scores
    size = record.effective_rows or record.rows or 0
    n, m = round(size), int(new.decided.sum())
    if known is None or n < FEWEST_KNOWN or m < FEWEST_NEW:
        return None
    sign = _sign(result, record, new, n, m)
    if sign is None:
        return None
    return (
        f"scores must be on the scale that the thresholds were found on, from {known.low:.6g} to "
        f"{known.high:.6g}, got scores from {new.low:.6g} to {new.high:.6g}: {sign}. Pass scores "
        "of the same model on the same scale, or find thresholds for these."
    )


def _sign(result: Thresholds, record: Record, new: NewScores, n: int, m: int) -> str | None:
    """Return the first sign that scores are on another scale."""
    outside = new.n_outside
    if 2 * outside > m and _all_new(outside, n, m) < log(LEVEL):
        return f"{outside / m:.0%} of them are outside".replace("%", " %")
    names = [printable(str(name)) for name in result.decisions.tolist()]
    top = int(new.decided.argmax())
    share, rest = float(record.shares[top]), m - int(new.decided[top])
    if rest <= (1 - NEARLY_ALL) * m and share <= SEVERAL:
        known_rest = n - round(share * n)
        if _at_most(rest, known_rest + rest, n, m) < log(LEVEL):
            return (
                f"{1 - rest / m:.1%} of the rows get {names[top]}, and {share:.1%} did where the "
                "thresholds were found"
            ).replace("%", " %")
    below, known_below = np.cumsum(new.decided)[:-1], np.cumsum(record.shares)[:-1]
    level = log(LEVEL) - log(2 * max(1, len(below)))
    for k, threshold in enumerate(result.thresholds.tolist()):
        if not np.isfinite(threshold):
            continue
        for n_rows, share_there, where in (
            (m - below[k], 1 - known_below[k], "reaches"),
            (below[k], known_below[k], "is below"),
        ):
            if n_rows == 0 and _at_most(0, round(share_there * n), n, m) < level:
                return (
                    f"no score {where} the threshold {threshold:.6g} between {names[k]} and "
                    f"{names[k + 1]}, and {share_there:.1%} did where the thresholds were found"
                ).replace("%", " %")
    return None


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def _all_new(count: int, n: int, m: int) -> float:
    """Return the log-probability that given ranks among n + m rows are all of new rows.

    As the rows outside can be at both ends, there are count + 1 ways to share them.
    """
    return _log_choose(m, count) - _log_choose(n + m, count) + log1p(count)


def _at_most(most: int, count: int, n: int, m: int) -> float:
    """Return the log-probability that at most so many of count given rows of n + m are new ones."""
    total = _log_choose(n + m, count)
    terms = [
        _log_choose(m, x) + _log_choose(n, count - x) - total
        for x in range(max(0, count - n), min(most, m, count) + 1)
    ]
    return float(np.logaddexp.reduce(terms)) if terms else -np.inf
