"""HTML views of results in notebooks."""

import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

import ordcut
from ordcut import report
from ordcut.estimators import OrdinalLogisticRegression
from tests.ordinal_rows import ratings

HOSTILE = ["<script>alert(1)</script>", "a & b", '"quoted"', "\u202eturned"]
SCORES, CODES = ratings(300, 4)
LABELS = np.array(HOSTILE)[CODES]


class Structure(HTMLParser):
    """The tags, the texts of cells, and whether all that is opened is closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.rows = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):  # noqa: ARG002
        self.tags.append(tag)
        if tag != "br":
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def results():
    result = ordcut.optimal_thresholds(
        SCORES, LABELS, classes=HOSTILE, constraints=["share a & b >= 0.1"]
    )
    table = np.stack([CODES, np.roll(CODES, 1), CODES[::-1]], axis=1)
    panel = ordcut.Panel(np.array(HOSTILE, object)[table], classes=HOSTILE)
    model = OrdinalLogisticRegression(objective="absolute")
    features = np.column_stack([SCORES, np.sin(np.arange(300))])
    return {
        "thresholds": result,
        "outcome": result.constraints[0],
        "smoothed": ordcut.optimal_thresholds(SCORES, LABELS, classes=HOSTILE, smoothing=0.5),
        "read": ordcut.Thresholds.from_json(result.to_json()),
        "bootstrap": result.bootstrap(n=20),
        "curves": result.curves(),
        "sets": ordcut.label_sets(SCORES, LABELS, classes=HOSTILE),
        "path": ordcut.asymmetry_path(SCORES, LABELS, [1, 2], classes=HOSTILE),
        "learning": ordcut.learning_curve(SCORES, LABELS, classes=HOSTILE, n_splits=2),
        "panel": panel,
        "agreement": panel.agreement(),
        "annotators": panel.alternative_test(LABELS),
        "table": ordcut.ScoreTable(SCORES, LABELS, classes=HOSTILE),
        "summary": model.fit(features, CODES).summary(features, CODES),
    }


RESULTS = results()


@pytest.mark.parametrize("name", RESULTS)
def test_a_view_is_a_table_that_escapes_what_comes_from_the_data(name):
    text = RESULTS[name]._repr_html_()
    structure = Structure(text)
    assert structure.open == []
    assert {"b", "table", "th", "td"} <= set(structure.tags)
    assert "script" not in structure.tags
    assert "\u202e" not in text
    assert len({len(row) for row in structure.rows}) <= 2  # of a summary with a test: two tables
    assert len(text) < 6000


@pytest.mark.parametrize("name", RESULTS)
def test_colours_are_those_of_the_notebook(name):
    text = RESULTS[name]._repr_html_()
    style = text[: text.index("</style>")]
    assert "color:#" not in style.replace("background", "")
    assert "background:none" in style


def test_the_numbers_of_a_bootstrap_are_those_of_its_intervals():
    boot = RESULTS["bootstrap"]
    _, *rows = Structure(boot._repr_html_()).rows
    for row, cut, ends in zip(rows, boot.result.thresholds, boot.intervals(), strict=True):
        assert row[1:] == [f"{cut:.6g}", "{:.6g} to {:.6g}".format(*ends)]


def test_label_sets_are_those_that_are_predicted():
    sets = RESULTS["sets"]
    _, *rows = Structure(sets._repr_html_()).rows
    edges = [float(row[1]) if row[1] else -np.inf for row in rows]
    middles = [*(np.array(edges[1:]) - 1e-4), edges[-1] + 1e-4]
    for row, (low, high) in zip(rows, sets.predict(middles), strict=True):
        shown = low if low == high else f"{low} to {high}"
        assert row[0] == shown.replace("\u202e", "\\u202e")


def test_a_page_is_shown_apart_from_the_notebook():
    page = report.page(SCORES, LABELS, classes=HOSTILE)
    assert isinstance(page, str)
    shown = page._repr_html_()
    assert Structure(shown).tags == ["iframe"]
    assert 'sandbox="allow-scripts allow-downloads"' in shown
    assert len(repr(page)) < 100


def test_views_are_light_to_import():
    code = (
        "import sys, ordcut._core.views\n"
        "print([name for name in ('numpy', 'numba', 'matplotlib') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
