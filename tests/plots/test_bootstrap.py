import numpy as np

import ordcut
from ordcut.plots import draw_bootstrap
from tests.ordinal_rows import ratings


def test_each_threshold_is_drawn_with_its_interval():
    boot = ordcut.optimal_thresholds(*ratings(300, 3)).bootstrap(n=30)
    axes = draw_bootstrap(boot, level=0.9)
    drawn = [line.get_xdata().tolist() for line in axes.get_lines()]
    for threshold, interval in zip(boot.result.thresholds, boot.intervals(0.9), strict=True):
        assert interval.tolist() in drawn
        assert [threshold] in drawn
    assert [text.get_text() for text in axes.get_yticklabels()] == ["0 | 1", "1 | 2"]


def test_the_title_has_the_interval_of_the_value():
    boot = ordcut.optimal_thresholds(*ratings(300, 3)).bootstrap(n=30)
    low, high = boot.value_interval(0.95)
    title = draw_bootstrap(boot).get_title(loc="left")
    assert f"Mean absolute error on new rows: {low:.3g} to {high:.3g}" in title


def test_an_arrow_leads_to_an_infinite_end():
    boot = ordcut.optimal_thresholds([1, 2, 3, 4], [1, 1, 2, 2], classes=[0, 1, 2]).bootstrap(n=30)
    assert np.isinf(boot.intervals()[0]).any()
    axes = draw_bootstrap(boot)
    assert "<" in [line.get_marker() for line in axes.get_lines()]
    axes.figure.canvas.draw()
