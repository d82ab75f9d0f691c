"""The rule in each SQL dialect: read back by sqlglot, and run by DuckDB and SQLite."""

import math
import sqlite3
from typing import get_args

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordcut._core.thresholds import Thresholds
from ordcut._core.thresholds.sql import DIALECTS, SqlDialect

sqlglot = pytest.importorskip("sqlglot")

#: Characters that some dialect gives a meaning to between quotes.
TEXT = st.text("ab é'\"`[]\\%;-\n\r$@{}/*", min_size=1, max_size=8)
HOSTILE = ["it's", "a\\", "\\' OR 1=1 --", "'; DROP TABLE rows; --", '"', "`", "]", "x\ny", "é"]


def rule(classes):
    return Thresholds.from_values(np.arange(len(classes) - 1.0), classes)


def parsed(text, dialect):
    return sqlglot.parse_one(text, dialect="" if dialect == "standard" else dialect)


def texts_of(tree):
    """Return the text literals of an expression, in order."""
    kinds = sqlglot.exp.Literal, sqlglot.exp.National
    return [node.name for node in tree.find_all(*kinds, bfs=False) if not is_number(node)]


def is_number(node):
    return isinstance(node, sqlglot.exp.Literal) and not node.is_string


def test_every_dialect_has_its_quoting():
    assert set(DIALECTS) == set(get_args(SqlDialect))


@pytest.mark.parametrize("dialect", DIALECTS)
@given(classes=st.lists(TEXT, min_size=2, max_size=3, unique=True), column=TEXT, table=TEXT)
def test_names_and_text_are_read_back_as_they_are(dialect, classes, column, table):
    tree = parsed(rule(classes).to_sql([table, column], dialect), dialect)
    assert [text for text in texts_of(tree) if text.lower() != "nan"] == classes
    names = {(node.table, node.name) for node in tree.find_all(sqlglot.exp.Column)}
    assert names == {(table, column)}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", ["score", 'my "score"', "a`b", "a]b", "a\\b"])
def test_names_are_written_as_sqlglot_writes_them(dialect, name):
    text = rule(list("ab")).to_sql([name], dialect)
    generator = "" if dialect == "standard" else dialect
    expected = sqlglot.exp.to_identifier(name, quoted=True).sql(dialect=generator)
    assert text.splitlines()[1].startswith(f"  WHEN {expected} IS NULL ")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_dots_separate_tables_from_columns(dialect):
    by_dots, by_list = (rule(list("ab")).to_sql(it, dialect) for it in ("s.t.x", ["s", "t", "x"]))
    assert by_dots == by_list
    columns = parsed(by_dots, dialect).find_all(sqlglot.exp.Column)
    assert {(node.db, node.table, node.name) for node in columns} == {("s", "t", "x")}


def test_booleans_are_numbers_where_there_are_no_others():
    lines = rule([False, True]).to_sql("s", "tsql").splitlines()
    assert (lines[2][-6:], lines[3]) == ("THEN 0", "  ELSE 1")
    assert rule([False, True]).to_sql("s", "spark").splitlines()[3] == "  ELSE TRUE"


@pytest.mark.parametrize("column", ["", ".", "t.", ".x", "a..b", [], [""], [1], ["t", None]])
def test_names_must_not_be_empty(column):
    with pytest.raises(ValueError, match='column must be a name such as "score" or'):
        rule(list("ab")).to_sql(column)


def test_unknown_dialects_are_refused():
    with pytest.raises(ValueError, match=r"dialect must be one of .* got 'sparc'\. Did you mean"):
        rule(list("ab")).to_sql("s", "sparc")


def spread(n):
    return np.arange(-0.5, n).tolist()


@pytest.mark.parametrize("connect", [duckdb.connect, sqlite3.connect])
def test_hostile_classes_come_out_of_duckdb_and_sqlite_as_they_are(connect):
    dialect = "duckdb" if connect is duckdb.connect else "sqlite"
    database = connect(":memory:")
    try:
        database.execute('CREATE TABLE "my rows" ("a ""score" DOUBLE)')
        for score in spread(len(HOSTILE)):
            database.execute('INSERT INTO "my rows" VALUES (?)', [score])
        text = rule(HOSTILE).to_sql('my rows.a "score', dialect)
        rows = database.execute(f'SELECT {text} FROM "my rows"').fetchall()
    finally:
        database.close()
    assert [label for (label,) in rows] == rule(HOSTILE).predict(spread(len(HOSTILE))).tolist()


@pytest.mark.parametrize("dialect", ["standard", "duckdb"])
@pytest.mark.parametrize("write_statistics", [True, False])
@pytest.mark.parametrize("scores", [[0.2, 0.7, 1.5], [1.0, 1.0, 1.0]])
def test_nan_and_null_get_no_class_from_duckdb(tmp_path, dialect, write_statistics, scores):
    given = [*scores, math.nan, None]
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"s": given}), path, write_statistics=write_statistics)
    thresholds = Thresholds.from_values([0.5, 1.0], list("abc"))
    with duckdb.connect() as database:
        text = thresholds.to_sql("s", dialect)
        rows = database.execute(f"SELECT {text} FROM '{path}'").fetchall()
        query = f"SELECT count(*) FROM '{path}' WHERE {text} = 'c'"
        n_highest = database.execute(query).fetchall()[0][0]
    expected = thresholds.predict(scores).tolist()
    assert [label for (label,) in rows] == [*expected, None, None]
    assert n_highest == expected.count("c")


@pytest.mark.parametrize("column_type", ["BIGINT", "DECIMAL(38, 10)", "FLOAT", "UTINYINT"])
@pytest.mark.parametrize("dialect", ["standard", "duckdb"])
def test_the_rule_holds_for_columns_of_any_numbers(dialect, column_type):
    with duckdb.connect() as database:
        database.execute(f"CREATE TABLE rows AS SELECT 7::{column_type} AS s")
        rows = database.execute(
            f"SELECT {rule(list('ab')).to_sql('s', dialect)} FROM rows"
        ).fetchall()
    assert rows == [("b",)]


# Spreadsheets


def test_an_empty_cell_gets_no_class():
    formulas, empty = pytest.importorskip("formulas"), pytest.importorskip("schedula").EMPTY
    text = Thresholds.from_values([-0.5, 1.0], list("abc")).to_excel("A2")
    formula = formulas.Parser().ast(text)[1].compile()
    cells = [-7.0, 0.0, 1.0, empty]
    labels = [formula(np.array([[cell]], dtype=object)).item() for cell in cells]
    assert labels == ["a", "b", "c", ""]


@pytest.mark.parametrize("cell", ["A2", "$A$2", "xfd1048576", "Sheet1!B7", "'It''s mine'!$C4"])
def test_formulas_take_single_cells(cell):
    assert rule(list("ab")).to_excel(cell).startswith(f'=LOOKUP({cell}-({cell}="")*')


@pytest.mark.parametrize(
    "cell", ["", "A", "2", "A0", "A1:B2", "A1,1)+cmd|' /c calc'!A0", "ABCD1", "A1 ", "='x'!A1", 7]
)
def test_formulas_refuse_anything_but_a_cell(cell):
    with pytest.raises(ValueError, match='cell must be a single cell, such as "A2"'):
        rule(list("ab")).to_excel(cell)
