"""Keep or move, and the difference of two sets of thresholds: against brute force, and laws."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordcut

RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, 3, 400)
SCORES = LABELS + RNG.normal(size=400)
CLASSES = [0, 1, 2]
OLD = ordcut.Thresholds.from_values([0.5, 1.5], CLASSES)


def value_of(scores, labels, thresholds):
    return np.abs(np.searchsorted(thresholds, scores, side="right") - labels).mean()


@st.composite
def rows_on_a_grid(draw):
    n = draw(st.integers(20, 30))
    scores = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    labels = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    return np.array(scores, dtype=float), np.array(labels)


@settings(max_examples=30)
@given(rows_on_a_grid(), st.sampled_from([0.0, 0.125, 0.5, 2.0]))
def test_new_thresholds_are_the_best_with_a_cost_of_each_changed_label(rows, cost):
    scores, labels = rows
    old = ordcut.Thresholds.from_values([1.5, 2.5], CLASSES)
    update = ordcut.update(
        old, scores, labels, objective="absolute", smoothing=0, cost_per_change=cost
    )

    def paid(thresholds):
        changed = np.searchsorted(thresholds, scores, side="right") != old.codes(scores)
        return value_of(scores, labels, thresholds) + cost * changed.mean()

    every = combinations_with_replacement(np.arange(-0.5, 5.5), 2)
    assert paid(update.new.thresholds) == pytest.approx(min(paid(each) for each in every))


@settings(max_examples=30)
@given(rows_on_a_grid(), st.sampled_from([0, 0.05, 0.1, 0.3, 1]))
def test_new_thresholds_are_the_best_within_a_share_of_changed_labels(rows, most):
    scores, labels = rows
    old = ordcut.Thresholds.from_values([1.5, 2.5], CLASSES)
    update = ordcut.update(old, scores, labels, objective="absolute", smoothing=0, max_changed=most)

    def is_near(thresholds):
        each = zip(thresholds, old.thresholds, strict=True)
        crossed = [np.sum((scores >= new) != (scores >= was)) for new, was in each]
        return max(crossed) <= round(most * len(scores) * 1000) // 1000

    every = filter(is_near, combinations_with_replacement(np.arange(-0.5, 5.5), 2))
    assert is_near(update.new.thresholds)
    best = min(value_of(scores, labels, each) for each in every)
    assert value_of(scores, labels, update.new.thresholds) == pytest.approx(best)
    assert update.diff.crossed.max() <= most + 1e-12


def test_the_gain_is_judged_by_thresholds_that_were_found_on_other_rows():
    noise = np.arange(300) % 3  # nothing to be found in these labels
    scores = np.random.default_rng(2).normal(size=300)
    update = ordcut.update(OLD, scores, noise, objective="zero_one", smoothing=0)
    low, high = update.interval
    assert update.diff.gain > update.gain + 0.02
    assert low < update.gain < high
    assert update.new.record.held_out == update.values[1]


@pytest.mark.parametrize(
    ("shift", "n", "outcome"), [(0, 400, "undecided"), (1, 400, "move"), (0, 20_000, "keep")]
)
def test_the_outcome_follows_from_the_interval(shift, n, outcome):
    noise = np.random.default_rng(1).normal(size=(2, 20_000))
    labels = np.tile(LABELS, 50)
    old = ordcut.optimal_thresholds(labels + noise[0], labels)
    scores, labels = (labels + noise[1] + shift)[:n], labels[:n]
    update = ordcut.update(old, scores, labels)
    low, high = update.interval
    assert update.outcome == outcome
    assert {"move": low > 0, "keep": high < update.margin, "undecided": True}[outcome]
    assert update.exit_code == {"keep": 0, "undecided": 4, "move": 5}[outcome]
    assert (update.n_needed is not None) == (outcome == "undecided")
    assert update.margin == pytest.approx(0.05 * value_of(scores, labels, old.thresholds))


def test_thresholds_that_change_no_label_are_kept():
    scores, labels = np.arange(40.0), np.arange(40) >= 20
    old = ordcut.Thresholds.from_values([19.25], [False, True])
    update = ordcut.update(old, scores, labels, objective="zero_one")
    assert (update.outcome, update.changed) == ("keep", 0)


def test_thresholds_are_kept_where_nothing_can_be_gained():
    scores, labels = np.arange(60) % 3 + 0.5, np.arange(60) % 3
    old = ordcut.Thresholds.from_values([0.5, 2.5], CLASSES)  # wrong by one class at most
    update = ordcut.update(old, scores, labels, objective="beyond_one")
    assert (update.outcome, update.gain, update.margin) == ("keep", 0, 0)


def test_few_rows_that_differ_do_not_look_certain():
    scores, labels = np.arange(40.0), np.arange(40) >= 18
    old = ordcut.Thresholds.from_values([20], [False, True])
    assert ordcut.update(old, scores, labels, objective="zero_one").outcome == "undecided"


def test_old_thresholds_that_break_a_constraint_are_moved():
    limit = "recall 2 >= 0.8"
    old = ordcut.optimal_thresholds(SCORES, LABELS, constraints=[limit])
    again = RNG.integers(0, 3, 400)
    same, lower = (again + RNG.normal(size=400) - shift for shift in (0, 1))
    assert ordcut.update(old, same, again).broken == ()
    update = ordcut.update(ordcut.Thresholds.from_json(old.to_json()), lower, again)
    assert (update.outcome, update.broken[0][:15]) == ("move", limit)
    assert [outcome.limit for outcome in update.new.constraints] == [limit]
    assert update.new.constraints[0].reached >= 0.8


@pytest.mark.parametrize("objective", ["absolute", "quadratic_kappa", "macro_f1", "macro_mae"])
def test_order_repeats_and_tables_change_nothing(objective):
    scores, times = SCORES.round(1), 1 + np.arange(400) % 3
    options = {"objective": objective, "smoothing": 0 if objective == "macro_mae" else "auto"}
    plain = ordcut.update(
        OLD, np.repeat(scores, times), np.repeat(LABELS, times), **options
    ).as_dict()
    order = RNG.permutation(400)
    shuffled = ordcut.update(
        OLD, scores[order], LABELS[order], sample_weight=times[order], **options
    )
    table = ordcut.ScoreTable(scores, LABELS, sample_weight=times)
    merged = ordcut.ScoreTable.merged(
        [
            ordcut.ScoreTable(scores[part], LABELS[part], sample_weight=times[part])
            for part in (slice(150), slice(150, 400))
        ]
    )
    saved = ordcut.ScoreTable.from_json(merged.to_json())
    others = [ordcut.update(OLD, each, **options) for each in (table, merged, saved)]
    for other in (shuffled, *others):
        other = other.as_dict()
        assert (other["outcome"], other["rows"]) == (plain["outcome"], times.sum())
        assert other.pop("thresholds") == plain["thresholds"]
        for name, value in other.items():
            if name != "outcome":
                assert value == pytest.approx(plain[name])


@pytest.mark.parametrize("kind", ["float32", "soft", "importance"])
def test_other_rows_can_be_compared(kind):
    given = {"scores": SCORES + 1, "labels": LABELS}
    if kind == "float32":
        given["scores"] = given["scores"].astype(np.float32)
    if kind == "soft":
        given["labels"] = np.eye(3)[LABELS] * 0.75 + 0.25
    if kind == "importance":
        given["sample_weight"] = RNG.uniform(0.5, 1.5, 400)
    update = ordcut.update(OLD, objective="squared", **given)
    order = RNG.permutation(400)
    again = ordcut.update(
        OLD, objective="squared", **{name: values[order] for name, values in given.items()}
    )
    assert update.outcome == "move"
    assert again.interval == pytest.approx(update.interval)


def test_class_weights_are_those_of_the_record():
    old = ordcut.optimal_thresholds(SCORES, LABELS, class_weight={0: 5})
    saved = ordcut.Thresholds.from_json(old.to_json())
    update = ordcut.update(saved, SCORES[1:], LABELS[1:])
    expected = ordcut.judge(saved, SCORES[1:], LABELS[1:], class_weight={0: 5}).value
    assert update.diff.values[0] == pytest.approx(expected)
    assert update.new.record.class_weight == (5.0, 1.0, 1.0)
    assert ordcut.diff(saved, saved, SCORES, LABELS).values[0] == pytest.approx(old.value)


def test_the_interval_of_a_loss_is_that_of_paired_losses():
    new = ordcut.Thresholds.from_values([0.8, 1.9], CLASSES)
    diff = ordcut.diff(OLD, new, SCORES, LABELS, objective="absolute")
    losses = [np.abs(each.codes(SCORES) - LABELS) for each in (OLD, new)]
    better = losses[0] - losses[1]
    error = np.sqrt((np.square(better - better.mean()).sum() + 2) / 400**2)
    assert diff.gain == pytest.approx(better.mean())
    assert (diff.interval[1] - diff.gain) / error == pytest.approx(1.966, rel=0.01)
    assert diff.changed == (OLD.codes(SCORES) != new.codes(SCORES)).mean()


@pytest.mark.parametrize("objective", ["quadratic_kappa", "macro_f1", "macro_mae"])
def test_the_interval_of_a_score_is_that_of_the_jackknife(objective):
    new = ordcut.Thresholds.from_values([0.8, 1.9], CLASSES)
    diff = ordcut.diff(OLD, new, SCORES, LABELS, objective=objective)

    def gain(kept):
        values = [
            ordcut.judge(each, SCORES[kept], LABELS[kept], objective).value for each in (OLD, new)
        ]
        return values[1] - values[0] if objective != "macro_mae" else values[0] - values[1]

    left_out = np.array([gain(np.arange(400) != i) for i in range(400)])
    error = np.sqrt(399 / 400 * np.square(left_out - left_out.mean()).sum())
    assert (diff.interval[1] - diff.gain) / error == pytest.approx(2.02, rel=0.03)


def test_the_difference_without_rows_is_about_those_of_the_record():
    old = ordcut.optimal_thresholds(SCORES, LABELS)
    new = ordcut.optimal_thresholds(SCORES + 0.3, LABELS)
    saved = [ordcut.Thresholds.from_json(each.to_json()) for each in (old, new)]
    exact, about = ordcut.diff(*saved, SCORES + 0.3, LABELS), ordcut.diff(*saved)
    np.testing.assert_allclose(about.crossed, exact.crossed, atol=0.03)
    assert about.changed == pytest.approx(exact.changed, abs=0.04)
    assert about.gain is None
    assert (exact.fitted, exact.exit_code, about.exit_code) == ("new", 0, 0)
    assert ordcut.diff(saved[1], saved[0], SCORES + 0.3, LABELS).fitted == "old"
    given = ordcut.diff(OLD, OLD)
    assert (given.changed, given.shifts.tolist()) == (None, [0, 0])
    assert "not known" in str(given)


def test_worse_thresholds_have_an_exit_code():
    far = ordcut.Thresholds.from_values([3, 4], CLASSES)
    assert ordcut.diff(OLD, far, SCORES, LABELS, objective="absolute").exit_code == 3
    assert (
        "surely worse" in ordcut.diff(OLD, far, SCORES, LABELS, objective="absolute")._repr_html_()
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": None}, "labels must be given with scores"),
        ({"tolerance": -1}, "tolerance must be a number that is not negative"),
        ({"max_changed": 2}, "max_changed must be a number from 0 to 1"),
        ({"cost_per_change": "1"}, "cost_per_change must be a number"),
        ({"cost_per_change": 1, "objective": "kappa"}, "Limit the changed labels instead"),
        ({"cost_per_change": 1, "smoothing": 0.5}, "Leave out one of them"),
        ({"constraints": ["recall 2 >= 0.9 where F"]}, "which update does not know"),
        ({"scores": SCORES[:9], "labels": LABELS[:9]}, "at least 20 rows"),
        ({"thresholds": "cuts.json"}, "thresholds must be a Thresholds, got str"),
        ({"objective": None, "thresholds": OLD}, "objective must be given"),
    ],
)
def test_mistakes_are_named(options, message):
    given = {"thresholds": OLD, "scores": SCORES, "labels": LABELS, "objective": "absolute"}
    with pytest.raises((TypeError, ValueError), match=message):
        ordcut.update(**given | options)


@pytest.mark.parametrize("function", [ordcut.update, ordcut.gate, ordcut.judge])
def test_bands_of_an_outcome_are_not_judged_by_labels(function):
    bands = ordcut.optimal_bands(SCORES, LABELS > 1)
    saved = ordcut.Bands.from_json(bands.to_json())
    for each in (bands, saved):
        with pytest.raises(ValueError, match="Find the bands of new rows with ordcut"):
            function(each, SCORES, LABELS > 1)
    assert ordcut.diff(bands, saved).changed == 0


def test_rows_that_thresholds_were_found_on_are_refused():
    saved = ordcut.Thresholds.from_json(ordcut.optimal_thresholds(SCORES, LABELS).to_json())
    order = RNG.permutation(400)
    with pytest.raises(ValueError, match="other rows than the thresholds were found on"):
        ordcut.update(saved, SCORES[order], LABELS[order])
    assert ordcut.update(saved, SCORES[1:], LABELS[1:]).outcome == "keep"


def test_scores_on_another_scale_are_a_warning():
    saved = ordcut.Thresholds.from_json(ordcut.optimal_thresholds(SCORES, LABELS).to_json())
    with pytest.warns(ordcut.DifferentScaleWarning):
        ordcut.update(saved, 100 * SCORES, LABELS)


def test_limits_of_change_are_named_where_they_cannot_hold():
    with pytest.raises(ordcut.InfeasibleConstraintsError, match="max_changed: share 1 or higher"):
        ordcut.update(
            OLD, SCORES, LABELS, objective="absolute", constraints=["recall 2 >= 1"],
            max_changed=0.01,
        )  # fmt: skip


def test_tables_and_thresholds_must_fit_together():
    table = ordcut.ScoreTable([1, 2], [0, 1])
    with pytest.raises(ValueError, match="Make it with classes="):
        ordcut.update(OLD, table, objective="absolute")
    with pytest.raises(TypeError, match="the ScoreTable holds them"):
        ordcut.diff(OLD, OLD, table, LABELS, objective="absolute")
    with pytest.raises(ValueError, match="must have the same classes"):
        ordcut.diff(OLD, ordcut.Thresholds.from_values([1], [0, 1]))
    with pytest.raises(TypeError, match="scores must be given"):
        ordcut.diff(OLD, OLD, labels=LABELS)
