"""Rules that the page writes, against those that ordcut writes."""

from importlib.resources import files

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import ordcut
from tests.browser.page_actions import drag, exported
from tests.ordinal_rows import ratings

CLASSES = {
    "text": ["it's", 'a "b"', "c\\d\n", "zürich ✓"],
    "whole": [-3, 0, 7, 8],
    "floats": [0.5, 1e-7, 2.0, 1e22],
    "booleans": [False, True],
}


def rules_of(page):
    rules = {}
    for name in ("JSON", "Python", "SQL", "Spreadsheet"):
        page.get_by_role("tab", name=name).click()
        rules[name] = page.locator("#rule").text_content()
    return rules


@pytest.mark.parametrize(
    ("kind", "scale"), [("text", 1.0), ("whole", 1e-9), ("floats", 1e18), ("booleans", 1.0)]
)
def test_rules_are_exactly_those_of_ordcut(open_page, kind, scale):
    classes = CLASSES[kind]
    scores, labels = ratings(200, len(classes))
    page = open_page(
        scores * scale, np.array(classes)[labels], classes=classes, score_name='my "score"'
    )
    for labeling in ("optimal", "class shares", "ordinal logistic model"):
        page.get_by_role("button", name=labeling, exact=True).click()
        result = exported(page)
        rules = rules_of(page)
        assert rules["JSON"] == result.to_json()
        assert rules["Python"] == result.to_python()
        assert rules["SQL"] == result.to_sql('my "score"')
        assert rules["Spreadsheet"] == result.to_excel("A2")


def test_rules_are_those_of_ordcut_where_classes_are_never_predicted(open_page):
    scores = np.array([1.0, 1.0, 2.0, 2.0, 3.0])
    page = open_page(scores, [1, 2, 2, 2, 2], classes=[0, 1, 2, 3], objective="zero_one")
    result, rules = exported(page), rules_of(page)
    assert not np.isfinite(result.thresholds).all()
    assert rules["JSON"] == result.to_json()
    assert rules["Python"] == result.to_python()
    assert rules["SQL"] == result.to_sql("score")
    assert rules["Spreadsheet"] == result.to_excel("A2")


def test_a_moved_threshold_is_exported_as_moved_by_hand(open_page):
    page = open_page(*ratings())
    drag(page, 1, 40)
    result = exported(page)
    assert (result.method, result.certificate) == ("by hand", "none: set by hand in a report")
    assert rules_of(page)["SQL"] == result.to_sql("score")


def test_numbers_are_written_as_python_writes_them(browser):
    page = browser.new_page()
    functions = (files("ordcut.report") / "assets" / "numbers.js").read_text()
    script = (
        f"floats => {{ {functions}; return floats.map((x) => "
        "[pythonFloat(x), general(x, 15), general(x, 13), justBelow(x)]); }"
    )

    @settings(max_examples=30)
    @example([6317540655597485.0, 100000000000000.5, 1000000000000015.0, 0.5, 99999999999999.95])
    @given(
        st.lists(
            st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=True), max_size=200
        )
    )
    def agree(floats):
        floats = [x + 0.0 for x in floats]
        written = [
            [repr(x), f"{x:.15g}".upper(), f"{x:.13g}".upper(), np.nextafter(x, -np.inf)]
            for x in floats
            if abs(x) < 1.7e308
        ]
        assert page.evaluate(script, [x for x in floats if abs(x) < 1.7e308]) == written

    agree()
    page.close()


def test_rules_can_be_copied_and_downloaded(open_page, tmp_path):
    scores, labels = ratings()
    best = ordcut.optimal_thresholds(scores, labels)
    page = open_page(scores, labels, context={"permissions": ["clipboard-read", "clipboard-write"]})
    for name, file, text in [
        ("JSON", "thresholds.json", exported(page).to_json()),
        ("Python", "predict.py", best.to_python()),
        ("SQL", "thresholds.sql", best.to_sql("score")),
        ("Spreadsheet", "thresholds-formula.txt", best.to_excel("A2")),
    ]:
        page.get_by_role("tab", name=name).click()
        page.locator("#copy").click()
        page.get_by_text("Copied").wait_for()
        assert page.evaluate("() => navigator.clipboard.readText()") == text
        with page.expect_download() as download:
            page.get_by_role("button", name="Download").click()
        assert download.value.suggested_filename == file
        download.value.save_as(tmp_path / file)
        assert (tmp_path / file).read_text(encoding="utf-8") == text
