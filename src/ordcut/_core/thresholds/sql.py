"""The labelling rule as SQL, with names and text quoted as each dialect needs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from ordcut._core.errors import unknown_name
from ordcut._core.typing import Array, Floats

SqlDialect: TypeAlias = Literal[
    "standard", "duckdb", "spark", "bigquery", "mysql", "tsql", "sqlite", "snowflake", "postgres"
]

#: Other names of dialects. PostgreSQL and Trino read the standard.
OTHER_NAMES = {
    "ansi": "standard",
    "databricks": "spark",
    "mariadb": "mysql",
    "mssql": "tsql",
    "postgresql": "standard",
    "sparksql": "spark",
    "sqlserver": "tsql",
    "trino": "standard",
}


@dataclass(frozen=True)
class Quoting:
    """How a dialect writes names, text and booleans.

    Attributes
    ----------
    name_quotes : str
        The opening and the closing quote of a name.
    name_escapes : dict of str to str
        What is written for characters of a name.
    text_escapes : dict of str to str
        What is written for characters of a text between single quotes.
    text_prefix : str
        What is written before the opening quote of a text.
    booleans : tuple of str
        False and true.
    nan : str, optional
        The condition that a column, ``{}``, is NaN; None where no column can be.
    """

    name_quotes: str
    name_escapes: Mapping[str, str]
    text_escapes: Mapping[str, str]
    text_prefix: str = ""
    booleans: tuple[str, str] = ("FALSE", "TRUE")
    nan: str | None = None

    def name(self, name: str) -> str:
        """Return a quoted name."""
        return self.name_quotes[0] + _escaped(name, self.name_escapes) + self.name_quotes[1]

    def value(self, label: Any) -> str:
        """Return a class as a literal."""
        if isinstance(label, str):
            return f"{self.text_prefix}'{_escaped(label, self.text_escapes)}'"
        return self.booleans[label] if isinstance(label, bool) else repr(label)

    def is_missing(self, column: str) -> str:
        """Return the condition that a column has no number."""
        is_null = f"{column} IS NULL"
        return is_null if self.nan is None else f"{is_null} OR {self.nan.format(column)}"


def _escaped(text: str, escapes: Mapping[str, str]) -> str:
    return text.translate({ord(character): text for character, text in escapes.items()})


_SQLITE = Quoting('""', {'"': '""'}, {"'": "''"})
# As text, since NaN equals itself in some systems and not in others. As text also in DuckDB, which
# takes NaN tests on Parquet files as false: the statistics of these leave NaN out.
_STANDARD = replace(_SQLITE, nan="LOWER(CAST({} AS VARCHAR(50))) = 'nan'")
_FLOAT_NAN = "CAST({} AS FLOAT) = CAST('NaN' AS FLOAT)"
_BACKSLASHES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r"}

#: The dialects. In T-SQL, text without the prefix loses characters, and there are no booleans.
DIALECTS: dict[str, Quoting] = {
    "standard": _STANDARD,
    "duckdb": _STANDARD,
    "postgres": _STANDARD,
    "sqlite": _SQLITE,
    "snowflake": Quoting('""', {'"': '""'}, _BACKSLASHES, nan=_FLOAT_NAN),
    "spark": Quoting("``", {"`": "``"}, _BACKSLASHES, nan="isnan({})"),
    "mysql": Quoting("``", {"`": "``"}, _BACKSLASHES | {"'": "''"}),
    "bigquery": Quoting("``", {"`": "\\`", "\\": "\\\\"}, _BACKSLASHES, nan="IS_NAN({})"),
    "tsql": Quoting("[]", {"]": "]]"}, {"'": "''"}, "N", ("0", "1")),
}


def to_sql(
    thresholds: Floats, classes: Array, column: str | Sequence[str], dialect: str = "standard"
) -> str:
    r"""Return a ``CASE`` expression; branches that no finite score reaches are left out.

    Examples
    --------
    >>> print(to_sql(np.array([0.5]), np.array(["it's", "b"]), "t.score", "spark"))
    CASE
      WHEN `t`.`score` IS NULL OR isnan(`t`.`score`) THEN NULL
      WHEN `t`.`score` < 5.0e-01 THEN 'it\'s'
      ELSE 'b'
    END
    """
    known = OTHER_NAMES.get(str(dialect).lower(), str(dialect).lower())
    if known not in DIALECTS:
        raise unknown_name("dialect", dialect, get_args(SqlDialect), OTHER_NAMES)
    quoting = DIALECTS[known]
    parts = column.split(".") if isinstance(column, str) else list(column)
    if not parts or not all(isinstance(part, str) and part for part in parts):
        raise ValueError(
            'column must be a name such as "score" or "table.score", or a list of names such as '
            f'["table", "score"], got {column!r}.'
        )
    for part in parts:
        if re.search("[\0\ud800-\udfff]", part):
            raise ValueError(
                "column must be a name that a database can have, without NUL and lone surrogates, "
                f"got {part!a}. Rename the column."
            )
    name = ".".join(quoting.name(part) for part in parts)
    # An exponent makes the literal a double in every dialect, not a decimal of few digits.
    branches = [
        f"  WHEN {name} < {_exponent(bound)} THEN {quoting.value(label)}"
        for bound, label in _bounds(thresholds, classes)
    ]
    last = quoting.value(_top_class(thresholds, classes))
    lines = [
        "CASE",
        f"  WHEN {quoting.is_missing(name)} THEN NULL",
        *branches,
        f"  ELSE {last}",
        "END",
    ]
    return "\n".join(lines)


def _bounds(thresholds: Floats, classes: Array) -> list[tuple[float, Any]]:
    """Return each finite threshold with the class just below it; the first of equal thresholds."""
    bounds: dict[float, Any] = {}
    for bound, label in zip(thresholds.tolist(), classes.tolist(), strict=False):
        if np.isfinite(bound):
            bounds.setdefault(bound, label)
    return list(bounds.items())


def _top_class(thresholds: Floats, classes: Array) -> Any:
    """Return the class of the largest finite score."""
    return classes.tolist()[int(np.sum(thresholds < np.inf))]


def _exponent(value: float) -> str:
    digits = repr(value)
    if "e" in digits:
        return digits
    return np.format_float_scientific(value, unique=True, exp_digits=2, trim="0")
