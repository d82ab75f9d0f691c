"""The tables of the documentation are those of the results, and so are the sentences about them."""

import polars as pl
import pytest

from benchmarks import claims


@pytest.mark.parametrize("page", claims.PAGES, ids=lambda page: page.name)
def test_the_tables_of_a_page_are_made_from_the_results(page):
    text = page.read_text(encoding="utf-8")
    assert "<!-- table: " in text
    assert claims.with_tables(text) == text, "run python -m benchmarks.claims"


def test_every_table_is_shown_once():
    text = "".join(page.read_text(encoding="utf-8") for page in claims.PAGES)
    assert [text.count(f"<!-- table: {name} -->") for name in claims.CLAIMS] == [1] * len(
        claims.CLAIMS
    )


def test_the_sentences_about_rows_needed_are_true():
    results = claims.read("rows_needed")

    def most(rows, column):
        return results.filter(pl.col("n") == rows)[column].max()

    assert most(200, "smoothed") <= most(1000, "plain")
    right = 1 - results.filter(pl.col("K") == 5, pl.col("objective") == "zero_one")["best"][0]
    page = (claims.ROOT / "docs" / "rows_needed.md").read_text(encoding="utf-8")
    assert f"{right:.0%}".replace("%", " %") + " of the rows of five classes right" in page
    ratio = most(50, "plain") / most(5000, "plain")
    assert 0.5 < ratio / 100 ** (2 / 3) < 2  # a cube-root law: eight times the rows, a quarter


def test_sentences_of_the_summary_are_true():
    engines = claims.read("frames/engines")
    seven = engines.filter(pl.col("objective") == "absolute", pl.col("rows") == 10**7)["over plain"]
    assert (f"{seven.min():.0f}", f"{seven.max():.0f}") == ("4", "7")
    assert claims.read("exactness")["wrong"].sum() == 0
    guarantees = claims.read("guarantees")
    assert (guarantees["broken"] <= guarantees["allowed"]).all()
    for name in ("kappas", "segments"):
        _, ours, *others = claims.CLAIMS[name]()
        assert ours[0] == "ordcut"
        assert all(int(row[1]) <= int(ours[1]) for row in others)
