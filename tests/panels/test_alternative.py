"""The alternative annotator test, by a direct reading of the paper."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp

import ordcut


def naive_test(table, labels, epsilon):
    """Return the advantage and the p-value of each rater, item by item."""
    advantages, p_values = [], []
    for rater in range(table.shape[1]):
        wins, losses = [], []
        for row, label in zip(table, labels, strict=True):
            others = [x for i, x in enumerate(row) if i != rater and not np.isnan(x)]
            if np.isnan(row[rater]) or not others:
                continue
            judge, own = (np.mean([x == y for y in others]) for x in (label, row[rater]))
            wins.append(float(judge >= own))
            losses.append(float(own >= judge))
        difference = np.array(losses) - np.array(wins)
        advantages.append(np.mean(wins))
        p_values.append(ttest_1samp(difference, epsilon, alternative="less").pvalue)
    return np.array(advantages), np.array(p_values)


def test_advantages_and_p_values_are_those_of_the_paper():
    rng = np.random.default_rng(3)
    quality = rng.integers(0, 3, 80)
    table = np.clip(quality[:, None] + rng.integers(-1, 2, (80, 4)), 0, 2).astype(float)
    table[rng.random((80, 4)) < 0.2] = np.nan
    labels = np.clip(quality + rng.integers(0, 2, 80), 0, 2)
    panel = ordcut.Panel(table)
    for epsilon in (0.0, 0.2):
        result = panel.alternative_test(labels, epsilon=epsilon)
        advantages, p_values = naive_test(table, labels, epsilon)
        np.testing.assert_allclose(result.advantages, advantages)
        np.testing.assert_allclose(result.p_values, p_values)
        # Benjamini and Yekutieli's limits, 5 % / (1 + 1/2 + 1/3 + 1/4) times 1/4, 2/4, ...
        limits = 0.05 / (25 / 12) * np.arange(1, 5) / 4
        passing = np.flatnonzero(np.sort(p_values) <= limits)
        assert result.winning_rate == (passing[-1] + 1 if len(passing) else 0) / 4
        assert result.passes == (result.winning_rate >= 0.5)


def test_raters_with_few_items_are_left_out():
    table = np.full((60, 3), np.nan)
    table[:, :2] = np.arange(60)[:, None] % 3
    table[:20, 2] = 1
    result = ordcut.Panel(table).alternative_test(np.arange(60) % 3)
    assert result.raters.tolist() == [0, 1]
    assert result.winning_rate == 1
    with pytest.raises(ValueError, match="needs a rater with at least 30 items"):
        ordcut.Panel(table[:20]).alternative_test([1] * 20)
    with pytest.raises(ValueError, match="epsilon must be"):
        ordcut.Panel(table).alternative_test([1] * 60, epsilon=2)
    with pytest.raises(ValueError, match='needs raters="identified"'):
        ordcut.Panel(table, raters="anonymous").alternative_test([1] * 60)
