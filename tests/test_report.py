"""What a page is made from: counts at places, optima and other labelings."""

import json
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordcut
from ordcut.cells import cells_like
from ordcut.objectives import COSTS, KAPPAS, resolve_objective
from ordcut.report import ground, page, write_report
from ordcut.report.facts import as_json, gather_facts
from ordcut.report.labelings import other_labelings
from ordcut.sources.arrays import ArraySource
from ordcut.sources.frames import FrameSource
from strategies import problems


class OnlyTheProtocol:
    """A source that answers what the protocol asks for, and nothing else."""

    def __init__(self, rows):
        self._rows = rows
        self.classes = rows.classes
        self.precision = rows.precision
        self.n_rows = rows.n_rows
        self.cells = rows.cells
        self.count = rows.count
        self.finer = rows.finer
        self.rows = rows.rows
        self.confusion = rows.confusion


def ratings(n, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n)
    labels = np.digitize(scores + 0.5 * rng.logistic(size=n), np.linspace(-1, 1, n_classes - 1))
    return scores, labels


def naive_weights_below(place, problem):
    """The weight of each class below a place, row by row."""
    weights = np.ones(len(problem.scores)) if problem.weights is None else problem.weights
    found = [0.0] * problem.n_classes
    for score, label, weight in zip(problem.scores, problem.labels, weights, strict=True):
        if score < place:
            found[label] += weight
    return found


@pytest.fixture(params=[ground.MOST_ROWS_IN_TABLE, 0], ids=["sorted", "counted by cells"])
def either_ground(request, monkeypatch):
    """Make pages of small data as those of large data are made, too."""
    monkeypatch.setattr(ground, "MOST_ROWS_IN_TABLE", request.param)


@pytest.mark.usefixtures("either_ground")
@given(problem=problems(most_rows=20, most_scores=8))
@settings(max_examples=100)
def test_the_weights_between_places_are_exact(problem):
    source = ArraySource(
        problem.scores, problem.labels, classes=problem.classes, weights=problem.weights
    )
    facts = gather_facts(source, None, None)
    below = np.cumsum(facts["counts"], axis=0) * facts["unit"]
    for place, found in zip([*facts["places"], np.inf], below, strict=True):
        assert found.tolist() == naive_weights_below(place, problem)


@pytest.mark.usefixtures("either_ground")
@given(problem=problems(most_rows=20, most_scores=8))
@settings(max_examples=50)
def test_every_objective_has_its_optimum_on_the_page(problem):
    weights = {"sample_weight": problem.weights, "classes": problem.classes}
    source = ArraySource(
        problem.scores, problem.labels, classes=problem.classes, weights=problem.weights
    )
    facts = gather_facts(source, None, "squared")
    places = np.array([-np.inf, *facts["places"], np.inf])
    n_occurring = len({label for _, label, _ in problem.rows})
    assert len(facts["objectives"]) == len(COSTS) + (len(KAPPAS) if n_occurring > 1 else 0)
    for one in facts["objectives"]:
        best = ordcut.optimal_thresholds(
            problem.scores, problem.labels, objective=one["name"], **weights
        )
        assert places[one["optimum"]["at"]].tolist() == best.thresholds.tolist()
        assert one["optimum"]["value"] == best.value
        for number, ends in zip(one["optimum"]["at"], best.ranges.tolist(), strict=True):
            assert [float(end) for end in facts["ranges"][number]] == ends


@pytest.mark.parametrize("precision", [np.float64, np.float32])
@given(data=st.data(), n_cells=st.integers(2, 30))
@settings(max_examples=150)
def test_the_border_of_a_cell_is_its_least_float(precision, data, n_cells):
    width = np.dtype(precision).itemsize * 8
    finite = st.floats(allow_nan=False, allow_infinity=False, width=width)
    sample = np.array(data.draw(st.lists(finite, min_size=1, max_size=40)), precision)
    cells = cells_like(np.sort(sample), n_cells)
    borders = ground.least_scores(cells, np.dtype(precision))
    # Of the data's own floats, those around a border, and those that led to the cells.
    limits = np.finfo(precision)
    near = np.clip(borders, limits.min, limits.max).astype(precision)
    around = np.concatenate([near, sample])
    around = np.concatenate([around, np.nextafter(around, precision(0))])
    above = around.astype(np.float64)[:, None] >= borders
    in_cell = cells.locate(around)[:, None] >= np.arange(1, cells.n_cells)
    assert (above == in_cell).all()


@given(problem=problems(most_rows=20, most_scores=8), data=st.data())
def test_a_source_gives_the_weights_between_any_number_of_thresholds(problem, data):
    places = sorted(data.draw(st.lists(st.integers(-3, 6), max_size=12)))
    soft = np.eye(problem.n_classes)[problem.labels]
    for labels, classes in [(problem.labels, problem.classes), (soft, None)]:
        source = ArraySource(problem.scores, labels, classes=classes, weights=problem.weights)
        between = source.confusion(np.array(places, dtype=float))
        assert between.shape == (len(places) + 1, problem.n_classes)
        below = np.cumsum(between, axis=0)
        for place, found in zip([*places, np.inf], below, strict=True):
            assert found.tolist() == naive_weights_below(place, problem)


@pytest.mark.parametrize("n", [500, 30_000])
def test_a_page_asks_nothing_but_the_protocol_of_a_source(n):
    source = ArraySource(*ratings(n, 5))
    assert page(OnlyTheProtocol(source)) == page(source)


@pytest.mark.parametrize("n", [500, 30_000])
def test_the_page_of_a_frame_has_the_weights_of_its_rows(n):
    scores, labels = ratings(n, 4)
    frame = pl.DataFrame({"s": scores, "y": labels})
    facts = gather_facts(FrameSource(frame, score="s", label="y"), None, "squared")
    edges = [-np.inf, *facts["places"], np.inf]
    for k in range(4):
        counts, _ = np.histogram(scores[labels == k], np.clip(edges, -1e9, 1e9))
        assert counts.tolist() == [row[k] for row in facts["counts"]]
    best = ordcut.optimal_thresholds(scores, labels, objective="squared")
    assert [edges[number] for number in facts["start"]["at"]] == best.thresholds.tolist()


def test_fractional_weights_are_exact_to_the_last_bits():
    scores, labels = ratings(500, 4)
    weights = np.random.default_rng(0).random(500) / 7
    facts = gather_facts(ArraySource(scores, labels, weights=weights), None, None)
    below = np.cumsum(facts["counts"], axis=0)
    for place, found in zip(facts["places"], below.tolist(), strict=False):
        for k in range(4):
            exact = sum(map(Fraction, weights[(labels == k) & (scores < place)]), Fraction(0))
            assert abs(Fraction(found[k]) * Fraction(facts["unit"]) - exact) <= facts["unit"]


@pytest.mark.parametrize("n", [3000, 100_000])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_page_stays_below_one_megabyte(n, weighted):
    scores, labels = ratings(n, 100)
    weights = np.random.default_rng(0).random(n) if weighted else None
    source = ArraySource(scores, labels, classes=range(100), weights=weights)
    assert len(page(source).encode()) < 1_000_000


def test_other_labelings_do_what_they_say():
    scores, labels = ratings(2000, 3)
    source = ArraySource(scores, labels)
    objectives = [resolve_objective(name, 3) for name in ("absolute", "zero_one")]
    made = {
        one.name: one.thresholds
        for one in other_labelings(ground.lay_ground(source, 600, 1), source.classes, objectives)
    }
    assert made["rounding"]["absolute"].tolist() == [0.5, 1.5]
    predicted = np.searchsorted(made["class shares"]["absolute"], scores, side="right")
    assert np.bincount(predicted) == pytest.approx(np.bincount(labels), abs=5)
    means = np.array([scores[labels == k].mean() for k in range(3)])
    between = (means[1:] + means[:-1]) / 2
    assert made["class means"]["absolute"] == pytest.approx(between, abs=0.05)
    for name in ("absolute", "zero_one"):
        reached = ordcut.evaluate(
            labels, np.searchsorted(made["ordinal logistic model"][name], scores, "right"), name
        )
        best = ordcut.optimal_thresholds(scores, labels, objective=name).value
        assert best <= reached < 1.05 * best


def test_text_has_no_rounding():
    scores, labels = ratings(100, 3)
    source = ArraySource(scores, np.array(["a", "b", "c"])[labels], classes=["a", "b", "c"])
    assert "rounding" not in [one["name"] for one in gather_facts(source, None, None)["labelings"]]


def test_thresholds_for_costs_that_the_page_does_not_know_are_judged_by_absolute_loss():
    scores, labels = ratings(100, 3)
    found = ordcut.optimal_thresholds(scores, labels, objective=3 * (1 - np.eye(3)))
    facts = gather_facts(ArraySource(scores, labels), found, None)
    assert facts["start"]["of"] == "absolute"
    assert [facts["places"][number - 1] for number in facts["start"]["at"]] == list(
        found.thresholds
    )


def test_facts_are_safe_inside_a_script():
    facts = {"name": "</script><!--<script>", "line": "\u2028&"}
    text = as_json(facts)
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == facts


def test_a_title_is_escaped_and_cannot_reach_into_the_template(tmp_path):
    path = tmp_path / "page.html"
    write_report(path, *ratings(50, 3), title="{{script}}</title><b>")
    text = path.read_text(encoding="utf-8")
    assert "<title>{{script}}&lt;/title&gt;&lt;b&gt;</title>" in text


def test_too_many_classes_are_refused_before_anything_is_written(tmp_path):
    with pytest.raises(ValueError, match="at most 100 classes, got 101"):
        write_report(tmp_path / "page.html", [1.0, 2.0], [0, 1], classes=range(101))
    assert list(tmp_path.iterdir()) == []


def test_thresholds_for_other_classes_are_refused():
    found = ordcut.optimal_thresholds([1.0, 2.0], [0, 1])
    with pytest.raises(ValueError, match=r"found must have the classes of the labels, \[1, 2\]"):
        page(ArraySource([1.0, 2.0], [1, 2]), found)
