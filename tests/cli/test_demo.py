"""``ordcut demo``: its tables and its files."""

import ordcut
from ordcut.cli import demo
from ordcut.cli.app import run


def test_the_demo_prints_its_tables_and_saves_thresholds_and_a_picture(tmp_path, capsys):
    out = str(tmp_path / "out")
    assert run(["demo", "--output", out]) == 0
    printed = capsys.readouterr().out
    for word in ["rounding", "biases", "likelihood", "optimal", "Theorem 2", "Dinkelbach"]:
        assert word in printed
    text = (tmp_path / "out" / "thresholds.json").read_text(encoding="utf-8")
    assert ordcut.Thresholds.from_json(text).objective == "absolute"
    assert (tmp_path / "out" / "thresholds.png").read_bytes().startswith(b"\x89PNG")
    assert run(["demo", "--output", out]) == 2  # its files are there
    assert "pass --force" in capsys.readouterr().err


def test_optimal_thresholds_are_best_on_the_rows_they_were_found_on():
    train, _ = demo.load_marriages()
    by_labeling = demo.compare(train, train)
    for labeling in ["rounding", "biases", "likelihood"]:
        others, ours = by_labeling[labeling], by_labeling["optimal"]
        assert all(our <= other for our, other in zip(ours[:3], others[:3], strict=True))
        assert ours[3] >= others[3]


def test_only_thresholds_without_smoothing_are_called_optimal_for_the_rows(tmp_path, capsys):
    assert run(["demo", "--output", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    proven, smoothed, *_ = printed.split("Thresholds that are optimal", 1)[1].split("\n\n")
    assert "with the proof" in proven
    assert "Theorem 2" in proven
    assert "smoothed" not in proven
    assert smoothed.startswith("Smoothed thresholds")
    assert smoothed.count("of labels smoothed by") == len(demo.OBJECTIVES)
    assert "no score is below it" in printed
    train, _ = demo.load_marriages()
    for objective in demo.OBJECTIVES:
        model = demo.fit(train, objective, "optimal")
        predicted = set(model.predict(train.features).tolist())
        line = (proven + "\n")[proven.index(f"  {objective} ") :].split("\n", 2)[1]
        never = sorted(set(range(1, 6)) - predicted)
        named = line.partition("never predicted: ")[2]
        assert named == ", ".join(map(str, never))
    saved = ordcut.Thresholds.from_json((tmp_path / "thresholds.json").read_text())
    assert "smoothed" not in saved.certificate
