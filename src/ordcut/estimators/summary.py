"""A table of coefficients with their standard errors, as text, HTML or a dataframe."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from ordcut.arrays import Array, Floats


@dataclass(frozen=True, repr=False)
class Summary:
    """Estimates with standard errors, z values, p values, intervals and odds ratios.

    Attributes
    ----------
    title : str
        What was fitted, and how well.
    columns : dict of str to ndarray
        ``term``, ``estimate``, ``std_error``, ``z``, ``p_value``, ``lower``, ``upper`` and, for
        the logit link, ``odds_ratio``, ``odds_lower``, ``odds_upper``. A bias has no odds ratio.
    """

    title: str
    columns: dict[str, Array]

    def to_frame(self, backend: Any = "pandas") -> Any:
        """Return the table as a dataframe of ``backend``: pandas, polars or pyarrow."""
        import narwhals as nw

        return nw.from_dict(self.columns, backend=backend).to_native()

    def __getitem__(self, column: str) -> Array:
        return self.columns[column]

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        names = list(self.columns)
        rows = [
            [value if isinstance(value, str) else _number(value) for value in row]
            for row in zip(*(column.tolist() for column in self.columns.values()), strict=True)
        ]
        return names, rows

    def __repr__(self) -> str:
        names, rows = self._cells()
        widths = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(width) if place == 0 else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in [names, *rows]
        ]
        return "\n".join([self.title, *lines])

    def _repr_html_(self) -> str:
        names, rows = self._cells()
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
        )
        return (
            f"<table><caption>{escape(self.title)}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


def summarise(
    title: str,
    names: list[str],
    estimates: Floats,
    errors: Floats,
    *,
    n_biases: int,
    level: float,
    odds: bool,
) -> Summary:
    """Return the table of biases and then coefficients, with intervals of a level."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        z = estimates / errors
        reach = ndtri(0.5 + level / 2) * errors
        columns: dict[str, Array] = {
            "term": np.array(names),
            "estimate": estimates,
            "std_error": errors,
            "z": z,
            "p_value": 2 * ndtr(-np.abs(z)),
            "lower": estimates - reach,
            "upper": estimates + reach,
        }
        if odds:
            is_bias = np.arange(len(names)) < n_biases
            for name, of in (("ratio", "estimate"), ("lower", "lower"), ("upper", "upper")):
                columns[f"odds_{name}"] = np.where(is_bias, np.nan, np.exp(columns[of]))
    return Summary(title, columns)


def _number(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.4g}"
