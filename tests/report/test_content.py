"""What a page is made from: positions, counts between them, optima and labelings."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings

import ordcut
from ordcut._core.data import Rows
from ordcut._core.objectives.named import COSTS, KAPPAS
from ordcut._core.pruning import ArraySource
from ordcut.frames import FrameSource
from ordcut.report import page
from tests.naive import weights_below
from tests.ordinal_rows import ratings
from tests.report.page_contents import page_content, written_in
from tests.small_sizes import set_sizes
from tests.strategies import problems


class OnlyTheProtocol:
    """A source with the members of the protocol, and no others."""

    def __init__(self, source):
        self.classes = source.classes
        self.dtype = source.dtype
        self.n_rows = source.n_rows
        self.is_exact = source.is_exact
        self.unit = source.unit
        self.count = source.count
        self.all_rows = source.all_rows
        self.confusion = source.confusion


def source_of(problem):
    return ArraySource(
        Rows.read(problem.scores, problem.labels, classes=problem.classes, weights=problem.weights)
    )


@pytest.fixture(params=["sorted", "counted by cells"])
def sorted_or_counted(request, monkeypatch):
    """Make pages of few rows in the way of few rows, and in that of many."""
    if request.param == "counted by cells":
        set_sizes(monkeypatch, page_rows_to_sort=0)


@pytest.mark.usefixtures("sorted_or_counted")
@given(problem=problems(most_rows=20, most_scores=8))
@settings(max_examples=100)
def test_the_weights_between_positions_are_exact(problem):
    content = page_content(source_of(problem))
    below = np.cumsum(content["counts"], axis=0) * content["unit"]
    for position, weights_there in zip([*content["positions"], np.inf], below, strict=True):
        assert weights_there.tolist() == weights_below(position, problem)


@pytest.mark.usefixtures("sorted_or_counted")
@given(problem=problems(most_rows=20, most_scores=8))
@settings(max_examples=50)
def test_every_objective_has_its_optimum_on_the_page(problem):
    weights = {"sample_weight": problem.weights, "classes": problem.classes}
    content = page_content(source_of(problem), objective="squared")
    positions = np.array([-np.inf, *content["positions"], np.inf])
    n_occurring = len({label for _, label, _ in problem.rows})
    assert len(content["objectives"]) == len(COSTS) + (len(KAPPAS) if n_occurring > 1 else 0)
    for objective in content["objectives"]:
        best = ordcut.optimal_thresholds(
            problem.scores, problem.labels, objective=objective["name"], **weights
        )
        assert positions[objective["optimum"]["at"]].tolist() == best.thresholds.tolist()
        assert objective["optimum"]["value"] == best.value
        for index, ends in zip(objective["optimum"]["at"], best.ranges.tolist(), strict=True):
            assert [float(end) for end in content["ranges"][index]] == ends


@pytest.mark.parametrize("n", [500, 30_000])
def test_content_needs_nothing_but_the_protocol_of_a_source(n):
    source = ArraySource(Rows.read(*ratings(n, 5)))
    assert page_content(OnlyTheProtocol(source)) == page_content(source)


@pytest.mark.parametrize("n", [500, 30_000])
def test_the_content_of_a_frame_has_the_weights_of_its_rows(n):
    scores, labels = ratings(n, 4)
    frame = pl.DataFrame({"s": scores, "y": labels})
    content = page_content(FrameSource(frame, score="s", label="y"), objective="squared")
    edges = [-np.inf, *content["positions"], np.inf]
    for k in range(4):
        counts, _ = np.histogram(scores[labels == k], np.clip(edges, -1e9, 1e9))
        assert counts.tolist() == [row[k] for row in content["counts"]]
    best = ordcut.optimal_thresholds(scores, labels, objective="squared")
    assert [edges[index] for index in content["start"]["at"]] == best.thresholds.tolist()


def test_fractional_weights_are_exact_to_the_last_bits():
    scores, labels = ratings(500, 4)
    weights = np.random.default_rng(0).random(500) / 7
    content = page_content(ArraySource(Rows.read(scores, labels, weights=weights)))
    below = np.cumsum(content["counts"], axis=0)
    for position, weights_there in zip(content["positions"], below.tolist(), strict=False):
        for k in range(4):
            exact = sum(map(Fraction, weights[(labels == k) & (scores < position)]), Fraction(0))
            assert (
                abs(Fraction(weights_there[k]) * Fraction(content["unit"]) - exact)
                <= content["unit"]
            )


def test_thresholds_are_judged_by_the_costs_that_they_were_found_for():
    scores, labels = ratings(100, 3)
    cost = 3 * (1 - np.eye(3))
    result = ordcut.optimal_thresholds(scores, labels, objective=cost)
    content = page_content(ArraySource(Rows.read(scores, labels)), result)
    assert content["start"]["judgedBy"] == content["objectives"][-1]["name"] == "custom cost"
    assert content["objectives"][-1]["cost"] == cost.tolist()
    edges = [-np.inf, *content["positions"], np.inf]
    assert [edges[index] for index in content["start"]["at"]] == result.thresholds.tolist()


def test_costs_are_those_of_the_record_or_must_be_given():
    scores, labels = ratings(100, 3)
    cost = 3 * (1 - np.eye(3))
    result = ordcut.optimal_thresholds(scores, labels, objective=cost)
    read = ordcut.Thresholds.from_json(result.to_json())
    source = ArraySource(Rows.read(scores, labels))
    assert page_content(source, read) == page_content(source, result)
    given = replace(read, evidence=None)
    with pytest.raises(ValueError, match=r"objective must be given .* 'custom cost'"):
        page_content(source, given)
    assert page_content(source, given, cost) == page_content(source, result)


def test_costs_that_several_objectives_share_are_written_once():
    written = written_in(page(*ratings(200, 3)))
    resolved = {name: ordcut.resolve_objective(name, 3) for name in (*COSTS, *KAPPAS)}
    for objective in page_content(ArraySource(Rows.read(*ratings(200, 3))))["objectives"]:
        assert objective["cost"] == resolved[objective["name"]].cost.tolist()
    rules = [each["rule"] for each in written["objectives"]]
    costs = [rule["cost"] for rule in rules if not isinstance(rule["cost"], str)]
    assert len(costs) == len(COSTS)


@pytest.mark.parametrize("is_read", [False, True], ids=["found", "read from JSON"])
def test_content_says_whether_thresholds_are_smoothed(is_read):
    scores, labels = ratings(200, 3)
    source = ArraySource(Rows.read(scores, labels))
    for smoothing in (0.0, 0.8):
        result = ordcut.optimal_thresholds(scores, labels, smoothing=smoothing)
        given = ordcut.Thresholds.from_json(result.to_json()) if is_read else result
        assert page_content(source, given)["start"]["isSmoothed"] == (smoothing > 0)


def test_content_is_safe_inside_a_script():
    names = ["</script><!--<script>", "\u2028&", "plain"]
    scores, labels = ratings(100, 3)
    text = page(scores, np.array(names)[labels], classes=names)
    written = text.partition('id="content">')[2].partition("</script>")[0]
    assert not set("<>&\u2028") & set(written)
    assert written_in(text)["classes"] == names
