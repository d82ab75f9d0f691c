"""``ordcut fit``: the thresholds of the library, from files of every format."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pytest

import ordcut as library
from tests.cli.cli_rows import CLASSES, IS_DUCKDB_2, make_rows, names_in, write_csv
from tests.tables import OBJECTIVES

COLUMNS = "--score", "score", "--label", "label"
ORDER = "--classes", ",".join(CLASSES)


def write_rows(path, scores, labels, **more):
    """Write rows in the format that the name of a file implies."""
    columns = {"score": scores, "label": labels, **more}
    if path.suffix == ".jsonl":
        names, rows = (
            list(columns),
            zip(*(column.tolist() for column in columns.values()), strict=True),
        )
        path.write_text(
            "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)
        )
        return path
    connection = duckdb.connect()
    connection.register("rows", columns)
    how = "FORMAT parquet" if path.suffix == ".parquet" else "HEADER"
    connection.execute(f"COPY rows TO '{path}' ({how})")
    return path


def read_saved(path):
    return library.Thresholds.from_json(path.read_text(encoding="utf-8"))


def same(result, expected):
    """Whether two results say the same, however they were found."""
    return (
        np.array_equal(result.thresholds, expected.thresholds)
        and np.array_equal(result.ranges, expected.ranges)
        and result.classes.tolist() == expected.classes.tolist()
        and (result.value, result.objective) == (expected.value, expected.objective)
    )


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet", "rows.jsonl"])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_files_give_the_thresholds_of_arrays(ordcut, tmp_path, name, objective):
    scores, labels = make_rows(2000)
    file, out = write_rows(tmp_path / name, scores, labels), tmp_path / "t.json"
    done = ordcut("fit", file, *COLUMNS, *ORDER, "--objective", objective, "-o", out)
    assert done.code == 0, done.err
    expected = library.optimal_thresholds(scores, labels, classes=CLASSES, objective=objective)
    assert same(read_saved(out), expected)


@pytest.mark.parametrize("smoothing", ["auto", "0.5"])
def test_smoothed_thresholds_are_those_of_arrays(ordcut, tmp_path, smoothing):
    scores, labels = make_rows(300)
    file = write_rows(tmp_path / "rows.parquet", scores, labels)
    out, page = tmp_path / "t.json", tmp_path / "page.html"
    done = ordcut(
        "fit", file, *COLUMNS, *ORDER, "--smoothing", smoothing, "-o", out, "--report", page
    )
    assert done.code == 0, done.err
    amount = smoothing if smoothing == "auto" else float(smoothing)
    expected = library.optimal_thresholds(scores, labels, classes=CLASSES, smoothing=amount)
    assert same(read_saved(out), expected)
    assert read_saved(out).certificate == expected.certificate
    assert "smoothed by" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("smoothing", ["2", "much", "nan"])
def test_an_amount_that_is_none_is_a_mistake(ordcut, tmp_path, smoothing):
    file = write_rows(tmp_path / "rows.parquet", *make_rows(300))
    done = ordcut("fit", file, *COLUMNS, "--smoothing", smoothing)
    assert done.code == 2
    assert f"'{smoothing}' is neither a number from 0 to 1 nor auto or bagging." in done.err


@pytest.mark.parametrize("engine", ["duckdb", "polars", "dask"])
@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet", "rows.jsonl"])
def test_every_engine_gives_the_same(ordcut, tmp_path, engine, name):
    scores, labels = make_rows(500)
    weights = np.arange(500) % 3
    file = write_rows(tmp_path / name, scores, labels, weight=weights)
    out = tmp_path / "t.json"
    done = ordcut(
        "fit", file, *COLUMNS, "--weight", "weight", *ORDER, "--engine", engine, "-o", out
    )
    assert done.code == 0, done.err
    expected = library.optimal_thresholds(scores, labels, classes=CLASSES, sample_weight=weights)
    assert same(read_saved(out), expected)


def test_spark_gives_the_same(ordcut, tmp_path):
    pytest.importorskip("pyspark")
    scores, labels = make_rows(500)
    files = [tmp_path / name for name in ["rows.csv", "rows.parquet", "rows.jsonl"]]
    for file in files:
        write_rows(file, scores, labels)
    commas, wide, not_json = tmp_path / "commas.csv", tmp_path / "wide.csv", tmp_path / "not.jsonl"
    text = files[0].read_text()
    commas.write_text(text.replace(",", ";").replace(".", ","))
    wide.write_bytes(text.encode("utf-16"))
    french, large = tmp_path / "french.csv", tmp_path / "large.csv"
    french.write_bytes("score,label\n1,été\n2,thé\n3,thé\n".encode("cp1252"))
    large.write_text("".join(["score,label\n", *(f"{10**18 + i},{i // 3}\n" for i in range(9))]))
    not_json.write_bytes('{"score": 1, "label": "été"}\n'.encode("cp1252"))
    spark = ["--engine", "spark"]
    right = [
        *(["fit", file, *COLUMNS, *ORDER, *spark, "-o", f"{file}.cuts"] for file in files),
        ["fit", commas, *COLUMNS, *ORDER, *spark, "--decimal", ",", "-o", f"{commas}.cuts"],
        ["fit", wide, *COLUMNS, *ORDER, *spark, "--encoding", "utf-16", "-o", f"{wide}.cuts"],
    ]
    page = ["report", files[1], "-t", f"{files[1]}.cuts", "-q"]
    evaluation = ["evaluate", files[1], "-t", f"{files[1]}.cuts", "--against", "label", "--json"]
    right += [[*page, *spark, "-o", tmp_path / "page.html"], [*evaluation, *spark]]
    wrong = [["fit", file, *COLUMNS, *spark] for file in (french, not_json, large)]
    # In a process of its own, where no other session of Spark is at hand, and one for all files.
    program = (
        "import sys\n"
        "from ordcut.cli import main\n"
        "def run(command):\n"
        "    sys.argv = ['ordcut', *command]\n"
        "    try:\n"
        "        main()\n"
        "    except SystemExit as stop:\n"
        "        return stop.code\n"
        f"for command in {as_text(wrong)!r}:\n"
        "    assert run(command) == 2\n"
        f"for command in {as_text(right)!r}:\n"
        "    assert run(command) == 0\n"
    )
    environment = {
        # Little work needs no compiler, and nobody else needs to be listened to.
        "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
    }
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    messages = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    for message, said in zip(messages, ["pass --encoding", "--encoding", "2**53"], strict=True):
        assert said in message
    expected = library.optimal_thresholds(scores, labels, classes=CLASSES)
    for file in (*files, commas, wide):
        assert same(read_saved(Path(f"{file}.cuts")), expected)
    assert done.stdout.endswith(ordcut(*evaluation).out)
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == ordcut(*page, "-o", "-").out


def as_text(commands):
    return [[str(word) for word in command] for command in commands]


def test_a_matrix_of_costs_is_an_objective_and_is_saved(ordcut, tmp_path, rows, csv_file):
    cost = [[0, 1, 2.5], [3, 0, 1], [9, 3, 0]]
    matrix, out = tmp_path / "cost.csv", tmp_path / "t.json"
    matrix.write_text("\n".join(",".join(map(str, row)) for row in cost))
    done = ordcut("fit", csv_file, *COLUMNS, *ORDER, "--objective", matrix, "-o", out)
    assert done.code == 0, done.err
    assert same(read_saved(out), library.optimal_thresholds(*rows, classes=CLASSES, objective=cost))
    assert json.loads(out.read_text())["record"]["cost"] == cost


def test_the_table_says_where_classes_begin_and_why(ordcut, csv_file, result):
    done = ordcut("fit", csv_file, *COLUMNS, *ORDER)
    low, high = (f"{cut:.6g}" for cut in result.thresholds)
    assert (done.code, done.err) == (0, "")
    assert re.search(rf"^bad +{low}$", done.out, re.MULTILINE)
    assert re.search(rf"^fair +{low} +{high}$", done.out, re.MULTILINE)
    assert re.search(rf"^good +{high} *$", done.out, re.MULTILINE)
    assert "<" not in done.out  # chains of inequalities with class names read as false statements
    assert f"absolute: {result.value:.6g}" in done.out
    assert "No other thresholds do better on these rows: convex objective (Theorem 2)." in done.out
    assert re.search(r"^300 rows, (1 pass|\d+ passes) by duckdb$", done.out, re.MULTILINE)


def test_machines_get_json(ordcut, csv_file, result):
    done = ordcut("fit", csv_file, *COLUMNS, *ORDER, "--json")
    facts = json.loads(done.out)
    assert (done.code, done.err) == (0, "")
    assert facts["thresholds"] == result.thresholds.tolist()
    assert facts["columns"] == {"score": "score", "label": "label", "weight": None}
    assert (facts["rows"], facts["dropped"], facts["engine"]) == (300, 0, "duckdb")


def test_thresholds_go_through_a_pipe_and_the_table_to_stderr(ordcut, csv_file, result):
    done = ordcut("fit", "-", *COLUMNS, *ORDER, "--no-time", "-o", "-", stdin=csv_file.read_text())
    assert same(library.Thresholds.from_json(done.out), result)
    assert "No other thresholds do better" in done.err
    quiet = ordcut("fit", csv_file, *COLUMNS, *ORDER, "--no-time", "-o", "-", "--quiet")
    assert (quiet.out, quiet.err) == (done.out, "")


def test_what_fit_saves_predict_needs_no_more_of(ordcut, tmp_path, csv_file, rows, result):
    out = tmp_path / "t.json"
    assert ordcut("fit", csv_file, *COLUMNS, *ORDER, "-o", out, "-q").code == 0
    done = ordcut("predict", csv_file, "-t", out, "-o", "-", "--name", "new", "-q")
    predicted = [line.rsplit(",", 1)[1] for line in done.out.splitlines()[1:]]
    assert predicted == result.predict(rows[0]).tolist()


def test_text_without_an_order_is_an_error_that_names_the_option(ordcut, csv_file):
    done = ordcut("fit", csv_file, *COLUMNS)
    assert done.code == 2
    assert "labels are text with no stated order: 'bad', 'fair', 'good'" in done.err
    assert "Pass --classes with all classes, lowest first" in done.err


@pytest.mark.parametrize(
    ("values", "classes"),
    [([1, 2, 3], "1,2,3"), ([0.5, 1, 1.5], "0.5,1,1.5"), ([False, True, True], "false,true")],
)
def test_classes_have_the_type_of_the_labels(ordcut, tmp_path, rows, values, classes):
    labels = np.array(values)[[CLASSES.index(name) for name in rows[1]]]
    file, out = write_csv(tmp_path / "rows2.csv", rows[0], labels), tmp_path / "t.json"
    done = ordcut("fit", file, *COLUMNS, "--classes", classes, "-o", out)
    assert done.code == 0, done.err
    assert read_saved(out).classes.tolist() == json.loads(f"[{classes}]")
    assert ordcut("fit", file, *COLUMNS, "--classes", "low,high").code == 2


def test_many_files_are_one(ordcut, tmp_path):
    scores, labels = make_rows(900)
    for part in range(3):
        some = slice(300 * part, 300 * (part + 1))
        write_rows(tmp_path / f"part-{part}.parquet", scores[some], labels[some])
    expected = library.optimal_thresholds(scores, labels, classes=CLASSES)
    for number, files in enumerate([[tmp_path], [tmp_path / "part-*.parquet"]]):
        out = tmp_path.parent / f"{tmp_path.name}-{number}.json"
        assert ordcut("fit", *files, *COLUMNS, *ORDER, "-o", out).code == 0
        assert same(read_saved(out), expected)


def test_a_page_and_a_picture_come_with_it(ordcut, tmp_path, csv_file):
    page, picture = tmp_path / "page.html", tmp_path / "cuts.png"
    done = ordcut("fit", csv_file, *COLUMNS, *ORDER, "--report", page, "--plot", picture)
    assert done.code == 0, done.err
    assert done.err == f"Wrote {page}.\nWrote {picture}.\n"
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert ordcut("fit", csv_file, *COLUMNS, "--plot", tmp_path / "cuts.doc").code == 2


def test_names_from_the_data_stay_text(ordcut, tmp_path):
    scores, labels = make_rows(60)
    labels = np.array(["</script><b>", "[red]x$y$", "\x1b[31m"])[
        [CLASSES.index(name) for name in labels]
    ]
    file = tmp_path / "rows.jsonl"
    label = 'a "$b$"' if IS_DUCKDB_2 else "a $b$"
    lines = [
        json.dumps({"<script>alert(1)</script>": float(s), label: y})
        for s, y in zip(scores, labels.tolist(), strict=True)
    ]
    file.write_text("\n".join(lines))
    page = tmp_path / "page.html"
    done = ordcut("fit", file, "--score", "<script>alert(1)</script>", "--label", label,
                  "--classes", "</script><b>,[red]x$y$,\x1b[31m",
                  "--report", page, "--plot", tmp_path / "cuts.svg")  # fmt: skip
    assert done.code == 0, done.err
    assert "\x1b" not in done.out + done.err
    assert "[red]x$y$" in done.out
    text = page.read_text(encoding="utf-8")
    assert "<script>alert(1)" not in text
    assert "</script><b>" not in text


def test_missing_values_stop_it_or_are_dropped(ordcut, tmp_path):
    text = "score,label\n1,0\n,1\n2,\n3,1\n4,0\n5,1\n"
    done = ordcut("fit", "-", *COLUMNS, stdin=text)
    assert done.code == 2
    assert "--nulls drop" in done.err
    done = ordcut("fit", "-", *COLUMNS, "--nulls", "drop", stdin=text)
    assert done.code == 0, done.err
    assert "4 rows (2 dropped)" in done.out


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("score,label\n", [], "row"),
        ("score,label\n1,0\nx,1\n", [], 'column "score" must contain numbers, got "x" in line 3'),
        ("score,label\n1,0\n2,0\n", [], "at least two classes"),
        ("score,label\n1,0\ninf,1\n", [], "finite"),
        ("score,label\n1,0\n2,1\n", ["--weight", "w"], "--weight must name a column"),
        ("score,label\n1,0\n2,1\n", ["--objective", "absolut"], 'Did you mean "absolute"?'),
        ("score,label\n1,0\n2,1\n", ["--classes", "0"], "at least two classes"),
        ("score,label\n1,0\n2,1\n", ["--classes", "1,2"], "among the classes 1, 2"),
        ("score,label\n1,0\n2,1\n", ["--json", "-o", "-"], "Leave one out"),
        ("x,label\n1,0\n", [], "must name a column"),
        (
            "score,label\n1,1\n2,2\n3,12\n4,unknown\n",
            [],
            "got 'unknown' among numbers such as '1'. If it is a class, list all in --classes",
        ),
        ("score,score,label\n1,9,0\n2,8,1\n", [], 'has "score" 2 times'),
        ("", [], "standard input is empty"),
    ],
)
def test_a_mistake_is_explained(ordcut, tmp_path, monkeypatch, text, options, words):
    monkeypatch.chdir(tmp_path)
    done = ordcut("fit", "-", *COLUMNS, *options, "--report", "page.html", stdin=text)
    assert done.code == 2
    assert words in done.err
    assert "Traceback" not in done.err
    assert done.out == ""
    assert names_in(tmp_path) == []


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("SELECT 'x' AS score, 1 AS label", "must name a column of numbers, got 'score'"),
        ("SELECT 1 AS score, [1, 2] AS label", '"label" is of type List'),
        ("SELECT 1 AS score, DATE '2020-01-01' AS label", "must be numbers, booleans or text"),
    ],
)
def test_columns_of_other_types_are_refused(ordcut, tmp_path, rows, words):
    file = tmp_path / "rows.parquet"
    duckdb.sql(rows).write_parquet(str(file))
    done = ordcut("fit", file, *COLUMNS)
    assert done.code == 2
    assert words in done.err


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet", "rows.jsonl"])
def test_garbage_and_truncated_files_are_mistakes(ordcut, tmp_path, name):
    file = write_rows(tmp_path / name, *make_rows(200))
    whole = file.read_bytes()
    garbage = np.random.default_rng(0).bytes(3000)
    for content in (garbage, whole[:-40] + b"\xff" if name == "rows.csv" else whole[:-40]):
        file.write_bytes(content)
        done = ordcut("fit", file, *COLUMNS)
        assert done.code == 2
        assert done.err.startswith("Error: ")
        assert "unexpected error" not in done.err
        if name == "rows.parquet":
            assert "A file seems to be damaged" in done.err


def test_nothing_is_computed_if_the_output_is_there(ordcut, tmp_path):
    out = tmp_path / "t.json"
    out.write_text("precious")
    done = ordcut("fit", "missing.csv", *COLUMNS, "-o", out)
    assert done.code == 2
    assert "pass --force" in done.err  # and not that missing.csv is missing
    assert out.read_text() == "precious"


@pytest.mark.parametrize("text", ["balanced", "good=4,bad=0.5"])
def test_weights_of_classes_are_those_of_the_library_and_are_saved(
    ordcut, tmp_path, rows, csv_file, text
):
    out = tmp_path / "t.json"
    done = ordcut("fit", csv_file, *COLUMNS, *ORDER, "--class-weight", text, "-o", out)
    assert done.code == 0, done.err
    weights = "balanced" if text == "balanced" else [0.5, 1, 4]
    expected = library.optimal_thresholds(*rows, classes=CLASSES, class_weight=weights)
    assert same(read_saved(out), expected)
    assert json.loads(out.read_text())["record"]["class_weight"] == weights


def test_a_population_with_shares_of_the_classes_is_that_of_the_library(
    ordcut, tmp_path, rows, csv_file
):
    out = tmp_path / "t.json"
    shares = dict(zip(CLASSES, [0.6, 0.3, 0.1], strict=True))
    text = ",".join(f"{name}={share}" for name, share in shares.items())
    limit = f"precision {CLASSES[-1]} >= 0.2"
    options = ("--class-shares", text, "--constraint", limit, "-o", out)
    done = ordcut("fit", csv_file, *COLUMNS, *ORDER, *options)
    assert done.code == 0, done.err
    expected = library.optimal_thresholds(
        *rows, classes=CLASSES, class_shares=shares, constraints=limit
    )
    assert same(read_saved(out), expected)
    assert "in the population; the table counts rows" in ordcut("show", out).out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{CLASSES[0]}=0.5", "must name each class"),
        (",".join(f"{name}=0.5" for name in CLASSES), "--class-shares must add up to 1"),
    ],
)
def test_shares_of_a_population_are_checked(ordcut, csv_file, text, message):
    done = ordcut("fit", csv_file, *COLUMNS, *ORDER, "--class-shares", text)
    assert done.code == 2
    assert message in done.err


def test_a_learning_curve_counts_classes_as_the_thresholds_do(ordcut, csv_file):
    plain, weighted = (
        json.loads(ordcut("fit", csv_file, *COLUMNS, *ORDER, *options, "--json").out)
        for options in (["--learning-curve"], ["--learning-curve", "--class-weight", "balanced"])
    )
    assert plain["learning_curve"] != weighted["learning_curve"]


def test_intervals_are_those_of_the_bootstrap_and_are_printed_and_saved(
    ordcut, tmp_path, csv_file, result
):
    out = tmp_path / "t.json"
    done = ordcut("fit", csv_file, *COLUMNS, *ORDER, "--intervals", "-o", out)
    assert done.code == 0, done.err
    bootstrap = result.bootstrap()
    saved = json.loads(out.read_text())["record"]["intervals"]
    assert saved["level"] == 0.95
    assert saved["thresholds"] == bootstrap.intervals().tolist()
    assert saved["value"] == bootstrap.value_interval().tolist()
    assert same(read_saved(out), result)
    for low, high in [*bootstrap.intervals(), bootstrap.value_interval()]:
        assert f"{low:.6g} to {high:.6g}" in done.out


def test_classes_that_are_never_predicted_are_named(ordcut):
    text = "score,label\n1,2\n2,2\n3,3\n4,5\n5,5\n"
    done = ordcut("fit", "-", *COLUMNS, "--classes", "1,2,3,4,5", stdin=text)
    assert done.code == 0, done.err
    assert "never predicted: 1, 4" in done.out
    assert "inf" not in done.out
    assert re.search(r"^1 +- +-$", done.out, re.MULTILINE)
    assert re.search(r"^2 +2.5$", done.out, re.MULTILINE)


def test_smoothed_thresholds_are_not_called_optimal_for_the_rows(ordcut, csv_file):
    done = ordcut("fit", csv_file, *COLUMNS, *ORDER, "--smoothing", "0.5")
    assert "No other" not in done.out
    assert "on the observed labels, other thresholds may be better" in " ".join(done.out.split())
