"""The tables of the documentation are those of the results, and so are the sentences about them."""

import polars as pl
import pytest

from benchmarks import claims
from benchmarks.boosting.summary import ratios, risks_by_split


@pytest.mark.parametrize("page", claims.PAGES, ids=lambda page: page.name)
def test_the_tables_of_a_page_are_made_from_the_results(page):
    text = page.read_text(encoding="utf-8")
    assert "<!-- table: " in text
    assert claims.with_tables(text) == text, "run python -m benchmarks.claims"


def test_every_table_is_shown_once():
    text = "".join(page.read_text(encoding="utf-8") for page in claims.PAGES)
    assert [text.count(f"<!-- table: {name} -->") for name in claims.CLAIMS] == [1] * len(
        claims.CLAIMS
    )


def test_the_sentences_about_rows_needed_are_true():
    results = claims.read("rows_needed")

    def most(rows, column):
        return results.filter(pl.col("n") == rows)[column].max()

    assert most(200, "smoothed") <= most(1000, "plain")
    right = 1 - results.filter(pl.col("K") == 5, pl.col("objective") == "zero_one")["best"][0]
    page = (claims.ROOT / "docs" / "rows_needed.md").read_text(encoding="utf-8")
    assert f"{right:.0%}".replace("%", " %") + " of the rows of five classes right" in page
    ratio = most(50, "plain") / most(5000, "plain")
    assert 0.5 < ratio / 100 ** (2 / 3) < 2  # a cube-root law: eight times the rows, a quarter


def test_sentences_of_the_summary_are_true():
    engines = claims.read("frames/engines")
    seven = engines.filter(pl.col("objective") == "absolute", pl.col("rows") == 10**7)["over plain"]
    assert (f"{seven.min():.0f}", f"{seven.max():.0f}") == ("4", "7")
    assert claims.read("exactness")["wrong"].sum() == 0
    guarantees = claims.read("guarantees")
    assert (guarantees["broken"] <= guarantees["allowed"]).all()
    for name in ("kappas", "segments"):
        _, ours, *others = claims.CLAIMS[name]()
        assert ours[0] == "ordcut"
        assert all(int(row[1]) <= int(ours[1]) for row in others)


def says(page, sentence):
    """Whether a page of the documentation has a sentence, whatever its lines."""
    text = (claims.ROOT / "docs" / page).read_text(encoding="utf-8")
    return sentence in " ".join(text.split())


def test_the_sentences_about_engines_are_true():
    engines = claims.read("frames/engines").filter(pl.col("objective") == "absolute")

    def over(engine, rows):
        row = engines.row(
            by_predicate=(pl.col("engine") == engine) & (pl.col("rows") == rows), named=True
        )
        return f"{row['over plain']:.1f}", f"{row['peak of the process, MiB']:.0f}"

    (duckdb, duckdb_peak), (polars, polars_peak) = over("duckdb", 10**8), over("polars", 10**8)
    assert says("cluster.md", f"DuckDB takes {duckdb} times as long as a plain group-by")
    assert says("cluster.md", f"and Polars {polars} times, with a peak of {duckdb_peak} and")
    assert says("cluster.md", f"{polars_peak} MiB for the whole process")
    spark, dask = over("spark", 10**7)[0], over("dask", 10**7)[0]
    assert says("cluster.md", f"Spark takes {spark} and Dask {dask} times as long")


def test_the_sentences_about_judges_are_true():
    gate = claims.read("judges/judge_gate")
    false, true = ((100 * gate.filter(pl.col("shift") == x)["alarms"]).sort() for x in (0.0, 0.3))
    assert says("judges.md", f"in {true[1]:.0f} to {true[-1]:.0f} % of months")
    assert says("judges.md", f"five of six real tasks ({true[0]:.0f} % on the sixth)")
    assert says("judges.md", f"false alarm in {false[0]:.0f} to {false[-1]:.0f} % of months")
    fairness = claims.read("judges/agreement_fairness")
    low, high = fairness["difference"].min(), fairness["difference"].max()
    assert says("judges.md", f"[between {low:.3f} and {high:.3f}]")
    assert says("judges.md", f"by the pooled chance it is up to {fairness['pooled'].max():.3f}")
    intervals = claims.read("judges/agreement_intervals").select(
        "people with people", "judge with people"
    )
    least, most = intervals.min_horizontal().min(), intervals.max_horizontal().max()
    assert says("judges.md", f"[{100 * least:.0f} to {100 * most:.0f} % of them]")


def test_the_sentences_about_searches_for_macro_f1_are_true():
    _, *rows = claims.CLAIMS["segments"]()
    reached, short = ({row[0]: row[column] for row in rows} for column in (1, 2))
    other = "optimal-classification-cutoffs"
    assert (reached["coordinate ascent"], reached[other]) == ("8", "3")
    assert says("imbalanced.md", f"on eight and missed it by up to {short['coordinate ascent']}")
    assert says("imbalanced.md", f"three and missed it by up to {short[other]}")
    assert (reached["Powell"], reached["Nelder-Mead"]) == ("0", "0")
    assert says("imbalanced.md", f"missed it by up to {float(short['Nelder-Mead']):.2f}.")


def test_the_sentences_about_the_time_of_limits_are_true():
    _, under, loose, *_ = claims.CLAIMS["limits"]()
    assert says("decisions.md", f"with a convex objective take {under[1]} times as long")
    assert says("decisions.md", f"this takes {under[1]} times as long")
    assert says("decisions.md", f"that do not bind take {loose[1]} times as long as none")


def test_promises_about_precisions_groups_and_populations_are_kept():
    promises = claims.read("promises")
    assert (promises["excess"] <= 3).all()
    assert (promises["data sets"] == 2000).all()


def test_the_sentences_about_accepted_rows_are_true():
    results = claims.read("accepted")
    rules = results.filter(pl.col("rule") != "known population")
    error = (rules["allowed"] * (1 - rules["allowed"]) / rules["data sets"]).sqrt()
    assert (rules["broken"] <= rules["allowed"] + 3 * error).all()
    by_rule = rules.pivot(on="rule", index=["higher class", "n", "precision"], values="accepted")
    assert says("comparison.md", f"in any of {len(by_rule)} settings")
    assert (by_rule["BARGAIN"] <= by_rule["ordcut"]).all()
    assert (by_rule["MAPIE, bonferroni_holm"] <= by_rule["ordcut"]).all()
    more = by_rule.filter(pl.col("MAPIE, fixed_sequence") > pl.col("ordcut"))
    assert more["n"].to_list() == [5000, 5000]
    assert says("comparison.md", f"no more in the other {len(by_rule) - len(more)}")
    excess = 100 * (more["MAPIE, fixed_sequence"] / more["ordcut"] - 1)
    assert {f"{value:.0f}" for value in excess} == {"1"}


def test_the_sentences_about_mapie_are_true():
    results = claims.read("risk_control")
    assert results["worse"].sum() == 0
    assert len(results.select("higher class", "n", "limit").unique()) == 18
    both = results.drop_nulls(["error", "MAPIE's error"])
    more = {
        str(method): 100 * (group["MAPIE's error"] / group["error"] - 1)
        for (method,), group in both.group_by("MAPIE's method")
    }
    default, ordered = more["bonferroni_holm"], more["fixed_sequence"]
    assert says("comparison.md", f"{default.mean():.0f} % more on average by its default method")
    assert says("comparison.md", f"which found thresholds for {len(default)} of them")
    assert says("comparison.md", f"and {ordered.mean():.0f} % more by tests in a fixed order")


def test_the_sentences_about_likelihood_are_true():
    results = claims.read("generalisation/reporting").pivot(
        on="labeling", index=["dataset", "scores", "objective"], values="risk"
    )
    worst = results.filter(pl.col("dataset") == "sat_act", pl.col("scores") == "linear")
    more = 100 * (worst["likelihood"] / worst["smoothed"] - 1)
    span = f"{more.min():.0f} to {more.max():.0f} % higher than with smoothed thresholds"
    assert says("labelings.md", span)
    assert says("smoothing_measured.md", span)
    less = 100 * (results["smoothed"] / results["likelihood"] - 1).max()
    text = f"at most {less:.1f} % worse than likelihood in each of the {len(results)} combinations"
    assert says("smoothing_measured.md", text)


def test_the_sentences_about_bands_are_true():
    results = claims.read("bands").filter(pl.col("problem") == "breast cancer")
    loss = dict(results.select("method", "log loss").rows())
    others = [name for name in loss if not name.startswith("no bands")]
    assert all(loss["no bands: straight line"] < loss[name] for name in others)
    assert loss["five quantiles"] < loss["bands, number chosen"]
    assert results["lower than optbinning"].drop_nulls().to_list() == [0, 0]


def test_the_sentences_about_boosted_models_are_true():
    page = (claims.ROOT / "docs" / "boosting.md").read_text(encoding="utf-8")
    risks = claims.model_risks(("LightGBM", "L2"))
    start = risks["LightGBM", "weighted average of link and multiclass"]
    assert f"[{1 - start['MAE']:.0%} less absolute error]".replace("%", " %") in page
    assert f"over {start['sets']} data sets" in page
    assert start["worst"] <= 1.03
    small, link = (risks["LightGBM", name] for name in ("L2, small trees", "link, mean class"))
    assert small["MAE"] < link["MAE"] + 0.005
    errors = [row[f"{name}, error"] for row in risks.values() for name in claims.NAMES.values()
              if row["library"] == "LightGBM" and row["method"] != "L2"]  # fmt: skip
    assert min(errors) > 0.0035
    assert max(errors) < 0.025
    single = [risks["LightGBM", name]["MAE"] for name in (
        "L2", "L2, small trees", "link, mean class", "multiclass, mean class",
        "multiclass, small trees, mean class")]  # fmt: skip
    assert start["MAE"] < min(single)
    ogboost = risks["none", "OGBoost, expected cost"]
    assert [ogboost[name] < start[name] for name in claims.NAMES.values()] == [0, 1, 0, 0]
    by_cost = claims.model_risks(("LightGBM", "multiclass, small trees, expected cost"))
    best = by_cost["LightGBM", "weighted average of link and multiclass"]
    assert all(best[name] < 1 for name in claims.NAMES.values())
    assert min(claims.NAMES.values(), key=best.__getitem__) == "1 - QWK"
    assert by_cost["LightGBM", "L2"]["MAE"] > 0.98
    rows = claims.read("boosting/reporting").filter(pl.col("library") == "XGBoost")
    twins = claims.model_risks(("XGBoost", "L2"), rows.to_dicts())
    mean = twins["XGBoost", "weighted average of link and multiclass"]
    multiclass = twins["XGBoost", "multiclass, small trees, mean class"]
    assert f"on {mean['sets']} of the sets" in page
    assert mean["worst"] < multiclass["worst"]


def test_the_sentences_about_trees_and_other_packages_are_true():
    page = (claims.ROOT / "docs" / "boosting.md").read_text(encoding="utf-8")
    rows = claims.read("boosting/choosing").to_dicts()
    free = ("LightGBM", "link, no least Hessians")
    link = claims.model_risks(free, rows)["LightGBM", "link, mean class"]
    assert f"by {100 * (1 - link['MAE']):.1f} % on average ([{link['sets']} data sets]" in page
    ratio = ratios(risks_by_split(rows), ("LightGBM", "link, mean class"), ("LightGBM", "L2"),
                   "absolute")["balance_scale"]  # fmt: skip
    assert f"{100 * (1 - ratio):.0f} % of the MAE on *balance_scale*" in page
    times = dict(claims.read("boosting/rivals").select("package", "over ordcut").rows())
    for name in ("OGBoost", "gbnet", "XGBOrdinal"):
        assert f"{name} " in page
        assert f" {times[name]:.0f} times" in page
