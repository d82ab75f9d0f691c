"""Pages in the dark, on a phone, in print, with a keyboard, with hostile names and odd data."""

import numpy as np
import pytest

from ordcut import report
from tests.browser.page_actions import RATINGS, exported, slider, table_of
from tests.ordinal_rows import ratings

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(2)>",
    "&lt;b&gt; {{content}} ${1}",
    "a name that is far too long to fit anywhere " * 5,
]


def lightness(page):
    colour = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    return sum(float(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(",")) / 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_follows_the_system_and_its_own_switch(open_page, scheme):
    page = open_page(*ratings(), context={"color_scheme": scheme})
    assert (lightness(page) > 128) == (scheme == "light")
    page.get_by_role("button", name="Switch between light and dark").click()
    assert (lightness(page) > 128) == (scheme == "dark")
    page.get_by_role("button", name="Switch between light and dark").click()
    assert (lightness(page) > 128) == (scheme == "light")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_printed_page_is_white_and_has_no_buttons(open_page, scheme):
    page = open_page(*ratings(), context={"color_scheme": scheme})
    page.emulate_media(media="print")
    assert lightness(page) == 255
    for control in ("reset", "theme", "copy", "download"):
        assert not page.locator(f"#{control}").is_visible()
    assert page.get_by_role("table").first.is_visible()


@pytest.mark.parametrize(
    ("n_classes", "names"), [(2, "numbers"), (5, "long names"), (55, "long names")]
)
def test_a_phone_needs_no_scrolling_to_the_side(open_page, n_classes, names):
    scores, labels = ratings(2000, n_classes)
    classes = np.arange(n_classes)
    if names == "long names":
        classes = np.array(
            [f"class number {k} with quite a name to read" for k in range(n_classes)]
        )
    page = open_page(
        scores,
        classes[labels],
        classes=classes,
        score_name="x" * 80,
        label_name="a_column_with_a_long_name" * 3,
        context={"viewport": {"width": 360, "height": 740}},
    )
    wide = page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1] == 360
    assert page.get_by_role("slider").count() == n_classes - 1


@pytest.mark.parametrize("n_classes", [2, 100])
def test_many_classes_can_still_be_moved(open_page, n_classes):
    scores, labels = ratings(3000, n_classes)
    page = open_page(scores, labels, classes=range(n_classes))
    last = n_classes - 2
    slider(page, last).focus()
    page.keyboard.press("End")
    assert exported(page).thresholds[last] == np.inf
    assert len(table_of(page, "confusion")) == n_classes


def test_names_from_the_data_stay_text(open_page):
    scores, labels = ratings()
    page = open_page(
        scores,
        np.array(HOSTILE)[labels],
        classes=HOSTILE,
        score_name=HOSTILE[0],
        label_name=HOSTILE[1],
        title=HOSTILE[0] + HOSTILE[1],
    )
    assert page.title() == HOSTILE[0] + HOSTILE[1]
    assert page.locator("h1").text_content() == HOSTILE[0] + HOSTILE[1]
    assert exported(page).classes.tolist() == HOSTILE
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2
    for k, name in enumerate(HOSTILE[1:]):
        assert slider(page, k).get_attribute("aria-label").endswith(f" and {name}")


def test_nothing_but_the_pages_own_script_may_run_or_reach_out(browser, tmp_path):
    report.page(*ratings(), path=tmp_path / "page.html")
    page = browser.new_page()
    refused = []
    page.on("console", lambda message: refused.append(message.text))
    page.goto((tmp_path / "page.html").as_uri())
    page.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "window.foreign = true";
          document.body.append(script);
        }"""
    )
    assert page.evaluate("() => window.foreign") is None
    outcome = page.evaluate(
        "() => fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')"
    )
    assert outcome == "refused"
    assert len(refused) >= 2
    assert all("Content Security Policy" in text for text in refused)
    page.close()


def test_everything_that_can_be_operated_has_a_name(open_page):
    scores, labels = ratings()
    page = open_page(scores, np.array(RATINGS)[labels], classes=RATINGS)
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    names = {}
    for node in tree:
        names.setdefault(node["role"]["value"], []).append(node.get("name", {}).get("value", ""))
    roles = {"button", "slider", "combobox", "tab", "checkbox", "table", "tabpanel", "heading"}
    assert roles <= set(names)
    for role in roles - {"table"}:
        assert all(names[role]), role
    assert names["slider"] == [
        f"Threshold {k + 1}, between {RATINGS[k]} and {RATINGS[k + 1]}" for k in range(3)
    ]


def test_the_keyboard_reaches_every_threshold_and_shows_where_it_is(open_page):
    page = open_page(*ratings())
    page.get_by_label("Objective", exact=True).focus()
    reached = []
    for _ in range(3):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("() => document.activeElement.dataset.index"))
    assert reached == ["0", "1", "2"]
    width = "() => getComputedStyle(document.activeElement.querySelector('.cut')).strokeWidth"
    assert page.evaluate(width) == "2.5px"


def test_format_tabs_are_changed_by_arrow_keys(open_page):
    page = open_page(*ratings())
    page.get_by_role("tab", name="JSON").focus()
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("tab", name="Python").get_attribute("aria-selected") == "true"
    assert page.locator("#rule").text_content().startswith("from bisect")


@pytest.mark.parametrize(
    ("scores", "labels"),
    [
        ([1.0, 1.0, 1.0], [0, 1, 1]),
        ([1.0, 2.0], [0, 1]),
        ([5.0, 5.0, 1e300], [0, 0, 1]),
        ([-1e-300, 0.0, 1e-300], [0, 1, 1]),
        (np.ones(25_000), np.arange(25_000) % 3),
    ],
    ids=["one score", "two rows", "huge", "tiny", "one score in many rows"],
)
def test_small_and_odd_data_make_a_page(open_page, scores, labels):
    page = open_page(scores, labels)
    assert "NaN" not in page.locator("#stage").inner_html()
    assert "NaN" not in page.locator("main").inner_text()
    slider(page, 0).focus()
    page.keyboard.press("Home")
    assert exported(page).thresholds[0] == -np.inf
