"""Two sets of thresholds side by side: what moved, and what it costs or gains on rows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut._core.data import ClassWeight, Rows, digest_of
from ordcut._core.errors import printable
from ordcut._core.extensions import extension
from ordcut._core.objectives import Objective, ObjectiveLike
from ordcut._core.table import ScoreTable
from ordcut._core.thresholds import (
    Card,
    Thresholds,
    WithCard,
    as_written,
    check_scale,
    objective_for,
)
from ordcut._core.typing import Array, ArrayLike, Floats
from ordcut.studies.paired import (
    Judgement,
    check_thresholds,
    count_rows,
    interval_around,
    read_rows,
    standard_error,
    weighted_as_found,
)

if TYPE_CHECKING:
    from ordcut.plots import ThresholdDisplay

#: The exit codes of ``ordcut diff``: 3 as for a missed target.
SAME_OR_BETTER, WORSE = 0, 3


@dataclass(frozen=True, eq=False, repr=False)
class Diff(WithCard):
    """What differs between two sets of thresholds.

    Attributes
    ----------
    old, new : Thresholds
        The two sets.
    shifts : ndarray of shape (D - 1,)
        New thresholds minus old ones; 0 where both are infinite.
    crossed : ndarray of shape (D - 1,), optional
        The share of the rows between each old and new threshold. Without rows it is about that of
        the rows that the new thresholds were found on, by the quantiles in their record. None if
        that is not known either.
    changed : float, optional
        The share of the rows with another label.
    n_rows : int, optional
        The number of rows; None without rows.
    objective : str, optional
        What both are judged by.
    values : tuple of float, optional
        The value of the old and of the new thresholds on the rows.
    gain : float, optional
        By how much the new thresholds are better on the rows; negative if they are worse.
    interval : tuple of float, optional
        The 95 % interval of the gain on new rows, paired by row. It is too good for thresholds that
        were found on these rows.
    fitted : str, optional
        Which thresholds were found on these rows, by the digest in their record: ``"old"``,
        ``"new"`` or ``"old and new"``.

    Examples
    --------
    >>> import ordcut
    >>> scores, labels = np.arange(40), np.arange(40) >= 20
    >>> old = ordcut.Thresholds.from_values([15], [False, True])
    >>> new = ordcut.Thresholds.from_values([19], [False, True])
    >>> diff = ordcut.diff(old, new, scores, labels, objective="zero_one")
    >>> diff.shifts, diff.changed, diff.gain
    (array([4.]), 0.1, 0.1)
    """

    old: Thresholds
    new: Thresholds
    shifts: Floats
    crossed: Floats | None = None
    changed: float | None = None
    n_rows: int | None = None
    objective: str | None = None
    values: tuple[float, float] | None = None
    gain: float | None = None
    interval: tuple[float, float] | None = None
    fitted: str | None = None

    @property
    def exit_code(self) -> int:
        """The exit code of ``ordcut diff``: 3 if the new thresholds are surely worse, else 0."""
        is_worse = self.interval is not None and self.interval[1] < 0
        return WORSE if is_worse else SAME_OR_BETTER

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values."""
        crossed = [None] * len(self.shifts) if self.crossed is None else self.crossed.tolist()
        each = zip(self.old.thresholds, self.new.thresholds, self.shifts, crossed, strict=True)
        return {
            "thresholds": [
                {
                    "old": as_written(float(old)),
                    "new": as_written(float(new)),
                    "shift": as_written(float(shift)),
                    "crossed": share,
                }
                for old, new, shift, share in each
            ],
            "changed": self.changed,
            "rows": self.n_rows,
            "objective": self.objective,
            "values": None if self.values is None else list(self.values),
            "gain": self.gain,
            "interval": None if self.interval is None else list(self.interval),
            "fitted": self.fitted,
            "exit_code": self.exit_code,
        }

    def rows_of_card(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return the table of thresholds for people: its header and its lines."""
        names = [printable(str(name)) for name in self.new.decisions.tolist()]
        columns = [self.old.thresholds, self.new.thresholds, self.shifts]
        cells = [[f"{x:.6g}" for x in column] for column in columns]
        header = ["between", "old", "new", "shift"]
        if self.crossed is not None:
            header.append("rows that cross")
            cells.append([f"{100 * share:.1f} %" for share in self.crossed])
        between = [f"{low} | {high}" for low, high in pairwise(names)]
        return tuple(header), list(zip(between, *cells, strict=True))

    def card(self) -> Card:
        """Return the difference for people: as text, and as HTML in notebooks."""
        changed = "not known: there are no rows, and no record"
        if self.changed is not None:
            changed = f"{100 * self.changed:.1f} %"
            if self.n_rows is None:
                changed = f"about {changed}, by the scores in a record"
        facts = [("labels that change", changed)]
        if self.old.objective != self.new.objective:
            both = f"{self.old.objective} (old), {self.new.objective} (new)"
            facts.append(("found for", printable(both)))
        if self.values is not None and self.gain is not None and self.interval is not None:
            facts.append(
                (printable(str(self.objective)), "{:.6g} old, {:.6g} new".format(*self.values))
            )
            facts.append(("gain", gain_text(self.gain, self.interval)))
            rows = f"{self.n_rows:,}"
            if self.fitted is not None:
                rows += f"; the {self.fitted} thresholds were found on them, where they look best"
            facts.append(("rows", rows))
        return Card(*self.rows_of_card(), facts)

    def plot(self, scores: ArrayLike, labels: ArrayLike, **options: Any) -> ThresholdDisplay:
        """Plot the new thresholds on rows, with the old ones as dashed lines.

        Takes the same options as :meth:`ordcut.plots.ThresholdDisplay.from_predictions`.

        Examples
        --------
        >>> import matplotlib; matplotlib.use("Agg")
        >>> import ordcut
        >>> old, new = (ordcut.Thresholds.from_values([x], [0, 1]) for x in (1.5, 2.5))
        >>> shown = ordcut.diff(old, new).plot([1, 2, 3, 4], [0, 0, 1, 1], objective="absolute")
        >>> shown.ax_.texts[-1].get_text()
        'dashed: old thresholds'
        """
        display: ThresholdDisplay = extension("plot_diff")(self, scores, labels, **options)
        return display


def diff(
    old: Thresholds,
    new: Thresholds,
    scores: ArrayLike | ScoreTable | None = None,
    labels: ArrayLike | None = None,
    *,
    objective: ObjectiveLike | None = None,
    sample_weight: ArrayLike | None = None,
    class_weight: ClassWeight | None = None,
) -> Diff:
    """Return what differs between two sets of thresholds, and what that gains on rows.

    Parameters
    ----------
    old, new : Thresholds
        Two sets with the same classes and decisions.
    scores : array-like of shape (n_samples,) or ScoreTable, optional
        Rows to compare both on. Without rows, shares come from the new record.
    labels : array-like of shape (n_samples,) or (n_samples, n_classes), optional
        The true classes, or soft labels; a ScoreTable holds them.
    objective : str, array-like of shape (D, K), callable, Kappa or Objective, optional
        What to judge both by; by default the objective of the new thresholds.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts.
    class_weight : "balanced", dict or array-like of shape (n_classes,), optional
        How much the rows of each class count; by default as in the record of the new thresholds.

    Returns
    -------
    Diff
        Shifts, shares of rows, and the gain with its interval.

    Examples
    --------
    >>> import numpy as np, ordcut
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 3, 500)
    >>> scores = labels + rng.normal(size=500)
    >>> old = ordcut.Thresholds.from_values([1, 2], [0, 1, 2])
    >>> new = ordcut.Thresholds.from_values([0.5, 1.5], [0, 1, 2])
    >>> ordcut.diff(old, new, scores, labels, objective="absolute")
    between  old  new  shift  rows that cross
    0 | 1      1  0.5   -0.5           14.4 %
    1 | 2      2  1.5   -0.5           13.4 %
    <BLANKLINE>
    labels that change  27.8 %
    absolute            0.542 old, 0.44 new
    gain                0.102 [0.05614, 0.1479], surely better
    rows                500
    """
    check_thresholds(old=old, new=new)
    if scores is None:
        if labels is not None or sample_weight is not None:
            raise TypeError("scores must be given together with labels and sample_weight.")
        return diff_of_records(old, new)
    resolved = objective_for(new, objective, new.classes)
    rows = read_rows(new, scores, labels, sample_weight, "diff")
    check_scale(new, rows.scores)
    return diff_of_rows(old, new, rows, weighted_as_found(resolved, new, class_weight))


def diff_of_rows(old: Thresholds, new: Thresholds, rows: Rows, objective: Objective) -> Diff:
    """Return the difference of thresholds on rows in memory."""
    _check_names(old, new)
    codes = [each.codes(rows.scores) for each in (old, new)]
    before, after = (Judgement.of(objective, each, rows) for each in codes)
    gain = after.gain - before.gain
    error = standard_error(rows, after.influence - before.influence)
    digest = digest_of(rows)
    fitted = [
        name
        for name, each in (("old", old), ("new", new))
        if each.record is not None and each.record.digest == digest
    ]
    return Diff(
        old,
        new,
        shifts_of(old, new),
        crossed=np.abs(
            *np.diff([_shares_below(rows, each.thresholds) for each in (old, new)], axis=0)
        ),
        changed=share_of(codes[0] != codes[1], rows),
        n_rows=count_rows(rows),
        objective=objective.name,
        values=(before.value, after.value),
        gain=gain,
        interval=interval_around(gain, error, rows.n_effective),
        fitted=" and ".join(fitted) or None,
    )


def diff_of_records(old: Thresholds, new: Thresholds) -> Diff:
    """Return the difference of thresholds, with shares by the quantiles in a record."""
    _check_names(old, new)
    shifts = shifts_of(old, new)
    known = [each.record.scores for each in (new, old) if each.record is not None]
    if not known or known[0] is None:
        return Diff(old, new, shifts)
    below_old, below_new = (known[0].share_below(each.thresholds) for each in (old, new))
    # Between neighbouring positions, all rows have the same two labels.
    edges = np.unique(np.concatenate([[0.0], below_old, below_new, [1.0]]))
    middles = (edges[1:] + edges[:-1]) / 2
    before, after = (np.searchsorted(np.sort(each), middles) for each in (below_old, below_new))
    changed = float(np.diff(edges)[before != after].sum())
    return Diff(old, new, shifts, crossed=np.abs(below_new - below_old), changed=changed)


def _check_names(old: Thresholds, new: Thresholds) -> None:
    """Raise an error unless thresholds decide between the same decisions on the same classes."""
    for name, pair in {
        "classes": (old.classes, new.classes),
        "decisions": (old.decisions, new.decisions),
    }.items():
        if pair[0].tolist() != pair[1].tolist():
            raise ValueError(
                f"old and new thresholds must have the same {name}, got {pair[0].tolist()} and "
                f"{pair[1].tolist()}. Thresholds of other {name} cannot be compared one by one."
            )


def shifts_of(old: Thresholds, new: Thresholds) -> Floats:
    """Return new thresholds minus old ones; 0 where they are equal, also if infinite."""
    same = old.thresholds == new.thresholds
    return np.subtract(new.thresholds, old.thresholds, out=np.zeros(len(same)), where=~same)


def share_of(is_true: Array, rows: Rows) -> float:
    """Return the share of the weight of rows of which something is true."""
    return float(np.average(is_true, weights=_weights(rows)))


def gain_text(gain: float, interval: tuple[float, float]) -> str:
    """Return a gain with its interval, and in a word what it says."""
    low, high = interval
    word = "surely better" if low > 0 else "surely worse" if high < 0 else "not sure"
    return f"{gain:.4g} [{low:.4g}, {high:.4g}], {word}"


def _weights(rows: Rows) -> Array | None:
    if rows.soft is None:
        return rows.weights
    sums: Array = rows.soft.sum(axis=1)
    return sums if rows.weights is None else sums * rows.weights


def _shares_below(rows: Rows, thresholds: Floats) -> Floats:
    table = rows.confusion(thresholds)
    return np.asarray(np.cumsum(table.sum(axis=1))[:-1] / table.sum())
