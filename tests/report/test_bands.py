"""The page about bands."""

import numpy as np
import pytest

import ordcut
from ordcut.report import page_of_bands


@pytest.mark.parametrize("n_bands", [3, "auto"])
@pytest.mark.parametrize("kind", ["yes or no", "counts", "numbers"])
def test_the_page_shows_each_band_and_runs_no_script(n_bands, kind, tmp_path):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=400)
    outcome = {
        "yes or no": rng.random(400) < 1 / (1 + np.exp(-scores)),
        "counts": rng.poisson(np.exp(scores)),
        "numbers": scores + rng.normal(size=400),
    }[kind]
    exposure = np.ones(400) if kind == "counts" else None
    bands = ordcut.optimal_bands(scores, outcome, exposure=exposure, n_bands=n_bands)
    file = tmp_path / "page.html"
    page = page_of_bands(bands, score_name="a <b>", outcome_name="x & y", path=file)
    assert file.read_text(encoding="utf-8") == page
    assert page.count('class="box"') == len(bands.classes)
    assert ("loss on rows left out" in page) == (n_bands == "auto")
    assert "a &lt;b&gt;" in page
    assert "x &amp; y" in page
    assert "<script" not in page
    assert "script-src 'none'" in page
    assert all(sentence.split(":")[0] in page for sentence in bands.sentences())


def test_bands_that_were_read_from_a_file_have_a_page():
    bands = ordcut.optimal_bands([1, 2, 3, 4] * 9, [0, 0, 1, 1] * 9, n_bands=2)
    loaded = ordcut.Bands.from_json(bands.to_json())
    assert page_of_bands(loaded, title="Two bands") == page_of_bands(bands, title="Two bands")
