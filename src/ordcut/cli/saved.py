"""Thresholds in a file: the JSON of the library, and what the command line adds to it.

The additions are the names of the columns and, where the objective has no name, its costs.
``Thresholds.from_json`` reads the file as well, and passes over them.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ordcut.cli.columns import Columns
from ordcut.cli.failures import UserError
from ordcut.objectives import COSTS, KAPPAS, ObjectiveLike
from ordcut.storage import to_dict
from ordcut.thresholds import Thresholds


@dataclass(frozen=True)
class Saved:
    """Thresholds with what is needed to use them on files like those they were found on.

    Attributes
    ----------
    found : Thresholds
        The thresholds.
    columns : Columns
        Where scores, labels and weights were.
    cost : list of list of float, optional
        The costs of an objective without a name.

    Examples
    --------
    >>> from ordcut import optimal_thresholds
    >>> saved = Saved(optimal_thresholds([1, 2], [3, 4]), Columns("s"))
    >>> saved.as_dict()["columns"]
    {'score': 's', 'label': None, 'weight': None}
    """

    found: Thresholds
    columns: Columns
    cost: list[list[float]] | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        columns = self.columns
        names = {"score": columns.score, "label": columns.label, "weight": columns.weight}
        cost = {} if self.cost is None else {"cost": self.cost}
        return {**to_dict(self.found), "columns": names, **cost}

    def as_text(self) -> str:
        """Return the text of the file."""
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    @property
    def objective(self) -> ObjectiveLike | None:
        """What the thresholds are optimal for; None if the file does not say it in full."""
        if self.cost is not None:
            return self.cost
        name = self.found.objective
        return name if name in COSTS or name in KAPPAS else None


def read_saved(path: str) -> Saved:
    """Return what is in a file of thresholds, or say what is wrong with it."""
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
        found = Thresholds.from_json(text)
    except OSError as error:
        raise UserError(
            f"--thresholds must be a file that can be read, and {path} cannot: {error.strerror}. "
            "Write one with: ordcut fit -o."
        ) from error
    except ValueError as error:  # text that is no UTF-8 included
        raise UserError(
            f"--thresholds must be a file that ordcut fit wrote, and {path} is not: {error}"
        ) from error
    data = json.loads(text)
    names = data.get("columns")
    names = names if isinstance(names, dict) else {}
    known = {
        key: names[key] for key in ("score", "label", "weight") if isinstance(names.get(key), str)
    }
    return Saved(found, Columns(**known), data.get("cost"))
