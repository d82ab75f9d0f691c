"""Pictures of scores, thresholds and risks, in the manner of scikit-learn's displays.

Colours are ordered as the classes are, by lightness too: they survive colour blindness and grey
printers.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ordcut.arrays import Array, ArrayLike, Floats
from ordcut.checks import ClassWeight, class_factors
from ordcut.errors import unknown_name
from ordcut.finding import find_thresholds
from ordcut.objectives import ObjectiveLike, n_classes_of, objective_or_named
from ordcut.plots import drawing
from ordcut.report.ground import lay_ground
from ordcut.solvers import Plan
from ordcut.sources.arrays import ArraySource
from ordcut.sources.base import Source
from ordcut.threads import count_threads
from ordcut.thresholds import Thresholds

KINDS = ("density", "risk", "confusion")

#: Of large data, risks are computed at about so many places; of small data, at all.
N_PLACES = 6400

#: A histogram has twice the cube root of the number of places as bins, between these.
FEWEST_BINS, MOST_BINS = 10, 80


class ThresholdDisplay:
    """Where scores are cut: the scores of each class, the risk of every cut, or what comes of it.

    Make one by ``from_estimator``, ``from_predictions`` or ``from_source``.

    Parameters
    ----------
    places : ndarray of shape (P,)
        Places where a threshold can stand, from -inf to inf, those of ``labeler`` among them.
    below : ndarray of shape (P, K)
        The weight of each class below each place.
    extent : tuple of float
        The lowest and the highest score.
    labeler : Thresholds
        The thresholds to show.
    cost : ndarray of shape (K, K)
        What predicting a class costs for each true one.
    cost_name : str
        What that cost is called.

    Attributes
    ----------
    ax_ : matplotlib Axes
        What was drawn on.
    figure_ : matplotlib Figure
        The figure that it belongs to.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from ordcut.plots import ThresholdDisplay
    >>> shown = ThresholdDisplay.from_predictions([0, 0, 1, 2], [0.1, 0.4, 0.5, 0.9], kind="risk")
    >>> shown.labeler.thresholds
    array([0.45, 0.7 ])
    >>> shown.ax_.get_ylabel()
    'mean risk (absolute)'
    """

    ax_: Any
    figure_: Any

    def __init__(
        self,
        *,
        places: Floats,
        below: Floats,
        extent: tuple[float, float],
        labeler: Thresholds,
        cost: Floats,
        cost_name: str,
    ) -> None:
        self.places = places
        self.below = below
        self.extent = extent
        self.labeler = labeler
        self.cost = cost
        self.cost_name = cost_name

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
        """Draw the scores of a fitted estimator of :mod:`ordcut.estimators`, with its thresholds.

        Parameters
        ----------
        estimator : estimator
            A fitted estimator with ``predict_score`` and ``labeler_``.
        X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
            The rows to show.
        y : array-like of shape (n_samples,)
            Their true classes.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts.
        kind : {"density", "risk", "confusion"}, default="density"
            What to draw.
        ax : matplotlib Axes, default=None
            What to draw on; a new figure by default.
        cmap : str, default="viridis"
            The colours of the ordered classes; ``"cividis"`` is as safe for the colour-blind.

        Returns
        -------
        ThresholdDisplay
            The display, drawn.
        """
        objective, _ = estimator._resolved()
        return cls.from_predictions(
            y,
            estimator.predict_score(X),
            labeler=estimator.labeler_,
            objective=objective,
            sample_weight=sample_weight,
            class_weight=estimator.class_weight,
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
        labeler: Thresholds | None = None,
        objective: ObjectiveLike | None = None,
        classes: Sequence[Any] | Array | None = None,
        sample_weight: ArrayLike | None = None,
        class_weight: ClassWeight | None = None,
        kind: str = "density",
        ax: Any = None,
        cmap: str = "viridis",
    ) -> ThresholdDisplay:
        """Draw scores and their true classes, with given or optimal thresholds.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            The true classes.
        scores : array-like of shape (n_samples,)
            Finite scores; higher means a higher class.
        labeler : Thresholds, default=None
            The thresholds to show; those that are optimal for the objective by default.
        objective : str, array-like of shape (K, K), callable, Kappa or Objective, default=None
            What labels are judged by; by default that of ``labeler``, if it has a name, or else
            the absolute loss. A kappa is drawn by the cost that it is made of.
        classes : sequence, default=None
            All classes, lowest first; those of ``labeler`` by default.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts.
        class_weight : "balanced", dict or array-like of shape (n_classes,), default=None
            How much the rows of each class count.
        kind : {"density", "risk", "confusion"}, default="density"
            What to draw.
        ax : matplotlib Axes, default=None
            What to draw on; a new figure by default.
        cmap : str, default="viridis"
            The colours of the ordered classes.

        Returns
        -------
        ThresholdDisplay
            The display, drawn.
        """
        if classes is None and labeler is not None:
            classes = labeler.classes
        n_classes = None if objective is None else n_classes_of(objective)
        source = ArraySource(
            scores, y_true, classes=classes, n_classes=n_classes, weights=sample_weight
        )
        return cls.from_source(
            source,
            labeler=labeler,
            objective=objective,
            class_weight=class_weight,
            kind=kind,
            ax=ax,
            cmap=cmap,
        )

    @classmethod
    def from_source(
        cls,
        source: Source,
        *,
        labeler: Thresholds | None = None,
        objective: ObjectiveLike | None = None,
        class_weight: ClassWeight | None = None,
        kind: str = "density",
        ax: Any = None,
        cmap: str = "viridis",
        score_name: str = "score",
        n_jobs: int | None = None,
    ) -> ThresholdDisplay:
        """Draw the rows of a source, a frame of any size for example, from counts alone.

        Parameters
        ----------
        source : Source
            Where the rows are.
        labeler : Thresholds, default=None
            The thresholds to show; those that are optimal for the objective by default.
        objective : str, array-like of shape (K, K), callable, Kappa or Objective, default=None
            What labels are judged by, as in ``from_predictions``.
        class_weight : "balanced", dict or array-like of shape (n_classes,), default=None
            How much the rows of each class count.
        kind : {"density", "risk", "confusion"}, default="density"
            What to draw.
        ax : matplotlib Axes, default=None
            What to draw on; a new figure by default.
        cmap : str, default="viridis"
            The colours of the ordered classes.
        score_name : str, default="score"
            What the scores are called.
        n_jobs : int, default=None
            The number of threads, -1 for one a core.

        Returns
        -------
        ThresholdDisplay
            The display, drawn.
        """
        name = "absolute" if labeler is None else labeler.objective
        resolved = objective_or_named(objective, name, len(source.classes))
        ground = lay_ground(source, N_PLACES, count_threads(n_jobs))
        factors = class_factors(class_weight, source.classes, ground.totals)
        if labeler is None:
            method = ground.method
            labeler = find_thresholds(ground.problem, resolved, method, class_weight, Plan())
        places, below = ground.with_exact(source, labeler.thresholds)
        display = cls(
            places=np.concatenate([[-np.inf], places, [np.inf]]),
            below=np.vstack([np.zeros_like(ground.totals), below, ground.totals]),
            extent=ground.extent,
            labeler=labeler,
            cost=resolved.cost * factors,
            cost_name=resolved.name,
        )
        return display.plot(kind=kind, ax=ax, cmap=cmap, score_name=score_name)

    def plot(
        self,
        *,
        kind: str = "density",
        ax: Any = None,
        cmap: str = "viridis",
        score_name: str = "score",
    ) -> ThresholdDisplay:
        """Draw the display.

        Parameters
        ----------
        kind : {"density", "risk", "confusion"}, default="density"
            The scores of each class with the thresholds and the range in which each could stand;
            the risk of each threshold over all places where it could stand, with its minimum; or
            how many rows of each class get each label.
        ax : matplotlib Axes, default=None
            What to draw on; a new figure by default.
        cmap : str, default="viridis"
            The colours of the ordered classes.
        score_name : str, default="score"
            What the scores are called.

        Returns
        -------
        ThresholdDisplay
            The display itself.
        """
        if kind not in KINDS:
            raise unknown_name("kind", kind, KINDS)
        self.ax_ = drawing.new_axes() if ax is None else ax
        self.figure_ = self.ax_.figure
        if kind == "confusion":
            drawing.draw_confusion(self.ax_, self.confusion(), self.labeler)
        elif kind == "risk":
            pairs = pairwise(map(str, self.labeler.classes))
            names = [f"{lower} | {upper}" for lower, upper in pairs]
            drawing.draw_risks(self.ax_, self, drawing.Key(names, cmap), score_name)
        else:
            key = drawing.Key([str(name) for name in self.labeler.classes], cmap)
            drawing.draw_densities(self.ax_, self, key, score_name)
        return self

    def histogram(self) -> tuple[Floats, Floats]:
        """Return edges at nearly equal steps, and the weight of each class between them.

        Returns
        -------
        edges : ndarray of shape (n_bins + 1,)
            From the lowest score to the highest.
        counts : ndarray of shape (n_bins, K)
            One column a class.
        """
        low, high = self.extent
        if low == high:
            low, high = low - 0.5, high + 0.5
        n_bins = int(np.clip(2 * np.cbrt(len(self.places)), FEWEST_BINS, MOST_BINS))
        grid = np.linspace(low, high, n_bins + 1)[1:-1]
        # The weights are known at places only, so each edge moves to the next one.
        numbers = np.unique(np.searchsorted(self.places, grid))
        numbers = numbers[(self.places[numbers] > low) & (self.places[numbers] < high)]
        edges = np.concatenate([[low], self.places[numbers], [high]])
        below = np.vstack([self.below[0], self.below[numbers], self.below[-1]])
        return edges, np.diff(below, axis=0)

    def risk_curves(self) -> tuple[Floats, Floats]:
        """Return places to cut, and the mean risk of each threshold at each of them.

        Threshold ``k`` at a place pays for scores below it as class ``k`` and for the rest as
        class ``k + 1``; where the objective is convex, its minimum is the optimal threshold.

        Returns
        -------
        places : ndarray of shape (P,)
            From -inf to inf: every place between two scores, or some thousands of them.
        risks : ndarray of shape (K - 1, P)
            One row a threshold.
        """
        as_lower = self.below @ self.cost[:-1].T
        as_upper = (self.below[-1] - self.below) @ self.cost[1:].T
        return self.places, (as_lower + as_upper).T / self.below[-1].sum()

    def confusion(self) -> Floats:
        """Return the weight of each predicted and true class: (K, K)."""
        at = self.below[np.searchsorted(self.places, self.labeler.thresholds)]
        return np.diff(np.vstack([self.below[:1], at, self.below[-1:]]), axis=0)
