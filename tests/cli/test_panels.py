"""Several raters on the command line: fit, evaluate as a gate, and comparison of months."""

import json
import re

import numpy as np
import pytest

import ordcut as library

RATERS = ["ann1", "ann2", "ann3"]
LABELS = [word for name in RATERS for word in ("--label", name)]


def month(seed, shift=0.0, n=150, first=0):
    """Return items with a score and up to three ratings from 1 to 5 each."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n)
    scores = quality + 0.5 * rng.normal(size=n) + shift
    ratings = np.clip(np.rint(3 + quality[:, None] + 0.6 * rng.normal(size=(n, 3))), 1, 5)
    is_rated = rng.random((n, 3)) > 0.2
    return [
        {
            "id": f"i{first + i}",
            "judge": round(float(scores[i]), 4),
            **{
                name: int(ratings[i, j]) if is_rated[i, j] else None
                for j, name in enumerate(RATERS)
            },
        }
        for i in range(n)
    ]


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def panel_of(rows):
    return library.Panel([[row[name] for name in RATERS] for row in rows], classes=range(1, 6))


@pytest.fixture
def cuts(ordcut, tmp_path):
    may = write(tmp_path / "may.jsonl", month(0))
    path = tmp_path / "cuts.json"
    done = ordcut(
        "fit", may, "--score", "judge", *LABELS, "--item", "id", "--objective", "quadratic_kappa",
        "-o", path, "--report", tmp_path / "page.html",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "ann1, ann2, ann3 by judge" in done.out
    return path


def test_a_share_of_the_items_of_a_panel_can_be_reviewed(ordcut, tmp_path):
    rows, path = month(0), tmp_path / "cuts.json"
    may = write(tmp_path / "may.jsonl", rows)
    done = ordcut("fit", may, "--score", "judge", *LABELS, "--review-share", "0.2", "-o", path)
    assert done.code == 0, done.err
    expected = library.optimal_thresholds(
        [row["judge"] for row in rows], panel_of(rows), review_share=0.2
    )
    assert json.loads(path.read_text())["thresholds"] == expected.thresholds.tolist()


def test_thresholds_are_those_of_the_panel(cuts):
    rows = month(0)
    saved = json.loads(cuts.read_text())
    expected = library.optimal_thresholds(
        [row["judge"] for row in rows], panel_of(rows), objective="quadratic_kappa"
    )
    assert saved["thresholds"] == expected.thresholds.tolist()
    assert saved["columns"]["label"] == RATERS


def test_the_page_shows_the_agreement_with_people_and_names_items(ordcut, cuts, tmp_path):
    rows, text = month(0), (tmp_path / "page.html").read_text()
    assert "<title>Thresholds for ann1, ann2, ann3</title>" in text
    content = json.loads(re.search(r'id="content">(.*?)</script>', text).group(1))["people"]
    labels = library.Thresholds.from_json(cuts.read_text()).predict([row["judge"] for row in rows])
    (measure,) = content["measures"]
    assert measure["people"][0] == pytest.approx(panel_of(rows).agreement().value)
    assert measure["judge"][0] == pytest.approx(panel_of(rows).agreement_with(labels).value)
    assert {each["item"] for each in content["differ"]} <= {row["id"] for row in rows}
    again = tmp_path / "again.html"
    done = ordcut("report", tmp_path / "may.jsonl", "-t", cuts, "-o", again)
    assert done.code == 0, done.err
    assert json.dumps(content, separators=(",", ":")) in again.read_text()


def test_a_long_table_leads_to_the_same_thresholds(ordcut, cuts, tmp_path):
    long = [
        {"id": row["id"], "judge": row["judge"], "who": name, "stars": row[name]}
        for row in month(0)
        for name in RATERS
        if row[name] is not None
    ]
    path = write(tmp_path / "long.jsonl", long)
    done = ordcut(
        "fit", path, "--score", "judge", "--label", "stars", "--item", "id", "--rater", "who",
        "--objective", "quadratic_kappa", "--json",
    )  # fmt: skip
    assert json.loads(done.out)["thresholds"] == json.loads(cuts.read_text())["thresholds"]
    long[1]["judge"] += 1
    done = ordcut("fit", write(tmp_path / "bad.jsonl", long), "--score", "judge", "--label",
                  "stars", "--item", "id", "--rater", "who")  # fmt: skip
    assert done.code == 2
    assert 'column "judge" must be the same in all rows of an item' in done.err


@pytest.mark.parametrize(
    ("target", "outcome", "code"),
    [(0.5, "reached", 0), (0.95, "missed", 3), (0.72, "undecided", 4)],
)
def test_a_target_is_reached_missed_or_undecided(ordcut, cuts, tmp_path, target, outcome, code):
    rows = month(1)
    june = write(tmp_path / "june.jsonl", rows)
    done = ordcut("evaluate", june, "-t", cuts, "--intervals", "--target", target, "--json")
    content = json.loads(done.out)["gate"]
    thresholds = library.Thresholds.from_json(cuts.read_text())
    labels = thresholds.predict([row["judge"] for row in rows])
    judge = panel_of(rows).agreement_with(labels)
    assert content["value"] == pytest.approx(judge.value)
    assert content["interval"] == pytest.approx(judge.interval())
    people = panel_of(rows).agreement()
    assert content["people"]["value"] == pytest.approx(people.value)
    assert content["target"]["outcome"] == outcome
    assert done.code == content["exit_code"] == code
    printed = ordcut("evaluate", june, "-t", cuts, "--target", target)
    assert printed.code == code
    assert f"target {target}: {outcome}" in printed.out
    assert "Intervals (95 %) are over items, for these raters." in printed.out


def test_fail_under_is_the_plain_rule_and_takes_one_label_too(ordcut, cuts, tmp_path):
    june = write(tmp_path / "june.jsonl", [row for row in month(1) if row["ann1"] is not None])
    for labels in (LABELS, ["--label", "ann1"]):
        assert ordcut("evaluate", june, "-t", cuts, *labels, "--fail-under", 0.3).code == 0
        done = ordcut("evaluate", june, "-t", cuts, *labels, "--fail-under", 0.99)
        assert done.code == 3
        assert "fail under 0.99: failed" in done.out


def test_a_shifted_judge_has_moved_against_people(ordcut, cuts, tmp_path):
    same = write(tmp_path / "june.jsonl", month(2, first=1000))
    moved = write(tmp_path / "july.jsonl", month(2, shift=0.7, first=1000))
    may = tmp_path / "may.jsonl"
    done = ordcut("evaluate", same, "-t", cuts, "--against", may)
    assert done.code == 0
    assert "(other items)" in done.out
    assert "shows no significant change" in done.out
    done = ordcut("evaluate", moved, "-t", cuts, "--against", may)
    assert done.code == 5
    assert "label minus mean rating, has changed significantly" in done.out
    done = ordcut("evaluate", moved, "-t", cuts, "--against", same, "--json")
    change = json.loads(done.out)["gate"]["against"][str(same)]
    assert change["bias"]["is_paired"]
    assert change["bias"]["low"] > 0
    assert done.code == 5


def test_labels_that_cannot_be_used_are_named(ordcut, cuts, tmp_path):
    june = write(tmp_path / "june.jsonl", month(1))
    done = ordcut("fit", june, "--score", "judge", "--label", "ann1", "--label", "ann1")
    assert done.code == 2
    assert "--label must name each column once" in done.err
    done = ordcut("fit", june, "--score", "judge", "--label", "ann1", "--rater", "id")
    assert "--rater needs --item and a single --label" in done.err
    done = ordcut("fit", june, "--score", "judge", *LABELS, "--label", "ann9")
    assert "--label must name a column of" in done.err
    done = ordcut("evaluate", june, "-t", cuts, "--against", "mai.jsonl")
    assert 'or a file that exists, got "mai.jsonl"' in done.err
    done = ordcut("evaluate", june, "-t", cuts, "--against", "ann1")
    assert "--against must name a file where items have several ratings" in done.err


def test_missing_scores_are_an_error_or_dropped(ordcut, tmp_path):
    rows = month(3, n=60)
    rows[4]["judge"] = None
    path = write(tmp_path / "rows.jsonl", rows)
    done = ordcut("fit", path, "--score", "judge", *LABELS)
    assert done.code == 2
    assert "FILES must not have missing values, got 1 in 'judge'" in done.err
    done = ordcut("fit", path, "--score", "judge", *LABELS, "--nulls", "drop", "--json")
    unrated = sum(all(row[name] is None for name in RATERS) for row in rows)
    assert json.loads(done.out)["dropped"] == 1 + unrated


@pytest.mark.parametrize("name", ["judge", "id", "who", "count"])
def test_nulls_are_dropped_from_every_column_of_a_long_table(ordcut, tmp_path, name):
    rows = [
        {"id": row["id"], "judge": row["judge"], "who": rater, "stars": row[rater], "count": 2}
        for row in month(3, n=60)
        for rater in RATERS
    ]
    options = ["--score", "judge", "--label", "stars", "--item", "id", "--rater", "who",
               "--weight", "count"]  # fmt: skip
    expected = ordcut("fit", write(tmp_path / "rest.jsonl", rows[3:]), *options, "--json")
    for row in rows[:3]:
        row[name] = None
    path = write(tmp_path / "rows.jsonl", rows)
    done = ordcut("fit", path, *options)
    assert done.code == 2
    assert f"FILES must not have missing values, got 3 in '{name}'" in done.err
    done = ordcut("fit", path, *options, "--nulls", "drop", "--json")
    results = [json.loads(each.out) for each in (done, expected)]
    assert results[0]["thresholds"] == results[1]["thresholds"]
    assert results[0]["dropped"] == results[1]["dropped"] + 3


def test_items_without_a_name_and_single_labels_without_a_value_are_missing(ordcut, tmp_path):
    rows = month(3, n=60)
    rows[4]["id"] = rows[5]["id"] = None
    path, cuts = write(tmp_path / "rows.jsonl", rows), tmp_path / "cuts.json"
    options = ["fit", path, "--score", "judge", *LABELS, "--item", "id", "-o", cuts]
    assert "got 2 in 'id'" in ordcut(*options).err
    assert ordcut(*options, "--nulls", "drop").code == 0
    single = ["evaluate", path, "-t", cuts, "--label", "ann1", "--fail-under", 0]
    assert "in 'ann1'. Fill them in" in ordcut(*single).err
    assert ordcut(*single, "--nulls", "drop").code in (0, 3)


def test_thresholds_with_reviews_are_evaluated_but_have_no_agreement(ordcut, tmp_path):
    path, cuts = write(tmp_path / "may.jsonl", month(0)), tmp_path / "cuts.json"
    assert ordcut("fit", path, "--score", "judge", *LABELS, "--review", 0.3, "-o", cuts).code == 0
    done = ordcut("evaluate", path, "-t", cuts)
    assert done.code == 0
    assert "handed over for review" in done.out
    done = ordcut("evaluate", path, "-t", cuts, "--intervals")
    assert done.code == 2
    assert "Fit thresholds without --review" in done.err


def test_agreement_counts_items_once_whatever_their_weight(ordcut, tmp_path):
    rows = [{**row, "count": 1 + i % 3} for i, row in enumerate(month(0))]
    path, cuts = write(tmp_path / "may.jsonl", rows), tmp_path / "cuts.json"
    ordcut("fit", path, "--score", "judge", *LABELS, "--weight", "count", "-o", cuts)
    done = ordcut("evaluate", path, "-t", cuts)
    assert "Agreement counts each item once, whatever its --weight." in done.out


def test_a_learning_curve_is_that_of_the_library(ordcut, tmp_path):
    rows = [row for row in month(4) if row["ann1"] is not None]
    path = write(tmp_path / "rows.jsonl", rows)
    done = ordcut("fit", path, "--score", "judge", "--label", "ann1", "--learning-curve", "--json")
    points = json.loads(done.out)["learning_curve"]
    curve = library.learning_curve([row["judge"] for row in rows], [row["ann1"] for row in rows])
    assert [point["rows"] for point in points] == curve.sizes.tolist()
    np.testing.assert_allclose([point["value"] for point in points], curve.means, atol=0.05)
    done = ordcut("fit", path, "--score", "judge", *LABELS, "--learning-curve")
    assert "absolute on rows left out, by the number of rows with labels" in done.out
