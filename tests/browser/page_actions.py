"""Operate a page in the browser, and read what it shows."""

import ordcut

RATINGS = ["poor", "fair", "good", "excellent"]


def choose_objective(page, name):
    page.get_by_label("Objective", exact=True).select_option(name)


def exported(page):
    """The current thresholds of the page, read from its JSON."""
    tab = page.get_by_role("tab", name="JSON")
    if tab.get_attribute("aria-selected") != "true":
        tab.click()
    next_frame(page)
    return ordcut.Thresholds.from_json(page.locator("#rule").text_content())


def next_frame(page):
    """Wait until the page is drawn again."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")


def slider(page, index):
    return page.get_by_role("slider").nth(index)


def centre(page, index):
    """The centre of the knob of a threshold, on the screen."""
    knob = slider(page, index).locator(".knob")
    knob.scroll_into_view_if_needed()
    box = knob.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page, index, by):
    """Drag a threshold with the mouse by so many pixels."""
    x, y = centre(page, index)
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
