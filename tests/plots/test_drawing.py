from ordcut import asymmetry_path


def test_a_path_over_a_log_axis_has_plain_numbers_at_its_ticks():
    axes = asymmetry_path([1, 2, 3, 4, 5], [0, 1, 0, 1, 1]).plot()
    axes.figure.canvas.draw()
    low, high = axes.get_xlim()
    ticks = [
        text.get_text() for text in axes.get_xticklabels() if low <= text.get_position()[0] <= high
    ]
    assert ticks == ["0.1", "0.2", "0.5", "1", "2", "5", "10"]
    assert not axes.xaxis.get_minorticklocs().size
