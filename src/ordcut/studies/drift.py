"""Drift without labels: whether new scores are distributed as the record says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betaincinv, chndtrinc

from ordcut._core.data import ScoreDistribution, as_scores, check_finite
from ordcut._core.errors import check_number
from ordcut._core.thresholds import Card, Record, Thresholds, WithCard, regrouped
from ordcut._core.typing import Array, ArrayLike, Floats, Ints

#: The exit codes of ``ordcut drift``, as for the gate.
EXIT_CODES = {"stable": 0, "undecided": 4, "shifted": 5}

#: The number of draws of permutation tests, and the most rows that are permuted.
N_DRAWS, MOST_ROWS = 2000, 10**8

#: What SciPy returns as the noncentrality if it is 0.
TINY = 1e-9

#: The number of parts of the population stability index.
N_DECILES = 10


@dataclass(frozen=True, eq=False, repr=False)
class Drift(WithCard):
    """How far new scores have moved from the scores that thresholds were found on.

    Attributes
    ----------
    outcome : {"stable", "shifted", "undecided"}
        Whether the interval of the population stability index is below the limit, above it, or
        around it.
    index : float
        The population stability index over about ten parts of equal share.
    interval : tuple of float
        The 95 % interval of the index of both distributions, which is lower than that of few rows.
    limit : float
        The index from which on scores count as shifted.
    distance : float
        The largest difference of the two cumulative shares, at the quantiles of the record:
        Kolmogorov and Smirnov's statistic.
    p_values : dict of str to float
        Of ``"index"`` and ``"distance"``, by permutation of the rows of both samples.
    n_known, n_new : int
        The sample size of the record, and the number of new rows.
    decisions : ndarray of shape (D,)
        What the thresholds decide.
    expected, observed : ndarray of shape (D, 3)
        The share of each decision in the record and in the new rows, and the ends of its 95 %
        interval, by Clopper and Pearson.
    n_needed : int, optional
        About how many new rows would decide it, where the outcome is undecided; None as well if no
        number does, since the record has few rows.

    Examples
    --------
    >>> import ordcut
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 3, 2000)
    >>> result = ordcut.optimal_thresholds(labels + rng.normal(size=2000), labels)
    >>> new = rng.integers(0, 3, 1000) + rng.normal(size=1000)
    >>> result.drift(new).outcome, result.drift(new + 1).outcome
    ('stable', 'shifted')
    """

    outcome: str
    index: float
    interval: tuple[float, float]
    limit: float
    distance: float
    p_values: dict[str, float]
    n_known: int
    n_new: int
    decisions: Array
    expected: Floats
    observed: Floats
    n_needed: int | None = None

    @property
    def exit_code(self) -> int:
        """The exit code of ``ordcut drift``: 0 if stable, 4 if undecided, 5 if shifted."""
        return EXIT_CODES[self.outcome]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values."""
        rows = zip(self.decisions.tolist(), self.expected, self.observed, strict=True)
        return {
            "outcome": self.outcome,
            "index": self.index,
            "interval": list(self.interval),
            "limit": self.limit,
            "distance": self.distance,
            "p_values": self.p_values,
            "rows": {"known": self.n_known, "new": self.n_new},
            "decisions": [
                {"decision": name, "expected": known.tolist(), "observed": new.tolist()}
                for name, known, new in rows
            ],
            "n_needed": self.n_needed,
            "exit_code": self.exit_code,
        }

    def card(self) -> Card:
        """Return the drift for people: as text, and as HTML in notebooks."""

        def ends(share: Floats) -> str:
            return "{:.1f} % [{:.1f}, {:.1f}]".format(*(100 * share))

        rows: list[tuple[str, ...]] = [
            (str(name), ends(known), ends(new))
            for name, known, new in zip(
                self.decisions.tolist(), self.expected, self.observed, strict=True
            )
        ]
        needed = "; the record has too few rows" if self.outcome == "undecided" else ""
        if self.n_needed is not None:
            needed = f"; about {self.n_needed:,} rows decide"
        low, high = self.interval
        return Card(
            ("decision", "expected", "observed"),
            rows,
            [
                ("scores", f"{self.outcome}{needed}"),
                (
                    "stability index",
                    f"{self.index:.4f} [{low:.4f}, {high:.4f}], limit {self.limit:g}, "
                    f"p = {self.p_values['index']:.2g}",
                ),
                (
                    "largest distance",
                    f"{self.distance:.4f} of the cumulative shares, "
                    f"p = {self.p_values['distance']:.2g}",
                ),
                ("rows", f"{self.n_new:,} new, {self.n_known:,} in the record"),
            ],
        )


def drift(
    thresholds: Thresholds, scores: ArrayLike, limit: float = 0.1, random_state: int = 0
) -> Drift:
    """Return the drift of new scores; see ``Thresholds.drift``."""
    array = as_scores(scores)
    if len(array) == 0:
        raise ValueError("scores must hold at least one row, got none.")
    check_finite(array)

    def count(positions: Floats) -> Ints:
        index = np.searchsorted(positions, array, side="right")
        return np.bincount(index, minlength=len(positions) + 1)

    return drift_of_counts(thresholds, count, limit, random_state)


def drift_of_counts(
    thresholds: Thresholds,
    count: Callable[[Floats], Ints],
    limit: float = 0.1,
    random_state: int = 0,
) -> Drift:
    """Return the drift, given a function that counts new rows between ascending positions."""
    check_number("limit", limit, "a number above 0, such as 0.1", lambda value: 0 < value < np.inf)
    record, known = _known(thresholds)
    size = record.effective_rows or record.rows or 0
    # A quantile counts scores up to it, and a threshold scores from it on.
    inner = np.nextafter(np.array(known.scores[1:-1]), np.inf)
    finite = thresholds.thresholds[np.isfinite(thresholds.thresholds)]
    positions = np.union1d(inner, finite)
    counts = np.asarray(count(positions), dtype=np.int64)
    new = regrouped(counts, positions, inner)
    shares = np.diff([0.0, *known.shares[1:-1], 1.0])
    n_known, n_new = max(1, min(round(size), MOST_ROWS)), int(counts.sum())
    old = np.rint(shares * n_known).astype(np.int64)
    groups = np.floor((np.cumsum(shares) - shares / 2) * N_DECILES).astype(np.int64)
    rng = np.random.default_rng(random_state)
    drawn = new if n_new <= MOST_ROWS else np.rint(new * (MOST_ROWS / n_new)).astype(np.int64)
    index, distance, p_values = _compare(old, drawn, groups, rng)
    n_parts = len(np.unique(groups))
    interval = interval_of_index(index, n_parts, n_known, n_new)
    outcome = _outcome(interval, limit)
    n_needed = None
    if outcome == "undecided":
        n_needed = _rows_to_decide(index, n_parts, n_known, n_new, limit)
    expected = np.rint(record.shares * n_known)
    observed = regrouped(counts, positions, thresholds.thresholds)
    return Drift(
        outcome=outcome,
        index=index,
        interval=interval,
        limit=limit,
        distance=distance,
        p_values=p_values,
        n_known=round(size),
        n_new=n_new,
        decisions=thresholds.decisions,
        expected=with_intervals(expected, n_known, record.shares),
        observed=with_intervals(observed, n_new),
        n_needed=n_needed,
    )


def _known(thresholds: Thresholds) -> tuple[Record, ScoreDistribution]:
    """Return the record of thresholds and its distribution of scores, or raise an error."""
    record = thresholds.record
    if record is None or record.scores is None or not (record.effective_rows or record.rows):
        raise ValueError(
            "drift needs thresholds with a record of their scores, and these have none: they were "
            "given, or found by another means. Find them with ordcut.optimal_thresholds or ordcut "
            "fit, or judge them on rows: ordcut.judge(thresholds, scores, labels)."
        )
    return record, record.scores


def _compare(
    old: Ints, new: Ints, groups: Ints, rng: np.random.Generator
) -> tuple[float, float, dict[str, float]]:
    """Return the index, the distance, and their p-values."""
    both, n_new = old + new, int(new.sum())
    index, distance = float(_index(old, new, groups)), float(_distance(old, new))
    drawn = rng.multivariate_hypergeometric(both, n_new, size=N_DRAWS)
    is_index_as_far = _index(both - drawn, drawn, groups) >= index * (1 - 1e-9)
    is_as_distant = _distance(both - drawn, drawn) >= distance * (1 - 1e-9)
    p_values = {
        "index": float((1 + is_index_as_far.sum()) / (1 + N_DRAWS)),
        "distance": float((1 + is_as_distant.sum()) / (1 + N_DRAWS)),
    }
    return index, distance, p_values


def interval_of_index(
    index: float, n_parts: int, n_known: int, n_new: int, level: float = 0.95
) -> tuple[float, float]:
    """Return the interval of the index of two distributions, given that of samples of them.

    Times the harmonic sample size, the index of samples is close to a noncentral chi-squared
    variable, whose noncentrality is that of the distributions.

    Examples
    --------
    >>> [round(end, 3) for end in interval_of_index(0.035, 10, 2000, 300)]
    [0.0, 0.055]
    """
    size = _harmonic_size(n_known, n_new)
    if n_parts < 2:
        return 0.0, 0.0
    tails = np.array([1 + level, 1 - level]) / 2
    ends = np.nan_to_num(chndtrinc(index * size, n_parts - 1, tails))
    low, high = np.where(ends > TINY, ends / size, 0.0).tolist()
    return low, high


def _harmonic_size(n_known: float, n_new: float) -> float:
    return n_known / (1 + n_known / n_new)


def _outcome(interval: tuple[float, float], limit: float) -> str:
    low, high = interval
    return "shifted" if low > limit else "stable" if high < limit else "undecided"


def _rows_to_decide(
    index: float, n_parts: int, n_known: int, n_new: int, limit: float
) -> int | None:
    """Return about how many new rows would decide, by doubling; None if no number of rows does."""
    distance = max(0.0, index - (n_parts - 1) / _harmonic_size(n_known, n_new))
    n = float(n_new)
    while n < MOST_ROWS:
        n *= 2**0.5
        expected = distance + (n_parts - 1) / _harmonic_size(n_known, n)
        if _outcome(interval_of_index(expected, n_parts, n_known, round(n)), limit) != "undecided":
            return round(n)
    return None


def _index(old: Array, new: Array, groups: Ints) -> Any:
    """Return the population stability index; half a row is added to each part."""
    starts = np.flatnonzero(np.append(True, groups[1:] != groups[:-1]))
    p, q = (np.add.reduceat(part, starts, axis=-1) + 0.5 for part in (old, new))
    p, q = (part / part.sum(axis=-1, keepdims=True) for part in (p, q))
    return ((p - q) * np.log(p / q)).sum(axis=-1)


def _distance(old: Array, new: Array) -> Any:
    below = [np.cumsum(part, axis=-1) / part.sum(axis=-1, keepdims=True) for part in (old, new)]
    return np.abs(below[0] - below[1]).max(axis=-1)


def with_intervals(counts: Array, n: int, shares: Floats | None = None) -> Floats:
    """Return the share of each count in n, and the ends of its exact 95 % interval, (D, 3).

    Examples
    --------
    >>> with_intervals(np.array([0, 20]), 20).round(3).tolist()
    [[0.0, 0.0, 0.168], [1.0, 0.832, 1.0]]
    """
    counts = np.asarray(counts, dtype=np.float64)
    low = np.where(counts > 0, betaincinv(np.maximum(counts, 1), n - counts + 1, 0.025), 0.0)
    high = np.where(counts < n, betaincinv(counts + 1, np.maximum(n - counts, 1), 0.975), 1.0)
    return np.stack([counts / n if shares is None else shares, low, high], axis=1)
