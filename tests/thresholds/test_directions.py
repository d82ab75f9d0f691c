"""Marks that turn the direction of text are visible wherever people read names."""

import json

import numpy as np
import pytest

import ordcut
from ordcut._core.errors import printable

#: Text that is shown as "paid" followed by more, in another order.
TURNED = "diap\u202edesufer"
MARKS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

NAMED = ordcut.optimal_thresholds(
    [1.0, 2.0, 3.0],
    np.array(["low", TURNED, TURNED]),
    classes=["low", TURNED],
    objective=ordcut.Objective(TURNED, [[0, 1], [1, 0]]),
)


@pytest.mark.parametrize("mark", MARKS)
def test_every_mark_is_escaped(mark):
    assert printable(f"a{mark}b") == f"a\\u{ord(mark):04x}b"


@pytest.mark.parametrize(
    "show",
    [
        repr,
        lambda result: result._repr_html_(),
        ordcut.Thresholds.to_python,
        ordcut.Thresholds.explain,
    ],
    ids=["text", "table", "Python", "words"],
)
def test_names_are_shown_with_their_marks_escaped(show):
    assert "\u202e" not in show(NAMED)
    assert "\\u202e" in show(NAMED)


def test_json_escapes_marks_and_keeps_names():
    text = NAMED.to_json()
    assert "\u202e" not in text
    assert json.loads(text)["classes"] == ["low", TURNED]
    assert ordcut.Thresholds.from_json(text) == NAMED


def test_sql_keeps_names_as_they_are():
    assert f"'{TURNED}'" in NAMED.to_sql("score")


def test_pages_show_marks_except_in_rules():
    page = ordcut.report.page([1.0, 2.0, 3.0], ["low", TURNED, TURNED], classes=["low", TURNED])
    content = json.loads(
        page.split('<script type="application/json" id="content">')[1].split("<")[0]
    )
    literals = content.pop("literals")
    assert "\u202e" not in str(content)
    assert content["classes"] == ["low", TURNED.replace("\u202e", "\\u202e")]
    assert literals["sql"] == ["'low'", f"'{TURNED}'"]


@pytest.mark.parametrize("kind", ["density", "risk", "confusion"])
def test_plots_show_marks(kind):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    figure = NAMED.plot(kind=kind, score_name=TURNED).figure_
    figure.canvas.draw()
    texts = [text.get_text() for text in figure.findobj(matplotlib.text.Text)]
    assert "\u202e" not in "".join(texts)
    assert "\\u202e" in "".join(texts)
    matplotlib.pyplot.close(figure)
