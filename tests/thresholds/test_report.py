"""Figures of each class, as a frame."""

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import precision_recall_fscore_support

import ordcut
from tests.ordinal_rows import ratings


def test_the_figures_are_those_of_scikit_learn():
    scores, codes = ratings()
    weights = np.arange(len(codes)) % 3 + 1
    result = ordcut.optimal_thresholds(scores, codes)
    frame = result.report(scores, codes, sample_weight=weights, backend="polars")
    precision, recall, f1, _ = precision_recall_fscore_support(
        codes, result.predict(scores), sample_weight=weights, zero_division=np.nan
    )
    for name, expected in {"precision": precision, "recall": recall, "f1": f1}.items():
        assert frame[name].to_numpy() == pytest.approx(expected, nan_ok=True)
    assert isinstance(frame, pl.DataFrame)
    assert frame["share"].sum() == pytest.approx(1)
    assert frame["class"].to_list() == result.classes.tolist()
    assert frame["true"].to_list() == np.bincount(codes, weights).tolist()


def test_a_review_has_a_share_and_no_recall():
    scores, labels = [1, 2, 3, 4, 5], [0, 1, 0, 1, 1]
    result = ordcut.optimal_thresholds(scores, labels, review=0.1)
    frame = result.report(scores, labels)
    assert frame["decision"].tolist() == ["0", "0 or 1", "1"]
    assert np.isnan(frame["recall"][1])
    assert frame["share"][1] == result.review_share
    assert frame["recall"][0] == pytest.approx(np.mean(result.predict([1, 3]) == 0))


def test_a_result_plots_itself_on_its_rows_or_others():
    import matplotlib as mpl

    mpl.use("Agg")
    scores, codes = ratings()
    for objective in ("absolute", "quadratic_kappa"):
        result = ordcut.optimal_thresholds(scores, codes, objective=objective)
        for kind in ("density", "risk", "confusion"):
            assert result.plot(kind=kind).thresholds is result
    assert result.plot(scores[:100], codes[:100]).below[-1].sum() == 100
    with pytest.raises(TypeError, match="together"):
        result.plot(scores)
    with pytest.raises(ValueError, match="must be passed to plot"):
        ordcut.Thresholds.from_json(result.to_json()).plot()


def test_json_is_written_to_a_path(tmp_path):
    result = ordcut.optimal_thresholds([1, 2, 3], ["é", "b", "b"], classes=["é", "b"])
    text = result.to_json(tmp_path / "t.json")
    assert (tmp_path / "t.json").read_text(encoding="utf-8") == text
    assert ordcut.Thresholds.from_json(tmp_path / "t.json") == result
