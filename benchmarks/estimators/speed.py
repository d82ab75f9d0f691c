"""The time to fit ordinal logistic regression, and the likelihood reached."""

import resource
import time
import warnings

import numpy as np

from benchmarks.estimators.tables import markdown, write_csv, write_markdown
from ordcut.estimators import OrdinalLogisticRegression


def make_data(n: int, p: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    latent = X @ (0.5 * rng.normal(size=p)) + rng.logistic(size=n)
    return X, np.searchsorted(np.quantile(latent, np.linspace(0, 1, k + 1)[1:-1]), latent)


def log_likelihood(probabilities: np.ndarray, y: np.ndarray) -> float:
    return float(np.log(probabilities[np.arange(len(y)), y]).sum())


def by_ordcut(X, y):
    model = OrdinalLogisticRegression(objective="zero_one", labeling="likelihood", alpha=0).fit(
        X, y
    )
    return lambda: model.predict_proba(X)


def by_ordcut_with_thresholds(X, y):
    model = OrdinalLogisticRegression(alpha=0, probabilities=True).fit(X, y)
    return lambda: model.predict_proba(X)


def by_skordinal(X, y):
    from skordinal.classifiers import POM

    model = POM().fit(X, y)
    return lambda: model.predict_proba(X)


def by_statsmodels(X, y):
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    model = OrderedModel(y, X, distr="logit")
    fitted = model.fit(method="bfgs", disp=False)
    return lambda: np.asarray(model.predict(fitted.params))


CONTENDERS = {
    "ordcut": by_ordcut,
    "ordcut, absolute loss": by_ordcut_with_thresholds,
    "skordinal POM": by_skordinal,
    "statsmodels bfgs": by_statsmodels,
}


def run(config: dict) -> str:
    n, p, k = config["rows"], config["features"], config["classes"]
    X, y = make_data(n, p, k)
    rows = []
    for name, fit in CONTENDERS.items():
        times = []
        for _ in range(1 if name.startswith("statsmodels") else config["repeats"]):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                start = time.perf_counter()
                probabilities = fit(X, y)
                times.append(time.perf_counter() - start)
        rows.append(
            {
                "library": name,
                "rows": n,
                "features": p,
                "classes": k,
                "seconds": round(min(times), 3),
                "log_likelihood": round(log_likelihood(probabilities(), y), 4),
            }
        )
        print(rows[-1])
    for row in rows:
        row["times_ordcut"] = round(row["seconds"] / rows[0]["seconds"], 1)
    rows.append(_large(config, k))
    print(rows[-1])
    write_csv("speed", rows)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    text = (
        f"{markdown(rows)}\nThe best of {config['repeats']} runs on 2 cores, one run for "
        "statsmodels; normal features, logistic noise, classes of equal size.\n\nPeak memory of "
        f"the whole run: {peak:.1f} GB, of which the features of the last row are "
        f"{config['large_rows'] * config['large_features'] * 8 / 1e9:.1f} GB.\n"
    )
    write_markdown("speed", "Fitting ordinal logistic regression", text)
    return text


def _large(config: dict, k: int) -> dict:
    n, p = config["large_rows"], config["large_features"]
    X, y = make_data(n, p, k)
    start = time.perf_counter()
    model = OrdinalLogisticRegression(objective="zero_one", labeling="likelihood", alpha=0).fit(
        X, y
    )
    seconds = time.perf_counter() - start
    return {
        "library": "ordcut",
        "rows": n,
        "features": p,
        "classes": k,
        "seconds": round(seconds, 3),
        "log_likelihood": round(model.log_likelihood_, 4),
        "times_ordcut": "",
    }
