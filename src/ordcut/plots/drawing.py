"""Draw displays on axes of matplotlib, which is imported when it is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut.thresholds import Thresholds
from ordcut.typing import Array, Floats

if TYPE_CHECKING:
    from ordcut.plots.display import ThresholdDisplay

#: With more names than this, a colour bar replaces the legend.
MOST_NAMES = 10

#: The share of the axes' width that the value of a threshold takes.
WIDTH_OF_VALUE = 0.13


def new_axes(what: str) -> Any:
    """Return axes of a new figure; ``what`` needs them, says the error without matplotlib."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f"{what} needs matplotlib, which is not installed. "
            'Install it with: pip install "ordcut[plots]".'
        ) from error
    return plt.subplots(layout="constrained")[1]


def ordered_colours(n_colours: int, name: str) -> Array:
    """Return colours of a map without its ends, which are too close to black and white."""
    import matplotlib as mpl

    return np.asarray(mpl.colormaps[name](np.linspace(0.05, 0.88, n_colours)))


class Key:
    """Names in order, each with a colour."""

    def __init__(self, names: list[str], cmap: str) -> None:
        self.names = names
        self.colours = ordered_colours(len(names), cmap)

    def explain(self, axes: Any) -> None:
        """Add a legend, or for many names a colour bar with some of them."""
        if len(self.names) <= MOST_NAMES:
            for text in axes.legend(frameon=False).get_texts():
                text.set_parse_math(False)  # a dollar in a name is a dollar
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
    """Draw one histogram per class, its area the class's share, and the thresholds on top."""
    edges, counts = display.histogram()
    heights = counts / (counts.sum() * np.diff(edges)[:, None])
    for name, colour, height in zip(key.names, key.colours, heights.T, strict=True):
        axes.stairs(height, edges, color=colour, label=name, linewidth=1.8)
        axes.stairs(height, edges, color=colour, fill=True, alpha=0.15)
    low, high = edges[0], edges[-1]
    found = display.thresholds
    for threshold, (lower, upper) in zip(found.thresholds, found.ranges, strict=True):
        axes.axvspan(max(lower, low), min(upper, high), color="0.5", alpha=0.3, linewidth=0)
        if low <= threshold <= high:
            axes.axvline(threshold, color="black", linewidth=1.2, linestyle="--")
    axes.set_xlim(*display.xlim)
    axes.set_ylabel("density, by share of class")
    axes.set_title(f"Thresholds for {found.objective} ({found.method})").set_parse_math(False)
    _finish(axes, found, key, score_name)


def draw_risks(axes: Any, display: ThresholdDisplay, key: Key, score_name: str) -> None:
    """Draw the risk of each threshold over all positions, its minimum, and the thresholds."""
    positions, risks = display.risk_curves()
    finite = np.clip(positions, *display.extent)
    for name, colour, risk in zip(key.names, key.colours, risks, strict=True):
        lowest = int(np.argmin(risk))
        axes.plot(finite, risk, color=colour, label=name, linewidth=1.5)
        axes.plot(finite[lowest], risk[lowest], "o", color=colour, label="_minimum")
    found = display.thresholds
    for threshold in found.thresholds[np.isfinite(found.thresholds)]:
        axes.axvline(threshold, color="black", linewidth=0.8, linestyle=":")
    axes.set_xlim(*display.xlim)
    axes.set_ylabel(f"mean risk ({display.cost_name})").set_parse_math(False)
    axes.set_title("Risk of each threshold, and its minimum")
    _finish(axes, found, key, score_name)


def draw_confusion(axes: Any, confusion: Floats, thresholds: Thresholds) -> None:
    """Draw a cell for each true and predicted class, shaded by its share of the true class."""
    counts = confusion.T
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
    image = axes.imshow(shares, cmap="Blues", vmin=0)
    n_classes = len(counts)
    step = -(-n_classes // (2 * MOST_NAMES))
    names = [str(name) for name in thresholds.classes[::step]]
    for axis, what in ((axes.xaxis, "predicted"), (axes.yaxis, "true")):
        axis.set_ticks(np.arange(0, n_classes, step), names)
        for text in axis.get_ticklabels():
            text.set_parse_math(False)
        axis.set_label_text(what)
    if n_classes <= MOST_NAMES:
        for true, predicted in np.ndindex(counts.shape):
            colour = "white" if image.norm(shares[true, predicted]) > 0.55 else "black"
            text = f"{counts[true, predicted]:g}"
            axes.text(predicted, true, text, color=colour, ha="center", va="center")
    else:
        axes.figure.colorbar(image, ax=axes).set_label("share of the true class")
    title = f"{thresholds.objective} {thresholds.value:.4g}"
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
