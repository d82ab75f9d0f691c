"""Learning curves: the value of thresholds from some rows on the others."""

import numpy as np
import pytest

import ordcut


def noisy(n, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n)
    return labels + rng.normal(size=n), labels


@pytest.mark.parametrize("objective", ["absolute", "quadratic_kappa"])
@pytest.mark.parametrize("smoothing", [0, 0.5])
def test_values_are_those_of_thresholds_from_the_rows_drawn(objective, smoothing):
    scores, labels = noisy(60)
    curve = ordcut.learning_curve(
        scores, labels, objective=objective, smoothing=smoothing, sizes=[10, 40], n_splits=3
    )
    rng = np.random.default_rng(0)
    for split in range(3):
        order = rng.permutation(60)
        for j, size in enumerate([10, 40]):
            drawn, others = np.sort(order[:size]), np.sort(order[size:])
            result = ordcut.optimal_thresholds(
                scores[drawn], labels[drawn], objective=objective, classes=[0, 1, 2],
                smoothing=smoothing,
            )  # fmt: skip
            expected = ordcut.judge(result, scores[others], labels[others], objective).value
            assert curve.values[split, j] == pytest.approx(expected)
    assert curve.means.shape == (2,)
    low, high = curve.intervals(0.9).T
    assert (low <= curve.means).all()
    assert (curve.means <= high).all()
    assert objective in repr(curve)


def test_sizes_double_from_25_up_to_four_fifths():
    for n, sizes in ((32, [25]), (63, [25, 50]), (124, [25, 50]), (125, [25, 50, 100])):
        assert ordcut.learning_curve(*noisy(n), n_splits=2).sizes.tolist() == sizes
    with pytest.raises(ValueError, match="at least 32 rows by default"):
        ordcut.learning_curve(*noisy(31))
    with pytest.raises(ValueError, match="below the number of rows, 40"):
        ordcut.learning_curve(*noisy(40), sizes=[40])
    with pytest.raises(ValueError, match="level must be"):
        ordcut.learning_curve(*noisy(40), n_splits=2).intervals(95)


def test_items_of_a_panel_are_drawn():
    rng = np.random.default_rng(1)
    quality = rng.normal(size=80)
    table = np.clip(np.rint(quality[:, None] + rng.normal(size=(80, 3))), -1, 1)
    curve = ordcut.learning_curve(
        quality, ordcut.Panel(table), objective="quadratic_kappa", n_splits=5
    )
    assert curve.sizes.tolist() == [25, 50]
    assert (curve.values > 0).all()


def test_a_kappa_that_is_undefined_is_left_out():
    labels = np.zeros(40, int)
    labels[0] = 1
    curve = ordcut.learning_curve(
        np.arange(40)[::-1], labels, objective="kappa", sizes=[20], n_splits=4
    )
    assert np.isnan(curve.values).any()
