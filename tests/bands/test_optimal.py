import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordcut
from tests.bands.problems import OBJECTIVES, check, check_in_cells


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**31))
def test_no_cuts_are_better(seed):
    check(seed)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**31))
def test_no_cuts_are_better_where_cuts_are_searched_in_cells(seed):
    check_in_cells(seed)


def make_rows(n, seed=0, *, kind="yes or no"):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n)
    rate = 1 / (1 + np.exp(2 - scores))
    if kind == "yes or no":
        return scores, rng.random(n) < rate
    if kind == "counts":
        return scores, rng.poisson(3 * rate)
    return scores, scores + rng.normal(size=n)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("constraints", [[], ["share >= 0.1"]], ids=["free", "share"])
def test_neither_the_order_of_rows_nor_how_repeats_are_written_matters(objective, constraints):
    kind = {"poisson": "counts", "squared_error": "numbers"}.get(objective, "yes or no")
    scores, outcome = make_rows(300, kind=kind)
    scores = scores.round(1)
    weights = np.random.default_rng(1).integers(0, 3, 300)
    options = {"n_bands": 4, "objective": objective, "constraints": constraints}
    bands = ordcut.optimal_bands(scores, outcome, sample_weight=weights, **options)
    order = np.random.default_rng(2).permutation(np.repeat(np.arange(300), weights))
    repeated = ordcut.optimal_bands(scores[order], outcome[order], **options)
    np.testing.assert_array_equal(repeated.thresholds, bands.thresholds)
    assert repeated.value == pytest.approx(bands.value, rel=1e-12)
    pd.testing.assert_frame_equal(repeated.table(), bands.table(), rtol=1e-12)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_value_is_what_the_bands_of_new_predictions_reach(objective):
    kind = {"poisson": "counts", "squared_error": "numbers"}.get(objective, "yes or no")
    scores, outcome = make_rows(2000, kind=kind)
    bands = ordcut.optimal_bands(scores, outcome, n_bands=4, objective=objective)
    labels = bands.predict(scores)
    rates = pd.Series(outcome).astype(float).groupby(labels).transform("mean").to_numpy()
    if objective == "log_loss":
        value = -np.log(np.where(outcome, rates, 1 - rates)).mean()
    elif objective == "squared_error":
        value = ((outcome - rates) ** 2).mean()
    elif objective == "poisson":
        from sklearn.metrics import mean_poisson_deviance

        value = mean_poisson_deviance(outcome, rates)
    elif objective == "gini":
        from sklearn.metrics import roc_auc_score

        value = 2 * roc_auc_score(outcome, labels) - 1
    else:
        value = bands.table()["information_value"].sum()
    assert bands.value == pytest.approx(value, rel=1e-9)
    np.testing.assert_allclose(bands.rates, np.unique(rates), rtol=1e-12)


def test_squared_errors_of_scores_themselves_are_those_of_one_dimensional_clusters():
    from sklearn.cluster import KMeans

    scores = np.concatenate([np.random.default_rng(k).normal(5 * k, 1, 40) for k in range(4)])
    bands = ordcut.optimal_bands(scores, scores, n_bands=4)
    clusters = KMeans(4, n_init=5, random_state=0).fit(scores[:, None])
    assert bands.value == pytest.approx(clusters.inertia_ / len(scores))


def test_rates_fall_where_a_higher_score_is_better():
    scores, outcome = make_rows(500)
    rising = ordcut.optimal_bands(scores, outcome, n_bands=3)
    falling = ordcut.optimal_bands(-scores, outcome, n_bands=3)
    assert rising.checks()["rates"] == "rising"
    assert falling.checks()["rates"] == "falling"
    np.testing.assert_allclose(falling.thresholds, -rising.thresholds[::-1])


def test_many_rows_within_limits_get_a_bound_that_holds():
    scores, outcome = make_rows(20_000)
    free = ordcut.optimal_bands(scores, outcome, n_bands=4)
    limited = ordcut.optimal_bands(
        scores, outcome, n_bands=4, constraints=["share >= 0.15", "rate gap >= 0.02"]
    )
    table = limited.table()
    assert (table["rows"] >= 3000).all()
    assert (np.diff(table["rate"]) >= 0.02).all()
    coarse = ordcut.optimal_bands(
        scores.round(2), outcome, n_bands=4, constraints=["share >= 0.15", "rate gap >= 0.02"]
    )
    assert coarse.proof.verified == "pairs"
    assert free.value <= limited.value <= coarse.value + 1e-5
    [share, gap] = limited.constraints
    assert share.reached == pytest.approx(table["share"].min())
    assert gap.reached == pytest.approx(np.diff(table["rate"]).min())
    assert share.cost > 0


def test_bands_that_were_not_found_among_too_many_cuts_are_not_said_to_be_impossible():
    rng = np.random.default_rng(0)
    scores, outcome = rng.random(9000), rng.random(9000) < 0.5
    with pytest.raises(ordcut.InfeasibleConstraintsError, match="This is not proved"):
        ordcut.optimal_bands(
            scores, outcome, n_bands=7, rates="rising", constraints=["share >= 0.13"]
        )


def test_repeats_give_the_same_number_of_bands_as_rows():
    scores, outcome = make_rows(2000)
    scores = scores.round(1)
    groups, counts = np.unique(np.stack([scores, outcome]), axis=1, return_counts=True)
    bands = ordcut.optimal_bands(scores, outcome)
    repeated = ordcut.optimal_bands(*groups, sample_weight=counts)
    np.testing.assert_array_equal(repeated.thresholds, bands.thresholds)
    pd.testing.assert_frame_equal(repeated.path.to_frame(), bands.path.to_frame(), rtol=1e-9)


def test_thresholds_are_round_fixed_or_apart_as_limits_say():
    scores, outcome = make_rows(400)
    bands = ordcut.optimal_bands(scores, outcome, n_bands=3, constraints=["digits 1"])
    np.testing.assert_array_equal(bands.thresholds, bands.thresholds.round(1))
    bands = ordcut.optimal_bands(scores, outcome, n_bands=3, constraints=["fixed 1 0.5"])
    assert bands.thresholds[1] == 0.5
    bands = ordcut.optimal_bands(
        scores,
        outcome,
        n_bands=4,
        constraints=["gap >= 0.75", ordcut.Share("every", at_least=0.05)],
    )
    assert (np.diff(bands.thresholds) >= 0.75).all()
    bands = ordcut.optimal_bands(scores, outcome, n_bands=3, constraints=["allowed -1 0 1 2"])
    assert set(bands.thresholds) <= {-1.0, 0.0, 1.0, 2.0}


def test_an_error_names_the_conflict_and_the_nearest_limit():
    scores, outcome = make_rows(500)
    with pytest.raises(
        ordcut.InfeasibleConstraintsError, match="n_bands can be at most 4"
    ) as error:
        ordcut.optimal_bands(
            scores, outcome, n_bands=5, constraints=["share >= 0.22", "events >= 1"]
        )
    assert error.value.constraints == ["share >= 0.22"]
    nearest = error.value.nearest["share >= 0.22"]
    ordcut.optimal_bands(scores, outcome, n_bands=5, constraints=[f"share >= {nearest}"])


def test_the_number_of_bands_of_a_step_function_is_found():
    rng = np.random.default_rng(0)
    scores = rng.uniform(size=6000)
    outcome = rng.random(6000) < np.array([0.05, 0.2, 0.5])[np.digitize(scores, [0.3, 0.8])]
    bands = ordcut.optimal_bands(scores, outcome)
    assert len(bands.classes) == bands.path.best == 3
    np.testing.assert_allclose(bands.thresholds, [0.3, 0.8], atol=0.02)
    low, high = bands.bootstrap(n=60).intervals().T
    assert ((low < [0.3, 0.8]) & (high > [0.3, 0.8])).all()
    shuffled = rng.permutation(6000)
    again = ordcut.optimal_bands(scores[shuffled], outcome[shuffled])
    np.testing.assert_array_equal(again.path.held_out, bands.path.held_out)


def test_intervals_are_those_of_statsmodels():
    from scipy.stats import chi2
    from statsmodels.stats.proportion import proportion_confint

    scores, outcome = make_rows(1000)
    table = ordcut.optimal_bands(scores, outcome, n_bands=3).table()
    low, high = proportion_confint(table["events"], table["rows"], method="wilson")
    np.testing.assert_allclose(table[["low", "high"]], np.stack([low, high], axis=1))
    scores, counts = make_rows(1000, kind="counts")
    table = ordcut.optimal_bands(scores, counts, exposure=np.full(1000, 0.5), n_bands=3).table()
    exact = np.stack(
        [chi2.ppf(0.025, 2 * table["events"]), chi2.ppf(0.975, 2 * table["events"] + 2)]
    )
    np.testing.assert_allclose(table[["low", "high"]], (exact / 2 / table["exposure"].to_numpy()).T)


@pytest.mark.parametrize("kind", ["yes or no", "counts", "numbers"])
def test_saved_bands_have_their_table_and_are_thresholds(kind, tmp_path):
    scores, outcome = make_rows(500, kind=kind)
    objective = "poisson" if kind == "counts" else None
    bands = ordcut.optimal_bands(
        scores, outcome, n_bands=3, objective=objective, names=["A", "B", "C"],
        constraints=["share A >= 0.2", "digits 2"],
    )  # fmt: skip
    bands.to_json(tmp_path / "bands.json")
    loaded = ordcut.Bands.from_json(tmp_path / "bands.json")
    assert loaded == bands
    pd.testing.assert_frame_equal(loaded.table(), bands.table())
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(bands)).table(), bands.table())
    plain = ordcut.Thresholds.from_json(tmp_path / "bands.json")
    np.testing.assert_array_equal(plain.predict(scores), bands.predict(scores))
    assert loaded.drift(scores).outcome == "stable"
    assert "WHEN" in loaded.to_sql("score")
    assert bands.table(backend="polars")["band"].to_list() == ["A", "B", "C"]
    with pytest.raises(ValueError, match="needs the rows"):
        loaded.bootstrap()
    with pytest.raises(TypeError, match="no true classes"):
        bands.near_optimal()


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([1, 2, 3], ["yes", "no", "no"]), {}, "pass a comparison"),
        (([1, 2, 3], [0, 1, None]), {}, "must not be missing"),
        (([1, 2, 3], [0, 1, np.nan]), {}, "must be finite"),
        (([1, 2, np.inf], [0, 1, 1]), {}, "must be finite"),
        (([1, 2, 3], [0, 1]), {}, "one number for each of the 3 rows"),
        (([1, 1, 1], [0, 1, 1]), {}, "scores must differ"),
        (([1, 2, 3], [1, 1, 1]), {}, "outcome must differ"),
        (([1, 2, 3], [0, 1e200, 1]), {}, "at most 1e\\+100"),
        (([1, 2, 3], np.ma.masked_array([0, 1, 1], [0, 0, 1])), {}, "must not be masked"),
        (([1, 2, 3], [0, 1, 1]), {"sample_weight": [0, 0, 0]}, "must not be 0 in every row"),
        (([1, 2, 3, 4], [0, 0, 1, 1]), {"n_bands": 2, "objective": "information_value"},
         "with an event and a row without"),
        (([1, 2, 3], [0, 1, 2]), {"objective": "log_loss"}, "must be 0 or 1"),
        (([1, 2, 3], [0, 1, -2]), {"objective": "poisson"}, "must not be negative"),
        (([1, 2, 3], [0, 1, 2]), {"exposure": [1, 0, 1]}, "above 0 in every row"),
        (([1, 2, 3], [0, 1, 1]), {"exposure": [1, 1, 1], "objective": "gain"}, "objective must be"),
        (([1, 2, 3], [0, 1, 1]), {"n_bands": 1}, "from 2 on"),
        (([1, 2, 3], [0, 1, 1]), {"n_bands": 3}, "n_bands must be at most 2"),
        (([1, 2, 3], [0, 0, 1]), {"n_bands": 2, "rates": "falling"}, "no bands have rates"),
        (([1, 2, 3], [0, 0, 1]), {"n_bands": 2, "names": ["a"]}, "names must be 2 names"),
        (([1, 2, 3], [0, 0, 1]), {"n_bands": 2, "constraints": "recall 1 >= 0.5"}, "no true class"),
        (([1, 2, 3], [0, 0, 1]), {"n_bands": 2, "constraints": "share c >= 0.5"}, "name a band"),
        (([1, 2, 3], [0, 0, 1]), {"n_bands": 2, "constraints": "share >= 1.5"}, "from 0 to 1"),
        (([1, 2, 3], [0, 0, 1]), {"n_bands": 2, "constraints": "rate gap <= 0.1"}, "lower limit"),
        (([1, 2, 3], [0, 0, 1]), {"n_bands": 2, "rates": "any", "objective": "gini"}, "no Gini"),
    ],
)  # fmt: skip
def test_mistakes_are_explained(arguments, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        ordcut.optimal_bands(*arguments, **options)


def test_the_table_says_what_validation_asks():
    scores, outcome = make_rows(1000)
    bands = ordcut.optimal_bands(scores, outcome, n_bands=6)
    table, checks = bands.table(), bands.checks()
    np.testing.assert_allclose(table["step"][1:], np.diff(table["rate"]))
    assert table["squared_share"].sum() == pytest.approx(checks["concentration"])
    touch = (table["low"] <= table["high"].shift()) & (table["low"].shift() <= table["high"])
    assert table["overlaps"].tolist() == touch.tolist()
    assert [high for _, high in checks["overlapping"]] == table["band"][touch].tolist()


def test_columns_of_frames_and_hard_scores_are_taken_as_they_are():
    scores, outcome = make_rows(300)
    bands = ordcut.optimal_bands(scores, outcome, n_bands=3)
    frame = pd.DataFrame({"s": scores, "y": outcome})
    own = [
        ordcut.optimal_bands(frame["s"], frame["y"], n_bands=3),
        ordcut.optimal_bands(pl.Series(scores), pl.Series(outcome.astype(int)), n_bands=3),
        ordcut.optimal_bands(scores.tolist(), outcome.tolist(), n_bands=3),
    ]
    assert all(each == bands for each in own)
    sharp = 1 / (1 + np.exp(-15 * scores))
    for hard in (sharp, sharp.astype(np.float32), np.where(scores < 0, 0, scores)):
        labels = ordcut.optimal_bands(hard, outcome, n_bands=3).predict(hard)
        assert set(labels) == {1, 2, 3}
