"""The tables of the documentation, one for each claim, made from the files of results.

`python -m benchmarks.claims` writes them anew into the pages. A table follows a line
`<!-- table: name -->`; a test compares all of them with the results.
"""

import re
from collections.abc import Callable
from pathlib import Path

import polars as pl

from benchmarks.boosting.summary import NAMES, geometric_mean, summarise

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "docs" / name
    for name in ("boosting.md", "measurements.md", "production.md", "rows_needed.md", "bands.md")
]
MARK = re.compile(r"(<!-- table: (\w+) -->\n)\n*(?:\|.*\n)*\n*")

#: A table as the texts of its cells, the header first.
Cells = list[list[str]]


def read(name: str) -> pl.DataFrame:
    """Return a file of results by its path below ``benchmarks``, without the folder's name."""
    folder, _, file = name.rpartition("/")
    return pl.read_csv(ROOT / "benchmarks" / folder / "results" / f"{file}.csv")


def rows_needed() -> Cells:
    """More loss than the best thresholds, smoothed and plain, by classes, objective and rows."""
    results = read("rows_needed").filter(pl.col("n") != 2_000)
    sizes = results["n"].unique().sort().to_list()
    names = {
        "absolute": "absolute loss", "zero_one": "zero-one loss",
        "quadratic_kappa": "quadratic kappa", "macro_f1": "macro-F1",
    }  # fmt: skip
    cells = [["classes", "objective", *(f"{n} rows" for n in sizes)]]
    for (n_classes, objective), group in results.group_by("K", "objective", maintain_order=True):
        if (n_classes, objective) != (2, "zero_one"):  # the absolute loss of two classes
            values = group.select("smoothed", "plain").rows()
            shown = [f"{smoothed:.1f} ({plain:.1f})" for smoothed, plain in values]
            cells.append([str(n_classes), names[str(objective)], *shown])
    return cells


def exactness() -> Cells:
    """Wrong results among those that a brute force in fractions checked."""
    shown = {
        "additive": "losses and cost matrices", "kappa": "kappas", "constraints": "limits",
        "row costs": "costs of each row", "balanced": "balanced classes",
        "gaps": "gaps between thresholds",
        "scores with class weights": "scores with class weights",
        "near-optimal ranges within limits": "near-optimal ranges within limits",
        "costs of constraints": "costs of constraints",
        "limits for groups": "limits for groups, also in engines",
        "populations": "class shares of a population, also in engines",
        "bands": "bands of an outcome", "bands in cells": "bands of an outcome, in cells",
    }  # fmt: skip
    rows = read("exactness").select("problems", "solved", "results", "wrong").rows()
    return [
        ["problems", "solved", "results compared", "wrong"],
        *([shown[name], *(f"{count:,}".replace(",", " ") for count in counts)]
          for name, *counts in rows),
    ]  # fmt: skip


def speed() -> Cells:
    """The time of whole calls over a sort of the scores, on one thread."""
    objectives = "(absolute|squared|random convex matrix|zero_one|quadratic.kappa)"
    works = {
        "10^7 rows": rf"(absolute, K = 10|{objectives}, float64), n = 10000000",
        "10^7 rows, zero-one loss of ten classes": "zero_one, float32, K = 10, n = 10000000",
        "10^7 rows, fractional weights": "absolute, float weights, float64, n = 10000000",
        "10^6 rows": rf"{objectives}, (K = (5|10)|float64), n = 1000000",
        "10^6 rows, fractional weights or text labels":
            "absolute, (float weights|text labels), float64, n = 1000000",
        "10^5 rows": rf"{objectives}, float64, n = 100000",
        "50 000 to 148 000 rows, 26 to 55 classes": "absolute, (MORPH-2|CACD|AFAD)",
        "the same, zero-one loss": "zero_one, (MORPH-2|CACD|AFAD)",
    }  # fmt: skip
    tables = [read(name).select("work", "value") for name in ("headline", "inputs")]
    results = pl.concat(tables)
    cells = [["rows and classes", "times as long as the sort"]]
    for name, pattern in works.items():
        values = results.filter(pl.col("work").str.contains(f"^{pattern}$"))["value"]
        cells.append([name, between(values, ".1f")])
    kinds = read("distributions").filter(pl.col("K") == 5, pl.col("weights").is_null())
    for n, objective, name in (
        (10**6, "absolute", "10^6 rows with other scores: sharp, heavy tails, outliers, ties"),
        (10**6, "zero_one", "the same, zero-one loss"),
        (10**4, "absolute", "10^4 rows with such scores"),
    ):
        group = kinds.filter(pl.col("n") == n, pl.col("objective") == objective)
        cells.append([name, between(group["auto over sort"], ".1f")])
    return cells


def gains() -> Cells:
    """The value on new rows by each rule, for all data sets."""
    patterns = {
        "quadratic kappa": ("quadratic kappa, higher is better", "{:.3f}"),
        "cost": ("cost, lower is better", "{:.2f}"),
        "highest classes too low": ("limit: at most 10 % too low", "{:.0%}"),
    }
    rules = [
        "rounding", "Kaggle's rounder", "rounder from quantiles", "ordcut, likelihood", "ordcut"
    ]  # fmt: skip
    cells = [["measure", "data", "training rows", *rules]]
    results = read("gains")
    for measure, (title, pattern) in patterns.items():
        for row in results.filter(pl.col("measure") == measure).iter_rows(named=True):
            values = [pattern.format(row[rule]).replace("%", " %") for rule in rules]
            cells.append([title, row["data"], str(row["training rows"]), *values])
    return cells


def kappas() -> Cells:
    """How far searches stay below the highest quadratic kappa on real data, and their time."""
    results = read("rivals").filter(pl.col("metric") == "quadratic kappa")
    n_sets = results["data"].n_unique()
    cells = [
        ["search", f"reaches the highest kappa, of {n_sets} sets", "at most below it",
         "times as long as ordcut, median"]
    ]  # fmt: skip
    for (rival,), group in results.group_by("rival", maintain_order=True):
        short = group["short of ordcut"]
        reached = int((short < 1e-9).sum())
        times = "" if rival == "ordcut" else f"{group['time over ordcut'].median():.2g}"
        cells.append([str(rival), str(reached), f"{max(0.0, short.max()):.3f}", plain(times)])
    return cells


def segments() -> Cells:
    """How far searches stay below the highest macro-F1 on real data, and their time."""
    results = read("segments").filter(pl.col("scores") != "normal")
    best = results.filter(pl.col("method") == "ordcut").select("scores", best="value")
    joined = results.join(best, on="scores").with_columns(short=pl.col("best") - pl.col("value"))
    cells = [
        ["search", f"reaches the highest macro-F1, of {len(best)} sets", "at most below it",
         "times as long as ordcut, median"]
    ]  # fmt: skip
    for (method,), group in joined.group_by("method", maintain_order=True):
        times = "" if method == "ordcut" else f"{group['over ordcut'].median():.2g}"
        reached = int((group["short"] < 1e-9).sum())
        cells.append([str(method), str(reached), f"{group['short'].max():.3f}", plain(times)])
    return cells


def limits() -> Cells:
    """The time of limits, over calls without them."""
    results = read("limits/limits").filter(pl.col("over").is_in(["auto", "dp"]))
    names = {
        "under, one threshold": "`under` on one threshold",
        "does not bind": "a limit that does not bind",
        "recall of every class": "a recall of every class",
        "share of every class": "a share of every class",
        "precision of every class": "a precision of every class",
    }
    cells = [["limits", "times as long as without", "by", "time for 10^6 rows of 5 classes"]]
    for (limit,), group in results.group_by("limits", maintain_order=True):
        million = group.filter(pl.col("n") == 10**6)["seconds"].item()
        ratio, method = between(group["ratio"], ".1f"), f'`method="{group["over"][0]}"`'
        cells.append([names[str(limit)], ratio, method, f"{1000 * million:.0f} ms"])
    return cells


def engines() -> Cells:
    """The time of thresholds in engines over a plain group-by."""
    results = read("frames/engines").filter(pl.col("objective") == "absolute")
    return [
        ["engine", "rows", "times as long as a plain group-by", "passes", "rows that leave it"],
        *(
            [
                {"duckdb": "DuckDB", "polars": "Polars", "dask": "Dask", "spark": "Spark"}[name],
                f"10^{len(str(n)) - 1}", f"{over:.1f}", str(passes), f"{share:.1f} %",
            ]
            for name, n, over, passes, share in results.select(
                "engine", "rows", "over plain", "passes", "rows out, %"
            ).rows()
        ),
    ]  # fmt: skip


def coverage() -> Cells:
    """How often 95 % intervals contain the true value, over all populations."""
    results = read("coverage").filter(pl.col("interval") == "m of n")
    cells = [["rows", "best thresholds: mean", "lowest of 20 designs", "value on new rows: lowest"]]
    for (n,), group in results.group_by("n", maintain_order=True):
        shares = [group["thresholds"].mean(), group["thresholds"].min(), group["value"].min()]
        cells.append([str(n), *(f"{share:.0%}".replace("%", " %") for share in shares)])
    return sorted(cells[:1]) + sorted(cells[1:], key=lambda row: int(row[0]))


def intervals() -> Cells:
    """How often 95 % intervals of given thresholds contain the true value, by kind of rows."""
    results = read("intervals")
    kinds = {
        "recall, precision, F1, share": pl.col("interval").is_in(
            ["share", "recall", "precision", "f1"]
        ),
        "values": pl.col("interval").str.starts_with("value"),
        "differences": pl.col("interval").str.starts_with("difference"),
        "bootstrap": pl.col("interval").str.starts_with("bootstrap"),
    }
    cells = [["rows", "groups", "correlation", *kinds, "without `groups=`"]]
    designs = results.group_by("rows", "groups", "correlation", maintain_order=True)
    for (n, n_groups, shared), design in designs:
        shown = []
        for kind in kinds.values():
            rows = design.filter(kind)
            lowest, mean = rows["lowest"].min(), rows["coverage"].mean()
            shown.append(f"{100 * mean:.0f} % ({100 * lowest:.0f} %)")
        ignored = f"{100 * design['without groups'].min():.0f} %" if n_groups else ""
        of_groups = [str(n_groups), f"{shared:g}"] if n_groups else ["", ""]
        cells.append([str(n), *of_groups, *shown, ignored])
    return cells


def guarantees() -> Cells:
    """How often limits with a confidence were broken on the population, by what is allowed."""
    results = read("guarantees")
    cells = [["allowed", "designs", "data sets", "broken on average", "broken at most"]]
    groups = results.with_columns(pl.col("allowed").round(4)).group_by("allowed")
    for (allowed,), group in sorted(groups, key=lambda pair: pair[0]):
        shares = (allowed, group["broken"].mean(), group["broken"].max())
        risk, mean, most = (f"{100 * share:.1f} %" for share in shares)
        cells.append([risk, str(len(group)), str(group["data sets"].sum()), mean, most])
    return cells


def promises() -> Cells:
    """How often promises about precisions, groups and populations were broken."""
    names = {
        "precision": "a precision", "group": "groups of rows",
        "population": "rates within a class, for another population",
    }  # fmt: skip
    cells = [["limits on", "designs", "data sets", "broken, of what is allowed", "at most"]]
    for (about,), group in read("promises").group_by("limits on", maintain_order=True):
        shares = group["broken"] / group["allowed"]
        mean, most = (f"{100 * share:.0f} %" for share in (shares.mean(), shares.max()))
        cells.append([names[about], str(len(group)), str(group["data sets"].sum()), mean, most])
    return cells


def accepted() -> Cells:
    """The share of rows that is accepted with a promised precision, by rule."""
    results = read("accepted")
    rules = ["ordcut", "MAPIE, fixed_sequence", "MAPIE, bonferroni_holm", "BARGAIN"]
    cells = [["higher class", "promise", "rows", *rules, "known population"]]
    settings = results.group_by("higher class", "n", "precision", "allowed", maintain_order=True)
    for (share, n, precision, allowed), group in settings:
        by_rule = dict(group.select("rule", "accepted").rows())
        if max(by_rule[rule] for rule in rules) > 0.001:
            promise = f"{100 * precision:.0f} % with {100 * (1 - allowed):.0f} %"
            shown = [f"{100 * by_rule[rule]:.1f} %" for rule in (*rules, "known population")]
            cells.append([f"{100 * share:.0f} %", promise, str(n), *shown])
    return cells


def gate() -> Cells:
    """How often the gate says that a judge has changed, on real tasks."""
    results = read("judges/judge_gate")
    calm, shifted = (results.filter(pl.col("shift") == shift) for shift in (0.0, 0.3))
    return [
        ["task", "false alarms", "alarms after a shift of 0.3 standard deviations"],
        *(
            [task, f"{100 * false:.0f} %", f"{100 * true:.0f} %"]
            for task, false, true in zip(
                calm["task"], calm["alarms"], shifted["alarms"], strict=True
            )
        ),
    ]


def scale() -> Cells:
    """How often predictions warn of another scale, for the same distribution and for others."""
    results = read("scale")
    groups = {
        "the same distribution": pl.col("scale") == "same",
        "100 times the scores, or 10 more": pl.col("scale").is_in(["times 100", "plus 10"]),
        "probabilities as logits or logarithms": pl.col("scale").is_in(["logits", "logs"]),
        "other changes of probabilities": pl.col("distribution").is_in(PROBABILITIES),
        "other changes of normal and exponential scores": pl.col("scale") != "same",
    }
    cells = [["new scores", "batches", "with a warning"]]
    for name, is_in in groups.items():
        group = results.filter(is_in)
        low, high = 100 * group["alarms"].min(), 100 * group["alarms"].max()
        shares = f"{low:.0f} %" if low == high else f"{low:.0f} to {high:.0f} %"
        count = f"{group['batches'].sum():,}".replace(",", " ")
        cells.append([name, count, "0" if high == 0 else shares])
        results = results.filter(~is_in)
    return cells


#: The distributions of scores between 0 and 1.
PROBABILITIES = ("uniform", "probabilities", "sharp probabilities")


def drift() -> Cells:
    """How often drift has each outcome, by shift and number of new rows."""
    results = read("drift").filter(pl.col("distribution") == "normal")
    outcomes = ["stable", "undecided", "shifted"]
    rows = results.select("shift", "index", "n", *outcomes).rows()
    return [
        ["shift in standard deviations", "index", "new rows", *outcomes],
        *([f"{shift:g}", f"{index:.2f}", str(n), *map(as_percent, shares)]
          for shift, index, n, *shares in rows),
    ]  # fmt: skip


def updates() -> Cells:
    """How often update keeps and moves, where nothing has changed and where scores have moved."""
    results = read("updates").filter(
        pl.col("smoothing") == "auto", pl.col("old thresholds") != "best"
    )
    kinds = {
        "found": "nothing: found on as many rows",
        "moved 0.25": "moved by 0.25 standard deviations",
        "moved 0.5": "moved by 0.5 standard deviations",
    }
    outcomes = ["keep", "undecided", "move", "wrong"]
    cells = [["what has changed", "rows", *outcomes]]
    for (n,), size in results.group_by("n", maintain_order=True):
        for kind, name in kinds.items():
            group = size.filter(pl.col("old thresholds") == kind)
            shares = [[as_percent(end(group[word])) for end in (min, max)] for word in outcomes]
            cells.append([name, str(n), *(range_of(low, high) for low, high in shares)])
    return cells


def gates() -> Cells:
    """How often the gate of single labels says that something has changed."""
    results = read("gates")
    cells = [["population", "false alarms", *(f"after {shift} sd" for shift in (0.25, 0.5))]]
    for (name,), group in results.group_by("population", maintain_order=True):
        cells.append([str(name), *map(as_percent, group["changed"])])
    return cells


def bands() -> Cells:
    """The log loss on rows not seen and the information value of bands, by method."""
    results = read("bands").filter(pl.col("problem") == "breast cancer")
    header = ["method", "bands", "log loss on new rows", "information value on own rows"]
    lines = [
        [
            row["method"],
            "" if row["bands"] is None else f"{row['bands']:.1f}",
            f"{row['log loss']:.4f}",
            "" if row["information value"] is None else f"{row['information value']:.2f}",
        ]
        for row in results.sort("log loss").iter_rows(named=True)
    ]
    return [header, *lines]


def as_percent(share: float) -> str:
    """Return a share as a percentage; one decimal where it is small."""
    return f"{100 * share:.0f} %" if share == 0 or share >= 0.0995 else f"{100 * share:.1f} %"


def range_of(low: str, high: str) -> str:
    """Return the range between two percentages as text."""
    return low if low == high else f"{low.removesuffix(' %')} to {high}"


def judges() -> Cells:
    """The kappa with people on new items, by rule and number of items."""
    results = read("judges/judge_held_out").rename(lambda name: name.strip('"'))
    rules = ["rounding", "isotonic", "equating", "likelihood", "0", "auto"]
    shown = [*rules[:4], "ordcut, `smoothing=0`", 'ordcut, `smoothing="auto"`']
    rows = results.select("score", "items", *rules).rows()
    return [
        ["score", "items", *shown],
        *([score, str(n), *(f"{value:.3f}" for value in values)] for score, n, *values in rows),
    ]


#: Methods of the reporting sets that the documentation shows, and their names there.
MODELS = {
    ("LightGBM", "L2"): "regression (L2)",
    ("LightGBM", "L2, small trees"): "regression, small trees",
    ("LightGBM", "L2, fold models"): "regression, mean of the fold models",
    ("LightGBM", "link, raw score"): "`CumulativeLink`, raw score",
    ("LightGBM", "link, mean class"): "`CumulativeLink`, mean class",
    ("LightGBM", "multiclass, mean class"): "multiclass, mean class",
    ("LightGBM", "multiclass, small trees, mean class"): "multiclass, small trees, mean class",
    ("LightGBM", "multiclass, expected cost"): "multiclass, expected cost",
    ("LightGBM", "multiclass, small trees, expected cost"): (
        "multiclass, small trees, expected cost"
    ),
    ("LightGBM", "average of L2 and multiclass"): "mean of regression and multiclass",
    ("LightGBM", "average of link and multiclass"): "mean of `CumulativeLink` and multiclass",
    ("LightGBM", "weighted average of link and multiclass"): "**weighted mean of both**",
    ("LightGBM", "the same, fold models"): "weighted mean of the fold models",
    ("LightGBM", "the same, expected cost"): "weighted mean, expected cost",
    ("none", "OGBoost"): "OGBoost",
    ("none", "OGBoost, expected cost"): "OGBoost, expected cost",
    ("none", "XGBOrdinal"): "XGBOrdinal",
    ("none", "gbnet"): "gbnet",
    ("none", "skordinal LogisticAT"): "skordinal, `LogisticAT` (linear)",
    ("none", "mord LogisticAT"): "mord, `LogisticAT` (linear)",
}


def model_risks(reference: tuple[str, str], rows: list[dict] | None = None) -> dict:
    """Return the summary of each method on the reporting sets, over a reference."""
    rows = read("boosting/reporting").to_dicts() if rows is None else rows
    return {(row["library"], row["method"]): row for row in summarise(rows, reference)}


def models() -> Cells:
    """Held-out risk on the reporting sets over that of L2 with the same thresholds."""
    risks = model_risks(("LightGBM", "L2"))
    cells = [["score", *NAMES.values(), "worst MAE of a set with more than 500 rows"]]
    for method, name in MODELS.items():
        if method in risks:
            row = risks[method]
            values = [f"{row[risk]:.3f}" for risk in NAMES.values()]
            cells.append([name, *values, f"{row['worst']:.2f}"])
    return cells


def models_over_cost() -> Cells:
    """The same over decisions of least expected cost, of a multiclass model with small trees."""
    risks = model_risks(("LightGBM", "multiclass, small trees, expected cost"))
    cells = [["score", *NAMES.values()]]
    for method, name in MODELS.items():
        if method in risks and method[0] == "LightGBM" and "small trees" not in method[1]:
            cells.append([name, *(f"{risks[method][risk]:.3f}" for risk in NAMES.values())])
    return cells


def models_xgboost() -> Cells:
    """The same for XGBoost, over its own L2."""
    rows = read("boosting/reporting").filter(pl.col("library") == "XGBoost").to_dicts()
    risks = model_risks(("XGBoost", "L2"), rows)
    cells = [["score", *NAMES.values()]]
    for (_, method), name in MODELS.items():
        if row := risks.get(("XGBoost", method)):
            cells.append([name, *(f"{row[risk]:.3f}" for risk in NAMES.values())])
    return cells


#: Ways to stop that the documentation shows, and their names there.
STOPPING = {
    "link, likelihood": "likelihood, raw score, each training stops by itself",
    "link, likelihood, median rounds": "likelihood, raw score, refit at the median",
    "link, likelihood, mean class": "likelihood, mean class, each training stops by itself",
    "link, likelihood, mean class, median rounds": "**likelihood, mean class, median**",
    "link, thresholds": "thresholds, raw score, each training stops by itself",
    "link, thresholds, mean class, median rounds": "thresholds, mean class, refit at the median",
}


def stopped_risks(n_evaluation: int) -> dict:
    """Return the summary of each way to stop over L2 that stops by its own error."""
    results = read("boosting/stopping").filter(pl.col("library") == f"{n_evaluation} rows")
    summary = summarise(results.to_dicts(), (f"{n_evaluation} rows", "L2, squared error"))
    return {row["method"]: row for row in summary}


def early_stopping() -> Cells:
    """Held-out risk of early stopping by few and by many evaluation rows."""
    sizes = (130, 2000)
    few, many = map(stopped_risks, sizes)
    shown = [name for name in NAMES.values() if name in few["link, likelihood"]]
    cells = [["stop by", *(f"{name}, {n} rows" for n in sizes for name in shown)]]
    for method, name in STOPPING.items():
        values = [f"{risks[method][risk]:.3f}" for risks in (few, many) for risk in shown]
        cells.append([name, *values])
    return cells


def training_time() -> Cells:
    """CPU time to train the model to start with over L2, by training rows."""
    results = read("boosting/training")
    cells = [["training rows", "L2, seconds", "mean", "most"]]
    for low, high in ((0, 500), (500, 999), (999, 1000)):
        name = f"{low + 1} to {high}" if low and high < 1000 else f"{'up to ' * (not low)}{high}"
        group = results.filter(pl.col("rows") > low, pl.col("rows") <= high)
        seconds, ratios = group["L2"], group["over L2"]
        cells.append([name, f"{seconds.mean():.2f}", f"{geometric_mean(ratios):.1f}",
                      f"{ratios.max():.1f}"])  # fmt: skip
    return cells


def between(values: pl.Series, pattern: str) -> str:
    """Return the range of values as text."""
    low, high = format(values.min(), pattern), format(values.max(), pattern)
    return low if low == high else f"{low} to {high}"


def plain(text: str) -> str:
    """Return a number without an exponent."""
    return f"{float(text):g}" if text else ""


CLAIMS: dict[str, Callable[[], Cells]] = {
    claim.__name__: claim
    for claim in (
        rows_needed, speed, exactness, gains, kappas, segments, limits, engines, coverage,
        intervals, guarantees, promises, accepted, gate, judges, scale, drift, updates, gates,
        bands,
        models, models_over_cost, models_xgboost, early_stopping, training_time,
    )
}  # fmt: skip


def table(name: str) -> str:
    """Return the table of a claim as Markdown."""
    header, *rows = CLAIMS[name]()
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)


def with_tables(text: str) -> str:
    """Return the text of a page with the tables of its claims."""
    return MARK.sub(lambda match: f"{match[1]}\n{table(match[2])}\n", text)


def main() -> None:
    for page in PAGES:
        page.write_text(with_tables(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
