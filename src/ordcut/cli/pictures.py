"""The picture of ``fit --plot``, from counts, whatever the number of rows."""

from __future__ import annotations

from io import BytesIO

import numpy as np

from ordcut.cli.failures import UserError
from ordcut.sources.base import Source
from ordcut.thresholds import Thresholds

#: The formats of pictures, by the end of a file's name.
PICTURES = (".png", ".svg", ".pdf")

#: Scores are drawn by about so many cells.
N_PLACES = 4000


def check_picture(path: str) -> None:
    """Say so now if a picture cannot be made, not when everything is computed."""
    if not path.lower().endswith(PICTURES):
        raise UserError(f"--plot must end in one of {', '.join(PICTURES)}, got {path}.")
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "--plot needs matplotlib, which is not installed. Install it with: pip install "
            '"ordcut[plots]".'
        ) from error


def draw(source: Source, found: Thresholds, score_name: str, path: str) -> bytes:
    """Return the picture of the scores of each class, cut by the thresholds."""
    import matplotlib as mpl

    mpl.use("Agg")
    from ordcut.plots import ThresholdDisplay
    from ordcut.report.ground import lay_ground

    ground = lay_ground(source, N_PLACES, 1)
    places = ground.places
    counts = np.diff(ground.below, axis=0, prepend=0.0)
    counts = np.maximum(np.vstack([counts, ground.totals - counts.sum(axis=0)]), 0)
    middles = places[:-1] / 2 + places[1:] / 2
    centres = np.concatenate([places[:1], middles, places[-1:]])
    cell, code = np.nonzero(counts)
    shown = ThresholdDisplay.from_predictions(
        source.classes[code],
        centres[cell],
        labeler=found,
        objective="absolute",  # no risk is drawn
        sample_weight=counts[cell, code],
    )
    shown.ax_.set_xlabel(score_name)
    for text in (shown.ax_.xaxis.label, *shown.ax_.get_legend().get_texts()):
        text.set_parse_math(False)  # a dollar in a name is a dollar
    file = BytesIO()
    shown.figure_.savefig(file, format=path.lower().rsplit(".", 1)[1], dpi=120)
    return file.getvalue()
