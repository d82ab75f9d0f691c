"""The rule of a result as text and for other systems: SQL, Python, spreadsheets, ONNX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from ordcut._core.data import intervals_as_text
from ordcut._core.extensions import extension
from ordcut._core.thresholds import rules, sql
from ordcut._core.typing import Array, Floats

if TYPE_CHECKING:
    import onnx

    from ordcut._core.thresholds.result import Thresholds


class Exports:
    """The methods of a result that return its rule for other systems."""

    thresholds: Floats
    ranges: Floats
    decisions: Array

    def to_sql(self, column: str | Sequence[str], dialect: sql.SqlDialect = "standard") -> str:
        """Return the rule as an SQL ``CASE`` expression over a column of numbers.

        NULL and NaN give NULL.

        ``dialect`` is ``"standard"``, ``"duckdb"``, ``"spark"``, ``"bigquery"``, ``"mysql"``,
        ``"tsql"``, ``"sqlite"``, ``"snowflake"`` or ``"postgres"``. Dots in ``column`` separate
        names, as in ``"table.score"``; a name that contains a dot is passed in a list, ``["a.b"]``.

        Examples
        --------
        >>> import ordcut
        >>> ordcut.optimal_thresholds([1, 2], [7, 8]).to_sql("t.s", "mysql").splitlines()[1:3]
        ['  WHEN `t`.`s` IS NULL THEN NULL', '  WHEN `t`.`s` < 1.5e+00 THEN 7']
        """
        return sql.to_sql(self.thresholds, intervals_as_text(self.decisions), column, dialect)

    def to_python(self) -> str:
        """Return the rule as the text of a Python function that needs nothing but Python.

        Examples
        --------
        >>> import ordcut
        >>> namespace = {}
        >>> exec(ordcut.optimal_thresholds([1, 2, 3], [10, 20, 30]).to_python(), namespace)
        >>> namespace["predict"](1.7)
        20
        """
        return rules.to_python(self.thresholds, intervals_as_text(self.decisions))

    def to_excel(self, cell: str, *, separator: str = ",", function: str = "LOOKUP") -> str:
        """Return the rule as a spreadsheet formula over a cell that holds a number.

        An empty cell gives empty text. Spreadsheets read 15 digits of a number, to which thresholds
        are rounded within ``ranges``.

        Parameters
        ----------
        cell : str
            The cell, such as ``"A2"``.
        separator : {",", ";"}
            The separator of arguments. Where it is a semicolon, as in most of Europe, the decimal
            mark is a comma.
        function : str
            The name of ``LOOKUP`` in the language of the spreadsheet, such as ``"VERWEIS"``
            (German), ``"RECHERCHE"`` (French), ``"BUSCAR"`` (Spanish) or ``"CERCA"`` (Italian).

        Examples
        --------
        >>> import ordcut
        >>> ordcut.optimal_thresholds([1, 2, 3], [10, 20, 30]).to_excel("A2")
        '=LOOKUP(A2-(A2="")*9E+307,{-9E+307,-1E+307,1.5,2.5},{"",10,20,30})'
        >>> result = ordcut.optimal_thresholds([1, 2, 3], [10, 20, 30])
        >>> result.to_excel("A2", separator=";", function="VERWEIS")
        '=VERWEIS(A2-(A2="")*9E+307;{-9E+307;-1E+307;1,5;2,5};{"";10;20;30})'
        """
        arrays = self.thresholds, self.ranges, intervals_as_text(self.decisions)
        return rules.to_excel(*arrays, cell, separator, function)

    def to_onnx(self, *, dtype: str = "float64") -> onnx.ModelProto:
        """Return the rule as an ONNX model with the input ``score`` and the output ``label``.

        See :func:`ordcut.onnx.rule_to_onnx`. Needs the package onnx.

        Parameters
        ----------
        dtype : {"float16", "float32", "float64"}, default="float64"
            The dtype of the scores that the model takes.

        Examples
        --------
        >>> import ordcut
        >>> ordcut.optimal_thresholds([1, 2, 3], [10, 20, 30]).to_onnx().graph.output[0].name
        'label'
        """
        model: onnx.ModelProto = extension("rule_to_onnx")(self, dtype=dtype)
        return model

    def __repr__(self) -> str:
        return rules.to_text(cast("Thresholds", self))

    def _repr_html_(self) -> str:
        return rules.to_html(cast("Thresholds", self))
