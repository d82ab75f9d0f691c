"""
One score, many objectives
==========================

Different objectives have different optimal thresholds for the same scores.
"""

import matplotlib.pyplot as plt
import numpy as np

import ordcut

# %%
# Most rows belong to the lowest class, as is common for stages of a disease.
rng = np.random.default_rng(0)
labels = rng.choice(5, size=20_000, p=[0.5, 0.25, 0.15, 0.07, 0.03])
scores = labels + rng.normal(scale=1.2, size=20_000)
table = ordcut.ScoreTable(scores, labels)

# %%
# The table is sorted once and solved for every objective. Kappa corrects for chance agreement, so
# rare classes are predicted more often; with zero-one loss, they are hardly predicted at all.
objectives = ["zero_one", "absolute", "squared", "linear_kappa", "quadratic_kappa"]
figure, axes = plt.subplots(figsize=(9, 4), layout="constrained")
for row, objective in enumerate(objectives):
    thresholds = table.solve(objective).thresholds
    axes.plot(thresholds, np.full(4, row), "o-", color=plt.get_cmap("viridis")(row / 5))
    for k, threshold in enumerate(thresholds):
        axes.annotate(f"{k} | {k + 1}", (threshold, row), (0, 8), textcoords="offset points")
axes.set(yticks=range(len(objectives)), yticklabels=objectives, xlabel="score", ylim=(-0.5, 4.8))
axes.set_title("Optimal thresholds of each objective for the same scores")
plt.show()

# %%
# The value of each choice under all objectives:
predictions = {name: table.solve(name).predict(scores) for name in objectives}
print(f"{'found for':18}" + "".join(f"{name:>17}" for name in objectives))
for name, predicted in predictions.items():
    values = [ordcut.evaluate(labels, predicted, objective) for objective in objectives]
    print(f"{name:18}" + "".join(f"{value:17.4f}" for value in values))
