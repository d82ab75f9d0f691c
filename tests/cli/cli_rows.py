"""Rows that the tests of the command line write to files."""

from pathlib import Path

import duckdb
import numpy as np

CLASSES = ["bad", "fair", "good"]

#: Whether DuckDB can select columns with quotation marks in their names.
IS_DUCKDB_2 = int(duckdb.__version__.split(".")[0]) >= 2


def make_rows(n_rows, seed=0):
    """Scores, and three classes that follow them with some noise."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n_rows).round(3)
    labels = np.digitize(scores + 0.5 * rng.normal(size=n_rows), [-0.5, 0.5])
    return scores, np.array(CLASSES)[labels]


def write_csv(path, scores, labels, separator=",", header=("score", "label")):
    """Write rows with an id of leading zeros, which must stay as it is."""
    lines = [separator.join(["id", *header])]
    pairs = zip(scores.tolist(), labels.tolist(), strict=True)
    lines += [f"{i:04d}{separator}{s}{separator}{y}" for i, (s, y) in enumerate(pairs)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def names_in(folder):
    """The names of all files in a folder, hidden ones included."""
    return sorted(path.name for path in Path(folder).iterdir())
