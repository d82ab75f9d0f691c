"""
Ordinal logistic regression and four labelings
==============================================

One model and one score, turned into classes in four ways, and evaluated on held-out rows.
"""

import matplotlib.pyplot as plt
import numpy as np
from statsmodels.datasets import fair

import ordcut
from ordcut.estimators import OrdinalLogisticRegression

# %%
# 6366 women rated their marriage from 1 to 5.
data = fair.load_pandas().data
ratings = data.pop("rate_marriage").to_numpy().astype(int)
features = data.to_numpy()
train = np.random.default_rng(0).permutation(len(ratings)) < len(ratings) // 2

# %%
# The labelings that Yamasaki (2023) compares: rounding the score, the model's biases as thresholds,
# the class of least expected loss under the model's probabilities, and optimal thresholds.
labelings = ["rounding", "biases", "likelihood", "optimal"]
objectives = ["absolute", "squared", "zero_one"]
losses = np.empty((len(objectives), len(labelings)))
for i, objective in enumerate(objectives):
    for j, labeling in enumerate(labelings):
        model = OrdinalLogisticRegression(objective=objective, labeling=labeling, alpha=0)
        predicted = model.fit(features[train], ratings[train]).predict(features[~train])
        losses[i, j] = ordcut.evaluate(ratings[~train], predicted, objective, classes=range(1, 6))

# %%
figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
for j, labeling in enumerate(labelings):
    color = plt.get_cmap("cividis")(j / 3)
    axes.bar(
        np.arange(3) + 0.2 * j, losses[:, j] / losses[:, -1], 0.19, label=labeling, color=color
    )
axes.axhline(1, color="k", linewidth=0.8)
axes.set(xticks=np.arange(3) + 0.3, xticklabels=objectives, ylabel="loss relative to optimal")
axes.set_ylim(0.8)
axes.legend(ncols=4)
plt.show()
