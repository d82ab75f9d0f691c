"""
Scores, thresholds and risk curves
==================================

The distribution of the scores of each class, the optimal thresholds between them, and how flat the
risk is around each threshold.
"""

import matplotlib.pyplot as plt
import numpy as np

import ordcut
from ordcut.plots import ThresholdDisplay

# %%
# Five classes of unequal size, and a score that separates them only partly.
rng = np.random.default_rng(0)
labels = rng.choice(5, size=4000, p=[0.1, 0.25, 0.3, 0.25, 0.1])
scores = labels + rng.normal(scale=1.1, size=4000)
result = ordcut.optimal_thresholds(scores, labels)
print(result)

# %%
# The risk curve of each threshold shows the loss for every position of that threshold; its lowest
# point is the optimum.
figure, (left, right) = plt.subplots(ncols=2, figsize=(12, 4), layout="constrained")
ThresholdDisplay.from_predictions(labels, scores, thresholds=result, kind="density", ax=left)
ThresholdDisplay.from_predictions(labels, scores, thresholds=result, kind="risk", ax=right)
plt.show()
