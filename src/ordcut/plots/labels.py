"""Labels beside axes, moved apart where they would collide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Bbox, IdentityTransform
from scipy.optimize import isotonic_regression

from ordcut._core.typing import Array, Floats
from ordcut.plots.style import CHARACTER, width_of

#: In points: the line from an axis to its label, and the space between labels.
LINE, GAP = 9.0, 4.0

#: The height of a line of text, in points.
HEIGHT = 8.5


def spread(wanted: Floats, sizes: Floats, low: float, high: float) -> Floats:
    """Return centres of labels that do not overlap, as near as possible to where they belong.

    They are the least squares solution under the order and the sizes, and stay between ``low`` and
    ``high`` if there is space.

    Examples
    --------
    >>> spread(np.array([1.0, 1.0, 9.0]), np.array([2.0, 2.0, 2.0]), 0.0, 10.0)
    array([1., 3., 9.])
    """
    apart = np.concatenate([[0.0], np.cumsum((sizes[:-1] + sizes[1:]) / 2)])
    moved = isotonic_regression(wanted - apart).x
    least, most = low + sizes[0] / 2, high - sizes[-1] / 2 - apart[-1]
    return np.asarray(np.clip(moved, least, max(least, most)) + apart)


class SpreadLabels(Artist):
    """Texts above axes, or at their right, each with a line to the position that it belongs to.

    Parameters
    ----------
    axes : matplotlib Axes
        The axes, to which the labels are added.
    positions : array-like of shape (n,)
        Ascending positions on the axis, in data coordinates.
    texts : sequence of str
        The labels.
    colours : array-like of shape (n, 4), optional
        Their colours; dark grey by default.
    side : {"top", "right"}
        The side of the axes.
    size : str
        The size of the text.
    """

    def __init__(
        self,
        axes: Any,
        positions: Sequence[float] | Floats,
        texts: Sequence[str],
        *,
        colours: Array | None = None,
        side: str = "top",
        size: str = "small",
    ) -> None:
        super().__init__()
        self.side = side
        self.host: Any = axes
        every = _every(axes, texts) if side == "top" else 1
        keep = slice(None, None, every)
        self.positions: Floats = np.asarray(positions, np.float64)[keep]
        self.is_upright = side == "top" and needs_upright(axes, texts[keep])
        chosen = [(0.1, 0.1, 0.1, 1.0)] * len(texts) if colours is None else list(colours)
        self.texts = [
            Text(
                0, 0, text, color=colour, fontsize=size, parse_math=False,
                rotation=90 if self.is_upright else 0, rotation_mode="anchor",
                va="center" if self.is_upright or side == "right" else "bottom",
                ha="left" if self.is_upright or side == "right" else "center",
                transform=IdentityTransform(),
            )
            for text, colour in zip(texts[keep], chosen[keep], strict=True)
        ]  # fmt: skip
        self.lines = [
            Line2D([], [], color="0.5", linewidth=0.6, transform=IdentityTransform())
            for _ in self.texts
        ]
        axes.add_artist(self)
        self.set_clip_on(False)
        for child in (*self.texts, *self.lines):
            child.set_figure(axes.figure)

    def _place(self, renderer: Any) -> None:
        """Move the texts and the lines, in pixels."""
        if not self.texts:
            return
        points = renderer.points_to_pixels(1.0)
        box, to_pixels = self.host.bbox, self.host.transData
        axis = 0 if self.side == "top" else 1
        ends = np.zeros((len(self.positions), 2))
        ends[:, axis] = self.positions
        wanted = to_pixels.transform(ends)[:, axis]
        boxes = [text.get_window_extent(renderer) for text in self.texts]
        sizes = np.array([(each.width, each.height)[axis] for each in boxes]) + GAP * points
        reach = GAP * points + (sizes.max() if axis == 0 else 0) / 2
        low, high = (box.x0, box.x1) if axis == 0 else (box.y0, box.y1)
        centres = spread(wanted, sizes, low - reach, high + reach)
        edge = box.y1 if axis == 0 else box.x1
        steps = edge + points * np.array([1.0, 0.3 * LINE, 0.8 * LINE])
        for text, line, at, centre in zip(self.texts, self.lines, wanted, centres, strict=True):
            beside = edge + LINE * points
            text.set_position((centre, beside) if axis == 0 else (beside, centre))
            across, along = [at, at, centre], steps
            line.set_data((across, along) if axis == 0 else (along, across))
            # A level line before a text would look like a minus sign.
            line.set_visible(axis == 0 or abs(centre - at) > points)

    def draw(self, renderer: Any) -> None:
        """Draw the labels where there is space for them."""
        self._place(renderer)
        for child in (*self.lines, *self.texts):
            child.draw(renderer)

    def get_window_extent(self, renderer: Any = None) -> Bbox:
        """Return the box around all labels, for which a layout keeps space."""
        if renderer is None:
            renderer = self.host.figure.canvas.get_renderer()
        self._place(renderer)
        if not self.texts:
            return Bbox.null()
        return Bbox.union([text.get_window_extent(renderer) for text in self.texts])

    def get_tightbbox(self, renderer: Any = None) -> Bbox:
        """Return the box around all labels."""
        return self.get_window_extent(renderer)

    @property
    def height(self) -> float:
        """About how far the labels reach above the axes, in points."""
        if not self.texts:
            return 0.0
        longest = max(len(text.get_text()) for text in self.texts)
        return LINE + (CHARACTER * longest if self.is_upright else HEIGHT + GAP)


def needs_upright(axes: Any, texts: Sequence[str]) -> bool:
    """Return whether the axes are too narrow for horizontal labels."""
    return sum(CHARACTER * len(text) + GAP for text in texts) > width_of(axes)


def _every(axes: Any, texts: Sequence[str]) -> int:
    """Return 1 for all labels, 2 for every other label and so on, so that upright labels fit."""
    return max(1, int(np.ceil(len(texts) * (HEIGHT + GAP) / width_of(axes))))
