"""Limits on the page: what they have reached, and whether they are kept, as thresholds move."""

import numpy as np
import pytest

import ordcut
from ordcut._core.limits import read_constraints
from tests.browser.page_actions import RATINGS, drag, exported, number_in, slider, table_of
from tests.ordinal_rows import ratings

SCORES, CODES = ratings()
LABELS = np.array(RATINGS)[CODES]
LIMITS = [
    "recall good >= 0.5",
    "precision good >= 0.3",
    "share fair >= 0.1 and <= 0.6",
    "count excellent <= 150",
    "under good <= 0.4",
    "over fair <= 0.4",
    "fixed 2 1.5",
    "between 0 -1.6 -0.9",
    "digits 1",
    "gap >= 0.5",
]


def find(constraints, **options):
    return ordcut.optimal_thresholds(
        SCORES, LABELS, classes=RATINGS, constraints=constraints, **options
    )


def states(page):
    return {limit: state for limit, _, state in table_of(page, "limits")}


def reached(page):
    return {limit: text for limit, text, _ in table_of(page, "limits")}


def holds_on_rows(constraint, thresholds):
    """Whether a limit holds, counted row by row."""
    at = np.array(thresholds)
    decided, k = np.searchsorted(at, SCORES, side="right"), None
    name = getattr(constraint, "decision", getattr(constraint, "cls", None))
    k = RATINGS.index(name) if name else None
    match constraint.word:
        case "recall":
            return np.mean(decided[k == CODES] == k) >= constraint.at_least
        case "precision":
            got = CODES[decided == k]
            return len(got) == 0 or np.mean(got == k) >= constraint.at_least
        case "share":
            return constraint.at_least <= np.mean(decided == k) <= constraint.at_most
        case "count":
            return np.sum(decided == k) <= constraint.at_most
        case "under":
            return np.mean(decided[k <= CODES] < k) <= constraint.at_most
        case "over":
            return np.mean(decided[k >= CODES] > k) <= constraint.at_most
        case "fixed":
            return at[constraint.threshold_index] == constraint.value
        case "between":
            return constraint.low <= at[constraint.threshold_index] <= constraint.high
        case "digits":
            return bool((np.round(at, constraint.n) == at).all())
        case "gap":
            return bool((np.diff(at) >= constraint.at_least).all())
    raise AssertionError(constraint)


def test_all_limits_are_kept_when_the_page_opens(open_page):
    page = open_page(SCORES, LABELS, thresholds=find(LIMITS))
    assert states(page) == dict.fromkeys(LIMITS, "kept")


def test_the_page_shows_what_each_limit_has_reached(open_page):
    result = find(LIMITS)
    shown = reached(open_page(SCORES, LABELS, thresholds=result))
    for outcome in result.constraints:
        text = shown[outcome.limit]
        if text.endswith("%"):
            assert number_in(text.removesuffix("%")) == pytest.approx(
                100 * outcome.reached, abs=0.006
            )
        else:
            values = [number_in(part) for part in text.split(", ")]
            assert values == pytest.approx(np.atleast_1d(outcome.reached).tolist(), abs=1e-4)


def test_limits_are_judged_anew_while_thresholds_are_dragged(open_page):
    page = open_page(SCORES, LABELS, thresholds=find(LIMITS))
    seen = set()
    for index, by in ((0, 60), (2, -90), (1, 70), (1, -160), (0, -200), (2, 300)):
        drag(page, index, by)
        thresholds = exported(page).thresholds
        expected = {
            text: "kept" if holds_on_rows(one, thresholds) else "broken"
            for text, one in zip(LIMITS, read_constraints(LIMITS), strict=True)
        }
        assert states(page) == expected
        seen |= set(expected.items())
    assert len(seen) >= 1.5 * len(LIMITS)  # most limits were kept once and broken once


def test_a_limit_that_is_reached_exactly_is_kept(open_page):
    scores, labels = np.arange(30.0), np.arange(30) >= 20
    result = ordcut.optimal_thresholds(scores, labels, constraints=["share True <= 0.1"])
    page = open_page(scores, labels, thresholds=result)
    assert table_of(page, "limits") == [["share True <= 0.1", "10.00\u202f%", "kept"]]


def test_a_gap_between_decimals_is_that_of_the_decimals(open_page):
    scores, labels = np.array([0.0, 0.15, 0.25, 0.35]), np.array([0, 1, 1, 2])
    limits = ["fixed 0 0.1", "fixed 1 0.3", "gap >= 0.2"]
    result = ordcut.optimal_thresholds(scores, labels, constraints=limits)
    page = open_page(scores, labels, thresholds=result)
    assert 0.3 - 0.1 < 0.2
    assert states(page) == dict.fromkeys(limits, "kept")


def test_a_threshold_can_be_moved_to_the_next_round_number(open_page):
    page = open_page(SCORES, LABELS, thresholds=find(["digits 1"]))
    slider(page, 0).focus()
    visited = []
    for _ in range(40):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(20)
        visited.append(states(page)["digits 1"])
    assert {"kept", "broken"} == set(visited)


def test_reset_goes_back_to_the_given_thresholds_and_not_to_those_that_break_limits(open_page):
    result = find(["recall excellent >= 0.95"])
    page = open_page(SCORES, LABELS, thresholds=result)
    page.get_by_role("button", name="class shares", exact=True).click()
    assert states(page) == {"recall excellent >= 0.95": "broken"}
    assert page.locator("#status").get_attribute("data-optimal") == "no"
    page.get_by_role("button", name="optimal", exact=True).click()
    assert exported(page).thresholds.tolist() == result.thresholds.tolist()
    page.get_by_role("button", name="class shares", exact=True).click()
    page.get_by_role("button", name="Reset to the given thresholds").click()
    page.wait_for_function("() => document.querySelector('#reset').disabled")
    assert exported(page).thresholds.tolist() == result.thresholds.tolist()
    assert states(page) == {"recall excellent >= 0.95": "kept"}


def test_screen_readers_are_told_which_limits_are_broken(open_page):
    page = open_page(SCORES, LABELS, thresholds=find(["recall excellent >= 0.95", "digits 1"]))
    page.get_by_role("button", name="class shares", exact=True).click()
    page.wait_for_function(
        "() => document.querySelector('#live').textContent.endsWith("
        "'broken: recall excellent >= 0.95, digits 1')"
    )
    assert "broken" in slider(page, 0).get_attribute("aria-valuetext")


def test_thresholds_within_constraints_are_called_optimal_under_them(open_page):
    page = open_page(SCORES, LABELS, thresholds=find(["recall excellent >= 0.95", "digits 1"]))
    assert page.locator("#against").text_content() == "optimal under the constraints"
    assert page.locator("#status").get_attribute("data-optimal") == "yes"
    headline = page.locator("#headline").text_content()
    assert "the lowest for these" in headline
    assert "rows under the constraints. Without the constraints, it would be 0." in headline
    assert headline.endswith(" No other labeling on this page keeps the constraints.")
    assert page.locator("#limits-title").text_content() == "Constraints"
    assert "\u2020" in page.locator("#comparison").text_content()


def test_rivals_on_a_page_with_constraints_keep_them(open_page):
    page = open_page(SCORES, LABELS, thresholds=find(["recall excellent >= 0.1"]))
    assert "the best other labeling that keeps the" in page.locator("#headline").text_content()


def test_a_kappa_has_one_certificate_on_its_page(open_page):
    result = find((), objective="quadratic_kappa")
    page = open_page(SCORES, LABELS, thresholds=result)
    assert result.certificate in page.locator("#explanation").text_content()
    assert result.certificate in page.locator("#words").text_content()


def test_thresholds_read_from_json_bring_their_limits(open_page):
    result = ordcut.Thresholds.from_json(find(LIMITS).to_json())
    page = open_page(SCORES, LABELS, thresholds=result)
    assert states(page) == dict.fromkeys(LIMITS, "kept")


def test_a_page_without_limits_has_no_table_of_them(open_page):
    page = open_page(SCORES, LABELS, classes=RATINGS)
    assert not page.locator("#limits-section").is_visible()
    assert page.get_by_role("button", name="Reset to the optimum").count() == 1
