"""Held-out loss on real data: every method by every loss, whether it wins or loses."""

import warnings

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import ordcut
from benchmarks.estimators.datasets import DATASETS, load
from benchmarks.estimators.labelings import find_thresholds
from benchmarks.estimators.tables import markdown, write_csv, write_markdown
from ordcut.estimators import OrdinalLogisticRegression, OrdinalThresholdClassifierCV

OBJECTIVES = ["absolute", "zero_one", "squared", "quadratic_kappa"]
REFERENCE = "ordcut OLR optimal"


def boosting():
    return HistGradientBoostingRegressor(max_iter=100, random_state=0)


def by_olr(X, y, new, k):
    """Yield the predictions of each labeling of one model for each objective."""
    for labeling in ("optimal", "likelihood"):
        for objective in OBJECTIVES:
            model = OrdinalLogisticRegression(
                objective=objective, labeling=labeling, classes=np.arange(k)
            )
            yield f"ordcut OLR {labeling}", objective, model.fit(X, y).predict(new)


def by_boosting(X, y, new, k):
    """Yield the same for boosting, fitted once: objectives share its cross-fitted scores."""
    model = OrdinalThresholdClassifierCV(boosting(), classes=np.arange(k), store_cv_results=True)
    found = model.fit(X, y).cv_results_
    scores = model.predict_score(new)
    for labeling in ("optimal", "likelihood"):
        for objective in OBJECTIVES:
            thresholds = find_thresholds(found["scores"], found["labels"], k, objective, labeling)
            yield f"ordcut boosting {labeling}", objective, thresholds.predict(scores)


def rounded(make):
    def predict(X, y, new, k):
        return np.clip(np.rint(make().fit(X, y).predict(new)), 0, k - 1).astype(int)

    return predict


def by_statsmodels(X, y, new, k):
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    known, codes = np.unique(y, return_inverse=True)
    model = OrderedModel(codes, X, distr="logit")
    fitted = model.fit(method="bfgs", disp=False)
    return known[np.asarray(model.predict(fitted.params, new)).argmax(axis=1)]


def by_skordinal(name):
    def predict(X, y, new, k):
        from skordinal import classifiers

        return getattr(classifiers, name)().fit(X, y).predict(new)

    return predict


def by_mord(name):
    def predict(X, y, new, k):
        import mord

        known, codes = np.unique(y, return_inverse=True)  # mord fails on gaps
        return known[getattr(mord, name)().fit(X, codes).predict(new).astype(int)]

    return predict


#: Ours are fitted for the loss at hand; the others predict the same for every loss.
OURS = [
    "ordcut OLR optimal",
    "ordcut OLR likelihood",
    "ordcut boosting optimal",
    "ordcut boosting likelihood",
]
OTHERS = {
    "skordinal POM": by_skordinal("POM"),
    "skordinal LogisticAT": by_skordinal("LogisticAT"),
    "skordinal LogisticIT": by_skordinal("LogisticIT"),
    "mord LogisticAT": by_mord("LogisticAT"),
    "mord LogisticIT": by_mord("LogisticIT"),
    "statsmodels OrderedModel": by_statsmodels,
    "Ridge, rounded": rounded(Ridge),
    "boosting, rounded": rounded(boosting),
}


def judge(X, y, config: dict) -> dict[tuple[str, str], list[float]]:
    """Return the values of each method and objective over the splits."""
    k = int(y.max()) + 1
    values: dict[tuple[str, str], list[float]] = {}
    for seed in range(config["splits"]):
        train, test = train_test_split(
            np.arange(len(y)), test_size=config["test_share"], random_state=seed
        )
        scaler = StandardScaler().fit(X[train])
        old, new = scaler.transform(X[train]), scaler.transform(X[test])
        for predict in (by_olr, by_boosting):
            for name, objective, found in predict(old, y[train], new, k):
                value = ordcut.evaluate(y[test], found, objective, classes=np.arange(k))
                values.setdefault((name, objective), []).append(value)
        for name, predict in OTHERS.items():
            found = predict(old, y[train], new, k)
            for objective in OBJECTIVES:
                value = ordcut.evaluate(y[test], found, objective, classes=np.arange(k))
                values.setdefault((name, objective), []).append(value)
    return values


def run(config: dict) -> str:
    rows = []
    for dataset in DATASETS:
        X, y = load(dataset, config["most_rows"])
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            values = judge(X, y, config)
        for (method, objective), found in values.items():
            rows.append(
                {
                    "dataset": dataset,
                    "rows": len(y),
                    "features": X.shape[1],
                    "classes": int(y.max()) + 1,
                    "method": method,
                    "objective": objective,
                    "mean": round(float(np.mean(found)), 5),
                    "std_error": round(float(np.std(found, ddof=1) / len(found) ** 0.5), 5),
                }
            )
        print(dataset, len(y), flush=True)
    write_csv("held_out", rows)
    text = summarise(rows, config)
    write_markdown("held_out", "Loss on rows not seen", text)
    return text


def summarise(rows: list[dict], config: dict) -> str:
    mean = {(r["dataset"], r["method"], r["objective"]): r["mean"] for r in rows}
    methods = [*OURS, *OTHERS]
    parts = [
        f"{config['splits']} random splits of each of {len(DATASETS)} data sets, "
        f"{config['test_share']:.0%} held out. Every method sees standardised features and has "
        "its default settings. The first four are fitted for each loss; the others predict the "
        "same for every loss.\n",
        "## Over all data sets\n",
        "Losses are geometric means of the ratio to "
        f"`{REFERENCE}` (below 1 is better); kappa is the mean difference to it (above 0 is "
        "better). `best on` counts the data sets on which a method is best, ties included.\n",
        markdown([_overall(mean, method) for method in methods]),
    ]
    for objective in OBJECTIVES:
        parts.append(f"## {objective}\n")
        table = []
        for dataset in DATASETS:
            row = [mean[dataset, method, objective] for method in methods]
            best = max(row) if objective == "quadratic_kappa" else min(row)
            cells = [f"**{v:.4f}**" if v == best else f"{v:.4f}" for v in row]
            table.append({"data set": dataset, **dict(zip(methods, cells, strict=True))})
        parts.append(markdown(table))
    return "\n".join(parts)


def _overall(mean: dict, method: str) -> dict:
    row = {"method": method}
    wins = 0
    for objective in OBJECTIVES:
        mine = np.array([mean[d, method, objective] for d in DATASETS])
        ours = np.array([mean[d, REFERENCE, objective] for d in DATASETS])
        if objective == "quadratic_kappa":
            row[objective] = f"{(mine - ours).mean():+.4f}"
        else:
            row[objective] = f"{np.exp(np.log(mine / ours).mean()):.4f}"
    for dataset in DATASETS:
        for objective in OBJECTIVES:
            of_all = [mean[dataset, m, objective] for m in [*OURS, *OTHERS]]
            best = max(of_all) if objective == "quadratic_kappa" else min(of_all)
            wins += mean[dataset, method, objective] == best
    row["best on"] = f"{wins} of {len(DATASETS) * len(OBJECTIVES)}"
    return row
