"""Pictures of scores, thresholds and risks, in the manner of scikit-learn's displays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ordcut.arrays import Array, ArrayLike, Floats
from ordcut.checks import ClassWeight, class_factors
from ordcut.errors import unknown_name
from ordcut.objectives import ObjectiveLike, resolve_objective
from ordcut.table import ScoreTable
from ordcut.thresholds import Thresholds

KINDS = ("density", "risk")

#: Curves are drawn through at most so many points; their minima are always among them.
MOST_POINTS = 2000


class ThresholdDisplay:
    """Where scores are cut: the scores of each class, or the risk of every place to cut.

    Make one by ``from_estimator`` or ``from_predictions``.

    Parameters
    ----------
    table : ScoreTable
        The scores and their classes.
    labeler : Thresholds
        The thresholds to show.
    cost : ndarray of shape (K, K)
        What predicting a class costs for each true one.

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

    def __init__(self, *, table: ScoreTable, labeler: Thresholds, cost: Floats) -> None:
        self.table = table
        self.labeler = labeler
        self.cost = cost

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
        kind : {"density", "risk"}, default="density"
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
        objective: ObjectiveLike = "absolute",
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
        objective : str, array-like of shape (K, K), callable, Kappa or Objective
            What labels are judged by. A kappa is drawn by the cost that it is made of.
        classes : sequence, default=None
            All classes, lowest first; those of ``labeler`` by default.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts.
        class_weight : "balanced", dict or array-like of shape (n_classes,), default=None
            How much the rows of each class count.
        kind : {"density", "risk"}, default="density"
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
        table = ScoreTable(scores, y_true, classes=classes, sample_weight=sample_weight)
        if labeler is None:
            labeler = table.solve(objective, class_weight=class_weight)
        factors = class_factors(class_weight, table.classes, table.totals)
        cost = resolve_objective(objective, len(table.classes)).cost * factors
        display = cls(table=table, labeler=labeler, cost=cost)
        return display.plot(kind=kind, ax=ax, cmap=cmap)

    def plot(
        self, *, kind: str = "density", ax: Any = None, cmap: str = "viridis"
    ) -> ThresholdDisplay:
        """Draw the display.

        Parameters
        ----------
        kind : {"density", "risk"}, default="density"
            The scores of each class with the thresholds and the range in which each could stand,
            or the risk of each threshold over all places where it could stand, with its minimum.
        ax : matplotlib Axes, default=None
            What to draw on; a new figure by default.
        cmap : str, default="viridis"
            The colours of the ordered classes.

        Returns
        -------
        ThresholdDisplay
            The display itself.
        """
        if kind not in KINDS:
            raise unknown_name("kind", kind, KINDS)
        self.ax_ = new_axes() if ax is None else ax
        self.figure_ = self.ax_.figure
        n_colours = len(self.table.classes) - (kind == "risk")
        colours = ordered_colours(n_colours, cmap)
        draw = self._draw_densities if kind == "density" else self._draw_risks
        draw(colours)
        self.ax_.set_xlabel("score")
        self.ax_.legend(frameon=False)
        return self

    def _draw_densities(self, colours: Array) -> None:
        """Draw a histogram a class, its area the class's share, and the thresholds on top."""
        table, rows = self.table, self.table.rows
        scores = rows.scores.astype(np.float64)
        weights = np.ones(len(scores)) if rows.weights is None else rows.weights
        edges = np.histogram_bin_edges(scores, bins=min(80, max(10, int(len(scores) ** 0.5))))
        scale = table.totals.sum() * np.diff(edges)
        for code, (name, colour) in enumerate(zip(table.classes, colours, strict=True)):
            mine = rows.codes == code
            counts, _ = np.histogram(scores[mine], edges, weights=weights[mine])
            self.ax_.stairs(counts / scale, edges, color=colour, label=str(name), linewidth=1.8)
            self.ax_.stairs(counts / scale, edges, color=colour, fill=True, alpha=0.15)
        low, high = edges[0], edges[-1]
        for threshold, (lower, upper) in zip(
            self.labeler.thresholds, self.labeler.ranges, strict=True
        ):
            self.ax_.axvspan(max(lower, low), min(upper, high), color="0.5", alpha=0.3, linewidth=0)
            if low <= threshold <= high:
                self.ax_.axvline(threshold, color="black", linewidth=1.2, linestyle="--")
        self.ax_.set_xlim(low, high)
        self.ax_.set_ylabel("density, by share of class")
        self.ax_.set_title(f"Thresholds for {self.labeler.objective} ({self.labeler.method})")

    def risk_curves(self) -> tuple[Floats, Floats]:
        """Return all places to cut, and the mean risk of each threshold at each of them.

        Threshold ``k`` at a place pays for scores below it as class ``k`` and for the rest as
        class ``k + 1``; where the objective is convex, its minimum is the optimal threshold.

        Returns
        -------
        places : ndarray of shape (N + 1,)
            From -inf to inf.
        risks : ndarray of shape (K - 1, N + 1)
            One row a threshold.
        """
        losses = self.table.loss_sums(self.cost)
        below = np.cumsum(losses, axis=0)
        start = np.zeros((1, losses.shape[1]))
        as_lower = np.concatenate([start, below])[:, :-1]
        as_upper = (below[-1] - np.concatenate([start, below]))[:, 1:]
        return self.table.candidates, (as_lower + as_upper).T / self.table.totals.sum()

    def _draw_risks(self, colours: Array) -> None:
        places, risks = self.risk_curves()
        finite = np.clip(places, self.table.scores[0], self.table.scores[-1])
        names = [str(name) for name in self.table.classes]
        for k, (risk, colour) in enumerate(zip(risks, colours, strict=True)):
            lowest = int(np.argmin(risk))
            every = np.linspace(0, len(places) - 1, min(MOST_POINTS, len(places))).astype(int)
            shown = np.union1d(every, lowest)
            label = f"{names[k]} | {names[k + 1]}"
            self.ax_.plot(finite[shown], risk[shown], color=colour, label=label, linewidth=1.5)
            self.ax_.plot(finite[lowest], risk[lowest], "o", color=colour, label="_minimum")
        for threshold in self.labeler.thresholds[np.isfinite(self.labeler.thresholds)]:
            self.ax_.axvline(threshold, color="black", linewidth=0.8, linestyle=":")
        self.ax_.set_ylabel(f"mean risk ({self.labeler.objective})")
        self.ax_.set_title("Risk of each threshold, and its minimum")


def new_axes(what: str = "ThresholdDisplay") -> Any:
    """Return axes of a new figure, for something that is named in the error without matplotlib."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f"{what} needs matplotlib, which is not installed. "
            'Install it with: pip install "ordcut[plots]".'
        ) from error
    return plt.subplots(layout="constrained")[1]


def ordered_colours(n_colours: int, name: str) -> Array:
    """Return colours of a map without its ends, which are too close to ink and paper."""
    import matplotlib as mpl

    return np.asarray(mpl.colormaps[name](np.linspace(0.05, 0.88, n_colours)))
