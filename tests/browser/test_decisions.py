"""Pages about decisions that are not the classes."""

import numpy as np
import pytest

import ordcut
from tests.browser.page_actions import RATINGS, drag, exported, number_in, table_of
from tests.ordinal_rows import ratings

SCORES, CODES = ratings()
LABELS = np.array(RATINGS)[CODES]
REVIEW = ordcut.optimal_thresholds(SCORES, LABELS, classes=RATINGS, review=0.2)
ACT = ordcut.optimal_thresholds(
    SCORES,
    LABELS,
    classes=RATINGS,
    objective=[[0, 1, 4, 9], [3, 1, 1, 3], [9, 4, 1, 0]],
    decisions=["repair", "inspect", "leave"],
)
BOTH = pytest.mark.parametrize("result", [REVIEW, ACT], ids=["review", "other decisions"])


@BOTH
def test_segments_are_named_by_decisions(open_page, result):
    page = open_page(SCORES, LABELS, thresholds=result)
    drawn = page.locator(".stage .predicted").all_text_contents()
    used = [name for name in result.decisions.tolist() if name not in result.never_predicted]
    assert drawn
    assert all(any(name.startswith(text.removesuffix("\u2026")) for name in used) for text in drawn)
    assert page.get_by_role("slider").count() == len(result.thresholds)


@BOTH
def test_the_table_counts_decisions_by_true_class_after_a_move(open_page, result):
    page = open_page(SCORES, LABELS, thresholds=result)
    drag(page, 0, -50)
    codes = exported(page).codes(SCORES)
    counts = [
        [np.sum((k == CODES) & (codes == d)) for d in range(codes.max() + 1)] for k in range(4)
    ]
    shown = [[number_in(cell) for cell in row[1:]] for row in table_of(page, "confusion")]
    assert np.array(shown)[:, : codes.max() + 1].tolist() == counts


@BOTH
def test_the_value_follows_a_move(open_page, result):
    page = open_page(SCORES, LABELS, thresholds=result)
    assert number_in(page.locator("#value").text_content()) == pytest.approx(result.value, abs=1e-4)
    drag(page, 0, -50)
    moved = exported(page)
    expected = result.moved(0, moved.thresholds[0]).value
    assert moved.thresholds[0] < result.thresholds[0]
    assert moved.value == pytest.approx(expected, rel=1e-9)


@BOTH
def test_exported_rules_return_decisions(open_page, result):
    page = open_page(SCORES, LABELS, thresholds=result, score_name="s")
    drag(page, 0, -50)
    moved = exported(page)
    assert moved.decisions.tolist() == result.decisions.tolist()
    assert page.locator("#rule").text_content() == moved.to_json()
    rules = {}
    for name in ("Python", "SQL", "Spreadsheet"):
        page.get_by_role("tab", name=name).click()
        rules[name] = page.locator("#rule").text_content()
    expected = {
        "Python": moved.to_python(),
        "SQL": moved.to_sql("s"),
        "Spreadsheet": moved.to_excel("A2"),
    }
    assert rules == expected


def test_the_share_handed_over_for_review_is_exported(open_page):
    page = open_page(SCORES, LABELS, thresholds=REVIEW)
    drag(page, 0, -50)
    moved = exported(page)
    assert moved.review_share == np.mean(moved.codes(SCORES) % 2)


def test_results_are_listed_by_decision(open_page):
    page = open_page(SCORES, LABELS, thresholds=REVIEW)
    assert page.locator("#classes-title").text_content() == "Results by decision"
    codes = REVIEW.codes(SCORES)
    for d, (name, rows, share, precision, recall) in enumerate(table_of(page, "classes")):
        assert name == REVIEW.decisions[d]
        if name in REVIEW.never_predicted:
            assert rows == "never"
            continue
        assert number_in(rows) == np.sum(codes == d)
        assert number_in(share[:-1]) == pytest.approx(100 * np.mean(codes == d), abs=0.06)
        if d % 2:
            assert (precision, recall) == ("\u2013", "\u2013")
        else:
            hits = np.sum((codes == d) & (d // 2 == CODES))
            assert number_in(precision[:-1]) == pytest.approx(
                100 * hits / np.sum(codes == d), abs=0.06
            )
            assert number_in(recall[:-1]) == pytest.approx(
                100 * hits / np.sum(d // 2 == CODES), abs=0.06
            )


def test_limits_of_a_review_name_classes(open_page):
    result = ordcut.optimal_thresholds(
        SCORES, LABELS, classes=RATINGS, review=0.2, constraints=["under good <= 0.01"]
    )
    page = open_page(SCORES, LABELS, thresholds=result)
    ((_, reached, state),) = table_of(page, "limits")
    wrong = result.codes(SCORES)[CODES >= 2] < 3  # a review of fair or good is not lower than good
    assert number_in(reached[:-1]) == pytest.approx(100 * np.mean(wrong), abs=0.006)
    assert state == "kept"


@BOTH
def test_a_narrow_page_does_not_scroll_to_the_side(open_page, result):
    page = open_page(
        SCORES, LABELS, thresholds=result, context={"viewport": {"width": 360, "height": 800}}
    )
    wide = page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1]
