"""The time to find thresholds, relative to fitting gradient boosting."""

import time

from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor

from benchmarks.estimators.labelings import find_thresholds
from benchmarks.estimators.speed import make_data
from benchmarks.estimators.tables import markdown, write_csv, write_markdown

MODELS = {
    "GradientBoostingRegressor": lambda trees: GradientBoostingRegressor(n_estimators=trees),
    "HistGradientBoostingRegressor": lambda trees: HistGradientBoostingRegressor(max_iter=trees),
}
LABELINGS = [
    ("optimal", "absolute"),
    ("optimal", "zero_one"),
    ("optimal", "quadratic_kappa"),
    ("likelihood", "absolute"),
]


def run(config: dict) -> str:
    rows = []
    for n in config["rows"]:
        X, y = make_data(n, config["features"], config["classes"])
        for name, make in MODELS.items():
            start = time.perf_counter()
            model = make(config["trees"]).fit(X, y.astype(float))
            fit = time.perf_counter() - start
            scores = model.predict(X)
            for labeling, objective in LABELINGS:
                times = []
                for _ in range(config["repeats"] + 1):  # the first call compiles or loads
                    start = time.perf_counter()
                    find_thresholds(scores, y, config["classes"], objective, labeling)
                    times.append(time.perf_counter() - start)
                rows.append(
                    {
                        "model": name,
                        "rows": n,
                        "labeling": labeling,
                        "objective": objective,
                        "fit_seconds": round(fit, 3),
                        "threshold_seconds": round(min(times), 4),
                        "first_call_seconds": round(times[0], 4),
                        "share_of_fit": f"{min(times) / fit:.2%}",
                    }
                )
                print(rows[-1])
    write_csv("inside_fit", rows)
    text = (
        f"{markdown(rows)}\nOne fit of {config['trees']} trees; `OrdinalThresholdClassifierCV` "
        "fits six by default, and finds thresholds once.\n"
    )
    write_markdown("inside_fit", "Thresholds inside fit, against gradient boosting", text)
    return text
