"""Thresholds for simulated scores: one kind follows the model of smoothing, five do not.

The risk of thresholds is that for the whole population, so that only the rows they are found on are
random.
"""

from collections.abc import Callable

import numpy as np
from scipy.special import expit, ndtri, stdtrit

import ordcut
from benchmarks.estimators.labelings import find_thresholds
from benchmarks.populations import Population, logistic

N_ROWS = (100, 400, 2000)
RIGHT = "right"
EDGES = np.array([-1.2, -0.4, 0.4, 1.2])
SMOOTHINGS = {"smoothed": "auto", "bagging": "bagging", "smoothing=1": 1}

Curves = Callable[[np.ndarray], np.ndarray]


def _multimodal(scores: np.ndarray) -> np.ndarray:
    """Return the chances where noise has two modes."""
    distance = scores[:, None] - EDGES
    return (expit((distance - 0.7) / 0.25) + expit((distance + 0.7) / 0.25)) / 2


def _heteroscedastic(scores: np.ndarray) -> np.ndarray:
    """Return the chances where noise grows with the score."""
    return expit((scores[:, None] - EDGES) / (0.5 * np.exp(0.7 * scores[:, None])))


def _stepwise(scores: np.ndarray) -> np.ndarray:
    """Return the chances where only five ranges of the score differ."""
    levels = np.array([-1.6, -0.8, -0.1, 0.5, 1.5])
    nearest = levels[np.searchsorted((levels[1:] + levels[:-1]) / 2, scores)]
    return expit((nearest[:, None] - EDGES) / 0.45)


def _heavy_tailed(scores: np.ndarray) -> np.ndarray:
    """Return the chances with Cauchy noise."""
    return 0.5 + np.arctan((scores[:, None] - EDGES) / 0.3) / np.pi


def _student(share: np.ndarray) -> np.ndarray:
    return stdtrit(2, share)


def _lognormal(share: np.ndarray) -> np.ndarray:
    return np.exp(1.2 * ndtri(share))


def _skewed(scores: np.ndarray) -> np.ndarray:
    """Return the chances of a cumulative logit model of the logarithm of the score."""
    return expit(2.5 * (np.log(scores)[:, None] / 1.2 - EDGES))


#: The quantiles of the scores, and the chances of reaching each class but the lowest.
MODELS: dict[str, tuple[Curves, Curves]] = {
    RIGHT: (ndtri, logistic(EDGES, 2.5)),
    "multimodal": (ndtri, _multimodal),
    "heteroscedastic": (ndtri, _heteroscedastic),
    "stepwise": (ndtri, _stepwise),
    "heavy-tailed": (_student, _heavy_tailed),
    "skewed": (_lognormal, _skewed),
}


def simulate(objectives: list[str], n_repeats: int) -> list[dict]:
    """Return the mean risk of each labeling, model, number of rows and objective."""
    return [
        row
        for model in MODELS
        for n in N_ROWS
        for objective in objectives
        for row in _rows(model, n, objective, n_repeats)
    ]


def _rows(model: str, n: int, objective: str, n_repeats: int) -> list[dict]:
    n_classes = len(EDGES) + 1
    resolved = ordcut.resolve_objective(objective, n_classes)
    population = Population(model, *MODELS[model], resolved)
    values: dict[str, list[float]] = {}
    for repeat in range(n_repeats):
        drawn = population.draw(n, np.random.default_rng([n, repeat]))
        found = {"optimal": ordcut.optimal_thresholds(**drawn).thresholds}
        for name, smoothing in SMOOTHINGS.items():
            smoothed = ordcut.optimal_thresholds(**drawn, smoothing=smoothing)
            found[name] = smoothed.thresholds
        found["likelihood"] = find_thresholds(
            drawn["scores"], drawn["labels"], n_classes, objective, "likelihood"
        ).thresholds
        for name, thresholds in found.items():
            value = population.risk(thresholds)
            values.setdefault(name, []).append(1 - value if resolved.is_maximised else value)
    return [
        {
            "model": model,
            "rows": n,
            "objective": objective,
            "labeling": name,
            "risk": round(float(np.mean(risks)), 6),
            "std_error": round(float(np.std(risks, ddof=1) / n_repeats**0.5), 6),
            "repeats": n_repeats,
        }
        for name, risks in values.items()
    ]


def table_of_models(rows: list[dict]) -> list[dict]:
    """Return the risk relative to plain thresholds by model, and relative to likelihood."""
    risks = {(r["model"], r["rows"], r["objective"], r["labeling"]): r["risk"] for r in rows}
    cells = list(dict.fromkeys(key[:3] for key in risks))

    def logs(labeling: str, reference: str, model: str | None) -> np.ndarray:
        chosen = [cell for cell in cells if model in (None, cell[0])]
        ratios = [risks[*cell, labeling] / risks[*cell, reference] for cell in chosen]
        return np.log(ratios)

    table = []
    for name in dict.fromkeys(key[3] for key in risks):
        by_model = {model: logs(name, "optimal", model).mean() for model in MODELS}
        every, against = logs(name, "optimal", None), logs(name, "likelihood", RIGHT)
        means = {model: f"{np.exp(mean):.4f}" for model, mean in by_model.items()}
        table.append(
            {"labeling": name}
            | means
            | {
                "all": f"**{np.exp(every.mean()):.4f}**",
                "worst": f"{np.exp(every.max()):.4f}",
                f"likelihood, {RIGHT}": f"{np.exp(against.mean()):.4f}",
                "worst of these": f"{np.exp(against.max()):.4f}",
            }
        )
    return table
