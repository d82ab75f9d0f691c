"""What the page says in words, on large screens and on phones."""

import numpy as np
import pytest

import ordcut
from tests.browser.page_actions import RATINGS, choose_objective, drag, next_frame, table_of
from tests.ordinal_rows import ratings
from tests.tables import TERMS

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def test_ranges_say_what_they_are_relative_to(open_page):
    page = open_page(*ratings())
    relative = page.locator("#relative")
    assert relative.text_content().startswith("Ranges are relative to the optimum:")
    drag(page, 1, 60)
    assert "relative to the current thresholds, not to the optimum" in (relative.text_content())
    assert "more loss than now" in page.locator("#stage").text_content()


def test_the_loss_of_a_kappa_is_said_in_words(open_page):
    scores, labels = ratings()
    page = open_page(scores, labels, objective="quadratic_kappa")
    best = ordcut.optimal_thresholds(scores, labels, objective="quadratic_kappa")
    said = f"The loss of a kappa is 1 \u2212 kappa, here {1 - best.value:.4f}."
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
    said = f"The loss is 1 \u2212 {IN_WORDS[name]}, here {1 - best.value:.4f}."
    assert said in page.locator("#relative").text_content()


def test_smoothed_thresholds_are_not_called_optimal(open_page):
    scores, labels = ratings()
    result = ordcut.optimal_thresholds(scores, labels, smoothing=0.9)
    page = open_page(scores, labels, thresholds=result)
    assert "which are smoothed" in page.locator("#headline").text_content()
    said = page.locator("#explanation").text_content()
    assert "found for smoothed labels, not for the observed ones" in said
    assert "optimal" not in said


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
    note = page.locator("#words-note")
    assert not note.is_visible()
    drag(page, 1, 60)
    assert "the initial thresholds of this page" in note.text_content()
    assert note.is_visible()


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
