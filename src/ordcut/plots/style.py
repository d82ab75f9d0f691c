"""The style of all pictures: axes, text, colours in the order of the classes, and names."""

from __future__ import annotations

import textwrap
from itertools import pairwise
from typing import Any

import numpy as np

from ordcut._core.errors import marks_escaped
from ordcut._core.thresholds import Thresholds
from ordcut._core.typing import Array, Floats

#: The size of a new figure in inches. Pictures can also be read at the width of a column, 3.3.
SIZE = (5.6, 4.2)

#: The sizes of text, relative to matplotlib's setting.
TEXT, SMALL_TEXT = "small", "x-small"

#: The width of a character of small text and of a title, in points.
CHARACTER, TITLE_CHARACTER = 5.2, 5.7

#: About the width of numbers and a name at the left of axes, in points.
BESIDE = 55.0

#: The colours of axes and notes, and of thresholds.
GREY, INK = "0.4", "0.1"

#: The part of a colour map that is used: its ends are too close to black and to white.
DARKEST, LIGHTEST = 0.0, 0.83

#: The longest names, in characters: of a class, and of each class of a pair.
LONGEST_NAME, LONGEST_OF_PAIR = 18, 12


def new_axes(what: str, size: tuple[float, float] = SIZE) -> Any:
    """Return axes of a new figure; ``what`` needs them, says the error without matplotlib."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f"{what} needs matplotlib, which is not installed. "
            "Install it with: pip install matplotlib."
        ) from error
    return plt.subplots(figsize=size, layout="constrained")[1]


def dress(axes: Any, *, left: bool = True) -> None:
    """Give axes thin lines, small grey numbers, and no frame at the top and at the right."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines["left"].set_visible(left)
    axes.spines[["left", "bottom"]].set(color="0.6", linewidth=0.8)
    axes.tick_params(labelsize=TEXT, color="0.6", length=3, labelcolor="0.25")


def write_axis(axis: Any, text: str) -> None:
    """Name an axis; a dollar in the name stays a dollar."""
    axis.set_label_text(marks_escaped(text), fontsize=TEXT).set_parse_math(False)


def write_title(axes: Any, text: str, *, pad: float = 8.0, beside: float = BESIDE) -> None:
    """Write a title at the left edge of the axes, in as many lines as it needs.

    ``beside`` is about the width of what is at the left of the axes, in points.
    """
    fits = max(16, int((1.4 * width_of(axes) - beside) / TITLE_CHARACTER))
    given = marks_escaped(text).splitlines()
    lines = [part for line in given for part in textwrap.wrap(line, fits)]
    title = axes.set_title("\n".join(lines), loc="left", fontsize="medium", pad=pad)
    title.set_parse_math(False)


def width_of(axes: Any) -> float:
    """Return about the width of axes in points, before their layout is known."""
    return float(0.9 * 72 * axes.get_position().width * axes.figure.get_figwidth())


def ordered_colours(n_colours: int, name: str) -> Array:
    """Return colours of a map in equal steps, without the end that is hard to see on white."""
    import matplotlib as mpl

    return np.asarray(mpl.colormaps[name](np.linspace(DARKEST, LIGHTEST, n_colours)))


def shortened(name: object, most: int = LONGEST_NAME) -> str:
    """Return a name as text, cut where it is too long for a plot.

    Examples
    --------
    >>> shortened("a name that would take half of the figure")
    'a name that would…'
    """
    text = marks_escaped(str(name))
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def capitalised(text: str) -> str:
    """Return a text with its first letter in upper case.

    Examples
    --------
    >>> capitalised("mean absolute error")
    'Mean absolute error'
    """
    return text[:1].upper() + text[1:]


def pair_names(classes: Array) -> list[str]:
    """Return a name for each threshold: the classes below and above it.

    Examples
    --------
    >>> pair_names(np.array(["low", "middle", "so high that it is hard to say"]))
    ['low | middle', 'middle | so high tha…']
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


def numbers_over(numbers: Floats, span: float) -> list[str]:
    """Return numbers as text, with as many decimals as a span of their axis needs.

    Examples
    --------
    >>> numbers_over(np.array([1.234, 10.5]), span=8.0)
    ['1.23', '10.50']
    >>> numbers_over(np.array([1234.5]), span=900.0)
    ['1234']
    """
    if not 1e-6 < span < 1e6:
        texts = [f"{number:.4g}" for number in numbers]
    else:
        decimals = max(0, 2 - int(np.floor(np.log10(span))))
        texts = [f"{number:.{decimals}f}" for number in numbers]
    return [text.replace("inf", "∞").replace("-", "\N{MINUS SIGN}") for text in texts]
