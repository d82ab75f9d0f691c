"""
Why a local search misses the best kappa
========================================

Kappa is a step function of the thresholds. Nelder-Mead stops on one of its steps; ordcut finds the
highest one.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize

import ordcut

# %%
# Three classes have two thresholds, so that kappa can be shown as a map.
rng = np.random.default_rng(3)
labels = rng.choice(3, size=150, p=[0.6, 0.25, 0.15])
scores = 0.5 + 0.5 * labels + rng.normal(scale=0.4, size=150)


def kappa(thresholds):
    """Return the quadratic kappa of labeling by given thresholds."""
    predicted = np.searchsorted(np.sort(thresholds), scores, side="right")
    return ordcut.evaluate(labels, predicted, "quadratic_kappa", classes=range(3))


def search(start):
    """Return the thresholds that Nelder-Mead ends at."""
    return np.sort(minimize(lambda cuts: -kappa(cuts), start, method="nelder-mead").x)


# %%
# One search starts halfway between the classes, as is common. The other starts at the quantiles of
# the scores that predict each class as often as it occurs.
exact = ordcut.optimal_thresholds(scores, labels, objective="quadratic_kappa")
from_halves = search([0.5, 1.5])
from_quantiles = search(np.quantile(scores, np.cumsum(np.bincount(labels))[:-1] / len(labels)))
print(f"exact: {exact.value:.3f}")
print(f"Nelder-Mead from quantiles: {kappa(from_quantiles):.3f}")
print(f"Nelder-Mead from halves: {kappa(from_halves):.3f}")

# %%
# Kappa is constant on every step, so a search that compares nearby thresholds stops on one of these
# steps.
grid = np.linspace(0.2, 1.8, 121)
values = np.array(
    [[kappa([low, high]) if low <= high else np.nan for low in grid] for high in grid]
)
figure, axes = plt.subplots(figsize=(7, 5.5), layout="constrained")
image = axes.pcolormesh(grid, grid, values, cmap="viridis")
figure.colorbar(image, label="quadratic kappa")
for point, marker, start in ((from_halves, "wX", "halves"), (from_quantiles, "wo", "quantiles")):
    label = f"Nelder-Mead from {start}"
    axes.plot(*point, marker, markersize=11, markeredgecolor="k", label=label)
axes.plot(*exact.thresholds, "r*", markersize=16, markeredgecolor="k", label="exact optimum")
axes.set(
    xlabel="lower threshold", ylabel="upper threshold", title="Kappa of every pair of thresholds"
)
axes.legend(loc="lower right")
plt.show()
