"""What the page says in words, on large screens and on phones."""

import re

import numpy as np
import pytest

import ordcut
from tests.browser.page_actions import (
    RATINGS,
    choose_objective,
    drag,
    exported,
    next_frame,
    number_in,
    table_of,
)
from tests.ordinal_rows import ratings
from tests.tables import TERMS

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def test_ranges_say_what_they_are_relative_to(open_page):
    page = open_page(*ratings())
    relative = page.locator("#relative")
    assert relative.text_content().startswith("Ranges are relative to the optimum:")
    drag(page, 1, 60)
    assert "relative to the current thresholds, not to the optimum" in (relative.text_content())
    assert "more error than now" in page.locator("#stage").text_content()


def test_the_error_of_a_kappa_is_said_in_words(open_page):
    scores, labels = ratings()
    page = open_page(scores, labels, objective="quadratic_kappa")
    best = ordcut.optimal_thresholds(scores, labels, objective="quadratic_kappa")
    said = f"The error of a kappa is 1 \u2212 kappa, here {1 - best.value:.4f}."
    assert said in page.locator("#relative").text_content()


#: How pages name the scores that add up over decisions.
IN_WORDS = {
    "macro_f1": "macro-F1",
    "weighted_f1": "weighted F1",
    "geometric_recall": "geometric mean of the recalls",
    "min_recall": "smallest recall",
}


@pytest.mark.parametrize("name", TERMS)
def test_scores_that_add_up_over_decisions_are_judged_alike(open_page, name):
    scores, labels = ratings()
    page = open_page(scores, labels, objective=name)
    best = ordcut.optimal_thresholds(scores, labels, objective=name)
    said = f"The error is 1 \u2212 {IN_WORDS[name]}, here {1 - best.value:.4f}."
    assert said in page.locator("#relative").text_content()


def test_smoothed_thresholds_are_tuned_for_new_rows_and_not_called_optimal(open_page):
    scores, labels = ratings()
    result = ordcut.optimal_thresholds(scores, labels, smoothing=0.9)
    best = ordcut.optimal_thresholds(scores, labels)
    page = open_page(scores, labels, thresholds=result)
    headline = page.locator("#headline").text_content()
    assert f"tuned for new rows, and reach a mean absolute error of {result.value:.4f}" in headline
    assert f"The optimum, {best.value:.4f}, would follow the noise of these rows" in headline
    more = result.value / best.value - 1
    pill = page.locator("#against").text_content()
    assert pill.startswith("tuned for new rows; on these, ")
    assert number_in(pill.split()[6].rstrip("%\u202f")) == pytest.approx(100 * more, abs=0.06)
    assert page.locator("#status").get_attribute("data-optimal") == "tuned"
    said = page.locator("#explanation").text_content()
    assert "found for smoothed labels" in said
    assert "optimal" not in said
    drag(page, 1, 40)
    page.get_by_role("button", name="Reset to the given thresholds").click()
    next_frame(page)
    assert exported(page).thresholds.tolist() == result.thresholds.tolist()


def test_the_headline_says_what_is_gained_over_rounding(open_page):
    scores, labels = ratings()
    page = open_page(scores, labels)
    best = ordcut.optimal_thresholds(scores, labels)
    rounded = ordcut.evaluate(labels, np.clip(np.rint(scores), 0, 3).astype(int))
    share = 100 * (1 - best.value / rounded)
    headline = page.locator("#headline").text_content()
    assert f"That is {share:.0f}\u202f% less error than rounding" in headline
    choose_objective(page, "quadratic_kappa")
    best = ordcut.optimal_thresholds(scores, labels, objective="quadratic_kappa")
    codes = np.clip(np.rint(scores), 0, 3).astype(int)
    rounded = ordcut.evaluate(labels, codes, "quadratic_kappa", classes=range(4))
    headline = page.locator("#headline").text_content()
    assert "highest for these 400 rows" in headline
    assert f"That is {best.value - rounded:.3f} more than rounding" in headline


def test_the_headline_says_what_constraints_cost(open_page):
    scores, labels = ratings()
    result = ordcut.optimal_thresholds(scores, labels, constraints=["recall 0 >= 0.95"])
    free = ordcut.optimal_thresholds(scores, labels)
    page = open_page(scores, labels, thresholds=result)
    headline = page.locator("#headline").text_content()
    assert f"{result.value:.4f}, the lowest for these 400 rows under the constraints." in headline
    assert f"Without the constraints, it would be {free.value:.4f}." in headline
    assert page.locator("#status").get_attribute("data-optimal") == "yes"


@pytest.mark.parametrize("n_rare", [9, 10])
def test_a_class_with_few_rows_gets_a_warning(open_page, n_rare):
    labels = np.repeat([0, 1, 2], [50, 40, n_rare])
    page = open_page(labels + np.sin(np.arange(len(labels))), labels)
    warning = page.locator("#few")
    assert warning.is_visible() == (n_rare < 10)
    if n_rare < 10:
        assert warning.text_content().startswith("Few rows in class 2 (9 rows): thresholds next to")


def test_each_row_of_the_confusion_matrix_has_an_equally_dark_cell(open_page):
    page = open_page(*ratings())
    drag(page, 1, 60)
    heats = page.locator("#confusion tbody tr").evaluate_all(
        "rows => rows.map((row) => Math.max(...[...row.querySelectorAll('td')].map("
        "(cell) => Number(cell.style.getPropertyValue('--heat')))))"
    )
    assert len(set(heats)) == 1


def test_a_phone_has_several_numbers_at_each_axis(open_page):
    page = open_page(*ratings(), context=PHONE)
    ticks = page.locator(".stage .tick").evaluate_all(
        "texts => texts.map((text) => [text.textContent, text.getAttribute('text-anchor')])"
    )
    is_number = re.compile(r"\u2212?[0-9.]+").fullmatch
    numbers = [anchor for text, anchor in ticks if is_number(text)]
    assert numbers.count("middle") >= 4
    assert numbers.count("end") >= 2


def test_classes_that_are_never_predicted_are_named(open_page):
    page = open_page([1.0, 2.0, 3.0, 4.0], [0, 0, 2, 3], classes=[0, 1, 2, 3])
    never = page.locator("#never")
    assert never.text_content() == "Never predicted: 1."
    assert [row[2] for row in table_of(page, "classes")] == ["2", "never", "1", "1"]
    choose_objective(page, "zero_one")
    page.get_by_role("slider").nth(0).focus()
    page.keyboard.press("ArrowLeft")
    next_frame(page)
    assert not never.is_visible()


def test_labelings_are_explained_in_the_text_of_the_page(open_page):
    page = open_page(*ratings(), context=PHONE)
    page.get_by_text("What the labelings are").tap()
    note = page.get_by_text("Halfway between the mean scores of neighbouring classes.")
    assert note.is_visible()


def test_only_pages_without_touch_advise_to_press_tab(open_page):
    page = open_page(*ratings())
    assert page.get_by_text("or select one with Tab").is_visible()
    page = open_page(*ratings(), context=PHONE)
    assert not page.get_by_text("or select one with Tab").is_visible()


def test_a_phone_shows_the_number_of_every_threshold_apart_from_the_others(open_page):
    scores, labels = ratings(500, 5)
    page = open_page(scores, labels, context=PHONE)
    boxes = []
    for text in page.locator(".slider .position").all():
        assert text.is_visible()
        boxes.append(text.bounding_box())
    for i, one in enumerate(boxes):
        for other in boxes[:i]:
            apart = abs(one["x"] - other["x"]) >= min(one["width"], other["width"])
            assert apart or abs(one["y"] - other["y"]) >= 12


def test_a_matrix_that_is_too_wide_says_that_it_scrolls(open_page):
    scores, labels = ratings(500, 4)
    names = np.array(RATINGS) + " in every respect"
    page = open_page(scores, names[labels], classes=names, context=PHONE)
    area = page.locator(".scroll:has(#confusion)")
    note = area.locator("xpath=preceding-sibling::p[contains(@class, 'more')]")
    assert note.text_content().startswith("Scroll sideways")
    assert note.is_visible()
    assert area.get_attribute("data-more") == "right"
    area.evaluate("area => (area.scrollLeft = area.scrollWidth)")
    next_frame(page)
    assert area.get_attribute("data-more") == "left"
    narrow = open_page(*ratings(500, 2))
    assert not narrow.locator(".more").first.is_visible()


def test_the_page_says_in_plain_words_what_the_result_says(open_page):
    scores, labels = ratings()
    result = ordcut.optimal_thresholds(scores, labels)
    boot = result.bootstrap(n=100)
    page = open_page(scores, labels, bootstrap=boot)
    assert page.locator("#words li").all_text_contents() == result.explain(boot).splitlines()


@pytest.mark.parametrize("objective", ["absolute", "quadratic_kappa"])
def test_the_plain_words_follow_the_thresholds(open_page, objective):
    scores, labels = ratings()
    page = open_page(scores, labels, objective=objective)
    said = page.locator("#words li")
    drag(page, 1, 60)
    assert said.all_text_contents() == exported(page).explain().splitlines()
    drag(page, 1, -300)
    assert exported(page).never_predicted
    assert said.all_text_contents() == exported(page).explain().splitlines()
    choose_objective(page, "zero_one")
    next_frame(page)
    assert said.all_text_contents() == exported(page).explain().splitlines()
    page.get_by_role("button", name="Reset to the optimum").click()
    next_frame(page)
    assert said.all_text_contents() == exported(page).explain().splitlines()


def test_no_text_of_the_chart_leaves_the_screen_of_a_phone(open_page):
    scores, labels = ratings(500, 5)
    names = [f"a class with a long name, {k}" for k in range(5)]
    result = ordcut.optimal_thresholds(scores, np.array(names)[labels], classes=names)
    boot = result.bootstrap(n=100)
    page = open_page(scores, np.array(names)[labels], bootstrap=boot, context=PHONE)
    card = page.locator(".stage-card").bounding_box()
    for text in page.locator("#stage text").all():
        box = text.bounding_box()
        assert card["x"] <= box["x"], text.text_content()
        assert box["x"] + box["width"] <= card["x"] + card["width"], text.text_content()
