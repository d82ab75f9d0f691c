"""Draw displays on axes of matplotlib, which is imported when it is needed."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut._core.thresholds import Thresholds
from ordcut._core.typing import Array, Floats
from ordcut.report import is_smoothed

if TYPE_CHECKING:
    from ordcut._core.uncertainty import Bootstrap
    from ordcut.plots.display import ThresholdDisplay

#: The level of the thick part of an interval.
INNER_LEVEL = 0.5

#: With more names than this, a colour bar replaces the legend.
MOST_NAMES = 10

#: The longest names, in characters: of a class, of each class of a pair, and of an upright name.
LONGEST_NAME, LONGEST_OF_PAIR, LONGEST_UPRIGHT = 24, 15, 8

#: The share of the axes' width that the value of a threshold takes.
WIDTH_OF_VALUE = 0.13


def new_axes(what: str) -> Any:
    """Return axes of a new figure; ``what`` needs them, says the error without matplotlib."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f"{what} needs matplotlib, which is not installed. "
            "Install it with: pip install matplotlib."
        ) from error
    return plt.subplots(layout="constrained")[1]


def ordered_colours(n_colours: int, name: str) -> Array:
    """Return colours of a map without its ends, which are too close to black and white."""
    import matplotlib as mpl

    return np.asarray(mpl.colormaps[name](np.linspace(0.05, 0.88, n_colours)))


def shortened(name: object, most: int = LONGEST_NAME) -> str:
    """Return a name as text, cut where it is too long for a plot.

    Examples
    --------
    >>> shortened("a name that would take half of the figure")
    'a name that would take …'
    """
    text = str(name)
    return text if len(text) <= most else text[: most - 1] + "…"


def pair_names(classes: Array) -> list[str]:
    """Return a name for each threshold: the classes below and above it.

    Examples
    --------
    >>> pair_names(np.array(["low", "middle", "so high that it is hard to say"]))
    ['low | middle', 'middle | so high that i…']
    """
    names = [shortened(name, LONGEST_OF_PAIR) for name in classes]
    return [f"{lower} | {upper}" for lower, upper in pairwise(names)]


def never_predicted(thresholds: Thresholds) -> list[bool]:
    """Return for each class whether no score gets it: whether nothing is between its thresholds.

    Examples
    --------
    >>> import ordcut
    >>> never_predicted(ordcut.optimal_thresholds([1, 2, 3], [0, 0, 2], classes=[0, 1, 2]))
    [False, True, False]
    """
    edges = np.concatenate([[-np.inf], thresholds.thresholds, [np.inf]])
    return [bool(is_never) for is_never in edges[1:] == edges[:-1]]


def class_names(thresholds: Thresholds) -> list[str]:
    """Return the names of the classes, with a note for each that is never predicted."""
    never = never_predicted(thresholds)
    if thresholds.decides_otherwise:
        never = [False] * len(thresholds.classes)
    return [
        shortened(name) + (" (never predicted)" if is_never else "")
        for name, is_never in zip(thresholds.classes, never, strict=True)
    ]


def add_legend(axes: Any) -> None:
    """Add a legend that no line crosses: beside the axes, or opaque where the layout is fixed."""
    if axes.figure.get_layout_engine() is not None:
        legend = axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    else:
        legend = axes.legend(framealpha=1.0, edgecolor="none")
    for text in legend.get_texts():
        text.set_parse_math(False)  # a dollar in a name is a dollar


def set_log_scale(axes: Any) -> None:
    """Give the x axis a log scale with plain numbers, such as 0.1, 0.2, 0.5, 1, 2, 5 and 10."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axes.set_xscale("log")
    low, high = axes.get_xlim()
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 1e4 * low else (1,)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.xaxis.set_minor_locator(NullLocator())


class Key:
    """Names in order, each with a colour."""

    def __init__(self, names: list[str], cmap: str) -> None:
        self.names = names
        self.colours = ordered_colours(len(names), cmap)

    def explain(self, axes: Any) -> None:
        """Add a legend, or for many names a colour bar that names a few."""
        if len(self.names) <= MOST_NAMES:
            add_legend(axes)
            return
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import BoundaryNorm, ListedColormap

        norm = BoundaryNorm(np.arange(len(self.names) + 1) - 0.5, len(self.names))
        bar = axes.figure.colorbar(ScalarMappable(norm, ListedColormap(self.colours)), ax=axes)
        ticks = np.arange(0, len(self.names), -(-len(self.names) // MOST_NAMES))
        bar.set_ticks(ticks, labels=[self.names[tick] for tick in ticks])
        bar.ax.minorticks_off()
        for text in bar.ax.get_yticklabels():
            text.set_parse_math(False)


def draw_densities(axes: Any, display: ThresholdDisplay, key: Key, score_name: str) -> None:
    """Draw a histogram per class, its area the class's share, and the thresholds on top."""
    edges, counts = display.histogram()
    heights = counts / (counts.sum() * np.diff(edges)[:, None])
    for name, colour, height in zip(key.names, key.colours, heights.T, strict=True):
        axes.stairs(height, edges, color=colour, label=name, linewidth=1.8)
        axes.stairs(height, edges, color=colour, fill=True, alpha=0.15)
    low, high = edges[0], edges[-1]
    thresholds = display.thresholds
    for threshold, (lower, upper) in zip(thresholds.thresholds, thresholds.ranges, strict=True):
        axes.axvspan(max(lower, low), min(upper, high), color="0.5", alpha=0.3, linewidth=0)
        if low <= threshold <= high:
            axes.axvline(threshold, color="black", linewidth=1.2, linestyle="--")
    axes.set_xlim(*display.xlim)
    axes.set_ylabel("density, by share of class")
    how = f"{thresholds.method}, smoothed" if is_smoothed(thresholds) else thresholds.method
    axes.set_title(f"Thresholds for {thresholds.objective} ({how})").set_parse_math(False)
    _finish(axes, thresholds, key, score_name)


def draw_risks(axes: Any, display: ThresholdDisplay, key: Key, score_name: str) -> None:
    """Draw the risk of each threshold over all positions, its minimum, and the thresholds."""
    positions, risks = display.risk_curves()
    finite = np.clip(positions, *display.extent)
    for name, colour, risk in zip(key.names, key.colours, risks, strict=True):
        lowest = int(np.argmin(risk))
        axes.plot(finite, risk, color=colour, label=name, linewidth=1.5)
        axes.plot(finite[lowest], risk[lowest], "o", color=colour, label="_minimum")
    axes.set_ylabel(f"mean risk ({display.objective.name})").set_parse_math(False)
    axes.set_title("Risk of each threshold, and its minimum")
    _finish_curves(axes, display, key, score_name)


def draw_kappas(axes: Any, display: ThresholdDisplay, key: Key, score_name: str) -> None:
    """Draw the kappa as each threshold moves between its neighbours, and the best position."""
    for curve, colour, name in zip(display.curves(), key.colours, key.names, strict=True):
        finite = np.clip(curve.positions, *display.extent)
        axes.plot(finite, curve.values, color=colour, label=name, linewidth=1.5)
        if not np.isnan(curve.values).all():
            highest = int(np.nanargmax(curve.values))
            axes.plot(finite[highest], curve.values[highest], "o", color=colour, label="_maximum")
    axes.set_ylabel(display.objective.name).set_parse_math(False)
    axes.set_title("Kappa as one threshold moves, and its maximum")
    _finish_curves(axes, display, key, score_name)


def _finish_curves(axes: Any, display: ThresholdDisplay, key: Key, score_name: str) -> None:
    """Draw the thresholds across the curves, and name the axis and the colours."""
    thresholds = display.thresholds
    for threshold in thresholds.thresholds[np.isfinite(thresholds.thresholds)]:
        axes.axvline(threshold, color="black", linewidth=0.8, linestyle=":")
    axes.set_xlim(*display.xlim)
    _finish(axes, thresholds, key, score_name)


def draw_confusion(axes: Any, counts: Floats, thresholds: Thresholds, value: float) -> None:
    """Draw a (true, decided) table: a cell for each pair, shaded by its share of the true class.

    ``value`` belongs to the table, whose rows may differ from the rows of the thresholds.
    """
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
    image = axes.imshow(shares, cmap="Blues", vmin=0)
    decided = "decided" if thresholds.decides_otherwise else "predicted"
    for axis, what, every in (
        (axes.yaxis, "true", thresholds.classes),
        (axes.xaxis, decided, thresholds.decisions),
    ):
        step = -(-len(every) // (2 * MOST_NAMES))
        names = [shortened(name) for name in every[::step]]
        axis.set_ticks(np.arange(0, len(every), step), names)
        for text in axis.get_ticklabels():
            text.set_parse_math(False)
        axis.set_label_text(what)
    if max(map(len, names)) > LONGEST_UPRIGHT:
        axes.tick_params(axis="x", labelrotation=40)
        for text in axes.get_xticklabels():
            text.set(ha="right", rotation_mode="anchor")
    never = [
        shortened(name)
        for name, is_never in zip(thresholds.decisions, never_predicted(thresholds), strict=True)
        if is_never
    ]
    if never:
        more = f" and {len(never) - 3} more" if len(never) > 4 else ""
        shown = ", ".join(never[:3] if more else never) + more
        axes.set_xlabel(f"{decided} (never: {shown})", wrap=True).set_parse_math(False)
    if max(counts.shape) <= MOST_NAMES:
        for true, predicted in np.ndindex(counts.shape):
            colour = "white" if image.norm(shares[true, predicted]) > 0.55 else "black"
            text = f"{counts[true, predicted]:g}"
            axes.text(predicted, true, text, color=colour, ha="center", va="center")
    axes.figure.colorbar(image, ax=axes).set_label("share of the true class")
    title = f"{thresholds.objective}: {value:.4g}"
    axes.set_title(title).set_parse_math(False)


def _finish(axes: Any, thresholds: Thresholds, key: Key, score_name: str) -> None:
    """Name the axis and the colours, and write the thresholds along the top where they fit."""
    low, high = axes.get_xlim()
    shown: list[float] = []
    for threshold in thresholds.thresholds.tolist():
        fits = not shown or threshold - shown[-1] > WIDTH_OF_VALUE * (high - low)
        if low <= threshold <= high and fits:
            shown.append(threshold)
    top = axes.secondary_xaxis("top")
    top.set_xticks(shown, [f"{threshold:.3g}" for threshold in shown], fontsize="small")
    top.tick_params(length=2)
    axes.set_xlabel(score_name).set_parse_math(False)
    key.explain(axes)


def draw_bootstrap(
    boot: Bootstrap,
    *,
    level: float = 0.95,
    ax: Any = None,
    cmap: str = "viridis",
    score_name: str = "score",
) -> Any:
    """Draw each threshold with its interval, and return the axes; see ``Bootstrap.plot``."""
    outer, inner = boot.intervals(level), boot.intervals(min(INNER_LEVEL, level))
    ax = new_axes("Bootstrap.plot") if ax is None else ax
    thresholds = boot.result.thresholds
    known = np.concatenate([thresholds, outer.ravel()])
    known = known[np.isfinite(known)]
    low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    margin = 0.06 * (high - low) or 0.5
    low, high = low - margin, high + margin
    for k, colour in enumerate(ordered_colours(len(thresholds), cmap)):
        for (start, end), width in ((outer[k], 1.5), (inner[k], 5.0)):
            ends = np.clip([start, end], low, high)
            ax.plot(ends, [k, k], color=colour, linewidth=width, solid_capstyle="butt")
        if np.isfinite(thresholds[k]):
            ax.plot(thresholds[k], k, "o", color="black", markersize=5)
        for end, border, marker in ((outer[k, 0], low, "<"), (outer[k, 1], high, ">")):
            if np.isinf(end):
                ax.plot(border, k, marker, color=colour, clip_on=False)
    ax.set_yticks(range(len(thresholds)), pair_names(boot.result.decisions))
    for text in ax.get_yticklabels():
        text.set_parse_math(False)
    ax.set_xlim(low, high)
    ax.set_ylim(-0.6, len(thresholds) - 0.4)
    ax.set_xlabel(score_name).set_parse_math(False)
    least, most = boot.value_interval(level)
    title = (
        f"Thresholds with {100 * level:g} % intervals\n"
        f"{boot.result.objective} on new rows: {least:.3g} to {most:.3g}"
    )
    ax.set_title(title).set_parse_math(False)
    return ax
