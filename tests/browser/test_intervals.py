"""Bootstrap intervals on the page: in the table, in the chart and in words."""

import numpy as np

import ordcut
from tests.browser.page_actions import drag, number_in, slider, table_of
from tests.ordinal_rows import ratings

SCORES, LABELS = ratings()
RESULT = ordcut.optimal_thresholds(SCORES, LABELS)
BOOTSTRAP = RESULT.bootstrap(n=200)


def column_of_intervals(page):
    return [row[2] for row in table_of(page, "thresholds")]


def ends(text):
    return [number_in(end) for end in text.split(" \u2026 ")]


def test_the_table_holds_the_intervals_of_the_bootstrap(open_page):
    page = open_page(SCORES, LABELS, bootstrap=BOOTSTRAP)
    head = page.locator("#thresholds thead th").nth(2)
    assert head.text_content() == "95\u202f% interval"
    shown = [ends(text) for text in column_of_intervals(page)]
    assert np.allclose(shown, BOOTSTRAP.intervals(), rtol=1e-3, atol=1e-4)


def test_lines_of_the_chart_span_the_intervals(open_page):
    page = open_page(SCORES, LABELS, bootstrap=BOOTSTRAP)
    lines = page.locator(".stage .interval").evaluate_all(
        "lines => lines.map((line) => line.getBBox()).map(({ x, width }) => [x, x + width])"
    )
    sliders = [slider(page, k).get_attribute("transform") for k in (0, 2)]
    first, last = [float(text.removeprefix("translate(").split()[0]) for text in sliders]
    scale = (last - first) / (RESULT.thresholds[2] - RESULT.thresholds[0])
    expected = first + scale * (BOOTSTRAP.intervals() - RESULT.thresholds[0])
    assert np.allclose(lines, expected, rtol=0, atol=0.2)
    assert (
        "Lines: 95\u202f% interval of each initial threshold"
        in page.locator("#stage").text_content()
    )


def test_the_interval_of_the_value_is_said_in_words(open_page):
    page = open_page(SCORES, LABELS, bootstrap=BOOTSTRAP)
    low, high = BOOTSTRAP.value_interval()
    said = page.locator("#intervals").text_content()
    assert "by a bootstrap of 200 replicates" in said
    assert f"mean absolute error of these thresholds on new rows has the interval {low:.4f}" in said
    assert said.endswith(f" \u2026 {high:.4f}.")


def test_a_threshold_that_is_moved_has_no_interval_until_it_is_back(open_page):
    page = open_page(SCORES, LABELS, bootstrap=BOOTSTRAP)
    before = column_of_intervals(page)
    drag(page, 1, 60)
    assert column_of_intervals(page) == [before[0], "\u2013", before[2]]
    page.get_by_role("button", name="Reset to the optimum").click()
    page.wait_for_function("() => document.querySelector('#reset').disabled")
    assert column_of_intervals(page) == before


def test_intervals_are_shown_by_default_where_they_are_quick(open_page):
    page = open_page(SCORES, LABELS, bootstrap=None)
    shown = [ends(text) for text in column_of_intervals(page)]
    assert np.allclose(shown, BOOTSTRAP.intervals(), rtol=1e-3, atol=1e-4)


def test_a_page_without_a_bootstrap_has_no_intervals(open_page):
    page = open_page(SCORES, LABELS, bootstrap=False)
    assert not page.locator("#intervals").is_visible()
    assert page.locator(".stage .interval").count() == 0
    assert {len(row) for row in table_of(page, "thresholds")} == {4}


def test_infinite_intervals_end_at_the_sides_of_the_chart(open_page):
    scores, labels = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0, 1, 0, 1, 0, 1]
    bootstrap = ordcut.optimal_thresholds(scores, labels).bootstrap(n=100)
    assert np.isinf(bootstrap.intervals()).any()
    page = open_page(scores, labels, bootstrap=bootstrap)
    assert "\u221e" in column_of_intervals(page)[0]
    line = page.locator(".stage .interval").bounding_box()
    stage = page.locator(".stage").bounding_box()
    assert stage["x"] <= line["x"]
    assert line["x"] + line["width"] <= stage["x"] + stage["width"]


def test_intervals_need_no_scrolling_to_the_side_on_a_phone(open_page):
    phone = {"viewport": {"width": 360, "height": 740}}
    page = open_page(SCORES, LABELS, bootstrap=BOOTSTRAP, context=phone)
    wide = page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1] == 360
