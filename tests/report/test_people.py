"""Agreement with several raters in the content of a page."""

import numpy as np
import pytest

import ordcut
from ordcut.report import page
from tests.report.page_contents import content_of


def rated(n=120, seed=0, gaps=0.2):
    """Return scores and a panel of three raters with gaps; the first item has no rating."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n)
    ratings = np.clip(np.rint(3 + quality[:, None] + 0.6 * rng.normal(size=(n, 3))), 1, 5)
    ratings[rng.random((n, 3)) < gaps] = np.nan
    ratings[0] = np.nan
    return quality + 0.5 * rng.normal(size=n), ordcut.Panel(ratings, classes=range(1, 6))


def people_on(scores, panel, **options):
    return content_of(page(scores, panel, **options))["people"]


def test_a_page_has_the_agreement_of_the_panel():
    scores, panel = rated()
    result = ordcut.optimal_thresholds(scores, panel, objective="linear_kappa")
    (measure,) = people_on(scores, panel, thresholds=result)["measures"]
    people = panel.agreement("linear_kappa")
    judge = panel.agreement_with(result.predict(scores), "linear_kappa")
    assert measure["name"] == "linear_kappa"
    assert measure["people"] == [people.value, *people.interval(), people.n_items]
    assert measure["judge"] == [judge.value, *judge.interval(), judge.n_items]
    assert measure["difference"] == pytest.approx(judge.difference(people))
    assert measure["attainable"][0] == people.attainable
    assert np.square(measure["attainable"][1:]) == pytest.approx(people.interval())


def test_a_loss_is_shown_next_to_a_kappa():
    scores, panel = rated()
    kappa, loss = people_on(scores, panel)["measures"]
    assert (kappa["name"], loss["name"]) == ("quadratic_kappa", "absolute")
    assert loss["people"][0] == panel.agreement("absolute").value
    assert loss["attainable"] is None


@pytest.mark.parametrize("objective", ["macro_mae", "macro_f1"])
def test_objectives_that_compare_no_pairs_are_replaced_by_a_kappa(objective):
    (measure,) = people_on(*rated(), objective=objective)["measures"]
    assert measure["name"] == "quadratic_kappa"


def test_items_are_listed_by_the_distance_to_the_nearest_rating():
    scores, panel = rated()
    names = [f"item {i}" for i in range(len(panel))]
    result = ordcut.optimal_thresholds(scores, panel)
    people = people_on(scores, panel.named(names), thresholds=result)
    labels = result.predict(scores)
    nearest = [
        min(abs(label - k) for k in np.flatnonzero(counts) + 1) if counts.any() else 0
        for label, counts in zip(labels, panel.counts, strict=True)
    ]
    listed = [names.index(each["item"]) for each in people["differ"]]
    assert people["isNamed"]
    assert [nearest[i] for i in listed] == sorted(nearest, reverse=True)[: len(listed)]
    for i, each in zip(listed, people["differ"], strict=True):
        assert (each["score"], each["label"]) == (scores[i], str(labels[i]))
        given = {int(name): count for name, count in each["ratings"]}
        assert given == {k + 1: n for k, n in enumerate(panel.counts[i]) if n}


def test_items_that_agree_with_somebody_are_not_listed():
    panel = ordcut.Panel([[1, 2], [2, 2], [3, 2], [1, 1], [3, 3]])
    assert people_on([0.1, 0.5, 0.8, 0.2, 0.9], panel)["differ"] == []


def test_items_for_review_are_left_out():
    scores, panel = rated()
    result = ordcut.optimal_thresholds(scores, panel, review=0.4)
    people = people_on(scores, panel, thresholds=result)
    codes = result.codes(scores)
    kept = (codes % 2 == 0) & (panel.n_ratings > 0)
    assert 0 < people["items"] == kept.sum() < len(panel)
    judge = panel.take(kept).agreement_with(panel.classes[codes[kept] // 2])
    assert people["measures"][0]["judge"][0] == judge.value


def test_other_decisions_leave_the_agreement_of_people():
    scores, panel = rated()
    costs = [[0, 0, 1, 2, 3], [3, 2, 1, 0, 0]]
    result = ordcut.optimal_thresholds(scores, panel, objective=costs, decisions=["leave", "act"])
    people = people_on(scores, panel, thresholds=result)
    assert people["differ"] == []
    assert people["measures"][0]["judge"] is None
    assert people["measures"][0]["people"][0] == panel.agreement().value


def test_single_ratings_leave_the_agreement_of_the_thresholds():
    panel = ordcut.Panel([[1, None], [2, None], [None, 3], [None, 2]])
    measure = people_on([0.1, 0.5, 0.8, 0.6], panel)["measures"][0]
    assert measure["people"] is None
    assert measure["judge"][0] == 1


def test_thresholds_may_have_classes_that_nobody_gave():
    scores, panel = rated()
    few = ordcut.Panel(np.clip(rated()[0][:, None] + 3, 3, 4).round() + np.zeros((1, 2)))
    result = ordcut.optimal_thresholds(scores, panel)
    people = people_on(scores, few, thresholds=result)
    judge = few.with_classes(range(1, 6)).agreement_with(result.predict(scores))
    assert people["measures"][0]["judge"][0] == judge.value


def test_pages_about_other_labels_have_no_people():
    scores, panel = rated()
    assert people_on(scores, np.arange(len(panel)) % 3) is None


def test_many_items_without_ratings_lead_to_the_page_of_the_others():
    scores, panel = rated(n=30_000)
    kept = panel.n_ratings > 0
    everything, others = page(scores, panel), page(scores[kept], panel.take(kept))
    assert 0 < kept.sum() < len(panel)
    pages = [content_of(text) for text in (everything, others)]
    assert pages[0] == pages[1]
