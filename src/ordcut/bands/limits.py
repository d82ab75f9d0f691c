"""Limits on bands, as text: shares, counts and events of each band, rates apart, thresholds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, inf
from typing import Any

import numpy as np

from ordcut._core.data import place_between, scores_around
from ordcut._core.limits import (
    SIGNS,
    Allowed,
    Between,
    Constraint,
    Constraints,
    Count,
    Digits,
    Fixed,
    Gap,
    Grid,
    Limits,
    Names,
    Share,
    all_candidates,
    as_limit,
    lower_all,
    place_each,
    read_constraints,
)
from ordcut._core.numerics.exact import as_fraction
from ordcut._core.typing import Array, Bools, Floats, Ints
from ordcut.bands.objectives import BandObjective
from ordcut.bands.rows import BandRows, Sums
from ordcut.bands.search import Space, SumLimit

#: Words of limits on each band, and what they are about.
WORDS = ("share", "count", "events", "rate gap")

#: The largest number of bands that limits can name by their numbers.
MOST_NAMES = 1000

#: The classes of limits on thresholds, and their words.
ON_THRESHOLDS = (Fixed, Between, Allowed, Digits, Gap)
ON_VALUES = [limit.word for limit in ON_THRESHOLDS]

_SIGN = r">=|=>|≥|<=|=<|≤"
_LIMIT = rf"({_SIGN})\s*([^\s<>=≥≤]+(?:\s*%)?)"
_TEXT = re.compile(rf"({'|'.join(WORDS)})\b\s*(.*?)\s*{_LIMIT}(?:\s+and\s+{_LIMIT})?\s*", re.I)
_EVERY_WORD = "|".join([*WORDS, *ON_VALUES])
_JOINT = re.compile(rf"\s*(?:\band\b|[,;&\n])\s*(?=(?:{_EVERY_WORD})\b)", re.I)

#: Differences of rates that are less than this share of the largest rate below a gap are equal.
ROUNDINGS = 1e-12


@dataclass(frozen=True)
class BandLimit:
    """A limit on each band, or on the band of a name: its share, its count, or its events.

    The word ``"rate gap"`` limits the difference of the rates of neighbouring bands.

    Examples
    --------
    >>> str(BandLimit("share", at_least=0.05)), str(BandLimit("events", at_most=9, band="1"))
    ('share >= 0.05', 'events 1 <= 9')
    """

    word: str
    at_least: float | None = None
    at_most: float | None = None
    band: str | None = None

    def __post_init__(self) -> None:
        limits = [limit for limit in (self.at_least, self.at_most) if limit is not None]
        most = 1 if self.word == "share" else inf
        if not limits or not all(0 <= limit <= most for limit in limits):
            raise ValueError(
                f"constraint {str(self)!r} needs a limit from 0 to {most:g}, or two of them."
            )
        if self.word == "rate gap" and (self.at_least is None or len(limits) == 2 or self.band):
            raise ValueError(
                f"constraint {str(self)!r} must be a lower limit for all neighbouring bands, such "
                "as 'rate gap >= 0.01'."
            )

    def __str__(self) -> str:
        sides = [
            f"{sign} {limit:g}"
            for sign, limit in ((">=", self.at_least), ("<=", self.at_most))
            if limit is not None
        ]
        name = "" if self.band is None else f"{self.band} "
        return f"{self.word} {name}{' and '.join(sides)}"

    def scaled(self, factor: float) -> BandLimit:
        """Return the limit for a part of the rows: counts and events in proportion."""
        if self.word not in ("count", "events"):
            return self
        least, most = (
            None if limit is None else limit * factor for limit in (self.at_least, self.at_most)
        )
        return replace(self, at_least=least, at_most=most)

    def on(self, total: Sums, unit: float, names: Sequence[str], *, is_whole: bool) -> SumLimit:
        """Return the limit on sums; of whole numbers, it is a whole number itself."""
        scale = Fraction(float(total.rows)) if self.word == "share" else 1 / Fraction(unit)
        least, most = -inf, inf
        if self.at_least is not None:
            exact = as_fraction(self.at_least) * scale
            least = float(ceil(exact)) if is_whole else float(exact) * (1 - ROUNDINGS)
        if self.at_most is not None:
            exact = as_fraction(self.at_most) * scale
            most = float(floor(exact)) if is_whole else float(exact) * (1 + ROUNDINGS)
        band = None if self.band is None else names.index(self.band)
        return SumLimit("events" if self.word == "events" else "rows", least, most, band)

    def reached(self, bands: Sums, unit: float, names: Sequence[str]) -> float:
        """Return the number that comes closest to the limit."""
        if self.word == "rate gap":
            return float(np.abs(np.diff(bands.rates)).min(initial=inf))
        total = bands.rows.sum() if self.word == "share" else 1 / unit
        values = (bands.events if self.word == "events" else bands.rows) / total
        if self.band is not None:
            return float(values[names.index(self.band)])
        return float(values.max() if self.at_least is None else values.min())


@dataclass(frozen=True)
class BandLimits:
    """All limits: on bands, and on the values of thresholds.

    Examples
    --------
    >>> BandLimits.read(["share >= 0.05 and rate gap >= 1 %", "digits 1"]).texts
    ['share >= 0.05', 'rate gap >= 0.01', 'digits 1']
    """

    on_bands: tuple[BandLimit, ...] = ()
    on_thresholds: tuple[Any, ...] = ()

    @classmethod
    def read(cls, constraints: Constraints) -> BandLimits:
        """Return the limits of constraints, each of which can be text."""
        if constraints is None:
            return cls()
        if isinstance(constraints, (str, Constraint)):
            constraints = [constraints]
        on_bands: list[BandLimit] = []
        on_thresholds: list[Any] = []
        for constraint in constraints:
            parts = _JOINT.split(constraint) if isinstance(constraint, str) else [constraint]
            for part in parts:
                limit = _read(part)
                (on_bands if isinstance(limit, BandLimit) else on_thresholds).append(limit)
        return cls(tuple(on_bands), tuple(on_thresholds))

    @property
    def every(self) -> list[Any]:
        """All limits."""
        return [*self.on_bands, *self.on_thresholds]

    @property
    def texts(self) -> list[str]:
        """The text of each limit."""
        return [*map(str, self.every)]

    def only(self, limits: Sequence[Any]) -> BandLimits:
        """Return some of the limits."""
        return BandLimits(
            tuple(limit for limit in self.on_bands if any(limit is each for each in limits)),
            tuple(limit for limit in self.on_thresholds if any(limit is each for each in limits)),
        )

    @property
    def without_gaps(self) -> BandLimits:
        """The limits without those on the differences of rates."""
        return replace(self, on_bands=tuple(x for x in self.on_bands if x.word != "rate gap"))

    def scaled(self, factor: float) -> BandLimits:
        """Return the limits for a part of the rows."""
        return replace(self, on_bands=tuple(limit.scaled(factor) for limit in self.on_bands))

    def lowered(self, n_thresholds: int) -> Limits:
        """Return the limits on the values of ``n`` thresholds."""
        names = [*range(n_thresholds + 1)]
        return lower_all(self.on_thresholds, Names(names, names))

    def space(
        self, rows: BandRows, objective: BandObjective, sign: int, most: int, names: Sequence[str]
    ) -> Space:
        """Return the candidates for the cuts, and what must hold there.

        ``most`` is the largest number of bands.
        """
        scores: Array = rows.distinct
        is_open: Bools = np.broadcast_to(np.True_, (1, len(scores) + 1))
        at: Array = np.arange(len(scores) + 1)
        values: Floats = np.broadcast_to(np.nan, len(at))
        limits = self.lowered(max(most - 1, 1))
        if self.on_thresholds:
            candidates = all_candidates(scores, np.ones(len(scores), np.bool_), limits)
            inner = (candidates.cuts > 0) & (candidates.cuts < len(scores))
            inner[[0, -1]] = True
            at, values = candidates.cuts[inner], candidates.values[0, inner]
            is_open = candidates.is_open[:, inner]
        sums = rows.sums.at(at)
        on_sums = []
        for limit in self.on_bands:
            if limit.word != "rate gap":
                below = sums.events if limit.word == "events" else sums.rows
                is_whole = bool((below == np.rint(below)).all())
                on_sums.append(limit.on(sums.at(-1), rows.unit, names, is_whole=is_whole))
        if objective.needs_both:
            least = 0.5 if rows.weights is None else float(rows.weights.min()) / 2
            on_sums += [SumLimit(word, least, inf) for word in ("events", "others")]
        gap = max((limit.at_least or 0 for limit in self._gaps), default=0.0)
        if gap:
            gap -= ROUNDINGS * (gap + float(np.abs(rows.outcomes).max()))
        fewest = max((interval.k + 2 for interval in limits.intervals), default=1)
        return Space(
            objective, sums, sign, at, values, is_open, on_sums, gap, limits.distance, fewest
        )

    @property
    def _gaps(self) -> list[BandLimit]:
        return [limit for limit in self.on_bands if limit.word == "rate gap"]

    def place(self, scores: Array, space: Space, path: Ints) -> Floats:
        """Return the thresholds at the given candidates, between sorted distinct scores."""
        around = scores_around(scores, space.cuts[path])
        middle = place_between(*around)
        if not self.on_thresholds:
            return middle
        limits = self.lowered(len(path))
        if limits.distance is None or limits.grid is None:
            values, is_open = place_each(limits, (around, middle))
            if is_open.all():
                return values
        return space.values[path]


def grid_of(constraints: Constraints) -> Grid | None:
    """Return the values that constraints choose thresholds from, or None if from all.

    Examples
    --------
    >>> grid_of(["share >= 0.05", "digits 1"]), grid_of(())
    (Grid(values=None, n_digits=1), None)
    """
    return BandLimits.read(constraints).lowered(MOST_NAMES).grid


def _read(constraint: Any) -> Any:
    """Return a limit on bands or on thresholds."""
    if isinstance(constraint, (Share, Count)):
        if constraint.confidence is not None or constraint.where is not None:
            raise ValueError(
                f"constraint {str(constraint)!r} cannot have a confidence or a group for bands."
            )
        name = None if str(constraint.decision) == "every" else str(constraint.decision)
        return BandLimit(constraint.word, constraint.at_least, constraint.at_most, name)
    if isinstance(constraint, str):
        match = _TEXT.fullmatch(constraint.strip())
        if match is not None:
            word, name, *pairs = match.groups()
            sides = {
                SIGNS[sign]: as_limit(number)
                for sign, number in zip(pairs[::2], pairs[1::2], strict=True)
                if sign is not None
            }
            return BandLimit(word.lower(), **sides, band=name or None)
        if constraint.split()[:1] and constraint.split()[0].lower() in ON_VALUES:
            return read_constraints(constraint)[0]
    if not isinstance(constraint, ON_THRESHOLDS):
        raise ValueError(
            f"constraint {str(constraint)!r} must be about bands or thresholds: 'share >= 0.05', "
            "'count >= 30', 'events >= 20', 'rate gap >= 0.01', digits, allowed, gap, fixed or "
            "between. Bands have no true classes, so that nothing else can be limited."
        )
    return constraint
