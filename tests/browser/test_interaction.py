"""Thresholds that are moved by mouse, touch and keyboard, and what depends on them."""

import numpy as np
import pytest

import ordcut
from tests.browser.page_actions import (
    RATINGS,
    centre,
    choose_objective,
    drag,
    exported,
    next_frame,
    number_in,
    slider,
    table_of,
)
from tests.ordinal_rows import ratings
from tests.tables import OBJECTIVES


def test_a_page_opens_at_the_optimum(open_page):
    scores, labels = ratings()
    page = open_page(scores, labels, objective="quadratic_kappa")
    best = ordcut.optimal_thresholds(scores, labels, objective="quadratic_kappa")
    assert exported(page) == best
    assert page.locator("#value").text_content() == f"{best.value:.4f}"
    assert page.locator("#against").text_content() == "optimal"
    assert page.get_by_role("button", name="Reset to the optimum").is_disabled()


@pytest.mark.parametrize("n", [400, 25_000], ids=["sorted", "counted by cells"])
def test_a_dragged_threshold_takes_value_and_tables_along(open_page, n):
    scores, labels = ratings(n)
    page = open_page(scores, labels)
    before = exported(page)
    drag(page, 1, 60)
    after = exported(page)
    assert after.thresholds[1] > before.thresholds[1]
    assert (after.thresholds[[0, 2]] == before.thresholds[[0, 2]]).all()
    predicted = after.predict(scores)
    assert after.value == pytest.approx(ordcut.evaluate(labels, predicted), rel=1e-12)
    assert after.value > before.value
    assert "more error than the optimum" in page.locator("#against").text_content()
    counts = np.zeros((4, 4), int)
    np.add.at(counts, (labels, predicted), 1)
    shown = [
        [int(text.replace("\u202f", "")) for text in row[1:]] for row in table_of(page, "confusion")
    ]
    assert shown == counts.tolist()
    recalls = [row[4] for row in table_of(page, "classes")]
    assert recalls == [f"{100 * counts[k, k] / counts[k].sum():.1f}\u202f%" for k in range(4)]


def test_a_threshold_follows_a_touch(open_page):
    scores, labels = ratings()
    page = open_page(
        scores, labels, context={"has_touch": True, "viewport": {"width": 360, "height": 800}}
    )
    before = exported(page)
    x, y = centre(page, 0)
    touch = page.context.new_cdp_session(page)
    for kind, at in [("touchStart", x), ("touchMove", x - 15), ("touchMove", x - 40)]:
        points = [{"x": at, "y": y}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    next_frame(page)
    after = exported(page)
    assert after.thresholds[0] < before.thresholds[0]
    predicted = after.predict(scores)
    assert after.value == pytest.approx(ordcut.evaluate(labels, predicted), rel=1e-12)


def test_arrow_keys_step_through_all_positions_between_scores(open_page):
    scores, labels = ratings(150)
    page = open_page(scores, labels)
    positions = ordcut.ScoreTable(scores, labels).candidates
    start = int(np.flatnonzero(positions == exported(page).thresholds[1])[0])
    slider(page, 1).focus()
    for key, steps in [("ArrowRight", 1), ("ArrowUp", 1), ("PageUp", 10), ("ArrowLeft", -1)]:
        page.keyboard.press(key)
        start += steps
        next_frame(page)
        assert exported(page).thresholds[1] == positions[start]
        assert float(slider(page, 1).get_attribute("aria-valuenow")) == positions[start]
    value = ordcut.evaluate(labels, exported(page).predict(scores))
    assert f"mean absolute error {value:.4f}" in slider(page, 1).get_attribute("aria-valuetext")
    page.wait_for_function(
        "text => document.getElementById('live').textContent.startsWith(text)",
        arg=f"mean absolute error {value:.4f}",
    )


def test_a_threshold_does_not_pass_its_neighbours_but_can_leave_the_scores(open_page):
    page = open_page(*ratings())
    before = exported(page).thresholds
    slider(page, 1).focus()
    page.keyboard.press("End")
    assert exported(page).thresholds.tolist() == [before[0], before[2], before[2]]
    slider(page, 0).focus()
    page.keyboard.press("Home")
    assert exported(page).thresholds.tolist() == [-np.inf, before[2], before[2]]


def test_the_direction_decides_between_two_thresholds_at_one_position(open_page):
    page = open_page(*ratings())
    slider(page, 1).focus()
    page.keyboard.press("End")
    next_frame(page)
    together = exported(page).thresholds
    assert together[1] == together[2]
    drag(page, 1, 40)
    right = exported(page).thresholds
    assert right[1] == together[1]
    assert right[2] > together[2]
    drag(page, 2, -200)
    assert exported(page).thresholds[2] == together[1]
    drag(page, 2, -30)
    assert exported(page).thresholds[1] < together[1]


def test_a_button_resets_to_the_optimum(open_page):
    page = open_page(*ratings())
    best = exported(page)
    drag(page, 0, -50)
    assert exported(page) != best
    page.get_by_role("button", name="Reset to the optimum").click()
    assert exported(page) == best


@pytest.mark.parametrize("n", [400, 25_000], ids=["sorted", "counted by cells"])
def test_every_objective_shows_its_own_optimum(open_page, n):
    scores, labels = ratings(n)
    page = open_page(scores, labels)
    for objective in OBJECTIVES:
        choose_objective(page, objective)
        best = ordcut.optimal_thresholds(scores, labels, objective=objective)
        result = exported(page)
        assert result.thresholds.tolist() == best.thresholds.tolist()
        assert result.value == best.value
        assert result.ranges.tolist() == best.ranges.tolist()
        assert f"{best.value:.4f}" in page.locator("#headline").text_content()


def test_thresholds_moved_by_hand_stay_when_the_objective_changes(open_page):
    scores, labels = ratings()
    page = open_page(scores, labels)
    drag(page, 0, -50)
    moved = exported(page)
    choose_objective(page, "zero_one")
    result = exported(page)
    assert result.thresholds.tolist() == moved.thresholds.tolist()
    assert result.value == pytest.approx(
        ordcut.evaluate(labels, result.predict(scores), "zero_one")
    )


def test_every_labeling_is_compared_by_every_objective(open_page):
    scores, labels = ratings()
    page = open_page(scores, labels)
    rows = table_of(page, "comparison")[1:]
    assert len(rows) == 5
    for column, objective in enumerate(OBJECTIVES, start=1):
        choose_objective(page, objective)
        for row in rows:
            page.get_by_role("button", name=row[0], exact=True).click()
            labeled = exported(page).predict(scores)
            value = ordcut.evaluate(labels, labeled, objective, classes=range(4))
            assert number_in(row[column]) == pytest.approx(value, abs=5e-4)


def test_how_far_a_threshold_can_move_for_one_per_cent_is_exact(open_page):
    scores, labels = ratings(150)
    page = open_page(scores, labels)
    for objective in OBJECTIVES:
        choose_objective(page, objective)
        result = ordcut.optimal_thresholds(scores, labels, objective=objective)
        ranges = result.near_optimal(0.01)
        for row, (low, high) in zip(table_of(page, "thresholds"), ranges, strict=True):
            ends = [number_in(text) for text in row[2].split(" \u2026 ")]
            assert ends == pytest.approx([low, high], abs=5e-4)
            # Rows at the ends keep their label: only those between can change it.
            inside = np.mean((scores > low) & (scores < high))
            assert row[3] == f"{100 * inside:.1f}\u202f%"


def test_weights_of_rows_and_classes_count(open_page):
    scores, labels = ratings()
    weights = np.random.default_rng(1).random(len(scores))
    names = np.array(RATINGS)[labels]
    options = {"classes": RATINGS, "sample_weight": weights, "class_weight": "balanced"}
    page = open_page(scores, names, **options)
    drag(page, 2, 30)
    for objective in OBJECTIVES:
        choose_objective(page, objective)
        result = exported(page)
        value = ordcut.evaluate(names, result.predict(scores), objective, **options)
        assert result.value == pytest.approx(value, rel=1e-9)


def test_costs_of_ones_own_come_with_the_page(open_page):
    scores, labels = ratings()
    cost = np.array([[0, 1, 5, 9], [2, 0, 1, 5], [3, 2, 0, 1], [8, 3, 2, 0]])
    page = open_page(scores, labels, objective=cost)
    assert page.get_by_label("Objective", exact=True).input_value() == "custom cost"
    assert exported(page) == ordcut.optimal_thresholds(scores, labels, objective=cost)
    drag(page, 0, 40)
    result = exported(page)
    assert result.value == pytest.approx(ordcut.evaluate(labels, result.predict(scores), cost))


def test_given_thresholds_open_as_given_and_are_compared(open_page):
    scores, labels = ratings()
    other = ordcut.optimal_thresholds(*ratings(seed=1), objective="squared")
    page = open_page(scores, labels, thresholds=other)
    result = exported(page)
    assert result.thresholds.tolist() == other.thresholds.tolist()
    assert result.value == pytest.approx(ordcut.evaluate(labels, other.predict(scores), "squared"))
    assert "the given thresholds reach" in page.locator("#headline").text_content()
    assert [row[0] for row in table_of(page, "comparison")][:3] == [
        "current",
        "optimal",
        "given",
    ]
    page.get_by_role("button", name="Reset to the optimum").click()
    best = ordcut.optimal_thresholds(scores, labels, objective="squared")
    assert exported(page).thresholds.tolist() == best.thresholds.tolist()


def test_the_page_explains_where_the_thresholds_come_from(open_page):
    scores, labels = ratings()
    given = ordcut.optimal_thresholds(*ratings(seed=1), objective="squared")
    page = open_page(scores, labels, thresholds=given)
    explanation = page.locator("#explanation")
    assert explanation.text_content() == (
        "The given thresholds. Their certificate is for the rows that they were found on: "
        "convex objective (Theorem 2)."
    )
    assert exported(page).certificate == "convex objective (Theorem 2)"
    choose_objective(page, "zero_one")
    assert explanation.text_content() == (
        "The given thresholds, which were found for another objective: mean squared error."
    )
    assert exported(page).certificate == "none: found for squared"
    page.get_by_role("button", name="Reset to the optimum").click()
    next_frame(page)
    best = ordcut.optimal_thresholds(scores, labels, objective="zero_one")
    assert explanation.text_content() == f"Why these thresholds are optimal: {best.certificate}."
    drag(page, 0, 40)
    assert explanation.text_content() == "Thresholds set by hand."
    page.get_by_role("button", name="class means", exact=True).click()
    next_frame(page)
    assert explanation.text_content() == "Halfway between the mean scores of neighbouring classes."
