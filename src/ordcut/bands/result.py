"""The result: thresholds between bands, and what each band has."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from scipy.special import gammaincinv, ndtri, stdtrit

from ordcut._core.data import ScoreDistribution
from ordcut._core.extensions import extension
from ordcut._core.numerics.threads import cached_property
from ordcut._core.thresholds import Record, Thresholds, as_frame
from ordcut._core.typing import Floats
from ordcut.bands.objectives import information_value
from ordcut.bands.path import BandPath, path_of
from ordcut.bands.rows import BandRows, Sums

if TYPE_CHECKING:
    from ordcut._core.uncertainty import RandomState
    from ordcut.bands.bootstrap import BandBootstrap
    from ordcut.bands.optimal import BandProblem


#: What rates do, by their order.
VERBS = {"rising": "rises", "falling": "falls", "neither": "neither always rises nor always falls"}


@dataclass(frozen=True, eq=False, repr=False)
class Bands(Thresholds):
    """Ordered bands of a score by an outcome: thresholds, with a table of the bands.

    Everything that :class:`ordcut.Thresholds` do with scores, bands do too: ``predict``, ``to_sql``
    and other exports, ``to_json``, ``drift`` and ``card``. They are read with
    ``Bands.from_json``.

    Attributes
    ----------
    thresholds : ndarray of shape (K - 1,)
        In ascending order.
    classes : ndarray of shape (K,)
        The names of the bands, lowest score first.
    value, objective : float, str
        What was optimised, and what is reached on the rows.
    certificate : str
        Why no other bands are better.

    Examples
    --------
    >>> import ordcut
    >>> scores, outcome = [1, 2, 3, 4, 5, 6], [0, 0, 1, 0, 1, 1]
    >>> bands = ordcut.optimal_bands(scores, outcome, n_bands=2)
    >>> bands.table()[["band", "rows", "events", "rate"]]
       band  rows  events  rate
    0     1   2.0     0.0  0.00
    1     2   4.0     3.0  0.75
    >>> ordcut.Bands.from_json(bands.to_json()) == bands
    True
    """

    problem: BandProblem | None = field(default=None, repr=False)
    known_path: BandPath | None = field(default=None, repr=False)

    @classmethod
    def of(cls, rows: BandRows, bands: Sums, *, path: BandPath | None, **fields: Any) -> Bands:
        """Return bands found on rows, with the sums over each."""
        kind = (
            "counts"
            if rows.exposures is not None or fields["objective"] == "poisson"
            else ("yes or no" if rows.is_yes_no else "numbers")
        )
        return cls(**fields, known_path=path, evidence=lambda: _record_of(rows, bands, kind))

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "problem": None}

    @property
    def path(self) -> BandPath:
        """The best bands for each number of bands up to 10, or up to the number of these.

        It is computed when it is first used, and is not stored in JSON.
        """
        if self.known_path is None:
            problem = self._original("path")
            self.__dict__["known_path"] = path_of(problem, max(10, len(self.classes)))
        assert self.known_path is not None
        return self.known_path

    @cached_property
    def _bands(self) -> Sums:
        record = self._evidence
        sums = {name: np.array(record.outcomes[name]) for name in ("exposure", "events", "squares")}
        return Sums(np.array(record.decided), **sums)

    @property
    def _evidence(self) -> Any:
        if self.record is None or self.record.outcomes is None:
            raise ValueError(
                "bands without a record of their outcomes have no table. Find them again with "
                "ordcut.optimal_bands."
            )
        return self.record

    @property
    def kind(self) -> str:
        """What outcomes are: ``"yes or no"``, ``"counts"`` or ``"numbers"``."""
        return str(self._evidence.outcomes["kind"])

    @property
    def rates(self) -> Floats:
        """The rate, or the mean, of the outcome in each band."""
        return np.asarray(self._bands.rates)

    def rate_intervals(self, level: float = 0.95) -> Floats:
        """Return an interval for the rate, or the mean, of each band, (K, 2).

        By Wilson for a yes or no, exact for counts by Poisson's distribution, and by Student for
        other numbers. They are for these bands as they are: that cuts were chosen on the same rows
        makes neighbouring rates look further apart than they are; see ``bootstrap``.

        Examples
        --------
        >>> import ordcut
        >>> bands = ordcut.optimal_bands([1, 2, 3, 4], [0, 0, 1, 1], n_bands=2)
        >>> bands.rate_intervals().round(2)
        array([[0.  , 0.66],
               [0.34, 1.  ]])
        """
        if not 0 < level < 1:
            raise ValueError(f"level must be between 0 and 1, got {level!r}.")
        bands, record = self._bands, self._evidence
        effective = record.weight if record.effective_rows is None else record.effective_rows
        factor = float(effective / record.weight)  # below 1 for weights of importance
        n, rates, tail = bands.rows * factor, bands.rates, (1 + level) / 2
        if self.kind == "yes or no":
            z = ndtri(tail)
            middle = (rates + z**2 / (2 * n)) / (1 + z**2 / n)
            half = z / (1 + z**2 / n) * np.sqrt(rates * (1 - rates) / n + z**2 / (4 * n**2))
            return np.stack([middle - half, middle + half], axis=1).clip(0, 1)
        if self.kind == "counts":
            events, exposure = bands.events * factor, bands.exposure * factor
            low = np.where(events > 0, gammaincinv(np.maximum(events, 1e-9), 1 - tail), 0.0)
            return np.stack([low, gammaincinv(events + 1, tail)], axis=1) / exposure[:, None]
        variance = np.maximum(bands.squares / bands.rows - rates**2, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            half = stdtrit(n - 1, tail) * np.sqrt(variance / (n - 1))
        half = np.where(n > 1, half, np.inf)
        return np.asarray(np.stack([rates - half, rates + half], axis=1))

    def table(self, level: float = 0.95, *, backend: Any = "pandas") -> Any:
        """Return a row for each band as a dataframe of pandas, polars or pyarrow.

        Columns are the name, from which score on and below which, the rows, their share, the
        exposure of counts, the events (the total of other numbers), their rate (mean) with an
        interval, the lift over all rows, and for a yes or no the part of the information value.
        For validation, ``step`` is by how much the rate is above the band below, ``overlaps``
        whether the intervals of both overlap, and the sum of ``squared_share`` the concentration.

        Examples
        --------
        >>> import ordcut
        >>> bands = ordcut.optimal_bands([1, 2, 3, 4], [0, 1, 0, 1], n_bands=2)
        >>> bands.table().round(2).loc[1].to_dict()
        {'band': 2, 'from': 1.5, 'below': inf, 'rows': 3.0, 'share': 0.75, 'events': 2.0, ...
        """
        bands, is_numbers = self._bands, self.kind == "numbers"
        low, high = self.rate_intervals(level).T
        edges = np.concatenate([[-np.inf], self.thresholds, [np.inf]])
        whole = bands.events.sum() / bands.exposure.sum()
        columns = {
            "band": self.classes,
            "from": edges[:-1],
            "below": edges[1:],
            "rows": bands.rows,
            "share": bands.rows / bands.rows.sum(),
            **({"exposure": bands.exposure} if self.kind == "counts" else {}),
            "total" if is_numbers else "events": bands.events,
            "mean" if is_numbers else "rate": bands.rates,
            "low": low,
            "high": high,
            "lift": bands.rates / whole if whole else np.full(len(low), np.nan),
        }
        if self.kind == "yes or no":
            others, total = bands.exposure - bands.events, Sums(*(each.sum() for each in bands))
            columns["information_value"] = information_value(bands.events, others, total)
        names, checks = self.classes.tolist(), self.checks(level)
        columns["step"] = np.diff(bands.rates, prepend=np.nan)
        columns["overlaps"] = np.isin(names, [name for _, name in checks["overlapping"]])
        columns["squared_share"] = (bands.rows / bands.rows.sum()) ** 2
        return as_frame(columns, backend)

    def checks(self, level: float = 0.95) -> dict[str, Any]:
        """Return what validation asks of bands.

        Returns
        -------
        dict
            ``rates``: ``"rising"``, ``"falling"`` or ``"neither"``. ``overlapping``: the pairs of
            neighbouring bands whose intervals of the rate overlap. ``concentration``: the sum of
            squared shares, 1 / K for bands of equal size. ``smallest`` and ``largest``: the shares
            of these bands.

        Examples
        --------
        >>> import ordcut
        >>> ordcut.optimal_bands([1, 2, 3, 4], [0, 0, 1, 1], n_bands=2).checks()
        {'rates': 'rising', 'overlapping': [(1, 2)], 'concentration': 0.5, 'smallest': 0.5, ...
        """
        bands = self._bands
        low, high = self.rate_intervals(level).T
        steps, shares = np.diff(bands.rates), bands.rows / bands.rows.sum()
        order = "rising" if (steps >= 0).all() else "falling" if (steps <= 0).all() else "neither"
        names = self.classes.tolist()
        touch = (low[1:] <= high[:-1]) & (low[:-1] <= high[1:])
        return {
            "rates": order,
            "overlapping": [(names[k], names[k + 1]) for k in np.flatnonzero(touch)],
            "concentration": float(shares @ shares),
            "smallest": float(shares.min()),
            "largest": float(shares.max()),
        }

    def sentences(self) -> list[str]:
        """Return what there is to say about the bands: the value, the rates, and the limits.

        Examples
        --------
        >>> import ordcut
        >>> ordcut.optimal_bands([1, 2, 3, 4], [0, 0, 1, 1], n_bands=2).sentences()[1]
        'The rate rises from band to band.'
        """
        checks = self.checks()
        what, name = ("mean" if self.kind == "numbers" else "rate"), self.objective
        overlapping = [f"{low} and {high}" for low, high in checks["overlapping"]]
        return [
            f"{name}: {self.value:.6g}.",
            f"The {what} {VERBS[checks['rates']]} from band to band.",
            f"Neighbouring bands whose intervals of the {what} overlap: {', '.join(overlapping)}."
            if overlapping
            else f"No intervals of the {what} of neighbouring bands overlap.",
            f"The sum of squared shares is {checks['concentration']:.3g}, and would be "
            f"{1 / len(self.classes):.3g} for bands of equal size.",
            *(f"Constraint {outcome}." for outcome in self.constraints),
        ]

    def plot(self, scores: Any = None, labels: Any = None, **options: Any) -> Any:
        """Plot the rate of each band with its interval over the scores, and return the axes.

        Parameters
        ----------
        scores, labels : None
            Bands are plotted on their own rows.
        **options
            ``ax``, the axes; ``level`` of the intervals; ``score_name`` and ``outcome_name``.

        Examples
        --------
        >>> import matplotlib; matplotlib.use("Agg")
        >>> import ordcut
        >>> bands = ordcut.optimal_bands([1, 2, 3, 4], [0, 0, 1, 1], n_bands=2)
        >>> bands.plot(outcome_name="defaults").get_ylabel()
        'rate of defaults'
        """
        if scores is not None or labels is not None:
            raise TypeError("scores and labels must be None: bands are plotted on their own rows.")
        return extension("draw_bands")(self, **options)

    def bootstrap(  # type: ignore[override]
        self, n: int = 200, *, size: int | None = None, random_state: RandomState = 0
    ) -> BandBootstrap:
        """Return intervals for thresholds and for rates, by an m-out-of-n bootstrap.

        Parameters
        ----------
        n : int, default=200
            The number of replicates.
        size : int, optional
            The number of rows, m, of a replicate; by default the number of rows to the power 0.8.
        random_state : int, numpy.random.Generator or None, default=0
            Where the draws start.

        Examples
        --------
        >>> import numpy as np, ordcut
        >>> rng = np.random.default_rng(0)
        >>> scores = rng.uniform(size=2000)
        >>> outcome = rng.random(2000) < np.where(scores < 0.5, 0.1, 0.6)
        >>> boot = ordcut.optimal_bands(scores, outcome, n_bands=2).bootstrap(n=50)
        >>> low, high = boot.intervals()[0]
        >>> bool(low < 0.5 < high)
        True
        """
        from ordcut.bands.bootstrap import bootstrap_bands

        return bootstrap_bands(self, self._original("bootstrap"), n, size, random_state)

    def _original(self, what: str) -> BandProblem:
        if self.problem is None:
            raise ValueError(
                f"{what} needs the rows, which bands from JSON or a pickle do not have. Find the "
                "bands again with ordcut.optimal_bands."
            )
        return self.problem

    def _has_no_classes(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(
            "bands have an outcome and no true classes, so this does not apply to them. Use "
            "table(), checks(), path or bootstrap() instead."
        )

    near_optimal = curves = moved = report = _has_no_classes


def _record_of(rows: BandRows, bands: Sums, kind: str) -> Record:
    """Return the record of bands."""
    from ordcut import __version__

    unit = rows.unit
    outcomes: dict[str, Any] = {
        name: (unit * getattr(bands, name)).tolist() for name in ("exposure", "events", "squares")
    }
    return Record(
        __version__,
        rows=int(rows.n_effective) if rows.is_repeated else rows.n_rows,
        effective_rows=rows.n_effective,
        weight_type=rows.weight_type,
        decided=tuple((unit * bands.rows).tolist()),
        scores=ScoreDistribution.of(rows.scores, rows.weights),
        outcomes={"kind": kind, **outcomes},
    )
