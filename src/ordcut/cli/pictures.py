"""The picture of ``fit --plot``, from counts, whatever the number of rows."""

from __future__ import annotations

from io import BytesIO

from ordcut.cli.failures import UserError
from ordcut.sources.base import Source
from ordcut.thresholds import Thresholds

#: The formats of pictures, by the end of a file's name.
PICTURES = (".png", ".svg", ".pdf")


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

    shown = ThresholdDisplay.from_source(source, labeler=found, score_name=score_name)
    file = BytesIO()
    shown.figure_.savefig(file, format=path.lower().rsplit(".", 1)[1], dpi=120)
    return file.getvalue()
