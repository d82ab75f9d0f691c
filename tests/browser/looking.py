"""Data to look at, and what a page says of them."""

import numpy as np

import ordcut

OBJECTIVES = ["absolute", "squared", "zero_one", "kappa", "linear_kappa", "quadratic_kappa"]
RATINGS = ["poor", "fair", "good", "excellent"]


def ratings(n=400, n_classes=4, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n)
    labels = np.digitize(scores + 0.5 * rng.logistic(size=n), np.linspace(-1, 1, n_classes - 1))
    return scores, labels


def exported(page):
    """The thresholds as they stand on the page, read from its JSON."""
    tab = page.get_by_role("tab", name="JSON")
    if tab.get_attribute("aria-selected") != "true":
        tab.click()
    next_frame(page)
    return ordcut.Thresholds.from_json(page.locator("#rule").text_content())


def next_frame(page):
    """Wait until the page has drawn what it was told."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")


def slider(page, number):
    return page.get_by_role("slider").nth(number)


def centre(page, number):
    """Where the knob of a threshold is, on the screen."""
    knob = slider(page, number).locator(".knob")
    knob.scroll_into_view_if_needed()
    box = knob.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page, number, by):
    """Drag a threshold with the mouse by so many pixels."""
    x, y = centre(page, number)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by, y, steps=4)
    page.mouse.up()
    next_frame(page)


def number_in(text):
    """A number as the page writes it."""
    return float(text.replace("\u2212", "-").replace("\u221e", "inf").replace("\u202f", ""))


def table_of(page, table):
    """The texts of the cells of a table's body."""
    return page.locator(f"#{table} tbody tr").evaluate_all(
        "rows => rows.map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
