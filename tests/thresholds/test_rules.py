"""Rules as text, JSON that was changed by hand, and what a result does by default."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import ordcut
from ordcut._core.data import Rows, known_scores_around
from ordcut._core.thresholds import Thresholds, class_literals, objective_for

INF = np.inf
RESULT = ordcut.optimal_thresholds([1, 2, 3, 4], [0, 0, 1, 2])


# Text


def test_booleans_are_written_as_each_system_writes_them():
    assert class_literals(np.array([False, True])) == {
        "json": ["false", "true"],
        "python": ["False", "True"],
        "sql": ["FALSE", "TRUE"],
        "excel": ["FALSE", "TRUE"],
    }
    assert class_literals(np.array(['a"b', "c'd", "é"])) == {
        "json": ['"a\\"b"', '"c\'d"', '"é"'],
        "python": ["'a\"b'", '"c\'d"', "'é'"],
        "sql": ["'a\"b'", "'c''d'", "'é'"],
        "excel": ['"a""b"', '"c\'d"', '"é"'],
    }


def test_numbers_in_sql_have_an_exponent_and_all_their_digits():
    for value in (0.1, 1e-7, 123456.789, 2.0**60, -1 / 3, 5e300, 1e16):
        text = Thresholds.from_values([value], [0, 1]).to_sql("s")
        number = text.split("< ")[1].split(" ")[0]
        assert "e" in number
        assert float(number) == value
        assert len(number.split("e")[1]) >= 3  # a sign and two digits


def test_sql_has_no_branch_for_what_no_finite_score_gets():
    lines = Thresholds.from_values([-INF, 2, 2, INF], list("abcde")).to_sql("s").split("\n")
    assert lines[2:] == ["  WHEN \"s\" < 2.0e+00 THEN 'b'", "  ELSE 'd'", "END"]


def test_the_spreadsheet_formula_has_no_entry_for_what_no_finite_score_gets():
    formula = Thresholds.from_values([-INF, 2, 2, INF], list("abcde")).to_excel("B7")
    assert formula == ('=LOOKUP(B7-(B7="")*9E+307,{-9E+307,-1E+307,2},{"","b","d"})')


def by_german_spreadsheet(formula, score):
    """Evaluate a formula with semicolons and decimal commas, for labels without either in text."""
    bounds, labels = re.fullmatch(r"=VERWEIS\(A2-.*;\{(.*)\};\{(.*)\}\)", formula).groups()
    edges = [float(bound.replace(",", ".")) for bound in bounds.split(";")]
    return labels.split(";")[sum(edge <= score for edge in edges) - 1]


@pytest.mark.parametrize(
    ("classes", "written"),
    [
        (list("abcd"), ['"a"', '"b"', '"c"', '"d"']),
        ([1.5, 2.25, 3.0, 4.0], ["1,5", "2,25", "3,0", "4,0"]),
        (["1.5", "2.5", "3.5", "4.5"], ['"1.5"', '"2.5"', '"3.5"', '"4.5"']),
    ],
)
def test_formulas_with_semicolons_have_decimal_commas(classes, written):
    rule = Thresholds.from_values([-0.5, 1 / 3, 1e-20 + 2], classes)
    formula = rule.to_excel("A2", separator=";", function="VERWEIS")
    assert formula == (
        '=VERWEIS(A2-(A2="")*9E+307;{-9E+307;-1E+307;-0,5;0,333333333333333;2};{"";'
        + ";".join(written)
        + "})"
    )
    for score in (-3.0, -0.5, 0.0, 0.4, 2.0, 9.0):
        label = rule.classes.tolist().index(rule.predict([score])[0])
        assert by_german_spreadsheet(formula, score) == written[label]
    with pytest.raises(ValueError, match='separator must be "," or ";", got'):
        rule.to_excel("A2", separator=".")


@pytest.mark.parametrize("function", ["", "1+LOOKUP", 'HYPERLINK("x")+LOOKUP', "LOOK UP", None])
def test_the_function_of_a_formula_must_be_a_name(function):
    with pytest.raises(ValueError, match="function must be the name of LOOKUP"):
        Thresholds.from_values([1], list("ab")).to_excel("A2", function=function)


@pytest.mark.parametrize("name", ["RECHERCHE", "ПРОСМОТР", "PROC.LOOKUP"])
def test_functions_have_names_in_any_language(name):
    formula = Thresholds.from_values([1], list("ab")).to_excel("A2", function=name)
    assert formula.startswith(f"={name}(")


def test_formulas_that_excel_cannot_hold_are_refused():
    fits = Thresholds.from_values([1], ["a", "b" * 255])
    assert "b" * 255 in fits.to_excel("A2")
    for thresholds in (
        Thresholds.from_values([1], ["a", "b" * 256]),
        Thresholds.from_values(range(1, 2000), range(2000)),
    ):
        with pytest.raises(ValueError, match=r"at most 8192 .* or use to_sql or to_python"):
            thresholds.to_excel("A2")


def test_python_text_has_infinite_thresholds_as_floats():
    space = {}
    exec(Thresholds.from_values([-INF, 0.1, INF], list("abcd")).to_python(), space)
    assert space["THRESHOLDS"] == [-INF, 0.1, INF]
    assert [space["predict"](score) for score in (-1.0, 0.1)] == ["b", "c"]


@pytest.mark.parametrize(
    ("threshold", "low", "high", "text"),
    [
        (1 / 3, 0.3, 0.4, "0.333333333333333"),
        (1.5, 1.0, 1.5, "1.5"),  # up to the high end of the range
        (1.5, 1.5, 2.0, "2"),  # and not at the low one
        (1.000000000000094, 1.000000000000092, 1.5, "1.0000000000001"),
        (1.000000000000944, 1.000000000000942, 1.5, "1.000000000001"),
        (1.000000000009444, 1.000000000009442, 1.5, "1.5"),
        (1e-20, 0.0, 1.0, "1E-20"),
        (1.000000000009444, 1.000000000009442, 1.0000000000095, "1.0000000000095"),
    ],
)
def test_thresholds_in_spreadsheets_have_15_digits_or_fewer_within_their_range(
    threshold, low, high, text
):
    rule = replace(
        Thresholds.from_values([threshold], list("ab")),
        ranges=np.array([[low, high]]),
    )
    bounds, labels = f"{{-9E+307,-1E+307,{text}}}", '{"","a","b"}'
    assert rule.to_excel("A1") == f'=LOOKUP(A1-(A1="")*9E+307,{bounds},{labels})'


def test_a_table_shows_where_each_class_starts_and_ends():
    html = RESULT._repr_html_()
    rows = [
        "<th>class</th><th>from</th><th>below</th>",
        "<td>0</td><td></td><td>2.5</td>",
        "<td>1</td><td>2.5</td><td>3.5</td>",
        "<td>2</td><td>3.5</td><td></td>",
    ]
    assert [html.count(row) for row in rows] == [1] * 4
    assert html.count("<tr>") == 4
    assert "<b>Thresholds for the lowest mean absolute error</b><br>mean absolute error: 0" in html
    assert '<p class="note">convex objective (Theorem 2)</p>' in html
    reviewed = ordcut.optimal_thresholds([1, 2, 3, 4], [0, 0, 1, 1], review=0.1)
    assert "<th>decision</th>" in reviewed._repr_html_()
    assert "decisions=[" in repr(reviewed)
    assert "classes=[" not in repr(reviewed)


def test_thresholds_that_nobody_judged_have_no_value_in_text():
    assert repr(Thresholds.from_values([1, INF], list("abc"))) == (
        "Thresholds([1, inf], classes=['a', 'b', 'c'], method='given', never predicted: ['c'])"
    )


# JSON


def changed(result=RESULT, **fields):
    return json.dumps(json.loads(result.to_json()) | fields)


def test_thresholds_that_are_equal_or_at_the_ends_of_their_ranges_can_be_read():
    text = changed(thresholds=[2, 2], ranges=[[2, 2], [1, 2]])
    assert Thresholds.from_json(text).thresholds.tolist() == [2, 2]
    below, above = np.nextafter(2, [0, 3])
    for pair in ([below, below], [above, above]):
        with pytest.raises(ValueError, match="ranges must contain the thresholds"):
            Thresholds.from_json(changed(thresholds=[2, 2], ranges=[[2, 2], list(pair)]))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"version": 0}, "version must be 3, got 0"),
        ({"version": 2}, "version must be 3, got 2"),
        ({"version": None}, "version must be 3, got None"),
        ({"thresholds": [1, None]}, "thresholds must be numbers"),
        ({"thresholds": 2}, "thresholds must be 2 numbers for 3 classes"),
        ({"thresholds": [2, 1.9999]}, "thresholds must be in ascending order"),
        ({"ranges": [[0, 9, 9], [0, 9, 9]]}, "ranges must be a pair"),
        ({"value": [1.0]}, "value must be a finite number"),
        ({"value": "much"}, "value must be numbers"),
        ({"decisions": "ab"}, "decisions must be a list"),
        ({"decisions": ["a", "b"]}, "thresholds must be 1 numbers for 2 decisions"),
        ({"review_share": "some"}, "review_share must be numbers"),
        ({"objective": None}, "objective must be a str"),
        ({"proof": 1}, "proof must be a dict"),
    ],
)
def test_json_that_was_changed_by_hand_says_what_is_wrong(fields, message):
    with pytest.raises(ValueError, match=message):
        Thresholds.from_json(changed(**fields))


def test_json_without_a_value_is_refused_and_without_a_judgement_is_not():
    data = json.loads(RESULT.to_json())
    del data["value"]
    with pytest.raises(ValueError, match="value must be numbers"):
        Thresholds.from_json(json.dumps(data))
    given = Thresholds.from_values([1, 2], list("abc"))
    assert json.loads(given.to_json())["value"] is None
    assert np.isnan(Thresholds.from_json(given.to_json()).value)


def test_only_decisions_of_their_own_are_written():
    plain = json.loads(RESULT.to_json())
    assert "decisions" not in plain
    assert "review_share" not in plain
    result = ordcut.optimal_thresholds([1, 2, 3, 4], [0, 1, 0, 1], review=0.1)
    data = json.loads(result.to_json())
    assert data["decisions"] == result.decisions.tolist()
    assert data["review_share"] == result.review_share > 0
    read = Thresholds.from_json(result.to_json())
    assert read == result
    assert read.review_share == result.review_share
    assert read.decides_otherwise


def test_a_path_is_a_file_and_a_str_is_text(tmp_path):
    file = tmp_path / "found.txt"
    file.write_text("\n " + RESULT.to_json(), encoding="utf-8")
    assert Thresholds.from_json(file) == RESULT
    assert Thresholds.from_json("\n " + RESULT.to_json()) == RESULT
    with pytest.raises(FileNotFoundError):
        Thresholds.from_json(tmp_path / "missing.json")
    for name in (str(file), "cuts.json", "cuts"):
        with pytest.raises(ValueError, match=r"text must be the JSON .* as a pathlib\.Path"):
            Thresholds.from_json(name)


@pytest.mark.parametrize("values", [[1.0], [1.0, 2.0, 3.0], [[1.0, 2.0]], [1.0, np.nan]])
def test_values_must_be_one_number_between_any_two_classes(values):
    with pytest.raises(ValueError, match=r"values must be 2 numbers for 3 classes, got \["):
        Thresholds.from_values(values, list("abc"))
    assert Thresholds.from_values([1.0, 1.0], list("abc")).thresholds.tolist() == [1, 1]


# Defaults, and rows


def noisy(n, seed=0):
    random = np.random.default_rng(seed)
    labels = random.integers(0, 3, n)
    return labels + random.normal(size=n), labels


def test_what_is_drawn_judged_and_shown_by_default():
    result = ordcut.optimal_thresholds(*noisy(300))
    assert result.near_optimal().tolist() == result.near_optimal(0.01).tolist()
    assert result.near_optimal().tolist() != result.near_optimal(0.1).tolist()
    tiny = ordcut.optimal_thresholds([1, 2, 3, 4], [0, 1, 0, 1])
    boot = tiny.bootstrap()
    assert len(boot.values) == 1000
    again = tiny.bootstrap(1000, random_state=0)
    assert boot.thresholds.tolist() == again.thresholds.tolist()
    assert (result.passes, result.dropped) == (None, 0)


@pytest.mark.parametrize("k", [-2, -1, 0, 1])
def test_a_threshold_is_moved_by_its_position_from_either_end(k):
    scores, labels = [1, 2, 3, 4], [0, 0, 1, 2]
    moved = RESULT.moved(k, 3.0)
    expected = RESULT.thresholds.copy()
    expected[k] = 3.0
    assert moved.thresholds.tolist() == expected.tolist()
    assert moved.value == ordcut.evaluate(labels, moved.predict(scores))


@pytest.mark.parametrize("k", [-3, 2])
def test_there_is_no_threshold_beyond_either_end(k):
    with pytest.raises(ValueError, match="k must be a position from 0 to 1, got"):
        RESULT.moved(k, 3.0)


def test_a_threshold_cannot_be_moved_to_nan():
    with pytest.raises(ValueError, match="to must keep the thresholds in ascending order, got nan"):
        RESULT.moved(0, np.nan)
    assert RESULT.moved(0, -INF).thresholds.tolist() == [-INF, 3.5]


def test_no_move_leaves_any_of_many_thresholds_out_of_order():
    result = ordcut.optimal_thresholds(range(5), range(5))
    assert result.thresholds.tolist() == [0.5, 1.5, 2.5, 3.5]
    for k, to in ((0, 2.0), (1, 3.0), (2, 1.0), (3, 2.0)):
        with pytest.raises(ValueError, match="must keep the thresholds in ascending order"):
            result.moved(k, to)


def test_an_objective_is_that_of_the_thresholds_unless_another_is_given():
    classes = np.arange(3)
    read = Thresholds.from_json(RESULT.to_json())
    assert objective_for(None, None, classes).name == "absolute"
    assert objective_for(RESULT, None, classes) is RESULT.origin.objective
    assert objective_for(read, None, classes).name == "absolute"
    assert objective_for(RESULT, "squared", classes).name == "squared"
    with pytest.raises(ValueError, match=r"must have the classes of the labels, 0, 1; got"):
        objective_for(RESULT, None, np.arange(2))


def test_costs_that_were_not_stored_have_to_be_given():
    cost = np.array([[0, 2, 9], [1, 0, 3], [9, 1, 0]])
    result = ordcut.optimal_thresholds([1, 2, 3, 4], [0, 0, 1, 2], objective=cost)
    assert objective_for(result, None, np.arange(3)).cost.tolist() == cost.tolist()
    read = Thresholds.from_json(result.to_json())
    assert objective_for(read, None, np.arange(3)).cost.tolist() == cost.tolist()
    given = replace(read, evidence=None)
    with pytest.raises(ValueError, match="objective must be given for thresholds that were found"):
        objective_for(given, None, np.arange(3))
    by_row = ordcut.optimal_thresholds([1, 2, 3, 4], costs=cost.T[[0, 0, 1, 2]])
    with pytest.raises(ValueError, match="new rows with labels have no such costs"):
        objective_for(by_row, None, by_row.classes)


def test_thresholds_next_to_rows_that_were_left_out_are_never_shown():
    rows = Rows.read([1.0, 2.0, 3.0], [0, 1, 1]).sorted()
    rows = replace(rows, scores=np.array([1.0, np.nan, 3.0]))
    for cuts in ([1], [2]):
        with pytest.raises(RuntimeError, match="next to rows that were left out"):
            known_scores_around(rows.scores, np.array(cuts))


def test_one_label_of_a_thousand_that_has_changed_is_noticed():
    scores, labels = noisy(1000)
    result = ordcut.optimal_thresholds(scores, labels)
    result.near_optimal()
    first = np.flatnonzero(labels == result.codes(scores))[0]
    labels[first] = (labels[first] + 1) % 3
    with pytest.raises(ValueError, match="as they were when the thresholds were found"):
        result.near_optimal()
