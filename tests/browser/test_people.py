"""The section about people: agreement, items that differ, and the review zone."""

import numpy as np
import pytest

import ordcut
from tests.browser.page_actions import drag, number_in, table_of
from tests.ordinal_rows import ratings

SCORES, CODES = ratings(300, 5)
RNG = np.random.default_rng(0)
TABLE = np.clip(np.rint(CODES[:, None] + 0.8 * RNG.normal(size=(300, 3))), 0, 4)
TABLE[RNG.random((300, 3)) < 0.2] = np.nan
PANEL = ordcut.Panel(TABLE).named([f"text {i}" for i in range(300)])
KAPPA = ordcut.optimal_thresholds(SCORES, PANEL, objective="quadratic_kappa")
REVIEW = ordcut.optimal_thresholds(SCORES, PANEL, review=0.55)


def ends(text):
    value, interval = text.rstrip("]").split(" [")
    return [number_in(part) for part in (value, *interval.split(", "))]


def zone_of(page):
    """The ranges of scores in the review zone."""
    text = page.locator("#zone").text_content().removeprefix("Scores in ").partition(": ")[0]
    ranges = text.split(", ")
    return [[number_in(end) for end in part.split(" … ")] for part in ranges if " … " in part]


def test_agreement_is_shown_with_its_intervals(open_page):
    page = open_page(SCORES, PANEL, thresholds=KAPPA)
    people, judge = PANEL.agreement(), PANEL.agreement_with(KAPPA.predict(SCORES))
    shown = {name: ends(text) for name, text in table_of(page, "people")}
    expected = {
        "People with each other": (people.value, *people.interval()),
        "These thresholds with people": (judge.value, *judge.interval()),
        "A judge without noise would reach about": np.sqrt((people.value, *people.interval())),
        "These thresholds minus people": judge.difference(people),
    }
    assert list(shown) == list(expected)
    for name, values in expected.items():
        assert shown[name] == pytest.approx(values, abs=6e-4), name
    assert "3 raters rated" in page.locator("#people-summary").text_content()


def test_lines_of_the_intervals_are_on_one_scale(open_page):
    page = open_page(SCORES, PANEL, thresholds=KAPPA)
    drawn = page.locator(".whisker").evaluate_all(
        "lines => lines.map((line) => ['low', 'at', 'high'].map("
        "(end) => parseFloat(line.style.getPropertyValue(`--${end}`))))"
    )
    people = PANEL.agreement()
    low, high = people.interval()
    assert drawn[0] == pytest.approx([100 * low, 100 * people.value, 100 * high])
    assert all(first < second < third for first, second, third in drawn)


def test_items_that_differ_most_are_named(open_page):
    page = open_page(SCORES, PANEL, thresholds=KAPPA)
    rows = table_of(page, "differ")
    assert rows
    for name, score, label, given in rows:
        i = int(name.removeprefix("text "))
        assert number_in(score) == pytest.approx(SCORES[i], rel=1e-5)
        assert int(label) == KAPPA.predict(SCORES[i : i + 1])[0]
        counts = sorted(TABLE[i][~np.isnan(TABLE[i])].astype(int).tolist())
        assert [int(each) for each in given.split(", ")] == counts
        assert int(label) not in counts


def test_items_without_names_have_the_numbers_of_their_rows(open_page):
    page = open_page(SCORES, ordcut.Panel(TABLE), thresholds=KAPPA)
    assert page.locator("#differ thead th").first.text_content() == "Row (from 0)"
    named = open_page(SCORES, PANEL, thresholds=KAPPA)
    expected = [[row[0].removeprefix("text "), *row[1:]] for row in table_of(named, "differ")]
    assert table_of(page, "differ") == expected


def test_the_review_zone_holds_the_scores_that_are_handed_over(open_page):
    page = open_page(SCORES, PANEL, thresholds=REVIEW)
    in_zone = np.zeros(len(SCORES), bool)
    for low, high in zone_of(page):
        in_zone |= (low <= SCORES) & (high > SCORES)
    handed_over = REVIEW.codes(SCORES) % 2 == 1
    near = np.abs(SCORES[:, None] - REVIEW.thresholds).min(axis=1) < 1e-3  # as far as rounded
    assert handed_over.any()
    assert (in_zone == handed_over)[~near].all()
    assert "not handed over for review" in page.locator("#people-summary").text_content()
    assert f": {handed_over.sum()} of 300 items (" in page.locator("#zone").text_content()


def test_a_page_about_people_leads_with_their_agreement(open_page):
    page = open_page(SCORES, PANEL, thresholds=KAPPA)
    people, judge = PANEL.agreement(), PANEL.agreement_with(KAPPA.predict(SCORES))
    said = (
        f"They agree with a person by a quadratic kappa of {judge.value:.3f}; "
        f"people agree with each other by {people.value:.3f}."
    )
    assert said in page.locator("#headline").text_content()
    top, stage = (page.locator(part).bounding_box()["y"] for part in ("#people", "#stage"))
    assert top < stage


def test_the_zone_around_thresholds_follows_them_and_the_agreement_does_not(open_page):
    page = open_page(SCORES, PANEL, thresholds=KAPPA)
    before, table = zone_of(page), table_of(page, "people")
    note = page.locator("#people-note")
    assert "initial thresholds" not in note.text_content()
    drag(page, 1, 60)
    assert zone_of(page) != before
    assert table_of(page, "people") == table
    assert "initial thresholds" in note.text_content()


def test_names_of_items_are_text(open_page):
    names = ["<script>alert(1)</script>" + str(i) for i in range(300)]
    page = open_page(SCORES, PANEL.named(names), thresholds=KAPPA)
    first = page.locator("#differ tbody th").first.locator("span")
    assert first.get_attribute("title").startswith("<script>alert(1)</script>")


@pytest.mark.parametrize("result", [KAPPA, REVIEW], ids=["kappa", "review"])
def test_a_phone_does_not_scroll_to_the_side(open_page, result):
    page = open_page(
        SCORES, PANEL, thresholds=result, context={"viewport": {"width": 360, "height": 740}}
    )
    wide = page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1]


def test_a_page_about_single_labels_has_no_people(open_page):
    page = open_page(SCORES, CODES)
    assert not page.locator("#people-section").is_visible()
