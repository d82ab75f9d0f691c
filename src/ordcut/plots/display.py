"""The display of thresholds: scores of each class, risk curves, or the confusion matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ordcut._core.data import ClassWeight, Rows, truth_in_rows
from ordcut._core.errors import unknown_name
from ordcut._core.numerics.threads import count_threads
from ordcut._core.objectives import Objective, ObjectiveLike
from ordcut._core.pruning import ArraySource, Source
from ordcut._core.thresholds import Thresholds, objective_for
from ordcut._core.typing import Array, ArrayLike, Floats
from ordcut.plots.confusion import draw_confusion
from ordcut.plots.curves import draw_risk
from ordcut.plots.ridges import draw_ridges
from ordcut.plots.scores import estimator_scores
from ordcut.plots.style import new_axes
from ordcut.report import Candidates, Curves, curves_of_counts, known_classes

KINDS = ("density", "risk", "confusion")

#: For many rows, risks are computed at about this many positions; for few rows, at all.
N_POSITIONS = 6400

#: The axis leaves out up to this share of the rows at either end.
OUTSIDE = 0.002

#: A histogram has twice the cube root of the number of positions as bins, between these.
FEWEST_BINS, MOST_BINS = 10, 80


@dataclass(kw_only=True, eq=False, repr=False)
class ThresholdDisplay:
    """Thresholds between scores: ridges of the classes, risk curves or the confusion matrix.

    Use ``from_estimator``, ``from_predictions`` or ``from_frame`` to create a display.

    Parameters
    ----------
    positions : ndarray of shape (P,)
        Candidate positions of thresholds, from -inf to inf, including ``thresholds``.
    below : ndarray of shape (P, K)
        The weight of each class below each position.
    extent : tuple of float
        The lowest and the highest score.
    thresholds : Thresholds
        The thresholds to show.
    objective : Objective
        What the thresholds are judged by.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes with the plot.
    figure_ : matplotlib Figure
        The figure that contains them.
    risk_ax_ : matplotlib Axes or None
        The axes below the scores of the classes, with ``kind="density"``.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from ordcut.plots import ThresholdDisplay
    >>> shown = ThresholdDisplay.from_predictions([0, 0, 1, 2], [0.1, 0.4, 0.5, 0.9], kind="risk")
    >>> shown.thresholds.thresholds
    array([0.45, 0.7 ])
    >>> shown.ax_.get_ylabel()
    'mean absolute error'
    """

    positions: Floats
    below: Floats
    extent: tuple[float, float]
    thresholds: Thresholds
    objective: Objective
    ax_: Any = field(init=False)
    figure_: Any = field(init=False)
    risk_ax_: Any = field(init=False, default=None)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Any,
        *,
        sample_weight: ArrayLike | None = None,
        kind: str = "density",
        ax: Any = None,
        cmap: str = "viridis",
    ) -> ThresholdDisplay:
        """Plot the scores of a fitted estimator with its thresholds.

        Parameters
        ----------
        estimator : estimator
            A fitted estimator of :mod:`ordcut.estimators`, or a pipeline or search with such an
            estimator. Of any other regressor, the predictions are the scores; of a classifier, the
            mean position of the classes by ``predict_proba``. Thresholds are then
            optimal for ``y``.
        X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
            The rows to show.
        y : array-like of shape (n_samples,)
            Their true classes.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts.
        kind, ax, cmap
            As in ``plot``.

        Returns
        -------
        ThresholdDisplay
            The display, plotted.
        """
        scores, own = estimator_scores(estimator, X)
        return cls.from_predictions(
            y,
            scores,
            thresholds=getattr(own, "labeler_", None),
            objective=None if own is None else own.objective,
            sample_weight=sample_weight,
            class_weight=None if own is None else own.class_weight,
            kind=kind,
            ax=ax,
            cmap=cmap,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        scores: ArrayLike,
        *,
        thresholds: Thresholds | None = None,
        objective: ObjectiveLike | None = None,
        classes: Sequence[Any] | Array | None = None,
        sample_weight: ArrayLike | None = None,
        class_weight: ClassWeight | None = None,
        kind: str = "density",
        ax: Any = None,
        cmap: str = "viridis",
        score_name: str = "score",
        n_jobs: int | None = None,
    ) -> ThresholdDisplay:
        """Plot scores and their true classes, with given or optimal thresholds.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            The true classes.
        scores : array-like of shape (n_samples,)
            Finite scores; higher means a higher class.
        thresholds : Thresholds, default=None
            The thresholds to show; by default, the optimal thresholds for the objective.
        objective : str, array-like of shape (D, K), callable, Kappa or Objective, default=None
            The objective to judge by; by default the thresholds' own, or the absolute loss.
        classes : sequence, default=None
            All classes, lowest first; the classes of ``thresholds`` by default.
        sample_weight, class_weight
            As in :func:`ordcut.optimal_thresholds`.
        kind, ax, cmap, score_name
            As in ``plot``.
        n_jobs : int, default=None
            The number of threads, -1 for all cores. By default 1.

        Returns
        -------
        ThresholdDisplay
            The display, plotted.
        """
        n_threads = count_threads(n_jobs)  # first: an error must not wait for the data
        known = known_classes(thresholds, objective, classes)
        source = ArraySource(Rows.read(scores, y_true, weights=sample_weight, **known), n_threads)
        options = {"kind": kind, "ax": ax, "cmap": cmap, "score_name": score_name}
        return cls._from_source(source, thresholds, objective, class_weight, **options)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        score: str,
        label: str,
        weight: str | None = None,
        thresholds: Thresholds | None = None,
        objective: ObjectiveLike | None = None,
        classes: Sequence[Any] | Array | None = None,
        class_weight: ClassWeight | None = None,
        nulls: Literal["raise", "drop"] = "raise",
        kind: str = "density",
        ax: Any = None,
        cmap: str = "viridis",
    ) -> ThresholdDisplay:
        """Plot a frame of any engine and size, from counts of its rows.

        Parameters
        ----------
        frame : dataframe
            A frame of any library that narwhals knows: pandas, Polars, DuckDB, Dask, PySpark, ...
        score, label : str
            The names of the columns with the scores and the true classes.
        weight : str, default=None
            The name of a column that says how much each row counts.
        thresholds, objective, classes, class_weight
            As in ``from_predictions``.
        nulls : {"raise", "drop"}, default="raise"
            What to do about rows in which a score, a label or a weight is null or NaN.
        kind, ax, cmap
            As in ``plot``.

        Returns
        -------
        ThresholdDisplay
            The display, plotted.

        Examples
        --------
        >>> import matplotlib; matplotlib.use("Agg")
        >>> import polars as pl
        >>> frame = pl.DataFrame({"risk": [0.1, 0.4, 0.5, 0.9], "grade": [0, 0, 1, 2]})
        >>> shown = ThresholdDisplay.from_frame(frame, score="risk", label="grade")
        >>> shown.ax_.get_xlabel()
        'risk'
        """
        from ordcut.frames import FrameSource

        known = known_classes(thresholds, objective, classes)
        source = FrameSource(frame, score=score, label=label, weight=weight, nulls=nulls, **known)
        options = {"kind": kind, "ax": ax, "cmap": cmap, "score_name": score}
        try:
            return cls._from_source(source, thresholds, objective, class_weight, **options)
        finally:
            source.release()

    @classmethod
    def _from_source(
        cls,
        source: Source,
        thresholds: Thresholds | None,
        objective: ObjectiveLike | None = None,
        class_weight: ClassWeight | None = None,
        **options: Any,
    ) -> ThresholdDisplay:
        """Plot the rows of a source from counts, with the options of ``plot``."""
        named = objective_for(thresholds, objective, source.classes)
        resolved = named.weighted(class_weight, source.classes)
        candidates = Candidates.of(source, N_POSITIONS)
        extent = candidates.extent
        if thresholds is None:
            thresholds = candidates.optimum(resolved)
        candidates = candidates.including(thresholds.thresholds)
        positions, below = candidates.with_ends()
        display = cls(
            positions=positions,
            below=below,
            extent=extent,
            thresholds=thresholds,
            objective=resolved,
        )
        return display.plot(**options)

    def plot(
        self,
        *,
        kind: str = "density",
        ax: Any = None,
        cmap: str = "viridis",
        score_name: str = "score",
    ) -> ThresholdDisplay:
        """Plot the display.

        Parameters
        ----------
        kind : {"density", "risk", "confusion"}, default="density"
            The distribution of the scores of each class in a row of its own, solid where the
            prediction is right and pale where it is not, and below it the objective as one
            threshold moves; the loss that each threshold decides over all its positions, with the
            minimum, or for a kappa the kappa itself as each threshold moves, with the best
            position; or how many rows of each class get each label.
        ax : matplotlib Axes, default=None
            The axes to plot on; a new figure by default.
        cmap : str, default="viridis"
            The colours of the ordered classes; ``"cividis"`` is as safe for the colour-blind.
        score_name : str, default="score"
            The name of the scores.

        Returns
        -------
        ThresholdDisplay
            The display itself.
        """
        if kind not in KINDS:
            raise unknown_name("kind", kind, KINDS)
        self.ax_ = new_axes("ThresholdDisplay") if ax is None else ax
        self.figure_ = self.ax_.figure
        if kind == "confusion":
            table, name = self.confusion(), self.thresholds.objective
            draw_confusion(self.ax_, table, self.thresholds, name, self.value)
        elif kind == "risk":
            draw_risk(self.ax_, self, cmap, score_name)
        else:
            draw_ridges(self.ax_, self, cmap, score_name)
        return self

    @property
    def xlim(self) -> tuple[float, float]:
        """The part of the line that is plotted: nearly all scores, and all finite thresholds.

        A few scores far out would leave no space for the others.
        """
        low, high = self.extent
        weight = self.below.sum(axis=1)
        if len(self.positions) and weight[-1] > weight[0]:
            ends = weight[0] + (weight[-1] - weight[0]) * np.array([OUTSIDE, 1 - OUTSIDE])
            first, last = np.searchsorted(weight, ends).tolist()
            low = max(low, float(self.positions[max(first - 1, 0)]))
            high = min(high, float(self.positions[min(last, len(weight) - 1)]))
        finite = self.thresholds.thresholds[np.isfinite(self.thresholds.thresholds)]
        low, high = min([low, *finite.tolist()]), max([high, *finite.tolist()])
        return (low, high) if low < high else (low - 0.5, high + 0.5)

    def histogram(self) -> tuple[Floats, Floats]:
        """Return edges at nearly equal steps, and the weight of each class between them.

        The steps divide ``xlim``; scores beyond it share a step at either end.

        Returns
        -------
        edges : ndarray of shape (n_bins + 1,)
            From the lowest score to the highest.
        counts : ndarray of shape (n_bins, K)
            One column per class.
        """
        low, high = self.extent
        if low == high:
            low, high = low - 0.5, high + 0.5
        n_bins = int(np.clip(2 * np.cbrt(len(self.positions)), FEWEST_BINS, MOST_BINS))
        grid = np.linspace(*self.xlim, n_bins + 1)
        grid = grid[(grid > low) & (grid < high)]
        # The weights are known at positions only, so each edge moves to the next position.
        indices = np.unique(np.searchsorted(self.positions, grid))
        indices = indices[indices < len(self.positions)]
        indices = indices[(self.positions[indices] > low) & (self.positions[indices] < high)]
        edges = np.concatenate([[low], self.positions[indices], [high]])
        below = np.vstack([self.below[0], self.below[indices], self.below[-1]])
        return edges, np.diff(below, axis=0)

    def risk_curves(self) -> tuple[Floats, Floats]:
        """Return positions, and the mean risk of each threshold at each of them.

        Threshold ``k`` at a position pays for scores below it as decision ``k``, by default class
        ``k``, and for the rest as decision ``k + 1``. If the objective is convex, the minimum is
        at the optimal threshold. For a kappa, the risk is the mean of its cost; see ``curves`` for
        the kappa itself.

        Returns
        -------
        positions : ndarray of shape (P,)
            From -inf to inf: all positions between two scores, or several thousand of them.
        risks : ndarray of shape (D - 1, P)
            A row per threshold.
        """
        factors = self._factors
        cost = self.objective.cost * factors
        as_lower = self.below @ cost[:-1].T
        as_upper = (self.below[-1] - self.below) @ cost[1:].T
        weight = self.objective.row_weight(self.below[-1] * factors)
        return self.positions, (as_lower + as_upper).T / weight

    def curves(self) -> Curves:
        """Return the value of the objective over the positions of each threshold.

        The other thresholds stay, and the threshold that moves does not pass them.
        """
        weights = self.below * self._factors
        return curves_of_counts(self.positions, weights, self.thresholds, self.objective)

    @property
    def value(self) -> float:
        """The value of the thresholds on these rows; NaN if a kappa is undefined for them."""
        try:
            return self.objective.value(self.confusion().T)
        except ValueError:
            return float("nan")

    @property
    def _factors(self) -> Floats:
        """What the rows of each class count."""
        factors = self.objective.factors(self.below[-1])
        return np.ones(len(self.below[-1])) if factors is None else factors

    def confusion(self) -> Floats:
        """Return the weight of each true class (rows) and decision (columns): (K, D)."""
        at = self.below[np.searchsorted(self.positions, self.thresholds.thresholds)]
        return truth_in_rows(np.diff(np.vstack([self.below[:1], at, self.below[-1:]]), axis=0))
