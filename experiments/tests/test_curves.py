"""The learning curves: every line can be seen."""

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from experiments.curves import curves_figure
from experiments.settings import LABELINGS
from experiments.stages import STAGES


def rows(n_epochs):
    return [
        {
            "epoch": epoch,
            "training_optimal": 1 / epoch,
            **{f"validation_{name}": 2 / epoch for name in LABELINGS},
            **{f"seconds_{stage}": 0.1 * epoch for stage in STAGES},
        }
        for epoch in range(1, n_epochs + 1)
    ]


@pytest.mark.parametrize("n_epochs", [1, 2, 100])
def test_no_line_lies_under_a_legend(n_epochs):
    figure = curves_figure(rows(n_epochs), "morph2, resnet18, olr", "absolute")
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    for axes in figure.axes:
        legend = axes.get_legend().get_window_extent(canvas.get_renderer())
        assert len(axes.lines) == len(axes.get_legend().get_texts()) >= 5
        assert not any(legend.overlaps(other.get_window_extent()) for other in figure.axes)
        assert figure.bbox.x0 <= legend.x0 < legend.x1 <= figure.bbox.x1


def test_labelings_that_agree_can_be_told_apart():
    left, _ = curves_figure(rows(3), "morph2, resnet18, olr", "absolute").axes
    lines = [line for line in left.lines if line.get_label().startswith("validation")]
    assert len({tuple(line.get_ydata()) for line in lines}) == 1  # each covers the one before
    widths = [line.get_linewidth() for line in lines]
    assert widths == sorted(set(widths), reverse=True)
