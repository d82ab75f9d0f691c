"""Plot how sure thresholds are: intervals of two levels around each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut.plots.drawing import new_axes, ordered_colours, pair_names

if TYPE_CHECKING:
    from ordcut.uncertainty import Bootstrap

#: The level of the thick part of each interval.
INNER_LEVEL = 0.5


def draw_bootstrap(
    boot: Bootstrap,
    *,
    level: float = 0.95,
    ax: Any = None,
    cmap: str = "viridis",
    score_name: str = "score",
) -> Any:
    """Draw each threshold with its interval, and the interval of the value on new rows as title.

    The thick part of an interval is that of level 0.5. An arrow leads to an end that is infinite.

    Parameters
    ----------
    boot : Bootstrap
        The bootstrap of a result.
    level : float, default=0.95
        The level of the intervals.
    ax : matplotlib Axes, default=None
        The axes to plot on; those of a new figure by default.
    cmap : str, default="viridis"
        The colours of the ordered thresholds.
    score_name : str, default="score"
        The name of the scores.

    Returns
    -------
    matplotlib Axes
        The axes with the plot.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import ordcut
    >>> result = ordcut.optimal_thresholds([1, 2, 3, 4, 5, 6], [0, 0, 1, 0, 1, 1])
    >>> draw_bootstrap(result.bootstrap(n=50)).get_yticklabels()[0].get_text()
    '0 | 1'
    """
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
